// ClassScores: bookkeeping of which rows' scores, totals and blocks stand.
#include "libsched/framework/class_scores.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "libsched/framework/score_columns.hpp"

namespace libsched {
namespace {

bool test(std::span<const uint64_t> bits, uint32_t row) {
  return row / 64 < bits.size() && (bits[row / 64] >> (row % 64) & 1) != 0;
}

template <typename F>
void for_each_row(std::span<const uint64_t> bits, F&& f) {
  for (size_t w = 0; w < bits.size(); ++w)
    for_each_bit(bits[w], w * 64, [&](size_t row) { f(static_cast<uint32_t>(row)); });
}

bool fits_int32(int64_t n) {
  return n >= std::numeric_limits<int32_t>::min() && n <= std::numeric_limits<int32_t>::max();
}

}  // namespace

void ClassScores::follow(const LoggedChanges& changes) {
  if (!declared_) return;
  if (!changes.known || reads_.any_hit(changes.all)) return forget();
  changes.clear_hit(reads_, &scored_);
}

size_t ClassScores::bytes() const {
  size_t out = (asked_.capacity() + block_ties_.capacity() + block_first_.capacity() +
                before_.capacity() + set_ranks_.capacity() + set_by_rank_.capacity()) *
               sizeof(uint32_t);
  out += (sums_.capacity() + totals_.capacity() + block_best_.capacity()) * sizeof(int32_t);
  for (const auto* bits : {&scored_, &summed_, &set_, &stale_, &set_at_})
    out += bits->capacity() * sizeof(uint64_t);
  for (const Raw& r : raws_) out += sizeof r + r.scores.capacity() * sizeof(int32_t);
  return out;
}

bool ClassScores::follows(std::span<const uint32_t> asked) const {
  return declared_ && std::equal(asked.begin(), asked.end(), asked_.begin(), asked_.end());
}

void ClassScores::begin(const Framework& framework, const View& view, const Pod& pod,
                        std::span<const uint32_t> asked) {
  forget();
  asked_.assign(asked.begin(), asked.end());
  raws_.clear();
  for (std::vector<uint64_t>* bits : {&scored_, &summed_, &set_, &stale_}) bits->clear();
  order_ = 0;
  reads_ = {};
  useful_ = !asked.empty() && framework.narrow_scores();
  for (const uint32_t k : asked) {
    const Plugin& plugin = *framework.plugins()[framework.at(ExtensionPoint::kScore)[k]].plugin;
    const Reads reads = plugin.depends_on(view, pod).score;
    reads_.row |= reads.row;
    reads_.any |= reads.any;
    reads_.others |= reads.others;
    reads_.outside |= reads.outside;
    if (plugin.normalizes()) {
      if (!plugin.normalizes_by_range()) useful_ = false;
      raws_.emplace_back().plugin = k;
    }
  }
  if (reads_.others || reads_.outside) useful_ = false;
  declared_ = true;
}

void ClassScores::open(size_t words) {
  forget();
  for (std::vector<uint64_t>* bits : {&scored_, &summed_, &set_}) bits->resize(words);
  stale_.resize(words_for(words));
  sums_.resize(words * 64);
  if (varied()) totals_.resize(words * 64);
  for (Raw& r : raws_)
    if (!r.uniform) r.scores.resize(words * 64);
  block_best_.resize(words);
  block_ties_.resize(words);
  block_first_.resize(words);
}

size_t ClassScores::missing(std::span<const uint64_t> set, std::vector<uint64_t>* out) const {
  out->resize(set.size());
  uint64_t* const lacking = out->data();
  const uint64_t* const scored = scored_.data();
  uint64_t any = 0;
  for (size_t w = 0; w < set.size(); ++w) any |= lacking[w] = set[w] & ~scored[w];
  return any == 0 ? 0 : column_kernels().ones(lacking, set.size());
}

bool ClassScores::take_raw(uint32_t plugin, const ScoreSet& set, const Scored& scored,
                           const int64_t* column) {
  Raw& raw =
      *std::find_if(raws_.begin(), raws_.end(), [&](const Raw& r) { return r.plugin == plugin; });
  if (scored.uniform && !raw.known) {
    raw.value = scored.value;
    raw.known = true;
  }
  if (!fits_int32(raw.value)) return false;
  if (raw.uniform) {
    if (scored.uniform && scored.value == raw.value) return true;
    // The totals that stand have this plugin's score in what is the same for all.
    raw.scores.assign(sums_.size(), static_cast<int32_t>(raw.value));
    std::fill(summed_.begin(), summed_.end(), 0);
    totals_.resize(sums_.size());
    raw.uniform = false;
  }
  raw.known = true;
  bool fits = true;
  set.for_each([&](uint32_t r) {
    const int64_t score = scored.uniform ? scored.value : column[r];
    fits = fits && fits_int32(score);
    raw.scores[r] = static_cast<int32_t>(score);
  });
  return fits;
}

void ClassScores::take_sums(const ScoreSet& set, const int64_t* sums, int64_t constant) {
  set.for_each([&](uint32_t r) {
    sums_[r] = static_cast<int32_t>((sums == nullptr ? 0 : sums[r]) + constant);
  });
  for (size_t w = set.first_word; w < set.words; ++w) {
    scored_[w] |= set.bits[w];
    summed_[w] &= ~set.bits[w];
  }
}

bool ClassScores::varied() const {
  return std::any_of(raws_.begin(), raws_.end(), [](const Raw& r) { return !r.uniform; });
}

// As long as the rows at its ends are there, only rows that came may widen a range.
bool ClassScores::range_stands(const Raw& raw, std::span<const uint64_t> scored) const {
  const auto stands = [&](uint32_t r) { return r != kNoId && test(set_, r) && !test(scored, r); };
  return stands(raw.min_row) && stands(raw.max_row);
}

void ClassScores::widen_range(Raw* raw, std::span<const uint64_t> rows) const {
  for_each_row(rows, [&](uint32_t r) {
    const int32_t s = raw->scores[r];
    if (raw->min_row == kNoId || s < raw->min) {
      raw->min = s;
      raw->min_row = r;
    }
    if (raw->max_row == kNoId || s > raw->max) {
      raw->max = s;
      raw->max_row = r;
    }
  });
}

void ClassScores::take_set(const ScoreSet& set, std::vector<uint64_t>* scored) {
  std::vector<uint64_t>& came = *scored;
  uint64_t other = 0;
  for (size_t w = 0; w < set.words; ++w) {
    const uint64_t now = set.bits[w], changed = set_[w] ^ now;
    if ((changed | came[w]) != 0) stale_[w / 64] |= uint64_t{1} << (w % 64);
    came[w] = now & (changed | came[w]);
    other |= changed;
    set_[w] = now;
  }
  if (other != 0) {
    order_ = same_set_ = 0;
    own_ranks_ = false;
  }
  for (Raw& raw : raws_) {
    if (raw.uniform) continue;
    const bool known = raw.min_row != kNoId;
    const int32_t min = raw.min, max = raw.max;
    if (range_stands(raw, came)) {
      widen_range(&raw, came);
    } else {
      raw.min_row = raw.max_row = kNoId;
      widen_range(&raw, set_);
    }
    if (!known || raw.min != min || raw.max != max) std::fill(summed_.begin(), summed_.end(), 0);
  }
}

size_t ClassScores::unsummed(std::vector<uint64_t>* out) const {
  out->resize(set_.size());
  size_t count = 0;
  for (size_t w = 0; w < set_.size(); ++w) {
    (*out)[w] = set_[w] & ~summed_[w];
    count += static_cast<size_t>(count_bits((*out)[w]));
  }
  if (count == 0) return 0;
  for (const Raw& raw : raws_) {
    if (raw.uniform) continue;
    for (const uint32_t r : {raw.min_row, raw.max_row}) {
      if (test(*out, r)) continue;
      (*out)[r / 64] |= uint64_t{1} << (r % 64);
      ++count;
    }
  }
  return count;
}

void ClassScores::take_totals(const std::vector<uint64_t>& rows, const int64_t* normalized) {
  for (size_t w = 0; w < rows.size(); ++w) {
    if (rows[w] == 0) continue;
    for_each_bit(rows[w], w * 64,
                 [&](size_t r) { totals_[r] = static_cast<int32_t>(sums_[r] + normalized[r]); });
    summed_[w] |= rows[w];
    stale_[w / 64] |= uint64_t{1} << (w % 64);
  }
}

void ClassScores::look_through(size_t word, const uint32_t* ranks) {
  const uint64_t bits = set_[word];
  const int32_t* const in = totals() + word * 64;
  WordBest best{std::numeric_limits<int32_t>::min(), 0, kNoId};
  if (bits == ~uint64_t{0}) {
    best = column_kernels().best(in, ranks);
  } else {
    for_each_bit(bits, 0, [&](size_t i) { best.value = std::max(best.value, in[i]); });
    for_each_bit(bits, 0, [&](size_t i) {
      if (in[i] != best.value) return;
      ++best.ties;
      best.first = std::min(best.first, ranks[i]);
    });
  }
  block_best_[word] = best.value;
  block_ties_[word] = best.ties;
  block_first_[word] = best.first;
}

// The ranks of the set's rows in a heap over the set, in the view's order.
void ClassScores::rank_set(const NodePlaces& places) {
  std::vector<uint32_t> rows;
  rows.reserve(places.count());
  for (const uint32_t r : places.rows())
    if (test(set_, r)) rows.push_back(r);
  set_ranks_.assign(set_.size() * 64, kNoId);
  set_by_rank_.clear();
  for (size_t i = 0; i < rows.size(); i = next_in_heap(i, rows.size())) {
    set_ranks_[rows[i]] = static_cast<uint32_t>(set_by_rank_.size());
    set_by_rank_.push_back(rows[i]);
  }
}

ClassScores::Best ClassScores::best(const ScoreSet& set, const NodePlaces& places) {
  constexpr uint64_t kOwn = uint64_t{1} << 63;
  // Ranking costs as much as finding the first of many ties some times over.
  constexpr size_t kSameSet = 16;
  if (set.count == places.count() || (ranked_ & ~kOwn) != places.order()) {
    own_ranks_ = false;
    same_set_ = 0;
  } else if (!own_ranks_ && ++same_set_ == kSameSet) {
    rank_set(places);
    own_ranks_ = true;
  }
  const uint64_t ranked = places.order() | (own_ranks_ ? kOwn : 0);
  if (std::exchange(ranked_, ranked) != ranked)
    std::fill(stale_.begin(), stale_.end(), ~uint64_t{0});
  const uint32_t* const ranks = own_ranks_ ? set_ranks_.data() : places.ranks();
  for (size_t i = 0; i < stale_.size(); ++i) {
    for_each_bit(stale_[i], i * 64, [&](size_t w) {
      if (w < set_.size()) look_through(w, ranks + w * 64);
    });
    stale_[i] = 0;
  }
  Best out;
  out.total = std::numeric_limits<int32_t>::min();
  for (const int32_t b : block_best_) out.total = b > out.total ? b : out.total;
  for (size_t w = 0; w < block_best_.size(); ++w) {
    if (block_best_[w] != out.total) continue;
    out.ties += block_ties_[w];
    out.first = std::min(out.first, block_first_[w]);
  }
  return out;
}

// The places of the set, and how many are before each word of them.
void ClassScores::number(const NodePlaces& places) {
  if (order_ == places.order() && order_ != 0) return;
  order_ = 0;
  set_at_.assign(set_.size(), 0);
  before_.assign(set_.size(), 0);
  for_each_row(set_, [&](uint32_t r) {
    const uint32_t at = places.of(r);
    set_at_[at / 64] |= uint64_t{1} << (at % 64);
  });
  uint32_t n = 0;
  for (size_t w = 0; w < set_at_.size(); ++w) {
    before_[w] = n;
    n += static_cast<uint32_t>(count_bits(set_at_[w]));
  }
  order_ = places.order();
}

uint32_t ClassScores::first_in_heap(const ScoreSet& set, const Best& best,
                                    const NodePlaces& places) {
  if (set.count == places.count()) return places.at_rank(best.first);
  if (own_ranks_) return set_by_rank_[best.first];
  const int32_t* const all = totals();
  // Where many are as good, the first of them is soon met.
  constexpr size_t kMany = 128;
  if (best.ties > kMany) {
    size_t i = 0;
    while (all[set.order->at(i)] != best.total) i = next_in_heap(i, set.count);
    return set.order->at(i);
  }
  const bool numbered = best.ties != 1;
  if (numbered) number(places);
  uint32_t first = kNoId;
  size_t first_at = 0;
  for (size_t w = 0; w < block_best_.size(); ++w) {
    if (block_best_[w] != best.total || block_ties_[w] == 0) continue;
    for_each_bit(set_[w], w * 64, [&](size_t row) {
      if (all[row] != best.total) return;
      const auto r = static_cast<uint32_t>(row);
      size_t at = places.of(r);
      if (numbered)
        at = before_[at / 64] +
             static_cast<size_t>(count_bits(set_at_[at / 64] & ((uint64_t{1} << (at % 64)) - 1)));
      if (first != kNoId && !before_in_heap(at, first_at)) return;
      first = r;
      first_at = at;
    });
  }
  return first;
}

}  // namespace libsched
