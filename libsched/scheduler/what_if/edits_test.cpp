// Tests of edits: their texts, their effects, errors that change nothing.
#include "libsched/scheduler/what_if/edits.hpp"

#include <doctest/doctest.h>

#include "libsched/ingest/ingest.hpp"
#include "libsched/objects/storage.hpp"
#include "libsched/scheduler/what_if/edit.hpp"

namespace libsched::edits_test {
namespace {

std::string pod(Str name, Str owner_kind, Str owner, Str node, Str more = {}) {
  std::string out = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + std::string(name) +
                    R"(","namespace":"shop","labels":{"pod-template-hash":"7f"})";
  if (!owner.empty()) {
    out += R"(,"ownerReferences":[{"apiVersion":"apps/v1","kind":")" + std::string(owner_kind) +
           R"(","name":")" + std::string(owner) + R"(","uid":"u","controller":true}])";
  }
  out += R"(},"spec":{"nodeName":")" + std::string(node) +
         R"(","containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}])" +
         std::string(more) + "}}";
  return out;
}
std::string node(Str name) {
  return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + std::string(name) +
         R"(","labels":{"kubernetes.io/hostname":")" + std::string(name) +
         R"("}},"status":{"allocatable":{"cpu":"8","memory":"8Gi","pods":"20"}}})";
}
constexpr Str kClaimVolume =
    R"(,"volumes":[{"name":"data","persistentVolumeClaim":{"claimName":"data-db-0"}}])";

// Nodes n0 and n1; the Deployment web (web-7f-a, web-7f-b), the StatefulSet db (db-0), the
// DaemonSet agent and a pod without a controller.
Ref<Cluster> shop() {
  std::string text = R"({"apiVersion":"v1","kind":"List","items":[)";
  text += node("n0") + "," + node("n1");
  text += R"(,{"apiVersion":"storage.k8s.io/v1","kind":"CSINode","metadata":{"name":"n0"},)"
          R"("spec":{"drivers":[{"name":"d","nodeID":"n0"}]}})";
  text += R"(,{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"data-db-0",)"
          R"("namespace":"shop","uid":"c"},"spec":{"volumeName":"v","storageClassName":"fast",)"
          R"("resources":{"requests":{"storage":"1Gi"}}}})";
  for (const std::string& p :
       {pod("web-7f-a", "ReplicaSet", "web-7f", "n0"),
        pod("web-7f-b", "ReplicaSet", "web-7f", "n1"),
        pod("db-0", "StatefulSet", "db", "n0", kClaimVolume),
        pod("agent-x", "DaemonSet", "agent", "n0"), pod("lone", "", "", "n1")})
    text += "," + p;
  const Result<ObjectSet> set = parse_objects(text + "]}", {});
  REQUIRE(set.ok());
  Ref<Cluster> cluster = make_ref<Cluster>();
  REQUIRE(cluster->apply(*set).ok());
  return cluster;
}

std::string refusal(Str text) {
  const Ref<Cluster> cluster = shop();
  const uint64_t before = cluster->view().version();
  std::vector<AskedPod> pods;
  const Str edits[] = {"cordon n0", text};
  const Result<void> done = apply_edits(*cluster, edits, &pods);
  REQUIRE_FALSE(done.ok());
  CHECK(cluster->view().version() == before);
  CHECK_FALSE(cluster->view().node(cluster->view().find_node("n0"))->unschedulable);
  CHECK(pods.empty());
  return done.error().message;
}

void apply(Cluster& cluster, std::vector<Str> edits, std::vector<AskedPod>* pods = nullptr) {
  std::vector<AskedPod> none;
  const Result<void> done = apply_edits(cluster, edits, pods == nullptr ? &none : pods);
  if (!done.ok()) FAIL(done.error().message);
}

const Pod* find(const Cluster& cluster, Str name) {
  const uint32_t slot = cluster.view().find_pod("shop", name);
  return slot == kNoId ? nullptr : cluster.view().slot(slot).pod.get();
}

}  // namespace

TEST_CASE("edits: nodes are added with what belongs to them, removed with their pods, cordoned") {
  const Ref<Cluster> cluster = shop();
  const View& v = cluster->view();
  apply(*cluster, {"add-node n0=2", " remove-node  n1 ", "cordon n0-1", "cordon n0-1"});
  CHECK(v.node_count() == 3);
  CHECK(find(*cluster, "lone") == nullptr);
  CHECK(find(*cluster, "web-7f-b") == nullptr);
  CHECK(v.pod_count() == 5);  // three of n0 and two copies of the agent
  const uint32_t made = v.find_node("n0-0");
  REQUIRE(made != kNoId);
  CHECK(find_label(v.node(made)->meta.labels, "kubernetes.io/hostname")->value == "n0-0");
  CHECK(v.row(made).pods.size() == 1);
  CHECK(find(*cluster, "agent-x-n0-0")->meta.uid.empty());
  CHECK(v.objects().find<CsiNode>("n0-1")->drivers.size() == 1);
  CHECK_FALSE(v.node(made)->unschedulable);
  CHECK(v.node(v.find_node("n0-1"))->unschedulable);
  apply(*cluster, {"add-node n0=1"});
  CHECK(v.find_node("n0-2") != kNoId);
}

TEST_CASE("edits: a workload is scaled down by its rules, and up by copies without a node") {
  const Ref<Cluster> cluster = shop();
  std::vector<AskedPod> pods;
  apply(*cluster, {"scale shop/web=4", "scale shop/db=3"}, &pods);
  REQUIRE(pods.size() == 4);
  CHECK(pods[0].pod->meta.name == "web-7f-0");
  CHECK(pods[0].pod->spec.node_name.empty());
  CHECK(pods[0].origin == AskedPod::kNew);
  CHECK(pods[3].pod->meta.name == "db-2");
  CHECK(pods[3].pod->claim_names[0] == "data-db-2");
  const auto* claim = cluster->view().objects().find<PersistentVolumeClaim>("shop", "data-db-2");
  REQUIRE(claim != nullptr);
  CHECK(claim->volume_name.empty());
  CHECK(claim->storage_class() == "fast");
  apply(*cluster, {"scale shop/web=3", "scale shop/db=2"}, &pods);
  REQUIRE(pods.size() == 2);
  CHECK(pods[0].pod->meta.name == "web-7f-0");
  CHECK(pods[1].pod->meta.name == "db-1");
  apply(*cluster, {"scale shop/web=1", "scale shop/db=0"}, &pods);
  CHECK(pods.empty());
  CHECK(find(*cluster, "web-7f-a") != nullptr);
  CHECK(find(*cluster, "web-7f-b") == nullptr);
  CHECK(find(*cluster, "db-0") == nullptr);
}

TEST_CASE("edits: fields of pods, of workloads and of what is asked about") {
  const Ref<Cluster> cluster = shop();
  const Result<ObjectSet> asked =
      parse_objects(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web",)"
                    R"("namespace":"shop"},"spec":{"replicas":2,"template":{"spec":{"containers":)"
                    R"([{"name":"c"}]}}}})",
                    {});
  REQUIRE(asked.ok());
  std::vector<AskedPod> pods = {{asked->workloads[0]->pod, "Deployment", 2, 0}};
  apply(*cluster,
        {"set shop/web:requests.cpu=2500m", "set shop/lone:nodeSelector.disk=ssd",
         "set shop/lone:limits.memory=1Gi", "set shop/lone:priority=7", "set shop/lone:labels.a=b",
         "set shop/lone:requests.example.com/gpu=2", "set shop/lone:requests.cpu-",
         "scale shop/web=9"},
        &pods);
  REQUIRE(pods.size() == 1);
  CHECK(pods[0].pod->requests.milli_cpu == 2500);
  CHECK(pods[0].replicas == 9);
  CHECK(pods[0].origin == 0);
  CHECK(find(*cluster, "web-7f-a")->requests.milli_cpu == 2500);
  const Pod& lone = *find(*cluster, "lone");
  CHECK(lone.requests.milli_cpu == 0);
  CHECK(lone.requests.memory == 1 << 30);  // a limit is the request by default
  CHECK(lone.requests.scalars[0].value == 2);
  CHECK(lone.spec.containers[0].limits.size() == 2);
  CHECK(lone.priority() == 7);
  CHECK(find_label(lone.spec.node_selector, "disk")->value == "ssd");
  CHECK(find_label(lone.meta.labels, "a")->value == "b");
  // Copies of edited pods live on their own.
  const Ref<Pod> copy = copy_pod(lone, "copy", "shop", {}, {});
  apply(*cluster, {"remove-node n1"}, &pods);
  CHECK(find_label(copy->spec.node_selector, "disk")->value == "ssd");
  CHECK(copy->requests.scalars[0].name == "example.com/gpu");
}

TEST_CASE("edits: an error names the edit and the nearest name, and changes nothing") {
  CHECK(refusal("drain n0") ==
        R"("drain n0": edits are add-node, remove-node, cordon, scale and set)");
  CHECK(
      refusal("cordn n0") ==
      R"("cordn n0": edits are add-node, remove-node, cordon, scale and set; did you mean "cordon"?)");
  CHECK(refusal("cordon") == R"("cordon": is not of the form cordon NAME)");
  CHECK(refusal("add-node n0") == R"("add-node n0": is not of the form add-node TEMPLATE=N)");
  CHECK(refusal("add-node n0=-1") == R"("add-node n0=-1": "-1" is no number)");
  CHECK(refusal("add-node n0=1000001") ==
        R"("add-node n0=1000001": "1000001" is more than 1000000)");
  CHECK(refusal("remove-node node-7") == R"("remove-node node-7": there is no node "node-7")");
  CHECK(refusal("cordon n00") == R"("cordon n00": there is no node "n00"; did you mean "n0"?)");
  CHECK(refusal("scale web=3") == R"("scale web=3": is not of the form scale NAMESPACE/NAME=N)");
  CHECK(refusal("scale shop/weg=3") ==
        R"("scale shop/weg=3": no workload "shop/weg" has pods; did you mean "shop/web"?)");
  CHECK(refusal("scale shop/agent=3") ==
        R"("scale shop/agent=3": a DaemonSet has a pod for each node)");
  CHECK(
      refusal("set shop/lona:priority=1") ==
      R"("set shop/lona:priority=1": there is no pod "shop/lona", and no workload of that name has )"
      R"(pods; did you mean "shop/lone"?)");
  CHECK(refusal("set shop/lone:request.cpu=1").ends_with(R"(; did you mean "requests."?)"));
  CHECK(refusal("set shop/lone:requests.cpus=1") ==
        R"("set shop/lone:requests.cpus=1": "cpus" is no resource; did you mean "cpu"?)");
  CHECK(refusal("set shop/lone:requests.cpu=x").find("quantities must match") != std::string::npos);
  CHECK(refusal("set shop/lone:requests.cpu=-1") ==
        R"("set shop/lone:requests.cpu=-1": "-1" is negative)");
  CHECK(
      refusal("set shop/lone:limits.cpu=500m") ==
      R"("set shop/lone:limits.cpu=500m": shop/lone asks for 1 of cpu, but its limit is 0.5; set the )"
      R"(other one before)");
  CHECK(refusal("set shop/lone:limits.cpu-") ==
        R"("set shop/lone:limits.cpu-": shop/lone has no limits.cpu to take away)");
  CHECK(refusal("set shop/lone:containers.d.requests.cpu=1") ==
        R"("set shop/lone:containers.d.requests.cpu=1": shop/lone has no container "d")");
  CHECK(refusal("set shop/lone:labels.a b=1").find("a b") != std::string::npos);
  CHECK(refusal("set shop/lone:priority=x").ends_with("a number of 32 bits"));
}

}  // namespace libsched::edits_test
