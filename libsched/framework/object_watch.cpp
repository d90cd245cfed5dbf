// ObjectWatch: the latest version of each object, under a lock.
#include "libsched/framework/object_watch.hpp"

#include <mutex>
#include <utility>

#include "libsched/objects/storage.hpp"

namespace libsched {
namespace {

constexpr Str kPod = "Pod", kNode = "Node";

// The volume that a claim names; "" for everything else.
Str named_volume(Str resource, const ObjectRef& object) {
  if (!object || resource != event_resource(StoredKind::kPersistentVolumeClaim)) return {};
  return static_cast<const PersistentVolumeClaim&>(*object).volume_name;
}

}  // namespace

std::shared_ptr<ObjectWatch> ObjectWatch::on(Cluster& cluster) {
  const auto made = std::make_shared<ObjectWatch>(cluster);
  cluster.observe(made.get(), made);
  return made;
}

void ObjectWatch::add(Str resource, Str ns, Str name) {
  Key key(resource, ns, name);
  Entry* entry = nullptr;
  {
    const std::lock_guard lock(mutex_);
    entry = &objects_[std::move(key)];
  }
  put(entry, resource, present(resource, ns, name));
}

// Allocates nothing: a change that has happened cannot be missed.
void ObjectWatch::put(Entry* entry, Str resource, ObjectRef object) {
  const Str volume = named_volume(resource, object);
  ObjectRef named;
  if (!volume.empty()) named = present(event_resource(StoredKind::kPersistentVolume), {}, volume);
  // The old ones are released outside of the lock.
  const std::lock_guard lock(mutex_);
  std::swap(entry->object, object);
  std::swap(entry->volume, named);
}

// The object as it is in the cluster now.
ObjectRef ObjectWatch::present(Str resource, Str ns, Str name) const {
  const View& view = cluster_.view();
  if (resource == kPod) {
    const uint32_t slot = view.find_pod(ns, name);
    return slot == kNoId ? ObjectRef() : ObjectRef::share(&view.as_bound(*view.slot(slot).pod));
  }
  if (resource == kNode) {
    const uint32_t row = view.find_node(name);
    return row == kNoId ? ObjectRef() : ObjectRef::share(view.node(row));
  }
  for (size_t k = 0; k < kStoredKinds; ++k) {
    const auto kind = static_cast<StoredKind>(k);
    if (event_resource(kind) != resource) continue;
    const ObjectStore::Entry* entry = view.objects().entry(kind, ns, name);
    return entry == nullptr ? ObjectRef() : entry->api;
  }
  return {};
}

ObjectRef ObjectWatch::find(Str resource, Str ns, Str name) const {
  const std::lock_guard lock(mutex_);
  if (const auto it = objects_.find(Lookup(resource, ns, name)); it != objects_.end())
    return it->second.object;
  if (resource != event_resource(StoredKind::kPersistentVolume)) return {};
  for (const auto& [key, entry] : objects_)
    if (named_volume(std::get<0>(key), entry.object) == name) return entry.volume;
  return {};
}

// Only this thread adds entries, so they can be looked for without the lock.
void ObjectWatch::changed(const ObjectChange& change) {
  const ObjectMeta& meta = (change.after ? change.after : change.before)->meta;
  if (const auto it = objects_.find(Lookup(change.resource, meta.ns, meta.name));
      it != objects_.end())
    put(&it->second, change.resource, change.after);
  if (change.resource != event_resource(StoredKind::kPersistentVolume)) return;
  for (auto& [key, entry] : objects_)
    if (named_volume(std::get<0>(key), entry.object) == meta.name)
      put(&entry, std::get<0>(key), entry.object);
}

void ObjectWatch::resync() {
  for (auto& [key, entry] : objects_) {
    const auto& [resource, ns, name] = key;
    put(&entry, resource, present(resource, ns, name));
  }
}

}  // namespace libsched
