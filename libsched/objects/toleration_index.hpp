// TolerationIndex: whether a pod tolerates a taint, without walking over all its tolerations for
// each. Few of them are walked over all the same: that is faster.
#pragma once

#include <vector>

#include "libsched/objects/node.hpp"
#include "libsched/objects/pod.hpp"

namespace libsched {

class TolerationIndex {
 public:
  // Borrows the tolerations. `comparison_operators`: Lt and Gt count.
  TolerationIndex(Span<Toleration> tolerations, bool comparison_operators);

  // As tolerates() of any of them.
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
