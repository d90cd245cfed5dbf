// PlacedTotals: bits of places, the best of their words, and the search by levels.
#include "libsched/framework/placed_totals.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "libsched/framework/score_columns.hpp"

namespace libsched {
namespace {

// The bit that has `k` set bits below it. There is one.
size_t select_bit(uint64_t bits, size_t k) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  uint64_t counts = bits - ((bits >> 1) & 0x5555555555555555);
  counts = (counts & 0x3333333333333333) + ((counts >> 2) & 0x3333333333333333);
  counts = (counts + (counts >> 4)) & 0x0f0f0f0f0f0f0f0f;
  const uint64_t up_to = counts * kOnes;  // by byte: bits in it and in those below it
  // The first byte that reaches k + 1.
  const uint64_t reached = ((up_to | 0x80 * kOnes) - (k + 1) * kOnes) & (0x80 * kOnes);
  const auto shift = static_cast<size_t>(std::countr_zero(reached)) & ~size_t{7};
  size_t skip = k - ((up_to << 8 >> shift) & 0xff);
  uint64_t left = bits >> shift;
  for (; skip != 0; --skip) left &= left - 1;
  return shift + static_cast<size_t>(std::countr_zero(left));
}

}  // namespace

void PlacedTotals::begin(const NodePlaces& places) {
  const size_t words = places.words();
  totals_.assign(words * 64, 0);
  bits_.assign(words, 0);
  stale_.assign(words_for(words), ~uint64_t{0});
  best_.assign(words, 0);
  first_.assign(words, 0);
  before_.assign(words, 0);
  feasible_ = 0;
  ranked_ = counted_ = false;
}

void PlacedTotals::take(const uint64_t* bits) {
  for (size_t w = 0; w < bits_.size(); ++w) {
    if (bits_[w] == bits[w]) continue;
    bits_[w] = bits[w];
    stale_[w / 64] |= uint64_t{1} << (w % 64);
  }
  counted_ = false;
  feasible_ = column_kernels().ones(bits_.data(), bits_.size());
}

size_t PlacedTotals::bytes() const {
  return (totals_.capacity() + best_.capacity() + first_.capacity() + before_.capacity()) *
             sizeof(int32_t) +
         (bits_.capacity() + stale_.capacity()) * sizeof(uint64_t);
}

void PlacedTotals::count() {
  if (counted_) return;
  uint32_t n = 0;
  for (size_t w = 0; w < bits_.size(); ++w) {
    before_[w] = n;
    n += static_cast<uint32_t>(count_bits(bits_[w]));
  }
  counted_ = true;
}

// The place of the feasible node at this position.
size_t PlacedTotals::place_at(size_t position) const {
  // Mostly nearly all nodes are feasible, and then they are about where they would be.
  size_t w = std::min(position / 64, before_.size() - 1);
  if (w + 1 < before_.size() && before_[w + 1] <= position)
    w = static_cast<size_t>(std::upper_bound(before_.begin() + static_cast<ptrdiff_t>(w) + 1,
                                             before_.end(), static_cast<uint32_t>(position)) -
                            before_.begin()) -
        1;
  return w * 64 + select_bit(bits_[w], position - before_[w]);
}

// The first place from `begin` on and before `end` that is feasible and has the total; or kNoId.
uint32_t PlacedTotals::first_in_level(int32_t top, size_t begin, size_t end) {
  const ColumnKernels& kernels = column_kernels();
  for (size_t w = begin / 64; w * 64 < end; ++w) {
    if (best_[w] != top) continue;
    uint64_t found = kernels.equal(totals_.data() + w * 64, top) & bits_[w];
    if (w == begin / 64) found &= ~uint64_t{0} << (begin % 64);
    if (found == 0) continue;
    const size_t place = w * 64 + static_cast<size_t>(std::countr_zero(found));
    return place < end ? static_cast<uint32_t>(place) : kNoId;
  }
  return kNoId;
}

PlacedTotals::Best PlacedTotals::best(const NodePlaces& places) {
  const ColumnKernels& kernels = column_kernels();
  const size_t words = bits_.size();
  const bool all = feasible_ == places.count();
  if (!all) {
    ranked_ = false;
  } else if (!std::exchange(ranked_, true)) {
    touch_all();
  }
  const size_t stale = kernels.ones(stale_.data(), stale_.size());
  const bool most = stale * 2 > words;  // most words change each time
  if (all && !most) {
    renew_words(places);
  } else {
    kernels.tops(stale_.data(), bits_.data(), words, totals_.data(), best_.data());
    if (all) std::fill(first_.begin(), first_.end(), 0);
  }
  std::fill(stale_.begin(), stale_.end(), 0);
  const WordBest found = kernels.best_of(best_.data(), first_.data(), words);
  if (!all) return first_by_levels(found.value);
  const uint32_t rank = found.first != 0 ? found.first - 1 : first_rank(found.value, places, most);
  return {found.value, places.of(places.at_rank(rank))};
}

// Where every node is feasible: the best of the stale words and its rank.
void PlacedTotals::renew_words(const NodePlaces& places) {
  const ColumnKernels& kernels = column_kernels();
  const uint32_t* const ranks = places.ranks_of_places();
  const size_t whole = places.count() / 64;
  for (size_t k = 0; k < stale_.size(); ++k) {
    for_each_bit(stale_[k], k * 64, [&](size_t w) {
      if (w >= bits_.size()) return;
      if (w < whole) {
        const WordBest of = kernels.best(totals_.data() + w * 64, ranks + w * 64);
        best_[w] = of.value;
        first_[w] = of.first + 1;
        return;
      }
      // Beyond the last node there are totals of no node.
      best_[w] = std::numeric_limits<int32_t>::min();
      for_each_bit(bits_[w], w * 64, [&](size_t p) { best_[w] = std::max(best_[w], totals_[p]); });
      first_[w] = rank_in(w, ranks) + 1;
    });
  }
}

// The smallest rank of the word's feasible places with its best total.
uint32_t PlacedTotals::rank_in(size_t word, const uint32_t* ranks) const {
  uint32_t out = kNoId;
  for_each_bit(bits_[word], word * 64, [&](size_t p) {
    if (totals_[p] == best_[word]) out = std::min(out, ranks[p]);
  });
  return out;
}

// The smallest rank of the places with the best total, where every node is feasible. `once`: those
// of the words are not kept.
uint32_t PlacedTotals::first_rank(int32_t top, const NodePlaces& places, bool once) {
  const ColumnKernels& kernels = column_kernels();
  const uint32_t* const ranks = places.ranks_of_places();
  // Beyond the last node there are totals of no node.
  const size_t whole = places.count() / 64;
  uint32_t first = kNoId;
  if (once) {
    first = kernels.first(totals_.data(), ranks, whole, top);
  }
  for (size_t w = once ? whole : 0; w < bits_.size(); ++w) {
    if (best_[w] != top) continue;
    if (first_[w] == 0 && w < whole) {
      first_[w] = kernels.first(totals_.data() + w * 64, ranks + w * 64, 1, top) + 1;
    } else if (first_[w] == 0) {
      first_[w] = rank_in(w, ranks) + 1;
    }
    first = std::min(first, first_[w] - 1);
  }
  return first;
}

// The same where not every node is feasible.
PlacedTotals::Best PlacedTotals::first_by_levels(int32_t top) {
  const size_t words = bits_.size();
  count();
  uint32_t chosen = kNoId;
  size_t chosen_at = 0;
  for (size_t begin = 0; begin < feasible_; begin = 2 * begin + 1) {
    const size_t end = std::min(feasible_, 2 * begin + 1);  // positions
    const size_t from = place_at(begin);
    const size_t until = end == feasible_ ? words * 64 : place_at(end);
    const uint32_t place = first_in_level(top, from, until);
    if (place == kNoId) continue;
    const size_t at =
        before_[place / 64] +
        static_cast<size_t>(count_bits(bits_[place / 64] & ((uint64_t{1} << (place % 64)) - 1)));
    if (chosen != kNoId && !before_in_heap(at, chosen_at)) continue;
    chosen = place;
    chosen_at = at;
  }
  return {top, chosen};
}

}  // namespace libsched
