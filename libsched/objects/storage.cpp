// Storage classes by annotation, and copies that can be changed and assumed.
#include "libsched/objects/storage.hpp"

#include <vector>

namespace libsched {
namespace {

// A copy of a copy keeps both alive, because the first copy's changes are in its own arena.
void share_base(const Object& from, Object& to) {
  to.origin = Ref<const Object>::share(&from);
  to.meta = from.meta;
  to.raw = from.raw;
}

// The position of the key, or the position at which to insert it.
size_t annotation_place(Span<KeyValue> annotations, Str key) {
  const auto at = std::lower_bound(annotations.begin(), annotations.end(), key,
                                   [](const KeyValue& a, Str k) { return a.key < k; });
  return static_cast<size_t>(at - annotations.begin());
}

}  // namespace

Str PersistentVolume::storage_class() const {
  const Str* beta = find_annotation(meta, kStorageClassBetaAnnotation);
  return beta != nullptr ? *beta : storage_class_name;
}

Str PersistentVolumeClaim::storage_class() const {
  const Str* beta = find_annotation(meta, kStorageClassBetaAnnotation);
  return beta != nullptr ? *beta : storage_class_name.value_or(Str("", 0));
}

bool PersistentVolumeClaim::has_storage_class() const {
  return storage_class_name || find_annotation(meta, kStorageClassBetaAnnotation) != nullptr;
}

bool has_access_mode(Span<Str> modes, Str mode) {
  return std::find(modes.begin(), modes.end(), mode) != modes.end();
}

Ref<PersistentVolume> copy_volume(const PersistentVolume& volume) {
  Ref<PersistentVolume> copy = make_ref<PersistentVolume>(256);
  share_base(volume, *copy);
  copy->capacity = volume.capacity;
  copy->access_modes = volume.access_modes;
  copy->volume_mode = volume.volume_mode;
  copy->storage_class_name = volume.storage_class_name;
  copy->volume_attributes_class = volume.volume_attributes_class;
  copy->claim_ref = volume.claim_ref;
  copy->has_node_affinity = volume.has_node_affinity;
  copy->node_affinity = volume.node_affinity;
  copy->source = volume.source;
  copy->in_tree = volume.in_tree;
  copy->phase = volume.phase;
  return copy;
}

Ref<PersistentVolumeClaim> copy_claim(const PersistentVolumeClaim& claim) {
  Ref<PersistentVolumeClaim> copy = make_ref<PersistentVolumeClaim>(256);
  share_base(claim, *copy);
  copy->access_modes = claim.access_modes;
  copy->selector = claim.selector;
  copy->request = claim.request;
  copy->volume_name = claim.volume_name;
  copy->storage_class_name = claim.storage_class_name;
  copy->volume_mode = claim.volume_mode;
  copy->volume_attributes_class = claim.volume_attributes_class;
  copy->phase = claim.phase;
  return copy;
}

Ref<PersistentVolumeClaim> new_claim(const PersistentVolumeClaim& like, Str ns, Str name) {
  Ref<PersistentVolumeClaim> made = copy_claim(like);
  made->raw = {};
  ObjectMeta meta;
  meta.name = made->arena.copy(name);
  meta.ns = made->arena.copy(ns);
  meta.uid = meta.resource_version = made->volume_name = Str("", 0);
  meta.key_hash = object_key_hash(ns, name);
  meta.labels = like.meta.labels;
  made->phase = Str("Pending");
  if (const Str* beta = find_annotation(like.meta, kStorageClassBetaAnnotation)) {
    const KeyValue kept[] = {{kStorageClassBetaAnnotation, *beta}};
    meta.annotations = made->arena.copy(kept, 1);
  }
  made->meta = meta;
  return made;
}

void set_annotation(Object& object, Str key, Str value) {
  Span<KeyValue>& all = object.meta.annotations;
  std::vector<KeyValue> changed(all.begin(), all.end());
  const size_t at = annotation_place(all, key);
  const Str mine = object.arena.copy(value);
  if (at < changed.size() && changed[at].key == key) {
    changed[at].value = mine;
  } else {
    changed.insert(changed.begin() + static_cast<ptrdiff_t>(at), {object.arena.copy(key), mine});
  }
  all = object.arena.copy(changed);
}

void remove_annotation(Object& object, Str key) {
  Span<KeyValue>& all = object.meta.annotations;
  const size_t at = annotation_place(all, key);
  if (at == all.size() || all[at].key != key) return;
  std::vector<KeyValue> changed(all.begin(), all.end());
  changed.erase(changed.begin() + static_cast<ptrdiff_t>(at));
  all = object.arena.copy(changed);
}

}  // namespace libsched
