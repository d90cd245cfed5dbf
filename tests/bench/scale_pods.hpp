// The pods of `scale`, which the upstream benchmark judges as well (tests/oracle/peer/objects.go):
// plain, with two selected labels, with tolerations for tainted nodes, spread over zones and hosts,
// and kept apart from other pods by hostname.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/bench/workload.hpp"

namespace libsched_bench {

struct ScaleKind {
  const char* name;
  ClusterKind cluster;
  // Whether the pod's taints, labels and topology allow the node, by the node's number; the naive
  // answer, which the limit kernel gets as a bitmap. Room is not considered. For a number of nodes
  // that is a multiple of 20.
  bool (*allows)(size_t node);
};

const std::vector<ScaleKind>& scale_kinds();
// `cpu`: what the pod requests.
PodSpec scale_pod(const std::string& kind, const std::string& cpu = "100m");

// The nodes and pods of the simulations of an autoscaler.
std::string sized_node(const std::string& name, const std::string& cpu, const std::string& memory,
                       const std::string& pods);
PodSpec sized_pod(const std::string& app, const std::string& cpu, const std::string& memory);
// A tainted node, which stands in for one that is emptied.
std::string ghost_node();
// All documents of bench_sim.cpp as one JSON object, for the same benchmarks in Go and Python.
std::string sim_documents();

}  // namespace libsched_bench
