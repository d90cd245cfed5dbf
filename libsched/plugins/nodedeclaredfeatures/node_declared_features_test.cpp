// NodeDeclaredFeatures: which specs need a feature, and which nodes declare it.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::node_declared_features_test {

const char* const kNo =
    "UnschedulableAndUnresolvable: node(s) didn't match Pod's required features";
const char* const kUserNamespaces = "{hostNetwork: true, hostUsers: false}";
const char* const kRestartsAll =
    "{containers: [{name: a}, {name: b, restartPolicyRules: [{action: RestartAllContainers, "
    "exitCodes: {operator: In, values: [1]}}]}]}";
const char* const kInitRestartsAll =
    "{initContainers: [{name: a, restartPolicyRules: [{action: RestartAllContainers}]}]}";

TEST_CASE("PreFilter skips pods that need no feature") {
  Trial t("NodeDeclaredFeatures", node_n());
  for (const char* spec :
       {"{}", "{hostNetwork: true}", "{hostUsers: false}", "{hostNetwork: true, hostUsers: true}",
        "{hostNetwork: false, hostUsers: false}",
        "{containers: [{name: a, restartPolicyRules: [{action: Restart}]}]}"}) {
    CAPTURE(spec);
    CHECK(t.pre_filter(*Trial::pod(spec)) == "Skip");
  }
  for (const char* spec : {kUserNamespaces, kRestartsAll, kInitRestartsAll}) {
    CAPTURE(spec);
    CHECK(t.pre_filter(*Trial::pod(spec)) == "Success");
  }
}

TEST_CASE("a node must declare every feature that is needed") {
  const auto on = [](const char* declared, const std::string& spec) {
    return Trial("NodeDeclaredFeatures",
                 node_n(std::string("status: {declaredFeatures: [") + declared + "]}"))
        .filter(spec);
  };
  const std::string both =
      "{hostNetwork: true, hostUsers: false, containers: [{name: b, restartPolicyRules: [{action: "
      "RestartAllContainers}]}]}";
  CHECK(on("", kUserNamespaces) == kNo);
  CHECK(on("UserNamespacesHostNetworkSupport", kUserNamespaces) == "Success");
  CHECK(on("Unknown, UserNamespacesHostNetworkSupport", kUserNamespaces) == "Success");
  CHECK(on("usernamespaceshostnetworksupport", kUserNamespaces) == kNo);
  CHECK(on("RestartAllContainersOnContainerExits", kUserNamespaces) == kNo);
  CHECK(on("RestartAllContainersOnContainerExits", kRestartsAll) == "Success");
  CHECK(on("RestartAllContainersOnContainerExits", both) == kNo);
  CHECK(on("RestartAllContainersOnContainerExits, UserNamespacesHostNetworkSupport", both) ==
        "Success");
}

TEST_CASE("since 1.37 pods with options of bind mounts need a feature") {
  const auto on = [](const char* declared, const std::string& spec, Release release) {
    TrialOptions options;
    options.release = release;
    Trial t("NodeDeclaredFeatures",
            node_n(std::string("status: {declaredFeatures: [") + declared + "]}"), options);
    return t.filter(spec);
  };
  const std::string mounts = "volumeMounts: [{name: v}, {name: w, bindMountOptions: [noexec]}]}]}";
  for (const std::string& spec :
       {"{containers: [{name: a, " + mounts, "{initContainers: [{name: a, " + mounts,
        "{ephemeralContainers: [{name: a, targetContainerName: b, " + mounts}) {
    CAPTURE(spec);
    CHECK(on("", spec, Release::k1_37) == kNo);
    CHECK(on("VolumeBindMountOptions", spec, Release::k1_37) == "Success");
    CHECK(on("", spec, Release::k1_36) == "Success");
  }
  const std::string none = "{containers: [{name: a, volumeMounts: [{bindMountOptions: []}]}]}";
  CHECK(on("", none, Release::k1_37) == "Success");
}

TEST_CASE("1.35 knows no feature of user namespaces, and names the one that is missing") {
  TrialOptions options;
  options.release = Release::k1_35;
  options.gates = "NodeDeclaredFeatures=true";
  Trial older("NodeDeclaredFeatures", node_n(), options);
  CHECK(older.pre_filter(*Trial::pod(kUserNamespaces)) == "Skip");
  CHECK(older.filter(kRestartsAll) ==
        "UnschedulableAndUnresolvable: node declared features check failed - unsatisfied "
        "requirements: RestartAllContainersOnContainerExits");
  options.gates = "";
  options.release = Release::k1_36;
  CHECK(Trial("NodeDeclaredFeatures", node_n(), options).filter(kRestartsAll) == kNo);
}

TEST_CASE("with the gate off, which 1.37 has no more, the plugin does nothing") {
  Ref<Cluster> cluster = make_ref<Cluster>();
  REQUIRE(cluster->update_node(parse_node("metadata: {name: 'n'}", {}).value()).ok());
  const Result<FeatureGates> gates = FeatureGates::parse(
      "NodeDeclaredFeatures=false,ExtendWebSocketsToKubelet=false,"
      "InPlacePodLevelResourcesVerticalScaling=false,"
      "InPlacePodVerticalScalingInitContainers=false,RestartAllContainersOnContainerExits=false,"
      "UserNamespacesHostNetworkSupport=false",
      Release::k1_36);
  REQUIRE_MESSAGE(gates.ok(), gates.error().text());
  const std::unique_ptr<Plugin> plugin = make_node_declared_features({nullptr, *gates}).value();
  const PodRef pod = Trial::pod(kRestartsAll);
  CycleState state;
  Services services;
  const Call call{cluster->view(), services};
  PreFilterResult result;
  CHECK(plugin->pre_filter({call, *pod, state}, &result).value().code == Code::kSkip);
  uint64_t alive = 1, errors = 0;
  for (const bool pre_filtered : {false, true}) {
    plugin->filter({call, *pod, state, nullptr, pre_filtered}, {0, 1, &alive, &errors});
    CHECK(alive == 1);
    CHECK(errors == 0);
  }
}

TEST_CASE("Filter without PreFilter is upstream's Error") {
  TrialOptions options;
  options.profile =
      "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
      "DefaultBinder}]}, filter: {enabled: [{name: NodeDeclaredFeatures}]}}";
  CHECK(Trial("NodeDeclaredFeatures", node_n(), options).filter("{}") ==
        "Error: running \"NodeDeclaredFeatures\" filter plugin: error reading "
        "\"PreFilterNodeDeclaredFeatures\" from cycle-state: not found");
}

}  // namespace libsched::node_declared_features_test
