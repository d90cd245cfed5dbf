// UnschedulablePods: the pods that wait for an event or a gate, in the order of their arrival.
#pragma once

#include "libsched/scheduler/queue/queued_pod_info.hpp"

namespace libsched {

class UnschedulablePods {
 public:
  size_t size() const { return size_; }
  size_t gated() const { return gated_; }
  // Whether a pod, or a group, has ever been gated, or waited for anything else.
  bool ever_waited(bool gated, bool group) const {
    return ever_waited_[gated ? 1 : 0][group ? 1 : 0];
  }
  QueuedPodInfo* first() const { return first_; }  // the others by QueuedPodInfo::next

  void add(QueuedPodInfo& pod) {
    pod.waits = true;
    pod.previous = last_;
    pod.next = nullptr;
    (last_ == nullptr ? first_ : last_->next) = &pod;
    last_ = &pod;
    ++size_;
    note(pod);
  }
  void remove(QueuedPodInfo& pod) {
    (pod.previous == nullptr ? first_ : pod.previous->next) = pod.next;
    (pod.next == nullptr ? last_ : pod.next->previous) = pod.previous;
    pod.previous = pod.next = nullptr;
    pod.waits = false;
    --size_;
    gated_ -= pod.gated() ? 1 : 0;
  }
  // Records that this plugin, or none, gates a pod of this list.
  void gate(QueuedPodInfo& pod, PluginId plugin) {
    gated_ -= pod.gated() ? 1 : 0;
    pod.gating = plugin;
    note(pod);
  }

 private:
  void note(const QueuedPodInfo& pod) {
    gated_ += pod.gated() ? 1 : 0;
    ever_waited_[pod.gated() ? 1 : 0][pod.members ? 1 : 0] = true;
  }

  QueuedPodInfo *first_ = nullptr, *last_ = nullptr;
  size_t size_ = 0, gated_ = 0;
  bool ever_waited_[2][2] = {};
};

}  // namespace libsched
