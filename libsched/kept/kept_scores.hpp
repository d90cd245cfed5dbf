// KeptScores: the totals of a class's latest whole cycle, from which the cycles of the next pods of
// the class go on.
//
// It goes on beside KeptFilters, in the same cycles: of the changed rows alone, plugins are asked
// for scores again. The data of PreScore is shared by the states of these pods
// (CycleState::adopt). Scores that follow the pods of any node, or the set of feasible nodes, are
// made anew for all rows, if a change concerns them, and added to the sums of all others
// (kept_scores_whole.cpp).
//
// It serves cycles that judge every node, if no plugin of their points is foreign or declares
// nothing. Where it does not serve, nodes are scored as if nothing were kept.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libsched/kept/kept_filters.hpp"
#include "libsched/kept/placed_totals.hpp"

namespace libsched {

class KeptScores {
 public:
  struct Asked : KeptQuestion {
    KeptFilters& filters;  // of the same class
    const NodePlaces& places;
  };

  bool ready() const { return ready_; }
  void forget() {
    ready_ = false;
    pod_ = {};
  }
  size_t bytes() const;
  // Whether it is about the same nodes.
  bool stands_in(const View& view) const {
    return ready_ && view.order_membership() == order_ && view.word_count() == words_;
  }

  // After a whole cycle: the filters have the verdicts of all rows, the state what plugins have
  // prepared, and `totals`, by row, are of the feasible rows `set`. Each lacks `offset`.
  void learn(const Asked& asked, const ScoreSet& set, const int32_t* totals, int64_t offset);
  // Loads what the changed rows need into the processor's cache.
  void fetch(const View& view, const NodePlaces& places, const FewChanges& changes);
  // After KeptFilters::follow() with the same changes: brings the totals up to date for the pod,
  // whose state is then as after PreScore. Returns false if nodes have to be scored as if nothing
  // were kept. Errors: those of limits.
  Result<bool> follow(const Asked& asked, const FewChanges& changes);

  // After follow(): counts what PreScore and Score would have been asked.
  void count(const Asked& asked, PluginMeter* meter) const;

  PlacedTotals& totals() { return totals_; }
  int64_t offset() const { return offset_; }

 private:
  // A plugin of PreScore or Score.
  struct Part {
    uint32_t index = 0;  // into Framework::plugins()
    const Plugin* plugin = nullptr;
    Reads reads;
    bool pre_scores = false;
    bool scores = false;   // and PreScore has not skipped it
    bool dynamic = false;  // its score follows pods of the node
    bool whole = false;    // its scores follow other nodes, or the set
    size_t small = 0;      // place of its scores among those of whole parts
    bool small_known = false;
    int64_t weight = 0;
  };

  bool note_parts(const Asked& asked);
  bool take_totals(const Asked& asked, const ScoreSet& set, const int32_t* by_row);
  std::optional<Scored> ask_scores(const Asked& asked, const ScoreSet& set, const Part& part,
                                   const CycleState::Entry& entry);
  void note_relevant(const Asked& asked);
  static ScoreCall score_call_of(const Asked& asked, const CycleState::Entry& entry);
  bool take_all(const Asked& asked);
  bool take_rows(const Asked& asked);
  bool renew_scores(const Asked& asked, const FewChanges& changes);
  bool score_changed(const Asked& asked, const FewChanges& changes);
  bool take_scores(const Asked& asked, std::span<const uint32_t> rows);
  bool add_scores(const Asked& asked, std::span<const uint32_t> rows);
  bool rescore(const Asked& asked, const FewChanges& changes);
  Plugin::Rescored rescore_part(const Asked& asked, const FewChanges& changes, const ScoreSet& set,
                                Part* part);
  bool score_again(const Asked& asked, const ScoreSet& set, const Part& part);
  void add_rescored(const Asked& asked);
  uint8_t* small(const Part& part) { return small_.data() + part.small * words_ * 64; }
  bool scored(uint32_t place) const { return (scored_[place / 64] >> (place % 64) & 1) != 0; }

  bool ready_ = false;
  PodRef pod_;          // whose texts PreScore's data may borrow
  uint64_t order_ = 0;  // of the view
  size_t words_ = 0;
  std::vector<Part> parts_;
  // Of parts_: whose data or answers about all rows may have to be renewed, and that are dynamic.
  std::vector<uint32_t> watch_, dynamic_parts_;
  ChangeKinds relevant_ = 0;                        // a part of watch_ has to be looked at
  ChangeKinds static_rows_ = 0, dynamic_rows_ = 0;  // a row has to be scored again
  size_t wholes_ = 0;                               // parts that are whole
  std::vector<uint64_t> feasible_;                  // by row
  bool set_changed_ = false;                        // in this cycle
  bool varied_ = false;                             // sums depend on the set
  bool bound_ = false;  // some data of parts that are not whole is for one version of the view
  PlacedTotals totals_;
  std::vector<int32_t> static_;  // by place: the part of the total that does not follow pods
  // If some part is whole: by place, the total without such parts, and the normalised scores of
  // each such part by row.
  LineVector<int32_t> sums_;
  LineVector<uint8_t> small_;
  std::vector<uint64_t> scored_;  // places whose totals stand
  bool all_scored_ = false;       // these are all places
  int64_t offset_ = 0;
};

}  // namespace libsched
