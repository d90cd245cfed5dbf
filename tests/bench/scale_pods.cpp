// Documents of the pods of `scale`, and which nodes allow them.
#include "tests/bench/scale_pods.hpp"

namespace libsched_bench {
namespace {

constexpr const char* kHost = "kubernetes.io/hostname";
constexpr const char* kZone = "topology.kubernetes.io/zone";

// Pod i is of app i % 20 and on node i % nodes, so the pods of app-3 are on the nodes 3, 23, 43,
// ..., all of which are in zone-3.
bool has_app_3(size_t node) { return node % 20 == 3; }

std::string constraint(const char* key) {
  return R"({"maxSkew":1,"topologyKey":")" + std::string(key) +
         R"(","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"app-3"}}})";
}

}  // namespace

const std::vector<ScaleKind>& scale_kinds() {
  static const std::vector<ScaleKind> kinds = {
      {"basic", ClusterKind::kBasic, [](size_t) { return true; }},
      {"selector", ClusterKind::kBasic,
       [](size_t node) { return node % 10 == 1 && node % 7 == 3; }},
      {"taints", ClusterKind::kTainted, [](size_t node) { return node % 3 != 1; }},
      // Nine of ten zones and nineteen of twenty hosts have no pod of the app; one more is allowed.
      {"spread-hard", ClusterKind::kBasic, [](size_t node) { return node % 10 != 3; }},
      {"anti-app", ClusterKind::kBasic, [](size_t node) { return !has_app_3(node); }},
  };
  return kinds;
}

PodSpec scale_pod(const std::string& kind, const std::string& cpu) {
  PodSpec pod;
  pod.name = "probe";
  pod.cpu = cpu;
  if (kind == "selector") {
    pod.more = std::string(R"(,"nodeSelector":{")") + kZone +
               R"(":"zone-1","node.kubernetes.io/instance-type":"type-3"})";
  } else if (kind == "taints") {
    pod.more = tolerating_pods()[0].more;
  } else if (kind == "spread-hard") {
    pod.app = "app-3";
    pod.more =
        ",\"topologySpreadConstraints\":[" + constraint(kZone) + "," + constraint(kHost) + "]";
  } else if (kind == "anti-app") {
    pod.more =
        R"(,"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
        R"([{"labelSelector":{"matchLabels":{"app":"app-3"}},"topologyKey":")" +
        std::string(kHost) + "\"}]}}";
  }
  return pod;
}

std::string sized_node(const std::string& name, const std::string& cpu, const std::string& memory,
                       const std::string& pods) {
  const std::string list =
      R"({"cpu":")" + cpu + R"(","memory":")" + memory + R"(","pods":")" + pods + "\"}";
  return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name +
         R"(","labels":{"kubernetes.io/hostname":")" + name +
         R"(","kubernetes.io/os":"linux","topology.kubernetes.io/zone":"zone-1"}},"spec":{},)"
         R"("status":{"allocatable":)" +
         list + R"(,"capacity":)" + list + "}}";
}

PodSpec sized_pod(const std::string& app, const std::string& cpu, const std::string& memory) {
  PodSpec pod;
  pod.name = pod.app = app;
  pod.cpu = cpu;
  pod.memory = memory;
  return pod;
}

std::string ghost_node() {
  std::string out = sized_node("ghost", "10", "64Gi", "110");
  const std::string spec = "\"spec\":{";
  out.insert(out.find(spec) + spec.size(),
             R"("taints":[{"key":"ToBeDeleted","effect":"NoSchedule"}])");
  return out;
}

std::string sim_documents() {
  const auto list = [](size_t count, auto item) {
    std::string out;
    for (size_t i = 0; i < count; ++i) out += (i == 0 ? "" : ",") + item(i);
    return "[" + out + "]";
  };
  const auto drained = [](size_t app) {
    return pod_document(sized_pod("app-" + std::to_string(app), "100m", "128Mi"));
  };
  return "{\"nodes\":" +
         list(kNodes + 1, [](size_t i) { return node_document(ClusterKind::kBasic, i); }) +
         ",\"apps\":" + list(20, [](size_t i) { return existing_pod_document(i, kNodes); }) +
         ",\"probe\":" + pod_document(scale_pod("basic")) +
         ",\"big\":{\"basic\":" + pod_document(scale_pod("basic", "40")) +
         ",\"anti-app\":" + pod_document(scale_pod("anti-app", "40")) +
         "},\"shapes\":" + list(20, [](size_t i) { return pod_document(plain_pods()[i]); }) +
         ",\"pack\":{\"old\":" + sized_node("node-00000", "100m", "100", "10") +
         ",\"template\":" + sized_node("template", "1", "5000", "100") +
         ",\"small\":" + pod_document(sized_pod("app", "50m", "100")) +
         ",\"large\":" + pod_document(sized_pod("app", "95m", "190")) +
         "},\"drain\":{\"node\":" + sized_node("node", "10", "64Gi", "110") +
         ",\"ghost\":" + ghost_node() + ",\"apps\":" + list(20, drained) + "}}";
}

}  // namespace libsched_bench
