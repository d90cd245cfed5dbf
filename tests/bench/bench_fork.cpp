// fork/<nodes>/<cluster>: an autoscaler's what-if: fork, add 100 parsed nodes, add 1,000 parsed
// pods to given nodes (a random choice among old and new ones, another in each round), revert. One
// call per batch. "partial" ones show where the time goes.
#include <benchmark/benchmark.h>

#include <array>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "tests/bench/benchmarks.hpp"
#include "tests/bench/workload.hpp"

namespace libsched_bench {
namespace {

constexpr size_t kNewNodes = 100;
constexpr size_t kNewPods = 1000;
constexpr size_t kShapes = 20;
constexpr size_t kRounds = 8;

struct Scene {
  Cluster cluster;
  Objects new_nodes, new_pods;
  std::vector<const libsched_node*> nodes;
  std::vector<const libsched_pod*> pods;
  // Each round has the names of its targets in adjacent memory, as after a fresh choice.
  std::array<std::vector<std::string>, kRounds> names;
  std::array<std::vector<libsched_str>, kRounds> targets;
};

std::unique_ptr<Scene> make_scene(size_t nodes, size_t pods_per_node) {
  auto s = std::make_unique<Scene>();
  s->cluster = build_cluster(ClusterKind::kBasic, nodes, pods_per_node);
  ListDocument list;
  for (size_t i = 0; i < kNewNodes; ++i) list.add(node_document(ClusterKind::kBasic, nodes + i));
  s->new_nodes = parse_objects(list.take());
  const std::vector<PodSpec> shapes = plain_pods();
  for (size_t i = 0; i < kNewPods; ++i) {
    PodSpec spec = shapes[i % kShapes];
    spec.name = "new-" + std::to_string(i);
    list.add(pod_document(spec));
  }
  s->new_pods = parse_objects(list.take());
  for (size_t i = 0; i < kNewNodes; ++i)
    s->nodes.push_back(libsched_objects_get_node(s->new_nodes.get(), i));
  for (size_t i = 0; i < kNewPods; ++i)
    s->pods.push_back(libsched_objects_get_pod(s->new_pods.get(), i));
  const libsched_view* view = libsched_cluster_view(s->cluster.get());
  std::vector<std::string> all;
  const auto add_name = [&](const libsched_node* node) {
    const libsched_str name = libsched_node_name(node);
    all.emplace_back(name.ptr, name.len);
  };
  for (uint32_t row = 0; row < libsched_view_row_count(view); ++row)
    if (const libsched_node* node = libsched_view_node(view, row)) add_name(node);
  for (const libsched_node* node : s->nodes) add_name(node);
  std::mt19937_64 random(nodes);
  for (size_t round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < kNewPods; ++i) s->names[round].push_back(all[random() % all.size()]);
    for (const std::string& name : s->names[round]) s->targets[round].push_back(str(name));
  }
  return s;
}

Scene& scene(size_t nodes, size_t pods_per_node) {
  static std::map<std::pair<size_t, size_t>, std::unique_ptr<Scene>> made;
  auto& s = made[{nodes, pods_per_node}];
  if (!s) s = make_scene(nodes, pods_per_node);
  return *s;
}

void cycle(benchmark::State& state, Scene& s, bool nodes, bool pods) {
  libsched_cluster* cluster = s.cluster.get();
  libsched_error* error = nullptr;
  size_t round = 0;
  for (auto _ : state) {
    must("fork", libsched_cluster_fork(cluster, &error), error);
    if (nodes)
      must("add nodes", libsched_cluster_add_nodes(cluster, s.nodes.data(), kNewNodes, &error),
           error);
    if (pods)
      must("add pods",
           libsched_cluster_add_pods(cluster, s.pods.data(), s.targets[round].data(), kNewPods,
                                     &error),
           error);
    must("revert", libsched_cluster_revert(cluster, &error), error);
    round = (round + 1) % kRounds;
  }
}

}  // namespace

void add_fork_benchmarks() {
  for (const size_t nodes : {kNodes, 10 * kNodes}) {
    const std::string group = "fork/" + std::to_string(nodes);
    for (const size_t pods_per_node : {kPodsPerNode, size_t{0}})
      benchmark::RegisterBenchmark(
          (group + (pods_per_node == 0 ? "/empty nodes" : "/10 pods a node")).c_str(),
          [=](benchmark::State& state) { cycle(state, scene(nodes, pods_per_node), true, true); });
    const auto part = [&](const char* name, bool add_nodes, bool add_pods) {
      benchmark::RegisterBenchmark((group + name).c_str(), [=](benchmark::State& state) {
        cycle(state, scene(nodes, kPodsPerNode), add_nodes, add_pods);
      });
    };
    part("/partial: 100 nodes", true, false);
    part("/partial: 1000 pods", false, true);
    part("/partial: nothing", false, false);
  }
}

}  // namespace libsched_bench
