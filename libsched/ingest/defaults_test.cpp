// Defaulting and priority admission; the expected values are what upstream's defaulting gives.
#include "libsched/ingest/defaults.hpp"

#include <doctest/doctest.h>

#include "libsched/ingest/ingest.hpp"

namespace libsched::defaults_test {

PodRef pod(const std::string& spec) {
  ParseOptions options;
  options.defaults = true;
  const Result<PodRef> pod = parse_pod(R"({"metadata":{"name":"a"},"spec":)" + spec + "}", options);
  REQUIRE_MESSAGE(pod.ok(), pod.error().text());
  return *pod;
}

// "cpu=500 memory=..." in thousandths.
std::string amounts(ResourceList list) {
  std::string out;
  for (const NamedQuantity& item : list) {
    out.append(out.empty() ? "" : " ").append(item.name).append("=");
    out.append(std::to_string(item.quantity.milli_value()));
  }
  return out;
}

TEST_CASE("defaults: requests from limits, in containers and init containers") {
  const PodRef p = pod(
      R"({"containers":[{"resources":{"limits":{"cpu":"1","memory":"2"},"requests":{"memory":"1"}}}],
      "initContainers":[{"resources":{"limits":{"nvidia.com/gpu":1}}}]})");
  CHECK(amounts(p->spec.containers[0].requests) == "cpu=1000 memory=1000");
  CHECK(amounts(p->spec.init_containers[0].requests) == "nvidia.com/gpu=1000");
  CHECK(p->requests.milli_cpu == 1000);
  REQUIRE(p->requests.scalars.size() == 1);
}

TEST_CASE("defaults: label keys of pod affinity terms, once") {
  const auto expressions = [](const std::string& labels, const std::string& term, bool defaults) {
    ParseOptions options;
    options.defaults = defaults;
    const Result<PodRef> pod =
        parse_pod(R"({"metadata":{"name":"a","labels":{)" + labels + R"(}},"spec":{"affinity":{
        "podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,
        "podAffinityTerm":{"topologyKey":"k",)" +
                      term + "}}]}}}}",
                  options);
    REQUIRE_MESSAGE(pod.ok(), pod.error().text());
    std::string out;
    for (const Requirement& r :
         (*pod)->spec.pod_anti_affinity.preferred[0].selector.match_expressions) {
      out.append(out.empty() ? "" : ", ").append(r.key).append(" ").append(r.op_text);
      for (const Str v : r.values) out.append(" ").append(v);
    }
    return out;
  };
  const char* labels = R"("a":"1","b":"2")";
  const std::string keys = R"("matchLabelKeys":["b","none"],"mismatchLabelKeys":["a"])";
  CHECK(expressions(labels, R"("labelSelector":{},)" + keys, true) == "b In 2, a NotIn 1");
  CHECK(expressions(labels, R"("labelSelector":{},)" + keys, false) == "");
  CHECK(expressions(labels, keys, true) == "");  // no selector selects nothing
  // Objects from an API server have them already, perhaps from labels that have changed since.
  const std::string merged = R"("labelSelector":{"matchExpressions":[
      {"key":"b","operator":"In","values":["0"]},{"key":"a","operator":"NotIn","values":["1"]}]},)";
  CHECK(expressions(labels, merged + keys, true) == "b In 0, a NotIn 1");
}

TEST_CASE("defaults: ports") {
  const PodRef host = pod(R"({"hostNetwork":true,"containers":[{"ports":[{"containerPort":80},
      {"containerPort":81,"hostPort":82,"protocol":"UDP"}]}]})");
  CHECK(host->spec.containers[0].ports[0].host_port == 80);
  CHECK(host->spec.containers[0].ports[0].protocol == "TCP");
  CHECK(host->spec.containers[0].ports[1].host_port == 82);
  CHECK(host->spec.containers[0].ports[1].protocol == "UDP");
  CHECK(host->host_ports.size() == 2);
  CHECK(pod(R"({"containers":[{"ports":[{"containerPort":80}]}]})")->host_ports.empty());
}

TEST_CASE("defaults: pod-level resources") {
  // From the requests of the containers, then from the limits of the pod.
  CHECK(
      amounts(
          pod(R"({"containers":[{"resources":{"requests":{"cpu":"1"}}},{"resources":{"requests":{"cpu":"2"}}}],
      "resources":{"limits":{"cpu":"8","memory":"4"}}})")
              ->spec.pod_requests) == "cpu=3000 memory=4000");
  CHECK(amounts(pod(R"({"containers":[{"resources":{"requests":{"cpu":"1"}}}],"initContainers":[
      {"restartPolicy":"Always","resources":{"requests":{"cpu":"1"}}},{"resources":{"requests":{"cpu":"4"}}}],
      "resources":{"limits":{"cpu":"8"}}})")
                    ->spec.pod_requests) == "cpu=5000");
  CHECK(amounts(pod(R"({"containers":[{"resources":{"requests":{"cpu":"1"}}}],
      "resources":{"requests":{"memory":"1"}}})")
                    ->spec.pod_requests) == "memory=1000");
  CHECK(amounts(
            pod(R"({"containers":[{}],"resources":{"requests":{"cpu":"2"},"limits":{"cpu":"3"}}})")
                ->spec.pod_requests) == "cpu=2000");
  // Limits of huge pages come from the containers unless the pod asks for some.
  const PodRef huge = pod(R"({"containers":[{"resources":{"limits":{"hugepages-2Mi":"4"}}}],
      "resources":{"limits":{"cpu":"1"}}})");
  CHECK(amounts(huge->spec.pod_limits) == "cpu=1000 hugepages-2Mi=4000");
  CHECK(amounts(huge->spec.pod_requests) == "cpu=1000 hugepages-2Mi=4000");
  // Not for resources that pods have none of, and not without pod-level resources.
  CHECK(amounts(pod(R"({"containers":[{"resources":{"requests":{"a.b/c":1}}}],
      "resources":{"limits":{"cpu":"1","a.b/c":2}}})")
                    ->spec.pod_requests) == "cpu=1000");
  CHECK(pod(R"({"containers":[{"resources":{"requests":{"cpu":1}}}]})")->spec.pod_requests.empty());
}

TEST_CASE("defaults: amounts are rounded up to thousandths") {
  const PodRef p = pod(R"({"containers":[{"resources":{"requests":{"cpu":"0.1m"}}},
      {"resources":{"requests":{"cpu":"0.1m"}}}],"overhead":{"memory":"0.0001"}})");
  CHECK(p->spec.containers[0].requests[0].quantity.to_string() == "0.001");
  CHECK(p->requests.milli_cpu == 2);
  CHECK(p->spec.overhead[0].quantity.to_string() == "0.001");
  const Result<PodRef> plain = parse_pod(R"({"metadata":{"name":"a"},"spec":{"containers":[
      {"resources":{"requests":{"cpu":"0.1m"}}},{"resources":{"requests":{"cpu":"0.1m"}}}]}})",
                                         {});
  CHECK((*plain)->requests.milli_cpu == 1);
}

TEST_CASE("defaults: volumes, nodes, namespaces") {
  CHECK(pod(R"({"volumes":[{"name":"r","rbd":{"image":"i"}}]})")->spec.volumes[0].pool == "rbd");
  ParseOptions options;
  options.defaults = true;
  const auto allocatable = [&](const char* status) {
    const Result<NodeRef> node =
        parse_node(R"({"metadata":{"name":"n"},"status":)" + std::string(status) + "}", options);
    REQUIRE(node.ok());
    return amounts((*node)->allocatable_list);
  };
  CHECK(allocatable(R"({"capacity":{"cpu":"4"}})") == "cpu=4000");
  CHECK(allocatable(R"({"allocatable":{"cpu":"3"},"capacity":{"cpu":"4"}})") == "cpu=3000");
  CHECK(allocatable(R"({"allocatable":{},"capacity":{"cpu":"4"}})") == "");
  CHECK(allocatable(R"({"allocatable":null,"capacity":{"cpu":"4"}})") == "cpu=4000");

  const Result<ObjectSet> set =
      parse_objects(R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"x",
      "labels":{"z":"1","kubernetes.io/metadata.name":"wrong"}}})",
                    options);
  REQUIRE(set.ok());
  const Labels labels = set->namespaces[0]->meta.labels;
  REQUIRE(labels.size() == 2);
  CHECK(find_label(labels, "kubernetes.io/metadata.name")->value == "x");
}

TEST_CASE("defaults: priority admission") {
  const auto priority = [](const std::string& classes, const std::string& spec,
                           const std::vector<PriorityClassRef>& more = {}) {
    ParseOptions options;
    options.defaults = true;
    options.priority_classes = more;
    const Result<ObjectSet> set =
        parse_objects(R"([{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":)" + spec +
                          "}" + classes + "]",
                      options);
    REQUIRE_MESSAGE(set.ok(), set.error().text());
    const PodSpec& s = set->pods[0]->spec;
    return std::to_string(s.priority.value_or(-1)) + " " + std::string(s.priority_class_name) +
           " " + std::string(s.preemption_policy);
  };
  const auto pc = [](const std::string& name, int value, const std::string& more = "") {
    return R"(,{"kind":"PriorityClass","apiVersion":"scheduling.k8s.io/v1","metadata":{"name":")" +
           name + R"("},"value":)" + std::to_string(value) + more + "}";
  };
  const std::string global = R"(,"globalDefault":true)";
  CHECK(priority("", "{}") == "0  ");
  CHECK(priority("", R"({"priority":7})") == "7  ");
  CHECK(priority(pc("high", 9), R"({"priorityClassName":"high"})") == "9 high ");
  CHECK(priority(pc("high", 9, R"(,"preemptionPolicy":"Never")"),
                 R"({"priorityClassName":"high"})") == "9 high Never");
  CHECK(priority(pc("high", 9, R"(,"preemptionPolicy":"Never")"),
                 R"({"priorityClassName":"high","preemptionPolicy":"PreemptLowerPriority"})") ==
        "9 high PreemptLowerPriority");
  CHECK(priority(pc("high", 9), R"({"priorityClassName":"other"})") == "0 other ");
  CHECK(priority(pc("b", 5, global) + pc("a", 3, global), "{}") ==
        "3 a ");  // the lowest global one
  CHECK(priority(pc("b", 5, global), R"({"priorityClassName":"other"})") == "0 other ");
  // Classes from other inputs count as well.
  const Result<ObjectSet> classes = parse_objects("[" + pc("far", 4, global).substr(1) + "]", {});
  REQUIRE(classes.ok());
  CHECK(priority("", "{}", classes->priority_classes) == "4 far ");
  CHECK(priority(pc("near", 9), R"({"priorityClassName":"far"})", classes->priority_classes) ==
        "4 far ");
}

TEST_CASE("defaults: workloads get them as the pods that they create") {
  ParseOptions options;
  options.defaults = true;
  const Result<ObjectSet> set =
      parse_objects(R"({"kind":"DaemonSet","apiVersion":"apps/v1","metadata":{"name":"d"},
      "spec":{"template":{"spec":{"containers":[{"resources":{"limits":{"cpu":1}}}]}}}})",
                    options);
  REQUIRE(set.ok());
  CHECK(set->workloads[0]->pod->requests.milli_cpu == 1000);
  CHECK(set->workloads[0]->pod->spec.priority == 0);
}

TEST_CASE("defaults: the same document with another class is another pod") {
  const auto content = [](int value, const char* spec) {
    ParseOptions options;
    options.defaults = true;
    const Result<ObjectSet> set = parse_objects(
        R"([{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":)" + std::string(spec) +
            R"(},{"kind":"PriorityClass","apiVersion":"scheduling.k8s.io/v1","metadata":{"name":"c"},
            "globalDefault":true,"value":)" +
            std::to_string(value) + "}]",
        options);
    REQUIRE(set.ok());
    return set->pods[0]->content_hash;
  };
  CHECK(content(1, "{}") == content(1, "{}"));
  CHECK(content(1, "{}") != content(2, "{}"));
  CHECK(content(1, "{}") != content(1, R"({"nodeName":"n"})"));
  CHECK(content(1, R"({"priority":5})") == content(2, R"({"priority":5})"));
}

}  // namespace libsched::defaults_test
