// InterPodAffinity: required terms of the incoming pod and required anti-affinity of existing pods
// decide where it may run; preferred terms of both, and required affinity of existing pods, where
// it should run. Mirrors upstream's plugins/interpodaffinity.
#include "libsched/config/selector_texts.hpp"
#include "libsched/plugins/hints.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/plugins/interpodaffinity/affinity_filter.hpp"
#include "libsched/plugins/interpodaffinity/affinity_score.hpp"
#include "libsched/plugins/interpodaffinity/incoming_terms.hpp"
#include "libsched/plugins/interpodaffinity/requeue.hpp"
#include "libsched/plugins/signature/signature.hpp"

namespace libsched {
namespace {

// Whether a required anti-affinity term of a pod on a node selects the pod.
bool any_anti_selects(const View& view, const Pod& pod) {
  if (view.existing_terms().size() == 0) return false;
  const Namespace* ns = view.find_namespace(pod.meta.ns);
  bool any = false;
  view.existing_terms().for_each_anti(pod, ns == nullptr ? Labels() : ns->meta.labels,
                                      [&](const ExistingTerms::Term&) { any = true; });
  return any;
}

class InterPodAffinity final : public Plugin {
 public:
  InterPodAffinity(const InterPodAffinityArgs& args, const Behaviours& b)
      : args_(args),
        resolved_(b.replaces_namespace_selector ? ResolvedSelector::kGoes
                                                : ResolvedSelector::kStays),
        texts_(selector_texts(b)),
        any_anti_term_(b.any_anti_affinity_term),
        pod_events_(b) {}

  bool passes_deferred_resizes() const override { return true; }

  Result<Status> pre_filter(const PreFilterCall& call, PreFilterResult*) const override {
    if (const std::string e = affinity_terms_error(call.pod, texts_); !e.empty())
      return Status(Code::kUnschedulableAndUnresolvable, "parsing pod: " + e);
    const PodSpec& spec = call.pod.spec;
    const bool requires_none =
        spec.pod_affinity.required.empty() && spec.pod_anti_affinity.required.empty();
    if (requires_none && !any_anti_selects(call.view, call.pod)) return Status(Code::kSkip);
    auto data = std::make_shared<AffinityFilter>(call, call.pod, resolved_);
    if (requires_none && data->no_existing_anti()) return Status(Code::kSkip);
    *call.data = std::move(data);
    return Status();
  }

  bool extends() const override { return true; }
  Status add_pod(const PodChange& call) const override { return change(call, 1); }
  Status remove_pod(const PodChange& call) const override { return change(call, -1); }

  Renewed renew(const Call& call, const Pod& pod, std::span<const uint32_t> rows, PluginData* data,
                std::vector<uint32_t>* hit) const override {
    return static_cast<AffinityFilter*>(data)->renew(call.view, pod, rows, hit);
  }

  void filter(const FilterCall& call, const RowSet& set) const override {
    const auto* data = static_cast<const AffinityFilter*>(call.data);
    if (!call.pre_filtered || data == nullptr) {
      set.for_each([&](uint32_t row) { set.reject_with_error(row); });
      return;
    }
    if (data->changed()) {
      set.for_each([&](uint32_t row) {
        if (data->rule(row) != AffinityFilter::kRules) set.reject(row);
      });
      return;
    }
    set.keep([&](size_t w) { return ~data->rejected(w); });
  }

  uint64_t reason_key(const FilterCall& call, uint32_t row) const override {
    const auto* data = static_cast<const AffinityFilter*>(call.data);
    return !call.pre_filtered || data == nullptr ? 0 : 1 + data->rule(row);
  }
  void filter_status(const FilterCall& call, uint32_t row, Status* out) const override {
    const auto* data = static_cast<const AffinityFilter*>(call.data);
    if (!call.pre_filtered || data == nullptr) {
      *out = not_pre_filtered();
      return;
    }
    switch (data->rule(row)) {
      case AffinityFilter::kAffinity:
        return out->set(Code::kUnschedulableAndUnresolvable,
                        "node(s) didn't match pod affinity rules");
      case AffinityFilter::kAnti:
        return out->set(Code::kUnschedulable, "node(s) didn't match pod anti-affinity rules");
      default:
        return out->set(Code::kUnschedulable,
                        "node(s) didn't satisfy existing pods anti-affinity rules");
    }
  }

  void pod_facts(const Call&, const Pod& pod, const Status& status, Facts* facts) const override {
    facts->add(status.reasons[0]).text("problem", affinity_terms_error(pod, texts_));
  }
  void node_facts(const FilterCall& call, uint32_t row, const Status& status,
                  Facts* facts) const override {
    static_cast<const AffinityFilter&>(*call.data).facts(call, row, status.reasons[0], facts);
  }

  Status pre_score(const PreScoreCall& call, std::shared_ptr<PluginData>* out) const override {
    const PodSpec& spec = call.pod.spec;
    const bool prefers_none =
        spec.pod_affinity.preferred.empty() && spec.pod_anti_affinity.preferred.empty();
    if (args_.ignore_preferred_terms_of_existing_pods && prefers_none) return Status(Code::kSkip);
    if (const std::string e = affinity_terms_error(call.pod, texts_); !e.empty())
      return Status(Code::kError, "failed to parse pod: " + e);
    if (prefers_none && call.view.existing_terms().size() == 0) return Status(Code::kSkip);
    auto data = std::make_shared<AffinityScore>(call, args_.hard_pod_affinity_weight, resolved_);
    if (data->empty()) return Status(Code::kSkip);
    *out = std::move(data);
    return {};
  }

  // Only where PreScore skips the pod, and still would: no existing term that scores selects it.
  Rescored rescore(const RescoreCall& call) const override {
    const PodSpec& spec = call.pod.spec;
    if (call.data != nullptr || !spec.pod_affinity.preferred.empty() ||
        !spec.pod_anti_affinity.preferred.empty())
      return Rescored::kNo;
    if (call.view.existing_terms().none_scored()) return Rescored::kSame;
    const Namespace* ns = call.view.find_namespace(call.pod.meta.ns);
    bool scored = false;
    call.view.existing_terms().for_each_scored(call.pod, ns == nullptr ? Labels() : ns->meta.labels,
                                               [&](const ExistingTerms::Term&) { scored = true; });
    if (call.exceeded()) return Rescored::kNo;
    return scored ? Rescored::kNo : Rescored::kSame;
  }

  Scored score(const ScoreCall& call, const ScoreSet& set, int64_t* scores) const override {
    const auto* data = static_cast<const AffinityScore*>(call.data);
    if (call.pre_scored && data != nullptr) {
      data->score(call, set, scores);
    } else {
      set.for_each([&](uint32_t row) { set.fail(row); });
    }
    return {};
  }

  Status score_status(const ScoreCall&, uint32_t) const override {
    return Status(Code::kError,
                  "failed to read \"PreScoreInterPodAffinity\" from cycleState: not found");
  }

  bool normalizes() const override { return true; }
  Status normalize(const ScoreCall&, const ScoreSet& set, int64_t* scores) const override {
    AffinityScore::normalize(set, scores);
    return {};
  }

  // Terms of existing pods, and for the pod's own terms the number of pods in each domain.
  Dependencies depends_on(const View&, const Pod& pod) const override {
    if (!affinity_terms_error(pod).empty()) return {};
    const PodSpec& spec = pod.spec;
    const Reads existing{.row = kLabelsChanged,
                         .any = kTermsChanged | object_changed(StoredKind::kNamespace)};
    Dependencies out{existing, existing};
    if (!spec.pod_affinity.required.empty() || !spec.pod_anti_affinity.required.empty())
      out.filter.any |= kPodsChanged;
    if (!spec.pod_affinity.preferred.empty() || !spec.pod_anti_affinity.preferred.empty()) {
      out.score.any |= kPodsChanged;
    } else if (args_.ignore_preferred_terms_of_existing_pods) {
      out.score = {};
    }
    return out;
  }

  bool signs() const override { return true; }
  Status sign(const View&, const Pod& pod, std::vector<SignFragment>* out) const override {
    if (pod.has_pod_affinity)
      return Status(Code::kUnschedulable, "pods with InterPodAffinity are not signable");
    // Then terms of existing pods do not affect a pod without terms.
    if (args_.ignore_preferred_terms_of_existing_pods) return {};
    // `labels: {}` is read as no labels.
    const Labels labels = pod.meta.labels;
    out->push_back(sign_fragment(kSignLabels, signed_labels(labels, !labels.empty())));
    return {};
  }

  bool registers_events() const override { return true; }
  Result<std::vector<ClusterEventWithHint>> events_to_register() const override {
    std::vector<ClusterEventWithHint> out = {
        hinted(pod_events_.assigned(), kAdd | kUpdatePodLabel | kDelete),
        hinted(kNodeEvents, kAdd | kUpdateNodeLabel)};
    if (pod_events_.told_apart()) out.push_back(hinted(pod_events_.own(), kUpdatePodLabel));
    return out;
  }
  Result<QueueingHint> hint(size_t index, const View&, const Pod& pod,
                            const ObjectChange& change) const override {
    if (index == 2) return QueueingHint::kQueue;
    if (index == 0) {
      if (!change.before && !change.after) return no_object(change);
      const Pod* const before = object_of<Pod>(change.before);
      const Pod* const after = object_of<Pod>(change.after);
      if (!pod_events_.told_apart() && before != nullptr && after != nullptr &&
          same_pod(pod, *after))
        return QueueingHint::kQueue;
      return hint_after_pod(pod, before, after, any_anti_term_);
    }
    return !change.after ? Result<QueueingHint>(no_object(change))
                         : hint_after_node(pod, object_of<Node>(change.before),
                                           *object_of<Node>(change.after));
  }

 private:
  static Status not_pre_filtered() {
    return Status(Code::kError,
                  "error reading \"PreFilterInterPodAffinity\" from cycleState: not found");
  }
  static Status change(const PodChange& call, int32_t delta) {
    if (call.data == nullptr) return not_pre_filtered();
    static_cast<AffinityFilter*>(call.data)->change(call.view, call.pod, call.other,
                                                    call.node.row(), delta);
    return {};
  }

  InterPodAffinityArgs args_;
  ResolvedSelector resolved_;
  SelectorTexts texts_;
  bool any_anti_term_;  // see Behaviours
  PodEvents pod_events_;
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_inter_pod_affinity(const FactoryCall& call) {
  const auto* args =
      call.args == nullptr ? nullptr : std::get_if<InterPodAffinityArgs>(&call.args->value);
  // Upstream's defaults.
  return std::unique_ptr<Plugin>(std::make_unique<InterPodAffinity>(
      args == nullptr ? InterPodAffinityArgs{1, false} : *args, call.behaviours));
}

}  // namespace libsched
