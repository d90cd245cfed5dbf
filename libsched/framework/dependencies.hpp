// Dependencies: the changes of the view after which a plugin's answer about a node may differ.
//
// A cache of answers holds a cursor into the view's change log (cluster/change_log.hpp). An answer
// stays valid as long as the log reports no change that the declaration names. The declaration
// itself stays valid as long as the log reports no change that it names in `any`; after such a
// change it is asked for again, because what a plugin reads may itself have changed.
#pragma once

#include "libsched/cluster/change_log.hpp"

namespace libsched {

struct Reads {
  ChangeKinds row = 0;   // of the judged node; a new node is always judged
  ChangeKinds any = 0;   // of any node, or of no node
  bool others = false;   // the answer depends on which other nodes are judged with this one
  bool outside = false;  // ... or on something outside of the view: it is never kept

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
