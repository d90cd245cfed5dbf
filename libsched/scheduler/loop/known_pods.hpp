// KnownPods: the pods of the API server as the scheduler has last seen them, by namespace and name.
// Those with a node are in the cluster, and this keeps the others.
#pragma once

#include <vector>

#include "libsched/base/id_table.hpp"
#include "libsched/cluster/cluster.hpp"
#include "libsched/framework/services.hpp"

namespace libsched {

class KnownPods final : public PodLister {
 public:
  explicit KnownPods(const Cluster& cluster) : cluster_(cluster) {}

  // Null: there is none. The pod lives until the next change.
  const Pod* find_pod(Str ns, Str name) const override {
    if (const uint32_t i = find(object_key_hash(ns, name), ns, name); i != kNoId)
      return pods_[i].get();
    return find_assigned(ns, name);
  }
  // A pod that has a node at the API server, not only an assumed one.
  const Pod* find_assigned(Str ns, Str name) const {
    const uint32_t slot = cluster_.view().find_pod(ns, name);
    if (slot == kNoId || cluster_.view().slot(slot).assumed) return nullptr;
    return cluster_.view().slot(slot).pod.get();
  }
  // A pod without a node, or null.
  const Pod* find_unassigned(const Pod& pod) const {
    const uint32_t i = find(pod.meta.key_hash, pod.meta.ns, pod.meta.name);
    return i == kNoId ? nullptr : pods_[i].get();
  }

  // After this, one put() cannot fail.
  void reserve() {
    index_.reserve();
    if (!free_.empty()) return;
    if (pods_.size() == pods_.capacity()) {
      free_.reserve(pods_.capacity() * 2 + 16);
      pods_.reserve(pods_.capacity() * 2 + 16);
    }
    free_.push_back(static_cast<uint32_t>(pods_.size()));
    pods_.emplace_back();
  }
  // A pod without a node is new or has changed.
  void put(const PodRef& pod) {
    if (const uint32_t i = find(pod->meta.key_hash, pod->meta.ns, pod->meta.name); i != kNoId) {
      pods_[i] = pod;
      return;
    }
    reserve();
    const uint32_t i = free_.back();
    free_.pop_back();
    pods_[i] = pod;
    index_.insert_reserved(pod->meta.key_hash, i);
  }
  void remove(const Pod& pod) {
    const uint32_t i = find(pod.meta.key_hash, pod.meta.ns, pod.meta.name);
    if (i == kNoId) return;
    index_.erase(pod.meta.key_hash, i);
    free_.push_back(i);
    pods_[i] = nullptr;
  }
  size_t unassigned_count() const { return index_.size(); }

 private:
  uint32_t find(uint64_t hash, Str ns, Str name) const {
    return index_.find(hash, [&](uint32_t i) {
      return same_text(pods_[i]->meta.name, name) && same_text(pods_[i]->meta.ns, ns);
    });
  }

  const Cluster& cluster_;
  IdTable index_;               // into pods_
  std::vector<PodRef> pods_;    // null: free
  std::vector<uint32_t> free_;  // has room for all entries
};

}  // namespace libsched
