// One table of kinds, with their versions in all releases. A kind of the same name in a foreign
// group (Volcano's Job, Rancher's Node) is another kind and is skipped; a kind of the API in a
// version that it doesn't have is an error, as it is to upstream's scheme.
#include "libsched/ingest/kinds.hpp"

#include "libsched/base/quote.hpp"

namespace libsched {
namespace {

struct KnownKind {
  Str group, kind;
  Str versions;  // separated by spaces
  ObjectKind read_as;
};

constexpr KnownKind kKinds[] = {
    {"", "Pod", "v1", ObjectKind::kPod},
    {"", "Node", "v1", ObjectKind::kNode},
    {"", "Namespace", "v1", ObjectKind::kNamespace},
    {"scheduling.k8s.io", "PriorityClass", "v1 v1beta1 v1alpha1", ObjectKind::kPriorityClass},
    {"apps", "Deployment", "v1 v1beta1 v1beta2", ObjectKind::kWorkload},
    {"apps", "StatefulSet", "v1 v1beta1 v1beta2", ObjectKind::kWorkload},
    {"apps", "DaemonSet", "v1 v1beta2", ObjectKind::kWorkload},
    {"apps", "ReplicaSet", "v1 v1beta2", ObjectKind::kWorkload},
    {"extensions", "Deployment", "v1beta1", ObjectKind::kWorkload},
    {"extensions", "DaemonSet", "v1beta1", ObjectKind::kWorkload},
    {"extensions", "ReplicaSet", "v1beta1", ObjectKind::kWorkload},
    {"", "ReplicationController", "v1", ObjectKind::kWorkload},
    {"batch", "Job", "v1", ObjectKind::kWorkload},
    {"batch", "CronJob", "v1 v1beta1", ObjectKind::kWorkload},
    {"", "Service", "v1", ObjectKind::kStored},
    {"", "PersistentVolume", "v1", ObjectKind::kStored},
    {"", "PersistentVolumeClaim", "v1", ObjectKind::kStored},
    {"storage.k8s.io", "StorageClass", "v1 v1beta1", ObjectKind::kStored},
    {"storage.k8s.io", "CSIDriver", "v1 v1beta1", ObjectKind::kStored},
    {"storage.k8s.io", "CSIStorageCapacity", "v1 v1beta1 v1alpha1", ObjectKind::kStored},
    {"storage.k8s.io", "CSINode", "v1 v1beta1", ObjectKind::kStored},
    {"storage.k8s.io", "VolumeAttachment", "v1 v1beta1 v1alpha1", ObjectKind::kStored},
    {"resource.k8s.io", "ResourceClaim", "v1 v1beta1 v1beta2", ObjectKind::kStored},
    {"resource.k8s.io", "ResourceClaimTemplate", "v1 v1beta1 v1beta2", ObjectKind::kStored},
    {"resource.k8s.io", "ResourceSlice", "v1 v1beta1 v1beta2", ObjectKind::kStored},
    {"resource.k8s.io", "DeviceClass", "v1 v1beta1 v1beta2", ObjectKind::kStored},
    {"resource.k8s.io", "DeviceTaintRule", "v1 v1beta2 v1alpha3", ObjectKind::kStored},
    // Versions of releases in which dynamic resource allocation is off.
    {"resource.k8s.io", "ResourceClaim", "v1alpha3", ObjectKind::kOther},
    {"resource.k8s.io", "ResourceClaimTemplate", "v1alpha3", ObjectKind::kOther},
    {"resource.k8s.io", "ResourceSlice", "v1alpha3", ObjectKind::kOther},
    {"resource.k8s.io", "DeviceClass", "v1alpha3", ObjectKind::kOther},
    {"policy", "PodDisruptionBudget", "v1 v1beta1", ObjectKind::kStored},
    {"scheduling.k8s.io", "PodGroup", "v1beta1 v1alpha3 v1alpha2", ObjectKind::kStored},
    {"scheduling.k8s.io", "CompositePodGroup", "v1alpha3", ObjectKind::kStored},
    {"node.k8s.io", "RuntimeClass", "v1 v1beta1 v1alpha1", ObjectKind::kStored},
    {"", "LimitRange", "v1", ObjectKind::kStored},
};

struct GroupVersion {
  Str group, version;
};

GroupVersion split(Str api_version) {
  const size_t slash = api_version.find('/');
  if (slash == Str::npos) return {"", api_version};
  return {api_version.substr(0, slash), api_version.substr(slash + 1)};
}

bool has_word(Str words, Str word) {
  for (size_t i = 0; i <= words.size();) {
    const size_t end = std::min(words.find(' ', i), words.size());
    if (words.substr(i, end - i) == word) return true;
    i = end + 1;
  }
  return false;
}

// Groups of which the API server has all kinds built in.
bool is_api_group(Str group) { return group.find('.') == Str::npos; }

}  // namespace

Result<ObjectKind> classify(const TypeName& type) {
  if (type.kind.empty()) return invalid(".kind", "missing; an object needs kind and apiVersion");
  if (type.api_version.empty())
    return invalid(".apiVersion", "missing; an object needs kind and apiVersion");
  const auto [group, version] = split(type.api_version);
  if (version.find('/') != Str::npos) {
    return invalid(".apiVersion", "unexpected GroupVersion string: " + type.api_version);
  }
  if (type.api_version == "v1" && type.kind == "List") return ObjectKind::kList;
  bool known = false;
  for (const KnownKind& k : kKinds) {
    Str kind = type.kind;
    const bool list = kind.size() == k.kind.size() + 4 && kind.ends_with("List");
    if (list) kind.remove_suffix(4);
    if (kind != k.kind) continue;
    known |= k.group == group || is_api_group(group);
    if (k.group == group && has_word(k.versions, version)) {
      return list ? ObjectKind::kList : k.read_as;
    }
  }
  if (known || (type.kind == "List" && is_api_group(group))) {
    return invalid(".apiVersion", "no kind " + go_quote(type.kind) + " is registered for version " +
                                      go_quote(type.api_version));
  }
  // Lists of anything else: their items are counted one by one.
  return type.kind.ends_with("List") && type.kind != "List" ? ObjectKind::kList
                                                            : ObjectKind::kOther;
}

TypeName item_type(const TypeName& list) {
  if (list.kind == "List" || !Str(list.kind).ends_with("List")) return {};
  return {list.api_version, list.kind.substr(0, list.kind.size() - 4)};
}

}  // namespace libsched
