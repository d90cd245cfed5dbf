// ScheduleAnyway constraints: the counts of PreScore, and the scores by them.
#pragma once

#include <vector>

#include "libsched/plugins/podtopologyspread/constraints.hpp"

namespace libsched {

struct SoftConstraints final : PluginData {
  struct Term {
    TopologyRef column;
    // For kubernetes.io/hostname pods are counted by node: count * weight + offset.
    bool by_row = false;
    CountsRef counts;  // empty if the selector counts no pod
    double weight = 0, offset = 0;
    // For other keys: the score of rows in domain d at [d + 1], and of rows in no domain at [0].
    std::vector<double> value;
  };
  std::vector<Term> terms;
  std::vector<uint64_t> ignored;  // rows that get no score

  std::shared_ptr<PluginData> clone() const override {
    return std::make_shared<SoftConstraints>(*this);
  }
};

// Both end early, with an incomplete result, once the limits of the state are exceeded.
std::shared_ptr<SoftConstraints> count_soft(const SpreadSettings& settings,
                                            const PreScoreCall& call,
                                            const std::vector<SpreadConstraint>& constraints);
void score_soft(const SoftConstraints& data, const Call& call, const ScoreSet& set,
                int64_t* scores);
void normalize_soft(const SoftConstraints& data, const ScoreSet& set, int64_t* scores);

}  // namespace libsched
