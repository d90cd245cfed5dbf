// class_number: tables of the classes that were met lately, which compare them as a whole.
#include "libsched/objects/pod_class_id.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "libsched/base/id_table.hpp"
#include "libsched/base/mutex.hpp"
#include "libsched/objects/pod_class.hpp"
#include "libsched/objects/pod_parts.hpp"

namespace libsched {
namespace {

constexpr size_t kTables = 32, kTableBytes = size_t{32} << 10;
constexpr size_t kEntry = 96;  // bytes of the table and of the allocations

// The classes of some hashes.
struct Met {
  std::string name;
  uint64_t number;
};
struct Table {
  Mutex mutex;
  IdTable ids;
  std::vector<Met> met;
  size_t bytes = 0;
};
// Never destroyed: threads may outlive what is static.
std::array<Table, kTables>& tables() {
  const ForkHeldOff made_whole;
  static auto& all = *new std::array<Table, kTables>;
  return all;
}

uint64_t next_number() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

uint64_t number_of(Str name) {
  const size_t bytes = name.size() + kEntry;
  if (bytes > kTableBytes) return next_number();
  const uint64_t hash = hash_long(name.data(), name.size());
  Table& t = tables()[hash % kTables];
  const std::lock_guard lock(t.mutex);
  const uint32_t there = t.ids.find(hash, [&](uint32_t i) { return t.met[i].name == name; });
  if (there != kNoId) return t.met[there].number;
  if (t.bytes + bytes > kTableBytes) {
    t.ids = {};
    t.met.clear();
    t.bytes = 0;
  }
  t.ids.reserve();
  t.met.push_back({std::string(name), next_number()});
  t.ids.insert_reserved(hash, static_cast<uint32_t>(t.met.size() - 1));
  t.bytes += bytes;
  return t.met.back().number;
}

}  // namespace

uint64_t class_number(const Pod& pod) {
  // Replicas often come one after the other.
  struct Latest {
    std::string room, name;
    uint64_t number = 0;
  };
  thread_local Latest latest;
  const Str name = pod_class(pod, &latest.room);
  if (name == latest.name) return latest.number;
  const uint64_t number = number_of(name);
  latest.name = name;
  return latest.number = number;
}

void number_class(Pod& pod) {
  const bool waits = !pod.terminated() && (parts_of(pod) & pod_part::kPartsOfCopies) == 0 &&
                     !name_is_read(pod) && !pod.claim_templates;
  pod.class_id = waits ? class_number(pod) : 0;
}

}  // namespace libsched
