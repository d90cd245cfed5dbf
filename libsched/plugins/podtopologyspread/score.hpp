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
    SumsRef sums;      // of them; empty by row
    double weight = 0, offset = 0;
    uint64_t version = 0;                   // of the counts
    std::vector<uint64_t> eligible;         // rows that count; only for other keys, with counts
    int32_t empty = TopologyColumn::kNone;  // the domain in which rows without the key count, too
    // For other keys: the score of rows in domain d at [d + 1], and of rows in no domain at [0].
    std::vector<double> value;
  };
  std::vector<Term> terms;
  bool shared = false;               // terms of one key have common sums, which are never renewed
  std::vector<Tables::Known> known;  // the counts and sums of each term
  bool all_keys = true;              // only rows with the keys of all constraints get scores
  std::vector<uint64_t> feasible, ignored;  // the rows of the set, and those that get no score

  std::shared_ptr<PluginData> clone() const override {
    return std::make_shared<SoftConstraints>(*this);
  }
  bool release() override;
};

// Both end early, with an incomplete result, once the limits of the state are exceeded.
std::shared_ptr<SoftConstraints> count_soft(const SpreadSettings& settings,
                                            const PreScoreCall& call,
                                            const std::vector<SpreadConstraint>& constraints);
void score_soft(const SoftConstraints& data, const Call& call, const ScoreSet& set,
                int64_t* scores);
void normalize_soft(const SoftConstraints& data, const ScoreSet& set, int64_t* scores);
// See KeepsAnswers::rescore().
Plugin::Rescored rescore_soft(const RescoreCall& call, SoftConstraints* data);

}  // namespace libsched
