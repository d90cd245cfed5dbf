// The API server's defaults for new objects, as far as scheduling depends on them:
// core/v1 defaulting, the label keys of pod affinity terms, and the Priority admission plugin.
#pragma once

#include <unordered_map>
#include <vector>

#include "libsched/objects/admitting.hpp"
#include "libsched/objects/node.hpp"
#include "libsched/objects/pod.hpp"
#include "libsched/objects/selecting.hpp"
#include "libsched/objects/storage.hpp"

namespace libsched {

// status.capacity, of which a node keeps a part only.
struct NodeCapacity {
  ResourceList list;
  bool allocatable_present = false;
};

// Call these before derive_pod() and derive_node().
void set_pod_defaults(Pod& pod);
void set_node_defaults(Node& node, const NodeCapacity& capacity);
void set_namespace_defaults(Namespace& ns);
void set_volume_defaults(PersistentVolume& pv);
void set_claim_defaults(PersistentVolumeClaim& claim);
// Of containers: the default limit is the maximum, the default request the default limit or else
// the minimum.
void set_limit_range_defaults(LimitRange& range);
// The selector of a ReplicationController, and of other controllers in old API versions, defaults
// to the labels of its pod template.
void set_controller_defaults(Controller& controller, Labels template_labels);

// An index of PriorityClasses by name, which must outlive it. The first class with a name counts,
// and the lowest of several global defaults.
class PriorityClasses {
 public:
  PriorityClasses(const std::vector<PriorityClassRef>& own,
                  const std::vector<PriorityClassRef>& more);
  // Finds the class; for an empty name, the global default, if any.
  const PriorityClass* find(Str name) const;

 private:
  std::unordered_map<Str, const PriorityClass*> by_name_;
  const PriorityClass* default_ = nullptr;
};

// Sets the priority of a pod without one from its class, the global default class, or 0. False if
// its class does not exist, in which case the API server would refuse the pod.
bool admit_priority(Pod& pod, const PriorityClasses& classes);

}  // namespace libsched
