// Release: the minor release of Kubernetes that a framework follows, and the differences.
//
// Differences are data: rows of tables (behaviours here; feature gates, default plugins and
// extension points in their own files) name the releases for which they hold. Nothing else
// compares releases: plugins receive `Behaviours`.
#pragma once

#include <cstdint>
#include <optional>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"

namespace libsched {

enum class Release : uint8_t { k1_31, k1_32, k1_33, k1_34, k1_35, k1_36, k1_37 };
inline constexpr Release kOldestRelease = Release::k1_31;
inline constexpr Release kNewestRelease = Release::k1_37;
inline constexpr Release kDefaultRelease = Release::k1_37;
inline constexpr size_t kReleaseCount = static_cast<size_t>(kNewestRelease) + 1;

// A range of releases, both ends included.
struct ReleaseRange {
  Release since = kOldestRelease;
  Release until = kNewestRelease;
  constexpr bool has(Release r) const { return since <= r && r <= until; }
};

Str release_name(Release release);  // "1.36"
// The number after "1.": 36.
constexpr int minor_of(Release release) { return 31 + static_cast<int>(release); }

// "1.36", or a version of that release as API servers and vendors write it ("v1.36.3",
// "1.36.3-eks-1", "v1.36.3+rke2r1"); "" for the default. Any other text is an
// Rc::kUnsupported error that lists the releases.
Result<Release> parse_release(Str text);

// The minor release of such a version, also of one that is not known: 40 for "v1.40.2". None for
// any other text.
std::optional<int> minor_of_version(Str text);

// The differences of a release from 1.36, by name. All false is 1.36.
struct Behaviours {
  // NodeResourcesBalancedAllocation scores the balance after placing the pod, not its change.
  bool absolute_balance = false;
  // NodeResourcesBalancedAllocation also scores pods that request nothing.
  bool balance_scores_zero_pods = false;
  // NodeResourcesFit takes a request above the node's whole capacity for one that preemption may
  // satisfy.
  bool fit_never_unresolvable = false;
  // InterPodAffinity replaces a namespaceSelector of the incoming pod by the namespaces that it
  // selects; 1.36 also keeps it, so that one that matches a namespace without labels selects every
  // namespace.
  bool replaces_namespace_selector = false;
  // ImageLocality does not sum the images of volumes.
  bool ignores_image_volumes = false;
  // ImageLocality counts image volumes among the containers that its largest sum depends on.
  bool counts_image_volumes = false;
  // NodeVolumeLimits counts the volumes of the node's pods alone, not its VolumeAttachments, and
  // the node's allocatable attachable-volumes-csi-* are limits where the CSINode has none.
  bool limits_by_pods = false;
  // A Portworx volume is a CSI volume only where the CSINode lists the plugin as migrated.
  bool portworx_by_annotation = false;
  // With VolumeLimitScaling, each driver with a CSIDriver must be on the node.
  bool driver_must_be_there = false;
  // No status stands for the nodes that PreFilter excludes: they are missing from the reasons, and
  // such a nominated node counts as one that fits.
  bool no_absent_status = false;
  // Host ports of sidecars neither need nor take a port of the node.
  bool ports_of_containers_only = false;
  // Requests for scoring are those of 1.31: see PodAccounting::sidecar_defaults.
  bool sidecars_not_in_nonzero = false;
  // TaintToleration's reason names the first taint that is not tolerated.
  bool named_taint = false;
  // Errors of selectors show lists of values as Go source does.
  bool go_lists = false;
  // Errors of the syntax of label keys and values have older texts: see qualified_name_errors().
  bool older_syntax_texts = false;
  // VolumeBinding speaks of a "volume node affinity conflict".
  bool volume_conflict_text = false;
  // VolumeBinding misses "pod volumes", and VolumeRestrictions says otherwise that a claim with
  // ReadWriteOncePod is in use.
  bool older_volume_texts = false;
  // Ties between nodes are broken uniformly by the seed of the cycle, not by upstream's heap.
  bool uniform_ties = false;
  // DefaultPreemption says which node it has found and how many pods leave it.
  bool told_preemption = false;
  // DynamicResources says nothing where its PostFilter has nothing to do.
  bool silent_post_filter = false;
  // A resize counts by pod: see PodAccounting::resizes_by_pod.
  bool resizes_by_pod = false;
  // A victim counts against budgets up to the first that it violates, not against all.
  bool first_violated_budget = false;
  // Selectors of devices have no includes(): see cel::Dialect::no_includes.
  bool selectors_without_includes = false;
  // Selectors of devices are those of a newer CEL: see cel::Dialect::cel_go_29.
  bool newer_selectors = false;
  // Events of pods without a node are those of the pod that is updated (TargetPod), for which
  // plugins register, or of an UnscheduledPod. A request that grows is an event of its own, and
  // DynamicResources hears of deleted claims.
  bool target_pod_events = false;
  // An added node counts for plugins even if it is tainted, so that only those that register for
  // taints are told of them.
  bool added_nodes_count = false;
  // InterPodAffinity's hints look for any anti-affinity term that matches, not for all of them.
  bool any_anti_affinity_term = false;
  // A pod that was flushed from the unschedulable pods may stay there as long again, loses the mark
  // if a gate holds it back, and keeps it until it is scheduled.
  bool dated_flushes = false;
  // Events that concern all plugins (timeouts, activations) reach gated pods, too.
  bool wildcards_reach_gated = false;
  // A pod that is gated while it backs off waits for its gate as well, and an update with another
  // uid adds a pod instead of changing the one that is there.
  bool gates_backing_off = false, adds_other_uid = false;
  // Uses of claims are summed up by changes: see PodAccounting::claims_by_changes.
  bool claims_by_changes = false;
  // A pod is nominated by its status once it is added, gated or not, also if it is added by its
  // update.
  bool nominates_added = false;
  // A cleared nomination is listed no more, instead of under the node "".
  bool drops_cleared_nominations = false;
  // A pod that is deleted while it is active or backs off is no longer counted for the plugins that
  // had rejected it.
  bool forgets_rejections = false;
  // A preemptor is tried again at once if its last victim was preempted in memory.
  bool retries_after_memory = false;
  // A DeviceTaintRule without a deviceSelector concerns no device, not every one.
  bool rules_need_selector = false;
  // distinctAttribute tells all devices apart; 1.36 remembers one value for each request.
  bool distinct_in_request = false;
  // Counters of devices belong to a pool of one driver, not to all pools of its name.
  bool counters_by_driver = false;
  // The counters of a device that is shared are taken once even if no share has capacities.
  bool shares_keep_counters = false;
  // A request for all devices fails where one of them has too little capacity left; 1.36 leaves it
  // out.
  bool all_needs_capacity = false;
  // Capacity of a range is written as its step is, and an amount that is negative or beyond 64 bits
  // is an error.
  bool exact_capacity = false;
  // The error about too many devices of a claim names the first request that exceeds the limit.
  bool limit_by_request = false;
  // A selector's error names the device, and what to do about a key that is missing.
  bool device_in_selector_error = false;
  // A configuration that names several requests of a claim is taken over once, and for all requests
  // if it names each.
  bool configures_once = false;
  // A slice with counters makes its pool one of the nodes that it selects, not of all.
  bool counters_have_nodes = false;
  // Slices whose devices have compatibility groups are not there.
  bool hides_compatibility_groups = false;
  // Devices of incomplete pools are allocated, and those of invalid ones are an error. Slices with
  // counters are no others even without DRAPartitionableDevices.
  bool incomplete_pools = false;
  // With DRAResourceClaimDeviceStatus, another allocator is taken: it knows distinctAttribute and
  // tries devices in every order.
  bool device_status_allocator = false;
  // Allocations do not repeat the tolerations of requests.
  bool no_result_tolerations = false;
  // A node whose devices are not found in time is rejected; in 1.36 that is an error.
  bool timeout_rejects_node = false;
  // An alternative for all devices goes on as the first one when it has its first device.
  bool confuses_alternatives = false;
  // Scoring by devices fails if some claim of the pod was allocated earlier.
  bool score_needs_all_claims = false;
  // Metrics tell preemptions that failed from others, and how long they took, and count the victims
  // also if all of them leave already, and those of groups apart.
  bool tells_failed_preemptions = false;
  // With DRANodeAllocatableResources, devices take of a node's resources what
  // nodeAllocatableResources says, with overheads, instead of nodeAllocatableResourceMappings.
  bool allocatable_overheads = false;
  // A claim whose devices skip operations of the kubelet is available on nodes alone that declare
  // DRAOptionalNodeOperations.
  bool optional_node_operations = false;
  // An allocation that members of a group share before it is written is available on its nodes
  // alone.
  bool pending_claims_have_nodes = false;
  // With DRAWorkloadResourceClaims, DynamicResources finds the PodGroup of a pod in the snapshot of
  // the cycle, and its PostFilter leaves the group's claims alone.
  bool groups_of_snapshot = false;
  // Nodes may declare features of 1.37, one of which pods with bindMountOptions need.
  bool declares_mount_options = false;
  // PodTopologySpread counts by topology key, so constraints of one key share their counts.
  bool spread_by_key = false;
  // NodeDeclaredFeatures names the requirements in other words, and knows fewer features.
  bool older_declared_features = false;
  // A PodGroup is one entity of the queue (gate GenericWorkload): its pods wait, are held back and
  // come back together, and its plugins are asked for the group as a whole.
  bool groups_are_entities = false;
};

// A behaviour has a row for each range of releases.
struct BehaviourRow {
  Str name;
  bool Behaviours::* field;
  ReleaseRange releases;
};
Span<BehaviourRow> behaviour_rows();

Behaviours behaviours_of(Release release);

}  // namespace libsched
