// ClassCache: finding a class, following the log, and forgetting what was used least recently.
#include "libsched/framework/class_cache.hpp"

#include <cassert>
#include <utility>

namespace libsched {
namespace {

constexpr size_t kEntry = 160;  // bytes of the table, the list and the allocations
constexpr size_t kFewClasses = 64;

}  // namespace

void ClassCache::configure(ClassCacheMode mode, size_t max_bytes) {
  by_name_.clear();
  by_id_.clear();
  classes_.clear();
  bytes_ = 0;
  evicted_ = false;
  mode_ = mode;
  max_bytes_ = max_bytes == 0 ? kDefaultBytes : max_bytes;
}

// An order that does not hold all nodes has no places for them.
bool ClassCache::serves(const View& view) const {
  if (view.order_membership() != view.membership()) return false;
  switch (mode_) {
    case ClassCacheMode::kOff: return false;
    case ClassCacheMode::kAuto: return view.node_count() >= kFewNodes;
    default: return true;
  }
}

KeptClass& ClassCache::find(const Pod& pod) {
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
KeptClass& ClassCache::find_by_name(const Pod& pod) {
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
void ClassCache::count(KeptClass* of) {
  if (std::exchange(of->counted, true)) return;
  const size_t now =
      kEntry + sizeof *of + of->name.size() + of->verdicts.bytes() + of->cycle.bytes();
  bytes_ += now - of->bytes;
  of->bytes = now;
}

KeptClass* ClassCache::find_ready(const View& view, const Pod& pod) {
  KeptClass& kept = find(pod);
  if (!kept.cycle.stands_in(view)) return nullptr;
  if (few_.read(view.log(), kept.cycle.cursor(), view.row_count())) return &kept;
  kept.cycle.forget();
  return nullptr;
}

void ClassCache::evict() {
  if (bytes_ <= max_bytes_) return;
  by_id_.clear();
  evicted_ = true;
  while (bytes_ > max_bytes_ && !classes_.empty()) {
    bytes_ -= classes_.back().bytes;
    by_name_.erase({classes_.back().name, classes_.back().hash});
    classes_.pop_back();
  }
}

Result<KeptClass*> ClassCache::follow(const Framework& framework, const FilterCall& call,
                                      Workspace* work) {
  // The latest class has been scored since it was counted.
  if (!classes_.empty()) count(&classes_.front());
  evict();
  KeptClass& kept = find(call.pod);
  kept.counted = false;
  // While classes are few, most pods are followed by others of their class.
  const bool few = classes_.size() <= kFewClasses && !evicted_;
  const bool first_of_few = !std::exchange(kept.met_, true) && few;
  kept.lately_ = first_of_few || call.view.log().distance(kept.cursor) < FewChanges::kMost;
  if (std::exchange(kept.open, true)) {
    kept.cursor = {};
    kept.verdicts = {};
  }
  changes_.read(call.view.log(), kept.cursor, call.view.word_count());
  LIBSCHED_TRY(kept.verdicts.follow(framework, call, changes_, work));
  kept.cursor = call.view.log().cursor();
  kept.open = false;
  if (mode_ == ClassCacheMode::kChecked)
    LIBSCHED_TRY(kept.verdicts.compare(framework, call, work->steps));
  return &kept;
}

}  // namespace libsched
