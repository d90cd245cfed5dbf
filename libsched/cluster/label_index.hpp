// LabelIndex: the rows of each label. Keys and (key, value) pairs have ids; decisions compare ids
// and combine postings, never strings.
//
// Uses of ids are counted: an unused entry is kept (so that repeating a reverted what-if costs
// nothing) until collect(), which spares entries that an undo may need.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libsched/base/id_pool.hpp"
#include "libsched/base/uncopied.hpp"
#include "libsched/cluster/posting.hpp"
#include "libsched/objects/meta.hpp"

namespace libsched {

class LabelIndex {
 public:
  struct Key {
    std::string text;
    uint64_t hash = 0;
    Posting rows;
    Mirrored<uint32_t, 256> pairs;  // every pair of this key, used or not

    Key published() { return {text, hash, rows, pairs.publish()}; }
  };
  struct Pair {
    std::string value;
    uint64_t hash = 0;
    uint32_t key = kNoId;
    uint64_t born = 0;  // epoch() when the id was assigned
    Posting rows;
  };

  // What may help to find the pairs.
  struct Known {
    uint64_t serial = 0;  // of the node that has the labels; 0: it is not remembered
    // The labels of another row, whose texts are alive, and their pairs.
    Labels labels = {};
    const uint32_t* pairs = nullptr;
  };
  // Adds a row's labels in two steps, so that all are added or none. prepare() writes the pair ids
  // in the labels' order and may fail; add() and remove() do not allocate. `capacity` is greater
  // than every row. Labels of a node that is remembered, and those that are equal to a known one at
  // the same place, as many of a node of the same kind are, are not looked up. Without a serial,
  // nothing is allocated if all pairs exist and the capacity is 0.
  void prepare(Labels labels, size_t capacity, std::vector<uint32_t>* pairs, const Known& known);
  void add(uint32_t row, const std::vector<uint32_t>& pairs) noexcept;
  void remove(uint32_t row, const std::vector<uint32_t>& pairs) noexcept;

  // kNoId if no row ever had it.
  uint32_t find_key(Str key, uint64_t hash) const;
  uint32_t find_pair(Str key, Str value, uint64_t pair_hash) const;
  const Key& key(uint32_t id) const { return keys_[id]; }
  const Pair& pair(uint32_t id) const { return pairs_[id]; }

  // Changes whenever an unknown name becomes known, or ids are reclaimed: earlier lookups are then
  // invalid. Equal numbers mean equal ids, also between two copies.
  uint64_t epoch() const { return epoch_; }

  size_t unused() const { return unused_; }  // pairs that no row uses
  size_t size() const { return pair_ids_.size(); }
  // Reclaims the ids that no row uses and that were assigned after this epoch().
  void collect(uint64_t since) noexcept;

  LabelIndex publish();  // as a snapshot shows it (base/mirrored.hpp)

 private:
  uint32_t intern_key(const Label& label);
  uint32_t intern_pair(const Label& label);
  // The pairs of a node that was prepared lately: what-ifs add the same nodes again.
  struct Remembered {
    uint64_t serial = 0;
    std::vector<uint32_t> pairs;
  };
  static constexpr size_t kRemembered = 256;

  IdPool<Key, 1> keys_;
  IdPool<Pair, 8> pairs_;
  IdTable key_ids_, pair_ids_;
  size_t unused_ = 0;
  uint64_t epoch_ = next_serial();
  Uncopied<std::vector<Remembered>> remembered_;  // by serial % kRemembered; of present pairs alone
};

}  // namespace libsched
