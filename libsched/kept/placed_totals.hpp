// PlacedTotals: the totals of a view's nodes in the order of the nodes, which of these are
// feasible, and the first of the best among the feasible ones in upstream's heap over them.
//
// The best total is kept for each 64 places, and found again where one of them has changed. Hard
// spread constraints open and close whole domains, which have nodes among nearly all 64 places.
// Then the best of the places that were feasible lately is a bound for the 64, and the best of
// the feasible ones is looked for where the bound is highest.
//
// The heap is over the feasible nodes in their order, so each node that comes or goes moves the
// position of all later ones. In pre-order of the heap the nodes of one level come in the order of
// their positions, and the positions of a level follow each other: so the first of the best is the
// first of the few that are first in their level.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libsched/base/line_vector.hpp"
#include "libsched/base/prefetch.hpp"
#include "libsched/kept/node_places.hpp"

namespace libsched {

class PlacedTotals {
 public:
  // No node is feasible, and all totals are 0.
  void begin(const NodePlaces& places);
  size_t feasible() const { return feasible_; }
  const uint64_t* bits() const { return bits_.data(); }  // the feasible places

  // Prefetches what finding the best needs where the place's total has changed.
  void fetch(uint32_t place) const {
    constexpr size_t kLine = 64 / sizeof(int32_t);
    const int32_t* const word = totals_.data() + place / 64 * 64;
    for (size_t i = 0; i < 64; i += kLine) prefetch(word + i);
  }
  int32_t total(uint32_t place) const { return totals_[place]; }
  int32_t* edit_totals() { return totals_.data(); }  // then call touch()
  void touch(uint32_t place) { stale_[place / 64 / 64] |= uint64_t{1} << (place / 64 % 64); }
  void touch_all() { stale_.assign(stale_.size(), ~uint64_t{0}); }
  void set_total(uint32_t place, int32_t total) {
    totals_[place] = total;
    touch(place);
  }
  void flip(uint32_t place);  // feasible or not
  // Replaces the feasible places.
  void take(const uint64_t* bits);

  struct Best {
    int32_t total;
    uint32_t place;
  };
  Best best(const NodePlaces& places);  // at least one node is feasible
  size_t bytes() const;

 private:
  void count();
  size_t word_at(size_t position) const;
  Best best_of_all(const NodePlaces& places);
  void renew_words(const NodePlaces& places);
  uint32_t rank_in(size_t word, const uint32_t* ranks) const;
  uint32_t first_rank(int32_t top, const NodePlaces& places, bool once);
  void renew_stale();
  void make_exact(int32_t top, bool all);
  uint32_t first_by_levels(int32_t top) const;

  LineVector<int32_t> totals_;
  std::vector<uint64_t> bits_;
  std::vector<uint64_t> recent_;  // places that have been feasible, at least lately
  // By word, padded to whole words of words. best_: the best total of the feasible places or, where
  // exact_ is not set, a number that is not smaller. bound_: the best total of the places in
  // recent_.
  std::vector<int32_t> best_, bound_;
  // Words, as bits. stale_: with changed totals or places; outdated_: whose bound_ does not hold;
  // scratch_: scratch. Since best(), moved_: with places that take() has changed; fresh_: with
  // places for which bound_ does not hold.
  std::vector<uint64_t> stale_, exact_, outdated_, scratch_, moved_, fresh_;
  bool moved_any_ = false;  // take() was called since best()
  uint32_t taken_ = 0;      // how often
  // By word, the smallest rank of a place with the best total, and 1, where every node is feasible.
  // 0: not known.
  std::vector<uint32_t> first_;
  bool ranked_ = false;           // first_ holds
  std::vector<uint32_t> before_;  // how many feasible places are before each word
  bool counted_ = false;          // before_ holds
  uint32_t flips_ = 0;            // since best()
  size_t feasible_ = 0;
};

}  // namespace libsched
