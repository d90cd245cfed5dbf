// ObjectWatch: the latest version of each object, under a lock.
#include "libsched/framework/object_watch.hpp"

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
  const ObjectRef object = present(resource, ns, name);
  put(resource, ns, name, object);
}

void ObjectWatch::put(Str resource, Str ns, Str name, const ObjectRef& object) {
  {
    ObjectRef old;  // released outside of the lock
    Key key(resource, ns, name);
    const std::lock_guard lock(mutex_);
    ObjectRef& entry = objects_[std::move(key)];
    old = std::exchange(entry, object);
  }
  const Str volume = named_volume(resource, object);
  if (!volume.empty()) add(StoredKind::kPersistentVolume, {}, volume);
}

// The object as it is in the cluster now.
ObjectRef ObjectWatch::present(Str resource, Str ns, Str name) const {
  const View& view = cluster_.view();
  if (resource == kPod) {
    const uint32_t slot = view.find_pod(ns, name);
    return slot == kNoId ? ObjectRef() : ObjectRef::share(view.slot(slot).pod.get());
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
  const auto it = objects_.find(Lookup(resource, ns, name));
  return it == objects_.end() ? ObjectRef() : it->second;
}

void ObjectWatch::changed(const ObjectChange& change) {
  const ObjectMeta& meta = (change.after ? change.after : change.before)->meta;
  {
    const std::lock_guard lock(mutex_);
    if (objects_.find(Lookup(change.resource, meta.ns, meta.name)) == objects_.end()) return;
  }
  put(change.resource, meta.ns, meta.name, change.after);
}

void ObjectWatch::resync() {
  std::vector<Key> keys;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, object] : objects_) keys.push_back(key);
  }
  for (const auto& [resource, ns, name] : keys) add(resource, ns, name);
}

}  // namespace libsched
