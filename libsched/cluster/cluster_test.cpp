// Applying dumps, pods of missing nodes, limits, and errors without effect. (cluster_model_test.cpp
// compares random sequences with a model.)
#include "libsched/cluster/cluster.hpp"
#include "libsched/ingest/ingest.hpp"

#include <doctest/doctest.h>

#include "libsched/cluster/node_match.hpp"
#include "tests/unit/rounds.hpp"

namespace libsched::cluster_test {

ObjectSet objects(const std::string& documents) {
  Result<ObjectSet> set = parse_objects(documents, {});
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  return std::move(*set);
}

std::string node(const std::string& name, const std::string& more = "") {
  return "---\napiVersion: v1\nkind: Node\nmetadata: {name: " + name +
         "}\nstatus: {allocatable: {cpu: 8, pods: 20" + more + "}}\n";
}
std::string pod(const std::string& name, const std::string& node_name,
                const std::string& more = "") {
  return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", namespace: d, uid: uid-" +
         name + "}\nspec: {nodeName: " + node_name +
         ", containers: [{name: c, resources: {requests: {cpu: 1}}}]}\n" + more;
}

void put(Cluster& cluster, const std::string& documents) {
  const Result<size_t> applied = cluster.apply(objects(documents));
  REQUIRE_MESSAGE(applied.ok(), applied.error().text());
}

// Everything that is visible of the cluster, with nodes in order.
std::string show(Cluster& cluster) {
  cluster.refresh();
  const View& v = cluster.view();
  std::string out =
      std::to_string(v.node_count()) + " nodes, " + std::to_string(v.pod_count()) + " pods:";
  for (const uint32_t r : v.order()) {
    out += " " + v.row(r).name + "(" + std::to_string(v.columns().requested(kCpu, r)) + "/" +
           std::to_string(v.columns().allocatable(kCpu, r)) + ":";
    for (const uint32_t s : v.row(r).pods) out += " " + std::string(v.slot(s).pod->meta.name);
    out += ")";
  }
  return out;
}

TEST_CASE("a cluster that is judged does not change, unless those that read it wait") {
  Cluster cluster;
  const auto change = [&] { return cluster.apply(objects(node("n1"))); };
  const Cluster::Judging outer(&cluster), inner(&cluster);
  CHECK(change().error().rc == Rc::kMisuse);
  {
    const Cluster::Released released(&cluster);
    CHECK_FALSE(cluster.judged());
    CHECK(change().ok());
    const Cluster::Judging others(&cluster);
    CHECK(change().error().rc == Rc::kMisuse);
  }
  CHECK(cluster.judged());
  CHECK(change().error().rc == Rc::kMisuse);
}

TEST_CASE("applying a dump again changes nothing, including the order of pods") {
  Ref<Cluster> c = make_ref<Cluster>();
  const std::string dump =
      node("n1") + node("n2") + pod("a", "n1") + pod("b", "n1") + pod("c", "n2") +
      "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: d, labels: {x: z}}\n"
      "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: "
      "7\n"
      "---\napiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: s}\n";
  put(*c, dump);
  const std::string once = show(*c);
  CHECK(once == "2 nodes, 3 pods: n1(2000/8000: a b) n2(1000/8000: c)");
  const SnapshotRef snapshot = c->snapshot();
  const uint64_t version = c->view().version();
  put(*c, dump);
  CHECK(show(*c) == once);
  CHECK(c->view().version() == version);
  CHECK(c->snapshot().get() == snapshot.get());  // nothing to copy
  CHECK(c->view().objects().find<PriorityClass>("high")->value == 7);
}

TEST_CASE("a changed node keeps its place, and a changed pod moves to the end") {
  Ref<Cluster> c = make_ref<Cluster>();
  put(*c, node("n1") + node("n2") + pod("a", "n1") + pod("b", "n1"));
  put(*c, node("n1", ", memory: 1Gi"));
  CHECK(show(*c) == "2 nodes, 2 pods: n1(2000/8000: a b) n2(0/8000:)");
  CHECK(c->view().columns().allocatable(kMemory, c->view().find_node("n1")) == int64_t{1} << 30);
  put(*c, pod("a", "n1", "status: {phase: Running}\n"));
  CHECK(show(*c) == "2 nodes, 2 pods: n1(2000/8000: b a) n2(0/8000:)");
  put(*c, pod("b", "n2"));  // moved
  CHECK(show(*c) == "2 nodes, 2 pods: n1(1000/8000: a) n2(1000/8000: b)");
}

TEST_CASE("the same name with a new uid is another pod") {
  Ref<Cluster> c = make_ref<Cluster>();
  put(*c, node("n1") + pod("a", "n1") + pod("b", "n1"));
  const auto reborn = [](const char* uid) {
    return std::string("---\napiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: d, uid: ") +
           uid + "}\nspec: {nodeName: n1}\n";
  };
  put(*c, reborn("second"));
  CHECK(show(*c) == "1 nodes, 2 pods: n1(1000/8000: b a)");
  CHECK(c->view().slot(c->view().find_pod("d", "a")).pod->meta.uid == "second");
  // The same name in another namespace is another pod.
  put(*c,
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: e}\nspec: {nodeName: n1}\n");
  CHECK(c->view().pod_count() == 3);
}

TEST_CASE("pods leave when they end or lose their node") {
  for (const char* phase : {"Succeeded", "Failed"}) {
    CAPTURE(phase);
    Ref<Cluster> c = make_ref<Cluster>();
    put(*c, node("n1") + pod("a", "n1") + pod("b", "n1") + pod("c", "n1"));
    put(*c, pod("a", "n1", std::string("status: {phase: ") + phase + "}\n"));
    CHECK(show(*c) == "1 nodes, 2 pods: n1(2000/8000: c b)");  // the last pod takes the place
    put(*c, pod("never-seen", "n1", std::string("status: {phase: ") + phase + "}\n"));
    CHECK(c->view().pod_count() == 2);
    put(*c, pod("b", "''"));
    CHECK(show(*c) == "1 nodes, 1 pods: n1(1000/8000: c)");
    // Any other phase counts, unknown ones included.
    put(*c, pod("d", "n1", "status: {phase: Unknown}\n"));
    CHECK(c->view().pod_count() == 2);
  }
}

TEST_CASE("pods may be added before their node, and stay when it is removed") {
  Ref<Cluster> c = make_ref<Cluster>();
  put(*c, pod("a", "late") + pod("b", "late") + node("n1"));
  CHECK(show(*c) == "1 nodes, 2 pods: n1(0/8000:)");
  CHECK(c->view().find_node("late") == kNoId);
  put(*c, node("late"));
  CHECK(show(*c) == "2 nodes, 2 pods: n1(0/8000:) late(2000/8000: a b)");
  REQUIRE(c->remove_node("late").ok());
  CHECK(show(*c) == "1 nodes, 2 pods: n1(0/8000:)");
  REQUIRE(c->remove_pod("d", "a").ok());
  put(*c, node("late"));
  CHECK(show(*c) == "2 nodes, 1 pods: n1(0/8000:) late(1000/8000: b)");
  // A hidden row is freed with its last pod.
  REQUIRE(c->remove_node("late").ok());
  const size_t rows = c->view().row_count();
  REQUIRE(c->remove_pod("d", "b").ok());
  put(*c, node("n2"));
  CHECK(c->view().row_count() == rows);
}

TEST_CASE("update_pod may be given a name that the replaced pod lends") {
  Ref<Cluster> c = make_ref<Cluster>();
  put(*c, pod("a", "ghost"));  // the only pod of a hidden row, owned only by the cluster
  const Pod& stored = *c->view().slot(c->view().find_pod("d", "a")).pod;
  const PodRef fresh = objects(pod("a", "n1")).pods[0];
  REQUIRE(c->update_pod(fresh, stored.spec.node_name).ok());
  CHECK(c->view().row(c->view().slot(c->view().find_pod("d", "a")).row).name == "ghost");
  REQUIRE(c->fork().ok());
  REQUIRE(c->update_pod(fresh, {}).ok());  // to its own node
  CHECK(c->view().row(c->view().slot(c->view().find_pod("d", "a")).row).name == "n1");
  REQUIRE(c->revert().ok());
  CHECK(c->view().row(c->view().slot(c->view().find_pod("d", "a")).row).name == "ghost");
  CHECK(c->view().find_row("n1") == kNoId);
}

TEST_CASE("errors change nothing") {
  Ref<Cluster> c = make_ref<Cluster>();
  put(*c, node("n1") + node("n2") + pod("a", "n1") + pod("b", "n2"));
  const std::string before = show(*c);
  const uint64_t version = c->view().version();
  const ObjectSet more =
      objects(node("n3") + node("n2") + pod("x", "n1") + pod("b", "n1") + pod("lost", "''"));

  const Node* nodes[] = {more.nodes[0].get(), more.nodes[1].get()};
  CHECK(c->add_nodes(nodes, 2).error().rc == Rc::kExists);
  const Node* twice[] = {more.nodes[0].get(), more.nodes[0].get()};
  CHECK(c->add_nodes(twice, 2).error().message == "node \"n3\" is there already");
  const Pod* pods[] = {more.pods[0].get(), more.pods[1].get()};
  CHECK(c->add_pods(pods, nullptr, 2).error().message == "pod \"d/b\" is there already");
  const Pod* lost[] = {more.pods[0].get(), more.pods[2].get()};
  CHECK(c->add_pods(lost, nullptr, 2).error().rc == Rc::kInvalid);
  CHECK(c->update_pod(more.pods[2], {}).error().rc == Rc::kInvalid);
  CHECK(c->remove_node("n3").error().rc == Rc::kNotFound);
  CHECK(c->remove_pod("d", "x").error().rc == Rc::kNotFound);
  CHECK(c->remove_pod("", "a").error().rc == Rc::kNotFound);
  CHECK(c->commit().error().rc == Rc::kState);
  CHECK(c->revert().error().rc == Rc::kState);
  CHECK(show(*c) == before);
  CHECK(c->view().version() == version);
  CHECK(c->fork_depth() == 0);

  REQUIRE(c->fork().ok());
  CHECK(c->add_nodes(nodes, 2).error().rc == Rc::kExists);
  CHECK(c->fork_depth() == 1);
  CHECK(show(*c) == before);
  REQUIRE(c->revert().ok());
  // Valid ones can still be added.
  CHECK(c->add_nodes(nodes, 1).ok());
  CHECK(c->add_pods(pods, nullptr, 1).ok());
}

// Nodes or pods, each with many different resources.
std::string resources(int from, int to) {
  std::string out;
  for (int i = from; i < to; ++i)
    out += std::string(i == from ? "" : ", ") + "example.com/r" + std::to_string(i) + ": 1";
  return out;
}

TEST_CASE("more resources than there are columns are refused as a whole") {
  Ref<Cluster> c = make_ref<Cluster>();
  const int room = static_cast<int>(Columns::kMaxResources) - kFirstScalar;
  put(*c, node("n1", ", " + resources(0, room - 1)));
  const std::string before = show(*c);
  const ObjectSet too_many =
      objects(node("n2") + node("n3", ", " + resources(room - 1, room + 1)) + pod("a", "n1"));
  const Error e = c->apply(too_many).error();
  CHECK(e.rc == Rc::kLimit);
  CHECK(e.message == "node \"n3\": more than 1024 different resources in one cluster");
  CHECK(show(*c) == before);
  const Node* nodes[] = {too_many.nodes[0].get(), too_many.nodes[1].get()};
  CHECK(c->add_nodes(nodes, 2).error().rc == Rc::kLimit);
  CHECK(c->update_node(too_many.nodes[1]).error().rc == Rc::kLimit);
  const ObjectSet greedy = objects(
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: g, namespace: d}\nspec: {nodeName: n1, "
      "containers: [{name: c, resources: {requests: {" +
      resources(2000, 2003) + "}}}]}\n");
  const Pod* pods[] = {greedy.pods[0].get()};
  CHECK(c->add_pods(pods, nullptr, 1).error().rc == Rc::kLimit);
  CHECK(c->update_pod(greedy.pods[0], {}).error().rc == Rc::kLimit);
  CHECK(c->apply(greedy).error().rc == Rc::kLimit);
  CHECK(show(*c) == before);
  // Known resources do not count as new.
  put(*c, node("n2", ", " + resources(0, 500)));
  CHECK(c->view().node_count() == 2);
}

TEST_CASE("zones take turns, unless the order is that of insertion") {
  const auto zoned = [](const std::string& name, const std::string& zone) {
    return "---\napiVersion: v1\nkind: Node\nmetadata: {name: " + name +
           ", labels: {topology.kubernetes.io/zone: " + zone + "}}\n";
  };
  const std::string all =
      zoned("a1", "a") + zoned("a2", "a") + zoned("b1", "b") + zoned("a3", "a") + zoned("c1", "c");
  const auto names = [](Cluster& c) {
    c.refresh();
    std::string out;
    for (const uint32_t r : c.view().order()) out += c.view().row(r).name + " ";
    return out;
  };
  Ref<Cluster> c = make_ref<Cluster>();
  put(*c, all);
  CHECK(names(*c) == "a1 b1 c1 a2 a3 ");
  // A change of zone shows only when the next node is added or removed.
  put(*c, zoned("a1", "b"));
  CHECK(names(*c) == "a1 b1 c1 a2 a3 ");
  put(*c, zoned("d1", "d"));
  CHECK(names(*c) == "a2 b1 c1 d1 a3 a1 ");
  // A node that is removed and added again before the next refresh keeps its place, whatever its
  // row is now.
  CHECK(c->remove_node("a2").ok());
  CHECK(c->remove_node("c1").ok());
  put(*c, zoned("a2", "a") + zoned("c1", "a"));
  CHECK(names(*c) == "a2 b1 c1 d1 a3 a1 ");
  REQUIRE(c->fork().ok());
  CHECK(c->remove_node("d1").ok());
  CHECK(names(*c) == "a3 b1 a2 a1 c1 ");
  CHECK(c->revert().ok());
  CHECK(names(*c) == "a2 b1 c1 d1 a3 a1 ");
  Ref<Cluster> inserted = make_ref<Cluster>(NodeOrder::kInsertion);
  put(*inserted, all);
  CHECK(names(*inserted) == "a1 a2 b1 a3 c1 ");
}

TEST_CASE("ids have one meaning per number, also between copies") {
  Ref<Cluster> one = make_ref<Cluster>();
  Ref<Cluster> two = make_ref<Cluster>();
  const auto add = [](Cluster& c, const std::string& labels) {
    put(c, "apiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: {" + labels + "}}\n");
  };
  add(*one, "a: x");
  add(*two, "a: z");
  CHECK(one->view().ids_epoch() != two->view().ids_epoch());
  Ref<Cluster> copy = one->clone();
  CHECK(copy->view().ids_epoch() == one->view().ids_epoch());
  CHECK(one->snapshot()->view().ids_epoch() == one->view().ids_epoch());
  const uint64_t shared = one->view().ids_epoch();
  add(*one, "b: x");
  add(*copy, "c: x");
  CHECK(one->view().ids_epoch() != shared);
  CHECK(copy->view().ids_epoch() != shared);
  CHECK(one->view().ids_epoch() != copy->view().ids_epoch());
  // Without a new name the number stays.
  const uint64_t before = one->view().ids_epoch();
  add(*one, "a: x");
  REQUIRE(one->fork().ok());
  REQUIRE(one->remove_node("n1").ok());
  REQUIRE(one->revert().ok());
  CHECK(one->view().ids_epoch() == before);
  // A new resource changes the number, and so does a new list of taints.
  put(*one, node("m", ", example.com/new: 1"));
  const uint64_t with_resource = one->view().ids_epoch();
  CHECK(with_resource != before);
  put(*one,
      "apiVersion: v1\nkind: Node\nmetadata: {name: t}\nspec: {taints: [{key: k, effect: "
      "NoSchedule}]}\n");
  CHECK(one->view().ids_epoch() != with_resource);
}

TEST_CASE("ids that only forks have used are reclaimed") {
  Ref<Cluster> c = make_ref<Cluster>();
  put(*c, node("n1"));
  const auto all_new = [](int round) {
    std::string nodes;
    for (int i = 0; i < 500; ++i) {
      const std::string id = std::to_string(round) + "-" + std::to_string(i);
      nodes += "---\napiVersion: v1\nkind: Node\nmetadata: {name: f" + id + ", labels: {host: f" +
               id + "}}\nspec: {taints: [{key: k" + id + ", effect: NoSchedule}]}\n";
    }
    return objects(nodes);
  };
  for (int round = 0; round < 30; ++round) {
    const ObjectSet fresh = all_new(round);
    std::vector<const Node*> nodes;
    for (const NodeRef& n : fresh.nodes) nodes.push_back(n.get());
    REQUIRE(c->fork().ok());
    REQUIRE(c->fork().ok());
    REQUIRE(c->add_nodes(nodes.data(), nodes.size()).ok());
    REQUIRE(c->commit().ok());
    CHECK(c->view().node_count() == 501);
    REQUIRE(c->revert().ok());
    CHECK(c->view().node_count() == 1);
  }
  CHECK(c->view().id_count() < 6000);  // of 30,000
  CHECK(c->view().taint_sets().sets().size() < 4000);
}

// A node or pod that is the only user of a resource, a label value and a taint.
std::string all_new(const char* kind, int i) {
  const std::string id = std::to_string(i);
  if (kind == std::string("Pod"))
    return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: q, namespace: d}\nspec: {nodeName: "
           "n1, "
           "containers: [{name: c, resources: {requests: {example.com/p" +
           id + ": 1}}}]}\n";
  return "---\napiVersion: v1\nkind: Node\nmetadata: {name: x, labels: {host" + id + ": f" + id +
         "}}\nspec: {taints: [{key: k" + id +
         ", effect: NoSchedule}]}\nstatus: {allocatable: {example.com/n" + id + ": 1}}\n";
}

TEST_CASE("an endless stream of new names: resources are reclaimed, also inside an outer fork") {
  for (const bool outer : {false, true}) {
    CAPTURE(outer);
    Ref<Cluster> c = make_ref<Cluster>();
    put(*c, node("n1", ", example.com/kept: 7"));
    if (outer) REQUIRE(c->fork().ok());
    const size_t in_use = c->view().columns().in_use();
    const std::string before = show(*c);
    size_t columns = 0, ids = 0;
    const int names = static_cast<int>(rounds(20'000));
    for (int i = 0; i < names; ++i) {
      const ObjectSet fresh = objects(all_new("Node", i) + all_new("Pod", i));
      const Node* nodes[] = {fresh.nodes[0].get(), fresh.nodes[0].get()};
      const Pod* pods[] = {fresh.pods[0].get(), fresh.pods[0].get()};
      switch (i % 3) {
        case 0:  // a what-if
          REQUIRE(c->fork().ok());
          REQUIRE(c->add_nodes(nodes, 1).ok());
          REQUIRE(c->add_pods(pods, nullptr, 1).ok());
          REQUIRE(c->revert().ok());
          break;
        case 1:  // calls that fail at their second object
          REQUIRE(c->add_nodes(nodes, 2).error().rc == Rc::kExists);
          REQUIRE(c->add_pods(pods, nullptr, 2).error().rc == Rc::kExists);
          break;
        default:  // additions and removals
          if (outer) REQUIRE(c->fork().ok());
          REQUIRE(c->update_node(fresh.nodes[0]).ok());
          REQUIRE(c->update_pod(fresh.pods[0], {}).ok());
          REQUIRE(c->remove_pod("d", "q").ok());
          REQUIRE(c->remove_node("x").ok());
          if (outer) REQUIRE(c->revert().ok());
      }
      columns = std::max(columns, c->view().columns().count());
      ids = std::max(ids, c->view().id_count());
    }
    CHECK(columns < 64);
    CHECK(ids < 6000);  // of twice the names
    CHECK(c->view().columns().in_use() == in_use);
    CHECK(show(*c) == before);
    const uint32_t kept = c->view().columns().find("example.com/kept");
    REQUIRE(kept != kNoId);
    CHECK(c->view().columns().allocatable(kept, c->view().find_node("n1")) == 7);
  }
}

TEST_CASE("ids from before a fork are kept, and a revert restores the same numbers") {
  Ref<Cluster> c = make_ref<Cluster>();
  put(*c, all_new("Node", 1) + node("n1"));
  const auto resource = [&] { return c->view().columns().find("example.com/n1"); };
  const auto pair = [&] {
    const Label l = make_label("host1", "f1");
    return c->view().labels().find_pair(l.key, l.value, l.pair_hash);
  };
  const auto taints = [&] { return c->view().row(c->view().find_node("x")).taint_set; };
  const uint32_t r = resource(), p = pair(), t = taints();
  REQUIRE(c->fork().ok());
  REQUIRE(c->remove_node("x").ok());
  for (int i = 2; i < 12'000; ++i) {
    const ObjectSet fresh = objects(all_new("Node", i));
    REQUIRE(c->fork().ok());
    REQUIRE(c->update_node(fresh.nodes[0]).ok());
    REQUIRE(c->revert().ok());
  }
  CHECK(c->view().id_count() < 10'000);  // of 24,000
  CHECK(resource() == r);                // although no node has it
  REQUIRE(c->revert().ok());
  CHECK(resource() == r);
  CHECK(pair() == p);
  CHECK(taints() == t);
}

TEST_CASE("the limit counts only resources that are in use") {
  Ref<Cluster> c = make_ref<Cluster>();
  const int room = static_cast<int>(Columns::kMaxResources) - kFirstScalar;
  put(*c, node("n1"));
  for (int round = 0; round < 3; ++round) {
    CAPTURE(round);
    put(*c, node("full", ", " + resources(round * room, round * room + room)));
    const ObjectSet more = objects(node("more", ", example.com/another: 1"));
    CHECK(c->update_node(more.nodes[0]).error().rc == Rc::kLimit);
    REQUIRE(c->remove_node("full").ok());
    REQUIRE(c->update_node(more.nodes[0]).ok());
    REQUIRE(c->remove_node("more").ok());
  }
}

TEST_CASE("two clusters share nothing") {
  Ref<Cluster> one = make_ref<Cluster>();
  put(*one, node("n1") + pod("a", "n1"));
  Ref<Cluster> two = one->clone();
  const SnapshotRef snapshot = one->snapshot();
  REQUIRE(two->remove_pod("d", "a").ok());
  put(*two, node("n2"));
  CHECK(show(*one) == "1 nodes, 1 pods: n1(1000/8000: a)");
  CHECK(show(*two) == "2 nodes, 0 pods: n1(0/8000:) n2(0/8000:)");
  one = nullptr;
  CHECK(snapshot->view().pod_count() == 1);
  CHECK(snapshot->view().slot(snapshot->view().find_pod("d", "a")).pod->meta.name == "a");
}

TEST_CASE("counting pods anew leaves the numbers of images as they were") {
  Cluster cluster;
  const auto with_image = [&](const std::string& name) {
    return "---\napiVersion: v1\nkind: Node\nmetadata: {name: " + name +
           "}\nstatus: {allocatable: {cpu: 8, pods: 20}, images: [{names: [i], sizeBytes: 9}]}\n";
  };
  put(cluster, with_image("n1") +
                   "---\napiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: d}\n"
                   "spec: {nodeName: n1, initContainers: [{name: s, restartPolicy: Always, "
                   "ports: [{hostPort: 80}]}], containers: [{name: c}]}\n");
  const auto seen = [&] {
    cluster.refresh();
    const View& v = cluster.view();
    return v.images().nodes_with(*v.images().find("i"), v.find_row("n1"));
  };
  CHECK(seen() == 1);
  put(cluster, with_image("n2"));
  REQUIRE(cluster.account_as({.sidecar_ports = false}).ok());
  CHECK(seen() == 1);
  put(cluster, pod("b", "n1"));
  CHECK(seen() == 2);
}

TEST_CASE("pods counted otherwise, those that are there and those that come") {
  const auto pod = [](const std::string& name, const std::string& more) {
    const Result<PodRef> parsed = parse_pod(
        "metadata: {name: " + name + ", namespace: d}\nspec: {nodeName: 'n'" + more + "}", {});
    REQUIRE_MESSAGE(parsed.ok(), parsed.error().text());
    return *parsed;
  };
  const std::string sidecar =
      ", initContainers: [{name: s, restartPolicy: Always, ports: [{hostPort: 80}]}]";
  const Ref<Cluster> cluster = make_ref<Cluster>();
  const auto names = [&] {
    std::string out;
    const View& v = cluster->view();
    for (const uint32_t s : v.row(v.find_row("n")).pods) out += v.slot(s).pod->meta.name;
    return out + " " + std::to_string(v.row(v.find_row("n")).ports.size());
  };
  for (const auto& [name, more] :
       {std::pair<std::string, std::string>("a", ""), {"b", sidecar}, {"c", ""}})
    REQUIRE(cluster->update_pod(pod(name, more), "n").ok());
  CHECK(names() == "abc 1");
  const PodAccounting otherwise{.sidecar_ports = false};
  REQUIRE(cluster->fork().ok());
  REQUIRE(cluster->account_as(otherwise).ok());
  CHECK(names() == "abc 0");
  REQUIRE(cluster->revert().ok());
  CHECK(names() == "abc 1");
  CHECK(cluster->view().accounting() == PodAccounting());
  const SnapshotRef before = cluster->snapshot();
  REQUIRE(cluster->account_as(otherwise).ok());
  CHECK(names() == "abc 0");
  CHECK(before->view().accounting() == PodAccounting());
  CHECK(before->view().row(before->view().find_row("n")).ports.size() == 1);
  CHECK(cluster->snapshot()->view().accounting() == otherwise);
  CHECK(cluster->clone()->view().accounting() == otherwise);

  REQUIRE(cluster->fork().ok());
  REQUIRE(cluster->update_pod(pod("e", sidecar), "n").ok());
  CHECK(names() == "abce 0");
  REQUIRE(cluster->assume(*pod("f", sidecar), "n").ok());
  CHECK(names() == "abcef 0");
  REQUIRE(cluster->revert().ok());
  CHECK(names() == "abc 0");

  REQUIRE(cluster->account_as({}).ok());
  CHECK(names() == "abc 1");
  REQUIRE(cluster->remove_pod("d", "b").ok());
  CHECK(names() == "ac 0");
}

}  // namespace libsched::cluster_test
