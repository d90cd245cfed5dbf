// Documents of the clusters and of the judged pods.
#include "tests/bench/workload.hpp"

#include <cstdio>

namespace libsched_bench {
namespace {

std::string number(size_t n) { return std::to_string(n); }

std::string node_name(size_t index) {
  char text[32];
  std::snprintf(text, sizeof text, "node-%05zu", index);
  return text;
}

std::string images_of(size_t index) {
  std::string out;
  for (size_t k = 0; k < 8; ++k)
    out += std::string(k == 0 ? "" : ",") + R"({"names":["registry.example.com/app-)" +
           number((index + k) % 40) + R"(:v1"],"sizeBytes":)" + number((50 + k * 20) << 20) + "}";
  return out;
}

std::string taints_of(size_t index) {
  std::string out;
  for (size_t k = 0; k < 6; ++k)
    out += std::string(k == 0 ? "" : ",") + R"({"key":"key-)" + number(k) + R"(","value":")" +
           number(index % 3) + R"(","effect":")" +
           (k % 2 == 1 ? "PreferNoSchedule" : "NoSchedule") + R"("})";
  return out;
}

// Typical requests; the pods of a list cycle through these.
const char* const kCpu[] = {"100m", "250m", "500m", "1", "1500m", "2", "50m", "4"};
const char* const kMemory[] = {"128Mi", "512Mi", "1Gi", "2G", "3Gi", "768Mi", "6Gi"};
const char* const kZone = "topology.kubernetes.io/zone";

PodSpec varied(size_t i) {
  return {"probe-" + number(i), i == 0 ? "new" : "app-" + number(i), kCpu[i % 8], kMemory[i % 7]};
}

using Label = std::pair<std::string, std::string>;

std::string selector(const std::array<Label, 2>& labels) {
  std::string out;
  for (const auto& [key, value] : labels)
    if (!key.empty()) out += (out.empty() ? "\"" : ",\"") + key + "\":\"" + value + "\"";
  return ",\"nodeSelector\":{" + out + "}";
}

std::string bench_tolerations() {
  std::string out;
  for (size_t k = 0; k < 6; ++k) {
    const std::string key = R"({"key":"key-)" + number(k) + R"(","operator":"Equal","value":")";
    out +=
        (k == 0 ? "" : ",") + key + number(k % 2) + R"(","effect":"NoSchedule"},)" + key + "2\"}";
  }
  return ",\"tolerations\":[" + out + "]";
}

constexpr size_t kPods = 24;

}  // namespace

void ListDocument::add(const std::string& item) {
  text_ += text_.empty() ? R"({"apiVersion":"v1","kind":"List","items":[)" : ",";
  text_ += item;
}

std::string ListDocument::take() {
  std::string out = std::move(text_) + "]}";
  text_.clear();
  return out;
}

std::string node_document(ClusterKind kind, size_t index) {
  const std::string name = node_name(index);
  const char* const list =
      R"({"cpu":"32","memory":"128Gi","ephemeral-storage":"500Gi","pods":"110"})";
  return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name + R"(","uid":")" + name +
         R"(","resourceVersion":"1","labels":{"kubernetes.io/hostname":")" + name +
         R"(","kubernetes.io/os":"linux","kubernetes.io/arch":"amd64",)"
         R"("topology.kubernetes.io/region":"r1",")" +
         kZone + R"(":"zone-)" + number(index % 10) +
         R"(","node.kubernetes.io/instance-type":"type-)" + number(index % 7) +
         R"(","disktype":")" + (index % 2 == 0 ? "ssd" : "hdd") + R"("}},"spec":{)" +
         (kind == ClusterKind::kTainted ? "\"taints\":[" + taints_of(index) + "]" : "") +
         R"(},"status":{"allocatable":)" + list + R"(,"capacity":)" + list +
         R"(,"conditions":[{"type":"Ready","status":"True"}],"images":[)" + images_of(index) +
         "]}}";
}

std::string pod_document(const PodSpec& spec) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + spec.name +
         R"(","namespace":"default","uid":")" + spec.name +
         R"(","resourceVersion":"1","labels":{"app":")" + spec.app +
         R"("}},"spec":{"schedulerName":"default-scheduler","priority":0,"containers":[{"name":"c",)"
         R"("image":"registry.example.com/app-1:v1","resources":{"requests":{"cpu":")" +
         spec.cpu + R"(","memory":")" + spec.memory + "\"}}}]" + spec.more + "}}";
}

std::string existing_pod_document(size_t index, size_t nodes) {
  return pod_document({"existing-" + number(index), "app-" + number(index % 20), "500m", "1Gi",
                       ",\"nodeName\":\"" + node_name(index % nodes) + "\""});
}

std::vector<PodSpec> plain_pods() {
  std::vector<PodSpec> out;
  for (size_t i = 0; i < kPods; ++i) {
    PodSpec pod = varied(i);
    // Every third pod has the tolerations that admission adds, and every fourth requires Linux.
    if (i % 3 == 1)
      pod.more += R"(,"tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists",)"
                  R"("effect":"NoExecute","tolerationSeconds":300},)"
                  R"({"key":"dedicated","operator":"Equal","value":"team-)" +
                  number(i) + R"(","effect":"NoSchedule"}])";
    if (i % 4 == 2) pod.more += selector({Label{"kubernetes.io/os", "linux"}, Label()});
    out.push_back(pod);
  }
  return out;
}

std::vector<PodSpec> tolerating_pods() {
  std::vector<PodSpec> out;
  for (size_t i = 0; i < kPods; ++i) {
    out.push_back(varied(i));
    out.back().more = bench_tolerations();
  }
  return out;
}

std::vector<SelectingPod> selecting_pods() {
  std::vector<SelectingPod> out;
  for (const PodSpec& spec : tolerating_pods()) {
    const size_t i = out.size();
    const Label zone{kZone, "zone-" + number(i % 10)};
    const Label disk{"disktype", i % 5 < 3 ? "ssd" : "hdd"};
    const Label type{"node.kubernetes.io/instance-type", "type-" + number(i % 7)};
    const std::array<std::array<Label, 2>, 4> kinds = {
        {{disk, Label()}, {zone, Label()}, {type, disk}, {zone, type}}};
    out.push_back({spec, kinds[i % 4]});
    out.back().spec.more += selector(out.back().labels);
  }
  return out;
}

std::vector<PodSpec> affine_pods() {
  std::vector<PodSpec> out;
  for (size_t i = 0; i < kPods; ++i) {
    out.push_back(varied(i));
    out.back().more =
        R"(,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
        R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":"topology.kubernetes.io/zone",)"
        R"("operator":"In","values":["zone-1","zone-2","zone-3","zone-4","zone-5"]},)"
        R"({"key":"disktype","operator":"Exists"}]}]}}})";
  }
  return out;
}

void add_nodes(libsched_cluster* cluster, ClusterKind kind, size_t nodes) {
  ListDocument list;
  for (size_t i = 0; i < nodes; ++i) {
    list.add(node_document(kind, i));
    if (i % 5000 == 4999 || i + 1 == nodes) apply(cluster, parse_objects(list.take()).get());
  }
}

void add_existing_pods(libsched_cluster* cluster, size_t nodes, size_t pods_per_node) {
  ListDocument list;
  const size_t pods = nodes * pods_per_node;
  for (size_t i = 0; i < pods; ++i) {
    list.add(existing_pod_document(i, nodes));
    if (i % 10000 == 9999 || i + 1 == pods) apply(cluster, parse_objects(list.take()).get());
  }
}

Cluster build_cluster(ClusterKind kind, size_t nodes, size_t pods_per_node) {
  Cluster out = make_cluster();
  add_nodes(out.get(), kind, nodes);
  add_existing_pods(out.get(), nodes, pods_per_node);
  return out;
}

}  // namespace libsched_bench
