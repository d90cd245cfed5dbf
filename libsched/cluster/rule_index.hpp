// RuleIndex: the count rules that may count a pod. Every rule is listed under one of its
// requirements: a label with one of some values, a label with any value, or a namespace; few rules
// have no such requirement. So the cost of a pod depends on the rules that can count it, not on
// their total number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "libsched/base/id_table.hpp"
#include "libsched/cluster/count_table.hpp"

namespace libsched {

class RuleIndex {
 public:
  // The hashes under which a rule is listed; empty: among the rules without such a requirement.
  using Places = std::vector<uint64_t>;

  // Lists the rule under the requirement with the fewest rules.
  Places add(const CountKey& key, uint32_t rule);
  // Removes every rule for which gone(rule) holds. `places`: the places of those rules.
  template <typename Gone>
  void remove(std::vector<uint64_t> places, const Gone& gone);

  // Calls f(rule) for each rule that may count the pod; more than once only if hashes collide.
  template <typename F>
  void for_each(const Pod& pod, F&& f) const {
    const auto visit = [&](uint64_t place) {
      if (const uint32_t i = ids_.guess(place); i != kNoId)
        for (const uint32_t rule : lists_[i].rules) f(rule);
    };
    if (ids_.size() != 0) {
      visit(of_namespace(pod.meta.ns));
      for (const Label& l : pod.meta.labels) {
        visit(l.pair_hash);
        visit(of_key(l.key_hash));
      }
    }
    for (const uint32_t rule : rest_) f(rule);
  }

 private:
  struct List {
    std::vector<uint32_t> rules;
  };
  static uint64_t of_namespace(Str ns) { return hash_str(ns, 0x6e616d6573706163ULL); }
  static uint64_t of_key(uint64_t key_hash) { return hash_mix(key_hash, 0x6c6162656c206b65ULL); }

  IdTable ids_;  // place: index in lists_
  std::vector<List> lists_;
  std::vector<uint32_t> free_;
  std::vector<uint32_t> rest_;
};

template <typename Gone>
void RuleIndex::remove(std::vector<uint64_t> places, const Gone& gone) {
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  for (const uint64_t place : places) {
    const uint32_t i = ids_.guess(place);
    std::erase_if(lists_[i].rules, gone);
    if (!lists_[i].rules.empty()) continue;
    lists_[i] = {};
    ids_.erase(place, i);
    free_.push_back(i);
  }
  std::erase_if(rest_, gone);
}

}  // namespace libsched
