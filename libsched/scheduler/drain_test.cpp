// Drain: what stays, what is refused, budgets, the order, and that the cluster is as before. The
// plugins are fakes.
#include "libsched/scheduler/drain.hpp"

#include <set>

#include "libsched/ingest/ingest.hpp"
#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::drain_test {

using Names = std::vector<std::string>;

const char* const kReplicaSet = "ownerReferences: [{kind: ReplicaSet, name: r, controller: true}]";

// Nodes that take `each` pods and are not cordoned.
struct Room {
  explicit Room(size_t each, const Names& nodes = {"n1", "n2", "n3"})
      : w({fake(each)}, nodes), evaluators{&w.evaluator} {
    view = &w.cluster->view();
    options.other_profile = "fakes";
    options.ties = TieMode::kName;
  }
  Fake fake(size_t each) {
    Fake out;
    out.name = "Room";
    out.filter = [this, each](const FilterCall& call, const Node& node) {
      asked.push_back(std::string(call.pod.meta.name));
      if (node.unschedulable) {
        const Taint& taint = node.taints[0];
        cordoned = std::string(taint.key) + ":" + std::string(taint.effect_text);
        if (!tolerant.contains(std::string(call.pod.meta.name)))
          return Status(Code::kUnschedulable, "cordoned");
      }
      const uint32_t row = view->find_node(node.meta.name);
      return view->row(row).pods.size() < each ? Status() : Status(Code::kUnschedulable, "full");
    };
    return out;
  }
  void add(const std::string& name, const std::string& node, const std::string& meta = kReplicaSet,
           const std::string& more = "") {
    Result<PodRef> pod = parse_pod("metadata: {name: " + name + ", namespace: default, " + meta +
                                       "}\nspec: {nodeName: " + node + "}\n" + more,
                                   {});
    REQUIRE_MESSAGE(pod.ok(), pod.error().text());
    const Pod* const one[] = {pod->get()};
    REQUIRE(w.cluster->add_pods(one, nullptr, 1).ok());
  }
  void apply(const std::string& document) {
    const Result<ObjectSet> objects = parse_objects(document, {});
    REQUIRE_MESSAGE(objects.ok(), objects.error().text());
    REQUIRE(w.cluster->apply(*objects).ok());
  }
  Result<Drain> of(const std::vector<Str>& nodes) { return drain(evaluators, nodes, options); }
  // "name outcome: to or why" of each pod.
  Names told(const std::vector<Str>& nodes) {
    const Result<Drain> d = of(nodes);
    REQUIRE_MESSAGE(d.ok(), d.error().text());
    Names out;
    for (const DrainedPod& p : d->pods)
      out.push_back(std::string(p.pod->meta.name) + " " + std::to_string(int(p.outcome)) + ": " +
                    (p.outcome == DrainOutcome::kMoved ? p.placement.node : p.text));
    complete = d->complete();
    return out;
  }

  const View* view = nullptr;
  Names asked;
  std::set<std::string> tolerant;  // of cordons
  std::string cordoned;            // the first taint of a cordoned node
  bool complete = false;
  FakeWorld w;
  std::vector<Evaluator*> evaluators;
  DrainOptions options;
};

TEST_CASE("The pods of drained nodes move in order, and the cluster is as before") {
  Room room(3);
  room.add("b", "n1");
  room.add("a", "n1");
  room.add("c", "n2");
  room.add("d", "n3");
  const uint64_t before = room.view->version();
  CHECK(room.told({"n2", "n1"}) ==
        Names{"c 0: n3", "a 0: n3", "b 1: 0/3 nodes are available: 1 full, 2 cordoned."});
  CHECK(!room.complete);
  CHECK(room.view->version() == before);
  CHECK(room.view->pod_count() == 4);
  CHECK(!room.view->node(room.view->find_node("n1"))->unschedulable);
  CHECK(room.told({"n3"}) == Names{"d 0: n1"});
  CHECK(room.complete);
}

TEST_CASE("A pod that its cordon does not keep away returns, and the node is not emptied") {
  Room room(3);
  room.tolerant = {"all", "last"};
  room.add("all", "n1");
  room.add("web", "n1");
  const Names came_back = {"all 7: comes back: the cordon does not keep it away", "web 0: n2"};
  CHECK(room.told({"n1"}) == came_back);
  CHECK(!room.complete);
  CHECK(room.of({"n1"})->pods[0].placement.node == "n1");
  // Another drained node is no better.
  room.add("u", "n2");
  room.add("v", "n2");
  room.add("last", "n3");
  CHECK(room.told({"n3", "n1"})[0] ==
        "last 7: goes to n1, which is drained, too: the cordon does not keep it away");
  CHECK(!room.complete);
}

TEST_CASE("A cordon comes with the taint that the node lifecycle controller adds") {
  Room room(3);
  room.add("a", "n1");
  CHECK(room.told({"n1"}) == Names{"a 0: n2"});
  CHECK(room.cordoned == "node.kubernetes.io/unschedulable:NoSchedule");
  CHECK(room.view->node(room.view->find_node("n1"))->taints.empty());
}

TEST_CASE("Nodes are chosen by labels, each once") {
  Room room(9, {"n1"});
  room.apply(
      "{apiVersion: v1, kind: List, items: ["
      "{apiVersion: v1, kind: Node, metadata: {name: b, labels: {pool: gpu}}},"
      "{apiVersion: v1, kind: Node, metadata: {name: a, labels: {pool: gpu, spot: ''}}}]}");
  room.add("p", "a");
  room.add("q", "b");
  CHECK(room.told({"pool=gpu"}) == Names{"p 0: n1", "q 0: n1"});
  CHECK(room.of({"-l spot", "pool=gpu", "n1"})->nodes == Names{"a", "b", "n1"});
  CHECK(room.of({"pool=gpu", "a"}).error().text() == "the node \"a\" is given twice");
  CHECK(room.of({"pool=cpu"}).error().rc == Rc::kNotFound);
  CHECK(room.of({"pool=c=u"}).error().rc == Rc::kInvalid);
}

TEST_CASE("Pods leave by priority, then by namespace and name") {
  Room room(9);
  room.apply(
      "{apiVersion: v1, kind: List, items: ["
      "{apiVersion: v1, kind: Pod, metadata: {name: low, ownerReferences: [{kind: Job, controller: "
      "true}]}, spec: {nodeName: n1, priority: -1}},"
      "{apiVersion: v1, kind: Pod, metadata: {name: high, ownerReferences: [{kind: Job, "
      "controller: "
      "true}]}, spec: {nodeName: n1, priority: 9}},"
      "{apiVersion: v1, kind: Pod, metadata: {name: x, namespace: z, ownerReferences: [{kind: Job, "
      "controller: true}]}, spec: {nodeName: n1}},"
      "{apiVersion: v1, kind: Pod, metadata: {name: m, namespace: a, ownerReferences: [{kind: Job, "
      "controller: true}]}, spec: {nodeName: n1}}]}");
  CHECK(room.told({"n1"}) == Names{"high 0: n2", "m 0: n2", "x 0: n2", "low 0: n2"});
}

TEST_CASE("DaemonSet and static pods stay; others are refused as by kubectl") {
  Room room(9);
  const std::string daemon = "ownerReferences: [{kind: DaemonSet, name: d, controller: true}]";
  room.add("daemon", "n1", daemon);
  room.add("static", "n1", "annotations: {kubernetes.io/config.mirror: abc}");
  CHECK(room.told({"n1"}) ==
        Names{"daemon 3: ignoring DaemonSet-managed Pods", "static 3: a static pod"});
  CHECK(room.complete);
  room.add("ended-daemon", "n1", daemon, "status: {phase: Succeeded}");
  room.add("ended", "n1", "labels: {}", "status: {phase: Failed}");
  CHECK(room.told({"n1"}) == Names{"daemon 3: ignoring DaemonSet-managed Pods",
                                   "ended 2: has ended", "ended-daemon 2: has ended",
                                   "static 3: a static pod"});
  CHECK(room.complete);
  room.add("bare", "n1", "labels: {}");
  room.add("web", "n1");
  CHECK(room.told({"n1"})[0] ==
        "bare 4: Pods that declare no controller (use --force to override)");
  CHECK(room.told({"n1"})[5] == "web 6: another pod of the node is refused");
  CHECK(!room.complete);
  room.options.force = true;
  CHECK(room.told({"n1"})[0] == "bare 2: declares no controller");
  CHECK(room.told({"n1"})[5] == "web 0: n2");
  CHECK(room.complete);
}

TEST_CASE("Pods with emptyDir volumes are refused") {
  Room room(9);
  room.apply(
      "{apiVersion: v1, kind: Pod, metadata: {name: e, ownerReferences: [{kind: Job, controller: "
      "true}]}, spec: {nodeName: n1, volumes: [{name: v, emptyDir: {}}]}}");
  CHECK(room.told({"n1"}) ==
        Names{"e 4: Pods with local storage (use --delete-emptydir-data to override)"});
  room.options.delete_emptydir_data = true;
  CHECK(room.told({"n1"}) == Names{"e 0: n2"});
}

TEST_CASE("A terminating pod is not replaced") {
  Room room(9);
  room.add("t", "n1", std::string(kReplicaSet) + ", deletionTimestamp: 2026-01-01T00:00:00Z");
  CHECK(room.told({"n1"}) == Names{"t 2: is terminating already"});
}

std::string budget(const std::string& name, const std::string& status,
                   const std::string& more = "") {
  return "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: " + name +
         ", namespace: default, generation: 2}, spec: {selector: {matchLabels: {app: a}}" + more +
         "}, status: {observedGeneration: 2, " + status + "}}";
}
const std::string kApp = std::string(kReplicaSet) + ", labels: {app: a}";

TEST_CASE("Budgets count down with each eviction") {
  Room room(9);
  const std::string ready = "status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}";
  for (const char* name : {"a", "b", "c"}) room.add(name, "n1", kApp, ready);
  room.add("other", "n1");
  room.apply(budget("pdb", "disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 1"));
  const Names two = {"a 0: n2", "b 0: n2",
                     "c 5: The disruption budget pdb does not allow evicting pods currently",
                     "other 0: n2"};
  CHECK(room.told({"n1"}) == two);
  CHECK(!room.complete);
  CHECK(room.told({"n1"}) == two);  // it was not counted down for good
  CHECK(room.of({"n1"})->pods[2].budget == "pdb");
  room.apply(budget("pdb", "disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1"));
  CHECK(room.told({"n1"})[0] ==
        "a 5: The disruption budget pdb needs 1 healthy pods and has 1 currently");
}

TEST_CASE("Budgets that are outdated, negative or two of a pod allow nothing") {
  Room room(9);
  room.add("a", "n1", kApp,
           "status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}");
  std::string outdated = budget("pdb", "disruptionsAllowed: 5");
  outdated.replace(outdated.find("observedGeneration: 2"), 21, "observedGeneration: 1");
  room.apply(outdated);
  CHECK(room.told({"n1"}) ==
        Names{"a 5: The disruption budget pdb is still being processed by the server."});
  room.apply(budget("pdb", "disruptionsAllowed: -1"));
  CHECK(room.told({"n1"}) == Names{"a 5: pdb disruptions allowed is negative"});
  room.apply(budget("pdb", "disruptionsAllowed: 1"));
  CHECK(room.told({"n1"}) == Names{"a 0: n2"});
  room.apply(budget("second", "disruptionsAllowed: 1"));
  CHECK(room.told({"n1"})[0].starts_with("a 5: This pod has more than one PodDisruptionBudget"));
}

TEST_CASE("Pods that are not ready or have not started count by the budget's policy") {
  Room room(9);
  room.add("sick", "n1", kApp, "status: {phase: Running}");
  room.apply(budget("pdb", "disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 2"));
  CHECK(room.told({"n1"})[0].starts_with("sick 5: "));
  room.apply(budget("pdb", "disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2"));
  CHECK(room.told({"n1"}) == Names{"sick 0: n2"});
  room.apply(budget("pdb", "disruptionsAllowed: 0", ", unhealthyPodEvictionPolicy: AlwaysAllow"));
  CHECK(room.told({"n1"}) == Names{"sick 0: n2"});
  room.apply(budget("pdb", "disruptionsAllowed: 0"));
  room.add("new", "n2", kApp, "status: {phase: Pending}");
  CHECK(room.told({"n2"}) == Names{"new 0: n1"});
}

TEST_CASE("Unknown nodes and nodes given twice are errors") {
  Room room(9);
  const Result<Drain> unknown = room.of({"n1", "n7"});
  REQUIRE(!unknown.ok());
  CHECK(unknown.error().rc == Rc::kNotFound);
  CHECK(unknown.error().text() == "there is no node \"n7\"");
  CHECK(room.of({"n1", "n1"}).error().rc == Rc::kInvalid);
  CHECK(room.of({})->pods.empty());
  room.add("a", "n1");
  room.options.limits.deadline_ns = 1;
  CHECK(room.of({"n1"}).error().rc == Rc::kDeadline);
  CHECK(room.view->pod_count() == 1);
}

TEST_CASE("The pod in another's stead has no status, and takes its name") {
  Room room(1, {"n1", "n2"});
  room.add("a", "n1", kReplicaSet,
           "status: {phase: Running, nominatedNodeName: n1, startTime: 2026-01-01T00:00:00Z}");
  const Result<Drain> d = room.of({"n1"});
  REQUIRE(d.ok());
  const Pod& made = *d->pods[0].placement.pod;
  CHECK(made.meta.name == "a");
  CHECK(made.status.phase.empty());
  CHECK(made.status.nominated_node_name.empty());
  CHECK(d->pods[0].pod->status.phase == "Running");
}

}  // namespace libsched::drain_test
