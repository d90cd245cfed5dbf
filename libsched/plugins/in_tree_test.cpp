// The registry: every plugin of upstream, and the default profile with a plain pod.
#include "libsched/config/expand.hpp"
#include "libsched/plugins/trial_test.hpp"

namespace libsched::in_tree_test {

TEST_CASE("every in-tree plugin is registered with its points") {
  const RegistryRef registry = in_tree_registry();
  CHECK(registry->items().size() == 24);
  size_t count = 0;
  for (const InTreePlugin& p : in_tree_plugins()) {
    CAPTURE(p.name);
    if (!p.releases.has(kDefaultRelease)) continue;
    ++count;
    const Registry::Item* item = registry->find(p.name);
    REQUIRE(item != nullptr);
    CHECK(item->points == p.points);
    CHECK(item->in_tree);
    // Plugins with a PreFilter or a Filter have an implementation there, but for one whose feature
    // gate cannot be enabled.
    if (p.name == "DeferredPodScheduling") continue;
    if ((p.points & (point_bit(ExtensionPoint::kPreFilter) | point_bit(ExtensionPoint::kFilter))) !=
        0)
      CHECK(item->factory);
  }
  CHECK(count == 24);
  CHECK(in_tree_registry().get() == registry.get());
}

TEST_CASE("plugins that the registry lacks, and those of other releases") {
  const auto made = [](const std::string& plugin, Release release, bool skip) {
    ConfigOptions options;
    options.gates = FeatureGates(release);
    const ConfigRef config = parse_config(R"({"apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration", "profiles": [{"plugins": {"multiPoint": {
            "enabled": [{"name": ")" + plugin +
                                              R"("}]}}}]})",
                                          options)
                                 .value();
    return Framework::create(config, "", in_tree_registry(), options.gates, release,
                             {false, skip, {}});
  };
  const Error missing = made("CinderLimits", Release::k1_31, false).error();
  CHECK(missing.rc == Rc::kUnsupported);
  CHECK(missing.plugin == "CinderLimits");
  CHECK(missing.message == "this version of libsched does not have the plugin \"CinderLimits\"");
  for (const auto& [plugin, release] :
       {std::pair("CinderLimits", Release::k1_36), std::pair("GangScheduling", Release::k1_34)}) {
    CHECK(made(plugin, release, false).error().message ==
          "PreFilterPlugin \"" + std::string(plugin) + "\" does not exist");
    CHECK(made(plugin, release, true).value()->skipped() == std::vector<std::string>{plugin});
  }
  CHECK(made("CinderLimits", Release::k1_31, true).ok());
}

TEST_CASE("a plain pod in the default profile") {
  const FrameworkRef framework =
      Framework::create(default_config(), "", in_tree_registry(), {}).value();
  Ref<Cluster> cluster = make_ref<Cluster>();
  const NodeRef node =
      parse_node("metadata: {name: 'n'}\nstatus: {allocatable: {pods: 1}}", {}).value();
  REQUIRE(cluster->update_node(node).ok());
  Evaluator evaluator(framework, cluster);
  const auto decided = evaluator.check(*Trial::pod("{}"), "", false);
  REQUIRE(decided.ok());
  CHECK((*decided)->feasible_count == 1);
  CHECK((*decided)->details().skipped ==
        std::vector<std::string>{"DynamicResources", "InterPodAffinity", "NodeAffinity",
                                 "NodeDeclaredFeatures", "NodePorts", "NodeVolumeLimits",
                                 "PodTopologySpread", "VolumeBinding", "VolumeRestrictions",
                                 "VolumeZone"});
  std::vector<std::string> filters;
  for (const uint32_t i : framework->at(ExtensionPoint::kFilter))
    filters.push_back(framework->plugins()[i].name);
  CHECK(filters == std::vector<std::string>{
                       "NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity",
                       "NodePorts", "NodeResourcesFit", "VolumeRestrictions", "NodeVolumeLimits",
                       "VolumeBinding", "VolumeZone", "PodTopologySpread", "InterPodAffinity",
                       "DynamicResources", "NodeDeclaredFeatures"});
}

TEST_CASE("the first filter that rejects is reported") {
  const FrameworkRef framework =
      Framework::create(default_config(), "", in_tree_registry(), {}).value();
  Ref<Cluster> cluster = make_ref<Cluster>();
  for (const char* text :
       {"metadata: {name: all-wrong}\nspec: {unschedulable: true, taints: [{key: a, effect: "
        "NoSchedule}]}",
        "metadata: {name: tainted}\nspec: {taints: [{key: a, effect: NoSchedule}]}",
        "metadata: {name: full}\nstatus: {allocatable: {pods: 0}}",
        "metadata: {name: unlabelled}\nstatus: {allocatable: {pods: 9}}"})
    REQUIRE(cluster->update_node(parse_node(text, {}).value()).ok());
  Evaluator evaluator(framework, cluster);
  const auto d = evaluator.check(*Trial::pod("{nodeSelector: {disk: ssd}}"), "", false).value();
  CHECK(d->details().fit_error ==
        "0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were "
        "unschedulable, 2 node(s) didn't match Pod's node affinity/selector.");
  const auto plain = evaluator.check(*Trial::pod("{}"), "", false).value();
  CHECK(plain->feasible_count == 1);
}

}  // namespace libsched::in_tree_test
