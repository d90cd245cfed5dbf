// LostPorts: what the copy of a cluster has lost, and until when.
#include "libsched/scheduler/loop/group_trial.hpp"

#include <doctest/doctest.h>

#include "libsched/ingest/ingest.hpp"

namespace libsched::group_trial_test {

PodRef with_port(const std::string& name) {
  const Result<PodRef> pod = parse_pod(
      "metadata: {name: " + name + ", namespace: d, uid: u-" + name +
          "}\nspec: {nodeName: n1, containers: [{name: c, ports: [{containerPort: 80, hostPort: "
          "8000}]}]}",
      {});
  REQUIRE_MESSAGE(pod.ok(), pod.error().text());
  return *pod;
}

TEST_CASE("Lost ports are missing in copies until something on the node changes") {
  Cluster cluster;
  const Result<ObjectSet> nodes = parse_objects(
      "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n---\napiVersion: v1\nkind: "
      "Node\nmetadata: {name: n2}\n",
      {});
  REQUIRE(nodes.ok());
  REQUIRE(cluster.apply(*nodes).ok());
  REQUIRE(cluster.update_pod(with_port("there"), {}).ok());
  LostPorts lost;
  const auto ports_of_copy = [&] {
    const Ref<Cluster> copy = cluster.clone();
    REQUIRE(lost.take_from(cluster.view(), *copy).ok());
    CHECK(copy->view().pod_count() == cluster.view().pod_count());
    return copy->view().row(copy->view().find_node("n1")).ports.size();
  };
  CHECK(ports_of_copy() == 1);
  lost.lose(with_port("member"), "n1", cluster.view().log().cursor());
  CHECK(ports_of_copy() == 0);
  REQUIRE(cluster.remove_node("n2").ok());  // another node
  CHECK(ports_of_copy() == 0);
  CHECK(cluster.view().row(cluster.view().find_node("n1")).ports.size() == 1);
  REQUIRE(cluster.update_pod(with_port("there"), {}).ok());
  CHECK(ports_of_copy() == 1);
  lost.lose(with_port("member"), "n1", cluster.view().log().cursor());
  REQUIRE(cluster.remove_pod("d", "there").ok());
  REQUIRE(cluster.remove_node("n1").ok());
  const Ref<Cluster> copy = cluster.clone();
  CHECK(lost.take_from(cluster.view(), *copy).ok());
}

// Upstream's other cycles miss such ports, too; see docs/manual/pages/judged.md.
TEST_CASE("A pod without a group sees a port that a group's trial has lost") {
  Cluster cluster;
  const Result<ObjectSet> nodes =
      parse_objects("apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n", {});
  REQUIRE(nodes.ok());
  REQUIRE(cluster.apply(*nodes).ok());
  REQUIRE(cluster.update_pod(with_port("there"), {}).ok());
  LostPorts lost;
  lost.lose(with_port("member"), "n1", cluster.view().log().cursor());
  const Ref<Cluster> trial = cluster.clone();
  REQUIRE(lost.take_from(cluster.view(), *trial).ok());
  const auto taken = [](const View& view) { return view.rows_with_ports().test(0); };
  CHECK_FALSE(taken(trial->view()));
  CHECK(taken(cluster.view()));
  CHECK(taken(cluster.snapshot()->view()));
}

}  // namespace libsched::group_trial_test
