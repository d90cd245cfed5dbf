// snapshot/15000/...: what a snapshot costs after one change, in a cluster of 15,000 nodes and
// 150,000 pods with 20 selector tables; and whether two threads, each with a snapshot of its own,
// stand in each other's way.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/bench/benchmarks.hpp"
#include "tests/bench/workload.hpp"

namespace libsched_bench {
namespace {

constexpr size_t kManyNodes = 15000, kSelectors = 20, kChecks = 400;

Pod spreading_pod(size_t app) {
  const std::string name = "app-" + std::to_string(app);
  return parse_pod(pod_document(
      {"spread-" + name, name, "100m", "128Mi",
       R"(,"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"topology.kubernetes.io/zone",)"
       R"("whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":")" +
           name + R"("}}}])"}));
}

struct Scene {
  Cluster cluster = build_cluster(ClusterKind::kBasic, kManyNodes, kPodsPerNode);
  Framework framework = default_framework();
  std::vector<Pod> spreading;

  Scene() {
    const Evaluator evaluator = make_evaluator(framework.get(), cluster.get());
    for (size_t i = 0; i < kSelectors; ++i) {
      spreading.push_back(spreading_pod(i));
      check(evaluator.get(), spreading.back().get());
    }
  }
  static void check(libsched_evaluator* evaluator, const libsched_pod* pod) {
    libsched_error* error = nullptr;
    libsched_decision* out = nullptr;
    must("check", libsched_check_pod_fits(evaluator, pod, LIBSCHED_ANY_NODE, nullptr, &out, &error),
         error);
    libsched_decision_unref(out);
  }
  Snapshot snapshot() {
    libsched_error* error = nullptr;
    libsched_snapshot* out = nullptr;
    must("snapshot", libsched_cluster_snapshot(cluster.get(), &out, &error), error);
    return Snapshot(out);
  }
};

Scene& scene() {
  static const auto made = std::make_unique<Scene>();
  return *made;
}

void after_a_pod(benchmark::State& state) {
  Scene& s = scene();
  ListDocument list;
  constexpr size_t kPods = 1000;
  for (size_t i = 0; i < kPods; ++i)
    list.add(pod_document({"new-" + std::to_string(i), "app-" + std::to_string(i % kSelectors)}));
  const Objects pods = parse_objects(list.take());
  const libsched_view* view = libsched_cluster_view(s.cluster.get());
  libsched_error* error = nullptr;
  must("fork", libsched_cluster_fork(s.cluster.get(), &error), error);
  Snapshot kept = s.snapshot();
  size_t i = 0;
  for (auto _ : state) {
    if (i == kPods) {
      state.PauseTiming();
      must("revert", libsched_cluster_revert(s.cluster.get(), &error), error);
      must("fork", libsched_cluster_fork(s.cluster.get(), &error), error);
      kept = s.snapshot();
      i = 0;
      state.ResumeTiming();
    }
    const libsched_pod* const pod = libsched_objects_get_pod(pods.get(), i);
    const libsched_str node =
        libsched_node_name(libsched_view_node(view, static_cast<uint32_t>(i * 7919 % kManyNodes)));
    must("add", libsched_cluster_add_pods(s.cluster.get(), &pod, &node, 1, &error), error);
    kept = s.snapshot();
    ++i;
  }
  must("revert", libsched_cluster_revert(s.cluster.get(), &error), error);
}

void after_labels(benchmark::State& state) {
  Scene& s = scene();
  ListDocument list;
  std::string document = node_document(ClusterKind::kBasic, 77);
  list.add(document);
  const Objects before = parse_objects(list.take());
  document.insert(document.find("\"labels\":{") + 10, "\"changed\":\"yes\",");
  list.add(document);
  const Objects after = parse_objects(list.take());
  libsched_error* error = nullptr;
  Snapshot kept = s.snapshot();
  bool changed = false;
  for (auto _ : state) {
    changed = !changed;
    const libsched_node* node = libsched_objects_get_node(changed ? after.get() : before.get(), 0);
    must("update", libsched_cluster_update_node(s.cluster.get(), node, &error), error);
    kept = s.snapshot();
  }
}

// The time of checks on so many threads at once.
double checks_take(const std::vector<Evaluator>& evaluators,
                   const std::vector<std::vector<Pod>>& pods) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (size_t t = 0; t < evaluators.size(); ++t)
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < kChecks; ++i)
        Scene::check(evaluators[t].get(), pods[t][i % kSelectors].get());
    });
  for (std::thread& t : threads) t.join();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void two_threads(benchmark::State& state) {
  Scene& s = scene();
  libsched_error* error = nullptr;
  std::vector<Evaluator> one, two;
  for (std::vector<Evaluator>* list : {&one, &two, &two}) {
    // Another one each time: something has changed.
    const Pod pod = parse_pod(pod_document({"between-" + std::to_string(one.size() + two.size())}));
    const libsched_pod* const added = pod.get();
    const libsched_str node =
        libsched_node_name(libsched_view_node(libsched_cluster_view(s.cluster.get()), 0));
    must("add", libsched_cluster_add_pods(s.cluster.get(), &added, &node, 1, &error), error);
    const Snapshot snapshot = s.snapshot();
    libsched_evaluator* out = nullptr;
    libsched_evaluator_options options = LIBSCHED_EVALUATOR_OPTIONS_INIT;
    options.snapshot = snapshot.get();
    must("evaluator", libsched_evaluator_create(s.framework.get(), nullptr, &options, &out, &error),
         error);
    list->emplace_back(out);
    must("remove",
         libsched_cluster_remove_pod(s.cluster.get(), str("default"), libsched_pod_name(pod.get()),
                                     &error),
         error);
  }
  std::vector<std::vector<Pod>> pods(2);  // of each thread
  for (size_t i = 0; i < kSelectors; ++i)
    for (std::vector<Pod>& list : pods) list.push_back(spreading_pod(i));
  double alone = std::numeric_limits<double>::max(), together = alone;
  for (auto _ : state) {
    alone = std::min(alone, checks_take(one, pods));
    together = std::min(together, checks_take(two, pods));
  }
  state.counters["speedup"] = 2 * alone / together;  // in wall time
}

}  // namespace

void add_snapshot_benchmarks() {
  const std::string group = "snapshot/" + std::to_string(kManyNodes);
  benchmark::RegisterBenchmark((group + "/after a pod").c_str(), after_a_pod);
  benchmark::RegisterBenchmark((group + "/after a node's labels").c_str(), after_labels);
  benchmark::RegisterBenchmark((group + "/two threads").c_str(), two_threads);
}

}  // namespace libsched_bench
