// NodeAffinity: nodeSelector, required and preferred node affinity, and the affinity that the
// profile adds. Mirrors upstream's plugins/nodeaffinity.
#include <array>

#include "libsched/cluster/node_match.hpp"
#include "libsched/config/selector_texts.hpp"
#include "libsched/plugins/hints.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/plugins/selector_facts.hpp"
#include "libsched/plugins/signature/signature.hpp"

namespace libsched {
namespace {

struct Compiled final : PluginData {
  NodeMatch added, pod;
  std::shared_ptr<PluginData> clone() const override { return std::make_shared<Compiled>(*this); }
};

// The preferred terms of the profile and of the pod.
struct Preferred final : PluginData {
  struct Term {
    NodeMatch match;
    int64_t weight;
  };
  std::vector<Term> terms;
  std::shared_ptr<PluginData> clone() const override { return std::make_shared<Preferred>(*this); }

  Preferred() = default;
  Preferred(const View& view, const NodeAffinity& added, const NodeAffinity& of_pod) {
    ids_epoch = view.ids_epoch();
    for (const NodeAffinity* affinity : {&added, &of_pod})
      for (const PreferredSchedulingTerm& t : affinity->preferred)
        if (t.weight != 0 && !t.preference.empty())
          terms.push_back({NodeMatch(view, {}, NodeSelector{true, {&t.preference, 1}}), t.weight});
  }

  Scored score(const ScoreCall& call, const ScoreSet& set, int64_t* scores) const {
    if (terms.empty()) return {true, 0};
    set.fill(scores, 0);
    constexpr size_t kBlock = 64;
    std::array<uint64_t, kBlock> match;
    size_t step = 0;
    for (const Term& t : terms)
      for (size_t first = 0; first < set.words; first += kBlock) {
        if (call.exceeded(step++)) return {};
        const size_t n = std::min(kBlock, set.words - first);
        t.match.rows(call.view, first, n, match.data());
        for (size_t i = 0; i < n; ++i) match[i] &= set.bits[first + i];
        const ScoreSet matching{n, 0, match.data(), nullptr, nullptr};
        matching.for_each([&](uint32_t r) { scores[first * 64 + r] += t.weight; });
      }
    return {};
  }
};

// Upstream's RequiredNodeAffinity.Match: terms that do not parse are an Error unless another term
// matches.
Result<bool> required_matches(const Pod& pod, const Node& node) {
  for (const Label& wanted : pod.spec.node_selector) {
    const Label* has = find_label(node.meta.labels, wanted.key);
    if (has == nullptr || has->value != wanted.value) return false;
  }
  const NodeSelector& required = pod.spec.node_affinity.required;
  if (!required.present || node_selector_matches(required, node.meta.labels, node.meta.name))
    return true;
  if (std::string e = node_selector_error(required); !e.empty())
    return Error{Rc::kInvalid, std::move(e)};
  return false;
}

class NodeAffinityPlugin final : public Plugin {
 public:
  NodeAffinityPlugin(const NodeAffinity& added, SelectorTexts texts)
      : added_(added), texts_(texts) {}

  bool passes_deferred_resizes() const override { return true; }

  Result<Status> pre_filter(const PreFilterCall& call, PreFilterResult* result) const override {
    const PodSpec& spec = call.pod.spec;
    const NodeSelector& required = spec.node_affinity.required;
    if (!required.present && !added_.required.present && !spec.node_selector_present)
      return Status(Code::kSkip);
    if (!required.present || required.terms.empty()) return Status();
    std::vector<std::string> names;
    for (const NodeSelectorTerm& term : required.terms) {
      PreFilterResult of_term;
      for (const Requirement& r : term.match_fields)
        if (r.key == "metadata.name" && r.op == SelectorOp::kIn)
          of_term.narrow({r.values.begin(), r.values.end()});
      if (of_term.all_nodes) return Status();  // terms are ORed: this one allows every node
      names.insert(names.end(), of_term.nodes.begin(), of_term.nodes.end());
    }
    if (names.empty())
      return Status(Code::kUnschedulableAndUnresolvable, "pod affinity terms conflict");
    result->narrow(std::move(names));
    return Status();
  }

  std::shared_ptr<PluginData> prepare(const Call& call, const Pod& pod) const override {
    const View& view = call.view;
    auto data = std::make_shared<Compiled>();
    data->ids_epoch = view.ids_epoch();
    if (call.exceeded()) return data;
    data->added = NodeMatch(view, {}, added_.required);
    data->pod = NodeMatch(view, pod.spec.node_selector, pod.spec.node_affinity.required);
    return data;
  }

  void filter(const FilterCall& call, const RowSet& set) const override {
    const Compiled& c = static_cast<const Compiled&>(*call.data);
    if (set.single()) {
      set.for_each([&](uint32_t row) {
        if (!c.added.matches(call.view, row) || !c.pod.matches(call.view, row)) set.reject(row);
      });
      return;
    }
    constexpr size_t kBlock = 64;
    std::array<uint64_t, kBlock> match;
    for (size_t done = 0; done < set.words; done += kBlock) {
      if (call.exceeded()) return;
      const size_t n = std::min(kBlock, set.words - done);
      for (const NodeMatch* m : {&c.added, &c.pod}) {
        m->rows(call.view, set.first_word + done, n, match.data());
        for (size_t i = 0; i < n; ++i) set.alive[done + i] &= match[i];
      }
    }
  }

  void filter_status(const FilterCall& call, uint32_t row, Status* out) const override {
    const bool enforced = !static_cast<const Compiled&>(*call.data).added.matches(call.view, row);
    out->set(Code::kUnschedulableAndUnresolvable,
             enforced ? "node(s) didn't match scheduler-enforced node affinity"
                      : "node(s) didn't match Pod's node affinity/selector");
  }

  uint64_t reason_key(const FilterCall& call, uint32_t row) const override {
    return static_cast<const Compiled&>(*call.data).added.matches(call.view, row) ? 0 : 1;
  }

  void pod_facts(const Call&, const Pod& pod, const Status& status, Facts* facts) const override {
    const Span<NodeSelectorTerm> terms = pod.spec.node_affinity.required.terms;
    for (size_t i = 0; i < terms.size(); ++i)
      for (const Requirement& r : terms[i].match_fields)
        if (r.key == "metadata.name" && r.op == SelectorOp::kIn)
          facts->add(status.reasons[0])
              .text("source", "nodeAffinity")
              .number("term", static_cast<int64_t>(i))
              .text("of", "fields")
              .text("key", r.key)
              .text("operator", r.op_text)
              .texts("values", r.values);
  }

  void node_facts(const FilterCall& call, uint32_t row, const Status& status,
                  Facts* facts) const override {
    const Node& node = *call.view.node(row);
    const auto begun = [&](const char* source) {
      return Fact{status.reasons[0], {}}.text("source", source);
    };
    const auto unmatched = [&](const NodeSelector& selector, const char* source) {
      if (selector.present && !node_selector_matches(selector, node.meta.labels, node.meta.name))
        add_unmatched(call.view, selector, node.meta.labels, node.meta.name, begun(source), facts);
    };
    if (reason_key(call, row) == 1) return unmatched(added_.required, "addedAffinity");
    add_missing_labels(call.pod.spec.node_selector, node, begun("nodeSelector"), facts);
    unmatched(call.pod.spec.node_affinity.required, "nodeAffinity");
  }

  Status pre_score(const PreScoreCall& call, std::shared_ptr<PluginData>* data) const override {
    const NodeAffinity& affinity = call.pod.spec.node_affinity;
    if (affinity.preferred_present)
      if (std::string e = preferred_terms_error(affinity.preferred, {}, texts_); !e.empty())
        return Status(Code::kError, std::move(e));
    if (!affinity.preferred_present && added_.preferred.empty()) return Status(Code::kSkip);
    *data = std::make_shared<Preferred>(call.view, added_, affinity);
    return {};
  }

  Scored score(const ScoreCall& call, const ScoreSet& set, int64_t* scores) const override {
    if (call.data != nullptr)
      return static_cast<const Preferred&>(*call.data).score(call, set, scores);
    // Without PreScore, Score looks at the pod itself.
    const NodeAffinity& affinity = call.pod.spec.node_affinity;
    if (!preferred_terms_error(affinity.preferred).empty()) {
      set.for_each([&](uint32_t row) { set.fail(row); });
      return {};
    }
    return Preferred(call.view, added_, affinity).score(call, set, scores);
  }

  Status score_status(const ScoreCall& call, uint32_t) const override {
    return Status(Code::kError,
                  preferred_terms_error(call.pod.spec.node_affinity.preferred, {}, texts_));
  }

  bool normalizes() const override { return true; }
  Status normalize(const ScoreCall&, const ScoreSet& set, int64_t* scores) const override {
    default_normalize(set, false, scores);
    return {};
  }
  int64_t normalize_uniform(const ScoreCall&, int64_t score) const override {
    return default_normalize_uniform(score, false);
  }

  Dependencies depends_on(const View&, const Pod& pod) const override {
    const PodSpec& spec = pod.spec;
    const bool required = spec.node_affinity.required.present || added_.required.present ||
                          spec.node_selector_present;
    const bool preferred = !spec.node_affinity.preferred.empty() || !added_.preferred.empty();
    return {.filter = {.row = required ? kLabelsChanged : 0},
            .score = {.row = preferred ? kLabelsChanged : 0}};
  }

  bool signs() const override { return true; }
  Status sign(const View&, const Pod& pod, std::vector<SignFragment>* out) const override {
    out->push_back(sign_fragment(kSignNodeAffinity, signed_node_affinity(pod)));
    out->push_back(sign_fragment(
        kSignNodeSelector, signed_labels(pod.spec.node_selector, pod.spec.node_selector_present)));
    return {};
  }

  bool registers_events() const override { return true; }
  Result<std::vector<ClusterEventWithHint>> events_to_register() const override {
    return std::vector<ClusterEventWithHint>{hinted(kNodeEvents, kAdd | kUpdateNodeLabel)};
  }
  // Whether the node matches now and did not match before.
  Result<QueueingHint> hint(size_t, const View&, const Pod& pod,
                            const ObjectChange& change) const override {
    const Node* after = object_of<Node>(change.after);
    const Node* before = object_of<Node>(change.before);
    if (after == nullptr) return no_object(change);
    if (added_.required.present &&
        !node_selector_matches(added_.required, after->meta.labels, after->meta.name))
      return QueueingHint::kQueueSkip;
    for (const Node* node : {after, before}) {
      if (node == nullptr) return QueueingHint::kQueue;
      const Result<bool> matches = required_matches(pod, *node);
      if (!matches.ok()) return matches.error();
      if (*matches == (node == before)) return QueueingHint::kQueueSkip;
    }
    return QueueingHint::kQueue;
  }

 private:
  NodeAffinity added_;  // points into the configuration, which the framework keeps
  const SelectorTexts texts_;
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_node_affinity(const FactoryCall& call) {
  const auto* args =
      call.args == nullptr ? nullptr : std::get_if<NodeAffinityArgs>(&call.args->value);
  return std::unique_ptr<Plugin>(std::make_unique<NodeAffinityPlugin>(
      args == nullptr ? NodeAffinity() : args->added_affinity, selector_texts(call.behaviours)));
}

}  // namespace libsched
