// Derived fields and copies of nodes.
#include "libsched/objects/node.hpp"

#include <string>

namespace libsched {
namespace {

Str label_or_empty(Labels labels, Str key) {
  const Label* l = find_label(labels, key);
  return l == nullptr ? Str() : l->value;
}

Str first_of(Labels labels, Str key, Str fallback) {
  const Label* l = find_label(labels, key);
  return l == nullptr ? label_or_empty(labels, fallback) : l->value;
}

std::string zone_key(Labels labels) {
  const Str zone =
      first_of(labels, "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone");
  const Str region =
      first_of(labels, "failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region");
  if (zone.empty() && region.empty()) return {};
  std::string key(region);
  key += ":";
  key.push_back('\0');
  key += ":";
  key += zone;
  return key;
}

}  // namespace

void derive_node(Node& node) {
  node.serial = next_serial();
  node.allocatable = to_resources(node.allocatable_list, node.arena);
  uint64_t hash = node.taints.size();
  for (const Taint& taint : node.taints) {
    hash = hash_str(taint.key, hash);
    hash = hash_str(taint.value, hash);
    hash = hash_mix(hash, static_cast<uint64_t>(taint.effect));
    if (taint.effect == TaintEffect::kOther) hash = hash_str(taint.effect_text, hash);
  }
  node.taints_hash = hash;
  hash = node.images.size();
  for (const ContainerImage& image : node.images)
    for (const Str name : image.names) hash = hash_str(name, hash);
  node.images_hash = hash;
  node.zone_key = node.arena.copy(zone_key(node.meta.labels));
}

Ref<Node> copy_node(const Node& node, Str name, Str uid) {
  const size_t labels = node.meta.labels.size_bytes() + alignof(Label);
  Ref<Node> copy = make_ref<Node>(labels + 2 * name.size() + uid.size() + 4);
  // Everything that isn't replaced below lives in the first original (see copy_pod).
  copy->origin = node.origin ? node.origin : Ref<const Object>::share(&node);
  copy->raw = node.raw;
  copy->meta = node.meta;
  copy->meta.name = copy->arena.copy(name);
  copy->meta.uid = copy->arena.copy(uid);
  copy->meta.key_hash = object_key_hash(copy->meta.ns, name);

  // The list is the copy's own: lists shared by a copy of it must not live here.
  copy->meta.labels = copy->arena.copy(node.meta.labels.data(), node.meta.labels.size());
  constexpr Str kHostname = "kubernetes.io/hostname";
  if (const Label* hostname = find_label(copy->meta.labels, kHostname)) {
    const Str value = hostname->value == node.meta.name ? name : hostname->value;
    auto* mine = const_cast<Label*>(hostname);  // in our arena, not shared yet
    mine->value = value == name ? copy->meta.name : copy->arena.copy(value);
    mine->pair_hash = label_pair_hash(mine->key_hash, mine->value);
  }

  copy->unschedulable = node.unschedulable;
  copy->taints = node.taints;
  copy->allocatable_list = node.allocatable_list;
  copy->capacity_list = node.capacity_list;
  copy->images = node.images;
  copy->declared_features = node.declared_features;
  copy->preemption_policy_present = node.preemption_policy_present;
  copy->no_resize_preemption = node.no_resize_preemption;
  copy->kubelet_version = node.kubelet_version;
  copy->annotations_hash = node.annotations_hash;
  copy->conditions_hash = node.conditions_hash;
  copy->taint_times_hash = node.taint_times_hash;
  copy->serial = next_serial();
  copy->allocatable = node.allocatable;
  copy->taints_hash = node.taints_hash;
  copy->images_hash = node.images_hash;
  copy->zone_key = node.zone_key;
  return copy;
}

}  // namespace libsched
