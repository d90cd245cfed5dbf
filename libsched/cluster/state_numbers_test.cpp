// Versions of different clusters: equal ones mean equal contents, so that what was prepared for a
// view is never taken for another's.
#include "libsched/cluster/cluster.hpp"
#include "libsched/ingest/ingest.hpp"

#include <doctest/doctest.h>

#include <string>

namespace libsched::state_numbers_test {

void put(Cluster& cluster, const std::string& name) {
  Result<ObjectSet> set = parse_objects("apiVersion: v1\nkind: Node\nmetadata: {name: " + name +
                                            "}\nstatus: {allocatable: {cpu: 8, pods: 20}}\n",
                                        {});
  REQUIRE(set.ok());
  REQUIRE(cluster.apply(*set).ok());
}

TEST_CASE("clusters that differ have different versions, whatever number of changes they had") {
  Ref<Cluster> a = make_ref<Cluster>(), b = make_ref<Cluster>();
  CHECK(a->view().version() == b->view().version());  // both are empty
  put(*a, "first");
  put(*b, "second");
  CHECK(a->view().version() != b->view().version());
  CHECK(a->view().membership() != b->view().membership());

  const Ref<Cluster> copy = a->clone();
  const SnapshotRef before = a->snapshot();
  CHECK(copy->view().version() == before->view().version());  // nothing has changed since
  put(*a, "third");
  put(*copy, "fourth");
  CHECK(a->view().version() != copy->view().version());
  CHECK(a->view().membership() != copy->view().membership());
  CHECK(before->view().version() != a->view().version());
}

TEST_CASE("a revert restores the version, and no later change has one that was given before") {
  Ref<Cluster> c = make_ref<Cluster>();
  put(*c, "first");
  const uint64_t version = c->view().version();
  REQUIRE(c->fork().ok());
  put(*c, "third");
  const uint64_t inside = c->view().version();
  REQUIRE(c->revert().ok());
  CHECK(c->view().version() == version);
  put(*c, "fourth");
  CHECK(c->view().version() != version);
  CHECK(c->view().version() != inside);
}

}  // namespace libsched::state_numbers_test
