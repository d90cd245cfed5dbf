// The hints of upstream's interpodaffinity/plugin.go. Terms are matched without namespace labels: a
// namespace selector counts only where it matches a namespace without labels.
#include "libsched/plugins/interpodaffinity/requeue.hpp"

#include <algorithm>

#include "libsched/plugins/hints.hpp"
#include "libsched/plugins/interpodaffinity/incoming_terms.hpp"

namespace libsched {
namespace {

using Terms = Span<PodAffinityTerm>;

bool selects(const Pod& owner, const PodAffinityTerm& term, const Pod& other) {
  const bool own_namespace = term.namespaces.empty() && !term.namespace_selector.present;
  const bool named = own_namespace ? other.meta.ns == owner.meta.ns
                                   : std::find(term.namespaces.begin(), term.namespaces.end(),
                                               other.meta.ns) != term.namespaces.end();
  return (named || selector_matches(term.namespace_selector, {})) &&
         selector_matches(term.selector, other.meta.labels);
}

bool select_by_all(const Pod& owner, Terms terms, const Pod& other) {
  return !terms.empty() && std::all_of(terms.begin(), terms.end(), [&](const PodAffinityTerm& t) {
    return selects(owner, t, other);
  });
}

Result<void> parse(Terms terms) {
  std::string error = terms_error(terms);
  if (error.empty()) return {};
  return Error{Rc::kInvalid, std::move(error)};
}

}  // namespace

Result<QueueingHint> hint_after_pod(const Pod& pod, const Pod* before, const Pod* after,
                                    bool any_anti_term) {
  for (const Pod* other : {before, after})
    if (other != nullptr && !has_node(*other)) return QueueingHint::kQueueSkip;
  const Terms terms = pod.spec.pod_affinity.required;
  const Terms anti = pod.spec.pod_anti_affinity.required;
  LIBSCHED_TRY(parse(terms));
  LIBSCHED_TRY(parse(anti));
  const auto keeps_away = [&](const Pod& owner, Terms owned, const Pod& other) {
    return any_anti_term
               ? std::any_of(owned.begin(), owned.end(),
                             [&](const PodAffinityTerm& t) { return selects(owner, t, other); })
               : select_by_all(owner, owned, other);
  };
  if (before != nullptr && after != nullptr)
    return queue_if((!select_by_all(pod, terms, *before) && select_by_all(pod, terms, *after)) ||
                    (keeps_away(pod, anti, *before) && !keeps_away(pod, anti, *after)));
  if (after != nullptr) return queue_if(select_by_all(pod, terms, *after));
  if (keeps_away(pod, anti, *before)) return QueueingHint::kQueue;
  const Terms theirs = before->spec.pod_anti_affinity.required;
  LIBSCHED_TRY(parse(theirs));
  return queue_if(keeps_away(*before, theirs, pod));
}

Result<QueueingHint> hint_after_node(const Pod& pod, const Node* before, const Node& after) {
  const Terms terms = pod.spec.pod_affinity.required;
  const Terms anti = pod.spec.pod_anti_affinity.required;
  const auto label = [](const Node& node, const PodAffinityTerm& t) {
    return find_label(node.meta.labels, t.topology_key);
  };
  LIBSCHED_TRY(parse(terms));
  for (const PodAffinityTerm& t : terms) {
    const Label* was = before == nullptr ? nullptr : label(*before, t);
    const Label* is = label(after, t);
    if (is != nullptr && (was == nullptr || was->value != is->value)) return QueueingHint::kQueue;
  }
  LIBSCHED_TRY(parse(anti));
  for (const PodAffinityTerm& t : anti) {
    if (before == nullptr) return QueueingHint::kQueue;
    const Label* was = label(*before, t);
    const Label* is = label(after, t);
    if (was != nullptr && (is == nullptr || was->value != is->value)) return QueueingHint::kQueue;
  }
  return QueueingHint::kQueueSkip;
}

}  // namespace libsched
