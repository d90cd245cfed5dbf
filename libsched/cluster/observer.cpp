// ClusterObserver: notifying observers, and upstream's names for the changed resources.
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
    case StoredKind::kResourceClaim: return "resource.k8s.io/ResourceClaim";
    case StoredKind::kResourceSlice: return "resource.k8s.io/ResourceSlice";
    case StoredKind::kPodGroup: return "scheduling.k8s.io/PodGroup";
    case StoredKind::kCompositePodGroup: return "scheduling.k8s.io/CompositePodGroup";
    case StoredKind::kRuntimeClass: return "node.k8s.io/RuntimeClass";
    default: return stored_kind_name(kind);
  }
}

std::shared_ptr<ClusterObserver> Cluster::observer(const void* key) const {
  for (const auto& [k, o] : observers_)
    if (k == key) return o.lock();
  return nullptr;
}

void Cluster::observe(const void* key, const std::shared_ptr<ClusterObserver>& observer) {
  if (judging_ == 0)  // otherwise a caller may be iterating over them
    std::erase_if(observers_, [](const auto& o) { return o.second.expired(); });
  observers_.emplace_back(key, observer);
}

// Observers added meanwhile are not notified; removed ones leave their slot empty.
template <typename F>
void Cluster::tell(F&& f) noexcept {
  const Judging judging(this);
  for (size_t i = 0, n = observers_.size(); i < n; ++i)
    if (const auto observer = observers_[i].second.lock()) {
      try {
        f(*observer);
      } catch (...) {  // an observer's failure does not undo the change
      }
    }
}

void Cluster::tell_changes() noexcept {
  const std::vector<ObjectChange> changes = std::exchange(news_, {});
  tell([&](ClusterObserver& o) {
    for (const ObjectChange& c : changes) o.changed(c);
  });
}

void Cluster::tell_forked() noexcept {
  tell([](ClusterObserver& o) { o.forked(); });
}
void Cluster::tell_reverted() noexcept {
  tell([](ClusterObserver& o) { o.reverted(); });
}
void Cluster::tell_committed() noexcept {
  tell([](ClusterObserver& o) { o.committed(); });
}

}  // namespace libsched
