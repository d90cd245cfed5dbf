// number_class: a small table by hash, which compares the classes as a whole.
#include "libsched/objects/pod_class_id.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <string>

#include "libsched/objects/pod_class.hpp"
#include "libsched/objects/pod_parts.hpp"

namespace libsched {
namespace {

constexpr size_t kMostBytes = 1024;  // of a class that is remembered; most have some 350

struct Met {
  uint64_t hash = 0, id = 0;  // id 0: none
  std::string name;
};

// A class may be in any place of its set: with a single place two of ten classes would take each
// other's in every twelfth process.
constexpr size_t kPlaces = 4, kSets = 512 / kPlaces;
struct Table {
  std::array<std::array<Met, kPlaces>, kSets> sets;
  std::string room;
};

uint64_t next_class_id() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

Table& table() {
  thread_local std::unique_ptr<Table> of_thread;
  if (!of_thread) of_thread = std::make_unique<Table>();
  return *of_thread;
}

}  // namespace

void number_class(Pod& pod) {
  pod.class_id = 0;
  if (pod.terminated() || (parts_of(pod) & pod_part::kPartsOfCopies) != 0 || name_is_read(pod) ||
      pod.claim_templates)
    return;
  Table& t = table();
  const Str name = pod_class(pod, &t.room);
  if (name.size() > kMostBytes) return;
  const uint64_t hash = hash_str(name);
  std::array<Met, kPlaces>& set = t.sets[hash % kSets];
  for (const Met& met : set) {
    if (met.id == 0 || met.hash != hash || met.name != name) continue;
    pod.class_id = met.id;
    return;
  }
  Met& oldest = *std::min_element(set.begin(), set.end(),
                                  [](const Met& a, const Met& b) { return a.id < b.id; });
  oldest.id = 0;  // until the name is there
  oldest.name = name;
  oldest.hash = hash;
  pod.class_id = oldest.id = next_class_id();
}

}  // namespace libsched
