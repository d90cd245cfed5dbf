// What the API server fills in when an object is created, as far as scheduling depends on it:
// core/v1 defaulting, the label keys of pod affinity terms, and the Priority admission plugin.
#pragma once

#include <unordered_map>
#include <vector>

#include "libsched/objects/node.hpp"
#include "libsched/objects/pod.hpp"
#include "libsched/objects/selecting.hpp"
#include "libsched/objects/storage.hpp"

namespace libsched {

// status.capacity, which nobody reads but defaulting.
struct NodeCapacity {
  ResourceList list;
  bool allocatable_present = false;
};

// Before derive_pod(), derive_node().
void set_pod_defaults(Pod& pod);
void set_node_defaults(Node& node, const NodeCapacity& capacity);
void set_namespace_defaults(Namespace& ns);
void set_volume_defaults(PersistentVolume& pv);
void set_claim_defaults(PersistentVolumeClaim& claim);
// The selector of a ReplicationController, and of the other controllers in API versions of old,
// comes from the labels of its pod template.
void set_controller_defaults(Controller& controller, Labels template_labels);

// PriorityClasses by name, which must outlive it. Of the same name the first counts, of several
// global defaults the lowest.
class PriorityClasses {
 public:
  PriorityClasses(const std::vector<PriorityClassRef>& own,
                  const std::vector<PriorityClassRef>& more);
  // The global default, if any, where the name is empty.
  const PriorityClass* find(Str name) const;

 private:
  std::unordered_map<Str, const PriorityClass*> by_name_;
  const PriorityClass* default_ = nullptr;
};

// Gives a pod without a priority that of its class, or of the global default class, or 0. False if
// the class it names is not among them, where the API server would refuse the pod.
bool admit_priority(Pod& pod, const PriorityClasses& classes);

}  // namespace libsched
