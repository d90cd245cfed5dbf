// ScorePass: PreScore, Score and NormalizeScore of a framework for one pod over a set of nodes,
// their totals, and the choice among them.
#pragma once

#include <optional>

#include "libsched/framework/plugin_scope.hpp"
#include "libsched/kept/workspace.hpp"

namespace libsched {

class ScorePass {
 public:
  // All arguments must outlive the pass.
  ScorePass(const Framework& framework, CycleState& state, const Pod& pod, const Call& call,
            Workspace* workspace)
      : framework_(framework),
        state_(state),
        pod_(pod),
        call_(call),
        scope_(state, call, true),
        work_(*workspace) {}

  // A Status other than Success is upstream's Error of the whole point.
  Result<Status> pre_score(const ScoreSet& set);
  // `totals`: 64 * set.words numbers by row, or null; of int32_t only if the framework's scores are
  // narrow. `table`: every score, or null. `offset` gets the amount that every row's total lacks;
  // if null, the totals are complete.
  template <typename Total>
  Result<Status> score(const ScoreSet& set, Total* totals, ScoreTable* table,
                       int64_t* offset = nullptr);
  // The view has changed since PreScore in a way that does not concern what it has counted.
  void accept_stale() { accepts_stale_ = true; }
  // Counts the nodes that the plugins have been asked about, by the state's meter: all of the set,
  // or those up to the failure of the latest score().
  void count_scores(const ScoreSet& set) const;

 private:
  Result<Status> ask_pre_score(const ScoreSet& set);
  class Failure;
  template <typename Total>
  class Sums;

  Result<Status> score_none(const ScoreSet& set);
  bool asked(uint32_t plugin) const {
    return !state_.entries()[plugin].skip_score && framework_.plugins()[plugin].plugin != nullptr;
  }
  bool normalizes_in_turn() const;
  ScoreCall call_of(uint32_t plugin) const {
    const CycleState::Entry& entry = state_.entries()[plugin];
    return {call_, pod_, state_, entry.score_data.get(), entry.data.get(), entry.pre_scored};
  }
  Result<Scored> ask(uint32_t plugin, const ScoreSet& set, int64_t* scores);
  bool stale_data(uint32_t plugin) const;
  bool add_scores(size_t place, const ScoreSet& set, int32_t* totals, bool first) const;
  Result<Scored> ask_place(size_t place, const ScoreSet& set, int64_t* scores, Failure* failure);
  Status normalize(uint32_t plugin, const ScoreSet& set, int64_t* scores) const;
  int64_t normalize_uniform(uint32_t plugin, int64_t score) const;

  const Framework& framework_;
  CycleState& state_;
  const Pod& pod_;
  const Call& call_;
  PluginScope scope_;
  Workspace& work_;
  // Where a Score plugin has failed: the node, and the plugin's place.
  struct Failed {
    size_t node, place;
  };
  std::optional<Failed> failed_;
  bool accepts_stale_ = false;
};

// Chooses among the `count` rows of the set whose total is the best one, `top`. `ties_broken`
// counts random choices.
template <typename T>
uint32_t pick_tie(const View& view, const ScoreSet& set, const T* totals, T top, size_t count,
                  TieMode ties, uint64_t seed, uint64_t* ties_broken) {
  if (ties == TieMode::kUpstream) {
    size_t i = 0;
    while (totals[set.order->at(i)] != top) i = next_in_heap(i, set.count);
    return set.order->at(i);
  }
  size_t skip = ties == TieMode::kRandom ? mixed(seed, (*ties_broken)++) % count : 0;
  uint32_t chosen = kNoId;
  for (const uint32_t r : set.rows()) {
    if (totals[r] != top) continue;
    if (ties == TieMode::kRandom) {
      if (skip-- == 0) return r;
    } else if (chosen == kNoId || view.row(r).name < view.row(chosen).name) {
      chosen = r;
    }
  }
  return chosen;
}

// The best row of the set by `totals`; `best` gets its total. `ties_broken` counts random choices.
template <typename Total>
uint32_t pick_row(const View& view, const ScoreSet& set, const Total* totals, TieMode ties,
                  uint64_t seed, uint64_t* ties_broken, int64_t* best);

}  // namespace libsched
