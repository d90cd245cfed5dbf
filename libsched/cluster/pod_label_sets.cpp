// PodLabelSets: interning the parts of pods that selectors see.
#include "libsched/cluster/pod_label_sets.hpp"

#include <algorithm>
#include <utility>

#include "libsched/base/same_text.hpp"

namespace libsched {
namespace {

uint64_t hash_of(const Pod& pod) {
  uint64_t h = hash_str(pod.meta.ns, pod.meta.terminating() ? 1 : 0);
  for (const Label& l : pod.meta.labels) h = hash_mix(h, l.pair_hash);
  return h;
}

bool same_labels(const Pod& a, const Pod& b) {
  if (!same_text(a.meta.ns, b.meta.ns) || a.meta.terminating() != b.meta.terminating())
    return false;
  const Labels x = a.meta.labels, y = b.meta.labels;
  if (x.data() == y.data() && x.size() == y.size()) return true;  // copies of one template
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const Label& l, const Label& m) {
    return l.pair_hash == m.pair_hash && same_text(l.key, m.key) && same_text(l.value, m.value);
  });
}

}  // namespace

// The set of the pod's labels, or kNoId; then *hash is theirs.
uint32_t PodLabelSets::find(const Pod& pod, uint64_t* hash) {
  const uint64_t key = key_of(pod);
  if (const uint32_t* const set = seen_.find(key); set != nullptr) return *set;
  *hash = hash_of(pod);
  const uint32_t id =
      ids_.find(*hash, [&](uint32_t i) { return same_labels(*sets_[i].owner, pod); });
  if (id != kNoId) seen_.put(key, id);
  return id;
}

uint32_t PodLabelSets::add(uint32_t slot, const Pod& pod, bool* fresh) {
  uint64_t hash = 0;
  uint32_t id = find(pod, &hash);
  *fresh = id == kNoId;
  if (*fresh) {
    if (free_.empty()) {
      id = static_cast<uint32_t>(sets_.size());
      sets_.push_back({});
    } else {
      id = free_.back();
      free_.pop_back();
    }
    sets_.edit(id) = {PodRef::share(&pod), hash, 0, {}};
    ids_.insert(hash, id);
  } else if (sets_[id].pods == 0) {
    --unused_;
  }
  ++sets_.edit(id).pods;
  if (of_slot_.size() <= slot) of_slot_.resize(slot + 1 + slot / 4, kNoId);
  of_slot_.edit(slot) = id;
  return id;
}

uint32_t PodLabelSets::remove(uint32_t slot) {
  const uint32_t id = std::exchange(of_slot_.edit(slot), kNoId);
  if (--sets_.edit(id).pods == 0) ++unused_;
  return id;
}

void PodLabelSets::collect() {
  // Sets of a what-if's pods are kept for a while, for the next what-if.
  if (unused_ <= 1024 || unused_ * 2 <= ids_.size()) return;
  seen_.clear();
  for (uint32_t id = 0; id < sets_.size(); ++id) {
    if (!sets_[id].owner || sets_[id].pods != 0) continue;
    ids_.erase(sets_[id].hash, id);
    sets_.edit(id) = {};
    free_.push_back(id);
  }
  unused_ = 0;
}

}  // namespace libsched
