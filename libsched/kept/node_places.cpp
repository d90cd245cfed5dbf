// NodePlaces: made anew for each order of the nodes.
#include "libsched/kept/node_places.hpp"

#include <bit>

#include "libsched/framework/scoring.hpp"

namespace libsched {

void NodePlaces::follow(const View& view) {
  if (order_ == view.order_membership() && order_ != 0) return;
  order_ = 0;
  places_.assign(view.word_count() * 64, kNoId);
  const std::vector<uint32_t>& order = view.order();
  as_rows_ = true;
  for (size_t i = 0; i < order.size(); ++i) {
    places_[order[i]] = static_cast<uint32_t>(i);
    as_rows_ = as_rows_ && order[i] == i;
  }
  count_ = order.size();
  rows_ = order;
  ranks_.assign(places_.size(), kNoId);
  place_ranks_.assign(words() * 64, kNoId);
  by_rank_.clear();
  for (size_t i = 0; i < count_; i = next_in_heap(i, count_)) {
    ranks_[order[i]] = place_ranks_[i] = static_cast<uint32_t>(by_rank_.size());
    by_rank_.push_back(order[i]);
  }
  order_ = view.order_membership();
}

bool before_in_heap(size_t a, size_t b) {
  size_t x = a + 1, y = b + 1;
  const int deeper = std::countl_zero(x) - std::countl_zero(y);  // of b, in levels
  if (deeper > 0) {
    y >>= deeper;
    if (x == y) return true;
  } else if (deeper < 0) {
    x >>= -deeper;
    if (x == y) return false;
  }
  return x < y;
}

}  // namespace libsched
