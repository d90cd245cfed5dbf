// PodTopologySpread: spreads the pods that a selector matches over the domains of a topology key.
// Mirrors upstream's plugins/podtopologyspread. DoNotSchedule constraints are judged in filter.cpp,
// ScheduleAnyway ones scored in score.cpp.
#include "libsched/config/selector_texts.hpp"
#include "libsched/plugins/hints.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/plugins/podtopologyspread/filter.hpp"
#include "libsched/plugins/podtopologyspread/requeue.hpp"
#include "libsched/plugins/podtopologyspread/score.hpp"
#include "libsched/plugins/signature/signature.hpp"

namespace libsched {
namespace {

Span<TopologySpreadConstraint> system_defaults() {
  static const std::array<TopologySpreadConstraint, 2> list = [] {
    std::array<TopologySpreadConstraint, 2> out;
    out[0].max_skew = 3;
    out[0].topology_key = "kubernetes.io/hostname";
    out[1].max_skew = 5;
    out[1].topology_key = "topology.kubernetes.io/zone";
    for (TopologySpreadConstraint& c : out) c.when_unsatisfiable = "ScheduleAnyway";
    return out;
  }();
  return list;
}

class PodTopologySpread final : public Plugin {
 public:
  PodTopologySpread(const SpreadSettings& settings, const Behaviours& b)
      : settings_(settings), pod_events_(b) {}

  bool passes_deferred_resizes() const override { return true; }

  Result<Status> pre_filter(const PreFilterCall& call, PreFilterResult*) const override {
    auto constraints = spread_constraints(settings_, call.view, call.pod, SpreadKind::kHard);
    if (!constraints.ok())
      return Status(Code::kError, "get constraints from pod: " + constraints.error().message);
    if (constraints->empty()) return Status(Code::kSkip);
    *call.data = count_hard(settings_, call, std::move(*constraints));
    return Status();
  }

  bool extends() const override { return true; }
  Status add_pod(const PodChange& call) const override { return change(call, 1); }
  Status remove_pod(const PodChange& call) const override { return change(call, -1); }

  Renewed renew(const Call& call, const Pod&, std::span<const uint32_t> rows, PluginData* data,
                std::vector<uint32_t>* hit) const override {
    return renew_hard(call.view, rows, static_cast<HardConstraints*>(data), hit);
  }

  void filter(const FilterCall& call, const RowSet& set) const override {
    if (call.data == nullptr) {
      set.for_each([&](uint32_t row) { set.reject_with_error(row); });
      return;
    }
    judge_hard(call, static_cast<const HardConstraints&>(*call.data), set);
  }

  void filter_status(const FilterCall& call, uint32_t row, Status* out) const override {
    if (call.data == nullptr) {
      *out = not_pre_filtered();
      return;
    }
    *out = hard_status(static_cast<const HardConstraints&>(*call.data), row);
  }

  void node_facts(const FilterCall& call, uint32_t row, const Status& status,
                  Facts* facts) const override {
    add_hard_facts(call, settings_, static_cast<const HardConstraints&>(*call.data), row,
                   status.reasons[0], facts);
  }

  uint64_t reason_key(const FilterCall& call, uint32_t row) const override {
    return call.data == nullptr ? 0
                                : static_cast<uint64_t>(hard_code(
                                      static_cast<const HardConstraints&>(*call.data), row));
  }

  Status pre_score(const PreScoreCall& call, std::shared_ptr<PluginData>* data) const override {
    if (call.view.node_count() == 0) return Status(Code::kSkip);
    const auto constraints = spread_constraints(settings_, call.view, call.pod, SpreadKind::kSoft);
    if (!constraints.ok())
      return Status(Code::kError, "calculating preScoreState: " + constraints.error().message);
    if (constraints->empty()) return Status(Code::kSkip);
    *data = count_soft(settings_, call, *constraints);
    return Status();
  }

  Scored score(const ScoreCall& call, const ScoreSet& set, int64_t* scores) const override {
    if (call.data == nullptr) {
      set.for_each([&](uint32_t row) { set.fail(row); });
    } else {
      score_soft(static_cast<const SoftConstraints&>(*call.data), call, set, scores);
    }
    return {};
  }
  Status score_status(const ScoreCall&, uint32_t) const override {
    return Status(Code::kError,
                  "error reading \"PreScorePodTopologySpread\" from cycleState: not found");
  }

  bool normalizes() const override { return true; }
  Status normalize(const ScoreCall& call, const ScoreSet& set, int64_t* scores) const override {
    normalize_soft(static_cast<const SoftConstraints&>(*call.data), set, scores);
    return {};
  }

  Rescored rescore(const RescoreCall& call) const override {
    return call.data == nullptr ? Rescored::kNo
                                : rescore_soft(call, static_cast<SoftConstraints*>(call.data));
  }

  Dependencies depends_on(const View& view, const Pod& pod) const override {
    Dependencies out{spread_reads(settings_, view, pod, SpreadKind::kHard),
                     spread_reads(settings_, view, pod, SpreadKind::kSoft)};
    // Weights depend on the number of domains of the scored nodes.
    out.score.others = (out.score.any & kLabelsChanged) != 0;
    return out;
  }

  bool signs() const override { return true; }
  Status sign(const View&, const Pod& pod, std::vector<SignFragment>*) const override {
    if (!pod.spec.spread.empty())
      return Status(Code::kUnschedulable, "pods with topology constraints are not signable");
    if (!settings_.defaults.empty())
      return Status(Code::kUnschedulable,
                    "pods with default topology constraints are not signable");
    return {};
  }

  bool registers_events() const override { return true; }
  Result<std::vector<ClusterEventWithHint>> events_to_register() const override {
    constexpr ActionType kOwn = kUpdatePodLabel | kUpdatePodToleration;
    const bool told_apart = pod_events_.told_apart();
    std::vector<ClusterEventWithHint> out = {
        hinted(pod_events_.assigned(), kAdd | kDelete | (told_apart ? kUpdatePodLabel : kOwn)),
        hinted(kNodeEvents, kAdd | kDelete | kUpdateNodeLabel | kUpdateNodeTaint)};
    if (told_apart) out.push_back(hinted(pod_events_.own(), kOwn));
    return out;
  }
  Result<QueueingHint> hint(size_t index, const View& view, const Pod& pod,
                            const ObjectChange& change) const override {
    if (!change.before && !change.after) return no_object(change);
    if (index == 1)
      return hint_after_node(settings_, view, pod, object_of<Node>(change.before),
                             object_of<Node>(change.after));
    const Pod* const before = object_of<Pod>(change.before);
    const Pod* const after = object_of<Pod>(change.after);
    if (index == 2) {
      if (before == nullptr || after == nullptr) return no_object(change);
      return hint_after_own_update(settings_, view, pod, *before, *after);
    }
    return !pod_events_.told_apart() && before != nullptr && after != nullptr &&
                   same_pod(pod, *after)
               ? hint_after_own_update(settings_, view, pod, *before, *after)
               : hint_after_pod(settings_, view, pod, before, after);
  }

 private:
  static Status not_pre_filtered() {
    return Status(Code::kError,
                  "reading \"PreFilterPodTopologySpread\" from cycleState: not found");
  }
  static Status change(const PodChange& call, int32_t delta) {
    if (call.data == nullptr) return not_pre_filtered();
    change_hard(call.view, call.pod, call.other, call.node.row(), delta,
                static_cast<HardConstraints*>(call.data));
    return {};
  }

  SpreadSettings settings_;
  PodEvents pod_events_;
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_pod_topology_spread(const FactoryCall& call) {
  const auto* args =
      call.args == nullptr ? nullptr : std::get_if<PodTopologySpreadArgs>(&call.args->value);
  SpreadSettings s;
  s.system_defaults = args == nullptr || args->defaulting_type == "System";
  s.defaults = s.system_defaults ? system_defaults() : args->default_constraints;
  s.match_label_keys = call.gates.enabled(Gate::kMatchLabelKeysInPodTopologySpread);
  s.inclusion_policies = call.gates.enabled(Gate::kNodeInclusionPolicyInPodTopologySpread);
  s.texts = selector_texts(call.behaviours);
  s.by_key = call.behaviours.spread_by_key;
  s.comparison_operators = call.gates.enabled(Gate::kTaintTolerationComparisonOperators);
  return std::unique_ptr<Plugin>(std::make_unique<PodTopologySpread>(s, call.behaviours));
}

}  // namespace libsched
