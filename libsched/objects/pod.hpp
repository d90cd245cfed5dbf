// Pod: every field that a scheduling plugin reads, typed.
#pragma once

#include <cstdint>
#include <optional>

#include "libsched/objects/resources.hpp"
#include "libsched/objects/selector.hpp"
#include "libsched/objects/volume.hpp"

namespace libsched {

enum class TaintEffect : uint8_t { kNone, kNoSchedule, kPreferNoSchedule, kNoExecute, kOther };
enum class TolerationOp : uint8_t { kEqual, kExists, kLt, kGt, kOther };  // "" reads as kEqual

struct Toleration {
  Str key, value;
  TolerationOp op = TolerationOp::kEqual;
  TaintEffect effect = TaintEffect::kNone;  // kNone: every effect
  Str effect_text;                          // as written; decides for kOther
  Str op_text;                              // as written
  std::optional<int64_t> seconds;           // tolerationSeconds
};

struct ContainerPort {
  int32_t container_port = 0;
  int32_t host_port = 0;
  Str host_ip, protocol;  // "" where absent
};

struct Container {
  Str name, image;
  ResourceList requests, limits;
  Span<ContainerPort> ports;
  Span<Str> claims;              // resources.claims[].name
  bool always_restarts = false;  // restartPolicy: Always, a sidecar if it is an init container
  bool restarts_all_containers = false;  // a restartPolicyRule with action RestartAllContainers
};

struct ContainerStatus {
  Str name;
  // Whether there are resources, their requests, and allocatedResources, which may be empty.
  bool has_resources = false, has_requests = false, has_allocated = false;
  ResourceList requests;   // resources.requests
  ResourceList allocated;  // allocatedResources
};

struct PodAffinityTerm {
  LabelSelector selector;
  LabelSelector namespace_selector;
  Span<Str> namespaces;
  Str topology_key;
  Span<Str> match_label_keys, mismatch_label_keys;
  int32_t weight = 0;  // of a preferred term
};

// PodAffinity or PodAntiAffinity.
struct PodAffinity {
  bool present = false;
  Span<PodAffinityTerm> required, preferred;
};

struct NodeAffinity {
  bool present = false;
  NodeSelector required;
  Span<PreferredSchedulingTerm> preferred;
  bool preferred_present = false;  // [] is not the same as absent to PreScore
};

struct TopologySpreadConstraint {
  int32_t max_skew = 0;
  std::optional<int32_t> min_domains;
  Str topology_key, when_unsatisfiable;
  LabelSelector selector;
  Span<Str> match_label_keys;
  std::optional<Str> node_affinity_policy, node_taints_policy;  // another text than Honor: Ignore
};

struct PodCondition {
  Str type, status, reason, message;
};

struct PodResourceClaim {
  Str name, claim_name, template_name;
  bool has_claim_name = false, has_template_name = false;  // they may be ""
};
struct ResourceClaimStatus {
  Str name, claim_name;
  bool has_claim_name = false;
};

// What the devices of a claim take of the node's own resources (status
// nodeAllocatableResourceClaimStatuses).
struct AllocatableClaim {
  Str claim;
  ResourceList resources;  // as 1.36 writes it
  ResourceList mapped;     // since 1.37: mappings, and overheads of the pod and its containers
};

struct PodSpec {
  Str node_name, scheduler_name, priority_class_name, preemption_policy;
  std::optional<int32_t> priority;
  bool node_selector_present = false;  // {} prevents a Skip that absent does not
  Labels node_selector;
  bool affinity_present = false;
  NodeAffinity node_affinity;
  PodAffinity pod_affinity, pod_anti_affinity;
  Span<Toleration> tolerations;
  Span<TopologySpreadConstraint> spread;
  Span<Container> init_containers, containers;
  Span<Volume> volumes;
  ResourceList overhead;
  bool resources_present = false;  // pod-level resources
  ResourceList pod_requests, pod_limits;
  Span<Str> scheduling_gates;
  Span<PodResourceClaim> resource_claims;
  bool host_network = false;
  std::optional<bool> host_users;
  Str scheduling_group;             // schedulingGroup.podGroupName
  Str runtime_class;                // runtimeClassName, which admission reads
  bool bind_mount_options = false;  // some volume mount of some container has bindMountOptions
};

struct PodStatus {
  Str phase, nominated_node_name;
  Time start_time;
  Span<PodCondition> conditions;
  Span<ContainerStatus> containers, init_containers;
  // Of pod-level resources: as in ContainerStatus.
  bool has_resources = false, has_requests = false, has_allocated = false;
  ResourceList pod_requests, pod_allocated;
  Span<ResourceClaimStatus> resource_claims;
  Str extended_resource_claim;       // extendedResourceClaimStatus.resourceClaimName
  uint64_t extended_claim_hash = 0;  // of all of extendedResourceClaimStatus; 0: there is none
  Span<AllocatableClaim> allocatable_claims;
};

// A used host port: ip "" is 0.0.0.0, protocol "" is TCP, and the port is positive.
struct HostPort {
  Str ip, protocol;
  int32_t port = 0;
};
inline bool same_port(const HostPort& a, const HostPort& b) {
  return a.port == b.port && a.protocol == b.protocol && a.ip == b.ip;
}

class Pod final : public Object {
 public:
  explicit Pod(size_t first_block = 2048) : Object(first_block) {}
  // For copy_pod(): shares everything with `like`, but serial, class_id and `unnamed`.
  Pod(const Pod& like, size_t first_block);

  // What is read of most pods comes first, in a few cache lines.
  bool mirror = false;  // has the annotation kubernetes.io/config.mirror: a kubelet's static pod
  // Stands for any number of equal pods: a cluster that has it does not find it by its name, and
  // may have it more than once (Cluster::place_pod()).
  bool unnamed = false;
  // Whether the derived fields are not those of derive_pod() (pod_accounting.hpp).
  bool accounted_otherwise = false;

  // Derived by derive_pod() from spec, status and metadata; the first two by note_parts(), too.
  // A node counts its cpu, memory, ephemeral storage and number alone: it has no host ports,
  // claims, volumes that drivers count, affinity to pods, scheduling group or scalar resources.
  bool plain = false;
  uint32_t parts = 0;   // of pod_part, but for kPartsOfCopies
  uint64_t serial = 0;  // unique in this process: a key for caches
  // Set by number_class(): pods with the same number are of the same class, wait for a node, have
  // not ended, and need no claims that are made for them. 0: the pod has no number. Copies have
  // none, since what differs in a copy may be a part of its class.
  uint64_t class_id = 0;
  Resources occupied;  // its use of a node, with the status of a resize
  NonZero occupied_nonzero;
  Resources requests;  // for Filter: spec, overhead, pod-level; no status

  PodSpec spec;
  PodStatus status;

  // Derived, too.
  Span<HostPort> host_ports;      // of containers and sidecars
  bool has_pod_affinity = false;  // any PodAffinity or PodAntiAffinity struct
  bool has_required_anti_affinity = false;
  Span<Str> claim_names;        // persistentVolumeClaim volumes, not ephemeral ones
  uint32_t driver_volumes = 0;  // volumes with may_count_for_driver()
  // Of a StatefulSet's pod template and its copies: see claim_templates.hpp.
  Ref<const Object> claim_templates;
  // Of a Job's or CronJob's pod template and its copies: see job.hpp.
  Ref<const Object> job;

  int32_t priority() const { return spec.priority.value_or(0); }
  bool terminated() const { return status.phase == "Succeeded" || status.phase == "Failed"; }
};
using PodRef = Ref<const Pod>;

// Tells whether two documents describe the same pod: by uid, or by name if neither has a uid.
inline bool same_pod(const Pod& a, const Pod& b) {
  if (!a.meta.uid.empty() || !b.meta.uid.empty()) return a.meta.uid == b.meta.uid;
  return a.meta.name == b.meta.name && a.meta.ns == b.meta.ns;
}

// Fills the derived fields; call once, when spec and status are complete.
void derive_pod(Pod& pod);
// The names of the claims of persistentVolumeClaim volumes, in the pod's arena.
Span<Str> collect_claims(Pod& pod);

// Returns a copy of `pod` with exactly this name, namespace, uid and node name (even if ""):
// an instance of a template, or a pod bound to a node. Everything else, including derived fields
// and `raw`, is as in `pod`, which stays alive as long as the copy; the serial is new, and the copy
// has no class_id. The copy's arena has room for as many bytes more.
Ref<Pod> copy_pod(const Pod& pod, Str name, Str ns, Str uid, Str node_name, size_t room = 0);
// The same with the pod's own name, namespace and uid.
inline Ref<Pod> copy_pod(const Pod& pod, Str node_name, size_t room = 0) {
  return copy_pod(pod, pod.meta.name, pod.meta.ns, pod.meta.uid, node_name, room);
}

// Whether the toleration covers the taint. `comparison_operators` is the feature gate
// TaintTolerationComparisonOperators: without it Lt and Gt cover nothing.
bool tolerates(const Toleration& t, Str key, Str value, TaintEffect effect, Str effect_text,
               bool comparison_operators);

}  // namespace libsched
