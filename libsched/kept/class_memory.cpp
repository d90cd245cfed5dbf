// ClassMemory: finding a class, and forgetting what was used least recently.
#include "libsched/kept/class_memory.hpp"

#include <cassert>
#include <utility>

namespace libsched {
namespace {

constexpr size_t kEntry = 160;  // bytes of the table, the list and the allocations
constexpr size_t kFewClasses = 64;

}  // namespace

void ClassMemory::configure(ClassMemoryMode mode, size_t max_bytes) {
  by_name_.clear();
  by_id_.clear();
  classes_.clear();
  bytes_ = 0;
  evicted_ = false;
  mode_ = mode;
  max_bytes_ = max_bytes == 0 ? kDefaultBytes : max_bytes;
}

// An order that does not hold all nodes has no places for them.
bool ClassMemory::serves(const View& view) const {
  if (view.order_membership() != view.membership()) return false;
  switch (mode_) {
    case ClassMemoryMode::kOff: return false;
    case ClassMemoryMode::kAuto: return view.node_count() >= kFewNodes;
    default: return true;
  }
}

KeptClass& ClassMemory::find(const Pod& pod) {
  if (pod.class_id == 0) return find_by_name(pod);
  if (const Classes::iterator* const found = by_id_.find(pod.class_id); found != nullptr) {
    assert((*found)->name == pod_class(pod));
    if (*found != classes_.begin()) {
      count(&classes_.front());
      classes_.splice(classes_.begin(), classes_, *found);
    }
    return classes_.front();
  }
  KeptClass& found = find_by_name(pod);
  by_id_.put(pod.class_id, classes_.begin());
  return found;
}

// The class becomes the first of classes_.
KeptClass& ClassMemory::find_by_name(const Pod& pod) {
  if (std::exchange(name_serial_, pod.serial) != pod.serial) {
    name_serial_ = 0;
    name_ = pod_class(pod, &name_room_);
    name_serial_ = pod.serial;
  }
  // Replicas often come one after the other.
  if (!classes_.empty() && classes_.front().name == name_) return classes_.front();
  if (!classes_.empty()) count(&classes_.front());
  const uint64_t hash = hash_str(name_);
  if (const auto found = by_name_.find({name_, hash}); found != by_name_.end()) {
    classes_.splice(classes_.begin(), classes_, found->second);
    return classes_.front();
  }
  Classes fresh(1);
  fresh.front().name = name_;
  fresh.front().hash = hash;
  by_name_.emplace(Key{fresh.front().name, hash}, fresh.begin());
  classes_.splice(classes_.begin(), fresh);
  return classes_.front();
}

// What a class keeps grows in whole cycles only.
void ClassMemory::count(KeptClass* of) {
  if (std::exchange(of->counted, true)) return;
  const size_t now = kEntry + sizeof *of + of->name.size() + of->failure_bytes +
                     of->filters.bytes() + of->scores.bytes();
  bytes_ += now - of->bytes;
  of->bytes = now;
}

KeptClass& ClassMemory::find(const View& view, const Pod& pod) {
  if (!classes_.empty()) count(&classes_.front());  // which may have grown since
  if (bytes_ > max_bytes_) evict();
  KeptClass& kept = find(pod);
  // While classes are few, most pods are followed by others of their class.
  const bool few = classes_.size() <= kFewClasses && !evicted_;
  const bool first_of_few = !std::exchange(kept.met_, true) && few;
  kept.lately_ = first_of_few || view.log().distance(kept.filters.cursor()) < FewChanges::kMost;
  return kept;
}

void ClassMemory::evict() {
  by_id_.clear();
  evicted_ = true;
  while (bytes_ > max_bytes_ && !classes_.empty()) {
    bytes_ -= classes_.back().bytes;
    by_name_.erase({classes_.back().name, classes_.back().hash});
    classes_.pop_back();
  }
}

}  // namespace libsched
