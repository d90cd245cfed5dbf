// ClassCycle: what a whole cycle of a class's pod has prepared and found, and from which the cycles
// of the next pods of the class go on.
//
// Pods of a class get the same answers from plugins that declare what they read
// (dependencies.hpp). So the next pod needs no PreFilter and no PreScore but of plugins whose
// declarations name a change since; Filter and Score are asked about the changed rows alone. The
// prepared data is shared by the states of these pods (CycleState::adopt).
//
// Scores that follow the pods of any node, or the set of feasible nodes, are made anew for all
// rows, if a change concerns them, and added to the sums of all others (class_rescore.cpp).
//
// It serves cycles that judge every node, if no plugin of their points is foreign or declares
// nothing. Where it does not serve, the cycle has to be run as a whole.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libsched/framework/few_changes.hpp"
#include "libsched/framework/placed_totals.hpp"
#include "libsched/framework/workspace.hpp"

namespace libsched {

class ClassCycle {
 public:
  struct Asked {
    const Framework& framework;
    const Call& call;
    const Pod& pod;
    CycleState& state;
    Workspace& work;
    const NodePlaces& places;
  };

  bool ready() const { return static_cast<bool>(entries_); }
  void forget();
  size_t bytes() const;
  // Changes since this cursor count.
  const ChangeLog::Cursor& cursor() const { return cursor_; }
  // Whether it is about the same nodes and ids.
  bool stands_in(const View& view) const;

  // After a whole cycle: `work` has its steps, the state what plugins have prepared, and `totals`,
  // by row, are of the feasible rows `set`. Each lacks `offset`.
  void learn(const Asked& asked, const ScoreSet& set, const int32_t* totals, int64_t offset);
  // Brings all up to date for the pod, whose state is then as after PreScore. Returns false if the
  // cycle has to be run as a whole. Errors: those of limits.
  Result<bool> follow(const Asked& asked, const FewChanges& changes);

  // After follow(): counts what a whole cycle would have asked.
  void count(const Asked& asked, PluginMeter* meter);

  PlacedTotals& totals() { return totals_; }
  int64_t offset() const { return offset_; }

 private:
  // After such changes prepared data can be renewed.
  static constexpr ChangeKinds kPodChanges =
      kPodsChanged | kVolumesChanged | kTermsChanged | kAssumedChanged;

  // A plugin of PreFilter, Filter, PreScore or Score.
  struct Part {
    uint32_t index = 0;  // into Framework::plugins()
    const Plugin* plugin = nullptr;
    Reads filter, score;
    uint32_t step = kNoId;  // into steps_; kNoId: Filter is skipped, or not implemented
    bool pre_filters = false, filters = false, pre_scores = false;
    bool rejects = false;     // step is in rejecting_
    uint64_t renewed_in = 0;  // the cycle in which its verdicts of all rows were made up to date
    bool scores = false;      // and PreScore has not skipped it
    bool dynamic = false;     // its score follows pods of the node
    bool whole = false;       // its scores follow other nodes, or the set
    size_t small = 0;         // place of its scores among those of whole parts
    bool small_known = false;
    int64_t weight = 0;
  };

  bool note_parts(const Asked& asked);
  bool take_totals(const Asked& asked, const ScoreSet& set, const int32_t* by_row);
  std::optional<Scored> ask_scores(const Asked& asked, const ScoreSet& set, const Part& part,
                                   const CycleState::Entry& entry);
  void note_cares(const Framework& framework, CycleState::Entries* entries);
  Result<bool> renew_filters(const Asked& asked, const FewChanges& changes);
  Result<bool> renew(const Asked& asked, const FewChanges& changes, Part* part,
                     bool* reads_changed);
  bool judge_all(const Asked& asked, Part* part);
  bool judge_rows(const Asked& asked, std::span<const uint32_t> rows, Part* part);
  bool reject_rows(const Asked& asked, std::span<const uint32_t> rows, const Part& part);
  FilterCall call_of(const Asked& asked, const Part& part) const;
  static ScoreCall score_call_of(const Asked& asked, const CycleState::Entry& entry);
  bool accepted(uint32_t row) const;
  void note_rejecting(Part* part);
  void list_changed(const Asked& asked, const FewChanges& changes);
  std::span<const uint32_t> changed_by(const Asked& asked, const FewChanges& changes,
                                       ChangeKinds kinds);
  bool take_all(const Asked& asked);
  bool take_rows(const Asked& asked);
  bool renew_scores(const Asked& asked, const FewChanges& changes);
  bool score_rows(const Asked& asked, std::span<const uint32_t> rows);
  bool add_scores(const Asked& asked, std::span<const uint32_t> rows);
  bool add_columns(const Asked& asked, std::span<const uint32_t> rows);
  bool rescore(const Asked& asked, const FewChanges& changes);
  Plugin::Rescored rescore_part(const Asked& asked, const FewChanges& changes, const ScoreSet& set,
                                Part* part);
  bool score_again(const Asked& asked, const ScoreSet& set, const Part& part);
  void add_rescored(const Asked& asked);
  uint8_t* small(const Part& part) { return small_.data() + part.small * words_ * 64; }
  bool scored(uint32_t place) const { return (scored_[place / 64] >> (place % 64) & 1) != 0; }
  CycleState::Entry& edit_entry(const Asked& asked, uint32_t plugin);

  Ref<CycleState::Entries> entries_;  // null: not ready
  PodRef pod_;                        // into which prepared data may point
  ChangeLog::Cursor cursor_;
  uint64_t order_ = 0, ids_ = 0;  // of the view
  size_t words_ = 0;
  std::vector<Part> parts_;
  // Of parts_: whose data or answers about all rows may have to be renewed, by Filter and by Score;
  // that filter rows by something that may change; and that are dynamic.
  std::vector<uint32_t> filter_watch_, score_watch_, row_parts_, dynamic_parts_;
  ChangeKinds filter_cares_ = 0, score_cares_ = 0;  // a part has to be looked at
  ChangeKinds row_cares_ = 0;                       // a row has to be filtered again
  ChangeKinds static_rows_ = 0, dynamic_rows_ = 0;  // a row has to be scored again
  size_t wholes_ = 0;                               // parts that are whole
  std::vector<FilterStep> steps_;
  std::vector<std::vector<uint64_t>> accepted_;  // by step
  std::vector<uint32_t> rejecting_;              // steps that do not accept every row
  std::vector<uint64_t> asked_;                  // by step, how many rows it is asked about
  bool asked_known_ = false;
  std::vector<uint64_t> feasible_;               // by row
  uint64_t cycles_ = 0;                          // how often follow() was called
  bool set_changed_ = false;                     // in this cycle
  std::vector<uint32_t> judged_anew_;            // in this cycle: changed rows with another verdict
  ChangeKinds common_ = 0;                       // in this cycle: what all changed rows have
  bool varied_ = false;                          // sums depend on the set
  bool filters_bound_ = false;  // some data of PreFilter is for one version of the view
  bool scores_bound_ = false;   // and of PreScore, of parts that are not whole
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
