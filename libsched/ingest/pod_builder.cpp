// Pods: the frame and spec; containers, volumes, affinity and status have files of their own.
#include "libsched/ingest/defaults.hpp"
#include "libsched/ingest/object_builder.hpp"
#include "libsched/objects/pod_class_id.hpp"

namespace libsched {
namespace {

constexpr KeyTable kPod("apiVersion", "kind", "metadata", "spec", "status");
constexpr KeyTable kPodSpec(
    "volumes", "initContainers", "containers", "ephemeralContainers", "restartPolicy",
    "terminationGracePeriodSeconds", "activeDeadlineSeconds", "dnsPolicy", "nodeSelector",
    "serviceAccountName", "serviceAccount", "automountServiceAccountToken", "nodeName",
    "hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "securityContext",
    "imagePullSecrets", "hostname", "subdomain", "affinity", "schedulerName", "tolerations",
    "hostAliases", "priorityClassName", "priority", "dnsConfig", "readinessGates",
    "runtimeClassName", "enableServiceLinks", "preemptionPolicy", "overhead",
    "topologySpreadConstraints", "setHostnameAsFQDN", "os", "hostUsers", "schedulingGates",
    "resourceClaims", "resources", "hostnameOverride", "schedulingGroup", "evictionResponders");
constexpr KeyTable kToleration("key", "operator", "value", "effect", "tolerationSeconds");
constexpr KeyTable kResourceClaim("name", "resourceClaimName", "resourceClaimTemplateName");
constexpr KeyTable kName("name");
constexpr KeyTable kEphemeralContainer("name", "image", "command", "args", "workingDir", "ports",
                                       "envFrom", "env", "resources", "resizePolicy",
                                       "restartPolicy", "restartPolicyRules", "volumeMounts",
                                       "volumeDevices", "livenessProbe", "readinessProbe",
                                       "startupProbe", "lifecycle", "terminationMessagePath",
                                       "terminationMessagePolicy", "imagePullPolicy",
                                       "securityContext", "stdin", "stdinOnce", "tty",
                                       "targetContainerName");
constexpr KeyTable kSchedulingGroup("podGroupName");

TolerationOp to_toleration_op(Str text) {
  if (text.empty() || text == "Equal") return TolerationOp::kEqual;
  if (text == "Exists") return TolerationOp::kExists;
  if (text == "Lt") return TolerationOp::kLt;
  if (text == "Gt") return TolerationOp::kGt;
  return TolerationOp::kOther;
}

}  // namespace

TaintEffect to_taint_effect(Str text) {
  if (text.empty()) return TaintEffect::kNone;
  if (text == "NoSchedule") return TaintEffect::kNoSchedule;
  if (text == "PreferNoSchedule") return TaintEffect::kPreferNoSchedule;
  if (text == "NoExecute") return TaintEffect::kNoExecute;
  return TaintEffect::kOther;
}

bool ObjectBuilder::toleration(Toleration& t) {
  return object(kToleration, [&](int field) {
    switch (field) {
      case kToleration["key"]: return string(t.key);
      case kToleration["value"]: return string(t.value);
      case kToleration["operator"]:
        if (!string(t.op_text)) return false;
        t.op = to_toleration_op(t.op_text);
        return true;
      case kToleration["effect"]:
        if (!string(t.effect_text)) return false;
        t.effect = to_taint_effect(t.effect_text);
        return true;
      default:
        if (reader_.is_null()) return null();
        return int64(t.seconds.emplace());
    }
  });
}

bool ObjectBuilder::pod_resource_claim(PodResourceClaim& claim) {
  return object(kResourceClaim, [&](int field) {
    switch (field) {
      case kResourceClaim["name"]: return string(claim.name);
      case kResourceClaim["resourceClaimName"]:
        claim.has_claim_name = !reader_.is_null();
        return string(claim.claim_name);
      case kResourceClaim["resourceClaimTemplateName"]:
        claim.has_template_name = !reader_.is_null();
        return string(claim.template_name);
      default: return skip();
    }
  });
}

bool ObjectBuilder::named(Str& name) {
  return object(kName, [&](int) { return string(name); });
}

bool ObjectBuilder::scheduling_group(Str& group) {
  return object(kSchedulingGroup, [&](int) { return string(group); });
}

bool ObjectBuilder::pod_resources(PodSpec& spec) {
  spec.resources_present = !reader_.is_null();
  Span<Str> claims;
  return container_resources(spec.pod_requests, spec.pod_limits, claims);
}

bool ObjectBuilder::pod_spec(PodSpec& spec) {
  mount_options_ = false;
  const bool ok = object(kPodSpec, [&](int field) {
    switch (field) {
      case kPodSpec["nodeName"]: return string(spec.node_name);
      case kPodSpec["schedulerName"]: return string(spec.scheduler_name);
      case kPodSpec["priorityClassName"]: return string(spec.priority_class_name);
      case kPodSpec["preemptionPolicy"]: return string(spec.preemption_policy);
      case kPodSpec["runtimeClassName"]: return string(spec.runtime_class);
      case kPodSpec["priority"]: return optional_int32(spec.priority);
      case kPodSpec["nodeSelector"]:
        spec.node_selector_present = !reader_.is_null();
        return labels(spec.node_selector);
      case kPodSpec["affinity"]: return affinity(spec);
      case kPodSpec["tolerations"]:
        return list(spec.tolerations, [&](Toleration& t) { return toleration(t); });
      case kPodSpec["topologySpreadConstraints"]:
        return list(spec.spread, [&](TopologySpreadConstraint& c) { return spread_constraint(c); });
      case kPodSpec["initContainers"]:
        return list(spec.init_containers, [&](Container& c) { return container(c); });
      case kPodSpec["containers"]:
        return list(spec.containers, [&](Container& c) { return container(c); });
      case kPodSpec["ephemeralContainers"]: {
        Span<Str> ignored;
        return list(ignored, [&](Str&) {
          return object(kEphemeralContainer, [&](int part) {
            return part == kEphemeralContainer["volumeMounts"] ? volume_mounts() : skip();
          });
        });
      }
      case kPodSpec["volumes"]: return list(spec.volumes, [&](Volume& v) { return volume(v); });
      case kPodSpec["overhead"]: return resource_list(spec.overhead);
      case kPodSpec["resources"]: return pod_resources(spec);
      case kPodSpec["schedulingGates"]:
        return list(spec.scheduling_gates, [&](Str& name) { return named(name); });
      case kPodSpec["resourceClaims"]:
        return list(spec.resource_claims,
                    [&](PodResourceClaim& c) { return pod_resource_claim(c); });
      case kPodSpec["hostNetwork"]: return boolean(spec.host_network);
      case kPodSpec["hostUsers"]: return optional_boolean(spec.host_users);
      case kPodSpec["schedulingGroup"]: return scheduling_group(spec.scheduling_group);
      default: return skip();
    }
  });
  spec.bind_mount_options = mount_options_;
  return ok;
}

// Sets and derives fields once all others are complete. Priority admission follows at the end of
// the input, when all classes are known; with defaults, a pod's class is numbered after it.
void ObjectBuilder::finish_pod(Pod& pod) {
  if (options_.defaults) set_pod_defaults(pod);
  if (pod.spec.scheduler_name.empty()) pod.spec.scheduler_name = "default-scheduler";
  derive_pod(pod);
}

// The first block of the next arena is as large as this arena, or a little smaller than the last
// estimate: a run of similar objects wastes little and rarely needs a second block.
void ObjectBuilder::learn_size(const Arena& arena) {
  constexpr size_t kMin = 256, kMax = 16384, kMargin = 32;
  const size_t used = std::clamp(arena.bytes() - arena.unused() + kMargin, kMin, kMax);
  if (used < arena_estimate_) {
    arena_estimate_ -= (arena_estimate_ - used) / 64;
  } else {
    arena_estimate_ = used;
  }
}

Ref<Pod> ObjectBuilder::pod(Str api_version, Str kind) {
  auto pod = make_ref<Pod>(arena_estimate_);
  start(pod->arena);
  keep_annotations(/*hash=*/false);
  const size_t begin = reader_.offset();
  const bool ok = object(kPod, [&](int field) {
    switch (field) {
      case kPod["apiVersion"]: return type_field(api_version);
      case kPod["kind"]: return type_field(kind);
      case kPod["metadata"]: return metadata(pod->meta);
      case kPod["spec"]: return pod_spec(pod->spec);
      case kPod["status"]: return pod_status(pod->status);
      default: return skip();
    }
  });
  if (!ok || !finish_meta(pod->meta, /*namespaced=*/true, begin)) return nullptr;
  pod->mirror = mirror_;
  finish_pod(*pod);
  if (!options_.defaults) number_class(*pod);
  remember_document(*pod, begin);
  learn_size(pod->arena);
  return pod;
}

}  // namespace libsched
