// InterPodAffinity: lets pods pass that have no required terms and that no existing pod's required
// anti-affinity concerns; any other pod is an error, since counting is not there yet. Mirrors the
// beginning of PreFilter in upstream's plugins/interpodaffinity.
#include <algorithm>

#include "libsched/plugins/in_tree.hpp"

namespace libsched {
namespace {

// Upstream's error of a list of terms: the first that does not parse.
std::string terms_error(Span<PodAffinityTerm> terms) {
  for (const PodAffinityTerm& t : terms) {
    for (const LabelSelector* s : {&t.selector, &t.namespace_selector})
      if (std::string e = s->present ? label_selector_error(*s) : std::string(); !e.empty())
        return e;
  }
  return {};
}

std::string parse_error(const Pod& pod) {
  const PodAffinity& a = pod.spec.pod_affinity;
  const PodAffinity& anti = pod.spec.pod_anti_affinity;
  const std::pair<const char*, Span<PodAffinityTerm>> lists[] = {
      {"requiredAffinityTerms: ", a.required},
      {"requiredAntiAffinityTerms: ", anti.required},
      {"preferredAffinityTerms: ", a.preferred},
      {"preferredAntiAffinityTerms: ", anti.preferred},
  };
  std::vector<std::string> errors;
  for (const auto& [name, terms] : lists)
    if (const std::string e = terms_error(terms); !e.empty())
      if (std::find(errors.begin(), errors.end(), name + e) == errors.end())
        errors.push_back(name + e);
  if (errors.size() <= 1) return errors.empty() ? "" : errors[0];
  std::string out = "[";
  for (const std::string& e : errors) out += (out.size() == 1 ? "" : ", ") + e;
  return out + "]";
}

class InterPodAffinity final : public Plugin {
 public:
  Result<Status> pre_filter(const PreFilterCall& call, PreFilterResult*) const override {
    const Pod& pod = call.pod;
    if (const std::string e = parse_error(pod); !e.empty())
      return Status(Code::kUnschedulableAndUnresolvable, "parsing pod: " + e);
    if (!pod.spec.pod_affinity.required.empty() || !pod.spec.pod_anti_affinity.required.empty())
      return needs_plugin(pod, "InterPodAffinity", "it has required pod affinity or anti-affinity");
    const Namespace* ns = call.view.find_namespace(pod.meta.ns);
    const Labels ns_labels = ns == nullptr ? Labels() : ns->meta.labels;
    for (const uint32_t s : call.view.anti_affinity_pods()) {
      const State::Slot& slot = call.view.slot(s);
      const Node* node = call.view.node(slot.row);
      if (node == nullptr || !concerned(*slot.pod, *node, pod, ns_labels)) continue;
      return needs_plugin(pod, "InterPodAffinity",
                          "required anti-affinity of pod \"" + std::string(slot.pod->meta.ns) +
                              "/" + std::string(slot.pod->meta.name) + "\" concerns it");
    }
    return Status(Code::kSkip);
  }

 private:
  // Whether a required anti-affinity term of `existing` counts against `pod`.
  static bool concerned(const Pod& existing, const Node& node, const Pod& pod, Labels ns_labels) {
    const Span<PodAffinityTerm> terms = existing.spec.pod_anti_affinity.required;
    if (!terms_error(terms).empty()) return false;  // upstream drops the whole list
    return std::any_of(terms.begin(), terms.end(), [&](const PodAffinityTerm& t) {
      if (find_label(node.meta.labels, t.topology_key) == nullptr) return false;
      const bool own_namespace = t.namespaces.empty() && !t.namespace_selector.present;
      const bool in_namespace = own_namespace
                                    ? existing.meta.ns == pod.meta.ns
                                    : std::find(t.namespaces.begin(), t.namespaces.end(),
                                                pod.meta.ns) != t.namespaces.end() ||
                                          (t.namespace_selector.present &&
                                           selector_matches(t.namespace_selector, ns_labels));
      return in_namespace && t.selector.present && selector_matches(t.selector, pod.meta.labels);
    });
  }
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_inter_pod_affinity(const FactoryCall&) {
  return std::unique_ptr<Plugin>(std::make_unique<InterPodAffinity>());
}

}  // namespace libsched
