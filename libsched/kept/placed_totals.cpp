// PlacedTotals: bits of places, the best of their words, and the search by levels.
#include "libsched/kept/placed_totals.hpp"

#include <algorithm>
#include <array>
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
  const uint64_t up_to = counts * kOnes;  // each byte: bits set in it and below
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
  const size_t words = places.words(), groups = words_for(words);
  totals_.assign(words * 64, 0);
  bits_.assign(words, 0);
  recent_.assign(words, 0);
  best_.assign(groups * 64, std::numeric_limits<int32_t>::min());
  bound_ = best_;
  stale_.assign(groups, ~uint64_t{0});
  outdated_ = stale_;
  exact_.assign(groups, 0);
  scratch_ = moved_ = fresh_ = exact_;
  moved_any_ = false;
  first_.assign(best_.size(), 0);
  before_.assign(words, 0);
  feasible_ = 0;
  ranked_ = counted_ = false;
}

size_t PlacedTotals::bytes() const {
  const std::array words{&bits_,  &recent_, &stale_,    &moved_,
                         &fresh_, &exact_,  &outdated_, &scratch_};
  size_t out = (totals_.capacity() + best_.capacity() + bound_.capacity() + first_.capacity() +
                before_.capacity()) *
               sizeof(int32_t);
  for (const std::vector<uint64_t>* w : words) out += w->capacity() * sizeof(uint64_t);
  return out;
}

void PlacedTotals::flip(uint32_t place) {
  // More than these cost less in count().
  constexpr uint32_t kFew = 8;
  const size_t w = place / 64;
  const uint64_t bit = uint64_t{1} << (place % 64);
  bits_[w] ^= bit;
  recent_[w] |= bit;
  touch(place);
  const bool comes = (bits_[w] & bit) != 0;
  comes ? ++feasible_ : --feasible_;
  counted_ = counted_ && ++flips_ <= kFew;
  if (!counted_) return;
  const uint32_t by = comes ? 1 : ~uint32_t{0};
  for (size_t i = w + 1; i < before_.size(); ++i) before_[i] += by;
}

void PlacedTotals::take(const uint64_t* bits) {
  // Among the places that were feasible once there may be more and more of high totals.
  constexpr uint32_t kTimes = 256;
  const size_t words = bits_.size();
  const bool forget = ++taken_ % kTimes == 0;
  if (forget) std::fill(recent_.begin(), recent_.end(), 0);
  const ColumnKernels& kernels = column_kernels();
  kernels.take(bits, words, {bits_.data(), recent_.data(), moved_.data(), fresh_.data()});
  if (forget) std::fill(fresh_.begin(), fresh_.end(), ~uint64_t{0});
  moved_any_ = true;
  feasible_ = kernels.ranks(bits_.data(), words, before_.data());
  counted_ = true;
}

void PlacedTotals::count() {
  flips_ = 0;
  if (!std::exchange(counted_, true))
    column_kernels().ranks(bits_.data(), bits_.size(), before_.data());
}

// The word of the feasible node at this position.
size_t PlacedTotals::word_at(size_t position) const {
  // Mostly the feasible nodes are spread evenly.
  constexpr size_t kSteps = 8;
  size_t w = position * before_.size() / feasible_;
  size_t steps = 0;
  for (; steps < kSteps && before_[w] > position; ++steps) --w;
  for (; steps < kSteps && w + 1 < before_.size() && before_[w + 1] <= position; ++steps) ++w;
  if (steps == kSteps)
    w = static_cast<size_t>(
            std::upper_bound(before_.begin(), before_.end(), static_cast<uint32_t>(position)) -
            before_.begin()) -
        1;
  return w;
}

PlacedTotals::Best PlacedTotals::best(const NodePlaces& places) {
  // Ranking all places pays only if no totals were taken since the last call.
  if (feasible_ == places.count() && !moved_any_) return best_of_all(places);
  ranked_ = false;
  renew_stale();
  count();
  const ColumnKernels& kernels = column_kernels();
  // After this many bounds that turned out too high, all words are made exact.
  constexpr int kBounds = 4;
  for (int n = 1;; ++n) {
    const int32_t top = kernels.largest(best_.data(), best_.size());
    const uint32_t place = first_by_levels(top);
    if (place != kNoId) return {top, place};
    make_exact(top, n == kBounds);
  }
}

// best() for the case that every node is feasible.
PlacedTotals::Best PlacedTotals::best_of_all(const NodePlaces& places) {
  const ColumnKernels& kernels = column_kernels();
  const size_t words = bits_.size();
  if (!std::exchange(ranked_, true)) {
    touch_all();
    exact_ = stale_;
  }
  for (size_t k = 0; k < stale_.size(); ++k) outdated_[k] |= stale_[k];
  const bool most = kernels.ones(stale_.data(), stale_.size()) * 2 > words;  // change each time
  if (most) {
    kernels.tops(stale_.data(), bits_.data(), words, totals_.data(), best_.data());
    std::fill(first_.begin(), first_.end(), 0);
  } else {
    renew_words(places);
  }
  std::fill(stale_.begin(), stale_.end(), 0);
  // Without a rest, which would be compared one by one. What is behind the words is best of none.
  constexpr size_t kStep = 16;
  const size_t padded = (words + kStep - 1) / kStep * kStep;
  const WordBest found = kernels.best_of(best_.data(), first_.data(), padded);
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

// Where not every node is feasible: best_ of the stale words, and a bound for those that moved.
void PlacedTotals::renew_stale() {
  const ColumnKernels& kernels = column_kernels();
  const size_t words = bits_.size();
  const bool any = std::exchange(moved_any_, false);
  for (size_t k = 0; k < stale_.size(); ++k) {
    const uint64_t moved = moved_[k];
    outdated_[k] |= stale_[k] | fresh_[k];
    stale_[k] &= ~moved;
    exact_[k] = (exact_[k] | stale_[k]) & ~moved;
    scratch_[k] = outdated_[k] & moved;
    outdated_[k] &= ~moved;
  }
  kernels.tops(stale_.data(), bits_.data(), words, totals_.data(), best_.data());
  std::fill(stale_.begin(), stale_.end(), 0);
  if (!any) return;
  kernels.tops(scratch_.data(), recent_.data(), words, totals_.data(), bound_.data());
  for (size_t k = 0; k < moved_.size(); ++k)
    kernels.put(moved_[k], bound_.data() + k * 64, best_.data() + k * 64);
  std::fill(moved_.begin(), moved_.end(), 0);
  std::fill(fresh_.begin(), fresh_.end(), 0);
}

// Recomputes the exact best total of the words whose `best_` is `top`, or of all words.
void PlacedTotals::make_exact(int32_t top, bool all) {
  const ColumnKernels& kernels = column_kernels();
  for (size_t k = 0; k < exact_.size(); ++k) {
    const uint64_t words = all ? ~uint64_t{0} : kernels.equal(best_.data() + k * 64, top);
    scratch_[k] = words & ~exact_[k];
    exact_[k] |= scratch_[k];
  }
  kernels.tops(scratch_.data(), bits_.data(), bits_.size(), totals_.data(), best_.data());
}

// The place of the first node in the heap that is feasible and has this total, which is the best of
// best_; or kNoId.
uint32_t PlacedTotals::first_by_levels(int32_t top) const {
  const ColumnKernels& kernels = column_kernels();
  uint32_t chosen = kNoId;
  size_t chosen_at = 0;                // its position
  size_t skip = 0, next_position = 0;  // the word to go on at, and the position
  for (size_t k = 0; k < exact_.size(); ++k) {
    uint64_t left = kernels.equal(best_.data() + k * 64, top);
    while (true) {
      if (skip / 64 == k) left &= ~uint64_t{0} << (skip % 64);
      if (skip / 64 > k || left == 0) break;
      const size_t w = k * 64 + static_cast<size_t>(std::countr_zero(left));
      uint64_t found = kernels.equal(totals_.data() + w * 64, top) & bits_[w];
      if (w == skip && found != 0 && next_position > before_[w])
        found &= ~uint64_t{0} << select_bit(bits_[w], next_position - before_[w]);
      const uint64_t first = found & (~found + 1);
      if (first == found) left &= left - 1;
      if (found == 0) continue;
      const size_t at = before_[w] + static_cast<size_t>(count_bits(bits_[w] & (first - 1)));
      if (chosen == kNoId || before_in_heap(at, chosen_at)) {
        chosen = static_cast<uint32_t>(w * 64 + static_cast<size_t>(std::countr_zero(first)));
        chosen_at = at;
        // All deeper nodes are below this one and those to its right.
        if ((at & (at + 1)) == 0) return chosen;
      }
      // The rest of the level is later in the heap.
      next_position = 2 * std::bit_floor(at + 1) - 1;
      if (next_position >= feasible_) return chosen;
      if (left != 0) skip = word_at(next_position);
    }
  }
  return chosen;
}

}  // namespace libsched
