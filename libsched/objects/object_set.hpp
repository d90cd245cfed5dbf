// ObjectSet: the objects of one input by kind, passed from the parser to a cluster.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "libsched/objects/node.hpp"
#include "libsched/objects/pod.hpp"
#include "libsched/objects/selecting.hpp"
#include "libsched/objects/storage.hpp"

namespace libsched {

struct IngestWarning {
  std::string path, message;
};

struct SkippedKind {
  std::string kind;  // "apps/v1 ControllerRevision"
  int64_t count = 0;
  std::set<std::string> namespaces;  // of those that name one
};

// All objects of one input, in its order.
struct ObjectSet {
  std::vector<PodRef> pods;
  std::vector<NodeRef> nodes;
  std::vector<NamespaceRef> namespaces;
  std::vector<PriorityClassRef> priority_classes;
  std::vector<WorkloadRef> workloads;
  // All other kinds; a ReplicaSet, StatefulSet or ReplicationController is here and, as a template,
  // in `workloads`.
  std::vector<StoredObject> stored;
  std::vector<SkippedKind> skipped;
  std::vector<IngestWarning> warnings;
  int64_t unknown_fields = 0;

  size_t size() const {
    return pods.size() + nodes.size() + namespaces.size() + priority_classes.size() +
           workloads.size() + stored.size() - both_ways;
  }
  size_t both_ways = 0;  // objects that are in `workloads` and in `stored`
};

}  // namespace libsched
