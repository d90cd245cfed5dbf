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

std::string taints_of(const Node& node) {
  std::string out;
  for (const Taint& t : node.taints)
    out += (out.empty() ? "" : " ") + std::string(t.key) + "=" + std::string(t.value) + ":" +
           std::string(t.effect_text);
  return out;
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

TEST_CASE("edits: a node is tainted, labelled and uncordoned as by kubectl") {
  const Ref<Cluster> cluster = shop();
  const View& v = cluster->view();
  const auto n1 = [&]() -> const Node& { return *v.node(v.find_node("n1")); };
  apply(*cluster, {"cordon n1", "taint n1 a=b:NoSchedule", "taint n1 a=c:NoSchedule",
                   "taint n1 a:PreferNoSchedule", "label n1 disk=ssd", "label n1 zone=x"});
  CHECK(taints_of(n1()) ==
        "a=:PreferNoSchedule a=c:NoSchedule node.kubernetes.io/unschedulable=:NoSchedule");
  CHECK(find_label(n1().meta.labels, "disk")->value == "ssd");
  // Copies of edited nodes live on their own.
  const Ref<Node> copy = copy_node(n1(), "copy", {});
  apply(*cluster, {"untaint n1 a:NoSchedule", "label n1 disk-", "uncordon n1", "uncordon n1"});
  CHECK(taints_of(n1()) == "a=:PreferNoSchedule");
  CHECK_FALSE(n1().unschedulable);
  CHECK(find_label(n1().meta.labels, "disk") == nullptr);
  CHECK(find_label(n1().meta.labels, "zone")->value == "x");
  apply(*cluster, {"taint n1 a=:NoExecute", "taint n1 a-"});
  CHECK(n1().taints.empty());
  apply(*cluster, {"remove-node n1"});
  CHECK(taints_of(*copy) ==
        "a=:PreferNoSchedule a=c:NoSchedule node.kubernetes.io/unschedulable=:NoSchedule");
  CHECK(find_label(copy->meta.labels, "disk")->value == "ssd");
}

TEST_CASE("edits: nodes are chosen by labels, and none that matches is an error") {
  const Ref<Cluster> cluster = shop();
  const View& v = cluster->view();
  apply(*cluster, {"label n0 pool=gpu", "label n1 pool=gpu", "label n1 spot="});
  apply(*cluster, {"cordon pool in (gpu, cpu)", "uncordon -l spot",
                   "taint pool=gpu,!spot a:NoExecute", "label kubernetes.io/hostname=n1 b=c"});
  CHECK(v.node(v.find_node("n0"))->unschedulable);
  CHECK_FALSE(v.node(v.find_node("n1"))->unschedulable);
  CHECK(v.node(v.find_node("n0"))->taints.size() == 2);
  CHECK(v.node(v.find_node("n1"))->taints.empty());
  CHECK(find_label(v.node(v.find_node("n1"))->meta.labels, "b") != nullptr);
  apply(*cluster, {"untaint pool=gpu a"});  // one of the two has it
  apply(*cluster, {"add-node pool=gpu=2", "remove-node pool=gpu,!spot"});
  CHECK(v.node_count() == 3);
  CHECK(v.find_node("n0") == kNoId);
  CHECK(v.find_node("n1-1") != kNoId);
  CHECK(refusal("cordon pool=gpu") == R"("cordon pool=gpu": no node has labels like "pool=gpu")");
  CHECK(refusal("cordon kubernetes.io/hostname=n2")
            .ends_with(R"(did you mean "kubernetes.io/hostname=n0"?)"));
  CHECK(refusal("cordon -l hostname=n0") ==
        R"("cordon -l hostname=n0": no node has labels like "hostname=n0"; )"
        R"(did you mean "kubernetes.io/hostname=n0"?)");
  CHECK(refusal("cordon -l") ==
        R"("cordon -l": the selector of nodes: "": a label's key was expected)");
  CHECK(refusal("cordon a=b=c") ==
        R"("cordon a=b=c": the selector of nodes: "=c": a comma or the end was expected)");
  CHECK(refusal("add-node kubernetes.io/hostname=600000") ==
        R"("add-node kubernetes.io/hostname=600000": asks for 600000 copies of each of 2 nodes, )"
        "together more than 1000000");
}

TEST_CASE("edits: a copy of a node is healthy and not cordoned, and a note says what it lacks") {
  const Ref<Cluster> cluster = shop();
  const View& v = cluster->view();
  std::vector<AskedPod> pods;
  std::vector<std::string> notes = {"before"};
  const Str edits[] = {"cordon n0", "taint n0 node.kubernetes.io/not-ready:NoExecute",
                       "taint n0 mine=1:NoSchedule", "add-node n0=2", "add-node n1=1"};
  REQUIRE(apply_edits(*cluster, edits, &pods, &notes).ok());
  CHECK(taints_of(*v.node(v.find_node("n0-1"))) == "mine=1:NoSchedule");
  CHECK_FALSE(v.node(v.find_node("n0-1"))->unschedulable);
  CHECK(v.node(v.find_node("n0"))->unschedulable);
  CHECK(notes == std::vector<std::string>{
                     "before",
                     "the taint node.kubernetes.io/not-ready:NoExecute evicts pods that do not "
                     "tolerate it for good: 3 pods",
                     "the copies of n0 are taken to be healthy; they are without its cordon, taint "
                     "node.kubernetes.io/not-ready:NoExecute, taint "
                     "node.kubernetes.io/unschedulable:NoSchedule"});
  const Str wrong[] = {"add-node n0=1", "cordon n7"};
  CHECK_FALSE(apply_edits(*cluster, wrong, &pods, &notes).ok());
  CHECK(notes.size() == 3);
}

TEST_CASE("edits: a pod that is asked about has no node any more once its node is gone") {
  const Ref<Cluster> cluster = shop();
  const auto asked = [&](Str name) {
    return AskedPod{PodRef::share(find(*cluster, name)), {}, 1, 0};
  };
  std::vector<AskedPod> pods = {asked("lone"), asked("web-7f-a")};
  apply(*cluster, {"remove-node n1"}, &pods);
  REQUIRE(pods.size() == 2);
  CHECK(pods[0].pod->spec.node_name.empty());
  CHECK(pods[0].pod->meta.name == "lone");
  CHECK(pods[1].pod->spec.node_name == "n0");
  CHECK(find(*cluster, "lone") == nullptr);
  // A taint takes it away as well.
  apply(*cluster, {"taint n0 a:NoExecute"}, &pods);
  CHECK(pods[1].pod->spec.node_name.empty());
  CHECK(find(*cluster, "web-7f-a") == nullptr);
}

TEST_CASE("edits: documents of edited nodes say what has changed") {
  const Result<ObjectSet> set = parse_objects(
      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}})", {.keep_raw = true});
  REQUIRE(set.ok());
  const Ref<Cluster> cluster = make_ref<Cluster>();
  REQUIRE(cluster->apply(*set).ok());
  apply(*cluster, {"cordon a", "label a b=c", "add-node a=1"});
  const View& v = cluster->view();
  CHECK(v.node(v.find_node("a"))->raw.find("node.kubernetes.io/unschedulable") != Str::npos);
  CHECK(v.node(v.find_node("a"))->raw.find(R"("b":"c")") != Str::npos);
  CHECK(v.node(v.find_node("a-0"))->raw.find("unschedulable") == Str::npos);
  CHECK(v.node(v.find_node("a-0"))->raw.find(R"("name":"a-0")") != Str::npos);
}

TEST_CASE("edits: an error names the edit and the nearest name, and changes nothing") {
  CHECK(refusal("drain n0") ==
        R"("drain n0": edits are add-node, remove-node, cordon, uncordon, taint, untaint, label, )"
        "scale and set");
  CHECK(refusal("cordn n0").ends_with(R"(label, scale and set; did you mean "cordon"?)"));
  CHECK(refusal("cordon") == R"("cordon": is not of the form cordon NODE)");
  CHECK(refusal("add-node n0") == R"("add-node n0": is not of the form add-node NODE=N)");
  CHECK(refusal("add-node n0=-1") == R"("add-node n0=-1": "-1" is no number)");
  CHECK(refusal("add-node n0=1000001") ==
        R"("add-node n0=1000001": "1000001" is more than 1000000)");
  CHECK(refusal("remove-node node-7") == R"("remove-node node-7": there is no node "node-7")");
  CHECK(refusal("cordon n00") == R"("cordon n00": there is no node "n00"; did you mean "n0"?)");
  CHECK(refusal("taint n1 a=b") ==
        R"("taint n1 a=b": the taint "a=b" has no effect: KEY=VALUE:EFFECT)");
  CHECK(refusal("taint n1") == R"("taint n1": is not of the form taint NODE KEY=VALUE:EFFECT)");
  CHECK(refusal("taint n1 a:NoExecut").ends_with(R"(did you mean "NoExecute"?)"));
  CHECK(refusal("taint n1 a_:NoExecute").find("name part") != std::string::npos);
  CHECK(refusal("untaint n1 a:NoExecute") ==
        R"("untaint n1 a:NoExecute": n1 has no taint a:NoExecute to take away)");
  CHECK(
      refusal("taint -l kubernetes.io/hostname a-") ==
      R"("taint -l kubernetes.io/hostname a-": none of the 2 nodes has the taint a to take away)");
  CHECK(
      refusal("untaint n0 node.kubernetes.io/unschedulable").ends_with("use cordon and uncordon"));
  CHECK(refusal("label n1 a") == R"("label n1 a": is not of the form label NODE KEY=VALUE)");
  CHECK(refusal("label n1 a=-").find("a valid label must be") != std::string::npos);
  CHECK(refusal("label n1 disk-") == R"("label n1 disk-": n1 has no label disk to take away)");
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
