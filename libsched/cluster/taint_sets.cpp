// TaintSets: finding or making the set of a list of taints, and moving rows between sets.
#include "libsched/cluster/taint_sets.hpp"

#include <algorithm>

namespace libsched {
namespace {

bool same_taints(Span<Taint> a, Span<Taint> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Taint& x, const Taint& y) {
    return x.key == y.key && x.value == y.value && x.effect_text == y.effect_text;
  });
}

}  // namespace

uint32_t TaintSets::prepare(const NodeRef& node, size_t capacity) {
  if (node->taints.empty()) return kNoId;
  uint32_t id = ids_.find(node->taints_hash,
                          [&](uint32_t i) { return same_taints(sets_[i].taints, node->taints); });
  if (id == kNoId) {
    sets_.reserve();
    ids_.reserve();
    id = sets_.take();
    epoch_ = next_serial();
    sets_.edit(id) = {node, node->taints, node->taints_hash, epoch_, {}};
    ids_.insert_reserved(node->taints_hash, id);
    ++unused_;
  }
  sets_.edit(id).rows.reserve(capacity);
  return id;
}

void TaintSets::add(uint32_t row, uint32_t id) noexcept {
  if (id == kNoId) return;
  Posting& rows = sets_.edit(id).rows;
  if (rows.count() == 0) --unused_;
  rows.add(row);
}

void TaintSets::remove(uint32_t row, uint32_t id) noexcept {
  if (id == kNoId) return;
  Posting& rows = sets_.edit(id).rows;
  rows.remove(row);
  if (rows.count() == 0) ++unused_;
}

void TaintSets::collect(uint64_t since) noexcept {
  for (uint32_t id = 0; id < sets_.size(); ++id) {
    if (!sets_[id].owner || sets_[id].rows.count() != 0 || sets_[id].born <= since) continue;
    ids_.erase(sets_[id].hash, id);
    sets_.edit(id) = {};
    sets_.give_back(id);
    --unused_;
    epoch_ = next_serial();
  }
}

TaintSets TaintSets::publish() {
  TaintSets out;
  out.sets_ = sets_.publish();
  out.ids_ = ids_.publish();
  out.unused_ = unused_;
  out.epoch_ = epoch_;
  return out;
}

}  // namespace libsched
