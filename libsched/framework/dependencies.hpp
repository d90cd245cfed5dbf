// Dependencies: after which changes of the view a plugin's answer about a node may be another.
//
// A cache of answers holds a cursor into the view's change log (cluster/change_log.hpp). An answer
// stays as it was as long as the log reports no change that the declaration names. Once a cache
// has been brought up to date, it asks for the declaration again: what a plugin reads may itself
// have changed.
#pragma once

#include "libsched/cluster/change_log.hpp"

namespace libsched {

struct Reads {
  ChangeKinds row = 0;   // of the node that is judged; a node that came is always judged
  ChangeKinds any = 0;   // of any node, or of no node
  bool others = false;   // the answer follows which other nodes are judged beside this one
  bool outside = false;  // ... or something outside of the view: it is never kept

  bool row_hit(ChangeKinds changed) const { return (changed & (row | kNodeChanged)) != 0; }
  bool any_hit(ChangeKinds changed) const { return outside || (changed & any) != 0; }
};

struct Dependencies {
  Reads filter;  // PreFilter's status and nodes, and Filter's verdict with its reasons
  Reads score;   // PreScore's status, and Score's score before it is normalised

  static constexpr Dependencies everything() {
    constexpr Reads kEverything{kAllChanges, kAllChanges, true, true};
    return {kEverything, kEverything};
  }
};

}  // namespace libsched
