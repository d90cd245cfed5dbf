// Passes over columns of scores: summing with a weight, and range and maximum of the rows of a set.
// Each is one loop, compiled for several instruction sets and selected once. All use integer
// arithmetic and give the same results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace libsched {

struct ColumnRange {
  int64_t min, max;
};

struct ColumnTop {
  int64_t value;
  size_t count;
};

// Of some rows: the largest value, and the smallest rank of those that have it.
struct WordBest {
  int32_t value;
  uint32_t first;
};

// Sets of places, in whole words, and sets of such words; none overlaps another in memory.
struct PlaceSets {
  uint64_t *now, *ever;           // places
  uint64_t *moved_in, *fresh_in;  // words
};

struct ColumnKernels {
  const char* name;
  // totals[row] = scores[row] * weight, plus the present total unless `first`, for the rows
  // of `bits`; other totals of their words are meaningless. True if the scores of all rows of
  // `bits` lie between the smallest and largest score of a node; otherwise the sums are
  // meaningless.
  bool (*add)(const uint64_t* bits, size_t words, const int64_t* scores, int64_t weight, bool first,
              int64_t* totals);
  bool (*add_narrow)(const uint64_t* bits, size_t words, const int64_t* scores, int64_t weight,
                     bool first, int32_t* totals);  // modulo 2^32
  // The range of the rows of `bits`, which has at least one row.
  ColumnRange (*range)(const uint64_t* bits, size_t words, const int64_t* values);
  // The largest value of the rows of `bits`, which has at least one row, and how many have it.
  ColumnTop (*top)(const uint64_t* bits, size_t words, const int64_t* values);
  ColumnTop (*top_narrow)(const uint64_t* bits, size_t words, const int32_t* values);
  // alive[i] &= sets[k][i] for every k.
  void (*intersect)(uint64_t* alive, size_t words, const uint64_t* const* sets, size_t count);
  size_t (*ones)(const uint64_t* bits, size_t words);              // the number of rows
  WordBest (*best)(const int32_t* values, const uint32_t* ranks);  // of 64 rows
  // best[w] = the largest value of the rows of bits[w], or the smallest number if it has none, for
  // every word w whose bit is set in `which`.
  void (*tops)(const uint64_t* which, const uint64_t* bits, size_t words, const int32_t* values,
               int32_t* best);
  uint64_t (*equal)(const int32_t* values, int32_t value);  // those of 64 rows, as bits
  // totals[i] = sums[i] + scores[i] * weight for 64 * words rows; sums may be the totals.
  void (*add_small)(const int32_t* sums, const uint8_t* scores, int32_t weight, size_t words,
                    int32_t* totals);
  // The smallest rank of those of 64 * words rows that have the value; all bits set if none has.
  uint32_t (*first)(const int32_t* values, const uint32_t* ranks, size_t words, int32_t value);
  // Of so many rows, a multiple of 16.
  WordBest (*best_of)(const int32_t* values, const uint32_t* ranks, size_t count);
  // ranks[w] = the number of rows before word w. Returns the number of all.
  size_t (*ranks)(const uint64_t* bits, size_t words, uint32_t* ranks);
  int32_t (*largest)(const int32_t* values, size_t count);  // at least one
  // to[i] = from[i] for every bit i of `which`; both have 64 numbers.
  void (*put)(uint64_t which, const int32_t* from, int32_t* to);
  // Replaces the set `now` by `bits`, and adds the words in which members come or go to
  // `moved_in`. Members of `bits` that are not in `ever` are added to it, and their words to
  // `fresh_in`.
  void (*take)(const uint64_t* bits, size_t words, PlaceSets sets);
};

const ColumnKernels& column_kernels();
// The kernels that this machine can run, the portable one first, for tests.
std::span<const ColumnKernels> all_column_kernels();

}  // namespace libsched
