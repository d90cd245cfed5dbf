// Columns: growing by whole words of rows, keeping `left` in step with what is given and taken, and
// counting who names a resource.
#include "libsched/cluster/columns.hpp"

#include <algorithm>
#include <limits>

namespace libsched {

Columns::Columns() {
  for (const Str name : {"cpu", "memory", "ephemeral-storage", "pods"})
    resources_[make(name, hash_str(name))].users = 1;
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
    resources_.push_back(std::move(fresh));
  } else {
    for (id = kFirstScalar; resources_[id].born != 0;) ++id;
    --free_;
  }
  epoch_ = next_serial();
  Resource& r = resources_[id];
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
  if (resources_[id].users++ == 0) {
    --unused_;
    ++in_use_;
  }
  return id;
}

uint32_t Columns::unuse(const ScalarAmount& s) {
  const uint32_t id = find(s.name, s.name_hash);
  if (--resources_[id].users == 0) {
    ++unused_;
    --in_use_;
  }
  return id;
}

void Columns::collect(uint64_t since) noexcept {
  if (unused_ <= kKeptUnused || (since != 0 && made_ <= kKeptUnused)) return;
  for (uint32_t id = kFirstScalar; id < resources_.size(); ++id) {
    Resource& r = resources_[id];
    if (r.users != 0 || r.born <= since) continue;
    ids_.erase(r.hash, id);
    r.name.clear();
    r.born = 0;
    ++free_;
    --unused_;
  }
  // What stands last gives its memory back.
  for (; resources_.back().born == 0; --free_) resources_.pop_back();
  made_ = 0;
  epoch_ = next_serial();
}

void Columns::reserve_rows(size_t rows) {
  if (rows <= capacity_) return;
  const size_t capacity = (rows + rows / 4 + 63) / 64 * 64;
  for (Resource& r : resources_) {
    r.allocatable.resize(capacity);
    r.left.resize(capacity);
  }
  for (LineVector<double>& inverse : inverse_) inverse.resize(capacity);
  nonzero_cpu_.resize(capacity);
  nonzero_memory_.resize(capacity);
  capacity_ = capacity;  // last: what has grown if memory runs out is never seen
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

void Columns::add_pod(uint32_t row, const Resources& r, const NonZero& nonzero) {
  change_left<wrapping_sub>(
      r, [&](uint32_t id) -> int64_t& { return resources_[id].left[row]; },
      [&](const ScalarAmount& s) -> int64_t& { return resources_[use(s)].left[row]; });
  nonzero_cpu_[row] = wrapping_add(nonzero_cpu_[row], nonzero.milli_cpu);
  nonzero_memory_[row] = wrapping_add(nonzero_memory_[row], nonzero.memory);
}

void Columns::remove_pod(uint32_t row, const Resources& r, const NonZero& nonzero) {
  change_left<wrapping_add>(
      r, [&](uint32_t id) -> int64_t& { return resources_[id].left[row]; },
      [&](const ScalarAmount& s) -> int64_t& { return resources_[unuse(s)].left[row]; });
  nonzero_cpu_[row] = wrapping_sub(nonzero_cpu_[row], nonzero.milli_cpu);
  nonzero_memory_[row] = wrapping_sub(nonzero_memory_[row], nonzero.memory);
}

}  // namespace libsched
