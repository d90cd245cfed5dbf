// NodeUnschedulable: a cordoned node takes only pods that tolerate its taint.
// Mirrors upstream's plugins/nodeunschedulable.
#include <algorithm>

#include "libsched/framework/facts.hpp"
#include "libsched/plugins/hints.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/plugins/signature/signature.hpp"

namespace libsched {
namespace {

// The taint that a toleration has to cover; the node itself need not have it.
constexpr Str kCordon = "node.kubernetes.io/unschedulable";

class NodeUnschedulable final : public Plugin {
 public:
  NodeUnschedulable(bool comparison_operators, const Behaviours& b)
      : comparison_operators_(comparison_operators), pod_events_(b) {}

  bool passes_deferred_resizes() const override { return true; }

  void filter(const FilterCall& call, const RowSet& set) const override {
    const Bitmap& cordoned = call.view.unschedulable();
    if (set.first_word >= cordoned.word_count()) return;
    const uint64_t* bits = cordoned.data() + set.first_word;
    const size_t words = std::min(set.words, cordoned.word_count() - set.first_word);
    uint64_t any = 0;
    for (size_t w = 0; w < words; ++w) any |= bits[w] & set.alive[w];
    if (any == 0) return;
    if (tolerates_cordon(call.pod)) return;
    for (size_t w = 0; w < words; ++w) set.alive[w] &= ~bits[w];
  }

  void filter_status(const FilterCall&, uint32_t, Status* out) const override {
    out->set(Code::kUnschedulableAndUnresolvable, "node(s) were unschedulable");
  }

  uint64_t reason_key(const FilterCall&, uint32_t) const override { return 0; }

  void node_facts(const FilterCall&, uint32_t, const Status& status, Facts* facts) const override {
    facts->add(status.reasons[0]).text("key", kCordon).text("effect", "NoSchedule");
  }

  Dependencies depends_on(const View&, const Pod& pod) const override {
    if (tolerates_cordon(pod)) return {};
    return {.filter = {.row = kTaintsChanged}, .score = {}};
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
    if (index == 1) {
      const Pod& updated = *object_of<Pod>(change.after);
      return queue_if(pod_events_.about(pod, updated) && tolerates_cordon(updated));
    }
    const Node* before = object_of<Node>(change.before);
    return queue_if((before == nullptr || before->unschedulable) &&
                    !object_of<Node>(change.after)->unschedulable);
  }

 private:
  bool tolerates_cordon(const Pod& pod) const {
    return std::any_of(pod.spec.tolerations.begin(), pod.spec.tolerations.end(),
                       [&](const Toleration& t) {
                         return tolerates(t, kCordon, "", TaintEffect::kNoSchedule, "NoSchedule",
                                          comparison_operators_);
                       });
  }

  bool comparison_operators_;
  PodEvents pod_events_;
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_node_unschedulable(const FactoryCall& call) {
  return std::unique_ptr<Plugin>(std::make_unique<NodeUnschedulable>(
      call.gates.enabled(Gate::kTaintTolerationComparisonOperators), call.behaviours));
}

}  // namespace libsched
