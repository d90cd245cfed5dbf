// The nodes and pods of the benchmarks, as JSON documents. Clusters are those of the upstream
// framework's benchmark (tests/oracle/peer/objects.go), so that both sides judge the same.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/handles.hpp"

namespace libsched_bench {

enum class ClusterKind {
  kBasic,   // 32 CPUs, 128 GiB, 10 zones, 7 instance types, 2 kinds of disks
  kTainted  // and six taints on every node, in three sets
};

inline constexpr size_t kNodes = 5000;
inline constexpr size_t kPodsPerNode = 10;

// A List, built item by item.
class ListDocument {
 public:
  void add(const std::string& item);
  // The finished document; the next add() begins another.
  std::string take();

 private:
  std::string text_;
};

std::string node_document(ClusterKind kind, size_t index);
// A running pod of 500m and 1 GiB; pod i is on node i % nodes.
std::string existing_pod_document(size_t index, size_t nodes);

struct PodSpec {
  std::string name, app = "new";
  std::string cpu = "100m", memory = "128Mi";
  // JSON of further fields of the spec, each with a comma in front; may be empty.
  std::string more = {};
};
std::string pod_document(const PodSpec& spec);

// 24 pods that differ in requests, labels, tolerations and selectors, of an everyday kind: they
// need no other pods, volumes or claims. The first is that of the upstream benchmark.
std::vector<PodSpec> plain_pods();
// 24 pods for the tainted cluster, with the tolerations of the upstream benchmark.
std::vector<PodSpec> tolerating_pods();
// The same with nodeSelectors for zone, disk and instance type: single ones and pairs.
struct SelectingPod {
  PodSpec spec;
  // The selected labels, for the limit kernel; the second may have an empty key.
  std::array<std::pair<std::string, std::string>, 2> labels;
};
std::vector<SelectingPod> selecting_pods();
// 24 pods with the node affinity of the upstream benchmark.
std::vector<PodSpec> affine_pods();

// Adds nodes and pods in documents of moderate size.
Cluster build_cluster(ClusterKind kind, size_t nodes, size_t pods_per_node);
void add_nodes(libsched_cluster* cluster, ClusterKind kind, size_t nodes);
void add_existing_pods(libsched_cluster* cluster, size_t nodes, size_t pods_per_node);

// A pod as `kubectl get -o json` shows it, of about 3 KB of compact JSON: two containers with
// environment, mounts and probes, volumes, owner, managed fields, a full status.
std::string live_pod_document(size_t index, size_t nodes);

}  // namespace libsched_bench
