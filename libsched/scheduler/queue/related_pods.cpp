// RelatedPods: required affinity terms against one pod.
#include "libsched/scheduler/queue/related_pods.hpp"

#include <algorithm>

#include "libsched/objects/storage.hpp"

namespace libsched {
namespace {

// Upstream drops all terms of a pod if one does not parse.
bool parses(Span<PodAffinityTerm> terms) {
  return std::all_of(terms.begin(), terms.end(), [](const PodAffinityTerm& t) {
    return (!t.selector.present || label_selector_error(t.selector).empty()) &&
           (!t.namespace_selector.present || label_selector_error(t.namespace_selector).empty());
  });
}

}  // namespace

RelatedPods::RelatedPods(const Pod& pod, const View& view, const PluginNames& plugins)
    : pod_(pod), spread_(plugins.find("PodTopologySpread")) {
  if (const auto* ns = view.objects().find<Namespace>(pod.meta.ns); ns != nullptr)
    namespace_labels_ = ns->meta.labels;
}

bool RelatedPods::has(const QueuedPodInfo& other) const {
  const Pod& owner = *other.pod;
  if (spread_ != kNoPlugin && other.unschedulable.has(spread_) && owner.meta.ns == pod_.meta.ns)
    return true;
  const Span<PodAffinityTerm> terms = owner.spec.pod_affinity.required;
  const auto selects = [&](const PodAffinityTerm& t) {
    const bool own = t.namespaces.empty() && !t.namespace_selector.present;
    const bool named = own ? owner.meta.ns == pod_.meta.ns
                           : std::find(t.namespaces.begin(), t.namespaces.end(), pod_.meta.ns) !=
                                 t.namespaces.end();
    return (named || selector_matches(t.namespace_selector, namespace_labels_)) &&
           selector_matches(t.selector, pod_.meta.labels);
  };
  return !terms.empty() && parses(terms) && std::any_of(terms.begin(), terms.end(), selects);
}

}  // namespace libsched
