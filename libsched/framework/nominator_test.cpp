// Nominator: by override or by the pod's status, in the order of nomination, and what an update
// keeps.
#include "libsched/framework/nominator.hpp"

#include <doctest/doctest.h>

#include "libsched/ingest/ingest.hpp"

namespace libsched::nominator_test {

PodRef pod(const std::string& uid, const std::string& nominated = "") {
  Result<PodRef> p = parse_pod("metadata: {name: " + uid + ", uid: " + uid +
                                   "}\nstatus: {nominatedNodeName: '" + nominated + "'}",
                               {});
  REQUIRE(p.ok());
  return *p;
}

std::string on(const Nominator& n, Str node) {
  std::string out;
  for (const PodRef& p : n.on(node)) out += p->meta.uid;
  return out;
}

TEST_CASE("nominations: an override counts, else the pod's own") {
  Nominator n;
  CHECK(n.empty());
  n.add(pod("a"), std::nullopt);
  n.add(pod("a"), Nomination{});
  CHECK(n.empty());
  n.add(pod("a", "n1"), std::nullopt);
  n.add(pod("b"), Nomination{true, "n1"});
  n.add(pod("c", "n1"), Nomination{true, "n2"});
  CHECK(on(n, "n1") == "ab");
  CHECK(on(n, "n2") == "c");
  CHECK(n.node_of(*pod("c")) == "n2");
  n.add(pod("a", "n1"), Nomination{});  // again: now the last
  CHECK(on(n, "n1") == "ba");
  n.add(pod("c", "n1"), Nomination{true, ""});
  CHECK(on(n, "n2").empty());
  CHECK(on(n, "") == "c");
  CHECK(n.node_of(*pod("c")).empty());
  n.remove(*pod("b"));
  n.remove(*pod("b"));
  CHECK(on(n, "n1") == "a");
  n.add(pod("a"), std::nullopt);  // without a node: removed
  CHECK(on(n, "n1").empty());
  CHECK_FALSE(n.empty());
  n.remove(*pod("c"));
  CHECK(n.empty());
  CHECK(n.all().empty());
}

TEST_CASE("nominations that were cleared are listed at no node, or left out") {
  Nominator n;
  const auto listed = [&] {
    std::string out;
    n.for_each_node([&](const std::string& node, const std::vector<PodRef>& pods) {
      for (const PodRef& p : pods) out += node + ":" + std::string(p->meta.uid) + " ";
    });
    return out;
  };
  n.add(pod("a"), Nomination{true, ""});
  n.add(pod("b"), Nomination{true, "n1"});
  CHECK(listed() == ":a n1:b ");
  n.drop_cleared(true);
  CHECK(listed() == "n1:b ");
  CHECK(n.has(*pod("a")));
}

TEST_CASE("a nominated pod is shown as another version, in its place") {
  Nominator n;
  n.show(pod("a"));
  CHECK(n.empty());
  n.add(pod("a"), Nomination{true, "n1"});
  n.add(pod("b"), Nomination{true, "n1"});
  const PodRef shown = pod("a");
  n.show(shown);
  CHECK(on(n, "n1") == "ab");
  CHECK(n.on("n1")[0].get() == shown.get());
}

TEST_CASE("an update keeps nominations that no document has") {
  Nominator n;
  n.add(pod("a"), Nomination{true, "n1"});
  const PodRef newer = pod("a");
  n.update(*pod("a"), newer);
  REQUIRE(n.on("n1").size() == 1);
  CHECK(n.on("n1")[0].get() == newer.get());
  n.update(*pod("a"), pod("a", "n2"));  // added
  CHECK(on(n, "n2") == "a");
  n.update(*pod("a", "n2"), pod("a", "n3"));  // changed
  CHECK(on(n, "n3") == "a");
  n.update(*pod("a", "n3"), pod("a"));  // removed
  CHECK(n.empty());
  n.update(*pod("a"), pod("a"));
  CHECK(n.empty());
}

TEST_CASE("PreFilter: Unschedulable is remembered while the others run, and the last one counts") {
  const auto named = [](const std::string& name) {
    Result<PodRef> made = parse_pod("metadata: {name: " + name + ", namespace: d}", {});
    REQUIRE(made.ok());
    return *made;
  };
  Nominator n;
  n.add(named("a"), Nomination{true, "x"});
  n.add(named("b"), Nomination{true, "x"});
  CHECK(n.on("x").size() == 2);
  n.remove(*named("a"));
  CHECK(n.on("x").size() == 1);
  CHECK(n.node_of(*named("b")) == "x");
  CHECK(n.node_of(*named("a")).empty());
}

}  // namespace libsched::nominator_test
