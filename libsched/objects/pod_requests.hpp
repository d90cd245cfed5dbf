// The requests of a pod: upstream's PodRequests, with the options of its callers.
#pragma once

#include "libsched/objects/pod_accounting.hpp"

namespace libsched {

// The requests assumed for scoring if a container has none.
inline constexpr int64_t kDefaultMilliCpuRequest = 100;
inline constexpr int64_t kDefaultMemoryRequest = int64_t{200} << 20;

struct PodRequestOptions {
  bool use_status = false;       // count what a resize has set or promised
  bool pod_level = true;         // gate PodLevelResources
  bool pod_level_status = true;  // gate InPlacePodLevelResourcesVerticalScaling; needs use_status
  bool status_by_pod = false;    // PodAccounting::resizes_by_pod; needs use_status
  bool default_cpu = false;      // a container without cpu counts as 100m
  bool default_memory = false;   // a container without memory counts as 200Mi
  bool at_least_zero = false;    // negative totals count as 0, and `pods` is no resource
  AllocatableClaims allocatable = AllocatableClaims::kNone;  // see PodAccounting
};

// The total of containers, sidecars, init containers, pod-level requests and overhead. Sums are
// exact, each total is rounded up once. (Upstream adds the overhead to a pod-level amount beyond 64
// bits again in each call, because its sum shares memory with the pod; here it is added
// once.) Scalars go into `arena`; their names are not copied.
Resources pod_requests(const Pod& pod, const PodRequestOptions& options, Arena& arena);

// The totals of single resources: out[i] is the total of names[i], cpu in thousandths and
// everything else in units, rounded up; 0 without a request. Any name counts, even a name that
// pod_requests() leaves out.
void pod_request_values(const Pod& pod, const PodRequestOptions& options, Span<Str> names,
                        int64_t* out);

// Tells whether the pod requests less of a resource than before, or none, including resizes:
// upstream's extractPodScaleDown.
bool requests_scaled_down(const Pod& now, const Pod& before, const PodAccounting& accounting);

// Fills occupied, occupied_nonzero, requests and host_ports.
void derive_use(Pod& pod, const PodAccounting& accounting);

// Pod::occupied_nonzero without PodAccounting::sidecar_defaults, with the amounts of the spec.
NonZero non_zero_without_sidecars(const Pod& pod);

// Tells whether PodRequestOptions::use_status may make a difference: without status_by_pod, or at
// all.
bool status_has_resources(const PodStatus& status);
bool status_counts(const Pod& pod);
// Tells whether the status of each container says what its spec asks for, and nothing else counts,
// as in nearly all pods: then status_by_pod makes no difference.
bool status_is_as_asked(const Pod& pod);

// Tells whether spec.resources requests cpu, memory or huge pages.
bool has_pod_level_requests(const Pod& pod);

}  // namespace libsched
