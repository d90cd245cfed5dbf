// Columns: growing by whole words of rows, and keeping `left` in step with what is given and taken.
#include "libsched/cluster/columns.hpp"

#include <algorithm>
#include <limits>

namespace libsched {

Columns::Columns() {
  for (const Str name : {"cpu", "memory", "ephemeral-storage", "pods"})
    intern(name, hash_str(name));
}

uint32_t Columns::find(Str name, uint64_t hash) const {
  return ids_.find(hash, [&](uint32_t id) { return resources_[id].name == name; });
}

uint32_t Columns::intern(Str name, uint64_t hash) {
  uint32_t id = find(name, hash);
  if (id != kNoId) return id;
  if (resources_.size() >= kMaxResources) return kNoId;
  id = static_cast<uint32_t>(resources_.size());
  Resource r{std::string(name), hash, {}, {}};
  r.allocatable.resize(capacity_);
  r.left.resize(capacity_);
  resources_.push_back(std::move(r));
  ids_.insert(hash, id);
  epoch_ = next_serial();
  return id;
}

void Columns::reserve_rows(size_t rows) {
  if (rows <= capacity_) return;
  capacity_ = (rows + rows / 4 + 63) / 64 * 64;
  for (Resource& r : resources_) {
    r.allocatable.resize(capacity_);
    r.left.resize(capacity_);
  }
  for (std::vector<double>& inverse : inverse_) inverse.resize(capacity_);
  nonzero_cpu_.resize(capacity_);
  nonzero_memory_.resize(capacity_);
}

void Columns::set_allocatable(uint32_t row, const Resources& r) {
  set(kCpu, row, r.milli_cpu);
  set(kMemory, row, r.memory);
  set(kEphemeralStorage, row, r.ephemeral_storage);
  // Upstream compares the number of pods with this without subtracting, so it must not wrap around.
  set(kPods, row, std::max(r.pods, std::numeric_limits<int64_t>::min() / 2));
  for (const ScalarAmount& s : r.scalars) set(find(s.name, s.name_hash), row, s.value);
}

void Columns::clear_allocatable(uint32_t row) {
  for (uint32_t id = 0; id < resources_.size(); ++id)
    if (resources_[id].allocatable[row] != 0) set(id, row, 0);
}

void Columns::add_pod(uint32_t row, const Resources& r, const NonZero& nonzero) {
  const auto take = [row](Resource& c, int64_t v) { c.left[row] = wrapping_sub(c.left[row], v); };
  take(resources_[kCpu], r.milli_cpu);
  take(resources_[kMemory], r.memory);
  if (r.ephemeral_storage != 0) take(resources_[kEphemeralStorage], r.ephemeral_storage);
  take(resources_[kPods], 1);
  for (const ScalarAmount& s : r.scalars) take(resources_[find(s.name, s.name_hash)], s.value);
  nonzero_cpu_[row] = wrapping_add(nonzero_cpu_[row], nonzero.milli_cpu);
  nonzero_memory_[row] = wrapping_add(nonzero_memory_[row], nonzero.memory);
}

void Columns::remove_pod(uint32_t row, const Resources& r, const NonZero& nonzero) {
  const auto give = [row](Resource& c, int64_t v) { c.left[row] = wrapping_add(c.left[row], v); };
  give(resources_[kCpu], r.milli_cpu);
  give(resources_[kMemory], r.memory);
  if (r.ephemeral_storage != 0) give(resources_[kEphemeralStorage], r.ephemeral_storage);
  give(resources_[kPods], 1);
  for (const ScalarAmount& s : r.scalars) give(resources_[find(s.name, s.name_hash)], s.value);
  nonzero_cpu_[row] = wrapping_sub(nonzero_cpu_[row], nonzero.milli_cpu);
  nonzero_memory_[row] = wrapping_sub(nonzero_memory_[row], nonzero.memory);
}

}  // namespace libsched
