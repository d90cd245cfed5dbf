// Writes the arguments of plugins as JSON: in the form of documents, and as Go prints the internal
// types.
#include "libsched/config/args_json.hpp"

#include "libsched/config/config_json.hpp"
#include "libsched/config/decode.hpp"
#include "libsched/config/duration.hpp"
#include "libsched/config/json_document.hpp"

namespace libsched {
namespace {

using Json = nlohmann::json;
// For the API's own types, whose fields Go prints in order everywhere.
using Ordered = nlohmann::ordered_json;

std::string text(Str s) { return std::string(s); }

template <typename J, typename T>
void put_if(J& j, const char* name, const T& value) {
  if (value != T{}) j[name] = value;
}

Ordered strings(Span<Str> list) {
  Ordered out = Ordered::array();
  for (const Str s : list) out.push_back(text(s));
  return out;
}

Ordered requirements(Span<Requirement> list) {
  Ordered out = Ordered::array();
  for (const Requirement& r : list) {
    Ordered j = {{"key", text(r.key)}, {"operator", text(r.op_text)}};
    if (!r.values.empty()) j["values"] = strings(r.values);
    out.push_back(std::move(j));
  }
  return out;
}

Ordered node_term(const NodeSelectorTerm& t) {
  Ordered j = Ordered::object();
  if (!t.match_expressions.empty()) j["matchExpressions"] = requirements(t.match_expressions);
  if (!t.match_fields.empty()) j["matchFields"] = requirements(t.match_fields);
  return j;
}

Ordered node_affinity(const NodeAffinity& a) {
  Ordered j = Ordered::object();
  if (a.required.present) {
    Ordered terms;
    if (a.required.terms_present) terms = Ordered::array();
    for (const NodeSelectorTerm& t : a.required.terms) terms.push_back(node_term(t));
    j["requiredDuringSchedulingIgnoredDuringExecution"] = {{"nodeSelectorTerms", std::move(terms)}};
  }
  if (!a.preferred.empty()) {
    Ordered list = Ordered::array();
    for (const PreferredSchedulingTerm& t : a.preferred) {
      list.push_back({{"weight", t.weight}, {"preference", node_term(t.preference)}});
    }
    j["preferredDuringSchedulingIgnoredDuringExecution"] = std::move(list);
  }
  return j;
}

Ordered constraint(const TopologySpreadConstraint& c) {
  Ordered j = {{"maxSkew", c.max_skew},
               {"topologyKey", text(c.topology_key)},
               {"whenUnsatisfiable", text(c.when_unsatisfiable)}};
  if (c.selector.present) {
    Ordered selector = Ordered::object();
    for (const Label& l : c.selector.match_labels)
      selector["matchLabels"][text(l.key)] = text(l.value);
    if (!c.selector.match_expressions.empty()) {
      selector["matchExpressions"] = requirements(c.selector.match_expressions);
    }
    j["labelSelector"] = std::move(selector);
  }
  if (c.min_domains) j["minDomains"] = *c.min_domains;
  if (c.node_affinity_policy) j["nodeAffinityPolicy"] = *c.node_affinity_policy;
  if (c.node_taints_policy) j["nodeTaintsPolicy"] = *c.node_taints_policy;
  if (!c.match_label_keys.empty()) j["matchLabelKeys"] = strings(c.match_label_keys);
  return j;
}

Json resources(const std::vector<ResourceSpec>& list) {
  Json out = Json::array();
  for (const ResourceSpec& r : list) {
    Json j = {{"name", r.name}};
    put_if(j, "weight", r.weight);
    out.push_back(std::move(j));
  }
  return out;
}

Json shape(const std::vector<UtilizationShapePoint>& points) {
  Json out = Json::array();
  for (const UtilizationShapePoint& p : points)
    out.push_back({{"utilization", p.utilization}, {"score", p.score}});
  return out;
}

struct ArgsWriter {
  Json operator()(const std::monostate&) const { return nullptr; }
  Json operator()(const RawArgs& a) const {
    Json j = Json::parse(a.json, nullptr, false);
    return j.is_discarded() ? Json(a.json) : j;
  }
  Json operator()(const DefaultPreemptionArgs& a) const {
    return {{"kind", "DefaultPreemptionArgs"},
            {"minCandidateNodesPercentage", a.min_candidate_nodes_percentage},
            {"minCandidateNodesAbsolute", a.min_candidate_nodes_absolute}};
  }
  Json operator()(const DynamicResourcesArgs& a) const {
    Json j = {{"kind", "DynamicResourcesArgs"}, {"filterTimeout", nullptr}};
    if (a.filter_timeout_ns) j["filterTimeout"] = duration_text(*a.filter_timeout_ns);
    if (a.binding_timeout_ns) j["bindingTimeout"] = duration_text(*a.binding_timeout_ns);
    return j;
  }
  Json operator()(const InterPodAffinityArgs& a) const {
    return {{"kind", "InterPodAffinityArgs"},
            {"hardPodAffinityWeight", a.hard_pod_affinity_weight},
            {"ignorePreferredTermsOfExistingPods", a.ignore_preferred_terms_of_existing_pods}};
  }
  Json operator()(const NodeAffinityArgs& a) const {
    Json j = {{"kind", "NodeAffinityArgs"}};
    if (a.added_affinity.present) j["addedAffinity"] = node_affinity(a.added_affinity);
    return j;
  }
  Json operator()(const NodeResourcesBalancedAllocationArgs& a) const {
    return {{"kind", "NodeResourcesBalancedAllocationArgs"}, {"resources", resources(a.resources)}};
  }
  Json operator()(const NodeResourcesFitArgs& a) const {
    const ScoringStrategy& s = a.scoring_strategy;
    Json strategy = {{"resources", resources(s.resources)}};
    put_if(strategy, "type", s.type);
    if (s.shape) {
      strategy["requestedToCapacityRatio"] = Json::object();
      if (!s.shape->empty()) strategy["requestedToCapacityRatio"]["shape"] = shape(*s.shape);
    }
    Json j = {{"kind", "NodeResourcesFitArgs"}, {"scoringStrategy", std::move(strategy)}};
    put_if(j, "ignoredResources", a.ignored_resources);
    put_if(j, "ignoredResourceGroups", a.ignored_resource_groups);
    return j;
  }
  Json operator()(const PodTopologySpreadArgs& a) const {
    Json j = {{"kind", "PodTopologySpreadArgs"}};
    put_if(j, "defaultingType", a.defaulting_type);
    if (!a.default_constraints.empty()) {
      j["defaultConstraints"] = Json::array();
      for (const TopologySpreadConstraint& c : a.default_constraints)
        j["defaultConstraints"].push_back(Json(constraint(c)));
    }
    return j;
  }
  Json operator()(const VolumeBindingArgs& a) const {
    Json j = {{"kind", "VolumeBindingArgs"}, {"bindTimeoutSeconds", a.bind_timeout_seconds}};
    if (a.shape && !a.shape->empty()) j["shape"] = shape(*a.shape);
    return j;
  }
};

// The internal types have no JSON names, so Go prints the names of their fields.
struct GoWriter {
  template <typename List, typename Print>
  static Ordered list(const List& items, bool present, const Print& print) {
    Ordered out;
    if (present) out = Ordered::array();
    for (const auto& item : items) out.push_back(print(item));
    return out;
  }
  static Ordered text_list(const std::vector<std::string>& items, bool present) {
    return list(items, present, [](const std::string& s) { return Ordered(s); });
  }
  static Ordered resource_list(const std::vector<ResourceSpec>& items) {
    return list(items, true, [](const ResourceSpec& r) {
      return Ordered{{"Name", r.name}, {"Weight", r.weight}};
    });
  }
  static Ordered shape_list(const std::vector<UtilizationShapePoint>& items, bool present) {
    return list(items, present, [](const UtilizationShapePoint& p) {
      return Ordered{{"Utilization", p.utilization}, {"Score", p.score}};
    });
  }
  static Ordered duration(const std::optional<int64_t>& ns) {
    return ns ? Ordered(duration_text(*ns)) : Ordered();
  }

  Ordered operator()(const std::monostate&) const { return nullptr; }
  Ordered operator()(const RawArgs&) const { return nullptr; }  // is printed as it is
  Ordered operator()(const DefaultPreemptionArgs& a) const {
    return {{"MinCandidateNodesPercentage", a.min_candidate_nodes_percentage},
            {"MinCandidateNodesAbsolute", a.min_candidate_nodes_absolute}};
  }
  Ordered operator()(const DynamicResourcesArgs& a) const {
    return {{"FilterTimeout", duration(a.filter_timeout_ns)},
            {"BindingTimeout", duration(a.binding_timeout_ns)}};
  }
  Ordered operator()(const InterPodAffinityArgs& a) const {
    return {{"HardPodAffinityWeight", a.hard_pod_affinity_weight},
            {"IgnorePreferredTermsOfExistingPods", a.ignore_preferred_terms_of_existing_pods}};
  }
  Ordered operator()(const NodeAffinityArgs& a) const {
    const NodeAffinity& added = a.added_affinity;
    return {{"AddedAffinity", added.present ? node_affinity(added) : Ordered()}};
  }
  Ordered operator()(const NodeResourcesBalancedAllocationArgs& a) const {
    return {{"Resources", resource_list(a.resources)}};
  }
  Ordered operator()(const NodeResourcesFitArgs& a) const {
    const ScoringStrategy& s = a.scoring_strategy;
    Ordered ratio;
    if (s.shape) ratio["Shape"] = shape_list(*s.shape, !s.shape->empty());
    return {{"IgnoredResources", text_list(a.ignored_resources, a.ignored_resources_present)},
            {"IgnoredResourceGroups",
             text_list(a.ignored_resource_groups, a.ignored_resource_groups_present)},
            {"ScoringStrategy",
             {{"Type", s.type},
              {"Resources", resource_list(s.resources)},
              {"RequestedToCapacityRatio", std::move(ratio)}}}};
  }
  Ordered operator()(const PodTopologySpreadArgs& a) const {
    return {{"DefaultConstraints",
             list(a.default_constraints, a.default_constraints_present, constraint)},
            {"DefaultingType", a.defaulting_type}};
  }
  Ordered operator()(const VolumeBindingArgs& a) const {
    const std::vector<UtilizationShapePoint> none;
    return {{"BindTimeoutSeconds", a.bind_timeout_seconds},
            {"Shape", shape_list(a.shape ? *a.shape : none, a.shape.has_value())}};
  }
};

}  // namespace

Json args_value(const PluginArgs& a) {
  Json j = std::visit(ArgsWriter{}, a.value);
  if (a.value.index() > 1) j["apiVersion"] = text(kConfigGroupVersion);
  return j;
}

std::string args_to_json(const PluginArgs& args) {
  if (const auto* raw = std::get_if<RawArgs>(&args.value)) return compact_json(raw->json);
  return args_value(args).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string args_as_go_prints(const PluginArgs& args) {
  if (const auto* raw = std::get_if<RawArgs>(&args.value)) return compact_json(raw->json);
  const Ordered value = std::visit(GoWriter{}, args.value);
  return compact_json(value.dump(-1, ' ', false, Ordered::error_handler_t::replace));
}

}  // namespace libsched
