// Filter with nominated pods: which of them count, both passes, errors, and that all ways to judge
// agree.
#include <doctest/doctest.h>

#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::evaluator_nominated_test {

PodRef pod(const std::string& name, int priority) {
  Result<PodRef> made = parse_pod("metadata: {name: " + name + ", namespace: d, uid: u-" + name +
                                      "}\nspec: {priority: " + std::to_string(priority) + "}",
                                  {});
  REQUIRE(made.ok());
  return *made;
}

struct Here final : PluginData {
  std::vector<std::string> pods;
  std::shared_ptr<PluginData> clone() const override { return std::make_shared<Here>(*this); }
};

// Counts the pods that AddPod adds, and returns `verdict` of their names and those of the copy.
struct World {
  using Verdict = std::function<Status(const std::vector<std::string>& added, bool copy)>;
  explicit World(Verdict verdict, Status add = {}, Release release = kDefaultRelease)
      : verdict_(std::move(verdict)), world_({fake(std::move(add))}, {"n1", "n2", "n3"}, release) {
    world_.pod = pod("p", 5);
  }

  void nominate(const PodRef& p, const std::string& node) {
    world_.evaluator.services().nominator().add(p, Nomination{true, node});
  }
  Cluster& cluster() { return *world_.cluster; }
  Services& services() { return world_.evaluator.services(); }
  // The first node that takes the pod, by the walk that counts nominated pods.
  std::string first() {
    CycleState state;
    REQUIRE(world_.evaluator.run_pre_filter(state, *world_.pod).ok());
    FilterOptions one;
    one.limit = 1;
    one.nominated = true;
    const Result<FilterOutcome> found =
        world_.evaluator.filter_nodes(state, *world_.pod, one, nullptr, 0);
    REQUIRE(found.ok());
    return found->first == kNoId ? "" : cluster().view().row(found->first).name;
  }
  // The statuses of all nodes: "n1 Success; ...", and the calls.
  std::string all() {
    const Ref<const Decision> d = world_.check();
    std::string out;
    for (size_t i = 0; i < d->node_count; ++i) {
      const Status& s = d->status(i);
      out += std::string(d->node(i)) + " " + code_name(s.code) + " " + s.message() + "; ";
      CycleState state;
      REQUIRE(world_.evaluator.run_pre_filter(state, *world_.pod).ok());
      Status one;
      const uint32_t row = world_.cluster->view().find_node(d->node(i));
      REQUIRE(world_.evaluator.run_filter_with_nominated(state, *world_.pod, row, &one).ok());
      CHECK(one == s);
      REQUIRE(world_.evaluator
                  .run_filter_with_nominated(
                      state, *world_.pod, NodeView(NodeOverlay(world_.cluster->view(), row)), &one)
                  .ok());
      CHECK(one == s);
    }
    CycleState state;
    const Result<CycleOutcome> cycle = world_.evaluator.run_cycle(state, *world_.pod, {});
    REQUIRE(cycle.ok());
    if (d->error.empty()) {
      CHECK(cycle->feasible == d->feasible_count);
    } else {
      CHECK(cycle->status.message() == d->error);
    }
    return out;
  }

 private:
  Fake fake(Status add) {
    Fake f;
    f.name = "F";
    f.pre_filter = [](const PreFilterCall& call, PreFilterResult*) -> Result<Status> {
      *call.data = std::make_shared<Here>();
      return Status();
    };
    f.filter = [this](const FilterCall& call, const Node&) {
      std::vector<std::string> pods = static_cast<const Here&>(*call.data).pods;
      const bool copy = call.single != nullptr && call.single->is_copy();
      if (copy) CHECK(call.single->pod_count() == pods.size());
      return verdict_(pods, copy && !pods.empty());
    };
    f.add_pod = [add](const PodChange& call) {
      CHECK(call.node.is_copy());
      static_cast<Here*>(call.data)->pods.emplace_back(call.other.meta.name);
      return add;
    };
    f.remove_pod = [](const PodChange&) { return Status(); };
    return f;
  }

  Verdict verdict_;
  FakeWorld world_;
};

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += n;
  return out;
}

TEST_CASE("pods of the same or a higher priority count, the pod itself does not") {
  World w([](const std::vector<std::string>& added, bool) {
    return added.empty() ? Status() : Status(Code::kUnschedulable, joined(added));
  });
  const std::string free = "n1 Success ; n2 Success ; n3 Success ; ";
  CHECK(w.all() == free);
  w.nominate(pod("low", 4), "n1");
  w.nominate(pod("p", 5), "n2");
  w.nominate(pod("far", 9), "elsewhere");
  CHECK(w.all() == free);
  w.nominate(pod("b", 5), "n2");
  w.nominate(pod("lower", -1), "n2");
  w.nominate(pod("a", 6), "n2");
  CHECK(w.all() == "n1 Success ; n2 Unschedulable ba; n3 Success ; ");
}

TEST_CASE("a node must take the pod with them and without them") {
  World w([](const std::vector<std::string>& added, bool) {
    return added.empty() ? Status(Code::kUnschedulable, "lonely") : Status();
  });
  w.nominate(pod("a", 5), "n2");
  CHECK(w.all() == "n1 Unschedulable lonely; n2 Unschedulable lonely; n3 Unschedulable lonely; ");
}

TEST_CASE("errors of such nodes become the cycle's") {
  World filter([](const std::vector<std::string>& added, bool) {
    return added.empty() ? Status() : Status(Code::kError, "broken");
  });
  filter.nominate(pod("a", 5), "n3");
  CHECK(filter.all() == "n1 Success ; n2 Success ; n3 Error running \"F\" filter plugin: broken; ");
  World add([](const std::vector<std::string>&, bool) { return Status(); },
            Status(Code::kError, "no"));
  add.nominate(pod("a", 5), "n1");
  CHECK(add.all() ==
        "n1 Error running AddPod on PreFilter plugin \"F\": no; n2 Success ; n3 Success ; ");
}

PodRef listed(const std::string& name, int priority, const std::string& node,
              const std::string& spec = "", const std::string& scheduler = "fakes") {
  Result<PodRef> made = parse_pod("metadata: {name: " + name + ", namespace: d, uid: u-" + name +
                                      "}\nspec: {priority: " + std::to_string(priority) +
                                      ", schedulerName: " + scheduler + spec +
                                      "}\nstatus: {nominatedNodeName: " + node + "}",
                                  {});
  REQUIRE(made.ok());
  return *made;
}

TEST_CASE("pending pods of the cluster that are nominated count by themselves") {
  World w([](const std::vector<std::string>& added, bool) {
    return added.empty() ? Status() : Status(Code::kUnschedulable, joined(added));
  });
  const std::string free = "n1 Success ; n2 Success ; n3 Success ; ";
  const auto put = [&](const PodRef& p) {
    const Change change = PutPod{p, {}, PutMode::kApply};
    REQUIRE(w.cluster().apply(&change, 1).ok());
  };
  put(listed("low", 4, "n1"));
  put(listed("far", 9, "elsewhere"));
  put(listed("other", 9, "n1", "", "others"));
  const Ref<Pod> leaving = copy_pod(*listed("leaving", 9, "n1"), {});
  leaving->meta.deleted.present = true;
  put(leaving);
  put(listed("p", 9, "n1"));  // the pod that is asked about
  CHECK(w.all() == free);
  put(listed("b", 5, "n2"));
  put(listed("a", 6, "n2"));
  CHECK(w.all() == "n1 Success ; n2 Unschedulable ab; n3 Success ; ");
  CHECK(w.first() == "n1");

  SUBCASE("what the services say of a pod counts in its stead") {
    w.nominate(listed("a", 6, "n2"), "");
    CHECK(w.all() == "n1 Success ; n2 Unschedulable b; n3 Success ; ");
    w.nominate(listed("b", 5, "n2"), "n3");
    CHECK(w.all() == "n1 Success ; n2 Success ; n3 Unschedulable b; ");
  }
  SUBCASE("a scheduler that knows all pods has them in its services") {
    struct Lister final : PodLister {
      const Pod* find_pod(Str, Str) const override { return nullptr; }
    } all;
    w.services().pods = &all;
    CHECK(w.all() == free);
    w.services().pods = nullptr;
  }
  SUBCASE("a pod that is placed is nominated no more") {
    REQUIRE(w.cluster().assume(*listed("a", 6, "n2"), "n3").ok());
    REQUIRE(w.cluster().remove_pod("d", "a").ok());
    REQUIRE(w.cluster().remove_pod("d", "b").ok());
    CHECK(w.all() == free);
  }
}

TEST_CASE("a pending pod of the cluster that is nominated and gated counts from 1.37 on") {
  for (const Release release : {Release::k1_36, Release::k1_37}) {
    World w(
        [](const std::vector<std::string>& added, bool) {
          return added.empty() ? Status() : Status(Code::kUnschedulable, joined(added));
        },
        {}, release);
    const Change change =
        PutPod{listed("gated", 9, "n1", ", schedulingGates: [{name: g}]"), {}, PutMode::kApply};
    REQUIRE(w.cluster().apply(&change, 1).ok());
    const bool counts = release == Release::k1_37;
    CHECK(w.all() == std::string(counts ? "n1 Unschedulable gated" : "n1 Success ") +
                         "; n2 Success ; n3 Success ; ");
    CHECK(w.first() == (counts ? "n2" : "n1"));
  }
}

}  // namespace libsched::evaluator_nominated_test
