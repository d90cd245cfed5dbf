// Every change of a scheduling queue with each of its allocations failing in turn: the call returns
// NO_MEMORY without effect, and then succeeds as if nothing had failed.
#include <doctest/doctest.h>

#include <libsched.h>

#include <functional>
#include <string>
#include <vector>

#include "failing_allocation.hpp"
#include "tests/unit/rounds.hpp"

#undef OK
#define OK(call)                          \
  do {                                    \
    libsched_error** const err = nullptr; \
    REQUIRE((call) == LIBSCHED_OK);       \
  } while (false)

namespace {

constexpr int64_t kSecond = 1'000'000'000;

std::string out(libsched_str s) { return std::string(s.ptr == nullptr ? "" : s.ptr, s.len); }

libsched_pod* parse(const std::string& name, int priority, const std::string& more = "",
                    const std::string& status = "") {
  const std::string text =
      "kind: Pod\napiVersion: v1\nmetadata: {namespace: d, name: " + name +
      ", uid: a-uid-too-long-for-a-small-string-" + name +
      "}\nspec: {schedulerName: default-scheduler, priority: " + std::to_string(priority) +
      ", containers: [{name: c}]" + more + "}\nstatus: {" + status + "}\n";
  libsched_pod* pod = nullptr;
  OK(libsched_pod_parse({text.data(), text.size()}, nullptr, &pod, err));
  return pod;
}

// A queue with a pod in each part, one in flight, and an event since.
struct Stage {
  explicit Stage(const char* gates) {
    libsched_services_options options = LIBSCHED_SERVICES_OPTIONS_INIT;
    libsched_framework_options how = LIBSCHED_FRAMEWORK_OPTIONS_INIT;
    how.feature_gates = libsched_str_from(gates);
    OK(libsched_clock_create_virtual(1000 * kSecond, &clock, err));
    options.clock = clock;
    OK(libsched_services_create(&options, &services, err));
    OK(libsched_cluster_create(nullptr, &cluster, err));
    OK(libsched_framework_create(nullptr, libsched_str_from(""), nullptr, &how, &framework, err));
    OK(libsched_evaluator_create(framework, cluster, nullptr, &evaluator, err));
    OK(libsched_evaluator_set_services(evaluator, services, err));
    OK(libsched_queue_create(&evaluator, 1, nullptr, &queue, err));
    const libsched_str text =
        libsched_str_from("kind: Node\napiVersion: v1\nmetadata: {name: node}\n");
    OK(libsched_node_parse(text, nullptr, &node, err));
    failed = reject("failed", nullptr);
    reject("waiting", "NodeResourcesFit");
    reject("backing", "NodePorts");
    OK(libsched_queue_activate(queue, &pods.back(), 1, err));
    libsched_queued_pod_unref(popped.back());
    OK(libsched_queue_pop(queue, &popped.back(), err));
    move("Node", 1);
    back(popped.back(), "NodePorts");
    add("gated", 0, ", schedulingGates: [{name: g}]");
    flying = add("flying", 9);
    libsched_queued_pod* handle = nullptr;
    OK(libsched_queue_pop_specific(queue, flying, &handle, err));
    popped.push_back(handle);
    move("Node", 1);
    active = add("active", 3);
  }
  ~Stage() {
    for (libsched_queued_pod* p : popped) libsched_queued_pod_unref(p);
    for (const libsched_pod* p : pods) libsched_pod_unref(const_cast<libsched_pod*>(p));
    libsched_node_unref(node);
    libsched_queue_unref(queue);
    libsched_evaluator_unref(evaluator);
    libsched_framework_unref(framework);
    libsched_cluster_unref(cluster);
    libsched_services_unref(services);
    libsched_clock_unref(clock);
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  const libsched_pod* add(const std::string& name, int priority, const std::string& more = "") {
    pods.push_back(parse(name, priority, more));
    OK(libsched_queue_add(queue, pods.back(), err));
    return pods.back();
  }
  void back(libsched_queued_pod* handle, const char* plugin) {
    const libsched_str name = libsched_str_from(plugin);
    libsched_rejection rejection = LIBSCHED_REJECTION_INIT;
    rejection.unschedulable = &name;
    rejection.unschedulable_count = plugin == nullptr ? 0 : 1;
    OK(libsched_queue_add_unschedulable(queue, handle, nullptr, &rejection, err));
  }
  const libsched_pod* reject(const std::string& name, const char* plugin) {
    const libsched_pod* pod = add(name, 0);
    libsched_queued_pod* handle = nullptr;
    OK(libsched_queue_pop_specific(queue, pod, &handle, err));
    popped.push_back(handle);
    back(handle, plugin);
    return pod;
  }
  void move(const char* resource, int64_t actions) const {
    libsched_queue_event event = LIBSCHED_QUEUE_EVENT_INIT;
    event.resource = libsched_str_from(resource);
    event.actions = actions;
    event.new_node = node;
    OK(libsched_queue_move_all(queue, &event, err));
  }

  // Everything that can be read.
  std::string contents() const {
    std::string s;
    for (uint32_t part = 0; part <= LIBSCHED_QUEUE_GATED; ++part) {
      const libsched_queued_pod* list[16];
      size_t count = 0;
      OK(libsched_queue_list(queue, part, list, 16, &count, err));
      s += "\n" + std::to_string(part);
      for (size_t i = 0; i < count; ++i) {
        libsched_queued_pod_info p = LIBSCHED_QUEUED_POD_INFO_INIT;
        OK(libsched_queued_pod_get(list[i], &p, err));
        s += " " + out(libsched_pod_name(p.pod)) + "@" +
             std::to_string(libsched_pod_priority(p.pod));
        for (const int64_t n : {int64_t{p.attempts}, p.timestamp_ns, p.initial_attempt_ns,
                                int64_t{p.unschedulable_count}, int64_t{p.consecutive_errors_count},
                                int64_t{p.was_flushed}})
          s += "," + std::to_string(n);
        for (const bool pending : {false, true}) {
          libsched_str names[8];
          size_t n = 0;
          OK(libsched_queued_pod_plugins(list[i], pending, names, 8, &n, err));
          for (size_t k = 0; k < n; ++k) s += "," + out(names[k]);
        }
        s += "," + out(p.gating_plugin);
      }
    }
    libsched_in_flight entries[32];
    const size_t flights = libsched_queue_in_flight(queue, entries, 32);
    for (size_t i = 0; i < flights; ++i)
      s += "\n" + (entries[i].pod != nullptr ? out(libsched_pod_name(entries[i].pod))
                                             : out(entries[i].event));
    libsched_nominated_pod nominated[8];
    const size_t n = libsched_services_nominated_pods(services, nominated, 8);
    for (size_t i = 0; i < n; ++i)
      s += "\n" + out(nominated[i].node_name) + "=" + out(libsched_pod_name(nominated[i].pod));
    libsched_queue_counts counts = LIBSCHED_QUEUE_COUNTS_INIT;
    OK(libsched_queue_get(queue, &counts, err));
    int64_t due = 0;
    libsched_queue_next_due(queue, &due);
    s += "\n" + std::to_string(counts.scheduling_cycle) + " " +
         std::to_string(counts.move_request_cycle) + " " + std::to_string(counts.closed) + " " +
         std::to_string(due);
    libsched_text* json = nullptr;
    OK(libsched_queue_metrics_json(queue, &json, err));
    s += "\n" + out(libsched_text_get(json));
    libsched_text_unref(json);
    return s;
  }

  libsched_clock* clock = nullptr;
  libsched_services* services = nullptr;
  libsched_cluster* cluster = nullptr;
  libsched_framework* framework = nullptr;
  libsched_evaluator* evaluator = nullptr;
  libsched_queue* queue = nullptr;
  libsched_node* node = nullptr;
  std::vector<const libsched_pod*> pods;
  std::vector<libsched_queued_pod*> popped;
  const libsched_pod *failed = nullptr, *flying = nullptr, *active = nullptr;
  libsched_pod* made = nullptr;        // for a call
  libsched_queued_pod* got = nullptr;  // by a call
};

struct Call {
  const char* name;
  std::function<void(Stage&)> prepare;
  std::function<libsched_rc(Stage&, libsched_error**)> run;
};
using Error = libsched_error**;

void later(Stage& s) { OK(libsched_clock_advance_to(s.clock, 2000 * kSecond, err)); }

libsched_rc event(Stage& s, const char* resource, int64_t actions, Error err) {
  libsched_queue_event e = LIBSCHED_QUEUE_EVENT_INIT;
  e.resource = libsched_str_from(resource);
  e.actions = actions;
  e.label = libsched_str_from("an event whose name nobody has heard of before");
  e.new_node = s.node;
  return libsched_queue_move_all(s.queue, &e, err);
}

const std::vector<Call> kCalls = {
    {"add",
     [](Stage& s) {
       s.made = parse("new", 4, "", "nominatedNodeName: a-node-with-a-long-name-indeed");
     },
     [](Stage& s, Error err) { return libsched_queue_add(s.queue, s.made, err); }},
    {"add in the place of another", [](Stage& s) { s.made = parse("waiting", 4); },
     [](Stage& s, Error err) { return libsched_queue_add(s.queue, s.made, err); }},
    {"update in the active queue",
     [](Stage& s) {
       s.made = parse("active", 8, "", "nominatedNodeName: a-node-with-a-long-name-indeed");
     },
     [](Stage& s, Error err) { return libsched_queue_update(s.queue, s.active, s.made, err); }},
    {"update in flight", [](Stage& s) { s.made = parse("flying", 8, ", tolerations: [{key: k}]"); },
     [](Stage& s, Error err) { return libsched_queue_update(s.queue, s.flying, s.made, err); }},
    {"update of a gated pod",
     [](Stage& s) { s.made = parse("gated", 8, ", tolerations: [{key: k}]"); },
     [](Stage& s, Error err) {
       const libsched_pod* old = nullptr;
       for (const libsched_pod* p : s.pods)
         if (out(libsched_pod_name(p)) == "gated") old = p;
       return libsched_queue_update(s.queue, old, s.made, err);
     }},
    {"delete",
     {},
     [](Stage& s, Error err) { return libsched_queue_delete(s.queue, s.failed, err); }},
    {"pop", {}, [](Stage& s, Error err) { return libsched_queue_pop(s.queue, &s.got, err); }},
    {"pop a specific pod",
     {},
     [](Stage& s, Error err) {
       return libsched_queue_pop_specific(s.queue, s.failed, &s.got, err);
     }},
    {"done",
     {},
     [](Stage& s, Error err) {
       return libsched_queue_done(s.queue, libsched_pod_uid(s.flying), err);
     }},
    {"add unschedulable",
     {},
     [](Stage& s, Error err) {
       const libsched_str names[] = {libsched_str_from("a plugin that nobody has heard of before"),
                                     libsched_str_from("NodeResourcesFit")};
       libsched_rejection rejection = LIBSCHED_REJECTION_INIT;
       rejection.unschedulable = names;
       rejection.unschedulable_count = 2;
       return libsched_queue_add_unschedulable(s.queue, s.popped.back(), nullptr, &rejection, err);
     }},
    {"move all", {}, [](Stage& s, Error err) { return event(s, "*", 8191, err); }},
    {"an event of no interest", {}, [](Stage& s, Error err) { return event(s, "Foo", 1, err); }},
    {"activate",
     {},
     [](Stage& s, Error err) {
       const libsched_pod* all[] = {s.failed, s.flying, s.active};
       return libsched_queue_activate(s.queue, all, 3, err);
     }},
    {"flush the backoff", later,
     [](Stage& s, Error err) { return libsched_queue_flush_backoff(s.queue, err); }},
    {"flush unschedulable pods", later,
     [](Stage& s, Error err) { return libsched_queue_flush_unschedulable(s.queue, err); }},
    {"assigned pod added", [](Stage& s) { s.made = parse("x", 0, ", nodeName: node"); },
     [](Stage& s, Error err) { return libsched_queue_assigned_pod_added(s.queue, s.made, err); }},
    {"run", {}, [](Stage& s, Error err) { return libsched_queue_run(s.queue, err); }},
    {"close", {}, [](Stage& s, Error err) { return libsched_queue_close(s.queue, err); }},
};

TEST_CASE("a change of a queue that runs out of memory has not happened") {
  for (const char* gates : {"", "SchedulerPopFromBackoffQ=false"})
    for (const Call& call : kCalls) {
      CAPTURE(gates);
      CAPTURE(call.name);
      std::string expected;
      for (const bool ever : {false, true})
        for (long n = 0; n < 300; n += libsched::stride()) {  // 0: nothing fails
          Stage s(gates);
          if (call.prepare) call.prepare(s);
          const std::string before = s.contents();
          left = n;
          for_ever = ever;
          libsched_error* error = nullptr;
          const libsched_rc rc = call.run(s, &error);
          const bool failed = n != 0 && left == (ever ? 1 : 0);
          left = 0;
          for_ever = false;
          libsched_error_unref(error);
          if (failed && rc != LIBSCHED_OK) {
            CHECK(rc == LIBSCHED_ERR_NO_MEMORY);
            CHECK(s.contents() == before);
            CHECK(call.run(s, nullptr) == LIBSCHED_OK);
          } else {
            CHECK(rc == LIBSCHED_OK);
          }
          if (n == 0) expected = s.contents();
          CHECK(s.contents() == expected);
          libsched_pod_unref(s.made);
          libsched_queued_pod_unref(s.got);
          if (n != 0 && !failed) break;
        }
    }
}

}  // namespace
