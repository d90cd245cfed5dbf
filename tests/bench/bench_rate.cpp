// rate/<nodes>/<kind>/<n> shapes: parsed pods that are placed one after the other, from PreFilter
// to the choice of a node and assume: every node judged, ties as upstream, one thread, no queue, no
// binding. The evaluator is new, so the interning and compiling of each shape is part of the time;
// taking the pods back is not. The shapes come in a random order that is always the same.
//   plain: everyday pods that differ in requests, tolerations and selectors
//   zone, host, anti, all: hard spread constraints by zone or hostname, required anti-affinity of
//   an
//     app to itself by hostname, and all three; each shape is an app of its own
//   soft: soft spread constraints by zone and hostname
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/bench/benchmarks.hpp"
#include "tests/bench/workload.hpp"

namespace libsched_bench {
namespace {

// Refreshed, as a cluster is in which a cycle has run: else each run would do it for all nodes.
Cluster refreshed(size_t pods_per_node) {
  Cluster out = build_cluster(ClusterKind::kBasic, kNodes, pods_per_node);
  libsched_error* error = nullptr;
  must("refresh", libsched_cluster_refresh(out.get(), &error), error);
  return out;
}

Cluster& cluster_of(size_t pods_per_node) {
  static Cluster few = refreshed(0), many = refreshed(kPodsPerNode);
  return pods_per_node == 0 ? few : many;
}

std::string selector_of(const std::string& app) {
  return R"("labelSelector":{"matchLabels":{"app":")" + app + "\"}}";
}

std::string spread(const std::string& app, const char* key, const char* when) {
  return R"({"maxSkew":1,"topologyKey":")" + std::string(key) + R"(","whenUnsatisfiable":")" +
         when + "\"," + selector_of(app) + "}";
}

PodSpec shape_of(const std::string& kind, size_t i) {
  if (kind == "plain") {
    PodSpec out = plain_pods()[i % plain_pods().size()];
    out.memory = std::to_string(64 + i) + "Mi";
    return out;
  }
  constexpr const char *kZone = "topology.kubernetes.io/zone", *kHost = "kubernetes.io/hostname";
  constexpr const char *kHard = "DoNotSchedule", *kSoft = "ScheduleAnyway";
  PodSpec out;
  out.app = "rate-" + std::to_string(i);
  out.memory = std::to_string(64 + i % 10) + "Mi";
  std::string constraints;
  if (kind == "zone" || kind == "all") constraints = spread(out.app, kZone, kHard);
  if (kind == "host" || kind == "all")
    constraints += (constraints.empty() ? "" : ",") + spread(out.app, kHost, kHard);
  if (kind == "soft")
    constraints = spread(out.app, kZone, kSoft) + "," + spread(out.app, kHost, kSoft);
  if (!constraints.empty()) out.more = ",\"topologySpreadConstraints\":[" + constraints + "]";
  if (kind == "anti" || kind == "all")
    out.more += R"(,"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuring)"
                R"(Execution":[{)" +
                selector_of(out.app) + R"(,"topologyKey":")" + kHost + "\"}]}}";
  return out;
}

Objects parsed(const std::string& kind, size_t count, size_t shapes) {
  std::mt19937 random(1);
  std::vector<size_t> order(count);
  for (size_t i = 0; i < count; ++i) order[i] = i % shapes;
  std::shuffle(order.begin(), order.end(), random);
  ListDocument list;
  for (size_t i = 0; i < count; ++i) {
    PodSpec spec = shape_of(kind, order[i]);
    spec.name = "new-" + std::to_string(i);
    list.add(pod_document(spec));
  }
  return parse_objects(list.take());
}

void rate(benchmark::State& state, const std::string& kind, size_t count, size_t shapes,
          size_t pods_per_node) {
  libsched_cluster* const cluster = cluster_of(pods_per_node).get();
  const Framework framework = default_framework();
  libsched_error* error = nullptr;
  const auto placed = [](void* told, const libsched_placement* placement) {
    if (placement->outcome != LIBSCHED_OUTCOME_PLACED) fail("rate: a pod is not placed", nullptr);
    *static_cast<size_t*>(told) += placement->count;
    return true;
  };
  for (auto _ : state) {
    state.PauseTiming();
    const Objects objects = parsed(kind, count, shapes);
    std::vector<const libsched_pod*> pods;
    for (size_t i = 0; i < count; ++i) pods.push_back(libsched_objects_get_pod(objects.get(), i));
    const Evaluator evaluator = make_evaluator(framework.get(), cluster);
    libsched_evaluator* const asked = evaluator.get();
    size_t told = 0;
    must("fork", libsched_cluster_fork(cluster, &error), error);
    state.ResumeTiming();
    must("schedule",
         libsched_schedule(&asked, 1, pods.data(), nullptr, count, nullptr, placed, &told, &error),
         error);
    state.PauseTiming();
    must("revert", libsched_cluster_revert(cluster, &error), error);
    if (told != count) fail("rate: pods are missing", nullptr);
    state.ResumeTiming();
  }
  state.counters["pods"] = static_cast<double>(count);
}

}  // namespace

void add_rate_benchmarks() {
  const auto add = [](const char* kind, size_t shapes, size_t pods_per_node) {
    const std::string name = "rate/" + std::to_string(kNodes) + "/" + kind + "/" +
                             std::to_string(shapes) + " shapes" +
                             (pods_per_node == 0 ? ", no pods before" : "");
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
      rate(state, kind, 10'000, shapes, pods_per_node);
    })->Iterations(1);
  };
  for (const size_t shapes : {1, 10, 100, 10'000}) add("plain", shapes, kPodsPerNode);
  for (const char* kind : {"zone", "host", "anti", "all", "soft"})
    for (const size_t shapes : {10, 100}) add(kind, shapes, kPodsPerNode);
  for (const char* kind : {"zone", "anti", "soft"}) add(kind, 10, 0);
}

}  // namespace libsched_bench
