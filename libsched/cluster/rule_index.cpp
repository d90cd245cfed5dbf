// RuleIndex: finding the rarest requirement of a rule.
#include "libsched/cluster/rule_index.hpp"

namespace libsched {

RuleIndex::Places RuleIndex::add(const CountKey& key, uint32_t rule) {
  Places best, places;
  size_t fewest = SIZE_MAX;
  const auto offer = [&] {
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    size_t n = 0;
    for (const uint64_t p : places)
      if (const uint32_t i = ids_.guess(p); i != kNoId) n += lists_[i].rules.size();
    if (n < fewest) {
      fewest = n;
      best = places;
    }
    places.clear();
  };
  for (const CountKey::Term& t : key.terms) {
    for (const Requirement& r : t.requirements) {
      const uint64_t key_hash = hash_str(r.key);
      if (r.op == SelectorOp::kIn) {
        for (const Str v : r.values) places.push_back(label_pair_hash(key_hash, v));
      } else if (r.op != SelectorOp::kNotIn && r.op != SelectorOp::kDoesNotExist) {
        places.push_back(of_key(key_hash));  // Exists, Gt, Lt
      } else {
        continue;
      }
      offer();
    }
    if (t.any_namespace) continue;
    for (const Str ns : t.namespaces) places.push_back(of_namespace(ns));
    offer();
  }
  if (fewest == SIZE_MAX) {
    rest_.push_back(rule);
    return {};
  }
  for (const uint64_t p : best) {
    uint32_t i = ids_.guess(p);
    if (i == kNoId) {
      i = static_cast<uint32_t>(lists_.size());
      if (free_.empty()) {
        lists_.emplace_back();
      } else {
        i = free_.back();
        free_.pop_back();
      }
      ids_.insert(p, i);
    }
    lists_[i].rules.push_back(rule);
  }
  return best;
}

}  // namespace libsched
