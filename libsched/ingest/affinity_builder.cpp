// spec.affinity and spec.topologySpreadConstraints.
#include "libsched/ingest/object_builder.hpp"

namespace libsched {
namespace {

constexpr KeyTable kAffinity("nodeAffinity", "podAffinity", "podAntiAffinity");
constexpr KeyTable kTerms("requiredDuringSchedulingIgnoredDuringExecution",
                          "preferredDuringSchedulingIgnoredDuringExecution");
constexpr KeyTable kPodAffinityTerm("labelSelector", "namespaces", "topologyKey",
                                    "namespaceSelector", "matchLabelKeys", "mismatchLabelKeys");
constexpr KeyTable kWeightedTerm("weight", "podAffinityTerm");
constexpr KeyTable kSpread("maxSkew", "topologyKey", "whenUnsatisfiable", "labelSelector",
                           "minDomains", "nodeAffinityPolicy", "nodeTaintsPolicy",
                           "matchLabelKeys");

}  // namespace

bool ObjectBuilder::affinity(PodSpec& spec) {
  spec.affinity_present = !reader_.is_null();
  return object(kAffinity, [&](int field) {
    switch (field) {
      case kAffinity["nodeAffinity"]: return node_affinity(spec.node_affinity);
      case kAffinity["podAffinity"]: return pod_affinity(spec.pod_affinity);
      case kAffinity["podAntiAffinity"]: return pod_affinity(spec.pod_anti_affinity);
      default: return skip();
    }
  });
}

bool ObjectBuilder::node_affinity(NodeAffinity& affinity) {
  affinity.present = !reader_.is_null();
  return object(kTerms, [&](int field) {
    switch (field) {
      case kTerms["requiredDuringSchedulingIgnoredDuringExecution"]:
        return node_selector(affinity.required);
      case kTerms["preferredDuringSchedulingIgnoredDuringExecution"]:
        return present_list(affinity.preferred, affinity.preferred_present,
                            [&](PreferredSchedulingTerm& t) { return preferred_term(t); });
      default: return skip();
    }
  });
}

bool ObjectBuilder::pod_affinity(PodAffinity& affinity) {
  affinity.present = !reader_.is_null();
  return object(kTerms, [&](int field) {
    switch (field) {
      case kTerms["requiredDuringSchedulingIgnoredDuringExecution"]:
        return list(affinity.required, [&](PodAffinityTerm& t) { return pod_affinity_term(t); });
      case kTerms["preferredDuringSchedulingIgnoredDuringExecution"]:
        return list(affinity.preferred,
                    [&](PodAffinityTerm& t) { return weighted_pod_affinity_term(t); });
      default: return skip();
    }
  });
}

bool ObjectBuilder::pod_affinity_term(PodAffinityTerm& term) {
  return object(kPodAffinityTerm, [&](int field) {
    switch (field) {
      case kPodAffinityTerm["labelSelector"]: return label_selector(term.selector);
      case kPodAffinityTerm["namespaceSelector"]: return label_selector(term.namespace_selector);
      case kPodAffinityTerm["namespaces"]: return string_list(term.namespaces);
      case kPodAffinityTerm["topologyKey"]: return string(term.topology_key);
      case kPodAffinityTerm["matchLabelKeys"]: return string_list(term.match_label_keys);
      case kPodAffinityTerm["mismatchLabelKeys"]: return string_list(term.mismatch_label_keys);
      default: return skip();
    }
  });
}

bool ObjectBuilder::weighted_pod_affinity_term(PodAffinityTerm& term) {
  return object(kWeightedTerm, [&](int field) {
    switch (field) {
      case kWeightedTerm["weight"]: return int32(term.weight);
      case kWeightedTerm["podAffinityTerm"]: return pod_affinity_term(term);
      default: return skip();
    }
  });
}

bool ObjectBuilder::spread_constraint(TopologySpreadConstraint& c) {
  return object(kSpread, [&](int field) {
    switch (field) {
      case kSpread["maxSkew"]: return int32(c.max_skew);
      case kSpread["minDomains"]: return optional_int32(c.min_domains);
      case kSpread["topologyKey"]: return string(c.topology_key);
      case kSpread["whenUnsatisfiable"]: return string(c.when_unsatisfiable);
      case kSpread["labelSelector"]: return label_selector(c.selector);
      case kSpread["nodeAffinityPolicy"]: return optional_string(c.node_affinity_policy);
      case kSpread["nodeTaintsPolicy"]: return optional_string(c.node_taints_policy);
      case kSpread["matchLabelKeys"]: return string_list(c.match_label_keys);
      default: return skip();
    }
  });
}

}  // namespace libsched
