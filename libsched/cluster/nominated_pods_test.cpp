// Which pods a cluster keeps as nominated, and that changes and their undoing follow them.
#include "libsched/cluster/nominated_pods.hpp"

#include <doctest/doctest.h>

#include "libsched/cluster/cluster.hpp"
#include "libsched/ingest/ingest.hpp"

namespace libsched::nominated_pods_test {

ObjectSet objects(const std::string& documents) {
  Result<ObjectSet> set = parse_objects(documents, {});
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  return std::move(*set);
}

std::string node(const std::string& name) {
  return "---\napiVersion: v1\nkind: Node\nmetadata: {name: " + name + "}\n";
}

std::string pod(const std::string& name, const std::string& nominated,
                const std::string& spec = "{}", const std::string& phase = "Pending") {
  return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
         ", namespace: d}\nspec: " + spec + "\nstatus: {phase: " + phase +
         ", nominatedNodeName: " + nominated + "}\n";
}

void put(Cluster& cluster, const std::string& documents) {
  const Result<size_t> done = cluster.apply(objects(documents));
  REQUIRE_MESSAGE(done.ok(), done.error().text());
}

std::string show(const View& view) {
  std::string out;
  for (const PodRef& p : view.nominated().all())
    out += std::string(p->meta.name) + "->" + std::string(p->status.nominated_node_name) + " ";
  return out;
}

struct World {
  World() { put(*cluster, node("n1") + node("n2") + pod("b", "n2") + pod("a", "n2")); }
  const View& view() const { return cluster->view(); }
  Ref<Cluster> cluster = make_ref<Cluster>();
};

TEST_CASE("pending pods that are nominated are kept by node and name, and are on no node") {
  World w;
  put(*w.cluster, pod("c", "n1") + pod("gone", "no-node") + pod("done", "n1", "{}", "Failed") +
                        pod("bound", "n1", "{nodeName: n2}") + pod("free", "''"));
  CHECK(show(w.view()) == "c->n1 a->n2 b->n2 gone->no-node ");
  CHECK(w.view().pod_count() == 1);
  CHECK(w.view().nominated().on("n2").size() == 2);
  CHECK(w.view().nominated().on("n3").empty());
  CHECK(w.view().nominated().find("d", "a")->meta.name == "a");
  CHECK(w.view().nominated().find("e", "a") == nullptr);
  CHECK(w.view().find_pod("d", "a") == kNoId);
}

TEST_CASE("a pod's later documents move its nomination, take it back, or bind it") {
  World w;
  put(*w.cluster, pod("a", "n1"));
  CHECK(show(w.view()) == "a->n1 b->n2 ");
  put(*w.cluster, pod("a", "''"));
  CHECK(show(w.view()) == "b->n2 ");
  put(*w.cluster, pod("b", "n2", "{}", "Succeeded"));
  CHECK(show(w.view()).empty());
  put(*w.cluster, pod("a", "n1") + pod("b", "n1"));
  put(*w.cluster, pod("a", "n1", "{nodeName: n2}"));
  CHECK(show(w.view()) == "b->n1 ");
  const ObjectSet set = objects(pod("b", "n1"));
  REQUIRE(w.cluster->assume(*set.pods[0], "n2").ok());
  CHECK(show(w.view()).empty());
  CHECK(w.view().pod_count() == 2);
}

TEST_CASE("an unchanged document of a nominated pod has no effect, nor has one that only adds") {
  World w;
  const uint64_t before = w.view().version();
  put(*w.cluster, pod("a", "n2"));
  CHECK(w.view().version() == before);
  const ObjectSet set = objects(pod("a", "n1"));
  const Change missing = PutObjects{&set, PutMode::kMissing};
  REQUIRE(w.cluster->apply(&missing, 1).ok());
  CHECK(show(w.view()) == "a->n2 b->n2 ");
}

TEST_CASE("removing a nominated pod takes its nomination; its node may go") {
  World w;
  CHECK(w.cluster->remove_pod("d", "c").error().rc == Rc::kNotFound);
  REQUIRE(w.cluster->remove_pod("d", "a").ok());
  CHECK(show(w.view()) == "b->n2 ");
  REQUIRE(w.cluster->remove_node("n2").ok());
  CHECK(show(w.view()) == "b->n2 ");
}

TEST_CASE("a revert restores nominations; snapshots and copies keep their own") {
  World w;
  const uint64_t before = w.view().version();
  const SnapshotRef snapshot = w.cluster->snapshot();
  const Ref<Cluster> copy = w.cluster->clone();
  REQUIRE(w.cluster->fork().ok());
  put(*w.cluster, pod("a", "n1") + pod("c", "n1") + pod("b", "n2", "{nodeName: n1}"));
  CHECK(show(w.view()) == "a->n1 c->n1 ");
  REQUIRE(w.cluster->fork().ok());
  REQUIRE(w.cluster->remove_pod("d", "c").ok());
  CHECK(show(w.cluster->snapshot()->view()) == "a->n1 ");
  REQUIRE(w.cluster->commit().ok());
  REQUIRE(w.cluster->revert().ok());
  for (const View* view : {&w.view(), &snapshot->view(), &copy->view()})
    CHECK(show(*view) == "a->n2 b->n2 ");
  CHECK(w.view().version() == before);
}

TEST_CASE("a change that fails leaves nominations as they were") {
  World w;
  const ObjectSet set = objects(pod("a", "n1") + pod("c", "n1"));
  const Change parts[] = {PutObjects{&set}, RemoveNode{"no-node"}};
  CHECK(w.cluster->apply(parts, 2).error().rc == Rc::kNotFound);
  CHECK(show(w.view()) == "a->n2 b->n2 ");
}

}  // namespace libsched::nominated_pods_test
