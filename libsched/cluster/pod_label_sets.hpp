// PodLabelSets: the distinct (namespace, labels, terminating) of existing pods. Selectors are
// judged once per set; each set lists the count tables that count it, so the cost of a pod depends
// only on those.
//
// Sets are kept only from the first table on (track()).
#pragma once

#include <cstdint>
#include <vector>

#include "libsched/base/id_table.hpp"
#include "libsched/base/key_cache.hpp"
#include "libsched/base/mirrored.hpp"
#include "libsched/objects/pod.hpp"

namespace libsched {

class PodLabelSets {
 public:
  struct Set {
    PodRef owner;  // a pod with the set, possibly removed; null: not in use
    uint64_t hash = 0;
    uint32_t pods = 0;
    std::vector<uint32_t> tables;  // that count pods of this set; for later changes

    Set published() const { return {owner, hash, pods, {}}; }
  };

  // Sets *fresh if the set is new and its tables must be filled in.
  uint32_t add(uint32_t slot, const Pod& pod, bool* fresh);
  uint32_t remove(uint32_t slot);  // returns the set of the slot's pod
  // Drops sets without pods if there are many.
  void collect();

  size_t size() const { return sets_.size(); }
  const Set& operator[](size_t id) const { return sets_[id]; }
  std::vector<uint32_t>& tables(size_t id) { return sets_.unmarked()[id].tables; }
  // Those of the pod's set, if it is known without looking at the pod's labels, or null.
  const std::vector<uint32_t>* known_tables(const Pod& pod) const {
    const uint32_t* const id = seen_.find(key_of(pod));
    return id == nullptr ? nullptr : &sets_[*id].tables;
  }
  const Mirrored<uint32_t, 256>& of_slot() const { return of_slot_; }
  // As a snapshot shows them (base/mirrored.hpp): no pod can come or go.
  PodLabelSets publish() {
    PodLabelSets out;
    out.sets_ = sets_.publish();
    out.of_slot_ = of_slot_.publish();
    return out;
  }

 private:
  static uint64_t key_of(const Pod& pod) {
    constexpr uint64_t kClass = uint64_t{1} << 63;
    return pod.class_id != 0 ? pod.class_id | kClass : pod.serial;
  }
  uint32_t find(const Pod& pod, uint64_t* hash);

  Mirrored<Set, 16> sets_;
  std::vector<uint32_t> free_;
  Mirrored<uint32_t, 256> of_slot_;  // kNoId: no pod
  IdTable ids_;
  // Sets of pods by their serials, since those of a simulated cluster come and go often, and of all
  // pods of a class by its number.
  KeyCache<uint32_t> seen_;
  size_t unused_ = 0;
};

}  // namespace libsched
