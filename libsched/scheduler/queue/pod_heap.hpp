// PodHeap: a heap that knows each pod's position, with the steps of Go's container/heap, so that
// pods of equal rank come out in upstream's order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "libsched/scheduler/queue/queued_pod_info.hpp"

namespace libsched {

// `Less` puts one QueuedPodInfo before another.
template <typename Less>
class PodHeap {
 public:
  PodHeap(QueueHeap kind, Less less) : kind_(kind), less_(std::move(less)) {}

  bool empty() const { return pods_.empty(); }
  size_t size() const { return pods_.size(); }
  // Whether a pod, or a group, has ever been in it.
  bool ever_used(bool by_group) const { return ever_used_[by_group ? 1 : 0]; }
  QueuedPodInfo& top() const { return *pods_.front(); }
  const std::vector<QueuedPodInfo*>& pods() const { return pods_; }

  // After this, `more` calls of push() cannot fail.
  void reserve(size_t more) {
    if (pods_.capacity() - pods_.size() < more)
      pods_.reserve(std::max(pods_.size() + more, pods_.capacity() * 2));
  }
  void push(QueuedPodInfo& pod) {
    pods_.push_back(&pod);
    ever_used_[pod.members ? 1 : 0] = true;
    pod.heap = kind_;
    place(pods_.size() - 1);
    up(pods_.size() - 1);
  }
  void remove(QueuedPodInfo& pod) {
    const size_t i = pod.position, last = pods_.size() - 1;
    if (i != last) {
      swap(i, last);
      if (!down(i, last)) up(i);
    }
    pods_.pop_back();
    pod.heap = QueueHeap::kNone;
  }
  QueuedPodInfo& pop() {
    const size_t last = pods_.size() - 1;
    swap(0, last);
    down(0, last);
    QueuedPodInfo& pod = *pods_.back();
    pods_.pop_back();
    pod.heap = QueueHeap::kNone;
    return pod;
  }
  // Restores the order after the pod's rank has changed.
  void fix(QueuedPodInfo& pod) {
    const size_t i = pod.position;
    if (!down(i, pods_.size())) up(i);
  }
  // Puts `pod` in the place of `old`.
  void replace(QueuedPodInfo& old, QueuedPodInfo& pod) {
    pods_[old.position] = &pod;
    pod.heap = kind_;
    pod.position = old.position;
    old.heap = QueueHeap::kNone;
    fix(pod);
  }

  // The pods that pop() would return as long as more(pod) holds.
  template <typename More>
  std::vector<QueuedPodInfo*> upcoming(More&& more) const {
    std::vector<QueuedPodInfo*> out;
    if (empty() || !more(top())) return out;
    PodHeap copy(QueueHeap::kNone, less_, pods_);
    while (!copy.pods_.empty() && more(*copy.pods_.front())) {
      out.push_back(copy.pods_.front());
      const size_t last = copy.pods_.size() - 1;
      std::swap(copy.pods_[0], copy.pods_[last]);
      copy.down(0, last);
      copy.pods_.pop_back();
    }
    return out;
  }

  // The pods in the order in which a heap would return them.
  static std::vector<QueuedPodInfo*> sorted(const std::vector<QueuedPodInfo*>& pods, Less less) {
    PodHeap copy(QueueHeap::kNone, std::move(less), {});
    for (QueuedPodInfo* pod : pods) {
      copy.pods_.push_back(pod);
      copy.up(copy.size() - 1);
    }
    return copy.upcoming([](const QueuedPodInfo&) { return true; });
  }

 private:
  PodHeap(QueueHeap kind, Less less, std::vector<QueuedPodInfo*> pods)
      : kind_(kind), less_(std::move(less)), pods_(std::move(pods)) {}

  void place(size_t i) {
    if (kind_ != QueueHeap::kNone) pods_[i]->position = static_cast<uint32_t>(i);
  }
  void swap(size_t i, size_t j) {
    std::swap(pods_[i], pods_[j]);
    place(i);
    place(j);
  }
  void up(size_t j) {
    while (j > 0) {
      const size_t parent = (j - 1) / 2;
      if (!less_(*pods_[j], *pods_[parent])) break;
      swap(parent, j);
      j = parent;
    }
  }
  // Returns whether it moved.
  bool down(size_t start, size_t count) {
    size_t i = start;
    while (true) {
      size_t child = 2 * i + 1;
      if (child >= count) break;
      if (child + 1 < count && less_(*pods_[child + 1], *pods_[child])) ++child;
      if (!less_(*pods_[child], *pods_[i])) break;
      swap(i, child);
      i = child;
    }
    return i > start;
  }

  bool ever_used_[2] = {};
  QueueHeap kind_;  // kNone: a copy, which does not change the pods
  Less less_;
  std::vector<QueuedPodInfo*> pods_;
};

}  // namespace libsched
