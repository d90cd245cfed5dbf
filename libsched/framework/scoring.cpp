// Normalising as in upstream's plugins/helper, and the order of upstream's heap of scores.
#include "libsched/framework/scoring.hpp"

#include <algorithm>
#include <array>

#include "libsched/framework/score_columns.hpp"

namespace libsched {

Span<uint32_t> FeasibleOrder::rows() {
  if (made_) return {rows_->data(), count_};
  made_ = true;
  rows_->resize(count_ + 1);  // every step writes a row, also after the last one is found
  uint32_t* out = rows_->data();
  size_t n = 0, stop = 0;
  constexpr size_t kStretch = 256;  // a set that is complete is noticed after so many nodes
  const auto take = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end && n < count_; i = stop) {
      stop = std::min(end, i + kStretch);
      for (size_t k = i; k < stop; ++k) {
        const uint32_t r = nodes_[k];
        out[n] = r;
        n += bits_[r / 64] >> (r % 64) & 1;
      }
    }
  };
  take(start_, nodes_.size());
  take(0, start_);
  return {out, count_};
}

ScoreRange score_range(const ScoreSet& set, const int64_t* scores) {
  const auto [min, max] = column_kernels().range(set.bits, set.words, scores);
  return {min, max};
}

void default_normalize(const ScoreSet& set, bool reverse, int64_t* scores) {
  if (set.count == 0) return;
  const auto [min, max] = score_range(set, scores);
  if (max <= 0) {  // upstream's maximum begins at 0
    if (reverse) set.for_each([&](uint32_t r) { scores[r] = kMaxNodeScore; });
    return;
  }
  const auto scaled = [&](int64_t s) {
    const int64_t v =
        static_cast<int64_t>(static_cast<uint64_t>(kMaxNodeScore) * static_cast<uint64_t>(s)) /
        max;  // wraps like Go's
    return reverse ? kMaxNodeScore - v : v;
  };
  // Divisions are slow, and most maxima are small: one division per value instead of per node.
  constexpr size_t kTable = 1024;
  if (min >= 0 && max < static_cast<int64_t>(std::min(kTable, set.count))) {
    std::array<int64_t, kTable> table;
    for (int64_t s = 0; s <= max; ++s) table[static_cast<size_t>(s)] = scaled(s);
    set.for_each([&](uint32_t r) { scores[r] = table[static_cast<size_t>(scores[r])]; });
    return;
  }
  set.for_each([&](uint32_t r) { scores[r] = scaled(scores[r]); });
}

int64_t default_normalize_uniform(int64_t score, bool reverse) {
  if (score <= 0) return reverse ? kMaxNodeScore : score;
  const int64_t v =
      static_cast<int64_t>(static_cast<uint64_t>(kMaxNodeScore) * static_cast<uint64_t>(score)) /
      score;
  return reverse ? kMaxNodeScore - v : v;
}

// Moves down to the left child if it exists, else to the right sibling of the nearest ancestor (or
// of i itself) that is a left child and has one.
size_t next_in_heap(size_t i, size_t count) {
  if (2 * i + 1 < count) return 2 * i + 1;
  while (i != 0 && (i % 2 == 0 || i + 1 >= count)) i = (i - 1) / 2;
  return i == 0 ? count : i + 1;
}

uint64_t mixed(uint64_t seed, uint64_t count) {
  uint64_t z = seed + (count + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace libsched
