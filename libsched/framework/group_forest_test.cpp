// GroupForest: roots, children in their order, and trees that are not complete.
#include "libsched/framework/group_forest.hpp"

#include <doctest/doctest.h>

#include "libsched/cluster/cluster.hpp"
#include "libsched/ingest/ingest.hpp"

namespace libsched::group_forest_test {

struct World {
  Ref<Cluster> cluster = make_ref<Cluster>();
  GroupForest forest;

  void put(const std::string& kind, const std::string& name, const std::string& parent,
           const std::string& created = "") {
    const Result<ObjectSet> set = parse_objects(
        "apiVersion: scheduling.k8s.io/v1alpha3\nkind: " + kind +
            "\nmetadata: {namespace: d, name: " + name +
            (created.empty() ? "" : ", creationTimestamp: '" + created + "'") +
            "}\nspec: {schedulingPolicy: {basic: {}}" +
            (parent.empty() ? "" : ", parentCompositePodGroupName: " + parent) + "}\n",
        {});
    REQUIRE_MESSAGE(set.ok(), set.error().text());
    REQUIRE(cluster->put_object(set->stored.at(0).kind, set->stored.at(0).object).ok());
  }
  void composite(const std::string& name, const std::string& parent = "",
                 const std::string& created = "") {
    put("CompositePodGroup", name, parent, created);
  }
  void group(const std::string& name, const std::string& parent = "",
             const std::string& created = "") {
    put("PodGroup", name, parent, created);
  }
  const PodGroup& at(const std::string& name) const {
    const ObjectStore& objects = cluster->view().objects();
    const PodGroup* const group = objects.find<PodGroup>("d", name);
    return group != nullptr ? *group : *objects.find<CompositePodGroup>("d", name);
  }
  std::string root(const std::string& name) const {
    const PodGroup* const found = GroupForest::root_of(cluster->view(), at(name));
    return found == nullptr ? "none" : std::string(found->meta.name);
  }
  std::string leaves(const std::string& name) {
    std::string out;
    forest.each_leaf(cluster->view(), at(name),
                     [&](const PodGroup& leaf) { out += std::string(leaf.meta.name) + " "; });
    return out;
  }
};

TEST_CASE("groups form trees by the names of their parents") {
  World w;
  w.group("a", "r");
  CHECK(w.root("a") == "none");
  CHECK(w.leaves("a") == "a ");
  w.composite("r");
  w.composite("s", "r");
  w.group("b", "s");
  w.group("alone");
  CHECK(w.root("a") == "r");
  CHECK(w.root("b") == "r");
  CHECK(w.root("r") == "r");
  CHECK(w.root("alone") == "alone");
  CHECK(w.leaves("r") == "a b ");
  CHECK(w.leaves("s") == "b ");
  CHECK(w.leaves("alone") == "alone ");
  REQUIRE(w.cluster->remove_object(StoredKind::kCompositePodGroup, "d", "s").ok());
  CHECK(w.root("b") == "none");
  CHECK(w.leaves("r") == "a ");
}

TEST_CASE("children are sorted by creation and name; those without a time are first") {
  World w;
  w.composite("r");
  w.group("c", "r", "2026-01-01T00:00:01Z");
  w.group("b", "r", "2026-01-01T00:00:02Z");
  w.group("a", "r", "2026-01-01T00:00:02Z");
  w.group("z", "r");
  CHECK(w.leaves("r") == "z c a b ");
}

TEST_CASE("names that go in a circle have no root") {
  World w;
  w.composite("r", "s");
  w.composite("s", "r");
  w.composite("self", "self");
  w.group("a", "r");
  w.group("b", "self");
  for (const char* name : {"a", "b", "r", "s", "self"}) CHECK(w.root(name) == "none");
}

TEST_CASE("a fork has the trees of its own state") {
  World w;
  w.composite("r");
  w.group("a", "r");
  REQUIRE(w.cluster->fork().ok());
  w.group("b", "r");
  CHECK(w.leaves("r") == "a b ");
  REQUIRE(w.cluster->revert().ok());
  CHECK(w.leaves("r") == "a ");
}

}  // namespace libsched::group_forest_test
