// TaintSets: the distinct lists of taints that nodes have, each with the rows that have it. A pod's
// tolerations are judged once per list instead of once per node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libsched/base/id_pool.hpp"
#include "libsched/cluster/posting.hpp"
#include "libsched/objects/node.hpp"

namespace libsched {

class TaintSets {
 public:
  struct Set {
    NodeRef owner;       // keeps the strings of `taints` alive
    Span<Taint> taints;  // never empty
    uint64_t hash = 0;
    uint64_t born = 0;  // epoch() when the id was assigned
    Posting rows;
  };

  // Returns the set of the node's taints, or kNoId for no taints, and makes room, so that add()
  // cannot fail. `capacity` is greater than every row.
  uint32_t prepare(const NodeRef& node, size_t capacity);
  void add(uint32_t row, uint32_t id) noexcept;
  void remove(uint32_t row, uint32_t id) noexcept;
  const IdPool<Set, 4>& sets() const { return sets_; }  // some may have no rows
  // Changes when an id gets a new meaning. Equal numbers mean equal ids, also between two copies.
  uint64_t epoch() const { return epoch_; }
  size_t unused() const { return unused_; }  // sets that no row has
  size_t size() const { return sets_.taken(); }
  // Reclaims the ids that no row uses and that were assigned after this epoch().
  void collect(uint64_t since) noexcept;

  TaintSets publish();  // as a snapshot shows them (base/mirrored.hpp)

 private:
  IdPool<Set, 4> sets_;
  IdTable ids_;
  size_t unused_ = 0;
  uint64_t epoch_ = next_serial();
};

}  // namespace libsched
