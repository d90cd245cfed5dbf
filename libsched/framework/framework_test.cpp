// Framework::create: what it refuses, in which order plugins stand, and what it keeps alive.
#include "libsched/framework/framework.hpp"

#include <doctest/doctest.h>

#include "libsched/framework/fake_plugin.hpp"

namespace libsched {
namespace {

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

TEST_CASE("plugins stand in the order of the configuration, at the points that they implement") {
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
  // Every plugin is made once, whatever number of points it stands at.
  CHECK(framework->plugins().size() == 6);
  CHECK(
      framework->plugins_json() ==
      R"({"preFilter":[{"name":"Both"},{"name":"Pre"}],"filter":[{"name":"Zeta"},{"name":"Both"},{"name":"Alpha"}],)"
      R"("bind":[{"name":"DefaultBinder"}],"queueSort":[{"name":"PrioritySort"}]})");
}

TEST_CASE("the profile must be named where there are several") {
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

TEST_CASE("upstream's errors of construction are passed on with the plugin's name") {
  const std::vector<Fake> fakes;
  const RegistryRef registry = fake_registry(fakes);
  const Error missing = refused(fake_config({"Nobody"}), registry);
  CHECK(missing.message == "PreFilterPlugin \"Nobody\" does not exist");
  CHECK(missing.plugin == "Nobody");

  Ref<Registry> failing = registry->copy();
  const auto make = [](const FactoryCall&) -> Result<std::unique_ptr<Plugin>> {
    return Error{Rc::kInvalid, "no luck", {}, {}};
  };
  REQUIRE(failing->add("Unlucky", {point_bit(ExtensionPoint::kFilter), make, false}).ok());
  const Error unlucky = refused(fake_config({"Unlucky"}), failing);
  CHECK(unlucky.rc == Rc::kInvalid);
  CHECK(unlucky.message == "initializing plugin \"Unlucky\": no luck");
  CHECK(unlucky.plugin == "Unlucky");
}

TEST_CASE("extenders are refused by name") {
  const std::vector<Fake> fakes;
  const Error e =
      refused(fake_config({},
                          "extenders:\n- {urlPrefix: 'http://one.example', filterVerb: f}\n"
                          "- {urlPrefix: 'http://two.example/x', prioritizeVerb: p, weight: 1}\n"),
              fake_registry(fakes));
  CHECK(e.rc == Rc::kUnsupported);
  CHECK(e.path == "extenders");
  CHECK(e.message ==
        "HTTP extenders are not available yet: http://one.example, http://two.example/x");
}

TEST_CASE("a gate that is set to what is not built yet is refused") {
  const Result<FeatureGates> gates =
      FeatureGates::parse("GenericWorkload=true,GangScheduling=true");
  REQUIRE_MESSAGE(gates.ok(), gates.error().text());
  const std::vector<Fake> fakes;
  const Error e = refused(fake_config({}), fake_registry(fakes), "", *gates);
  CHECK(e.rc == Rc::kUnsupported);
  CHECK(e.message.find("GangScheduling") != std::string::npos);
}

TEST_CASE("arguments reach the factory, and none is a null pointer") {
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

TEST_CASE("a registry takes each name once") {
  Registry registry;
  CHECK(registry.add("", {}).error().rc == Rc::kInvalid);
  REQUIRE(registry.add("A", {1, {}, false}).ok());
  const Error twice = registry.add("A", {2, {}, false}).error();
  CHECK(twice.rc == Rc::kExists);
  CHECK(twice.plugin == "A");
  CHECK(registry.find("A")->points == 1);
  CHECK(registry.find("B") == nullptr);
  // A copy goes its own way.
  const Ref<Registry> copy = registry.copy();
  REQUIRE(copy->add("B", {}).ok());
  CHECK(registry.find("B") == nullptr);
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

}  // namespace
}  // namespace libsched
