// TolerationIndex: tells whether a pod tolerates a taint without checking all its tolerations for
// each taint. A few tolerations are checked one by one, which is faster.
#pragma once

#include <vector>

#include "libsched/objects/node.hpp"
#include "libsched/objects/pod.hpp"

namespace libsched {

// Tells whether the toleration covers the taint; see tolerates() of pod.hpp.
inline bool tolerates(const Toleration& t, const Taint& taint, bool comparison_operators) {
  return tolerates(t, taint.key, taint.value, taint.effect, taint.effect_text,
                   comparison_operators);
}

class TolerationIndex {
 public:
  // Borrows the tolerations. `comparison_operators`: Lt and Gt count.
  TolerationIndex(Span<Toleration> tolerations, bool comparison_operators);

  // Tells whether tolerates() holds for any of them.
  bool covers(const Taint& taint) const;

 private:
  struct Entry {
    uint64_t hash;
    uint32_t toleration;
  };
  bool covers(uint32_t toleration, const Taint& taint) const;
  bool any_of(uint64_t hash, const Taint& taint) const;

  Span<Toleration> list_;
  bool comparison_operators_;
  std::vector<Entry> entries_;  // by hash; empty: there are few
};

}  // namespace libsched
