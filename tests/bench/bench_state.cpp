// state/<nodes>/...: single changes, copies, and a whole cluster from parsed objects.
#include <benchmark/benchmark.h>

#include <map>
#include <vector>

#include "tests/bench/benchmarks.hpp"
#include "tests/bench/workload.hpp"

namespace libsched_bench {
namespace {

libsched_cluster* cluster_of(size_t nodes) {
  static std::map<size_t, Cluster> made;
  Cluster& cluster = made[nodes];
  if (!cluster) cluster = build_cluster(ClusterKind::kBasic, nodes, kPodsPerNode);
  return cluster.get();
}

// Adds one pod to a node, another one each time, and removes it.
class OnePod {
 public:
  explicit OnePod(libsched_cluster* cluster)
      : cluster_(cluster), pod_(parse_pod(pod_document({"one"}))) {
    const libsched_view* view = libsched_cluster_view(cluster);
    for (uint32_t row = 0; row < libsched_view_row_count(view); ++row) {
      const libsched_str name = libsched_node_name(libsched_view_node(view, row));
      names_.emplace_back(name.ptr, name.len);
    }
  }
  void add() {
    const libsched_pod* const pod = pod_.get();
    const libsched_str node = str(names_[at_]);
    at_ = (at_ + 7919) % names_.size();
    must("add pod", libsched_cluster_add_pods(cluster_, &pod, &node, 1, &error_), error_);
  }
  void remove() {
    must("remove pod", libsched_cluster_remove_pod(cluster_, str("default"), str("one"), &error_),
         error_);
  }

 private:
  libsched_cluster* cluster_;
  Pod pod_;
  std::vector<std::string> names_;
  size_t at_ = 0;
  libsched_error* error_ = nullptr;
};

void add_and_remove(benchmark::State& state, size_t nodes) {
  OnePod one(cluster_of(nodes));
  for (auto _ : state) {
    one.add();
    one.remove();
  }
}

// A snapshot after a change; without a change it would be the previous one, which is held here.
void snapshot(benchmark::State& state, size_t nodes, bool changed) {
  OnePod one(cluster_of(nodes));
  libsched_error* error = nullptr;
  libsched_snapshot* out = nullptr;
  must("snapshot", libsched_cluster_snapshot(cluster_of(nodes), &out, &error), error);
  const Snapshot before(out);
  for (auto _ : state) {
    if (changed) one.add();
    must("snapshot", libsched_cluster_snapshot(cluster_of(nodes), &out, &error), error);
    if (changed) one.remove();
    libsched_snapshot_unref(out);
  }
}

void clone(benchmark::State& state, size_t nodes) {
  libsched_error* error = nullptr;
  for (auto _ : state) {
    libsched_cluster* out = nullptr;
    must("clone", libsched_cluster_clone(cluster_of(nodes), &out, &error), error);
    libsched_cluster_unref(out);
  }
}

void apply_all(benchmark::State& state, size_t nodes) {
  ListDocument list;
  for (size_t i = 0; i < nodes; ++i) list.add(node_document(ClusterKind::kBasic, i));
  for (size_t i = 0; i < nodes * kPodsPerNode; ++i) list.add(existing_pod_document(i, nodes));
  const Objects objects = parse_objects(list.take());
  for (auto _ : state) {
    Cluster cluster = make_cluster();
    apply(cluster.get(), objects.get());
    state.PauseTiming();
    cluster.reset();
    state.ResumeTiming();
  }
  state.counters["objects"] = static_cast<double>(nodes * (1 + kPodsPerNode));
}

}  // namespace

void add_state_benchmarks() {
  for (const size_t nodes : {kNodes, 10 * kNodes}) {
    const auto add = [nodes](const char* name, auto run) {
      benchmark::RegisterBenchmark(("state/" + std::to_string(nodes) + "/" + name).c_str(), run);
    };
    add("add and remove a pod", [=](benchmark::State& s) { add_and_remove(s, nodes); });
    add("snapshot after a change", [=](benchmark::State& s) { snapshot(s, nodes, true); });
    add("snapshot again", [=](benchmark::State& s) { snapshot(s, nodes, false); });
    add("clone", [=](benchmark::State& s) { clone(s, nodes); });
  }
  benchmark::RegisterBenchmark(("state/" + std::to_string(kNodes) + "/apply all").c_str(),
                               [](benchmark::State& s) { apply_all(s, kNodes); });
}

}  // namespace libsched_bench
