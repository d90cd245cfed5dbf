// ClusterObserver: telling those who listen, and upstream's names for what has changed.
#include "libsched/cluster/observer.hpp"

#include "libsched/cluster/cluster.hpp"

namespace libsched {

Str event_resource(StoredKind kind) {
  switch (kind) {
    case StoredKind::kStorageClass: return "storage.k8s.io/StorageClass";
    case StoredKind::kCsiNode: return "storage.k8s.io/CSINode";
    case StoredKind::kCsiDriver: return "storage.k8s.io/CSIDriver";
    case StoredKind::kCsiStorageCapacity: return "storage.k8s.io/CSIStorageCapacity";
    case StoredKind::kVolumeAttachment: return "storage.k8s.io/VolumeAttachment";
    case StoredKind::kDeviceClass: return "resource.k8s.io/DeviceClass";
    default: return stored_kind_name(kind);
  }
}

std::shared_ptr<ClusterObserver> Cluster::observer(const void* key) const {
  for (const auto& [k, o] : observers_)
    if (k == key) return o.lock();
  return nullptr;
}

void Cluster::observe(const void* key, const std::shared_ptr<ClusterObserver>& observer) {
  std::erase_if(observers_, [](const auto& o) { return o.second.expired(); });
  observers_.emplace_back(key, observer);
}

// Of copies: an observer may come or go meanwhile.
template <typename F>
void Cluster::tell(F&& f) {
  const Judging judging(this);
  for (const auto& [key, weak] : std::vector(observers_))
    if (const auto observer = weak.lock()) f(*observer);
}

void Cluster::tell_changes() {
  const std::vector<ObjectChange> changes = std::exchange(news_, {});
  tell([&](ClusterObserver& o) {
    for (const ObjectChange& c : changes) o.changed(c);
  });
}

void Cluster::tell_forked() {
  tell([](ClusterObserver& o) { o.forked(); });
}
void Cluster::tell_reverted() {
  tell([](ClusterObserver& o) { o.reverted(); });
}
void Cluster::tell_committed() {
  tell([](ClusterObserver& o) { o.committed(); });
}

}  // namespace libsched
