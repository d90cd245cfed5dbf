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

}  // namespace libsched_bench
