// Framework::create: what it refuses, the order of plugins, and what it keeps alive.
#include "libsched/framework/framework.hpp"

#include <doctest/doctest.h>

#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::framework_test {

using Names = std::vector<std::string>;

Fake sieve(const std::string& name) { return filter_rejects(name, {}, {}); }

Names at(const Framework& framework, ExtensionPoint point) {
  Names names;
  for (const uint32_t i : framework.at(point)) names.push_back(framework.plugins()[i].name);
  return names;
}

Error refused(const ConfigRef& config, const RegistryRef& registry, Str profile = "",
              const FeatureGates& gates = {}) {
  Result<FrameworkRef> framework = Framework::create(config, profile, registry, gates);
  REQUIRE_FALSE(framework.ok());
  return framework.error();
}

TEST_CASE("plugins are in the order of the configuration, at the points that they implement") {
  Fake both = sieve("Both");
  both.pre_filter = [](const PreFilterCall&, PreFilterResult*) -> Result<Status> {
    return Status();
  };
  const std::vector<Fake> fakes = {sieve("Zeta"), both, sieve("Alpha"), pre_filter_says("Pre", {})};
  const FrameworkRef framework = fake_framework(fakes);
  CHECK(framework->profile() == "fakes");
  CHECK(at(*framework, ExtensionPoint::kFilter) == Names{"Zeta", "Both", "Alpha"});
  CHECK(at(*framework, ExtensionPoint::kPreFilter) == Names{"Both", "Pre"});
  CHECK(at(*framework, ExtensionPoint::kPostFilter).empty());
  // Every plugin is created once, however many points it is at.
  CHECK(framework->plugins().size() == 6);
  CHECK(at(*framework, ExtensionPoint::kBind) == Names{"DefaultBinder"});
  CHECK(at(*framework, ExtensionPoint::kQueueSort) == Names{"PrioritySort"});
}

TEST_CASE("the profile must be named if there are several") {
  const std::vector<Fake> fakes;
  const RegistryRef registry = fake_registry(fakes);
  const ConfigRef two = fake_config(
      {},
      "- schedulerName: second\n  plugins: {multiPoint: {disabled: [{name: '*'}], enabled: "
      "[{name: PrioritySort}, {name: DefaultBinder}]}}\n");
  const Error unnamed = refused(two, registry);
  CHECK(unnamed.rc == Rc::kInvalid);
  CHECK(unnamed.message == "the configuration has 2 profiles: name one");
  const Error unknown = refused(two, registry, "third");
  CHECK(unknown.rc == Rc::kNotFound);
  CHECK(unknown.message == "no profile \"third\" in the configuration (it has: fakes, second)");
  CHECK(Framework::create(two, "second", registry, {}).value()->profile() == "second");
}

TEST_CASE("upstream's construction errors are reported with the plugin's name") {
  const std::vector<Fake> fakes;
  const RegistryRef registry = fake_registry(fakes);
  const Error missing = refused(fake_config({"Nobody"}), registry);
  CHECK(missing.message == "PreFilterPlugin \"Nobody\" does not exist");
  CHECK(missing.plugin == "Nobody");

  Ref<Registry> failing = registry->copy();
  const auto make = [](const FactoryCall&) -> Result<std::unique_ptr<Plugin>> {
    return Error{Rc::kInvalid, "no luck"};
  };
  REQUIRE(failing->add("Unlucky", {point_bit(ExtensionPoint::kFilter), make, false}).ok());
  const Error unlucky = refused(fake_config({"Unlucky"}), failing);
  CHECK(unlucky.rc == Rc::kInvalid);
  CHECK(unlucky.message == "initializing plugin \"Unlucky\": no luck");
  CHECK(unlucky.plugin == "Unlucky");
}

TEST_CASE("extenders of a configuration that nobody has made are refused by name") {
  const std::vector<Fake> fakes;
  const Error e =
      refused(fake_config({},
                          "extenders:\n- {urlPrefix: 'http://one.example', filterVerb: f}\n"
                          "- {urlPrefix: 'http://two.example/x', prioritizeVerb: p, weight: 1}\n"),
              fake_registry(fakes));
  CHECK(e.rc == Rc::kUnsupported);
  CHECK(e.path == "extenders");
  CHECK(e.message ==
        "the configuration has HTTP extenders, which libsched-net.so makes "
        "(libsched_net_extender_create); none were given for: http://one.example, "
        "http://two.example/x");
}

TEST_CASE("a gate for an unimplemented feature is refused") {
  const Result<FeatureGates> gates = FeatureGates::parse(
      "GenericWorkload=true,InPlacePodLevelResourcesVerticalScaling=false", Release::k1_36);
  REQUIRE_MESSAGE(gates.ok(), gates.error().text());
  const std::vector<Fake> fakes;
  const Error e = refused(fake_config({}), fake_registry(fakes), "", *gates);
  CHECK(e.rc == Rc::kUnsupported);
  CHECK(e.message ==
        "feature gates set to values that libsched does not implement yet: "
        "InPlacePodLevelResourcesVerticalScaling=false (leave them at their defaults)");
}

TEST_CASE("arguments reach the factory; without arguments it gets a null pointer") {
  std::vector<std::string> seen;
  Ref<Registry> registry = fake_registry({})->copy();
  for (const char* name : {"With", "Without"}) {
    const auto make = [&seen, name](const FactoryCall& call) -> Result<std::unique_ptr<Plugin>> {
      const auto* raw = call.args == nullptr ? nullptr : std::get_if<RawArgs>(&call.args->value);
      seen.push_back(std::string(name) + "=" + (raw == nullptr ? "none" : raw->json));
      return std::unique_ptr<Plugin>(std::make_unique<Plugin>());
    };
    REQUIRE(registry->add(name, {point_bit(ExtensionPoint::kFilter), make, false}).ok());
  }
  const ConfigRef config =
      fake_config({"With", "Without"}, "  pluginConfig: [{name: With, args: {a: [1]}}]\n");
  REQUIRE(Framework::create(config, "", registry, {}).ok());
  CHECK(seen == Names{"With={\"a\":[1]}", "Without=none"});
}

Result<FrameworkRef> bare(const std::vector<Fake>& fakes, const std::string& profile,
                          const FrameworkOptions& options = {}) {
  Result<ConfigRef> config = parse_profile(profile);
  REQUIRE_MESSAGE(config.ok(), config.error().text());
  return Framework::create(*config, "", fake_registry(fakes), {}, kDefaultRelease, options);
}

const std::string kNeeded = "{name: PrioritySort}, {name: DefaultBinder}";

TEST_CASE("a bare profile is used as it is") {
  const std::vector<Fake> fakes = {sieve("A")};
  const FrameworkRef framework =
      *bare(fakes, "schedulerName: x\nplugins: {multiPoint: {enabled: [" + kNeeded +
                       ", {name: A}], disabled: [{name: nobody}]}}");
  CHECK(framework->profile() == "x");
  CHECK(framework->initialized() == Names{"A"});
  CHECK(framework->plugins().size() == 3);
  CHECK(bare(fakes, "plugins: {filter: {enabled: [{name: A}]}}").error().message ==
        "only one queue sort plugin required for profile with scheduler name "
        "\"default-scheduler\", but got 0");
  CHECK(bare(fakes, "schedulerName: x").value()->plugins().empty());
  CHECK_FALSE(bare(fakes, "schedulerName: x").value()->signs());  // upstream ends before that
}

TEST_CASE("plugins are created before their lists are read") {
  Ref<Registry> registry = fake_registry({})->copy();
  const auto make = [](const FactoryCall&) -> Result<std::unique_ptr<Plugin>> {
    return Error{Rc::kInvalid, "no luck"};
  };
  REQUIRE(registry->add("Unlucky", {point_bit(ExtensionPoint::kFilter), make, false}).ok());
  CHECK(refused(fake_config({"Nobody", "Unlucky"}), registry).message ==
        "initializing plugin \"Unlucky\": no luck");
}

TEST_CASE("statuses, sets and weights use a plugin's own name") {
  Fake a = pre_filter_says("A", Status(Code::kSkip)), b = sieve("B");
  a.instance_name = b.instance_name = "Twin";
  b.filter = [](const FilterCall&, const Node&) { return Status(Code::kUnschedulable); };
  SUBCASE("a skip is one of the name") {
    FakeWorld w({a, b});
    CHECK(at(w.evaluator.framework(), ExtensionPoint::kFilter) == Names{"Twin"});
    CHECK(w.evaluator.framework().initialized() == Names{"A", "B"});
    CHECK(w.filter("n1").plugin == "Twin");
    w.pre_filter();
    CHECK(w.filter("n1").success());
  }
  SUBCASE("weights") {
    b.score = [](const Node&, int64_t*) { return Status(); };
    Fake c = b;
    c.name = "C";
    c.instance_name.clear();
    const std::string lists =
        "plugins: {multiPoint: {enabled: [" + kNeeded + ", {name: B, weight: 3}]}";
    const std::string more = ", score: {enabled: [{name: C, weight: 7}]}}";
    CHECK(bare({b, c}, lists + more).error().message ==
          "score plugin \"Twin\" is not configured with weight");
    b.instance_name = "C";
    const std::vector<Fake> fakes = {b, c};
    const FrameworkRef framework = *bare(fakes, lists + more);
    CHECK(framework->score_weights() == std::vector<int64_t>{7, 7});
    CHECK(framework->narrow_scores());
    CHECK(at(*framework, ExtensionPoint::kScore) == Names{"C", "C"});
  }
}

TEST_CASE("several QueueSort plugins need the option; the next one decides between equals") {
  Fake by_name = sieve("ByName"), by_time = sieve("ByTime");
  by_name.less = [](const QueuedPod& a, const QueuedPod& b) {
    return a.pod.meta.name < b.pod.meta.name;
  };
  by_time.less = [](const QueuedPod& a, const QueuedPod& b) {
    return a.timestamp_ns < b.timestamp_ns;
  };
  const std::vector<Fake> fakes = {by_name, by_time};
  const std::string profile =
      "plugins: {multiPoint: {enabled: [{name: DefaultBinder}]}, "
      "queueSort: {enabled: [{name: ByName}, {name: ByTime}]}}";
  CHECK(bare(fakes, profile).error().message ==
        "only one queue sort plugin required for profile with scheduler name "
        "\"default-scheduler\", but got 2");
  FrameworkOptions options;
  options.several_queue_sorts = true;
  const FrameworkRef framework = *bare(fakes, profile, options);
  const PodRef a = fake_pod("a"), b = fake_pod("b");
  CHECK(framework->queue_less({*a, 2}, {*b, 1}));
  CHECK_FALSE(framework->queue_less({*b, 1}, {*a, 2}));
  CHECK(framework->queue_less({*a, 1}, {*a, 2}));
  CHECK_FALSE(framework->queue_less({*a, 2}, {*a, 1}));
  CHECK_FALSE(framework->queue_less({*a, 1}, {*a, 1}));
}

TEST_CASE("a registry takes each name once") {
  Registry registry;
  CHECK(registry.add("", {}).error().rc == Rc::kInvalid);
  REQUIRE(registry.add("A", {1, {}, false}).ok());
  const Error twice = registry.add("A", {2, {}, false}).error();
  CHECK(twice.rc == Rc::kExists);
  CHECK(twice.plugin == "A");
  CHECK(registry.find("A")->points == 1);
  CHECK(registry.find("B") == nullptr);
  // A copy is independent.
  const Ref<Registry> copy = registry.copy();
  REQUIRE(copy->add("B", {}).ok());
  CHECK(registry.find("B") == nullptr);
}

TEST_CASE("a plugin that no profile names is enabled in all of them") {
  const std::vector<Fake> fakes = {sieve("Z"), sieve("A"), sieve("Named"), sieve("Idle")};
  const ConfigRef config = fake_config(
      {"Named"},
      "- schedulerName: other\n  plugins:\n    multiPoint:\n      disabled: [{name: '*'}, {name: "
      "Idle}]\n      enabled: [{name: PrioritySort}, {name: DefaultBinder}]\n");
  const Ref<Registry> registry = fake_registry(fakes);
  const auto filters = [&](Str profile) {
    return at(**Framework::create(config, profile, registry, {}), ExtensionPoint::kFilter);
  };
  CHECK(filters("fakes") == Names{"Named", "Z", "A"});
  CHECK(filters("other") == Names{"Z", "A"});
  CHECK(registry->enable("Nobody", 1).error().rc == Rc::kNotFound);
  REQUIRE(registry->enable("Z", 7).ok());
  REQUIRE(registry->enable("A", 0).ok());
  CHECK(registry->enabled().size() == fakes.size());
  CHECK(registry->enabled()[0].weight == 7);
}

TEST_CASE("a framework keeps its configuration and registry alive") {
  const std::vector<Fake> fakes = {sieve("A")};
  ConfigRef config = fake_config({"A"});
  RegistryRef registry = fake_registry(fakes);
  const FrameworkRef framework = Framework::create(config, "", registry, {}).value();
  config = nullptr;
  registry = nullptr;
  CHECK(at(*framework, ExtensionPoint::kFilter) == Names{"A"});
}

}  // namespace libsched::framework_test
