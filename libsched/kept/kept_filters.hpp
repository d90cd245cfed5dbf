// KeptFilters: what PreFilter has prepared for a pod of a class, and which rows each Filter plugin
// accepts, as of a place in the view's change log. The next pod of the class goes on from there.
//
// Plugins declare what they read (dependencies.hpp). If the log names no change that a plugin
// reads, its answers stand; if it names rows, Filter is asked about these alone. Data that counts
// pods is renewed by the plugin (KeepsAnswers::renew), and PreFilter is asked again only where that
// is not possible. A plugin that declares nothing, or whose answers are Errors, is asked as if
// nothing were kept, and so is PreFilter of all plugins then.
//
// Nothing here is needed for an answer. If take() or follow() do not come to their end, everything
// is forgotten, and the pod's state is as if it were new.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libsched/framework/framework.hpp"
#include "libsched/kept/few_changes.hpp"
#include "libsched/kept/workspace.hpp"

namespace libsched {

// After such changes alone, plugins can renew the data that they have prepared.
inline constexpr ChangeKinds kRenewable =
    kPodsChanged | kVolumesChanged | kTermsChanged | kAssumedChanged;

// A question about a pod of the class. The workspace has the steps of a pass for the pod and state.
struct KeptQuestion {
  const Framework& framework;
  const Call& call;
  const Pod& pod;
  CycleState& state;
  Workspace& work;
};

class KeptFilters {
 public:
  void forget() { *this = {}; }
  size_t bytes() const;
  // Changes since this cursor count.
  const ChangeLog::Cursor& cursor() const { return cursor_; }
  // Whether follow() may bring the data up to date in this view.
  bool can_follow(const View& view) const { return follows_ && view.ids_epoch() == ids_; }
  // Whether some plugin's answers are about more than the view, so that PreFilter is asked each
  // time.
  bool outside() const { return outside_; }
  // Whether Reserve or PreBind of some plugin use the data, which is then for one pod alone.
  bool reserves() const { return reserves_; }
  // The kinds of changes after which PreFilter may answer otherwise, or its data has to be renewed.
  ChangeKinds concerns() const;
  // Forgets prepared data that follow() cannot use for a pod that is to be reserved.
  void drop_unused();

  // Takes what PreFilter has prepared in the state, and keeps the verdicts that stand after
  // `changes` (null: anything may have changed). `passed`: no plugin has rejected the pod. Errors:
  // those of limits.
  Result<void> take(const KeptQuestion& asked, const FewChanges* changes, bool passed);
  // Brings everything up to date for another pod of the class, whose state is then as after
  // PreFilter. Returns false, with the state as if it were new, if PreFilter has to be asked.
  // Errors: those of limits.
  Result<bool> follow(const KeptQuestion& asked, const FewChanges& changes);
  // Points FilterStep::accepted of the workspace's steps to the verdicts of all rows, which stay
  // there until the next call. A plugin's verdicts are kept from the second time on, so that a
  // class that never comes back costs nothing here; with `at_once` from the first. Errors: those of
  // limits.
  Result<void> judge(const KeptQuestion& asked, bool at_once);
  // Returns a difference from the plugins' present answers as an Error that names the plugin.
  Result<void> compare(const KeptQuestion& asked) const;

  // Counts for metrics what a whole cycle would have asked: at PreFilter, and at Filter, which
  // needs the verdicts of all plugins.
  void count_pre_filter(PluginMeter* meter) const;
  void count_filter(const KeptQuestion& asked, PluginMeter* meter);

  // --- for scores that go on (kept_scores.hpp) ---
  // Whether all plugins that are asked have their verdicts kept.
  bool complete() const;
  bool accepts(uint32_t row) const {
    for (const uint32_t p : rejecting_)
      if (!has_bit(accepted_[p], row)) return false;
    return true;
  }
  // Removes the rows that some plugin rejects. `sets` is scratch memory.
  void intersect(std::vector<uint64_t>* rows, std::vector<const uint64_t*>* sets) const;
  const Ref<CycleState::Entries>& entries() const { return entries_; }
  // The data of a plugin, to be replaced: entries() then belong to this object and the state.
  CycleState::Entry& edit_entry(const KeptQuestion& asked, uint32_t plugin);
  // Takes the state's entries, which may have scores' data, too.
  void share_entries(const CycleState& state) { entries_ = state.share_entries(); }
  // Notes in the entries which data is for one version of the view, and whether any is reserved.
  void note_entries(const Framework& framework);
  // In the latest follow(): whether all verdicts may have changed; else the rows whose have, some
  // perhaps twice.
  bool set_changed() const { return set_changed_; }
  const std::vector<uint32_t>& judged_anew() const { return judged_anew_; }
  // The changed rows that have nodes and a change of these kinds. Valid until the next such call.
  std::span<const uint32_t> changed_by(const KeptQuestion& asked, const FewChanges& changes,
                                       ChangeKinds kinds) const;

 private:
  class Update;
  // A plugin of PreFilter or Filter.
  struct Part {
    uint32_t index = 0;  // into Framework::plugins()
    const Plugin* plugin = nullptr;
    bool pre_filters = false;
    uint32_t step = kNoId;  // into steps_; kNoId: Filter is skipped, or not implemented
    Reads reads;
    bool declared = false;    // `reads` holds
    bool met = false;         // judge() has passed since then
    bool judged = false;      // accepted_ has its verdicts of all rows
    bool failed = false;      // it has given an Error since then
    uint64_t renewed_in = 0;  // the call of follow() in which these were brought up to date
  };

  void find_parts(const Framework& framework);
  void note_relevant(const Framework& framework);
  Result<bool> renew_data(const KeptQuestion& asked, const FewChanges& changes);
  Result<bool> renew(const KeptQuestion& asked, const FewChanges& changes, uint32_t part,
                     bool* reads_changed);
  bool prepare_anew(const KeptQuestion& asked, Part* part);
  bool judge_all(const KeptQuestion& asked, uint32_t part);
  bool judge_rows(const KeptQuestion& asked, std::span<const uint32_t> rows, uint32_t part);
  FilterCall call_of(const KeptQuestion& asked, const Part& part) const;
  void list_changed(const KeptQuestion& asked, const FewChanges& changes);
  bool rejects(uint32_t part) const;

  Ref<CycleState::Entries> entries_;
  PreFilterResult narrowed_;
  ChangeLog::Cursor cursor_;
  uint64_t ids_ = 0;  // of the view
  size_t words_ = 0;
  bool follows_ = false, outside_ = true, reserves_ = true;
  std::vector<Part> parts_;
  std::vector<FilterStep> steps_;
  std::vector<std::vector<uint64_t>> accepted_;  // by part
  std::vector<uint32_t> rejecting_;              // judged parts that do not accept every row
  // Of parts_: whose data, or answers about all rows, changes may concern; and that filter rows.
  std::vector<uint32_t> watch_, row_parts_;
  ChangeKinds relevant_ = 0;       // a part of watch_ has to be looked at
  ChangeKinds relevant_rows_ = 0;  // a row has to be filtered again
  bool bound_ = false;             // some data is for one version of the view
  std::vector<uint64_t> asked_;  // by step, how many rows it is asked about; empty: not counted yet
  uint64_t followed_ = 0;        // how often follow() was called
  bool set_changed_ = false;
  std::vector<uint32_t> judged_anew_;
  ChangeKinds common_ = 0;  // in this call: what all changed rows have
  bool added_ = false;      // in this call: nodes may have come
};

}  // namespace libsched
