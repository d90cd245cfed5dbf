// Assumed pods that a cluster keeps as they were given: readers see them with their nodeName.
#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include "libsched/cluster/transaction.hpp"
#include "libsched/ingest/ingest.hpp"

namespace libsched::bound_pods_test {

ObjectSet objects(const std::string& documents) {
  Result<ObjectSet> set = parse_objects(documents, {});
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  return std::move(*set);
}

PodRef pod(const std::string& name, const std::string& more = "") {
  return objects("{apiVersion: v1, kind: Pod, metadata: {name: " + name +
                 ", namespace: d, uid: u-" + name + ", labels: {app: web}}, spec: {" + more +
                 "containers: [{name: c}]}}")
      .pods[0];
}

Ref<Cluster> two_nodes() {
  Ref<Cluster> cluster = make_ref<Cluster>();
  std::string nodes;
  for (const char* name : {"a", "b"})
    nodes += "---\n{apiVersion: v1, kind: Node, metadata: {name: " + std::string(name) + "}}\n";
  REQUIRE(cluster->apply(objects(nodes)).ok());
  return cluster;
}

Result<void> assume(Cluster& cluster, const Pod& pod, uint32_t row, Time start = {}) {
  Cluster::Transaction change(&cluster);
  LIBSCHED_TRY(cluster.assume(&change, pod, row, start));
  change.commit();
  return {};
}

const Pod& there(const View& view, const Pod& pod) {
  const uint32_t slot = view.find_pod(pod.meta.ns, pod.meta.name);
  REQUIRE(slot != kNoId);
  return *view.slot(slot).pod;
}

TEST_CASE("a pod assumed on a row is shared, and readers see a copy with the node's name") {
  const Ref<Cluster> cluster = two_nodes();
  const View& view = cluster->view();
  const PodRef p = pod("p"), q = pod("q", "nodeName: b, ");
  CHECK(&view.as_bound(*p) == p.get());  // a stranger
  REQUIRE(assume(*cluster, *p, view.find_node("a")).ok());
  CHECK(&there(view, *p) == p.get());
  const Pod& seen = view.as_bound(*p);
  CHECK(seen.spec.node_name == "a");
  CHECK(seen.meta.name == "p");
  CHECK(seen.meta.uid == "u-p");
  CHECK(find_label(seen.meta.labels, "app")->value == "web");
  CHECK(&view.as_bound(*p) == &seen);
  CHECK(&view.as_bound(seen) == &seen);
  CHECK(p->spec.node_name.empty());
  const PodRef namesake = pod("p");
  CHECK(&view.as_bound(*namesake) == namesake.get());

  // A pod with a nodeName, or with a time of its start, is copied at once.
  REQUIRE(assume(*cluster, *q, view.find_node("a")).ok());
  CHECK(there(view, *q).spec.node_name == "a");
  const PodRef late = pod("late");
  REQUIRE(assume(*cluster, *late, view.find_node("b"), {77, true}).ok());
  CHECK(there(view, *late).spec.node_name == "b");
  CHECK(there(view, *late).status.start_time.ns == 77);
  CHECK_FALSE(late->status.start_time.present);
}

TEST_CASE("a pod that moves by forks and reverts is seen on its node of the moment") {
  const Ref<Cluster> cluster = two_nodes();
  const View& view = cluster->view();
  const PodRef p = pod("p");
  for (const char* node : {"a", "b", "a"}) {
    REQUIRE(cluster->fork().ok());
    REQUIRE(assume(*cluster, *p, view.find_node(node)).ok());
    CHECK(view.as_bound(*p).spec.node_name == node);
    REQUIRE(cluster->revert().ok());
    CHECK(&view.as_bound(*p) == p.get());
  }
  REQUIRE(assume(*cluster, *p, view.find_node("a")).ok());
  const Ref<const Snapshot> before = cluster->snapshot();
  REQUIRE(cluster->forget("d", "p").ok());
  REQUIRE(assume(*cluster, *p, view.find_node("b")).ok());
  const Ref<Cluster> clone = cluster->clone();
  CHECK(before->view().as_bound(*p).spec.node_name == "a");
  CHECK(view.as_bound(*p).spec.node_name == "b");
  CHECK(clone->view().as_bound(*p).spec.node_name == "b");
}

TEST_CASE("copies go when their pods have gone") {
  const Ref<Cluster> cluster = two_nodes();
  const View& view = cluster->view();
  const PodRef stays = pod("stays");
  REQUIRE(assume(*cluster, *stays, view.find_node("b")).ok());
  const Pod* const copy = &view.as_bound(*stays);
  const PodRef gone = pod("gone");
  REQUIRE(assume(*cluster, *gone, view.find_node("a")).ok());
  CHECK(view.as_bound(*gone).spec.node_name == "a");
  REQUIRE(cluster->forget("d", "gone").ok());
  CHECK_FALSE(gone->unique());
  for (int i = 0; i < 200; ++i) {
    const PodRef p = pod("p" + std::to_string(i));
    REQUIRE(assume(*cluster, *p, view.find_node("a")).ok());
    CHECK(view.as_bound(*p).spec.node_name == "a");
    REQUIRE(cluster->forget("d", p->meta.name).ok());
  }
  CHECK(gone->unique());
  CHECK(&view.as_bound(*stays) == copy);
}

TEST_CASE("threads read the same copies of a snapshot") {
  const Ref<Cluster> cluster = two_nodes();
  std::vector<PodRef> pods;
  for (int i = 0; i < 100; ++i) pods.push_back(pod("p" + std::to_string(i)));
  for (size_t i = 0; i < pods.size(); ++i)
    REQUIRE(assume(*cluster, *pods[i], static_cast<uint32_t>(i % 2)).ok());
  const Ref<const Snapshot> snapshot = cluster->snapshot();
  std::vector<std::vector<const Pod*>> seen(4);
  std::vector<std::thread> threads;
  for (std::vector<const Pod*>& mine : seen)
    threads.emplace_back([&] {
      for (const PodRef& p : pods) mine.push_back(&snapshot->view().as_bound(*p));
    });
  for (std::thread& t : threads) t.join();
  for (size_t i = 0; i < pods.size(); ++i)
    CHECK(seen[0][i]->spec.node_name == snapshot->view().row(i % 2).name);
  for (const std::vector<const Pod*>& mine : seen) CHECK(mine == seen[0]);
}

}  // namespace libsched::bound_pods_test
