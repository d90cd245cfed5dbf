// ObjectStore: entries found by hash, groups as lists of entries sorted by namespace and name.
#include "libsched/cluster/object_store.hpp"

#include <algorithm>

namespace libsched {
namespace {

// A view into the object, which does not keep it alive.
Str group_of(StoredKind kind, const Object& object) {
  switch (kind) {
    case StoredKind::kPersistentVolume:
      return static_cast<const PersistentVolume&>(object).storage_class();
    case StoredKind::kCsiStorageCapacity:
      return static_cast<const CsiStorageCapacity&>(object).storage_class;
    case StoredKind::kVolumeAttachment:
      return static_cast<const VolumeAttachment&>(object).node_name;
    case StoredKind::kDeviceClass:
      return static_cast<const DeviceClass&>(object).extended_resource_name.value_or(Str());
    default: return is_namespaced(kind) ? object.meta.ns : Str();
  }
}

bool before(const ObjectMeta& a, const ObjectMeta& b) {
  return a.ns != b.ns ? a.ns < b.ns : a.name < b.name;
}

}  // namespace

ObjectStore::ObjectStore() : kinds_(std::make_shared<Kinds>()) {
  for (Table& t : kinds_->tables) t.stamp = next_serial();
}

ObjectStore::ObjectStore(const ObjectStore& o) : kinds_(std::make_shared<Kinds>(*o.kinds_)) {}

uint32_t ObjectStore::find_id(const Table& t, Str ns, Str name, uint64_t hash) {
  return t.ids.find(hash, [&](uint32_t id) {
    const ObjectMeta& meta = t.entries[id].latest->meta;
    return meta.name == name && meta.ns == ns;
  });
}

const ObjectStore::Entry* ObjectStore::entry(StoredKind kind, Str ns, Str name) const {
  const Table& t = table(kind);
  if (t.ids.size() == 0) return nullptr;
  const uint32_t id = find_id(t, ns, name, object_key_hash(ns, name));
  return id == kNoId ? nullptr : &t.entries[id];
}

// The group exists and has room.
void ObjectStore::join_group(Table& t, StoredKind kind, uint32_t id) {
  const Object& object = *t.entries[id].latest;
  std::vector<uint32_t>& members = t.groups.edit().find(group_of(kind, object))->second;
  // Dumps are sorted, so most objects belong at the end.
  const auto less = [&](const ObjectMeta& meta, uint32_t other) {
    return before(meta, t.entries[other].latest->meta);
  };
  if (members.empty() || !less(object.meta, members.back())) {
    members.push_back(id);
  } else {
    members.insert(std::upper_bound(members.begin(), members.end(), object.meta, less), id);
  }
}

// Returns the group if it becomes empty.
ObjectStore::Groups::node_type ObjectStore::leave_group(Table& t, StoredKind kind, uint32_t id) {
  const Object& object = *t.entries[id].latest;
  Groups& groups = t.groups.edit();
  const auto it = groups.find(group_of(kind, object));
  std::vector<uint32_t>& members = it->second;
  members.erase(std::lower_bound(members.begin(), members.end(), object.meta,
                                 [&](uint32_t other, const ObjectMeta& meta) {
                                   return before(t.entries[other].latest->meta, meta);
                                 }));
  return members.empty() ? groups.extract(it) : Groups::node_type();
}

// Makes room for the entry, and its group.
void ObjectStore::prepare(StoredKind kind, Str ns, Str name, const Entry& entry) {
  if (!entry.latest) return;
  Table& t = table(kind);
  if (find_id(t, ns, name, object_key_hash(ns, name)) == kNoId) {
    t.entries.reserve();
    t.ids.reserve();
  }
  const Str key = group_of(kind, *entry.latest);
  Groups& groups = t.groups.edit();
  if (const auto it = groups.find(key); it != groups.end()) {
    reserve_more(it->second, 1);
    return;
  }
  std::vector<uint32_t> members;
  members.reserve(1);
  groups.emplace(std::string(key), std::move(members));
}

std::unique_ptr<ExtendedResources::Part> ObjectStore::change_of_class(Str name,
                                                                      const Entry& entry) const {
  const auto* const after = static_cast<const DeviceClass*>(entry.latest.get());
  return std::make_unique<ExtendedResources::Part>(
      kinds_->extended->after_change(find<DeviceClass>(name), after));
}

// Never fails: the object's group exists or is restored with it.
ObjectStore::Replaced ObjectStore::exchange(StoredKind kind, Str ns, Str name,
                                            Replaced put) noexcept {
  Table& t = table(kind);
  t.stamp = next_serial();
  const uint64_t hash = object_key_hash(ns, name);
  uint32_t id = find_id(t, ns, name, hash);
  Replaced old;
  if (put.extended) {
    *put.extended = kinds_->extended.edit().exchange(std::move(*put.extended));
    old.extended = std::move(put.extended);
  }
  const auto leave = [&] {
    if (id == kNoId) return;
    old.group = leave_group(t, kind, id);
    old.entry = std::move(t.entries.edit(id));
  };
  if (!put.entry.latest) {
    leave();
    if (id == kNoId) return old;
    t.ids.erase(hash, id);
    t.entries.edit(id) = {};
    t.entries.give_back(id);
    return old;
  }
  if (put.group) t.groups.edit().insert(std::move(put.group));
  leave();
  if (old.group && old.group.key() == group_of(kind, *put.entry.latest))
    t.groups.edit().insert(std::move(old.group));  // the group exists again
  if (id == kNoId) {
    id = t.entries.take();
    t.ids.insert_reserved(hash, id);
  }
  t.entries.edit(id) = std::move(put.entry);
  join_group(t, kind, id);
  return old;
}

ObjectStore ObjectStore::publish() {
  if (!mirror_) {
    auto fresh = std::make_shared<Kinds>();
    for (size_t i = 0; i < kinds_->tables.size(); ++i) {
      Table& t = kinds_->tables[i];
      fresh->tables[i] = {t.entries.publish(), t.ids.publish(), t.groups.publish(), t.stamp};
    }
    fresh->extended = kinds_->extended.publish();
    mirror_ = std::move(fresh);
  }
  return ObjectStore(mirror_);
}

}  // namespace libsched
