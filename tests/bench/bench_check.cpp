// check/<nodes>/<what>: decides whether a pod that is too big for every node fits: as a decision
// that is not read, as a decision that is read completely, and for one node; for comparison, only
// the filters of all nodes.
#include <benchmark/benchmark.h>

#include <vector>

#include "tests/bench/benchmarks.hpp"
#include "tests/bench/workload.hpp"

namespace libsched_bench {
namespace {

struct Scene {
  explicit Scene(size_t nodes) : cluster(build_cluster(ClusterKind::kBasic, nodes, 1)) {
    PodSpec spec;
    spec.name = "big";
    spec.cpu = "40";  // of 32
    pod = parse_pod(pod_document(spec));
  }
  Cluster cluster;
  Framework framework = default_framework();
  Evaluator evaluator = make_evaluator(framework.get(), cluster.get());
  Status status = make_status();
  Pod pod;
};

const Scene& scene(size_t nodes) {
  static const Scene* const small = new Scene(kNodes);
  static const Scene* large = nullptr;
  if (nodes == kNodes) return *small;
  if (large == nullptr) large = new Scene(nodes);
  return *large;
}

void filter_nodes(benchmark::State& state, size_t nodes) {
  const Scene& s = scene(nodes);
  libsched_error* error = nullptr;
  const CycleState cycle = make_cycle_state();
  must("PreFilter",
       libsched_run_pre_filter_plugins(s.evaluator.get(), cycle.get(), s.pod.get(), nullptr,
                                       s.status.get(), &error),
       error);
  const size_t rows = libsched_view_row_count(libsched_cluster_view(s.cluster.get()));
  std::vector<uint64_t> feasible((rows + 63) / 64);
  size_t count = 0;
  for (auto _ : state)
    must("Filter",
         libsched_filter_nodes(s.evaluator.get(), cycle.get(), s.pod.get(), nullptr,
                               feasible.data(), feasible.size(), &count, nullptr, &error),
         error);
  if (count != 0) fail("filter_nodes: the pod fits", nullptr);
}

void check(benchmark::State& state, size_t nodes, bool one, bool read) {
  const Scene& s = scene(nodes);
  const libsched_view* view = libsched_cluster_view(s.cluster.get());
  const libsched_str node = one ? libsched_node_name(libsched_view_node(view, 17)) : libsched_str{};
  libsched_error* error = nullptr;
  for (auto _ : state) {
    libsched_decision* out = nullptr;
    must("check",
         libsched_check_pod_fits(s.evaluator.get(), s.pod.get(), node, nullptr, &out, &error),
         error);
    if (libsched_decision_feasible_count(out) != 0) fail("check_pod_fits: the pod fits", nullptr);
    if (read) benchmark::DoNotOptimize(libsched_decision_fit_error(out));
    libsched_decision_unref(out);
  }
}

}  // namespace

void add_check_benchmarks() {
  for (const size_t nodes : {kNodes, 10 * kNodes}) {
    const std::string group = "check/" + std::to_string(nodes) + "/";
    const auto add = [&](const std::string& what, auto run) {
      benchmark::RegisterBenchmark((group + what).c_str(), run);
    };
    add("filter_nodes", [=](benchmark::State& state) { filter_nodes(state, nodes); });
    add("any node", [=](benchmark::State& state) { check(state, nodes, false, false); });
    add("any node, read", [=](benchmark::State& state) { check(state, nodes, false, true); });
    add("one node", [=](benchmark::State& state) { check(state, nodes, true, false); });
    add("one node, read", [=](benchmark::State& state) { check(state, nodes, true, true); });
  }
}

}  // namespace libsched_bench
