// See imitated.hpp.
#include "libsched/scheduler/control_plane/imitated.hpp"

namespace libsched {
namespace {

// clang-format off
constexpr Imitated kImitated[] = {
    {"LimitRanger", "gives containers the default requests and limits of LimitRanges; names pods and claims that are out of their bounds", "admission"},
    {"Priority", "sets the priority by the PriorityClass", "reading with defaults"},
    {"DefaultTolerationSeconds", "lets pods tolerate not-ready and unreachable nodes for 300 s", "admission"},
    {"DefaultStorageClass", "gives claims without a class the default StorageClass", "admission, claims made"},
    {"RuntimeClass", "adds the overhead, the node selector and the tolerations of the class", "admission"},
    {"node lifecycle controller", "taints a node that is cordoned, and takes the taint back", "edits, drain"},
    {"StatefulSet controller", "makes the claims of volumeClaimTemplates", "claims made"},
    {"ephemeral volume controller", "makes the claims of generic ephemeral volumes", "claims made"},
    {"resourceclaim controller", "makes ResourceClaims from ResourceClaimTemplates, and releases them", "claims made"},
    {"DaemonSet controller", "makes a pod with its tolerations for each eligible node", "schedule"},
    {"Job controller", "runs pods until enough have succeeded, and makes others for preempted ones", "simulate"},
    {"CronJob controller", "starts Jobs by their schedule", "simulate"},
    {"persistent volume controller", "binds claims and has volumes provisioned", "simulate"},
    {"garbage collector", "takes away the claims of a pod that is gone", "pods taken away"},
};

constexpr NotImitated kNotImitated[] = {
    {"", "ResourceQuota", "may refuse pods of its namespace", true},
    {"admissionregistration.k8s.io", "MutatingWebhookConfiguration", "may change pods", false},
    {"admissionregistration.k8s.io", "ValidatingWebhookConfiguration", "may refuse pods", false},
    {"admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding", "may change pods", false},
    {"admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding", "may refuse pods", false},
    {"autoscaling.k8s.io", "VerticalPodAutoscaler", "may change the requests of pods", true},
    {"autoscaling", "HorizontalPodAutoscaler", "may change the number of pods", true},
};
// clang-format on

}  // namespace

std::span<const Imitated> imitated() { return kImitated; }
std::span<const NotImitated> not_imitated() { return kNotImitated; }

const NotImitated* find_not_imitated(Str type) {
  const size_t space = type.find(' ');
  if (space == Str::npos) return nullptr;
  const Str kind = type.substr(space + 1);
  const size_t slash = type.substr(0, space).find('/');
  const Str group = slash == Str::npos ? Str("", 0) : type.substr(0, slash);
  for (const NotImitated& n : kNotImitated)
    if (n.kind == kind && n.group == group) return &n;
  return nullptr;
}

}  // namespace libsched
