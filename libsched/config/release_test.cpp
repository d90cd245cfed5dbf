// Tests the list of releases, each behaviour, and every gate, default plugin, argument and
// extension point of each release as recorded in tests/tables/releases.json.
#include "libsched/config/release.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "libsched/config/config_json.hpp"
#include "libsched/config/defaults.hpp"
#include "libsched/config/expand.hpp"
#include "libsched/config/feature_gate_table.hpp"

namespace libsched::release_test {

using Json = nlohmann::json;

std::string refusal(Str text) {
  const Result<Release> release = parse_release(text);
  REQUIRE_FALSE(release.ok());
  CHECK_EQ(release.error().rc, Rc::kUnsupported);
  return release.error().message;
}

TEST_CASE("releases are ordered, and named by their minor") {
  CHECK_LT(Release::k1_31, Release::k1_36);
  CHECK_EQ(*parse_release(""), Release::k1_37);
  CHECK_EQ(*parse_release("1.36"), Release::k1_36);
  CHECK_EQ(*parse_release("1.31"), Release::k1_31);
  CHECK_EQ(*parse_release("v1.33.2+rke2r1"), Release::k1_33);
  for (size_t r = 0; r < kReleaseCount; ++r)
    CHECK_EQ(*parse_release(release_name(static_cast<Release>(r))), static_cast<Release>(r));
}

TEST_CASE("a version names its release") {
  for (const char* version :
       {"1.36", "v1.36", "1.36.3", "v1.36.3", "1.36.12", "v1.36.6-eks-1", "v1.36.2+rke2r1",
        "v1.36.0-gke.100", "v1.36.2-rke2r1", "1.36.0-rc.1", "v1.36.4-eks-99d6cc0+build_2"})
    CHECK_MESSAGE(*parse_release(version) == Release::k1_36, version);
  CHECK_EQ(*parse_release("v1.31.14-gke.1"), Release::k1_31);
  for (const char* unknown :
       {"1.30",    "1.38",      "v1.38.0",    "1",         "v",        " ",
        " 1.36",   "1.36 ",     "V1.36",      "vv1.36",    "1.360",    "1.3",
        "1.36.",   "1.36.x",    "1.36-eks",   "1.36+",     "1.36.3.4", "1.36.3-",
        "1.36.3+", "1.36.3 -a", "1.36.3-a b", "1.36.3-\"", "2.36",     "kubernetes-1.36"})
    CHECK_EQ(refusal(unknown),
             "unknown semantics \"" + std::string(unknown) +
                 "\": choose \"1.37\", \"1.36\", \"1.35\", \"1.34\", \"1.33\", \"1.32\" or "
                 "\"1.31\"");
}

TEST_CASE("a version names its minor release, known or not") {
  CHECK_EQ(minor_of(Release::k1_36), 36);
  CHECK_EQ(minor_of_version("v1.36.6-eks-1"), 36);
  CHECK_EQ(minor_of_version("1.9"), 9);
  CHECK_EQ(minor_of_version("v1.140.0"), 140);
  for (const char* none :
       {"", "v", "1", "1.", "v2.36.0", "1.036", "1.0036", "1.1000", "1.36.", "x"})
    CHECK_MESSAGE(minor_of_version(none) == std::nullopt, none);
}

TEST_CASE("each behaviour by release") {
  // The releases of each, as the last digits of their names.
  const auto where = [](bool Behaviours::* field) {
    std::string out;
    for (size_t r = 0; r < kReleaseCount; ++r) {
      const auto release = static_cast<Release>(r);
      if (behaviours_of(release).*field) out += release_name(release).back();
    }
    return out;
  };
  CHECK_EQ(where(&Behaviours::absolute_balance), "12345");
  CHECK_EQ(where(&Behaviours::balance_scores_zero_pods), "12");
  CHECK_EQ(where(&Behaviours::fit_never_unresolvable), "123");
  CHECK_EQ(where(&Behaviours::replaces_namespace_selector), "1237");
  CHECK_EQ(where(&Behaviours::ignores_image_volumes), "12345");
  CHECK_EQ(where(&Behaviours::counts_image_volumes), "7");
  CHECK_EQ(where(&Behaviours::limits_by_pods), "1");
  CHECK_EQ(where(&Behaviours::portworx_by_annotation), "12345");
  CHECK_EQ(where(&Behaviours::driver_must_be_there), "5");
  CHECK_EQ(where(&Behaviours::no_absent_status), "1");
  CHECK_EQ(where(&Behaviours::ports_of_containers_only), "12");
  CHECK_EQ(where(&Behaviours::sidecars_not_in_nonzero), "1");
  CHECK_EQ(where(&Behaviours::named_taint), "123");
  CHECK_EQ(where(&Behaviours::go_lists), "123");
  CHECK_EQ(where(&Behaviours::older_syntax_texts), "1234");
  CHECK_EQ(where(&Behaviours::volume_conflict_text), "12");
  CHECK_EQ(where(&Behaviours::older_volume_texts), "123");
  CHECK_EQ(where(&Behaviours::uniform_ties), "1234");
  for (bool Behaviours::* next : {&Behaviours::told_preemption,
                                  &Behaviours::silent_post_filter,
                                  &Behaviours::resizes_by_pod,
                                  &Behaviours::first_violated_budget,
                                  &Behaviours::target_pod_events,
                                  &Behaviours::added_nodes_count,
                                  &Behaviours::any_anti_affinity_term,
                                  &Behaviours::dated_flushes,
                                  &Behaviours::wildcards_reach_gated,
                                  &Behaviours::gates_backing_off,
                                  &Behaviours::adds_other_uid,
                                  &Behaviours::claims_by_changes,
                                  &Behaviours::nominates_added,
                                  &Behaviours::drops_cleared_nominations,
                                  &Behaviours::forgets_rejections,
                                  &Behaviours::retries_after_memory,
                                  &Behaviours::tells_failed_preemptions,
                                  &Behaviours::allocatable_overheads,
                                  &Behaviours::optional_node_operations,
                                  &Behaviours::pending_claims_have_nodes,
                                  &Behaviours::groups_of_snapshot,
                                  &Behaviours::declares_mount_options,
                                  &Behaviours::newer_selectors,
                                  &Behaviours::rules_need_selector,
                                  &Behaviours::distinct_in_request,
                                  &Behaviours::counters_by_driver,
                                  &Behaviours::shares_keep_counters,
                                  &Behaviours::all_needs_capacity,
                                  &Behaviours::exact_capacity,
                                  &Behaviours::limit_by_request,
                                  &Behaviours::device_in_selector_error,
                                  &Behaviours::configures_once,
                                  &Behaviours::hides_compatibility_groups,
                                  &Behaviours::groups_are_entities})
    CHECK_EQ(where(next), "7");
  CHECK_EQ(where(&Behaviours::selectors_without_includes), "12345");
  CHECK_EQ(where(&Behaviours::counters_have_nodes), "47");
  CHECK_EQ(where(&Behaviours::incomplete_pools), "4");
  CHECK_EQ(where(&Behaviours::device_status_allocator), "4");
  CHECK_EQ(where(&Behaviours::no_result_tolerations), "4");
  CHECK_EQ(where(&Behaviours::timeout_rejects_node), "45");
  CHECK_EQ(where(&Behaviours::confuses_alternatives), "45");
  CHECK_EQ(where(&Behaviours::score_needs_all_claims), "5");

  CHECK_EQ(where(&Behaviours::spread_by_key), "12");
  CHECK_EQ(where(&Behaviours::older_declared_features), "5");

  // Every field has a row, no field is true in 1.36, and ranges of a field do not overlap.
  std::set<Str> names;
  std::set<std::pair<Str, Release>> taken;
  for (const BehaviourRow& row : behaviour_rows()) {
    names.insert(row.name);
    CHECK_FALSE(row.releases.has(Release::k1_36));
    for (size_t r = 0; r < kReleaseCount; ++r)
      if (row.releases.has(static_cast<Release>(r)))
        CHECK_MESSAGE(taken.emplace(row.name, static_cast<Release>(r)).second, row.name);
  }
  CHECK_EQ(names.size(), sizeof(Behaviours) / sizeof(bool));
}

Json recorded(Release release) {
  std::ifstream file(LIBSCHED_SOURCE_DIR "/tests/tables/releases.json");
  REQUIRE(file.good());
  Json table = Json::parse(file).at(static_cast<size_t>(release));
  CHECK_EQ(table["release"], release_name(release));
  return table;
}

std::string words(const GateInfo& g) {
  static constexpr const char* kStages[] = {"alpha", "beta", "ga", "deprecated"};
  return std::string(kStages[static_cast<size_t>(g.stage)]) + (g.default_on ? " on" : " off") +
         (g.locked ? " locked" : "");
}

// The names of the points that `has` accepts, in their order.
template <typename Has>
Json point_names(Has&& has) {
  Json out = Json::array();
  for (int i = 0; i < kExtensionPointCount; ++i) {
    const auto point = static_cast<ExtensionPoint>(i);
    if (has(point)) out.push_back(point_field(point));
  }
  return out;
}

void check_gates(Release release, const Json& want) {
  const FeatureGates defaults(release);
  CHECK_EQ(defaults.release(), release);
  Json gates = Json::object();
  for (const GateInfo& g : known_gates(release)) {
    CHECK_EQ(defaults.enabled(g.name).ok(), g.known);
    if (!g.known) continue;
    gates[std::string(g.name)] = words(g);
    CHECK_EQ(*defaults.enabled(g.name), g.default_on);
  }
  CHECK_EQ(Json::diff(want["gates"], gates), Json::array());
  CHECK(defaults.require_supported().ok());

  Json needs = Json::object();
  for (const GateDependency& d : gate_dependencies())
    if (has_letter(d.letters, release)) needs[std::string(d.gate)].push_back(d.needs);
  CHECK_EQ(Json::diff(want["needs"], needs), Json::array());
}

TEST_CASE("gates, default plugins and extension points of each release are as recorded") {
  for (size_t r = 0; r < kReleaseCount; ++r) {
    const auto release = static_cast<Release>(r);
    CAPTURE(release_name(release));
    const Json want = recorded(release);
    check_gates(release, want);

    Json plugins = Json::array();
    for (const V1Plugin& p : default_plugins(FeatureGates(release)).multi_point.enabled)
      plugins.push_back(p.name + (p.weight ? " " + std::to_string(*p.weight) : ""));
    CHECK_EQ(Json::diff(want["defaultPlugins"], plugins), Json::array());

    ConfigOptions options;
    options.gates = FeatureGates(release);
    const Json config = Json::parse(config_to_json(*default_config(options)));
    Json args = Json::object();
    for (const Json& c : config["profiles"][0]["pluginConfig"])
      args[c["name"].get<std::string>()] = c["args"];
    CHECK_EQ(Json::diff(want["defaultArgs"], args), Json::array());

    CHECK_EQ(want["extensionPoints"],
             point_names([&](ExtensionPoint p) { return point_releases(p).has(release); }));
    Json points = Json::object();
    for (const InTreePlugin& p : in_tree_plugins()) {
      const std::optional<PointMask> mask = in_tree_points(p.name, release);
      if (!mask) continue;
      std::string list;
      for (const Json& name :
           point_names([&](ExtensionPoint point) { return (*mask & point_bit(point)) != 0; }))
        list += (list.empty() ? "" : " ") + name.get<std::string>();
      points[std::string(p.name)] = list;
    }
    CHECK_EQ(Json::diff(want["points"], points), Json::array());
  }
}

TEST_CASE("a gate has the letter of the release, and is off where it has none") {
  const GateHistory histories[] = {{"Gone", "aBGLL--"}, {"Grows", "-aBGLLL"}, {"Old", "bBxD---"}};
  const GateSupports supports[] = {{"Grows", "-uyyyyy"}, {"Old", "yyyu---"}};
  const auto of = [&](Release release) {
    static constexpr const char* kSupports[] = {"", " no effect", " default only"};
    std::string out;
    for (const GateInfo& g : gates_in(histories, supports, 1, release))
      out += std::string(g.name) + " " +
             (g.known        ? words(g) + kSupports[static_cast<size_t>(g.support)]
              : g.default_on ? "always"
                             : "-") +
             ", ";
    return out;
  };
  CHECK_EQ(of(Release::k1_31), "Grows -, Gone alpha off no effect, Old beta off, ");
  CHECK_EQ(of(Release::k1_32),
           "Grows alpha off default only, Gone beta on no effect, Old beta on, ");
  CHECK_EQ(of(Release::k1_33), "Grows beta on, Gone ga on no effect, Old deprecated off locked, ");
  CHECK_EQ(of(Release::k1_34),
           "Grows ga on, Gone ga on locked no effect, Old deprecated on default only, ");
  CHECK_EQ(of(Release::k1_37), "Grows ga on locked, Gone always, Old -, ");
}

TEST_CASE("what is said of a gate fits its history") {
  std::map<Str, Str> histories;
  for (const GateHistory& h : gate_histories()) {
    CHECK_MESSAGE(h.letters.size() == kReleaseCount, h.name);
    CHECK_MESSAGE(h.letters.find_first_not_of("-aAbBgGlLdDxX") == Str::npos, h.name);
    CHECK_MESSAGE(histories.emplace(h.name, h.letters).second, h.name);
  }
  CHECK_LE(histories.size(), kMostGates);
  std::set<Str> said;
  for (const GateSupports& s : gate_supports()) {
    CAPTURE(s.name);
    CHECK(said.insert(s.name).second);
    REQUIRE(histories.contains(s.name));
    REQUIRE_EQ(s.letters.size(), kReleaseCount);
    CHECK_EQ(s.letters.find_first_not_of("-ynu"), Str::npos);
    for (size_t r = 0; r < kReleaseCount; ++r)
      CHECK_EQ(s.letters[r] == '-', histories[s.name][r] == '-');
  }
  for (const GateDependency& d : gate_dependencies())
    for (size_t r = 0; r < kReleaseCount; ++r)
      if (has_letter(d.letters, static_cast<Release>(r)))
        CHECK_MESSAGE((histories[d.gate][r] != '-' && histories[d.needs][r] != '-'), d.gate);
}

TEST_CASE("a gate is refused, locked or taken as the release does") {
  const auto error = [](Str text, Release release) {
    const auto gates = FeatureGates::parse(text, release);
    return gates.ok() ? "" : gates.error().message;
  };
  const std::string unknown = "unrecognized feature gate: ";
  CHECK_EQ(error("OpportunisticBatching=false", Release::k1_34), unknown + "OpportunisticBatching");
  CHECK_EQ(error("OpportunisticBatching=false", Release::k1_35), "");
  CHECK_EQ(error("SidecarContainers=false", Release::k1_32), "");
  CHECK_EQ(error("SidecarContainers=false", Release::k1_33),
           "cannot set feature gate SidecarContainers to false, feature is locked to true");
  CHECK_EQ(error("SidecarContainers=true", Release::k1_37), unknown + "SidecarContainers");
  CHECK(FeatureGates(Release::k1_37).enabled(Gate::kSidecarContainers));
  CHECK_EQ(error("ContextualLogging=false", Release::k1_36), "");
  // Dependencies are checked from 1.35 on.
  CHECK_EQ(error("DRAPrioritizedList=true", Release::k1_33), "");
  CHECK_EQ(error("GangScheduling=true", Release::k1_35),
           "GangScheduling is enabled, but depends on features that are disabled: "
           "[GenericWorkload]");
  CHECK_EQ(error("GangScheduling=true", Release::k1_37), unknown + "GangScheduling");

  const auto unsupported = [](Str text, Release release) {
    const Result<void> r = FeatureGates::parse(text, release)->require_supported();
    return r.ok() ? "" : r.error().message;
  };
  CHECK_EQ(unsupported("SidecarContainers=false", Release::k1_32),
           "feature gates set to values that libsched does not implement yet: "
           "SidecarContainers=false (leave them at their defaults)");
  CHECK_NE(unsupported("CSIMigrationPortworx=false", Release::k1_31), "");
  CHECK_NE(unsupported("DRAConsumableCapacity=true", Release::k1_35), "");
  CHECK_EQ(unsupported("DRAConsumableCapacity=false", Release::k1_36), "");
  CHECK_EQ(unsupported("DRANodeAllocatableResources=true", Release::k1_36), "");
  CHECK_EQ(unsupported("DRANodeAllocatableResources=true", Release::k1_37), "");
  for (const Release release : {Release::k1_36, Release::k1_37})
    CHECK_EQ(unsupported("GenericWorkload=true,DRAWorkloadResourceClaims=true", release), "");
  CHECK_EQ(unsupported("GenericWorkload=true,PodGroupPreemptionPolicy=true", Release::k1_37), "");
  CHECK_EQ(unsupported("GenericWorkload=true,GangScheduling=true,WorkloadAwarePreemption=true",
                       Release::k1_36),
           "");
  // Plugins are asked about events without being narrowed down first; the answers are the same.
  CHECK_EQ(unsupported("SchedulerPreQueueingHints=true", Release::k1_37), "");
}

TEST_CASE("errors about weights of scores have a prefix from 1.36 on") {
  for (size_t r = 0; r < kReleaseCount; ++r) {
    const auto release = static_cast<Release>(r);
    ConfigOptions options;
    options.gates = FeatureGates(release);
    const auto config = parse_config(R"({"apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration", "profiles": [{"plugins": {"score": {"enabled": [
        {"name": "NodeResourcesFit", "weight": -1}]}}}]})",
                                     options);
    REQUIRE(config.ok());
    const auto checked = check_config_json(**config, in_tree_catalog(release));
    REQUIRE_FALSE(checked.ok());
    const bool old = release_name(release) < "1.36";
    CHECK_EQ(checked.error().message, std::string(old ? "" : "score plugins: ") +
                                          "total score of Score plugins could overflow");
  }
}

TEST_CASE("what is disabled in vain is told by the points of the release") {
  const auto warnings = [](Release release) {
    ConfigOptions options;
    options.gates = FeatureGates(release);
    const auto config = parse_config(R"({"apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration", "profiles": [{"plugins": {
        "preFilter": {"disabled": [{"name": "NodeName"}]},
        "filter": {"disabled": [{"name": "NodeDeclaredFeatures"}]}}}]})",
                                     options);
    REQUIRE(config.ok());
    return (*config)->warnings;
  };
  CHECK_EQ(warnings(Release::k1_34).size(), 2);
  REQUIRE_EQ(warnings(Release::k1_36).size(), 1);
  CHECK_EQ(warnings(Release::k1_36)[0],
           "profiles[0].plugins.preFilter.disabled[0]: the plugin \"NodeName\" does not have this "
           "extension point");
  CHECK(warnings(Release::k1_37).empty());
}

TEST_CASE("a configuration of one release is not read anew for another") {
  constexpr Str kText = R"({"apiVersion": "kubescheduler.config.k8s.io/v1",
      "kind": "KubeSchedulerConfiguration", "profiles": [{"plugins": {"podGroupPostFilter": {
      "disabled": [{"name": "DefaultPreemption"}]}}}]})";
  const FeatureGates newest(Release::k1_37), older(Release::k1_36);
  ConfigOptions options;
  options.gates = older;
  CHECK_EQ(parse_config(kText, options).error().message,
           "strict decoding error: unknown field \"profiles[0].plugins.podGroupPostFilter\"");
  options.gates = newest;
  const auto any = parse_config(kText, options);
  REQUIRE(any.ok());
  CHECK_FALSE(with_gates(*any, older).ok());  // the field is unknown there

  options.usable = {Release::k1_37, Release::k1_37};
  for (const auto& own : {parse_config(kText, options), parse_profile("schedulerName: a", options),
                          Result<ConfigRef>(default_config(options))}) {
    REQUIRE(own.ok());
    CHECK(with_gates(*own, newest).ok());
    const auto gates = FeatureGates::parse("GenericWorkload=false", Release::k1_37);
    CHECK(with_gates(*with_gates(*own, *gates), newest).ok());
    CHECK_EQ(with_gates(*own, older).error().message,
             "the configuration was read with the semantics of 1.37, which cannot be used with "
             "those of 1.36");
  }
  CHECK(with_gates(default_config(), newest).ok());
  CHECK(with_gates(default_config(), older).ok());
}

TEST_CASE("gates of two releases are not the same gates") {
  CHECK(FeatureGates(Release::k1_31) == *FeatureGates::parse("", Release::k1_31));
  CHECK_FALSE(FeatureGates(Release::k1_31) == FeatureGates());
}

}  // namespace libsched::release_test
