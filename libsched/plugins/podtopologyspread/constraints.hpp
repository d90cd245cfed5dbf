// Spread constraints of one pod, its own or the profile's defaults, with their selectors, and the
// rows that node inclusion policies accept.
#pragma once

#include <array>
#include <vector>

#include "libsched/config/feature_gates.hpp"
#include "libsched/framework/plugin.hpp"

namespace libsched {

// Upstream's labels.Selector. Borrows strings of the pod and of objects of the view.
struct SpreadSelector {
  bool nothing = false;                   // whether it matches nothing, as an absent selector
  std::vector<Requirement> requirements;  // empty: matches every pod, but counts no existing pod

  bool counts() const { return !nothing && !requirements.empty(); }
  bool matches(Labels labels) const { return !nothing && requirements_match(requirements, labels); }
};

struct SpreadConstraint {
  int32_t max_skew = 0, min_domains = 1;
  Str topology_key;
  SpreadSelector selector;
  bool honor_affinity = true, honor_taints = false;
  bool idle_without_domains = false;  // minDomains decides nothing if there is no domain at all
};

// The settings of the profile and of feature gates.
struct SpreadSettings {
  Span<TopologySpreadConstraint> defaults;
  bool system_defaults = false;
  bool match_label_keys = true, inclusion_policies = true, comparison_operators = false;
  SelectorTexts texts = {};  // of errors of selectors
  bool by_key = false;       // constraints of one key share their counts
};

enum class SpreadKind : uint8_t { kHard, kSoft };  // DoNotSchedule, ScheduleAnyway

// Returns the constraints of this kind that apply to the pod, or upstream's Error.
Result<std::vector<SpreadConstraint>> spread_constraints(const SpreadSettings& settings,
                                                         const View& view, const Pod& pod,
                                                         SpreadKind kind);

// Returns the kinds of change that the constraints of this kind depend on.
Reads spread_reads(const SpreadSettings& settings, const View& view, const Pod& pod,
                   SpreadKind kind);

// Returns the selector of default constraints, made of the selectors of the pod's services and
// controller. Empty if none selects the pod.
SpreadSelector default_selector(const View& view, const Pod& pod);

// Counts the pods of the pod's namespace that the selector matches, without terminating pods.
CountsRef count_matching(const View& view, const Pod& pod, const SpreadSelector& selector);

// Finds the rows over which a constraint counts.
class EligibleRows {
 public:
  EligibleRows(const SpreadSettings& settings, const View& view, const Pod& pod)
      : settings_(settings), view_(view), pod_(pod), base_(view.word_count()) {
    for (size_t w = 0; w < base_.size(); ++w) base_[w] = view.live().word(w);
  }
  // Accepts only rows that also have this key. Must be called before the first of().
  void require(const TopologyColumn& column) {
    for (size_t w = 0; w < base_.size(); ++w) base_[w] &= column.labelled.word(w);
  }
  Span<uint64_t> base() const { return base_; }
  Span<uint64_t> of(const SpreadConstraint& constraint);

 private:
  void leave_matching(std::vector<uint64_t>* rows) const;
  void leave_tolerated(std::vector<uint64_t>* rows) const;

  const SpreadSettings& settings_;
  const View& view_;
  const Pod& pod_;
  std::vector<uint64_t> base_;
  std::array<std::vector<uint64_t>, 4> by_policy_;  // made on first use
};

}  // namespace libsched
