// NodePlaces: where the rows of a view are in the order of its nodes, and the order of upstream's
// heap over all nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "libsched/cluster/view.hpp"

namespace libsched {

class NodePlaces {
 public:
  void follow(const View& view);
  uint64_t order() const { return order_; }  // which order it is
  size_t count() const { return count_; }
  size_t words() const { return words_for(count_); }        // of places
  bool as_rows() const { return as_rows_; }                 // every place is that of its row
  uint32_t of(uint32_t row) const { return places_[row]; }  // kNoId: no node of the order
  uint32_t row(uint32_t place) const { return rows_[place]; }
  const std::vector<uint32_t>& rows() const { return rows_; }  // in the order
  // By row, how many nodes come before it in upstream's heap over all nodes (next_in_heap).
  const uint32_t* ranks() const { return ranks_.data(); }
  uint32_t at_rank(uint32_t rank) const { return by_rank_[rank]; }  // a row
  // The same by place, padded to whole words of places.
  const uint32_t* ranks_of_places() const { return place_ranks_.data(); }

 private:
  uint64_t order_ = 0;
  size_t count_ = 0;
  bool as_rows_ = false;
  std::vector<uint32_t> places_, rows_, ranks_, by_rank_, place_ranks_;
};

// Whether a is before b in pre-order of a heap: an ancestor before its descendants, and the left
// of two siblings' subtrees before the right.
bool before_in_heap(size_t a, size_t b);

}  // namespace libsched
