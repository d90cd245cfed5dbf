// Uses of claims as 1.37 sums them up, and as releases before it count them: a node that leaves
// takes the uses by its pods with it, and does not bring them back.
#include <doctest/doctest.h>

#include "libsched/cluster/cluster.hpp"
#include "libsched/ingest/ingest.hpp"

namespace libsched::claim_sums_test {

NodeRef node(const std::string& name) {
  const Result<NodeRef> n = parse_node(
      "metadata: {name: " + name + ", labels: {topology.kubernetes.io/zone: " + name + "}}", {});
  REQUIRE(n.ok());
  return *n;
}

PodRef user(const std::string& name, const std::string& on) {
  const Result<PodRef> p = parse_pod("metadata: {name: " + name + "}\nspec: {nodeName: " + on +
                                         ", volumes: [{name: v, persistentVolumeClaim: "
                                         "{claimName: c}}]}",
                                     {});
  REQUIRE(p.ok());
  return *p;
}

struct Trial {
  explicit Trial(bool by_changes) {
    REQUIRE(cluster->account_as({.claims_by_changes = by_changes}).ok());
    for (const char* name : {"a", "b", "c"}) REQUIRE(cluster->update_node(node(name)).ok());
    REQUIRE(cluster->update_pod(user("p", "b"), "b").ok());
    cluster->refresh();
  }
  void again(const std::string& name) const {
    REQUIRE(cluster->remove_node(name).ok());
    REQUIRE(cluster->update_node(node(name)).ok());
  }
  bool in_use() const { return cluster->view().claim_in_use("default", "c"); }
  std::string order() const {
    cluster->refresh();
    std::string out;
    for (const uint32_t r : cluster->view().order()) out += cluster->view().row(r).name;
    return out;
  }

  Ref<Cluster> cluster = make_ref<Cluster>();
};

TEST_CASE("a node that comes again does not bring the uses of claims by its pods") {
  for (const bool by_changes : {false, true}) {
    CAPTURE(by_changes);
    const Trial t(by_changes);
    CHECK(t.in_use());
    t.again("b");
    CHECK(t.in_use() != by_changes);
    CHECK(t.order() == "abc");  // the same names: the list stays as it is
    t.again("b");
    CHECK(t.in_use() != by_changes);
    // Less than no use: the list of nodes is made of the tree, and the uses are counted.
    CHECK(t.order() == (by_changes ? "acb" : "abc"));
    CHECK(t.in_use());
    CHECK(t.order() == (by_changes ? "acb" : "abc"));
  }
}

TEST_CASE("pods that leave after their node count for it once more") {
  const Trial t(true);
  REQUIRE(t.cluster->update_pod(user("q", "c"), "c").ok());
  REQUIRE(t.cluster->remove_node("b").ok());
  CHECK(t.in_use());  // by q
  t.again("a");
  CHECK(t.order() == "ca");
  REQUIRE(t.cluster->remove_pod("default", "p").ok());
  CHECK_FALSE(t.in_use());
  t.again("c");
  CHECK(t.order() == "ac");
  CHECK(t.in_use());
}

TEST_CASE("a revert restores the sums of uses") {
  const Trial t(true);
  t.again("b");
  const auto same = [&] {
    CHECK_FALSE(t.in_use());
    CHECK(t.order() == "abc");
    CHECK(t.cluster->view().claim_sums().sum("default", "c") == 0);
  };
  same();
  REQUIRE(t.cluster->fork().ok());
  t.again("b");
  CHECK(t.order() == "acb");
  CHECK(t.in_use());
  REQUIRE(t.cluster->remove_pod("default", "p").ok());
  CHECK_FALSE(t.in_use());
  REQUIRE(t.cluster->revert().ok());
  same();
  // A pod whose node has not come yet is one that uses a claim.
  REQUIRE(t.cluster->update_pod(user("r", "later"), "later").ok());
  CHECK(t.in_use());
  REQUIRE(t.cluster->update_node(node("later")).ok());
  CHECK(t.in_use());
  t.cluster->refresh();
  CHECK(t.cluster->view().claim_sums().sum("default", "c") == 2);
}

}  // namespace libsched::claim_sums_test
