// Tests the warnings for objects that the API server would refuse.
#include "libsched/ingest/validate.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "libsched/ingest/ingest.hpp"

namespace libsched::validate_test {

// All warnings, one per line, sorted.
std::string warnings(const std::string& json) {
  ParseOptions options;
  options.validate = true;
  const Result<ObjectSet> set = parse_objects(json, options);
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  std::vector<std::string> lines;
  for (const IngestWarning& w : set->warnings) lines.push_back(w.path + ": " + w.message);
  std::sort(lines.begin(), lines.end());
  std::string out;
  for (const std::string& line : lines) out.append(out.empty() ? "" : "\n").append(line);
  return out;
}

std::string pod(const std::string& spec, const std::string& meta = R"("name":"a")") {
  return warnings(R"({"apiVersion":"v1","kind":"Pod","metadata":{)" + meta + R"(},"spec":)" + spec +
                  "}");
}

// A pod with one good container and more fields.
std::string with(const std::string& fields) {
  return pod(R"({"containers":[{"name":"c","image":"i"}],)" + fields + "}");
}

std::string with_resources(const std::string& resources) {
  return pod(R"({"containers":[{"name":"c","image":"i","resources":)" + resources + "}]}");
}

TEST_CASE("validate: good objects give no warning") {
  CHECK(
      with(R"("nodeSelector":{"a":"b"},"tolerations":[{"operator":"Exists"},{"key":"k","value":"v"},
      {"key":"k","operator":"Gt","value":"5"}],"priorityClassName":"high","nodeName":"n",
      "schedulingGates":[{"name":"a.b/c"}],"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}],
      "affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"zone",
      "labelSelector":{"matchLabels":{"a":"b"}}}]}},"overhead":{"cpu":"1"},
      "topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"ScheduleAnyway"}])") ==
      "");
  CHECK(with_resources(
            R"({"requests":{"cpu":"1","nvidia.com/gpu":1},"limits":{"cpu":"1","nvidia.com/gpu":1,
      "hugepages-2Mi":"2Mi"}})") == "");
  CHECK(
      warnings(
          R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{"key":"a",
      "effect":"NoSchedule"}]},"status":{"allocatable":{"cpu":"1","pods":"110"}}})") == "");
}

TEST_CASE("validate: names and labels") {
  CHECK(pod(R"({"containers":[{"name":"c","image":"i"}]})",
            R"("name":"A","namespace":"x.y","labels":{"-":"v","k":"v v"})")
            .find("metadata.name: Invalid value: \"A\": a lowercase RFC 1123 subdomain must "
                  "consist of") != std::string::npos);
  const std::string text = pod(R"({"containers":[{"name":"c","image":"i"}]})",
                               R"("name":"a","namespace":"x.y","labels":{"-":"v","k":"v v"})");
  CHECK(text.find("metadata.namespace: Invalid value: \"x.y\": a lowercase RFC 1123 label") !=
        std::string::npos);
  CHECK(text.find("metadata.labels: Invalid value: \"-\": name part must consist of") !=
        std::string::npos);
  CHECK(text.find("metadata.labels: Invalid value: \"v v\": a valid label must be") !=
        std::string::npos);
  CHECK(with(R"("nodeSelector":{"a":"-"})")
            .starts_with("spec.nodeSelector: Invalid value: \"-\": a valid label"));
}

TEST_CASE("validate: containers and ports") {
  CHECK(pod("{}") == "spec.containers: Required value");
  CHECK(pod(R"({"containers":[{}]})") ==
        "spec.containers[0].image: Required value\nspec.containers[0].name: Required value");
  CHECK(
      pod(R"({"containers":[{"name":"c","image":"i"}],"initContainers":[{"name":"c","image":"i"}]})") ==
      "spec.initContainers[0].name: Duplicate value: \"c\"");
  CHECK(
      pod(R"({"hostNetwork":true,"containers":[{"name":"c","image":"i","ports":[{"containerPort":80,"hostPort":81},
      {"containerPort":70000},{"protocol":"X"}]}]})") ==
      "spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when "
      "`hostNetwork` is true\n"
      "spec.containers[0].ports[1].containerPort: Invalid value: 70000: must be between 1 and "
      "65535, inclusive\n"
      "spec.containers[0].ports[2].containerPort: Required value\n"
      "spec.containers[0].ports[2].protocol: Unsupported value: \"X\": supported values: \"SCTP\", "
      "\"TCP\", \"UDP\"");
  CHECK(pod(R"({"containers":[{"name":"c","image":"i","ports":[{"containerPort":80,"hostPort":80},
      {"containerPort":81,"hostPort":80,"protocol":"TCP"}]}]})") ==
        "spec.containers[0].ports[1].hostPort: Duplicate value: \"TCP//80\"");
}

TEST_CASE("validate: amounts") {
  CHECK(with_resources(R"({"requests":{"cpu":"-1"}})") ==
        "spec.containers[0].resources.requests[cpu]: Invalid value: \"-1\": must be greater than "
        "or equal to 0");
  CHECK(with_resources(R"({"requests":{"cpu":"2"},"limits":{"cpu":"1"}})") ==
        "spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal "
        "to cpu limit of 1");
  CHECK(with_resources(R"({"requests":{"a.b/c":"1"},"limits":{"a.b/c":"2"}})") ==
        "spec.containers[0].resources.requests: Invalid value: \"1\": must be equal to a.b/c limit "
        "of 2");
  CHECK(with_resources(R"({"requests":{"a.b/c":"1"}})") ==
        "spec.containers[0].resources.limits: Required value: Limit must be set for non "
        "overcommitable resources");
  CHECK(with_resources(R"({"limits":{"a.b/c":"500m"}})") ==
        "spec.containers[0].resources.limits[a.b/c]: Invalid value: \"0.5\": must be an integer");
  CHECK(with_resources(R"({"limits":{"gpu":"1"}})") ==
        "spec.containers[0].resources.limits[gpu]: Invalid value: \"gpu\": must be a standard "
        "resource for containers");
  CHECK(with_resources(R"({"limits":{"hugepages-2Mi":"2Mi"}})") ==
        "spec.containers[0].resources: Forbidden: HugePages require cpu or memory");
  CHECK(with(R"("resources":{"limits":{"ephemeral-storage":"1"}})") ==
        "spec.resources.limits[ephemeral-storage]: Unsupported value: \"ephemeral-storage\": "
        "supported values: "
        "\"cpu\", \"hugepages-\", \"memory\"");
  CHECK(with(R"("overhead":{"cpu":"-1"})") ==
        "spec.overhead.limits[cpu]: Invalid value: \"-1\": must be greater than or equal to 0");
}

TEST_CASE("validate: tolerations, gates, policies, claims, volumes") {
  CHECK(
      with(
          R"("tolerations":[{"key":"k","operator":"In"},{"value":"v"},{"key":"k","operator":"Exists","value":"v",
      "effect":"E"},{"key":"k","operator":"Lt","value":"x"}])") ==
      "spec.tolerations[0].operator: Unsupported value: \"In\": supported values: \"Equal\", "
      "\"Exists\"\n"
      "spec.tolerations[1].operator: Invalid value: \"Equal\": operator must be Exists when `key` "
      "is empty, "
      "which means \"match all values and all keys\"\n"
      "spec.tolerations[2].effect: Unsupported value: \"E\": supported values: \"NoSchedule\", "
      "\"PreferNoSchedule\", \"NoExecute\"\n"
      "spec.tolerations[2].operator: Invalid value: \"v\": value must be empty when `operator` is "
      "'Exists'\n"
      "spec.tolerations[3].value: Invalid value: \"x\": must be a valid decimal integer");
  CHECK(with(R"("schedulingGates":[{"name":"a"},{"name":"a"}])") ==
        "spec.schedulingGates[1]: Duplicate value: \"a\"");
  CHECK(with(R"("preemptionPolicy":"Maybe")") ==
        "spec.preemptionPolicy: Unsupported value: \"Maybe\": supported values: "
        "\"PreemptLowerPriority\", \"Never\"");
  CHECK(with(R"("resourceClaims":[{"name":"c"},{"name":"c","resourceClaimName":"r"}])") ==
        "spec.resourceClaims[0]: Invalid value: \"c\": must specify one of: `resourceClaimName`, "
        "`resourceClaimTemplateName`\nspec.resourceClaims[1].name: Duplicate value: \"c\"");
  CHECK(with(R"("volumes":[{"name":"v"},{"name":"v","persistentVolumeClaim":{}},{}])") ==
        "spec.volumes[1].name: Duplicate value: \"v\"\n"
        "spec.volumes[1].persistentVolumeClaim.claimName: Required value\n"
        "spec.volumes[2].name: Required value");
}

TEST_CASE("validate: affinity") {
  CHECK(
      with(
          R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{}}})") ==
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms:"
      " "
      "Required value: must have at least one node selector term");
  const std::string terms = with(
      R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
      {"matchExpressions":[{"key":"a","operator":"In"},{"key":"a","operator":"Exists","values":["x"]},
      {"key":"a","operator":"Gt"},{"key":"a","operator":"Is"}],"matchFields":[{"key":"x","operator":"In","values":["a"]}]}]},
      "preferredDuringSchedulingIgnoredDuringExecution":[{"weight":101}]}})");
  const std::string path =
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
      "nodeSelectorTerms[0].";
  CHECK(terms ==
        "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: "
        "Invalid value: 101: "
        "must be in the range 1-100\n" +
            path +
            "matchExpressions[0].values: Required value: must be specified when `operator` is 'In' "
            "or 'NotIn'\n" +
            path +
            "matchExpressions[1].values: Forbidden: may not be specified when `operator` is "
            "'Exists' or "
            "'DoesNotExist'\n" +
            path +
            "matchExpressions[2].values: Required value: must be specified single value when "
            "`operator` is "
            "'Lt' or 'Gt'\n" +
            path +
            "matchExpressions[3].operator: Invalid value: \"Is\": not a valid selector operator\n" +
            path + "matchFields[0].key: Invalid value: \"x\": not a valid field selector key");
  const std::string pods =
      with(R"("affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[
      {"matchLabelKeys":["k"],"labelSelector":{"matchExpressions":[{"key":"a","operator":"Gt"}]}},
      {"topologyKey":"z","mismatchLabelKeys":["k"]}]}})");
  CHECK(pods.find("[0].topologyKey: Required value: can not be empty") != std::string::npos);
  CHECK(pods.find("[0].labelSelector.matchExpressions[0].operator: Invalid value: \"Gt\": not a "
                  "valid selector "
                  "operator") != std::string::npos);
  CHECK(pods.find("[1].mismatchLabelKeys: Forbidden: must not be specified when labelSelector is "
                  "not set") != std::string::npos);
}

TEST_CASE("validate: topology spread constraints") {
  CHECK(
      with(R"("topologySpreadConstraints":[{"maxSkew":0,"whenUnsatisfiable":"X","minDomains":0,
      "nodeTaintsPolicy":"Y","nodeAffinityPolicy":""},{"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule"},
      {"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule"}])") ==
      "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero\n"
      "spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: can only use minDomains if "
      "whenUnsatisfiable=DoNotSchedule, not X\n"
      "spec.topologySpreadConstraints[0].minDomains: Invalid value: 0: must be greater than zero\n"
      "spec.topologySpreadConstraints[0].nodeAffinityPolicy: Unsupported value: \"\": supported "
      "values: \"Honor\", "
      "\"Ignore\"\n"
      "spec.topologySpreadConstraints[0].nodeTaintsPolicy: Unsupported value: \"Y\": supported "
      "values: \"Honor\", "
      "\"Ignore\"\n"
      "spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty\n"
      "spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: \"X\": supported "
      "values: "
      "\"DoNotSchedule\", \"ScheduleAnyway\"\n"
      "spec.topologySpreadConstraints[1].{topologyKey, whenUnsatisfiable}: Duplicate value: \"{z, "
      "DoNotSchedule}\"");
}

TEST_CASE("validate: nodes, priority classes, workloads") {
  CHECK(
      warnings(
          R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{"key":"a"},
      {"key":"b","effect":"E"},{"key":"a"}]},"status":{"allocatable":{"cpu":"-1","pods":"1.5"}}})") ==
      "spec.taints[0].effect: Required value\n"
      "spec.taints[1].effect: Unsupported value: \"E\": supported values: \"NoSchedule\", "
      "\"PreferNoSchedule\", "
      "\"NoExecute\"\n"
      "spec.taints[2].effect: Required value\n"
      "spec.taints[2]: Invalid value: \"a\": taints must be unique by key and effect pair\n"
      "status.allocatable[cpu]: Invalid value: \"-1\": must be greater than or equal to 0\n"
      "status.allocatable[pods]: Invalid value: \"1.5\": must be an integer");
  CHECK(warnings(
            R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"p"},
      "value":1000000001})") ==
        "value: Forbidden: maximum allowed value of a user defined priority is 1000000000");
  CHECK(warnings(R"([{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"p"},"spec":{}},
      {"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"p"},"spec":{}}])") ==
        "[0].spec.template.spec.containers: Required value\n"
        "[1].spec.jobTemplate.spec.template.spec.containers: Required value");
  CHECK(warnings(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a.b"}})")
            .starts_with("metadata.name: Invalid value: \"a.b\": a lowercase RFC 1123 label"));
}

TEST_CASE("validate: classes that admission doesn't find") {
  ParseOptions options;
  options.validate = true;
  options.defaults = true;
  const Result<ObjectSet> set = parse_objects(
      R"([{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"priorityClassName":"x",
      "containers":[{"name":"c","image":"i"}]}},
      {"apiVersion":"v1","kind":"Pod","metadata":{"name":"b"},"spec":{"priorityClassName":"x",
      "priority":5,"containers":[{"name":"c","image":"i"}]}}])"
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"template":
      {"spec":{"priorityClassName":"y","containers":[{"name":"c","image":"i"}]}}}})",
      options);
  REQUIRE(set.ok());
  REQUIRE(set->warnings.size() == 2);
  CHECK(set->warnings[0].path == "documents[0][0].spec.priorityClassName");
  CHECK(set->warnings[0].message == "no PriorityClass with name x was found");
  CHECK(set->warnings[1].path == "documents[1].spec.template.spec.priorityClassName");
  CHECK(set->warnings[1].message == "no PriorityClass with name y was found");
}

}  // namespace libsched::validate_test
