// Change: one part of what Cluster::apply() does; a list of them happens whole or not at all.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "libsched/objects/object_set.hpp"

namespace libsched {

// What a part does with an object, by whether the cluster has one of its kind, namespace and name.
enum class PutMode : uint8_t {
  kApply,    // adds or replaces; the document that is there already changes nothing. Of pods, those
             // without a node and those that have ended are not stored: they leave the cluster
  kUpdate,   // adds or replaces, and counts as an update in any case
  kMissing,  // adds it, or leaves the one that is there as it is; of pods as kApply
  kNew,      // adds it; kExists if it is there
};

// Everything that a document holds: other kinds, then nodes, then pods. Borrowed.
struct PutObjects {
  const ObjectSet* set;
  PutMode mode = PutMode::kApply;
  bool nodes = true, pods = true;  // false: these are left out
};
struct PutNode {
  NodeRef node;
  PutMode mode = PutMode::kApply;
};
struct PutPod {
  PodRef pod;
  std::string node_name = {};  // "": the pod's own nodeName
  PutMode mode = PutMode::kApply;
};
struct RemoveNode {
  std::string name;
};
struct RemovePod {
  std::string ns, name;
};
struct RemoveObject {
  StoredKind kind;
  std::string ns, name;
};
using Change = std::variant<PutObjects, PutNode, PutPod, RemoveNode, RemovePod, RemoveObject>;

}  // namespace libsched
