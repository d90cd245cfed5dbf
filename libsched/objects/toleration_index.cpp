// Indexes tolerations by the matching taints' effect and key and, for Equal, the value.
#include "libsched/objects/toleration_index.hpp"

#include <algorithm>

namespace libsched {
namespace {

constexpr size_t kFew = 16;

enum class Demand : uint64_t { kKeyAndValue = 1, kKey, kComparison };

uint64_t hash_of(Demand demand, TaintEffect effect, Str effect_text, Str key, Str value) {
  uint64_t h = hash_mix(static_cast<uint64_t>(demand), static_cast<uint64_t>(effect));
  if (effect == TaintEffect::kOther) h = hash_str(effect_text, h);
  h = hash_str(key, h);
  return demand == Demand::kKeyAndValue ? hash_str(value, h) : h;
}

}  // namespace

TolerationIndex::TolerationIndex(Span<Toleration> tolerations, bool comparison_operators)
    : list_(tolerations), comparison_operators_(comparison_operators) {
  if (list_.size() <= kFew) return;
  entries_.reserve(list_.size());
  for (uint32_t i = 0; i < list_.size(); ++i) {
    const Toleration& t = list_[i];
    Demand demand = Demand::kKeyAndValue;
    switch (t.op) {
      case TolerationOp::kEqual: break;
      case TolerationOp::kExists: demand = Demand::kKey; break;
      case TolerationOp::kLt:
      case TolerationOp::kGt:
        if (!comparison_operators_) continue;
        demand = Demand::kComparison;
        break;
      case TolerationOp::kOther: continue;
    }
    entries_.push_back({hash_of(demand, t.effect, t.effect_text, t.key, t.value), i});
  }
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return a.hash < b.hash; });
}

bool TolerationIndex::covers(uint32_t toleration, const Taint& t) const {
  return tolerates(list_[toleration], t, comparison_operators_);
}

bool TolerationIndex::any_of(uint64_t hash, const Taint& taint) const {
  auto it = std::lower_bound(entries_.begin(), entries_.end(), hash,
                             [](const Entry& e, uint64_t h) { return e.hash < h; });
  for (; it != entries_.end() && it->hash == hash; ++it)
    if (covers(it->toleration, taint)) return true;
  return false;
}

bool TolerationIndex::covers(const Taint& taint) const {
  if (list_.size() <= kFew) {
    for (uint32_t i = 0; i < list_.size(); ++i)
      if (covers(i, taint)) return true;
    return false;
  }
  // A toleration without an effect, or without a key, covers all.
  for (const bool every_effect : {false, true})
    for (const bool every_key : {false, true})
      for (const Demand demand : {Demand::kKeyAndValue, Demand::kKey, Demand::kComparison})
        if (any_of(hash_of(demand, every_effect ? TaintEffect::kNone : taint.effect,
                           taint.effect_text, every_key ? Str() : taint.key, taint.value),
                   taint))
          return true;
  return false;
}

}  // namespace libsched
