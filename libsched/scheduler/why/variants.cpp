// See variants.hpp.
#include "libsched/scheduler/why/variants.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "libsched/base/quote.hpp"
#include "libsched/objects/own_parts.hpp"
#include "libsched/objects/toleration_index.hpp"

namespace libsched {
namespace {

constexpr size_t kMostTaints = 64;

Ref<Pod> copy_of(const Pod& pod) {
  const Ref<Pod> copy = copy_pod(pod, pod.spec.node_name, 512);
  copy->raw = {};
  return copy;
}
PodRef finished(const Ref<Pod>& changed) {
  derive_pod(*changed);
  return PodRef(with_own_parts(changed));
}

template <typename T>
std::vector<T> without(Span<T> list, size_t index) {
  std::vector<T> out(list.begin(), list.end());
  out.erase(out.begin() + static_cast<ptrdiff_t>(index));
  return out;
}

std::string taint_text(const Taint& t) {
  std::string out(t.key);
  if (!t.value.empty()) out += "=" + std::string(t.value);
  return out + ":" + std::string(t.effect_text);
}

class Variants {
 public:
  Variants(const View& view, const Pod& pod, const Rejections& rejections,
           bool comparison_operators)
      : view_(view), pod_(pod), rejections_(rejections), operators_(comparison_operators) {}

  std::vector<Suggestion> all() {
    for (const char* plugin : {"TaintToleration", "NodeUnschedulable"})
      if (const auto* by = rejections_.of(plugin)) tolerations(*by);
    if (rejections_.of("NodeAffinity") != nullptr || rejections_.plugins.empty()) {
      selector();
      node_affinity();
    }
    if (rejections_.of("InterPodAffinity") != nullptr) {
      terms(SuggestionKind::kPodAffinity);
      terms(SuggestionKind::kPodAntiAffinity);
    }
    if (rejections_.of("PodTopologySpread") != nullptr) spread();
    return std::move(out_);
  }

 private:
  Suggestion& add(SuggestionKind kind, std::string subject, std::string text,
                  const Ref<Pod>& changed) {
    Suggestion& s = out_.emplace_back();
    s.kind = kind;
    s.subject = std::move(subject);
    s.text = std::move(text);
    s.pod = finished(changed);
    return s;
  }

  // A toleration of the first taint of each node that the pod does not tolerate.
  void tolerations(const Rejections::ByPlugin& by) {
    for (size_t w = 0; w < by.rows.size(); ++w)
      for_each_bit(by.rows[w], w * 64, [&](size_t row) {
        const Node& node = *view_.node(static_cast<uint32_t>(row));
        if (node.unschedulable) return;  // to uncordon it is told instead
        for (const Taint& t : node.taints)
          if (t.effect == TaintEffect::kNoSchedule || t.effect == TaintEffect::kNoExecute)
            if (tolerate(t)) break;
      });
  }
  // Whether the pod does not tolerate it yet.
  bool tolerate(const Taint& taint) {
    for (const Toleration& t : pod_.spec.tolerations)
      if (tolerates(t, taint, operators_)) return false;
    const std::string subject = taint_text(taint);
    if (taints_.size() == kMostTaints || !taints_.insert(subject).second) return true;
    const Ref<Pod> changed = copy_of(pod_);
    std::vector<Toleration> list(pod_.spec.tolerations.begin(), pod_.spec.tolerations.end());
    Toleration& t = list.emplace_back();
    t.key = changed->arena.copy(taint.key);
    t.value = changed->arena.copy(taint.value);
    t.op_text = Str("Equal");
    t.effect = taint.effect;
    t.effect_text = changed->arena.copy(taint.effect_text);
    changed->spec.tolerations = changed->arena.copy(list);
    add(SuggestionKind::kTolerate, subject, "tolerate the taint " + subject, changed);
    return true;
  }

  void selector() {
    const Labels& labels = pod_.spec.node_selector;
    for (size_t i = 0; i < labels.size(); ++i) {
      const Ref<Pod> changed = copy_of(pod_);
      changed->spec.node_selector = changed->arena.copy(without<Label>(labels, i));
      const std::string key(labels[i].key);
      add(SuggestionKind::kNodeSelector, key,
          "drop nodeSelector " + key + "=" + std::string(labels[i].value), changed)
          .index = i;
    }
  }

  // A term that loses its last requirement would match no node, so the only term goes as a whole.
  void node_affinity() {
    const NodeSelector& required = pod_.spec.node_affinity.required;
    for (size_t t = 0; t < required.terms.size(); ++t) {
      const NodeSelectorTerm& term = required.terms[t];
      const size_t expressions = term.match_expressions.size();
      const size_t all = expressions + term.match_fields.size();
      if (all == 1 && required.terms.size() != 1) continue;
      for (size_t i = 0; i < all; ++i) {
        const bool field = i >= expressions;
        const Requirement& r =
            field ? term.match_fields[i - expressions] : term.match_expressions[i];
        const Ref<Pod> changed = copy_of(pod_);
        NodeSelector& own = changed->spec.node_affinity.required;
        if (all == 1) {
          own = {};
        } else {
          std::vector<NodeSelectorTerm> terms(required.terms.begin(), required.terms.end());
          Span<Requirement>& list = field ? terms[t].match_fields : terms[t].match_expressions;
          list = changed->arena.copy(without<Requirement>(list, field ? i - expressions : i));
          own.terms = changed->arena.copy(terms);
        }
        add(SuggestionKind::kNodeAffinity, std::string(r.key),
            "drop the node affinity for " + std::string(r.key) + " (term " + std::to_string(t + 1) +
                ")",
            changed)
            .index = t;
      }
    }
  }

  void terms(SuggestionKind kind) {
    const bool anti = kind == SuggestionKind::kPodAntiAffinity;
    const Span<PodAffinityTerm> list =
        anti ? pod_.spec.pod_anti_affinity.required : pod_.spec.pod_affinity.required;
    for (size_t i = 0; i < list.size(); ++i) {
      const Ref<Pod> changed = copy_of(pod_);
      PodAffinity& own = anti ? changed->spec.pod_anti_affinity : changed->spec.pod_affinity;
      own.required = changed->arena.copy(without<PodAffinityTerm>(list, i));
      const std::string key(list[i].topology_key);
      add(kind, key,
          std::string("drop the required pod ") + (anti ? "anti-affinity" : "affinity") + " by " +
              key + " (term " + std::to_string(i + 1) + ")",
          changed)
          .index = i;
    }
  }

  void spread() {
    const Span<TopologySpreadConstraint> list = pod_.spec.spread;
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i].when_unsatisfiable != "DoNotSchedule") continue;
      if (list[i].node_taints_policy != Str("Honor")) honor_taints(list, i);
      const Ref<Pod> changed = copy_of(pod_);
      changed->spec.spread = changed->arena.copy(without<TopologySpreadConstraint>(list, i));
      const std::string key(list[i].topology_key);
      add(SuggestionKind::kTopologySpread, key,
          "drop the topology spread by " + key + " (constraint " + std::to_string(i + 1) + ")",
          changed)
          .index = i;
    }
  }

  void honor_taints(Span<TopologySpreadConstraint> list, size_t i) {
    const Ref<Pod> changed = copy_of(pod_);
    std::vector<TopologySpreadConstraint> own(list.begin(), list.end());
    own[i].node_taints_policy = Str("Honor");
    changed->spec.spread = changed->arena.copy(own);
    const std::string key(list[i].topology_key);
    add(SuggestionKind::kSpreadTaints, key,
        "set nodeTaintsPolicy: Honor in the topology spread by " + key + " (constraint " +
            std::to_string(i + 1) + ")",
        changed)
        .index = i;
  }

  const View& view_;
  const Pod& pod_;
  const Rejections& rejections_;
  const bool operators_;
  std::set<std::string> taints_;
  std::vector<Suggestion> out_;
};

}  // namespace

std::vector<Suggestion> variants(const View& view, const Pod& pod, const Rejections& rejections,
                                 bool comparison_operators) {
  return Variants(view, pod, rejections, comparison_operators).all();
}

}  // namespace libsched
