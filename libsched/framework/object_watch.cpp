// ObjectWatch: the latest version of each object, under a lock.
#include "libsched/framework/object_watch.hpp"

#include <mutex>
#include <utility>

#include "libsched/base/hash.hpp"
#include "libsched/objects/storage.hpp"

namespace libsched {
namespace {

constexpr Str kPod = "Pod", kNode = "Node";
constexpr size_t kFewClaims = 16;
constexpr char kKey = 0;  // its address finds the objects that are watched in a cluster

bool is_claim(Str resource) {
  return resource == event_resource(StoredKind::kPersistentVolumeClaim);
}

// The volume that a claim names; "" for everything else.
Str named_volume(Str resource, const ObjectRef& object) {
  if (!object || !is_claim(resource)) return {};
  return static_cast<const PersistentVolumeClaim&>(*object).volume_name;
}

Str volume_of_claim(const ObjectRef& claim) {
  return static_cast<const PersistentVolumeClaim&>(*claim).volume_name;
}

}  // namespace

std::shared_ptr<ObjectWatch> ObjectWatch::on(Cluster& cluster) {
  auto objects = std::static_pointer_cast<WatchedObjects>(cluster.observer(&kKey));
  if (objects) return std::make_shared<ObjectWatch>(std::move(objects));
  objects = std::make_shared<WatchedObjects>(cluster);
  auto made = std::make_shared<ObjectWatch>(objects);
  cluster.observe(&kKey, objects);
  return made;
}

ObjectWatch::ObjectWatch(std::shared_ptr<WatchedObjects> objects) : objects_(std::move(objects)) {}

ObjectWatch::~ObjectWatch() { objects_->let_go(own_); }

void ObjectWatch::add(Str resource, Str ns, Str name) {
  if (own_.size() == own_.capacity()) own_.reserve(own_.empty() ? 6 : own_.size() * 2);
  own_.push_back(objects_->watch(resource, ns, name));  // there is room
}

ObjectRef ObjectWatch::find(Str resource, Str ns, Str name) const {
  const std::lock_guard lock(objects_->mutex_);
  const Lookup wanted(resource, ns, name);
  for (const Entries::iterator& own : own_)
    if (!Less()(own->first, wanted) && !Less()(wanted, own->first)) return own->second.object;
  if (resource != event_resource(StoredKind::kPersistentVolume)) return {};
  for (const Entries::iterator& own : own_)
    if (named_volume(std::get<0>(own->first), own->second.object) == name)
      return own->second.volume;
  return {};
}

WatchedObjects::Entries::iterator WatchedObjects::watch(Str resource, Str ns, Str name) {
  ObjectRef object = present(resource, ns, name);
  const std::lock_guard lock(mutex_);
  if (is_claim(resource) && claims_.size() < entries_.size() + 1) {
    std::vector<Entry*> more((entries_.size() + kFewClaims) * 2);
    std::vector<Entry*> fewer = std::exchange(claims_, std::move(more));
    for (Entry* first : fewer)
      while (first != nullptr) link(*std::exchange(first, first->next));
  }
  const auto [at, fresh] = entries_.try_emplace(ObjectWatch::Key(resource, ns, name));
  ++at->second.watches;
  if (fresh || !(at->second.object == object)) put(at->second, resource, std::move(object));
  return at;
}

void WatchedObjects::let_go(const std::vector<Entries::iterator>& entries) {
  const std::lock_guard lock(mutex_);
  for (const Entries::iterator& at : entries) {
    if (--at->second.watches != 0) continue;
    if (!named_volume(std::get<0>(at->first), at->second.object).empty()) unlink(at->second);
    entries_.erase(at);
  }
}

WatchedObjects::Entry*& WatchedObjects::claims_of(Str volume) {
  return claims_[hash_str(volume) % claims_.size()];
}

void WatchedObjects::link(Entry& claim) {
  Entry*& first = claims_of(volume_of_claim(claim.object));
  claim.next = std::exchange(first, &claim);
}

void WatchedObjects::unlink(Entry& claim) {
  Entry** at = &claims_of(volume_of_claim(claim.object));
  while (*at != &claim) at = &(*at)->next;
  *at = claim.next;
}

// Allocates nothing, because it must not fail: the change has already happened.
void WatchedObjects::put(Entry& entry, Str resource, ObjectRef object) {
  if (!named_volume(resource, entry.object).empty()) unlink(entry);
  entry.object = std::move(object);
  entry.volume = {};
  const Str volume = named_volume(resource, entry.object);
  if (volume.empty()) return;
  link(entry);
  entry.volume = present(event_resource(StoredKind::kPersistentVolume), {}, volume);
}

// The object as it is in the cluster now.
ObjectRef WatchedObjects::present(Str resource, Str ns, Str name) const {
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

void WatchedObjects::changed(const ObjectChange& change) {
  const ObjectMeta& meta = (change.after ? change.after : change.before)->meta;
  const std::lock_guard lock(mutex_);
  if (const auto at = entries_.find(ObjectWatch::Lookup(change.resource, meta.ns, meta.name));
      at != entries_.end())
    put(at->second, change.resource, change.after);
  if (change.resource != event_resource(StoredKind::kPersistentVolume) || claims_.empty()) return;
  for (Entry* claim = claims_of(meta.name); claim != nullptr; claim = claim->next)
    if (volume_of_claim(claim->object) == meta.name) claim->volume = change.after;
}

void WatchedObjects::resync() {
  const std::lock_guard lock(mutex_);
  for (auto& [key, entry] : entries_) {
    const auto& [resource, ns, name] = key;
    put(entry, resource, present(resource, ns, name));
  }
}

}  // namespace libsched
