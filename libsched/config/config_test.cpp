// Tests beyond the recorded table: places of errors, limits, warnings, gates, typed
// arguments.
#include "libsched/config/config.hpp"

#include <doctest/doctest.h>

#include "libsched/config/config_json.hpp"

namespace libsched::config_test {

const std::string kHeader =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

ConfigRef parse(const std::string& body, const ConfigOptions& options = {}) {
  auto config = parse_config(kHeader + body, options);
  REQUIRE_MESSAGE(config.ok(), config.error().message);
  return *config;
}

Error error_of(const std::string& body) {
  auto config = parse_config(kHeader + body);
  REQUIRE_FALSE(config.ok());
  return config.error();
}

template <typename T>
T args_of(const ConfigRef& config, Str plugin) {
  const PluginArgs* args = config->profiles[0].args_of(plugin);
  REQUIRE(args != nullptr);
  REQUIRE(std::holds_alternative<T>(args->value));
  return std::get<T>(args->value);
}

TEST_CASE("no file and an empty one give the same") {
  CHECK((config_to_json(*default_config()) == config_to_json(*parse(""))));
  CHECK(default_config()->profile("default-scheduler") != nullptr);
  CHECK(default_config()->profile("other") == nullptr);
}

TEST_CASE("a float32 is written as Go writes it") {
  const auto written = [](Str qps) {
    const std::string text =
        config_to_json(*parse("clientConnection: {qps: " + std::string(qps) + "}\n"));
    const size_t at = text.find("\"qps\":") + 6;
    return text.substr(at, text.find_first_of(",}", at) - at);
  };
  CHECK(written("0.1") == "0.1");
  CHECK(written("-2147483648") == "-2147483600");
  CHECK(written("16777217") == "16777216");
  CHECK(written("0.0000001") == "1e-7");
}

TEST_CASE("errors name their place") {
  CHECK_EQ(error_of("profiles: [{plugins: {filter: {enabled: [{name: 5}]}}}]").path,
           "profiles[0].plugins.filter.enabled[0].name");
  CHECK_EQ(error_of("profiles: [{plugins: {filtre: {}}}]").path, "profiles[0].plugins.filtre");
  CHECK_EQ(error_of("profiles: [{}, {schedulerName: b}]").path, "profiles[0].schedulerName");
  CHECK_EQ(
      error_of(
          "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {x: 1}}}]}]")
          .path,
      "profiles[0].pluginConfig[0].args.scoringStrategy.x");
  CHECK_EQ(error_of("extenders: [{httpTimeout: soon}]").path, "extenders[0].httpTimeout");
  const auto old = parse_config(
      "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n");
  REQUIRE_FALSE(old.ok());
  CHECK_EQ(old.error().path, "apiVersion");
  CHECK(old.error().message.ends_with("check the fields)"));
}

TEST_CASE(
    "several QueueSort plugins are listed only where it is allowed, and by all profiles alike") {
  const auto profile = [](const std::string& name, const std::string& sorts,
                          const std::string& more = "") {
    return "{schedulerName: " + name +
           ", plugins: {queueSort: {disabled: [{name: \"*\"}], enabled: [" + sorts + "]}}" + more +
           "}";
  };
  const std::string both = "{name: Mine}, {name: PrioritySort}";
  ConfigOptions several;
  several.several_queue_sorts = true;
  const std::string alike = "profiles: [" + profile("a", both) + ", " + profile("b", both) + "]\n";
  CHECK_EQ(
      error_of(alike).message,
      "profiles[0].plugins.queueSort.Enabled: Invalid value: 2: only one queue sort plugin can "
      "be enabled");
  const ConfigRef config = parse(alike, several);
  CHECK(config->several_queue_sorts);
  const auto catalog = [](Str name) -> std::optional<PointMask> {
    return name == "Mine" ? std::optional<PointMask>(point_bit(ExtensionPoint::kQueueSort))
                          : in_tree_points(name, kDefaultRelease);
  };
  const std::string checked = *check_config_json(*config, catalog);
  CHECK(checked.find(R"("queueSort":[{"name":"Mine"},{"name":"PrioritySort"}])") !=
        std::string::npos);

  // Upstream's other errors remain, and the arguments of every plugin count.
  const auto refused = [&](const std::string& second) {
    auto parsed = parse_config(kHeader + "podInitialBackoffSeconds: -1\nprofiles: [" +
                                   profile("a", both) + ", " + second + "]\n",
                               several);
    REQUIRE_FALSE(parsed.ok());
    return parsed.error().message;
  };
  const std::string backoff = "podInitialBackoffSeconds: Invalid value: -1: must be greater than 0";
  CHECK_EQ(refused(profile("b", both)), backoff);
  const std::string other = refused(profile("b", "{name: PrioritySort}, {name: Mine}"));
  CHECK(other.find("profiles[1].plugins.queueSort: Invalid value: ") != std::string::npos);
  CHECK(other.find("must be the same for all profiles") < other.find(backoff));
  for (const std::string name : {"Mine", "PrioritySort"})
    CHECK(refused(profile("b", both, ", pluginConfig: [{name: " + name + ", args: {x: 1}}]"))
              .find("profiles[1].pluginConfig.args: Invalid value: ") != std::string::npos);
}

TEST_CASE("limits") {
  ConfigOptions options;
  options.max_bytes = 10;
  auto large = parse_config(kHeader, options);
  REQUIRE_FALSE(large.ok());
  CHECK_EQ(large.error().rc, Rc::kLimit);
  std::string deep = R"({"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "X", "x": )";
  deep += std::string(100000, '[') + std::string(100000, ']') + "}";
  CHECK_EQ(parse_config(deep).error().rc, Rc::kLimit);
  std::string bomb = kHeader + "a0: &a0 [x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string n = std::to_string(i), m = "*a" + std::to_string(i - 1);
    bomb += "a" + n + ": &a" + n + " [" + m + ", " + m + ", " + m + ", " + m + "]\n";
  }
  CHECK_FALSE(parse_config(bomb).ok());
}

TEST_CASE("a plain word in flow style keeps the colon at its end") {
  const ConfigRef config = parse(
      "profiles: [{schedulerName: s, pluginConfig: [{name: p, args: [--bind=::, b:, \"c\"]}]}]\n"
      "extenders: [{urlPrefix: http://e:8080/x:, filterVerb: f}]\n");
  CHECK_EQ(args_of<RawArgs>(config, "p").json, R"(["--bind=::","b:","c"])");
  CHECK_EQ(config->extenders[0].url_prefix, "http://e:8080/x:");
  CHECK_EQ(error_of("a: [x:, y]\na: 1\n").message.find("found unexpected"), std::string::npos);
}

TEST_CASE("further documents give a warning") {
  CHECK(parse("---\n# nothing\n").get()->warnings.empty());
  const ConfigRef config = parse("---\nkind: Other\n");
  REQUIRE_EQ(config->warnings.size(), 1);
  CHECK_EQ(config->warnings[0],
           "only the first YAML document is read; the rest of the text is ignored");
}

TEST_CASE("gates decide on defaults and on what is valid") {
  ConfigOptions options;
  options.gates = *FeatureGates::parse(
      "GenericWorkload=true,GangScheduling=true,StorageCapacityScoring=true", Release::k1_36);
  const ConfigRef config = parse("", options);
  CHECK_EQ(config->profiles[0].plugins.multi_point.enabled.back().name, "GangScheduling");
  const auto shape = args_of<VolumeBindingArgs>(config, "VolumeBinding").shape;
  REQUIRE(shape.has_value());
  CHECK_EQ(shape->size(), 2);
  CHECK(config->gates.enabled(Gate::kGangScheduling));

  options.gates = *FeatureGates::parse("DRASchedulerFilterTimeout=false");
  CHECK_FALSE(args_of<DynamicResourcesArgs>(parse("", options), "DynamicResources")
                  .filter_timeout_ns.has_value());
  auto refused = parse_config(
      kHeader + "profiles: [{pluginConfig: [{name: DynamicResources, args: {filterTimeout: 5s}}]}]",
      options);
  REQUIRE_FALSE(refused.ok());
  CHECK_EQ(refused.error().message,
           "profiles[0].pluginConfig[0].args.filterTimeout: Forbidden: DRASchedulingFilterTimeout "
           "feature gate is disabled");
}

TEST_CASE("typed arguments") {
  const ConfigRef config = parse(R"(
profiles:
- pluginConfig:
  - name: NodeAffinity
    args:
      addedAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms:
          - matchExpressions: [{key: zone, operator: NotIn, values: [a, b]}]
        preferredDuringSchedulingIgnoredDuringExecution:
        - {weight: 7, preference: {matchFields: [{key: metadata.name, operator: In, values: [n1]}]}}
  - name: PodTopologySpread
    args:
      defaultingType: List
      defaultConstraints:
      - {maxSkew: 2, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, minDomains: 3,
         nodeTaintsPolicy: Honor, matchLabelKeys: [app]}
  - name: NodeResourcesFit
    args:
      ignoredResources: [a.b/c]
      scoringStrategy:
        type: RequestedToCapacityRatio
        resources: [{name: cpu}]
        requestedToCapacityRatio: {shape: [{utilization: 0, score: 1}]}
  - name: Custom
    args: {z: 1, a: [x]}
  - name: Bare
)");
  const NodeAffinity affinity = args_of<NodeAffinityArgs>(config, "NodeAffinity").added_affinity;
  CHECK(affinity.present);
  REQUIRE_EQ(affinity.required.terms.size(), 1);
  const Requirement& r = affinity.required.terms[0].match_expressions[0];
  CHECK_EQ(r.key, "zone");
  CHECK_EQ(r.op, SelectorOp::kNotIn);
  CHECK_EQ(r.values.size(), 2);
  CHECK_EQ(r.key_hash, hash_str("zone"));
  CHECK(r.valid);
  REQUIRE_EQ(affinity.preferred.size(), 1);
  CHECK_EQ(affinity.preferred[0].weight, 7);
  CHECK_EQ(affinity.preferred[0].preference.match_fields[0].values[0], "n1");

  const auto spread = args_of<PodTopologySpreadArgs>(config, "PodTopologySpread");
  CHECK_EQ(spread.defaulting_type, "List");
  REQUIRE_EQ(spread.default_constraints.size(), 1);
  CHECK_EQ(spread.default_constraints[0].min_domains, 3);
  CHECK_EQ(spread.default_constraints[0].node_taints_policy, "Honor");
  CHECK_EQ(spread.default_constraints[0].match_label_keys[0], "app");

  const auto fit = args_of<NodeResourcesFitArgs>(config, "NodeResourcesFit");
  CHECK_EQ(fit.scoring_strategy.resources[0].weight, 1);
  CHECK_EQ(fit.scoring_strategy.shape->at(0).score, 1);
  CHECK_EQ(args_of<RawArgs>(config, "Custom").json, R"({"z":1,"a":["x"]})");
  (void)args_of<std::monostate>(config, "Bare");
}

TEST_CASE("a plugin catalogue of one's own") {
  const ConfigRef config = parse(
      "profiles: [{plugins: {filter: {enabled: [{name: Mine}]}, score: {enabled: [{name: Mine, "
      "weight: 4}]}}}]");
  const auto without = expand_profile(config->profiles[0], in_tree_catalog());
  REQUIRE_FALSE(without.ok());
  CHECK_EQ(without.error().message, "FilterPlugin \"Mine\" does not exist");
  CHECK_EQ(without.error().plugin, "Mine");
  const auto with = expand_profile(config->profiles[0], [](Str name) -> std::optional<PointMask> {
    if (name == "Mine")
      return point_bit(ExtensionPoint::kFilter) | point_bit(ExtensionPoint::kScore);
    return in_tree_points(name, kDefaultRelease);
  });
  REQUIRE(with.ok());
  CHECK_EQ(with->at(ExtensionPoint::kFilter).back().name, "Mine");
  CHECK_EQ(with->at(ExtensionPoint::kScore).back().weight, 4);
  CHECK_EQ(std::count(with->plugins.begin(), with->plugins.end(), "Mine"), 1);
}

TEST_CASE("what is disabled without effect is a warning") {
  const ConfigRef config = parse(
      "profiles: [{schedulerName: a}, {schedulerName: b, plugins: {score: {disabled: [{name: "
      "ImageLocality}, {name: NodePorts}, {name: Gone}]}, multiPoint: {disabled: [{name: "
      "NodePorts}, "
      "{name: Went}]}}}]");
  const std::vector<std::string> wanted = {
      "profiles[1].plugins.score.disabled[1]: the plugin \"NodePorts\" does not have this "
      "extension "
      "point",
      "profiles[1].plugins.score.disabled[2]: kube-scheduler has no plugin \"Gone\"; disabling it "
      "has no effect",
      "profiles[1].plugins.multiPoint.disabled[1]: kube-scheduler has no plugin \"Went\"; "
      "disabling "
      "it has no effect"};
  CHECK(config->warnings == wanted);
  CHECK(check_config_json(*config, in_tree_catalog())->find("\"warnings\":[\"profiles[1]") !=
        std::string::npos);
}

TEST_CASE("a check fails at the profile that cannot be built") {
  const ConfigRef config = parse(
      "profiles: [{schedulerName: a}, {schedulerName: b, plugins: {bind: {disabled: [{name: "
      "'*'}]}}}]");
  const auto checked = check_config_json(*config, in_tree_catalog());
  REQUIRE_FALSE(checked.ok());
  CHECK_EQ(checked.error().path, "profiles[1]");
  CHECK_EQ(checked.error().message,
           "at least one bind plugin is needed for profile with scheduler name \"b\"");
}

TEST_CASE("a check shows no password and no private key, which readers get") {
  const ConfigRef config = parse(
      "extenders: [{urlPrefix: 'http://user:secret@host/x', filterVerb: f, tlsConfig: {insecure: "
      "true, certData: Y2VydA==, keyData: a2V5}}]");
  const std::string shown = *check_config_json(*config, in_tree_catalog());
  CHECK(shown.find("http://user:***@host/x") != std::string::npos);
  CHECK(shown.find("Y2VydA==") != std::string::npos);
  CHECK(shown.find("secret") == std::string::npos);
  CHECK(shown.find("a2V5") == std::string::npos);
  for (const std::string& written :
       {config_to_json(*config), extender_to_json(config->extenders[0])}) {
    CHECK(written.find("secret") != std::string::npos);
    CHECK(written.find("a2V5") != std::string::npos);
  }
}

TEST_CASE("a profile alone: no defaults, no validation, but strictly decoded") {
  const auto parsed = [](Str text) {
    Result<ConfigRef> config = parse_profile(text);
    REQUIRE_MESSAGE(config.ok(), config.error().text());
    return *config;
  };
  const ConfigRef config = parsed(
      "percentageOfNodesToScore: 5000\n"
      "plugins: {filter: {enabled: [{name: A, weight: 2}]}}\n"
      "pluginConfig: [{name: InterPodAffinity, args: {}}, {name: A, args: {b: 1}}]\n");
  REQUIRE(config->profiles.size() == 1);
  const Profile& p = config->profiles[0];
  CHECK(p.scheduler_name == "default-scheduler");
  CHECK(p.percentage_of_nodes_to_score == 5000);
  CHECK(p.plugins.multi_point.enabled.empty());
  REQUIRE(p.plugins.at(ExtensionPoint::kFilter).enabled.size() == 1);
  REQUIRE(p.plugin_config.size() == 2);
  CHECK(std::get<InterPodAffinityArgs>(p.args_of("InterPodAffinity")->value)
            .hard_pod_affinity_weight == 1);
  CHECK(p.plugins_given);
  CHECK_FALSE(parsed(R"({"schedulerName": "x"})")->profiles[0].plugins_given);

  const auto error = [](Str text) { return parse_profile(text).error(); };
  CHECK(error("plugins: {filtr: {}}").message ==
        "strict decoding error: unknown field \"plugins.filtr\"");
  CHECK(error("plugins: {filtr: {}}").path == "plugins.filtr");
  CHECK(error("plugins: 1").path == "plugins");
  CHECK(error("pluginConfig: [{name: InterPodAffinity, args: {x: 1}}]").path ==
        "pluginConfig[0].args.x");
  CHECK(error("").message == "the document has no profile");
  CHECK(error(Str()).message == "the document has no profile");  // no memory at all
  CHECK(error("{").rc == Rc::kInvalid);
}

}  // namespace libsched::config_test
