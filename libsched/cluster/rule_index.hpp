// RuleIndex: which count rules may count a pod. Every rule is listed under one thing that it
// demands: a label of one of some values, a label of any value, or a namespace; few demand none of
// these. So what a pod costs follows the rules that can count it, however many there are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "libsched/base/id_table.hpp"
#include "libsched/cluster/count_table.hpp"

namespace libsched {

class RuleIndex {
 public:
  // The hashes that a rule is listed under; none: among those that demand nothing of the kind.
  using Places = std::vector<uint64_t>;

  // Under what the fewest rules are listed, of all that the rule demands.
  Places add(const CountKey& key, uint32_t rule);
  // Takes out every rule for which gone(rule) holds. `places`: where those are listed.
  template <typename Gone>
  void remove(std::vector<uint64_t> places, const Gone& gone);

  // Calls f(rule) for each that may count the pod; for one more than once only if hashes collide.
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
