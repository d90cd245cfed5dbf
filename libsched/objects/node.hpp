// Node and Namespace.
#pragma once

#include <cstdint>

#include "libsched/objects/pod.hpp"
#include "libsched/objects/stored_kind.hpp"

namespace libsched {

struct Taint {
  Str key, value;
  TaintEffect effect = TaintEffect::kNone;
  Str effect_text;
};

struct ContainerImage {
  Span<Str> names;
  int64_t size_bytes = 0;
};

class Node final : public Object {
 public:
  explicit Node(size_t first_block = 4096) : Object(first_block) {}

  bool unschedulable = false;
  bool preemption_policy_present = false;  // podPreemptionPolicy, with the next line's list
  Span<Str> no_resize_preemption;          // disableResizePreemption: why, if any is named
  Span<Taint> taints;
  ResourceList allocatable_list;
  // The extended resources of which status.capacity has more than allocatable_list, as the capacity
  // has them: a device plugin counts its unhealthy devices there. It has no part in decisions.
  ResourceList capacity_list;
  Span<ContainerImage> images;
  Span<Str> declared_features;
  // Hashes that detect changes to fields that are not kept; annotations may be kept in
  // addition.
  uint64_t annotations_hash = 0;  // of the pairs, in any order
  uint64_t conditions_hash = 0;   // of types with their statuses, in any order
  uint64_t taint_times_hash = 0;  // of timeAdded, in the order of the taints

  // Derived once by derive_node().
  uint64_t serial = 0;
  Resources allocatable;
  uint64_t taints_hash = 0;  // of the taints in their order
  uint64_t images_hash = 0;  // of the names of the images in their order
  // Upstream's key of the node's zone: region and zone, with the beta labels before the stable
  // ones;
  // "" without labels.
  Str zone_key;
  Str kubelet_version;  // status.nodeInfo.kubeletVersion; it has no part in decisions
};
using NodeRef = Ref<const Node>;

// Fills the derived fields; call once, when labels, taints, images and allocatable_list are
// complete.
void derive_node(Node& node);

// A copy of `node` under another name and uid. The label kubernetes.io/hostname follows the name
// if it was equal to it. `node` stays alive as long as the copy; the serial is new.
Ref<Node> copy_node(const Node& node, Str name, Str uid);

class Namespace final : public Object {
 public:
  static constexpr StoredKind kStoredKind = StoredKind::kNamespace;
  explicit Namespace(size_t first_block = 512) : Object(first_block) {}
};
using NamespaceRef = Ref<const Namespace>;

class PriorityClass final : public Object {
 public:
  static constexpr StoredKind kStoredKind = StoredKind::kPriorityClass;
  explicit PriorityClass(size_t first_block = 256) : Object(first_block) {}
  int32_t value = 0;
  bool global_default = false;
  Str preemption_policy;
};
using PriorityClassRef = Ref<const PriorityClass>;

// The pod template of a Deployment, StatefulSet, DaemonSet, Job, CronJob or ReplicaSet.
class Workload final : public Object {
 public:
  explicit Workload(size_t first_block = 256) : Object(first_block) {}
  Str kind;
  int64_t replicas = 1;  // a DaemonSet has one per node: 1 here
  Ref<Pod> pod;          // named after the workload, in its namespace
};
using WorkloadRef = Ref<const Workload>;

}  // namespace libsched
