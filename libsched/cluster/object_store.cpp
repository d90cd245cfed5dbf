// ObjectStore: entries found by hash, groups as lists of entries sorted by namespace and name.
#include "libsched/cluster/object_store.hpp"

#include <algorithm>

namespace libsched {
namespace {

// Keeps nothing alive: a view into the object.
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

ObjectStore::ObjectStore() {
  for (Table& t : tables_) t.stamp = next_serial();
}

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

void ObjectStore::join_group(Table& t, StoredKind kind, uint32_t id) {
  const Object& object = *t.entries[id].latest;
  const Str key = group_of(kind, object);
  auto it = t.groups.find(key);
  if (it == t.groups.end()) it = t.groups.emplace(std::string(key), 0).first;
  std::vector<uint32_t>& members = it->second;
  // Dumps are sorted: most objects belong at the end.
  const auto less = [&](const ObjectMeta& meta, uint32_t other) {
    return before(meta, t.entries[other].latest->meta);
  };
  if (members.empty() || !less(object.meta, members.back())) {
    members.push_back(id);
  } else {
    members.insert(std::upper_bound(members.begin(), members.end(), object.meta, less), id);
  }
}

void ObjectStore::leave_group(Table& t, StoredKind kind, uint32_t id) {
  const Object& object = *t.entries[id].latest;
  const auto it = t.groups.find(group_of(kind, object));
  std::vector<uint32_t>& members = it->second;
  members.erase(std::lower_bound(members.begin(), members.end(), object.meta,
                                 [&](uint32_t other, const ObjectMeta& meta) {
                                   return before(t.entries[other].latest->meta, meta);
                                 }));
  if (members.empty()) t.groups.erase(it);
}

ObjectStore::Entry ObjectStore::replace(StoredKind kind, Str ns, Str name, Entry entry) {
  Table& t = table(kind);
  t.stamp = next_serial();
  const uint64_t hash = object_key_hash(ns, name);
  uint32_t id = find_id(t, ns, name, hash);
  Entry old;
  if (id != kNoId) {
    leave_group(t, kind, id);
    old = std::move(t.entries[id]);
  }
  if (!entry.latest) {
    if (id == kNoId) return old;
    t.ids.erase(hash, id);
    t.entries[id] = {};
    t.free.push_back(id);
    return old;
  }
  if (id == kNoId) {
    if (t.free.empty()) {
      id = static_cast<uint32_t>(t.entries.size());
      t.entries.emplace_back();
    } else {
      id = t.free.back();
      t.free.pop_back();
    }
    t.ids.insert(hash, id);
  }
  t.entries[id] = std::move(entry);
  join_group(t, kind, id);
  return old;
}

const DeviceClass* ObjectStore::device_class_of(Str resource) const {
  if (count(StoredKind::kDeviceClass) == 0) return nullptr;
  constexpr Str kImplicit = "deviceclass.resource.kubernetes.io/";
  const DeviceClass* best = nullptr;
  for_each_in<DeviceClass>(resource, [&](const DeviceClass& c) {
    if (!c.extended_resource_name) return;
    const Time& a = c.meta.created;
    const bool newer = best == nullptr || (a.present && !best->meta.created.present) ||
                       (a.present && a.ns > best->meta.created.ns);
    if (newer) best = &c;
  });
  if (best != nullptr || !resource.starts_with(kImplicit)) return best;
  return find<DeviceClass>(resource.substr(kImplicit.size()));
}

}  // namespace libsched
