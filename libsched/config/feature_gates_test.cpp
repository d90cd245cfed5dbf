// Feature gates: defaults of v1.37, overrides, and unknown or locked names.
#include "libsched/config/feature_gates.hpp"

#include <doctest/doctest.h>

#include <set>

namespace libsched::feature_gates_test {

std::string parse_error(Str text) {
  auto gates = FeatureGates::parse(text);
  return gates ? "" : gates.error().message;
}

TEST_CASE("the defaults are those of v1.37") {
  const FeatureGates gates;
  CHECK(gates.enabled(Gate::kDynamicResourceAllocation));
  CHECK(gates.enabled(Gate::kNodeDeclaredFeatures));
  CHECK(gates.enabled(Gate::kPodLevelResources));
  CHECK_FALSE(gates.enabled(Gate::kTaintTolerationComparisonOperators));
  CHECK(gates.enabled(Gate::kStorageCapacityScoring));
  CHECK_FALSE(gates.enabled(Gate::kGenericWorkload));
  CHECK_FALSE(gates.enabled(Gate::kGangScheduling));  // which is part of GenericWorkload
  CHECK_FALSE(gates.enabled(Gate::kSchedulerAsyncAPICalls));
  CHECK_EQ(gates.to_string(), "");
  CHECK(gates.require_supported().ok());
}

TEST_CASE("the table and the enumeration agree") {
  const auto gates = known_gates();
  REQUIRE_GT(gates.size(), static_cast<size_t>(Gate::kCount));
  CHECK_EQ(gates[static_cast<size_t>(Gate::kDRAAdminAccess)].name, "DRAAdminAccess");
  CHECK_EQ(gates[static_cast<size_t>(Gate::kSchedulerQueueingHints)].name,
           "SchedulerQueueingHints");
  CHECK_EQ(gates[static_cast<size_t>(Gate::kWorkloadAwarePreemption)].name,
           "WorkloadAwarePreemption");
  std::set<Str> names;
  for (const GateInfo& g : gates) CHECK_MESSAGE(names.insert(g.name).second, g.name);
}

TEST_CASE("gates are set by text and by map") {
  const auto gates = FeatureGates::parse(
      " TaintTolerationComparisonOperators = true ,, CPUManagerPolicyAlphaOptions=1");
  REQUIRE(gates.ok());
  CHECK(gates->enabled(Gate::kTaintTolerationComparisonOperators));
  CHECK_EQ(gates->to_string(),
           "CPUManagerPolicyAlphaOptions=true,TaintTolerationComparisonOperators=true");
  CHECK(gates->require_supported().ok());
  CHECK_EQ(*gates->enabled("CPUManagerPolicyAlphaOptions"), true);
  CHECK_EQ(gates->enabled("Bogus").error().message, "unrecognized feature gate: Bogus");

  const auto map = FeatureGates::from_map({{"TaintTolerationComparisonOperators", false},
                                           {"TaintTolerationComparisonOperators", true},
                                           {"CPUManagerPolicyAlphaOptions", true}});
  REQUIRE(map.ok());
  CHECK(*map == *gates);
}

TEST_CASE("what upstream refuses is refused in its words") {
  CHECK_EQ(parse_error("Bogus=true"), "unrecognized feature gate: Bogus");
  CHECK_EQ(parse_error("DRAPrioritizedList=false"),
           "cannot set feature gate DRAPrioritizedList to false, feature is locked to true");
  CHECK_EQ(parse_error("DRAPrioritizedList=true"), "");
  CHECK_EQ(parse_error("SchedulerQueueingHints=true"),
           "unrecognized feature gate: SchedulerQueueingHints");
  CHECK_EQ(parse_error("A"), "missing bool value for A");
  CHECK_EQ(parse_error("A=maybe"),
           R"(invalid value of A=maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax)");
  CHECK_EQ(parse_error("TopologyAwareWorkloadScheduling=true"),
           "TopologyAwareWorkloadScheduling is enabled, but depends on features that are disabled: "
           "[GenericWorkload]");
  CHECK_EQ(parse_error("DRAExtendedResource=false,DRAPrioritizedList=false"),
           "[cannot set feature gate DRAExtendedResource to false, feature is locked to true, "
           "cannot set feature gate DRAPrioritizedList to false, feature is locked to true]");
}

TEST_CASE("AllAlpha and AllBeta set what is not set by name") {
  const auto alpha =
      FeatureGates::parse("AllAlpha=true,StorageCapacityScoring=false", Release::k1_36);
  REQUIRE(alpha.ok());
  CHECK(alpha->enabled(Gate::kGangScheduling));
  CHECK_FALSE(alpha->enabled(Gate::kStorageCapacityScoring));
  const auto beta = FeatureGates::parse("AllBeta=false", Release::k1_36);
  REQUIRE(beta.ok());
  CHECK_FALSE(beta->enabled(Gate::kNodeDeclaredFeatures));
  CHECK(beta->enabled(Gate::kDynamicResourceAllocation));
}

TEST_CASE("a gate without an implementation is named") {
  const auto gates = FeatureGates::parse(
      "PodLevelResources=false,InPlacePodLevelResourcesVerticalScaling=false", Release::k1_36);
  REQUIRE(gates.ok());
  const auto supported = gates->require_supported();
  REQUIRE_FALSE(supported.ok());
  CHECK_EQ(supported.error().rc, Rc::kUnsupported);
  for (const char* part :
       {"InPlacePodLevelResourcesVerticalScaling=false", "PodLevelResources=false"}) {
    CHECK_MESSAGE(supported.error().message.find(part) != std::string::npos, part);
  }
}

}  // namespace libsched::feature_gates_test
