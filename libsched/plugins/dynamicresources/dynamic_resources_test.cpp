// DynamicResources: which pods need devices.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::dynamic_resources_test {

std::string needs(const std::string& why) {
  return "error: pod \"default/p\" needs plugin \"DynamicResources\" (" + why +
         "), which this version of libsched does not have yet";
}
std::string asking(const std::string& name, const char* amount) {
  return "{containers: [{name: c, resources: {requests: {" + name + ": " + amount + "}}}]}";
}
const char* const kClass =
    "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\n"
    "spec: {extendedResourceName: example.com/gpu}\n";

TEST_CASE("claims need the plugin") {
  Trial t("DynamicResources", node_n());
  CHECK(t.pre_filter(*Trial::pod("{}")) == "Skip");
  CHECK(t.pre_filter(*Trial::pod("{resourceClaims: []}")) == "Skip");
  CHECK(t.pre_filter(*Trial::pod("{resourceClaims: [{name: a, resourceClaimName: b}]}")) ==
        needs("it has resource claims"));
}

TEST_CASE("a DeviceClass may provide an extended resource") {
  Trial t("DynamicResources", node_n());
  CHECK(t.pre_filter(*Trial::pod(asking("example.com/gpu", "1"))) == "Skip");
  t.apply(kClass);
  for (const char* name : {"example.com/gpu", "deviceclass.resource.kubernetes.io/gpu"}) {
    CAPTURE(name);
    CHECK(t.pre_filter(*Trial::pod(asking(name, "1"))) ==
          needs(std::string("it asks for ") + name + ", which a DeviceClass may provide"));
    CHECK(t.pre_filter(*Trial::pod(asking(name, "0"))) == "Skip");
  }
  for (const char* name : {"cpu", "hugepages-2Mi", "kubernetes.io/thing", "example.com/other",
                           "deviceclass.resource.kubernetes.io/other"})
    CHECK(t.pre_filter(*Trial::pod(asking(name, "1"))) == "Skip");
}

TEST_CASE("Filter without PreFilter is upstream's Error") {
  TrialOptions options;
  options.profile =
      "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
      "DefaultBinder}]}, filter: {enabled: [{name: DynamicResources}]}}";
  Trial t("DynamicResources", node_n(), options);
  CHECK(t.filter("{}") == "Error: running \"DynamicResources\" filter plugin: not found");
}

TEST_CASE("PostFilter has no claims to give back") {
  Trial t("DynamicResources", node_n());
  const PodRef pod = Trial::pod("{}");
  CycleState state;
  std::optional<Nomination> nomination;
  const auto post_filter = [&](CycleState& s) {
    return t.evaluator().run_post_filter(s, *pod, {}, &nomination).value();
  };
  REQUIRE(t.evaluator().run_pre_filter(state, *pod).ok());
  CHECK(post_filter(state) == [] {
    Status s(Code::kUnschedulable, "no new claims to deallocate");
    s.plugin = "DynamicResources";
    return s;
  }());
  CycleState without;  // another plugin's PreFilter has rejected the pod before
  CHECK(post_filter(without).code == Code::kError);
  CHECK(post_filter(without).message() == "not found");
}

TEST_CASE("a pod without claims has nothing to do before it is bound") {
  Trial t("DynamicResources", node_n());
  const PodRef pod = Trial::pod("{}");
  CycleState state;
  REQUIRE(t.evaluator().run_pre_filter(state, *pod).ok());
  CHECK(t.evaluator().run_pre_bind_pre_flights(state, *pod, "n")->code == Code::kSkip);
  CHECK(t.evaluator().run_pre_bind(state, *pod, "n")->success());
  CycleState without;  // PreFilter did not run
  CHECK(t.evaluator().run_pre_bind_pre_flights(without, *pod, "n")->message() ==
        "running PreBindPreFlight \"DynamicResources\": not found");
}

}  // namespace libsched::dynamic_resources_test
