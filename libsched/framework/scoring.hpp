// Scores: the nodes that are scored, normalising, the table of all scores, and the choice of the
// best.
//
// Scores are columns indexed by row; elements of rows outside of the set are meaningless.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "libsched/base/arena.hpp"
#include "libsched/base/bitmap.hpp"
#include "libsched/base/handle_mark.hpp"

namespace libsched {

inline constexpr int64_t kMaxNodeScore = 100;
inline constexpr int64_t kMinNodeScore = 0;

// The set bits of a bitmap in the order of a list of nodes, computed on first use.
class FeasibleOrder {
 public:
  // Every set bit is once among `nodes`; the order begins with nodes[start] and wraps around.
  FeasibleOrder(Span<uint32_t> nodes, size_t start, const uint64_t* bits, size_t count,
                std::vector<uint32_t>* scratch)
      : nodes_(nodes), start_(start), bits_(bits), count_(count), rows_(scratch) {}
  Span<uint32_t> rows();
  // rows()[i], without building the list where every node is in the set.
  uint32_t at(size_t i) {
    if (!made_ && count_ == nodes_.size()) {
      i += start_;
      return nodes_[i < nodes_.size() ? i : i - nodes_.size()];
    }
    return rows()[i];
  }

 private:
  Span<uint32_t> nodes_;
  size_t start_;
  const uint64_t* bits_;
  size_t count_;
  std::vector<uint32_t>* rows_;
  bool made_ = false;
};

// The nodes that are scored: the feasible nodes, as a bitmap over whole words of rows, and as a
// list in the order in which they were found (upstream's order of the calls).
struct ScoreSet {
  size_t words = 0;
  size_t count = 0;
  const uint64_t* bits = nullptr;
  FeasibleOrder* order = nullptr;
  uint64_t* errors = nullptr;  // the rows where Score fails
  bool* failed = nullptr;      // whether there is any
  // If not empty, the rows of `bits`, in ascending order: going through them costs less.
  std::span<const uint32_t> few = {};

  Span<uint32_t> rows() const { return order->rows(); }
  void fail(uint32_t row) const {
    errors[row / 64] |= uint64_t{1} << (row % 64);
    *failed = true;
  }

  // Sets the scores of all rows of its words.
  void fill(int64_t* scores, int64_t value) const { std::fill_n(scores, words * 64, value); }
  // Calls f(row) for every row, in ascending order, with a loop that the compiler can vectorise
  // where all rows of a word are in the set.
  template <typename F>
  void for_each(F&& f) const {
    for (const uint32_t row : few) f(row);
    if (!few.empty()) return;
    for (size_t w = 0; w < words; ++w) {
      if (bits[w] == ~uint64_t{0}) {
        for (size_t i = 0; i < 64; ++i) f(static_cast<uint32_t>(w * 64 + i));
        continue;
      }
      for_each_bit(bits[w], w * 64, [&](size_t row) { f(static_cast<uint32_t>(row)); });
    }
  }
};

// Score's result. Uniform: every row has `value`, and the column is not written.
struct Scored {
  bool uniform = false;
  int64_t value = 0;
};

// Its highest bit is set if the score is out of range; those of many scores combine by `or`.
inline uint64_t beyond_range(int64_t score) {
  static_assert(kMinNodeScore == 0);
  const auto s = static_cast<uint64_t>(score);
  return s | (static_cast<uint64_t>(kMaxNodeScore) - s);
}
inline bool any_beyond(uint64_t beyond) { return beyond >> 63 != 0; }

// Adds a score times a weight to a total. What is out of the total's range wraps around.
inline void add_weighted(int64_t score, uint32_t weight, int32_t* total) {
  *total =
      static_cast<int32_t>(static_cast<uint32_t>(*total) + static_cast<uint32_t>(score) * weight);
}

struct ScoreRange {
  int64_t min, max;
};
ScoreRange score_range(const ScoreSet& set, const int64_t* scores);  // of a set that is not empty

// Upstream's DefaultNormalizeScore to 0..100, over the rows of the set; and of a uniform score.
void default_normalize(const ScoreSet& set, bool reverse, int64_t* scores);
int64_t default_normalize_uniform(int64_t score, bool reverse);

// Every score of one pod. Arrays are parallel to `rows`.
struct ScoreTable : HandleMark {
  struct Column {
    std::string plugin;
    int64_t weight = 0;
    std::vector<int64_t> raw, normalized, weighted;
  };
  std::vector<uint32_t> rows;   // in the order of discovery
  std::vector<Column> columns;  // in the order of the Score plugins, without skipped ones
  std::vector<int64_t> totals;
};

// Which of several best nodes is chosen.
enum class TieMode : uint8_t {
  // As upstream: a heap, whose root is the first maximum in pre-order (i, subtree of 2i+1, subtree
  // of 2i+2); with the semantics of 1.31 as kRandom.
  kUpstream,
  kName,    // the smallest node name
  kRandom,  // by a seed
};

// The position after i in pre-order, in a heap of `count`; `count` after the last.
size_t next_in_heap(size_t i, size_t count);
// A pseudo-random number that depends on seed and count only.
uint64_t mixed(uint64_t seed, uint64_t count);

}  // namespace libsched
