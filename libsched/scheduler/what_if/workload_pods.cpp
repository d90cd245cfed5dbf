// See workload_pods.hpp.
#include "libsched/scheduler/what_if/workload_pods.hpp"

#include "libsched/objects/own_parts.hpp"
#include "libsched/scheduler/instance.hpp"

namespace libsched {
namespace {

// The Deployment's name within that of its ReplicaSet, or "".
Str deployment_name(const Pod& pod, const OwnerReference& owner) {
  if (owner.kind != "ReplicaSet") return {};
  const Label* const hash = find_label(pod.meta.labels, "pod-template-hash");
  if (hash == nullptr || hash->value.empty() || !owner.name.ends_with(hash->value)) return {};
  const Str rest = owner.name.substr(0, owner.name.size() - hash->value.size());
  return rest.size() < 2 || !rest.ends_with('-') ? Str() : rest.substr(0, rest.size() - 1);
}

// Renames the claims whose name ends in "-" and the pod's.
Ref<Pod> with_claims_of(const Ref<Pod>& made, Str before) {
  const std::string end = "-" + std::string(before);
  std::vector<Volume> volumes(made->spec.volumes.begin(), made->spec.volumes.end());
  bool changed = false;
  for (Volume& v : volumes) {
    if (v.kind != VolumeKind::kPersistentVolumeClaim || !v.id.ends_with(end)) continue;
    std::string claim(v.id.substr(0, v.id.size() - before.size()));
    v.id = made->arena.copy(claim + std::string(made->meta.name));
    changed = true;
  }
  if (!changed) return made;
  made->spec.volumes = made->arena.copy(volumes);
  derive_pod(*made);
  return with_own_parts(made);
}

}  // namespace

Str kind_of_workload(const Pod& pod, Str ns, Str name) {
  if (pod.meta.ns != ns) return {};
  const OwnerReference* const owner = controller_of(pod);
  if (owner == nullptr) return {};
  if (owner->name == name) return owner->kind;
  return !name.empty() && deployment_name(pod, *owner) == name ? Str("Deployment") : Str();
}

Str workload_name(const Pod& pod) {
  const OwnerReference* const owner = controller_of(pod);
  if (owner == nullptr) return {};
  const Str deployment = deployment_name(pod, *owner);
  return deployment.empty() ? owner->name : deployment;
}

std::optional<size_t> ordinal_of(const Pod& pod) {
  const OwnerReference* const owner = controller_of(pod);
  if (owner == nullptr || owner->kind != "StatefulSet") return std::nullopt;
  const Str name = pod.meta.name;
  if (name.size() < owner->name.size() + 2 || !name.starts_with(owner->name) ||
      name[owner->name.size()] != '-')
    return std::nullopt;
  const auto number = parse_int64(name.substr(owner->name.size() + 1));
  if (!number || *number < 0) return std::nullopt;
  return static_cast<size_t>(*number);
}

Ref<Pod> another_pod(const Pod& pod, size_t* from, const NameTaken& taken) {
  const OwnerReference* const owner = controller_of(pod);
  const std::string stem = std::string(owner == nullptr ? pod.meta.name : owner->name) + "-";
  std::string name;
  do name = stem + std::to_string((*from)++);
  while (taken(name));
  Ref<Pod> made = new_instance(pod, name);
  made->raw = {};
  const bool of_stateful_set = owner != nullptr && owner->kind == "StatefulSet";
  return of_stateful_set ? with_claims_of(made, pod.meta.name) : made;
}

bool goes_first(const Pod& a, bool a_waits, const Pod& b, bool b_waits) {
  const auto ordinal_a = ordinal_of(a), ordinal_b = ordinal_of(b);
  if (ordinal_a && ordinal_b && *ordinal_a != *ordinal_b) return *ordinal_a > *ordinal_b;
  if (a_waits != b_waits) return a_waits;
  if (a.meta.created.ns != b.meta.created.ns) return a.meta.created.ns > b.meta.created.ns;
  return a.meta.name > b.meta.name;
}

}  // namespace libsched
