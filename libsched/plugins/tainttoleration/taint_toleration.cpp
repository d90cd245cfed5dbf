// TaintToleration: rejects nodes with a NoSchedule or NoExecute taint that the pod does not
// tolerate, and prefers nodes with few PreferNoSchedule taints that it does not tolerate. Mirrors
// upstream's plugins/tainttoleration. Judged once per distinct list of taints.
#include "libsched/framework/facts.hpp"
#include "libsched/objects/toleration_index.hpp"
#include "libsched/plugins/hints.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/plugins/signature/signature.hpp"

namespace libsched {
namespace {

// The taint sets that the pod does not tolerate.
struct Untolerated final : PluginData {
  std::vector<uint32_t> sets;
  std::shared_ptr<PluginData> clone() const override {
    return std::make_shared<Untolerated>(*this);
  }
};

// The number of PreferNoSchedule taints the pod does not tolerate, by taint set, where positive.
struct Avoided final : PluginData {
  struct Set {
    uint32_t id;
    int64_t taints;
  };
  std::vector<Set> sets;
  std::shared_ptr<PluginData> clone() const override { return std::make_shared<Avoided>(*this); }
};

class TaintToleration final : public Plugin {
 public:
  TaintToleration(bool comparison_operators, const Behaviours& b)
      : comparison_operators_(comparison_operators), named_taint_(b.named_taint), pod_events_(b) {}

  std::shared_ptr<PluginData> prepare(const Call& call, const Pod& pod) const override {
    const View& view = call.view;
    auto data = std::make_shared<Untolerated>();
    data->ids_epoch = view.ids_epoch();
    const auto& sets = view.taint_sets().sets();
    const TolerationIndex index(pod.spec.tolerations, comparison_operators_);
    size_t taints = 0;
    for (uint32_t id = 0; id < sets.size(); ++id) {
      for (const Taint& t : sets[id].taints) {
        if (call.exceeded(taints++)) return data;
        if (allows(index, t)) continue;
        data->sets.push_back(id);
        break;
      }
    }
    return data;
  }

  bool passes_deferred_resizes() const override { return true; }

  void filter(const FilterCall& call, const RowSet& set) const override {
    const auto& sets = call.view.taint_sets().sets();
    const auto& untolerated = static_cast<const Untolerated&>(*call.data).sets;
    if (set.scattered()) {
      // Checking the rows is cheaper than walking the sets.
      if (untolerated.empty()) return;
      set.for_each([&](uint32_t row) {
        const uint32_t id = call.view.row(row).taint_set;
        if (id != kNoId && std::binary_search(untolerated.begin(), untolerated.end(), id))
          set.reject(row);
      });
      return;
    }
    for (const uint32_t id : untolerated)
      sets[id].rows.and_not_into(set.first_word, set.words, set.alive);
  }

  void filter_status(const FilterCall& call, uint32_t row, Status* out) const override {
    out->set(Code::kUnschedulableAndUnresolvable, reason(call, row));
  }

  uint64_t reason_key(const FilterCall& call, uint32_t row) const override {
    return call.view.row(row).taint_set;
  }

  void node_facts(const FilterCall& call, uint32_t row, const Status& status,
                  Facts* facts) const override {
    const TolerationIndex index(call.pod.spec.tolerations, comparison_operators_);
    const TolerationIndex with_operators(call.pod.spec.tolerations, true);
    for (const Taint& t : call.view.node(row)->taints) {
      if (allows(index, t)) continue;
      Fact& fact = facts->add(status.reasons[0])
                       .text("key", t.key)
                       .text("value", t.value)
                       .text("effect", t.effect_text);
      if (with_operators.covers(t)) fact.text("featureGate", "TaintTolerationComparisonOperators");
    }
  }

  // Never Skip. Sets without a row count, too, because a row may get such a set before Score.
  Status pre_score(const PreScoreCall& call, std::shared_ptr<PluginData>* data) const override {
    auto avoided = std::make_shared<Avoided>();
    avoided->ids_epoch = call.view.ids_epoch();
    const auto& sets = call.view.taint_sets().sets();
    const TolerationIndex index(call.pod.spec.tolerations, comparison_operators_);
    size_t taints = 0;
    for (uint32_t id = 0; id < sets.size(); ++id) {
      int64_t count = 0;
      for (const Taint& t : sets[id].taints) {
        if (call.exceeded(taints++)) return {};
        if (t.effect == TaintEffect::kPreferNoSchedule && !index.covers(t)) ++count;
      }
      if (count != 0) avoided->sets.push_back({id, count});
    }
    *data = std::move(avoided);
    return {};
  }

  Scored score(const ScoreCall& call, const ScoreSet& set, int64_t* scores) const override {
    if (!call.pre_scored) {
      set.for_each([&](uint32_t row) { set.fail(row); });
      return {};
    }
    const auto& sets = call.view.taint_sets().sets();
    bool any = false;
    for (const Avoided::Set& s : static_cast<const Avoided&>(*call.data).sets) {
      if (sets[s.id].rows.count() == 0) continue;
      if (!any) set.fill(scores, 0);
      any = true;
      sets[s.id].rows.for_each([&](uint32_t row) { scores[row] = s.taints; });
    }
    return {!any, 0};
  }

  Status score_status(const ScoreCall&, uint32_t) const override {
    return Status(Code::kError,
                  "failed to read \"PreScoreTaintToleration\" from cycleState: not found");
  }

  bool normalizes() const override { return true; }
  Status normalize(const ScoreCall&, const ScoreSet& set, int64_t* scores) const override {
    default_normalize(set, true, scores);
    return {};
  }
  int64_t normalize_uniform(const ScoreCall&, int64_t score) const override {
    return default_normalize_uniform(score, true);
  }

  Dependencies depends_on(const View&, const Pod&) const override {
    return {.filter = {.row = kTaintsChanged}, .score = {.row = kTaintsChanged}};
  }

  bool signs() const override { return true; }
  Status sign(const View&, const Pod& pod, std::vector<SignFragment>* out) const override {
    out->push_back(sign_fragment(kSignTolerations, signed_tolerations(pod)));
    return {};
  }

  bool registers_events() const override { return true; }
  Result<std::vector<ClusterEventWithHint>> events_to_register() const override {
    return std::vector<ClusterEventWithHint>{hinted(kNodeEvents, kAdd | kUpdateNodeTaint),
                                             hinted(pod_events_.own(), kUpdatePodToleration)};
  }
  Result<QueueingHint> hint(size_t index, const View&, const Pod& pod,
                            const ObjectChange& change) const override {
    if (!change.after) return no_object(change);
    if (index == 1) return queue_if(pod_events_.about(pod, *object_of<Pod>(change.after)));
    const Node* before = object_of<Node>(change.before);
    const TolerationIndex tolerated_by(pod.spec.tolerations, comparison_operators_);
    return queue_if((before == nullptr || !tolerated(tolerated_by, before->taints)) &&
                    tolerated(tolerated_by, object_of<Node>(change.after)->taints));
  }

 private:
  static bool allows(const TolerationIndex& index, const Taint& t) {
    return (t.effect != TaintEffect::kNoSchedule && t.effect != TaintEffect::kNoExecute) ||
           index.covers(t);
  }
  static bool tolerated(const TolerationIndex& index, Span<Taint> taints) {
    return std::all_of(taints.begin(), taints.end(),
                       [&](const Taint& t) { return allows(index, t); });
  }

  std::string reason(const FilterCall& call, uint32_t row) const {
    if (named_taint_) {
      const TolerationIndex index(call.pod.spec.tolerations, comparison_operators_);
      for (const Taint& t : call.view.node(row)->taints)
        if (!allows(index, t))
          return "node(s) had untolerated taint {" + std::string(t.key) + ": " +
                 std::string(t.value) + "}";
    }
    return "node(s) had untolerated taint(s)";
  }

  bool comparison_operators_;
  bool named_taint_;  // see Behaviours
  PodEvents pod_events_;
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_taint_toleration(const FactoryCall& call) {
  return std::unique_ptr<Plugin>(std::make_unique<TaintToleration>(
      call.gates.enabled(Gate::kTaintTolerationComparisonOperators), call.behaviours));
}

}  // namespace libsched
