// Capacity: counts, ends, rotation, names, and that the cluster is as before. The plugins are
// fakes.
#include "libsched/scheduler/capacity.hpp"

#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::capacity_test {

using Names = std::vector<std::string>;

PodRef pod_of(const std::string& name, const std::string& spec = "{}") {
  Result<PodRef> pod =
      parse_pod("metadata: {name: " + name + ", namespace: default}\nspec: " + spec, {});
  REQUIRE_MESSAGE(pod.ok(), pod.error().text());
  return *pod;
}

// Nodes that take `each` pods; a pod named "picky-..." is taken by n1 alone.
struct Room {
  explicit Room(size_t each, const Names& nodes = {"n2", "n1", "n3"})
      : w({fake(each)}, nodes), evaluators{&w.evaluator} {
    view = &w.cluster->view();
    options.other_profile = "fakes";
  }
  Fake fake(size_t each) {
    Fake out;
    out.name = "Room";
    out.filter = [this, each](const FilterCall& call, const Node& node) {
      if (on_filter) on_filter();
      if (call.pod.meta.name.starts_with("picky") && node.meta.name != "n1")
        return Status(Code::kUnschedulable, "picky");
      const uint32_t row = view->find_node(node.meta.name);
      return view->row(row).pods.size() < each ? Status() : Status(Code::kUnschedulable, "full");
    };
    return out;
  }
  Result<Capacity> of(const std::vector<PodRef>& templates) {
    return capacity(evaluators, templates, options);
  }

  const View* view = nullptr;
  std::function<void()> on_filter;
  FakeWorld w;
  std::vector<Evaluator*> evaluators;
  CapacityOptions options;
};

Names counts(const Capacity& c) {
  Names out;
  for (const Capacity::OnNode& n : c.nodes) out.push_back(n.node + " " + std::to_string(n.count));
  return out;
}

TEST_CASE("Capacity counts copies until one does not fit, and leaves the cluster as it was") {
  Room room(2);
  REQUIRE(room.w.cluster
              ->add_pods(std::vector<const Pod*>{pod_of("a-1").get()}.data(),
                         std::vector<Str>{"n3"}.data(), 1)
              .ok());
  const uint64_t before = room.view->version();
  const Result<Capacity> c = room.of({pod_of("a", "{nodeName: n2}")});
  REQUIRE(c.ok());
  CHECK(c->count == 5);
  CHECK(c->end == CapacityEnd::kStopped);
  CHECK(counts(*c) == Names{"n1 2", "n2 2", "n3 1"});
  CHECK(c->next.text == "0/3 nodes are available: 3 full.");
  CHECK(c->next.plugin == "Room");
  CHECK(c->next.count == 1);
  REQUIRE(c->decision);
  CHECK(c->decision->details().fit_error == c->next.text);
  CHECK(c->decision->node_count == 3);
  CHECK(room.view->pod_count() == 1);
  CHECK(room.w.cluster->fork_depth() == 0);
  CHECK(room.view->version() == before);
  CHECK(room.of({pod_of("a")})->count == 5);  // and once more
}

TEST_CASE("Templates take turns, and the first that does not fit ends the count") {
  Room room(4);
  const Result<Capacity> c = room.of({pod_of("a"), pod_of("picky")});
  REQUIRE(c.ok());
  CHECK(c->of_template.size() == 2);
  CHECK(c->of_template[0] + c->of_template[1] == c->count);
  CHECK(c->of_template[0] == c->of_template[1] + 1);
  CHECK(c->next.pod->meta.name.starts_with("picky-"));
  CHECK(c->next.text == "0/3 nodes are available: 1 full, 2 picky.");
}

TEST_CASE("A maximum, a deadline and a flag end the count: at least so many fit") {
  Room room(1000);
  room.options.max = 7;
  Result<Capacity> c = room.of({pod_of("a")});
  REQUIRE(c.ok());
  CHECK(c->count == 7);
  CHECK(c->end == CapacityEnd::kMaximum);
  CHECK(!c->decision);
  room.options.max = CapacityOptions::kDefaultMax;
  const Ref<VirtualClock> clock = make_ref<VirtualClock>(1'000);
  REQUIRE(room.w.evaluator.use(make_ref<Services>(clock)).ok());
  room.options.limits.deadline_ns = 1'500;
  room.on_filter = [&] { clock->advance_to(clock->now_ns() + 10); };
  c = room.of({pod_of("a")});
  REQUIRE(c.ok());
  CHECK(c->end == CapacityEnd::kDeadline);
  CHECK(c->count > 0);
  CHECK(c->count < 1000);
  CHECK(room.view->pod_count() == 0);
  CHECK(room.w.cluster->fork_depth() == 0);
  std::atomic<bool> cancel{true};
  room.options.limits = {&cancel, 0};
  c = room.of({pod_of("a")});
  REQUIRE(c.ok());
  CHECK(c->end == CapacityEnd::kCancelled);
  CHECK(c->count == 0);
}

TEST_CASE("Without a template capacity is an error, and with a slot's cluster as well") {
  Room room(1);
  CHECK(room.of({}).error().rc == Rc::kInvalid);
  const Cluster::Judging judging(room.w.cluster.get());
  CHECK(room.of({pod_of("a")}).error().rc == Rc::kMisuse);
  CHECK(room.w.cluster->fork_depth() == 0);
}

}  // namespace libsched::capacity_test
