// Writes the arguments of plugins as JSON: in the form of documents, and as Go prints the internal
// types.
#include "libsched/config/args_json.hpp"

#include "libsched/config/config_json.hpp"
#include "libsched/config/decode.hpp"
#include "libsched/config/duration.hpp"
#include "libsched/config/json_document.hpp"

namespace libsched {
namespace {

void requirements_if(JsonText& json, Str name, Span<Requirement> list) {
  json.objects_if(name, list, [&](const Requirement& r) {
    json.field("key", r.key);
    json.field("operator", r.op_text);
    json.strings_if("values", r.values);
  });
}

void node_term(JsonText& json, const NodeSelectorTerm& t) {
  requirements_if(json, "matchExpressions", t.match_expressions);
  requirements_if(json, "matchFields", t.match_fields);
}

// null if a list is not present, and has nothing.
template <typename T, typename F>
void list_or_null(JsonText& json, Str name, Span<T> items, bool present, F&& f) {
  if (present || !items.empty()) return json.list(name, items, std::forward<F>(f));
  json.key(name);
  json.null();
}

void node_affinity(JsonText& json, Str name, const NodeAffinity& a) {
  json.object(name, [&] {
    if (a.required.present)
      json.object("requiredDuringSchedulingIgnoredDuringExecution", [&] {
        list_or_null(json, "nodeSelectorTerms", a.required.terms, a.required.terms_present,
                     [&](const NodeSelectorTerm& t) { json.object([&] { node_term(json, t); }); });
      });
    json.objects_if("preferredDuringSchedulingIgnoredDuringExecution", a.preferred,
                    [&](const PreferredSchedulingTerm& t) {
                      json.number("weight", t.weight);
                      json.object("preference", [&] { node_term(json, t.preference); });
                    });
  });
}

void constraint(JsonText& json, const TopologySpreadConstraint& c) {
  json.object([&] {
    json.number("maxSkew", c.max_skew);
    json.field("topologyKey", c.topology_key);
    json.field("whenUnsatisfiable", c.when_unsatisfiable);
    if (c.selector.present)
      json.object("labelSelector", [&] {
        if (!c.selector.match_labels.empty()) json.labels("matchLabels", c.selector.match_labels);
        requirements_if(json, "matchExpressions", c.selector.match_expressions);
      });
    json.number_if("minDomains", c.min_domains);
    json.field_if("nodeAffinityPolicy", c.node_affinity_policy);
    json.field_if("nodeTaintsPolicy", c.node_taints_policy);
    json.strings_if("matchLabelKeys", c.match_label_keys);
  });
}

// Names of members: of documents, or of the internal types, which have no JSON names, so that Go
// prints the names of their fields.
struct ItemNames {
  Str name, weight, utilization, score;
};
constexpr ItemNames kOfDocuments = {"name", "weight", "utilization", "score"};
constexpr ItemNames kOfGo = {"Name", "Weight", "Utilization", "Score"};

template <typename Items>
void add_texts(JsonText& json, Str name, const Items& items, bool present) {
  list_or_null(json, name, Span<std::string>(items), present,
               [&](const std::string& s) { json.string(s); });
}

void resources(JsonText& json, Str name, const std::vector<ResourceSpec>& list,
               const ItemNames& names) {
  json.objects(name, Span<ResourceSpec>(list), [&](const ResourceSpec& r) {
    json.field(names.name, r.name);
    if (r.weight != 0 || &names == &kOfGo) json.number(names.weight, r.weight);
  });
}

void shape(JsonText& json, Str name, const std::vector<UtilizationShapePoint>& points, bool present,
           const ItemNames& names) {
  list_or_null(json, name, Span<UtilizationShapePoint>(points), present,
               [&](const UtilizationShapePoint& p) {
                 json.object([&] {
                   json.number(names.utilization, p.utilization);
                   json.number(names.score, p.score);
                 });
               });
}

void duration_or_null(JsonText& json, Str name, const std::optional<int64_t>& ns) {
  json.key(name);
  if (ns) return json.string(duration_text(*ns));
  json.null();
}

// The fields of a document's arguments, behind apiVersion.
struct ArgsWriter {
  JsonText& json;

  void operator()(const std::monostate&) const {}
  void operator()(const RawArgs&) const {}
  void operator()(const DefaultPreemptionArgs& a) const {
    json.field("kind", "DefaultPreemptionArgs");
    json.number("minCandidateNodesAbsolute", a.min_candidate_nodes_absolute);
    json.number("minCandidateNodesPercentage", a.min_candidate_nodes_percentage);
  }
  void operator()(const DynamicResourcesArgs& a) const {
    json.field("kind", "DynamicResourcesArgs");
    if (a.binding_timeout_ns) duration_or_null(json, "bindingTimeout", a.binding_timeout_ns);
    duration_or_null(json, "filterTimeout", a.filter_timeout_ns);
  }
  void operator()(const InterPodAffinityArgs& a) const {
    json.field("kind", "InterPodAffinityArgs");
    json.number("hardPodAffinityWeight", a.hard_pod_affinity_weight);
    json.boolean("ignorePreferredTermsOfExistingPods", a.ignore_preferred_terms_of_existing_pods);
  }
  void operator()(const NodeAffinityArgs& a) const {
    json.field("kind", "NodeAffinityArgs");
    if (a.added_affinity.present) node_affinity(json, "addedAffinity", a.added_affinity);
  }
  void operator()(const NodeResourcesBalancedAllocationArgs& a) const {
    json.field("kind", "NodeResourcesBalancedAllocationArgs");
    resources(json, "resources", a.resources, kOfDocuments);
  }
  void operator()(const NodeResourcesFitArgs& a) const {
    json.field("kind", "NodeResourcesFitArgs");
    const ScoringStrategy& s = a.scoring_strategy;
    if (!a.ignored_resource_groups.empty())
      add_texts(json, "ignoredResourceGroups", a.ignored_resource_groups, true);
    if (!a.ignored_resources.empty())
      add_texts(json, "ignoredResources", a.ignored_resources, true);
    json.object("scoringStrategy", [&] {
      if (s.shape)
        json.object("requestedToCapacityRatio", [&] {
          if (!s.shape->empty()) shape(json, "shape", *s.shape, true, kOfDocuments);
        });
      resources(json, "resources", s.resources, kOfDocuments);
      json.field_if("type", Str(s.type));
    });
  }
  void operator()(const PodTopologySpreadArgs& a) const {
    json.field("kind", "PodTopologySpreadArgs");
    json.list_if("defaultConstraints", a.default_constraints,
                 [&](const TopologySpreadConstraint& c) { constraint(json, c); });
    json.field_if("defaultingType", Str(a.defaulting_type));
  }
  void operator()(const VolumeBindingArgs& a) const {
    json.field("kind", "VolumeBindingArgs");
    json.number("bindTimeoutSeconds", a.bind_timeout_seconds);
    if (a.shape && !a.shape->empty()) shape(json, "shape", *a.shape, true, kOfDocuments);
  }
};

// The fields of the internal types, in their order.
struct GoWriter {
  JsonText& json;

  void operator()(const std::monostate&) const {}
  void operator()(const RawArgs&) const {}
  void operator()(const DefaultPreemptionArgs& a) const {
    json.number("MinCandidateNodesPercentage", a.min_candidate_nodes_percentage);
    json.number("MinCandidateNodesAbsolute", a.min_candidate_nodes_absolute);
  }
  void operator()(const DynamicResourcesArgs& a) const {
    duration_or_null(json, "FilterTimeout", a.filter_timeout_ns);
    duration_or_null(json, "BindingTimeout", a.binding_timeout_ns);
  }
  void operator()(const InterPodAffinityArgs& a) const {
    json.number("HardPodAffinityWeight", a.hard_pod_affinity_weight);
    json.boolean("IgnorePreferredTermsOfExistingPods", a.ignore_preferred_terms_of_existing_pods);
  }
  void operator()(const NodeAffinityArgs& a) const {
    if (a.added_affinity.present) return node_affinity(json, "AddedAffinity", a.added_affinity);
    json.key("AddedAffinity");
    json.null();
  }
  void operator()(const NodeResourcesBalancedAllocationArgs& a) const {
    resources(json, "Resources", a.resources, kOfGo);
  }
  void operator()(const NodeResourcesFitArgs& a) const {
    const ScoringStrategy& s = a.scoring_strategy;
    add_texts(json, "IgnoredResources", a.ignored_resources, a.ignored_resources_present);
    add_texts(json, "IgnoredResourceGroups", a.ignored_resource_groups,
              a.ignored_resource_groups_present);
    json.object("ScoringStrategy", [&] {
      json.field("Type", s.type);
      resources(json, "Resources", s.resources, kOfGo);
      json.key("RequestedToCapacityRatio");
      if (!s.shape) return json.null();
      json.object([&] { shape(json, "Shape", *s.shape, false, kOfGo); });
    });
  }
  void operator()(const PodTopologySpreadArgs& a) const {
    list_or_null(json, "DefaultConstraints", a.default_constraints, a.default_constraints_present,
                 [&](const TopologySpreadConstraint& c) { constraint(json, c); });
    json.field("DefaultingType", a.defaulting_type);
  }
  void operator()(const VolumeBindingArgs& a) const {
    const std::vector<UtilizationShapePoint> none;
    json.number("BindTimeoutSeconds", a.bind_timeout_seconds);
    shape(json, "Shape", a.shape ? *a.shape : none, a.shape.has_value(), kOfGo);
  }
};

}  // namespace

void write_args(JsonText& json, const PluginArgs& args) {
  if (std::holds_alternative<std::monostate>(args.value)) return json.null();
  if (const auto* raw = std::get_if<RawArgs>(&args.value)) return json.raw(compact_json(raw->json));
  json.object([&] {
    json.field("apiVersion", kConfigGroupVersion);
    std::visit(ArgsWriter{json}, args.value);
  });
}

std::string args_to_json(const PluginArgs& args) {
  JsonText json;
  write_args(json, args);
  return json.take();
}

std::string args_as_go_prints(const PluginArgs& args) {
  if (args.value.index() <= 1) return args_to_json(args);
  JsonText json;
  json.object([&] { std::visit(GoWriter{json}, args.value); });
  return json.take();
}

}  // namespace libsched
