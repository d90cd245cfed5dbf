// The fields of the arguments of in-tree plugins, and of the core/v1 types in them.
#include "libsched/config/decode.hpp"

namespace libsched {
namespace {

using D = StrictDecoder;
using J = JsonValue;

constexpr JsonField<ResourceSpec> kResourceSpec[] = {
    {"name", [](D& d, const J& v, ResourceSpec& o) { d.string(v, o.name); }},
    {"weight", [](D& d, const J& v, ResourceSpec& o) { d.int64(v, o.weight); }},
};
void resources(D& d, const J& v, std::vector<ResourceSpec>& o) {
  d.list(v, "[]v1.ResourceSpec", o, [](D& e, const J& w, ResourceSpec& r) {
    e.object<ResourceSpec>(w, "v1.ResourceSpec", kResourceSpec, r);
  });
}

constexpr JsonField<UtilizationShapePoint> kShapePoint[] = {
    {"utilization", [](D& d, const J& v, UtilizationShapePoint& o) { d.int32(v, o.utilization); }},
    {"score", [](D& d, const J& v, UtilizationShapePoint& o) { d.int32(v, o.score); }},
};
void shape(D& d, const J& v, std::vector<UtilizationShapePoint>& o, bool* present = nullptr) {
  const auto element = [](D& e, const J& w, UtilizationShapePoint& p) {
    e.object<UtilizationShapePoint>(w, "v1.UtilizationShapePoint", kShapePoint, p);
  };
  d.list(v, "[]v1.UtilizationShapePoint", o, element, present);
}

constexpr JsonField<V1ScoringStrategy::Ratio> kRatio[] = {
    {"shape", [](D& d, const J& v, V1ScoringStrategy::Ratio& o) { shape(d, v, o.shape); }},
};
constexpr JsonField<V1ScoringStrategy> kStrategy[] = {
    {"type",
     [](D& d, const J& v, V1ScoringStrategy& o) { d.string(v, o.type, "v1.ScoringStrategyType"); }},
    {"resources", [](D& d, const J& v, V1ScoringStrategy& o) { resources(d, v, o.resources); }},
    {"requestedToCapacityRatio",
     [](D& d, const J& v, V1ScoringStrategy& o) {
       d.object<V1ScoringStrategy::Ratio>(v, "v1.RequestedToCapacityRatioParam", kRatio, o.ratio);
     }},
};

// Node selectors and label selectors: their requirements differ in the type of the operator only.
constexpr JsonField<V1Requirement> kNodeRequirement[] = {
    {"key", [](D& d, const J& v, V1Requirement& o) { d.string(v, o.key); }},
    {"operator",
     [](D& d, const J& v, V1Requirement& o) { d.string(v, o.op, "v1.NodeSelectorOperator"); }},
    {"values",
     [](D& d, const J& v, V1Requirement& o) {
       d.list(
           v, "[]string", o.values, [](D& e, const J& w, std::string& s) { e.string(w, s); },
           &o.values_present);
     }},
};
constexpr JsonField<V1Requirement> kLabelRequirement[] = {
    kNodeRequirement[0],
    {"operator",
     [](D& d, const J& v, V1Requirement& o) { d.string(v, o.op, "v1.LabelSelectorOperator"); }},
    kNodeRequirement[2],
};
void node_requirements(D& d, const J& v, std::vector<V1Requirement>& o) {
  d.list(v, "[]v1.NodeSelectorRequirement", o, [](D& e, const J& w, V1Requirement& r) {
    e.object<V1Requirement>(w, "v1.NodeSelectorRequirement", kNodeRequirement, r);
  });
}
void label_requirements(D& d, const J& v, std::vector<V1Requirement>& o) {
  d.list(v, "[]v1.LabelSelectorRequirement", o, [](D& e, const J& w, V1Requirement& r) {
    e.object<V1Requirement>(w, "v1.LabelSelectorRequirement", kLabelRequirement, r);
  });
}

constexpr JsonField<V1NodeSelectorTerm> kTerm[] = {
    {"matchExpressions",
     [](D& d, const J& v, V1NodeSelectorTerm& o) { node_requirements(d, v, o.match_expressions); }},
    {"matchFields",
     [](D& d, const J& v, V1NodeSelectorTerm& o) { node_requirements(d, v, o.match_fields); }},
};
void term(D& d, const J& v, V1NodeSelectorTerm& o) {
  d.object<V1NodeSelectorTerm>(v, "v1.NodeSelectorTerm", kTerm, o);
}
constexpr JsonField<V1NodeSelector> kNodeSelector[] = {
    {"nodeSelectorTerms",
     [](D& d, const J& v, V1NodeSelector& o) {
       d.list(v, "[]v1.NodeSelectorTerm", o.terms, term, &o.terms_present);
     }},
};
constexpr JsonField<V1PreferredSchedulingTerm> kPreferred[] = {
    {"weight", [](D& d, const J& v, V1PreferredSchedulingTerm& o) { d.int32(v, o.weight); }},
    {"preference",
     [](D& d, const J& v, V1PreferredSchedulingTerm& o) { term(d, v, o.preference); }},
};
constexpr JsonField<V1NodeAffinity> kNodeAffinity[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution",
     [](D& d, const J& v, V1NodeAffinity& o) {
       d.object<V1NodeSelector>(v, "v1.NodeSelector", kNodeSelector, o.required);
     }},
    {"preferredDuringSchedulingIgnoredDuringExecution",
     [](D& d, const J& v, V1NodeAffinity& o) {
       const auto element = [](D& e, const J& w, V1PreferredSchedulingTerm& p) {
         e.object<V1PreferredSchedulingTerm>(w, "v1.PreferredSchedulingTerm", kPreferred, p);
       };
       d.list(v, "[]v1.PreferredSchedulingTerm", o.preferred, element, &o.preferred_present);
     }},
};

constexpr JsonField<V1LabelSelector> kLabelSelector[] = {
    {"matchLabels", [](D& d, const J& v, V1LabelSelector& o) { d.string_map(v, o.match_labels); }},
    {"matchExpressions",
     [](D& d, const J& v, V1LabelSelector& o) { label_requirements(d, v, o.match_expressions); }},
};
constexpr JsonField<V1SpreadConstraint> kConstraint[] = {
    {"maxSkew", [](D& d, const J& v, V1SpreadConstraint& o) { d.int32(v, o.max_skew); }},
    {"topologyKey", [](D& d, const J& v, V1SpreadConstraint& o) { d.string(v, o.topology_key); }},
    {"whenUnsatisfiable",
     [](D& d, const J& v, V1SpreadConstraint& o) {
       d.string(v, o.when_unsatisfiable, "v1.UnsatisfiableConstraintAction");
     }},
    {"labelSelector",
     [](D& d, const J& v, V1SpreadConstraint& o) {
       d.object<V1LabelSelector>(v, "v1.LabelSelector", kLabelSelector, o.selector);
     }},
    {"minDomains", [](D& d, const J& v, V1SpreadConstraint& o) { d.int32(v, o.min_domains); }},
    {"nodeAffinityPolicy",
     [](D& d, const J& v, V1SpreadConstraint& o) {
       d.string(v, o.node_affinity_policy, "v1.NodeInclusionPolicy");
     }},
    {"nodeTaintsPolicy",
     [](D& d, const J& v, V1SpreadConstraint& o) {
       d.string(v, o.node_taints_policy, "v1.NodeInclusionPolicy");
     }},
    {"matchLabelKeys",
     [](D& d, const J& v, V1SpreadConstraint& o) { d.strings(v, o.match_label_keys); }},
};

constexpr JsonField<V1DefaultPreemptionArgs> kDefaultPreemption[] = {
    kKindField<V1DefaultPreemptionArgs>,
    kApiVersionField<V1DefaultPreemptionArgs>,
    {"minCandidateNodesPercentage",
     [](D& d, const J& v, V1DefaultPreemptionArgs& o) { d.int32(v, o.percentage); }},
    {"minCandidateNodesAbsolute",
     [](D& d, const J& v, V1DefaultPreemptionArgs& o) { d.int32(v, o.absolute); }},
};
constexpr ReleaseRange kDynamicResourcesReleases = {Release::k1_34, kNewestRelease};
constexpr JsonField<V1DynamicResourcesArgs> kDynamicResources[] = {
    kKindField<V1DynamicResourcesArgs>,
    kApiVersionField<V1DynamicResourcesArgs>,
    {"filterTimeout",
     [](D& d, const J& v, V1DynamicResourcesArgs& o) { d.duration(v, o.filter_timeout_ns); }},
    {"bindingTimeout",
     [](D& d, const J& v, V1DynamicResourcesArgs& o) { d.duration(v, o.binding_timeout_ns); },
     {},
     {Release::k1_35, kNewestRelease}},
};
constexpr JsonField<V1InterPodAffinityArgs> kInterPodAffinity[] = {
    kKindField<V1InterPodAffinityArgs>,
    kApiVersionField<V1InterPodAffinityArgs>,
    {"hardPodAffinityWeight",
     [](D& d, const J& v, V1InterPodAffinityArgs& o) { d.int32(v, o.hard_weight); }},
    {"ignorePreferredTermsOfExistingPods",
     [](D& d, const J& v, V1InterPodAffinityArgs& o) { d.boolean(v, o.ignore_preferred); }},
};
constexpr JsonField<V1NodeAffinityArgs> kNodeAffinityArgs[] = {
    kKindField<V1NodeAffinityArgs>,
    kApiVersionField<V1NodeAffinityArgs>,
    {"addedAffinity",
     [](D& d, const J& v, V1NodeAffinityArgs& o) {
       d.object<V1NodeAffinity>(v, "v1.NodeAffinity", kNodeAffinity, o.added);
     }},
};
constexpr JsonField<V1BalancedAllocationArgs> kBalanced[] = {
    kKindField<V1BalancedAllocationArgs>,
    kApiVersionField<V1BalancedAllocationArgs>,
    {"resources",
     [](D& d, const J& v, V1BalancedAllocationArgs& o) { resources(d, v, o.resources); }},
};
constexpr JsonField<V1FitArgs> kFit[] = {
    kKindField<V1FitArgs>,
    kApiVersionField<V1FitArgs>,
    {"ignoredResources",
     [](D& d, const J& v, V1FitArgs& o) {
       d.strings(v, o.ignored_resources, &o.ignored_resources_present);
     }},
    {"ignoredResourceGroups",
     [](D& d, const J& v, V1FitArgs& o) {
       d.strings(v, o.ignored_groups, &o.ignored_groups_present);
     }},
    {"scoringStrategy",
     [](D& d, const J& v, V1FitArgs& o) {
       d.object<V1ScoringStrategy>(v, "v1.ScoringStrategy", kStrategy, o.strategy);
     }},
};
constexpr JsonField<V1SpreadArgs> kSpread[] = {
    kKindField<V1SpreadArgs>,
    kApiVersionField<V1SpreadArgs>,
    {"defaultConstraints",
     [](D& d, const J& v, V1SpreadArgs& o) {
       d.list(
           v, "[]v1.TopologySpreadConstraint", o.constraints,
           [](D& e, const J& w, V1SpreadConstraint& c) {
             e.object<V1SpreadConstraint>(w, "v1.TopologySpreadConstraint", kConstraint, c);
           },
           &o.constraints_present);
     }},
    {"defaultingType",
     [](D& d, const J& v, V1SpreadArgs& o) {
       d.string(v, o.defaulting_type, "v1.PodTopologySpreadConstraintsDefaulting");
     }},
};
constexpr JsonField<V1VolumeBindingArgs> kVolumeBinding[] = {
    kKindField<V1VolumeBindingArgs>,
    kApiVersionField<V1VolumeBindingArgs>,
    {"bindTimeoutSeconds",
     [](D& d, const J& v, V1VolumeBindingArgs& o) { d.int64(v, o.timeout_seconds); }},
    {"shape",
     [](D& d, const J& v, V1VolumeBindingArgs& o) { shape(d, v, o.shape, &o.shape_present); }},
};

struct Visitor {
  D& d;
  const J& v;
  void operator()(std::monostate) const {}
  void operator()(V1DefaultPreemptionArgs& o) const {
    d.object<V1DefaultPreemptionArgs>(v, "v1.DefaultPreemptionArgs", kDefaultPreemption, o);
  }
  void operator()(V1DynamicResourcesArgs& o) const {
    d.object<V1DynamicResourcesArgs>(v, "v1.DynamicResourcesArgs", kDynamicResources, o);
  }
  void operator()(V1InterPodAffinityArgs& o) const {
    d.object<V1InterPodAffinityArgs>(v, "v1.InterPodAffinityArgs", kInterPodAffinity, o);
  }
  void operator()(V1NodeAffinityArgs& o) const {
    d.object<V1NodeAffinityArgs>(v, "v1.NodeAffinityArgs", kNodeAffinityArgs, o);
  }
  void operator()(V1BalancedAllocationArgs& o) const {
    d.object<V1BalancedAllocationArgs>(v, "v1.NodeResourcesBalancedAllocationArgs", kBalanced, o);
  }
  void operator()(V1FitArgs& o) const {
    d.object<V1FitArgs>(v, "v1.NodeResourcesFitArgs", kFit, o);
  }
  void operator()(V1SpreadArgs& o) const {
    d.object<V1SpreadArgs>(v, "v1.PodTopologySpreadArgs", kSpread, o);
  }
  void operator()(V1VolumeBindingArgs& o) const {
    d.object<V1VolumeBindingArgs>(v, "v1.VolumeBindingArgs", kVolumeBinding, o);
  }
};

}  // namespace

V1Args make_v1_args(Str kind, Release release) {
  if (kind == "DefaultPreemptionArgs") return V1DefaultPreemptionArgs{};
  if (kind == "DynamicResourcesArgs" && kDynamicResourcesReleases.has(release))
    return V1DynamicResourcesArgs{};
  if (kind == "InterPodAffinityArgs") return V1InterPodAffinityArgs{};
  if (kind == "NodeAffinityArgs") return V1NodeAffinityArgs{};
  if (kind == "NodeResourcesBalancedAllocationArgs") return V1BalancedAllocationArgs{};
  if (kind == "NodeResourcesFitArgs") return V1FitArgs{};
  if (kind == "PodTopologySpreadArgs") return V1SpreadArgs{};
  if (kind == "VolumeBindingArgs") return V1VolumeBindingArgs{};
  return std::monostate{};
}

void decode_v1_args(StrictDecoder& d, const JsonValue& v, V1Args& args) {
  std::visit(Visitor{d, v}, args);
}

}  // namespace libsched
