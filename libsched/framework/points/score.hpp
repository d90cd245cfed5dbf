// Plugins that say which node is best: PreScore, Score, NormalizeScore.
#pragma once

#include <cstdint>
#include <memory>

#include "libsched/framework/call.hpp"
#include "libsched/framework/cycle_state.hpp"
#include "libsched/framework/scoring.hpp"

namespace libsched {

struct PreScoreCall : Call {
  const Pod& pod;
  CycleState& state;
  const ScoreSet& set;  // without `errors`
};

struct ScoreCall : Call {
  const Pod& pod;
  CycleState& state;
  const PluginData* data;         // PreScore's data; null if it has none or did not run
  const PluginData* filter_data;  // prepare()'s data for PreFilter and Filter, or null
  bool pre_scored;                // the plugin's PreScore ran for this state
};

class PreScorePlugin {
 public:
  // `data` is kept for Score. After Skip Score does not run. The data must not point into
  // `call.set`.
  virtual Status pre_score(const PreScoreCall&, std::shared_ptr<PluginData>*) const { return {}; }

 protected:
  ~PreScorePlugin() = default;
};

class ScorePlugin {
 public:
  // Writes scores[row] for every row of the set, as upstream's Score does before normalising.
  // `scores` has room for 64 * set.words; elements of rows outside of the set may hold anything.
  virtual Scored score(const ScoreCall&, const ScoreSet&, int64_t* scores) const;
  // For a plugin that does not normalise: as score(), but adds each score times the weight to
  // totals[row], which has room for it; those of other rows may then hold anything. `first`: the
  // totals hold nothing yet, so it sets those of the set's rows, and those of words without such
  // rows to 0. Returns false if the totals are as before, or if a score is out of range and they
  // are meaningless; then score() is asked.
  virtual bool add_scores(const ScoreCall&, const ScoreSet&, uint32_t, int32_t*, bool) const {
    return false;
  }
  // The status of a row that score() has marked in `errors`, without the plugin's name.
  virtual Status score_status(const ScoreCall&, uint32_t row) const;

  // Upstream's ScoreExtensions: replaces scores[row] for every row of the set.
  virtual bool normalizes() const { return false; }
  virtual Status normalize(const ScoreCall&, const ScoreSet&, int64_t*) const { return {}; }
  // The same for a plugin with uniform scores: all rows have `score`.
  virtual int64_t normalize_uniform(const ScoreCall&, int64_t score) const { return score; }

 protected:
  ~ScorePlugin() = default;
};

}  // namespace libsched
