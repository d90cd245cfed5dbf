// Change: one part of a list for Cluster::apply(), which applies the whole list or nothing.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "libsched/objects/object_set.hpp"

namespace libsched {

// The effect of a part, depending on whether the cluster has an object of the same kind, namespace
// and name.
enum class PutMode : uint8_t {
  kApply,    // adds or replaces; an unchanged document has no effect. Pods without a node and
             // pods that have ended are not stored: they leave the cluster. A pod that the API
             // server has nominated to a node is kept among View::nominated() until it has a node
  kUpdate,   // adds or replaces, and always counts as an update
  kMissing,  // adds, or leaves an existing object as it is; pods as for kApply
  kNew,      // adds; kExists if the object exists
};

// All objects of a document: other kinds, then nodes, then pods. Borrowed.
struct PutObjects {
  const ObjectSet* set;
  PutMode mode = PutMode::kApply;
  bool nodes = true, pods = true;  // false: leaves them out
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
