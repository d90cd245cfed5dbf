// The scorers of NodeResourcesFit: LeastAllocated, MostAllocated and RequestedToCapacityRatio over
// any resources and weights.
#pragma once

#include <cstdint>
#include <span>

#include "libsched/plugins/noderesources/allocation.hpp"
#include "libsched/plugins/score_shape.hpp"

namespace libsched {

class FitScorer {
 public:
  explicit FitScorer(const ScoringStrategy& strategy);

  const Allocation& allocation() const { return allocation_; }
  // Scores every row of the set. Fails all of them if no resource is listed.
  Scored score(const View& view, const AllocationAsk& ask, const ScoreSet& set,
               int64_t* scores) const;
  // Adds the scores of LeastAllocated as Plugin::add_scores(). False for other scorers.
  bool add_scores(const View& view, const AllocationAsk& ask, const ScoreSet& set, uint32_t weight,
                  int32_t* totals, bool first) const;

 private:
  enum class Type : uint8_t { kLeast, kMost, kRatio };
  int64_t ratio_row(std::span<const AllocationColumn> columns, size_t row) const;

  Allocation allocation_;
  Type type_ = Type::kLeast;
  ScoreShape shape_;
};

}  // namespace libsched
