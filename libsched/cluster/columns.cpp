// Columns: growing by whole words of rows, updating `left` with changed amounts, and counting the
// users of each resource.
#include "libsched/cluster/columns.hpp"

#include <algorithm>
#include <limits>

namespace libsched {

Columns::Columns() {
  for (const Str name : {"cpu", "memory", "ephemeral-storage", "pods"})
    resources_.edit(make(name, hash_str(name))).users = 1;
  in_use_ = kFirstScalar;
  unused_ = 0;
}

uint32_t Columns::find(Str name, uint64_t hash) const {
  return ids_.find(hash, [&](uint32_t id) { return resources_[id].name == name; });
}

bool Columns::Room::add(const Resources& r) {
  for (const ScalarAmount& s : r.scalars) {
    const uint32_t id = columns_.find(s.name, s.name_hash);
    if (id != kNoId && columns_.resources_[id].users != 0) continue;
    if (ids_.find(s.name_hash, [&](uint32_t i) { return names_[i] == s.name; }) != kNoId) continue;
    if (++count_ > kMaxResources) return false;
    ids_.insert(s.name_hash, static_cast<uint32_t>(names_.size()));
    names_.push_back(s.name);
  }
  return true;
}

uint32_t Columns::make(Str name, uint64_t hash) {
  ids_.reserve();
  std::string text(name);
  auto id = static_cast<uint32_t>(resources_.size());
  if (free_ == 0) {
    Resource fresh;
    fresh.allocatable.resize(capacity_);
    fresh.left.resize(capacity_);
    if (id >= kFirstScalar) fresh.blocks.reserve(capacity_);
    resources_.push_back(std::move(fresh));
  } else {
    for (id = kFirstScalar; resources_[id].born != 0;) ++id;
    --free_;
  }
  epoch_ = next_serial();
  Resource& r = resources_.edit(id);
  r.name = std::move(text);
  r.hash = hash;
  r.born = epoch_;
  ids_.insert_reserved(hash, id);
  ++unused_;
  ++made_;
  return id;
}

void Columns::make_missing(const Resources& r) {
  for (const ScalarAmount& s : r.scalars)
    if (find(s.name, s.name_hash) == kNoId) make(s.name, s.name_hash);
}

uint32_t Columns::use(const ScalarAmount& s) {
  const uint32_t id = find(s.name, s.name_hash);
  if (resources_.edit(id).users++ == 0) {
    --unused_;
    ++in_use_;
  }
  return id;
}

uint32_t Columns::unuse(const ScalarAmount& s) {
  const uint32_t id = find(s.name, s.name_hash);
  if (--resources_.edit(id).users == 0) {
    ++unused_;
    --in_use_;
  }
  return id;
}

void Columns::reclaim(uint64_t since) noexcept {
  for (uint32_t id = kFirstScalar; id < resources_.size(); ++id) {
    Resource& r = resources_.edit(id);
    if (r.users != 0 || r.born <= since) continue;
    ids_.erase(r.hash, id);
    r.name.clear();
    r.born = 0;
    ++free_;
    --unused_;
  }
  // Columns at the end release their memory.
  for (; resources_.back().born == 0; --free_) resources_.pop_back();
  made_ = 0;
  epoch_ = next_serial();
}

void Columns::reserve_rows(size_t rows) {
  if (rows <= capacity_) return;
  const size_t capacity = (rows + rows / 4 + 63) / 64 * 64;
  for (size_t id = 0; id < resources_.size(); ++id) {
    Resource& r = resources_.edit(id);
    r.allocatable.resize(capacity);
    r.left.resize(capacity);
    if (id >= kFirstScalar) r.blocks.reserve(capacity);
  }
  for (LineVector<double>& column : inverse_) column.resize(capacity);
  for (LineVector<int64_t>& column : nonzero_) column.resize(capacity);
  memos_.resize(capacity, kNoMemo);
  usual_.reserve(capacity);
  capacity_ = capacity;  // last: if memory runs out, partial growth is never seen
}

void Columns::set_allocatable(uint32_t row, const Resources& r) {
  set(kCpu, row, r.milli_cpu);
  set(kMemory, row, r.memory);
  set(kEphemeralStorage, row, r.ephemeral_storage);
  // Upstream compares the number of pods with this without subtracting, so it must not wrap around.
  set(kPods, row, std::max(r.pods, std::numeric_limits<int64_t>::min() / 2));
  for (const ScalarAmount& s : r.scalars) set(use(s), row, s.value);
}

void Columns::clear_allocatable(uint32_t row, const Resources& r) {
  for (uint32_t id = 0; id < kFirstScalar; ++id) set(id, row, 0);
  for (const ScalarAmount& s : r.scalars) set(unuse(s), row, 0);
}

Columns::Resource Columns::Resource::published() {
  blocks.renew(allocatable.size() / 64, [&](Block* block, size_t w) {
    std::copy_n(&allocatable[w * 64], 64, block->allocatable);
    std::copy_n(&left[w * 64], 64, block->left);
  });
  return {.name = name, .hash = hash, .users = users, .born = born, .blocks = blocks.published()};
}

void Columns::fill(Usual* block, size_t word) const {
  const size_t first = word * 64;
  for (uint32_t id = 0; id < kFirstScalar; ++id) {
    std::copy_n(&resources_[id].allocatable[first], 64, block->allocatable[id]);
    std::copy_n(&resources_[id].left[first], 64, block->left[id]);
  }
  for (uint32_t id = 0; id < kInverses; ++id)
    std::copy_n(&nonzero_[id][first], 64, block->nonzero[id]);
}

Columns Columns::publish() {
  usual_.renew(capacity_ / 64, [&](Usual* block, size_t word) { fill(block, word); });
  Columns out{Empty()};
  out.resources_ = resources_.publish();
  out.usual_ = usual_.published();
  out.ids_ = ids_.publish();
  out.capacity_ = capacity_;
  out.in_use_ = in_use_;
  out.unused_ = unused_;
  out.free_ = free_;
  out.epoch_ = epoch_;
  return out;
}

}  // namespace libsched
