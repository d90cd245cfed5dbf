// Why with plugins of its own: nodes that only several together help.
#include "libsched/scheduler/why/why.hpp"

#include <doctest/doctest.h>

#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::why_test {

// Takes pods in clusters of so many nodes.
Fake of_at_least(size_t nodes) {
  Fake fake;
  fake.name = "Company";
  fake.filter = [=](const FilterCall& call, const Node&) {
    return call.view.node_count() >= nodes ? Status() : Status(Code::kUnschedulable, "too few");
  };
  return fake;
}

std::string said(FakeWorld& w, size_t max_nodes) {
  Evaluator* const judge = &w.evaluator;
  WhyOptions how;
  how.max_nodes = max_nodes;
  how.other_profile = w.evaluator.framework().profile();
  const Result<Why> found = why({&judge, 1}, PodRef::share(w.pod.get()), how);
  REQUIRE_MESSAGE(found.ok(), found.error().text());
  CHECK(found->plugins.size() == 1);
  CHECK(found->plugins[0].plugin == "Company");
  CHECK(found->plugins[0].count == w.cluster->view().node_count());
  std::string out;
  for (const Suggestion& s : found->suggestions) out += s.text + ", " + s.edit + "; ";
  return out;
}

TEST_CASE("The smallest number of nodes that helps is found, up to a limit") {
  for (const size_t wanted : {4, 5, 6, 7, 8, 11}) {
    CAPTURE(wanted);
    FakeWorld w({of_at_least(wanted)});
    const size_t there = w.cluster->view().node_count();
    const size_t more = wanted - there;
    // A node for each shape; these are of one.
    const std::string number = std::to_string(more);
    CHECK(said(w, more) == "add " + number + (more == 1 ? " node" : " nodes") +
                               " like n1, add-node n1=" + number + "; ");
    CHECK(said(w, 100) == said(w, more));
    CHECK(said(w, more - 1).empty());
    CHECK(w.cluster->view().node_count() == there);
  }
}

}  // namespace libsched::why_test
