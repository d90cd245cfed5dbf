// ClassMemory: finding a class, and forgetting what was used least recently.
#include "libsched/kept/class_memory.hpp"

#include <utility>

namespace libsched {
namespace {

constexpr size_t kEntry = 160;  // bytes of the table, the list and the allocations
constexpr size_t kFewClasses = 64;

}  // namespace

void ClassMemory::configure(ClassMemoryMode mode, size_t max_bytes) {
  by_number_.clear();
  classes_.clear();
  bytes_ = 0;
  evicted_ = false;
  mode_ = mode;
  max_bytes_ = max_bytes == 0 ? kDefaultBytes : max_bytes;
}

bool ClassMemory::pays(const View& view) const {
  switch (mode_) {
    case ClassMemoryMode::kOff: return false;
    case ClassMemoryMode::kAuto: return view.node_count() >= kFewNodes;
    default: return true;
  }
}

// The class becomes the first of classes_.
KeptClass& ClassMemory::first(uint64_t number) {
  if (!classes_.empty() && classes_.front().number == number) return classes_.front();
  if (const auto found = by_number_.find(number); found != by_number_.end()) {
    classes_.splice(classes_.begin(), classes_, found->second);
    return classes_.front();
  }
  Classes fresh(1);
  fresh.front().number = number;
  by_number_.emplace(number, fresh.begin());
  classes_.splice(classes_.begin(), fresh);
  return classes_.front();
}

// What a class keeps grows in whole cycles only.
void ClassMemory::count(KeptClass* of) {
  if (std::exchange(of->counted, true)) return;
  const size_t now =
      kEntry + sizeof *of + of->failure_bytes + of->filters.bytes() + of->scores.bytes();
  bytes_ += now - of->bytes;
  of->bytes = now;
}

KeptClass& ClassMemory::find(const View& view, uint64_t number) {
  if (!classes_.empty()) count(&classes_.front());  // which may have grown since
  if (bytes_ > max_bytes_) evict();
  KeptClass& kept = first(number);
  // While classes are few, most pods are followed by others of their class.
  const bool few = classes_.size() <= kFewClasses && !evicted_;
  const bool first_of_few = !std::exchange(kept.met_, true) && few;
  kept.lately_ = first_of_few || view.log().distance(kept.filters.cursor()) < FewChanges::kMost;
  return kept;
}

void ClassMemory::evict() {
  evicted_ = true;
  while (bytes_ > max_bytes_ && !classes_.empty()) {
    bytes_ -= classes_.back().bytes;
    by_number_.erase(classes_.back().number);
    classes_.pop_back();
  }
}

}  // namespace libsched
