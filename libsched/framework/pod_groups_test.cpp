// PodGroups: members that wait, that are assumed and that have a node; changes that are undone.
#include "libsched/framework/pod_groups.hpp"

#include <doctest/doctest.h>

#include "libsched/cluster/cluster.hpp"
#include "libsched/ingest/ingest.hpp"

namespace libsched::pod_groups_test {

PodRef member(const std::string& name, const std::string& group = "g",
              const std::string& more = "") {
  Result<PodRef> p =
      parse_pod("metadata: {namespace: d, name: " + name + ", uid: u-" + name + more +
                    "}\nspec: {schedulingGroup: {podGroupName: '" + group + "'}}",
                {});
  REQUIRE_MESSAGE(p.ok(), p.error().text());
  return *p;
}

std::string show(const PodGroupState& s) {
  std::string out;
  for (const PodRef& p : s.unscheduled) out += std::string(p->meta.name);
  out += "|";
  for (const PodRef& p : s.assumed) out += std::string(p->meta.name);
  return out + "|" + std::to_string(s.scheduled) + "/" + std::to_string(s.all());
}

TEST_CASE("pod groups: members wait, are assumed, and get nodes") {
  PodGroups groups;
  const Ref<Cluster> c = make_ref<Cluster>();
  const auto state = [&](Str group = "g") { return show(groups.state(c->view(), "d", group)); };
  CHECK(state() == "||0/0");
  for (const char* name : {"b", "a", "c"}) groups.put(member(name)).keep();
  groups.put(member("x", "other")).keep();
  groups.put(member("alone", "")).keep();
  groups.put(nullptr).keep();
  CHECK(state() == "abc||0/3");
  CHECK(state("other") == "x||0/1");
  CHECK(show(groups.state(c->view(), "e", "g")) == "||0/0");
  REQUIRE(c->update_node(parse_node("metadata: {name: m}", {}).value()).ok());
  REQUIRE(c->fork().ok());
  REQUIRE(c->assume(*member("b"), "m").ok());
  CHECK(state() == "ac|b|1/3");
  REQUIRE(c->revert().ok());
  CHECK(state() == "abc||0/3");
  REQUIRE(c->assume(*member("b"), "m").ok());
  REQUIRE(c->update_pod(member("c"), "m").ok());  // bound, but still a member that waits
  CHECK(state() == "a|b|2/3");
  groups.remove(*member("c"));
  CHECK(state() == "a|b|2/3");
  const SnapshotRef snapshot = c->snapshot();
  REQUIRE(c->forget("d", "b").ok());
  CHECK(state() == "ab||1/3");
  CHECK(show(groups.state(snapshot->view(), "d", "g")) == "a|b|2/3");
  // A pod of the same name is another pod.
  groups.put(member("c", "g", "2")).keep();
  CHECK(state() == "abc||1/4");
  for (const char* name : {"a", "b", "c", "c"}) groups.remove(*member(name));
  REQUIRE(c->remove_pod("d", "c").ok());
  CHECK(state() == "||0/0");
}

TEST_CASE("pod groups: a change that is not kept is undone") {
  PodGroups groups;
  const Ref<Cluster> c = make_ref<Cluster>();
  const PodRef first = member("a"), second = member("a");
  const auto only = [&] { return groups.state(c->view(), "d", "g").unscheduled; };
  {
    const PodGroups::Change undone = groups.put(first);
  }
  CHECK(only().empty());
  groups.put(first).keep();
  {
    const PodGroups::Change undone = groups.put(second);
    CHECK(only()[0].get() == second.get());
  }
  REQUIRE(only().size() == 1);
  CHECK(only()[0].get() == first.get());
  {
    const PodGroups::Change undone = groups.put(member("b"));
  }
  CHECK(only().size() == 1);
}

}  // namespace libsched::pod_groups_test
