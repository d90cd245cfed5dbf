// PodTable: the pods in the queue by namespace and name; it owns them.
#pragma once

#include <vector>

#include "libsched/base/id_table.hpp"
#include "libsched/scheduler/queue/queued_pod_info.hpp"

namespace libsched {

class PodTable {
 public:
  // Null: not in the table.
  QueuedPodInfo* find(const Pod& pod) const {
    const uint32_t i = index_.find(pod.meta.key_hash, [&](uint32_t slot) {
      const ObjectMeta& there = pods_[slot]->pod->meta;
      return same_text(there.name, pod.meta.name) && same_text(there.ns, pod.meta.ns);
    });
    return i == kNoId ? nullptr : pods_[i].get();
  }
  // After this, one insert() cannot fail.
  void reserve() {
    index_.reserve();
    if (!free_.empty()) return;
    if (pods_.size() == pods_.capacity()) {
      const size_t room = pods_.capacity() * 2 + 16;
      free_.reserve(room);
      pods_.reserve(room);
    }
  }
  // The table must have no pod of this name.
  void insert(QueuedPodRef pod) {
    if (free_.empty()) {
      free_.push_back(static_cast<uint32_t>(pods_.size()));
      pods_.emplace_back();
    }
    const uint32_t slot = free_.back();
    free_.pop_back();
    pod->slot = slot;
    index_.insert_reserved(pod->pod->meta.key_hash, slot);
    pods_[slot] = std::move(pod);
  }
  QueuedPodRef remove(QueuedPodInfo& pod) {
    index_.erase(pod.pod->meta.key_hash, pod.slot);
    free_.push_back(pod.slot);
    return std::exchange(pods_[pod.slot], {});
  }
  // Puts `pod` in the place of `old`, which has the same name.
  QueuedPodRef replace(const QueuedPodInfo& old, QueuedPodRef pod) {
    pod->slot = old.slot;
    return std::exchange(pods_[old.slot], std::move(pod));
  }

 private:
  IdTable index_;                   // into pods_
  std::vector<QueuedPodRef> pods_;  // null: free
  std::vector<uint32_t> free_;      // has room for all entries
};

}  // namespace libsched
