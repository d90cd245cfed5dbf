// Simulation: whole runs with fake plugins: arrivals, waits, ends, gated and ignored pods, samples,
// determinism, and ways to end a run early. (Python's tests have the in-tree plugins.)
#include "libsched/scheduler/simulation/simulation.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::simulation_test {

constexpr int64_t kSecond = 1'000'000'000;

// A node takes a pod whose cpu is free.
Fake room() {
  Fake fake;
  fake.name = "Room";
  fake.filter = [](const FilterCall& call, const Node& node) {
    const uint32_t row = call.view.find_node(node.meta.name);
    return call.pod.requests.milli_cpu <= call.view.columns().left(kCpu, row)
               ? Status()
               : Status(Code::kUnschedulable, "no room");
  };
  fake.events = []() -> Result<std::vector<ClusterEventWithHint>> {
    return std::vector<ClusterEventWithHint>{{{"AssignedPod", kDelete, {}}, false}};
  };
  return fake;
}
Fake binder() {
  Fake fake;
  fake.name = "Binder";
  fake.bind = [](const BindingCall& call) {
    const Result<void> bound = call.services.api().bind(call.pod, call.node);
    return bound.ok() ? Status() : Status::from_error(bound.error().message);
  };
  return fake;
}

PodRef pod_of(const std::string& name, int cpu, const std::string& more = "") {
  Result<PodRef> pod = parse_pod(
      "{metadata: {name: " + name + ", namespace: default}, spec: {schedulerName: fakes" + more +
          ", containers: [{name: c, resources: {requests: {cpu: " + std::to_string(cpu) + "}}}]}}",
      {});
  REQUIRE_MESSAGE(pod.ok(), pod.error().text());
  return *pod;
}

struct Simulated {
  explicit Simulated(const std::vector<int>& cpus = {2}) {
    for (const int cpu : cpus) {
      Result<NodeRef> node =
          parse_node("{metadata: {name: n" + std::to_string(++nodes) +
                         "}, status: {allocatable: {pods: 100, cpu: " + std::to_string(cpu) + "}}}",
                     {});
      REQUIRE(node.ok());
      REQUIRE(cluster->update_node(*node).ok());
    }
  }
  void add(const std::string& name, int cpu, Timing timing, const std::string& more = "") {
    REQUIRE(workload->add(pod_of(name, cpu, more), timing).ok());
  }
  Simulation& made() {
    if (!simulation) {
      frameworks = {fake_framework(fakes)};
      Result<Ref<Simulation>> created =
          Simulation::create(frameworks, cluster->view(), workload, options);
      REQUIRE_MESSAGE(created.ok(), created.error().text());
      simulation = *created;
    }
    return *simulation;
  }
  // "" or the error.
  std::string run(std::optional<int64_t> until = {}, const Simulation::Progress& progress = {}) {
    const Result<void> done = made().run(until, {}, progress);
    return done.ok() ? "" : done.error().text();
  }
  std::string pods() { return csv("pods"); }
  std::string csv(Str name) {
    std::string out;
    const TableRef table = made().table(name);
    REQUIRE(table);
    REQUIRE(table
                ->write_csv([&](Str piece) {
                  out += piece;
                  return true;
                })
                .ok());
    return out;
  }
  // "name state bound(seconds) node", with times rounded to milliseconds.
  std::string story() {
    std::string out;
    const TableRef table = made().table("pods");
    for (size_t i = 0; i < table->row_count(); ++i) {
      out += (out.empty() ? "" : "; ") + std::string(table->find("pod")->text(i)) + " " +
             std::string(table->find("state")->text(i));
      for (const char* time : {"bound", "end"})
        if (!table->find(time)->null(i))
          out += " " + std::to_string(table->find(time)->integer(i) / 1'000'000);
      if (!table->find("node")->null(i)) out += " " + std::string(table->find("node")->text(i));
    }
    return out;
  }

  int nodes = 0;
  std::vector<Fake> fakes = {room(), binder()};
  std::vector<FrameworkRef> frameworks;
  Ref<Cluster> cluster = make_ref<Cluster>();
  Ref<TimedWorkload> workload = make_ref<TimedWorkload>();
  SimulationOptions options;
  Ref<Simulation> simulation;
};

TEST_CASE("pods arrive, wait for room, run and end") {
  Simulated s;
  s.add("a", 2, {0, 10 * kSecond, 0});
  s.add("b", 1, {3 * kSecond, 5 * kSecond, 0});
  s.add("c", 1, {4 * kSecond, {}, 0});
  s.add("d", 4, {5 * kSecond, {}, 0});
  CHECK(s.run() == "");
  // The end of a makes room for b and c, which by then have backed off.
  CHECK(s.story() ==
        "a finished 0 10000 n1; b finished 10000 15000 n1; c running 10000 n1; d pending");
  CHECK(s.made().quiet());
  CHECK(s.made().recorder().waits().longest_ns / kSecond == 7);
  const TableRef pods = s.made().table("pods");
  CHECK(pods->find("reason")->text(3) == "Room");
  CHECK(pods->find("message")->text(3) == "0/1 nodes are available: 1 no room.");
  CHECK(pods->find("attempts")->integer(3) >= 2);
}

TEST_CASE("a run can end at a time and continue") {
  Simulated whole, parts;
  for (Simulated* s : {&whole, &parts}) {
    s->add("a", 2, {kSecond, 10 * kSecond, 0});
    s->add("b", 2, {2 * kSecond, {}, 0});
  }
  CHECK(whole.run() == "");
  CHECK(parts.run(500'000'000) == "");
  CHECK(parts.story().empty());
  CHECK(parts.made().now_ns() == 500'000'000);
  CHECK(!parts.made().quiet());
  CHECK(parts.run(5 * kSecond) == "");
  CHECK(parts.story() == "a running 1000 n1; b pending");
  CHECK(parts.run() == "");
  CHECK(parts.pods() == whole.pods());
  CHECK(parts.run(1000 * kSecond) == "");
  CHECK(parts.made().now_ns() == 1000 * kSecond);
  CHECK(parts.run(-1) == "the time to run to is negative");
}

TEST_CASE("pods of the cluster take room, pods with a node run at once, others are ignored") {
  Simulated s({2, 2});
  const PodRef old = pod_of("old", 2);
  REQUIRE(s.cluster->update_pod(old, "n1").ok());
  s.add("a", 2, {0, {}, 0});
  s.add("placed", 0, {kSecond, 2 * kSecond, 0}, ", nodeName: n1");
  REQUIRE(s.workload->add(pod_of("other", 1, ""), {}).ok());
  Result<PodRef> foreign =
      parse_pod("{metadata: {name: f, namespace: default}, spec: {schedulerName: nobody}}", {});
  REQUIRE(foreign.ok());
  REQUIRE(s.workload->add_series(*foreign, 3, {}).ok());
  CHECK(s.run() == "");
  CHECK(
      s.story() ==
      "a running 0 n2; other pending; f-0 ignored; f-1 ignored; f-2 ignored; placed finished 1000 "
      "3000 n1");
  CHECK(s.made().summary_json().find(
            R"("ignoredSchedulers":[{"schedulerName":"nobody","pods":3}])") != std::string::npos);
  CHECK(s.made().view().pod_count() == 2);
  CHECK(s.cluster->view().pod_count() == 1);  // the user's is as before
}

TEST_CASE("a gated pod is pending with the gate as its reason") {
  Simulated s;
  Fake gate;
  gate.name = "Gate";
  gate.pre_enqueue = [](const Pod& pod) {
    return pod.meta.name == "g" ? Status(Code::kUnschedulableAndUnresolvable, "closed") : Status();
  };
  s.fakes.push_back(gate);
  s.add("g", 1, {});
  s.add("p", 1, {});
  CHECK(s.run() == "");
  CHECK(s.story() == "g pending; p running 0 n1");
  CHECK(s.made().table("pods")->find("reason")->text(0) == "gated by Gate");
  CHECK(s.made().table("pods")->find("attempts")->integer(0) == 0);
}

TEST_CASE("errors do not keep a run from becoming quiet") {
  Simulated s(std::vector<int>{});  // no nodes: an error, which is tried again and again
  s.add("a", 1, {});
  CHECK(s.run() == "");
  CHECK(s.story() == "a pending");
  CHECK(s.made().recorder().attempt_count() > 5);
  CHECK(s.made().now_ns() < 1000 * kSecond);
}

TEST_CASE("samples follow what happens, or an interval") {
  Simulated s;
  REQUIRE(s.workload->add_series(pod_of("p", 1), 8, {0, 2 * kSecond, kSecond}).ok());
  CHECK(s.run() == "");
  const TableRef series = s.made().table("series");
  CHECK(series->row_count() > 16);
  CHECK(series->find("finished")->integer(series->row_count() - 1) == 8);
  const TableRef resources = s.made().table("resources");
  CHECK(resources->find("resource")->text(0) == "cpu");
  double most = 0;
  for (size_t i = 0; i < resources->row_count(); ++i)
    if (resources->find("resource")->text(i) == "cpu")
      most = std::max(most, resources->find("utilisation")->real(i));
  CHECK(most == 1);  // two of them at a time

  Simulated rarely;
  rarely.options.sample_interval_ns = 4 * kSecond;
  rarely.options.resources = false;
  REQUIRE(rarely.workload->add_series(pod_of("p", 1), 8, {0, 2 * kSecond, kSecond}).ok());
  CHECK(rarely.run() == "");
  CHECK(rarely.made().table("series")->row_count() <= 5);
  CHECK(rarely.made().table("resources")->row_count() == 0);
}

TEST_CASE("the same input gives the same results, to the byte") {
  const auto result = [] {
    Simulated s({2, 3, 1});
    s.options.ties = TieMode::kRandom;
    s.options.seed = 5;
    REQUIRE(s.workload->add_series(pod_of("p", 1), 40, {0, 7 * kSecond, kSecond / 3}).ok());
    REQUIRE(s.workload->add_series(pod_of("q", 2), 20, {0, 3 * kSecond, kSecond}).ok());
    CHECK(s.run() == "");
    std::string out;
    REQUIRE(s.made()
                .write_json([&](Str piece) {
                  out += piece;
                  return true;
                })
                .ok());
    return out;
  };
  const std::string one = result();
  CHECK(one == result());
  CHECK(one.starts_with(R"({"summary":{"time":)"));
  CHECK(one.find("\n\"preemptions\":[],\n\"volumes\":[]}") != std::string::npos);
}

TEST_CASE("progress is reported, and can end a run that continues later") {
  Simulated s;
  REQUIRE(s.workload->add_series(pod_of("p", 0), 3000, {}).ok());
  uint64_t last = 0;
  CHECK(s.run({}, [&](const SimulationProgress& p) {
    CHECK(p.total == 3000);
    CHECK(p.arrived >= last);
    last = p.arrived;
    return p.arrived < 2000;
  }) == "the simulation was ended");
  CHECK(last >= 2000);
  CHECK(s.made().recorder().bound_count() < 3000);
  std::atomic<bool> cancel{true};
  const uint64_t before = s.made().recorder().attempt_count();
  const Result<void> cancelled = s.made().run({}, {&cancel, 0}, {});
  REQUIRE(!cancelled.ok());
  CHECK(s.made().recorder().attempt_count() == before);
  CHECK(cancelled.error().rc == Rc::kCancelled);
  CHECK(s.run() == "");
  CHECK(s.made().recorder().bound_count() == 3000);
}

// A workload of the manifests, which name the scheduler.
void add_objects(Simulated* s, const std::string& yaml) {
  ParseOptions options;
  options.keep_annotations = true;
  const Result<ObjectSet> objects = parse_objects(yaml, options);
  REQUIRE_MESSAGE(objects.ok(), objects.error().text());
  const Result<void> done = s->workload->add_objects(*objects);
  REQUIRE_MESSAGE(done.ok(), done.error().text());
}
std::string job_spec(const std::string& fields, const std::string& duration) {
  return "spec: {" + fields +
         ", template: {metadata: {annotations: {libsched/duration: " + duration +
         "}}, spec: {schedulerName: fakes, priority: -1, containers: [{name: c, resources: "
         "{requests: {cpu: 1}}}]}}}}";
}

TEST_CASE("a Job runs so many pods at a time until enough have succeeded") {
  Simulated s({20});
  add_objects(&s, "{kind: Job, apiVersion: batch/v1, metadata: {name: j}, " +
                      job_spec("completions: 60, parallelism: 20", "2h"));
  uint64_t total = 0;
  CHECK(s.run({}, [&](const SimulationProgress& p) {
    total = p.total;
    return true;
  }) == "");
  CHECK(s.made().recorder().count(PodState::kFinished) == 60);
  CHECK(s.made().now_ns() / kSecond == 6 * 3600);
  CHECK(s.made().summary_json().find(R"("quiet":true,"pods":60,"arrived":60)") !=
        std::string::npos);
}

TEST_CASE("the runs of a CronJob come by the date of the beginning, and may be replaced") {
  Simulated s({3});
  s.options.start_ns = kDefaultStartNs + 1800 * kSecond;
  add_objects(&s,
              "{kind: CronJob, apiVersion: batch/v1, metadata: {name: c}, spec: {schedule: "
              "'@hourly', concurrencyPolicy: Replace, jobTemplate: {" +
                  job_spec("completions: 2", "45m") + "}}");
  CHECK(s.run() == "until: a CronJob starts Jobs without end: give the time at which to end");
  CHECK(s.run(2 * 3600 * kSecond) == "");
  CHECK(s.story() ==
        "c-29453820-0 finished 1800000 4500000 n1; c-29453820-1 replaced 4500000 5400000 n1; "
        "c-29453880-0 running 5400000 n1");
  CHECK(!s.made().quiet());
  CHECK(s.made().view().pod_count() == 1);
  CHECK(s.made().summary_json().find(R"("pods":4,"arrived":3)") != std::string::npos);
  s.simulation = nullptr;
  s.options.start_ns = -1;
  CHECK(Simulation::create(s.frameworks, s.cluster->view(), s.workload, s.options).error().text() ==
        "start: must be from 1970 to 2149");
}

TEST_CASE("what does not fit together is refused at the beginning") {
  Simulated s;
  REQUIRE(s.cluster->update_pod(pod_of("s-1", 1), "n1").ok());
  REQUIRE(s.workload->add_series(pod_of("s", 1), 2, {}).ok());
  s.frameworks = {fake_framework(s.fakes)};
  const auto error = [&](const std::vector<FrameworkRef>& profiles) {
    const auto made = Simulation::create(profiles, s.cluster->view(), s.workload, s.options);
    return made.ok() ? "ok" : made.error().message;
  };
  CHECK(error(s.frameworks) == "the cluster and the workload have a pod \"default/s-1\"");
  CHECK(s.workload->add(pod_of("more", 1), {}).ok());  // it is not frozen
  REQUIRE(s.cluster->remove_pod("default", "s-1").ok());
  CHECK(error({}) != "ok");
  s.options.sample_interval_ns = -1;
  CHECK(error(s.frameworks) == "the time between two samples is negative");
  s.options.sample_interval_ns = 0;
  CHECK(error(s.frameworks) == "ok");
  const Result<void> late = s.workload->add(pod_of("late", 1), {});
  REQUIRE(!late.ok());
  CHECK(late.error().rc == Rc::kState);
}

}  // namespace libsched::simulation_test
