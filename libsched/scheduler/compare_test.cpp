// Comparisons: sides are matched by name, the cluster is as before, and errors change nothing.
#include "libsched/scheduler/compare.hpp"

#include "libsched/ingest/ingest.hpp"
#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::compare_test {

PodRef pod(const std::string& name, const std::string& spec = "", int priority = 0) {
  const Result<PodRef> made =
      parse_pod("metadata: {name: " + name + ", namespace: default}\nspec: {priority: " +
                    std::to_string(priority) + (spec.empty() ? "" : ", ") + spec + "}\n",
                {});
  REQUIRE_MESSAGE(made.ok(), made.error().text());
  return *made;
}

// Nodes n1 and n2 that take `each` pods.
struct Room {
  explicit Room(size_t each) : w({fake(each)}, {"n1", "n2"}), evaluators{&w.evaluator} {
    view = &w.cluster->view();
    options.other_profile = "fakes";
    options.ties = TieMode::kName;
  }
  Fake fake(size_t each) {
    Fake out;
    out.name = "Room";
    out.filter = [this, each](const FilterCall&, const Node& node) {
      const uint32_t row = view->find_node(node.meta.name);
      return view->row(row).pods.size() < each ? Status() : Status(Code::kUnschedulable, "full");
    };
    return out;
  }
  void add(const PodRef& p) {
    const Pod* const one[] = {p.get()};
    REQUIRE(w.cluster->add_pods(one, nullptr, 1).ok());
  }

  const View* view = nullptr;
  FakeWorld w;
  std::vector<Evaluator*> evaluators;
  CompareOptions options;
};

// "name: node before, node after" and "*" if changed.
std::vector<std::string> told(const Comparison& c) {
  std::vector<std::string> out;
  for (const ComparedPod& p : c.pods()) {
    std::string line(p.pod->meta.name);
    for (const auto& o : p.outcome)
      line += " " + (!o ? "absent" : o->node.empty() ? "none" : o->node);
    out.push_back(line + (p.changed() ? " *" : ""));
  }
  return out;
}

TEST_CASE("compare: pods are matched by name, and the clusters are as before") {
  Room small(1), large(2);
  large.add(pod("old", "nodeName: n1"));
  const uint64_t before = small.view->version(), after = large.view->version();
  const Ref<Comparison> c = make_ref<Comparison>();
  const std::vector<PodRef> pods = {pod("a"), pod("b"), pod("c")};
  REQUIRE(c->place(CompareSide::kBefore, small.evaluators, pods, small.options).ok());
  CHECK(told(*c) == std::vector<std::string>{"a n1 absent *", "b n2 absent *", "c none absent *"});
  const std::vector<PodRef> more = {pod("new"), pod("b"), pod("c")};
  REQUIRE(c->place(CompareSide::kAfter, large.evaluators, more, large.options).ok());
  CHECK(told(*c) ==
        std::vector<std::string>{"a n1 absent *", "b n2 n2", "c none n2 *", "new absent n1 *"});
  CHECK(c->changed_count() == 3);
  CHECK(c->pods()[2].outcome[0]->text == "0/2 nodes are available: 2 full.");
  CHECK(c->pods()[2].outcome[0]->profile == "fakes");
  CHECK(small.view->version() == before);
  CHECK(large.view->version() == after);

  CHECK_FALSE(c->place(CompareSide::kAfter, {}, pods, {}).ok());
  CHECK(c->changed_count() == 3);
}

TEST_CASE("compare: all pods are placed anew, by priority, on nodes that are empty") {
  Room room(2);
  room.add(pod("low", "nodeName: n2"));
  room.add(pod("high", "nodeName: n2", 5));
  const Result<PodRef> mirror = parse_pod(
      "metadata: {name: static, namespace: default, annotations: {kubernetes.io/config.mirror: "
      "x}}\nspec: {nodeName: n1}\n",
      {});
  REQUIRE(mirror.ok());
  room.add(*mirror);
  const uint64_t version = room.view->version();
  const Ref<Comparison> c = make_ref<Comparison>();
  room.options.all = true;
  const std::vector<PodRef> pods = {pod("low"), pod("wait")};
  REQUIRE(c->place(CompareSide::kBefore, room.evaluators, pods, room.options).ok());
  CHECK(told(*c) ==
        std::vector<std::string>{"high n1 absent *", "low n2 absent *", "wait n2 absent *"});
  CHECK(room.view->version() == version);
  CHECK(c->use(CompareSide::kBefore).in_use() == 2);
}

TEST_CASE("compare: a node is in use by pods that are neither static nor of a DaemonSet") {
  Room room(2);
  const Result<PodRef> mirror = parse_pod(
      "metadata: {name: static, namespace: default, annotations: {kubernetes.io/config.mirror: "
      "x}}\nspec: {nodeName: n1}\n",
      {});
  const Result<PodRef> daemon = parse_pod(
      "metadata: {name: agent, namespace: default, ownerReferences: [{apiVersion: apps/v1, kind: "
      "DaemonSet, name: agent, uid: u, controller: true}]}\nspec: {nodeName: n1, containers: "
      "[{name: c, "
      "image: i, resources: {requests: {cpu: 100m}}}]}\n",
      {});
  REQUIRE(mirror.ok());
  REQUIRE(daemon.ok());
  room.add(*mirror);
  room.add(*daemon);
  room.add(
      pod("web",
          "nodeName: n2, containers: [{name: c, image: i, resources: {requests: {cpu: 300m}}}]"));
  const Ref<Comparison> c = make_ref<Comparison>();
  CHECK(c->use(CompareSide::kAfter).nodes == 0);
  REQUIRE(c->place(CompareSide::kAfter, room.evaluators, {}, room.options).ok());
  const ComparedUse& use = c->use(CompareSide::kAfter);
  CHECK(use.nodes == 2);
  CHECK(use.in_use() == 1);
  CHECK(use.empty == std::vector<std::string>{"n1"});
  REQUIRE_FALSE(use.resources.empty());
  CHECK(use.resources[0].resource == "cpu");
  CHECK(use.resources[0].requested == 400);
  CHECK(use.resources[0].used_requested == 300);
  CHECK(use.json().find(R"("nodes":2,"nodesInUse":1,"emptyNodes":["n1"])") != std::string::npos);
  CHECK(c->use(CompareSide::kBefore).nodes == 0);
}

}  // namespace libsched::compare_test
