// Workspace: scratch memory that passes borrow, so that a warm call allocates nothing. It belongs
// to one evaluator and serves one call at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "libsched/base/line_vector.hpp"
#include "libsched/framework/filter_step.hpp"

namespace libsched {

struct Workspace {
  std::vector<FilterStep> steps;
  std::vector<uint64_t> alive, errors, chunk, feasible;  // of a filter pass
  std::vector<uint64_t> nominated, apart;                // rows that are judged one by one
  // With a meter: the rows that each step is asked about, one step after the other, and of a walk.
  std::vector<uint64_t> asked, walked;
  std::vector<uint32_t> narrowed, judged, feasible_rows;  // node lists
  LineVector<int64_t> column, totals;                     // of a score pass
  LineVector<int32_t> narrow_totals;                      // of a score pass
  LineVector<int32_t> rescored;                           // of a plugin that scores all rows again
  LineVector<uint8_t> placed_scores;                      // of such a one, by place
  std::vector<uint64_t> placed_rows;                      // feasible ones, by place
  std::vector<uint64_t> alive_hit;        // rows that kept answers are made for again
  std::vector<const uint64_t*> row_sets;  // scratch: sets to intersect
  std::vector<uint32_t> few_rows;
  std::vector<uint32_t> hit_rows, changed_rows, renewed_rows;
  std::vector<int32_t> few_sums;               // of a few rows, in the order of their list
  std::vector<uint64_t> few_bits, few_errors;  // zero between uses
  std::vector<uint64_t> score_errors;          // zero unless `score_failed`
  bool score_failed = false;
};

}  // namespace libsched
