// number_class: a small table by hash, which compares the classes as a whole.
#include "libsched/objects/pod_class_id.hpp"

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

struct Table {
  std::array<Met, 512> met;
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
  Met& met = t.met[hash % t.met.size()];
  if (met.id == 0 || met.hash != hash || met.name != name) {
    met.id = 0;  // until the name is there
    met.name = name;
    met.hash = hash;
    met.id = next_class_id();
  }
  pod.class_id = met.id;
}

}  // namespace libsched
