// A scheduler on an API server in memory, and simulations, with each allocation of a call failing
// in turn. Once memory is back, nothing is lost: each pod is bound once or waits with a reason, the
// cluster has the pods of the API server and no other, and no node is too full.
#include <doctest/doctest.h>

#include <libsched.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "failing_allocation.hpp"
#include "tests/unit/rounds.hpp"

namespace failing_scheduler_test {

// Pods that fill the nodes, one that fits nowhere, and one that preempts another.
struct Stage {
  Stage() {
    SURE(libsched_clock_create_virtual(1000 * kSecond, &clock, err));
    libsched_api_server_options server_options = LIBSCHED_API_SERVER_OPTIONS_INIT;
    server_options.keep_calls = server_options.keep_events = true;
    server_options.clock = clock;
    server_options.bind_volumes = true;
    server_options.provision_ns = kSecond;
    SURE(libsched_api_server_create(&server_options, &server, err));
    SURE(libsched_cluster_create(nullptr, &cluster, err));
    SURE(libsched_framework_create(nullptr, libsched_str_from(""), nullptr, nullptr, &framework,
                                   err));
    libsched_scheduler_options options = LIBSCHED_SCHEDULER_OPTIONS_INIT;
    options.clock = clock;
    options.api_server = server;
    SURE(libsched_scheduler_create(&framework, 1, cluster, &options, &scheduler, err));
    SURE(libsched_scheduler_start(scheduler, err));
    create(kNodes + pod_text("low", 2, 0));
    SURE(libsched_scheduler_settle(scheduler, false, 0, err));
    for (const char* name : {"p", "q", "r"}) create(pod_text(name, 1, 5));
    create(pod_text("huge", 50, 3) + pod_text("high", 2, 9));
    create(kStorage + pod_text("v", 0, 7, kClaiming));
  }
  ~Stage() {
    libsched_scheduler_unref(scheduler);
    libsched_framework_unref(framework);
    libsched_cluster_unref(cluster);
    libsched_api_server_unref(server);
    libsched_clock_unref(clock);
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  void create(const std::string& text) const {
    libsched_objects* objects = parse(text);
    SURE(libsched_api_server_create_objects(server, objects, err));
    libsched_objects_unref(objects);
  }

  libsched_rc take(bool events, libsched_text** text) const {
    return events ? libsched_api_server_take_events_json(server, text, nullptr)
                  : libsched_api_server_take_calls_json(server, text, nullptr);
  }
  std::string taken(bool events) const {
    libsched_text* text = nullptr;
    REQUIRE(take(events, &text) == LIBSCHED_OK);
    const std::string s = out(libsched_text_get(text));
    libsched_text_unref(text);
    return s;
  }

  // What must hold whenever the scheduler has come to rest.
  void check() const {
    const std::string calls = taken(false);
    const libsched_view* view = libsched_cluster_view(cluster);
    libsched_objects* objects = nullptr;
    SURE(libsched_api_server_objects(server, &objects, err));
    size_t bound = 0, waiting = 0;
    for (size_t i = 0; i < libsched_objects_pod_count(objects); ++i) {
      const libsched_pod* pod = libsched_objects_get_pod(objects, i);
      const std::string name = out(libsched_pod_name(pod));
      const std::string node = out(libsched_pod_node_name(pod));
      CAPTURE(name);
      uint32_t row = LIBSCHED_NO_ROW;
      const bool there = libsched_view_find_pod(view, libsched_str_from("d"),
                                                libsched_pod_name(pod), &row) != nullptr;
      CHECK(there == !node.empty());
      if (there) {
        ++bound;
        CHECK(out(libsched_node_name(libsched_view_node(view, row))) == node);
        CHECK(times(calls, "\"verb\":\"bind\",\"key\":\"d/" + name + "\"") == 1);
      } else {
        ++waiting;
        CHECK(in_queue(name));
      }
    }
    libsched_objects_unref(objects);
    CHECK(libsched_view_pod_count(view) == bound);  // none is only assumed
    for (uint32_t r = 0; r < libsched_view_row_count(view); ++r)
      CHECK(libsched_view_requested(view, r, libsched_str_from("cpu")) <=
            libsched_view_allocatable(view, r, libsched_str_from("cpu")));
    libsched_scheduler_state state = LIBSCHED_SCHEDULER_STATE_INIT;
    SURE(libsched_scheduler_get(scheduler, &state, err));
    CHECK(state.bindings == 0);
    CHECK_FALSE(state.in_cycle);
    libsched_queue_counts counts = LIBSCHED_QUEUE_COUNTS_INIT;
    SURE(libsched_queue_get(libsched_scheduler_queue(scheduler), &counts, err));
    CHECK(counts.active + counts.backoff + counts.error_backoff + counts.unschedulable +
              counts.gated ==
          waiting);
    CHECK(counts.in_flight_pods == 0);
  }
  bool in_queue(const std::string& name) const {
    for (const uint32_t part : {LIBSCHED_QUEUE_ACTIVE, LIBSCHED_QUEUE_BACKOFF,
                                LIBSCHED_QUEUE_ERROR_BACKOFF, LIBSCHED_QUEUE_UNSCHEDULABLE}) {
      const libsched_queued_pod* list[64];
      size_t count = 0;
      SURE(libsched_queue_list(libsched_scheduler_queue(scheduler), part, list, 64, &count, err));
      for (size_t i = 0; i < count; ++i) {
        libsched_queued_pod_info p = LIBSCHED_QUEUED_POD_INFO_INIT;
        SURE(libsched_queued_pod_get(list[i], &p, err));
        if (out(libsched_pod_name(p.pod)) == name) return true;
      }
    }
    return false;
  }
  // The pods of the API server by what has become of them.
  std::string outcome() const {
    std::vector<std::string> lines;
    libsched_objects* objects = nullptr;
    SURE(libsched_api_server_objects(server, &objects, err));
    for (size_t i = 0; i < libsched_objects_pod_count(objects); ++i) {
      const libsched_pod* pod = libsched_objects_get_pod(objects, i);
      const bool placed = libsched_pod_node_name(pod).len != 0;
      lines.push_back(out(libsched_pod_name(pod)) + (placed ? " bound" : " waits"));
    }
    libsched_objects_unref(objects);
    std::sort(lines.begin(), lines.end());
    std::string all;
    for (const std::string& line : lines) all += line + "; ";
    return all;
  }
  // Longer than a pod may be unschedulable without another try: an event may have been lost on it.
  void run_on() const {
    SURE(libsched_scheduler_settle(scheduler, false, 100'000, err));
    SURE(libsched_scheduler_run_until(scheduler, libsched_clock_now(clock) + 400 * kSecond, nullptr,
                                      err));
  }

  libsched_clock* clock = nullptr;
  libsched_api_server* server = nullptr;
  libsched_cluster* cluster = nullptr;
  libsched_framework* framework = nullptr;
  libsched_scheduler* scheduler = nullptr;
};

struct Run {
  const char* name;
  std::function<libsched_rc(const Stage&)> call;
};

const std::vector<Run> kRuns = {
    {"run_one",
     [](const Stage& s) { return libsched_scheduler_run_one(s.scheduler, nullptr, nullptr); }},
    {"settle",
     [](const Stage& s) { return libsched_scheduler_settle(s.scheduler, false, 0, nullptr); }},
    {"run_until",
     [](const Stage& s) {
       return libsched_scheduler_run_until(s.scheduler, 1060 * kSecond, nullptr, nullptr);
     }},
};

TEST_CASE("a run of a scheduler that runs out of memory loses no pod") {
  // Each of the first allocations fails, and of the later ones some.
  const long each = libsched::sanitized() ? 40 : 300;
  for (const Run& run : kRuns) {
    std::string expected;
    {
      const Stage s;
      REQUIRE(run.call(s) == LIBSCHED_OK);
      s.run_on();
      s.check();
      expected = s.outcome();
      REQUIRE(expected == "high bound; huge waits; p bound; q bound; r bound; v bound; ");
    }
    for (const bool ever : {false, true})
      for (long n = 1; n < 100'000; n += n < each ? 1 : 1 + 2 * n / each) {
        CAPTURE(run.name);
        CAPTURE(n);
        CAPTURE(ever);
        const Stage s;
        libsched_rc rc = LIBSCHED_OK;
        if (!starved(n, ever, [&] { return run.call(s); }, &rc)) break;
        CHECK((rc == LIBSCHED_OK || rc == LIBSCHED_ERR_NO_MEMORY));
        s.run_on();
        s.check();
        CHECK(s.outcome() == expected);
      }
  }
}

// Delivers an object of a kind with each allocation of the call failing in turn, 40 times: the
// inbox needs memory now and then. Returns how often one has failed.
size_t deliver_starved(const std::function<libsched_rc(int)>& deliver,
                       const std::function<bool(int)>& arrived, const Stage& s) {
  size_t failed = 0;
  for (int i = 0; i < 40; ++i)
    for (long n = 1;; ++n) {
      CAPTURE(i);
      CAPTURE(n);
      libsched_rc rc = LIBSCHED_OK;
      const bool starving = starved(n, n % 2 == 0, [&] { return deliver(i); }, &rc);
      SURE(libsched_scheduler_settle(s.scheduler, true, 0, err));
      CHECK(rc == (starving ? LIBSCHED_ERR_NO_MEMORY : LIBSCHED_OK));
      CHECK(arrived(i) == !starving);
      if (!starving) break;
      ++failed;
    }
  return failed;
}

TEST_CASE("a delivery that runs out of memory has not happened") {
  Stage s;
  s.run_on();
  const auto late = [](int i) { return "late-" + std::to_string(i); };
  const libsched_view* view = libsched_cluster_view(s.cluster);

  std::string text;
  for (int i = 0; i < 40; ++i)
    text += pod_text(late(i), 50, 1) + "kind: Node\napiVersion: v1\nmetadata: {name: " + late(i) +
            "}\n---\n";
  libsched_objects* objects = parse(text);
  CHECK(deliver_starved(
            [&](int i) {
              return libsched_scheduler_deliver_pod(
                  s.scheduler, nullptr, libsched_objects_get_pod(objects, static_cast<size_t>(i)),
                  nullptr);
            },
            [&](int i) { return s.in_queue(late(i)); }, s) != 0);
  CHECK(deliver_starved(
            [&](int i) {
              return libsched_scheduler_deliver_node(
                  s.scheduler, nullptr, libsched_objects_get_node(objects, static_cast<size_t>(i)),
                  nullptr);
            },
            [&](int i) {
              return libsched_view_find_node(view, {late(i).data(), late(i).size()}) !=
                     LIBSCHED_NO_ROW;
            },
            s) != 0);
  libsched_objects_unref(objects);

  // Of any kind; the number of changes of the cluster shows that a class has arrived.
  std::vector<libsched_objects*> classes;
  for (int i = 0; i < 40; ++i)
    classes.push_back(parse("kind: StorageClass\napiVersion: storage.k8s.io/v1\nmetadata: {name: " +
                            late(i) + "}\nprovisioner: x\n"));
  uint64_t version = libsched_view_version(view);
  CHECK(deliver_starved(
            [&](int i) {
              version = libsched_view_version(view);
              return libsched_scheduler_deliver_object(s.scheduler, nullptr,
                                                       classes[static_cast<size_t>(i)], nullptr);
            },
            [&](int) { return libsched_view_version(view) != version; }, s) != 0);
  for (libsched_objects* o : classes) libsched_objects_unref(o);
}

TEST_CASE("the next call has what one without memory would have taken") {
  for (const bool events : {false, true}) {
    std::string expected;
    for (long n = 0; n < 1000; ++n) {
      Stage s;
      s.run_on();
      if (n == 0) {
        expected = s.taken(events);
        CHECK(times(expected, events ? "Scheduled" : "\"bind\"") >= 5);
        CHECK(s.taken(events) == "[]");
        continue;
      }
      libsched_text* text = nullptr;
      libsched_rc rc = LIBSCHED_OK;
      if (!starved(n, false, [&] { return s.take(events, &text); }, &rc)) {
        CHECK(n > 3);
        libsched_text_unref(text);
        break;
      }
      CHECK(rc == LIBSCHED_ERR_NO_MEMORY);
      CHECK(text == nullptr);
      CHECK(s.taken(events) == expected);
    }
  }
}

// --- simulations ---

struct Simulated {
  Simulated() {
    SURE(libsched_framework_create(nullptr, libsched_str_from(""), nullptr, nullptr, &framework,
                                   err));
    SURE(libsched_cluster_create(nullptr, &cluster, err));
    libsched_objects* objects = parse(kNodes);
    SURE(libsched_cluster_apply(cluster, objects, err));
    libsched_objects_unref(objects);
    pods = parse(pod_text("p", 1, 0) + pod_text("q", 2, 4));
    SURE(libsched_workload_create(&workload, err));
  }
  ~Simulated() {
    libsched_table_unref(table);
    libsched_text_unref(text);
    libsched_simulation_unref(simulation);
    libsched_workload_unref(workload);
    libsched_objects_unref(pods);
    libsched_cluster_unref(cluster);
    libsched_framework_unref(framework);
  }
  Simulated(const Simulated&) = delete;
  Simulated& operator=(const Simulated&) = delete;

  libsched_rc add() {
    libsched_timing timing = LIBSCHED_TIMING_INIT;
    timing.duration_ns = 5 * kSecond;
    timing.interval_ns = kSecond;
    return libsched_workload_add(workload, libsched_objects_get_pod(pods, 0), 4, &timing, nullptr);
  }
  libsched_rc add_objects() { return libsched_workload_add_objects(workload, pods, nullptr); }
  libsched_rc add_trace() {
    return libsched_workload_add_trace(
        workload,
        libsched_str_from("name,cpu_milli,memory_mib,creation_time\nfrom-a-trace,500,1,3\n"),
        nullptr, nullptr);
  }
  libsched_rc create() {
    return libsched_simulation_create(&framework, 1, libsched_cluster_view(cluster), workload,
                                      nullptr, &simulation, nullptr);
  }
  libsched_rc run() {
    return libsched_simulation_run(simulation, -1, nullptr, nullptr, nullptr, nullptr);
  }
  libsched_rc summary() { return libsched_simulation_summary_json(simulation, &text, nullptr); }
  libsched_rc tabulate() {
    return libsched_simulation_table(simulation, libsched_str_from("pods"), &table, nullptr);
  }

  libsched_framework* framework = nullptr;
  libsched_cluster* cluster = nullptr;
  libsched_objects* pods = nullptr;
  libsched_workload* workload = nullptr;
  libsched_simulation* simulation = nullptr;
  libsched_text* text = nullptr;
  libsched_table* table = nullptr;
};

// A call of simulation.h, after the calls before it.
struct Step {
  const char* name;
  libsched_rc (Simulated::*call)();
  bool again;  // it then succeeds as if nothing had failed; otherwise its object is broken
};
const Step kSteps[] = {
    {"add", &Simulated::add, true},         {"add_trace", &Simulated::add_trace, true},
    {"create", &Simulated::create, true},   {"run", &Simulated::run, false},
    {"summary", &Simulated::summary, true}, {"table", &Simulated::tabulate, true},
};

std::string summary_of(Simulated& s) {
  libsched_text_unref(s.text);
  s.text = nullptr;
  REQUIRE(s.summary() == LIBSCHED_OK);
  return out(libsched_text_get(s.text));
}

TEST_CASE("a call of a simulation that runs out of memory has not happened, or ends it") {
  std::string expected;
  {
    Simulated s;
    for (const Step& step : kSteps) REQUIRE((s.*step.call)() == LIBSCHED_OK);
    expected = summary_of(s);
    CHECK(times(expected, "\"bound\":5") == 1);
    CHECK(libsched_workload_pod_count(s.workload) == 5);
  }
  for (size_t i = 0; i < std::size(kSteps); ++i)
    for (const bool ever : {false, true}) {
      const Step& step = kSteps[i];
      CAPTURE(step.name);
      bool failed_once = false;
      for (long n = 1; n < 100'000; n += n < 60 ? 1 : 1 + n / 15) {
        CAPTURE(n);
        Simulated s;
        for (size_t k = 0; k < i; ++k) REQUIRE((s.*kSteps[k].call)() == LIBSCHED_OK);
        const size_t pods = libsched_workload_pod_count(s.workload);
        libsched_rc rc = LIBSCHED_OK;
        if (!starved(n, ever, [&] { return (s.*step.call)(); }, &rc)) break;
        if (rc == LIBSCHED_OK) {  // it could do without
          for (size_t k = i + 1; k < std::size(kSteps); ++k)
            REQUIRE((s.*kSteps[k].call)() == LIBSCHED_OK);
          CHECK(summary_of(s) == expected);
          continue;
        }
        failed_once = true;
        CHECK(rc == LIBSCHED_ERR_NO_MEMORY);
        CHECK(libsched_workload_pod_count(s.workload) == pods);
        if (!step.again) {
          CHECK((s.*step.call)() == LIBSCHED_ERR_STATE);
          continue;
        }
        for (size_t k = i; k < std::size(kSteps); ++k)
          REQUIRE((s.*kSteps[k].call)() == LIBSCHED_OK);
        CHECK(summary_of(s) == expected);
      }
      CHECK(failed_once);
    }
}

TEST_CASE("objects are added to a workload as a whole, also without memory") {
  bool failed_once = false;
  for (long n = 1; n < 1000; ++n) {
    Simulated s;
    libsched_rc rc = LIBSCHED_OK;
    if (!starved(n, false, [&] { return s.add_objects(); }, &rc)) break;
    if (rc == LIBSCHED_OK) continue;
    failed_once = true;
    CHECK(rc == LIBSCHED_ERR_NO_MEMORY);
    CHECK(libsched_workload_pod_count(s.workload) == 0);
    CHECK(s.add_objects() == LIBSCHED_OK);
    CHECK(libsched_workload_pod_count(s.workload) == 2);
  }
  CHECK(failed_once);
}

}  // namespace failing_scheduler_test
