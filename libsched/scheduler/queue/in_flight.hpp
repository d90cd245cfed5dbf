// InFlight: the pods that are being scheduled or bound, and the events since, in one list, so that
// a returning pod can look at the events since it was popped.
#pragma once

#include <cstddef>
#include <vector>

#include "libsched/base/id_table.hpp"
#include "libsched/cluster/observer.hpp"
#include "libsched/objects/pod.hpp"

namespace libsched {

struct EventPlan;

class InFlight {
 public:
  struct Entry {
    PodRef pod;  // as it was popped; null: an event
    const EventPlan* event = nullptr;
    ObjectChange change;
    uint32_t previous = kNoId, next = kNoId;
  };

  bool empty() const { return pods_.size() == 0; }  // no pods, and thus no events
  bool has(const Pod& pod) const { return find(pod) != kNoId; }
  size_t pod_count() const { return pods_.size(); }
  size_t event_count() const { return entries_.size() - free_.size() - pods_.size(); }

  // After this, `more` calls of push() cannot fail.
  void reserve(size_t more);
  void push(const PodRef& pod);  // which must not be in the list
  void push(const EventPlan& event, const ObjectChange& change);
  // Removes the pod, and events that are now the oldest entries. No effect if it is not there.
  void done(const Pod& pod) { done(find(pod)); }
  void done(Str uid);  // or "namespace/name" of a pod without a uid
  void clear();

  // Calls f(entry) for all entries, oldest first.
  template <typename F>
  void for_each(F&& f) const {
    for (uint32_t i = first_; i != kNoId; i = entries_[i].next) f(entries_[i]);
  }
  // Calls f(entry) for the events since the pod was popped, until it returns true. Returns false if
  // the pod is not in flight.
  template <typename F>
  bool any_since(const Pod& pod, F&& f) const {
    uint32_t i = find(pod);
    if (i == kNoId) return false;
    while ((i = entries_[i].next) != kNoId)
      if (!entries_[i].pod && f(entries_[i])) break;
    return true;
  }

 private:
  uint32_t find(const Pod& pod) const;
  uint32_t append();
  void remove(uint32_t i);
  void done(uint32_t i);

  std::vector<Entry> entries_;
  std::vector<uint32_t> free_;  // has room for all entries
  IdTable pods_;                // by uid, into entries_
  uint32_t first_ = kNoId, last_ = kNoId;
};

}  // namespace libsched
