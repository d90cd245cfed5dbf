// A whole cycle: sampling and its moving start, the nominated node, ties, and assuming with Reserve
// and Unreserve. The plugins are fakes.
#include <doctest/doctest.h>

#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::evaluator_cycle_test {

using Names = std::vector<std::string>;

const Status kNo(Code::kUnschedulable, "no");

Fake same_score(int* calls = nullptr) {
  Fake fake;
  fake.name = "Same";
  fake.score = [calls](const Node&, int64_t* score) {
    if (calls != nullptr) ++*calls;
    *score = 10;
    return Status();
  };
  return fake;
}

std::string number(size_t i) { return "n" + std::to_string(1000 + i); }
Names nodes(size_t n) {
  Names out;
  for (size_t i = 0; i < n; ++i) out.push_back(number(i));
  return out;
}

CycleOutcome cycle(FakeWorld& w, const CycleOptions& options = {}) {
  Result<CycleOutcome> out = w.evaluator.run_cycle(*w.state, *w.pod, options);
  REQUIRE_MESSAGE(out.ok(), out.error().text());
  return *out;
}
std::string chosen(FakeWorld& w, const CycleOutcome& out) {
  return out.row == kNoId ? "" : w.cluster->view().row(out.row).name;
}

TEST_CASE("a cycle without nodes, with one node and with several") {
  int calls = 0;
  SUBCASE("no node in the cluster") {
    FakeWorld w({same_score()}, {});
    CHECK(cycle(w).status.message() == "no nodes available to schedule pods");
  }
  SUBCASE("no node fits") {
    FakeWorld w({same_score(), filter_rejects("F", {"n1", "n2", "n3"}, kNo)});
    const CycleOutcome out = cycle(w);
    CHECK(out.status.code == Code::kUnschedulable);
    CHECK(out.feasible == 0);
    CHECK(out.evaluated == 3);
  }
  SUBCASE("one node fits: nothing is scored") {
    FakeWorld w({same_score(&calls), filter_rejects("F", {"n1", "n3"}, kNo)});
    const CycleOutcome out = cycle(w);
    CHECK(chosen(w, out) == "n2");
    CHECK(calls == 0);
  }
  SUBCASE("several: the first in the heap of equals") {
    FakeWorld w({same_score(&calls)});
    const CycleOutcome out = cycle(w);
    CHECK(chosen(w, out) == "n1");
    CHECK(out.total == 10);
    CHECK(calls == 3);
  }
}

TEST_CASE("on request the status of a cycle without a node has upstream's message") {
  CycleOptions options;
  options.fit_error = true;
  using Names = std::set<std::string>;
  const auto says = [&](FakeWorld& w, const char* plugin, const char* text, const Names& rejectors,
                        const Names& pending = {}) {
    const CycleOutcome out = cycle(w, options);
    CHECK(out.diagnosis.unschedulable_plugins == rejectors);
    CHECK(out.diagnosis.pending_plugins == pending);
    CHECK(out.row == kNoId);
    CHECK(out.status.code == Code::kUnschedulable);
    CHECK(out.status.plugin == plugin);
    CHECK(out.status.message() == text);
    CHECK(out.status.error == text);
    CHECK(w.check()->details().fit_error == text);
  };
  SUBCASE("one plugin") {
    FakeWorld w({filter_rejects("F", {"n1", "n2", "n3"}, kNo)});
    says(w, "F", "0/3 nodes are available: 3 no.", {"F"});
  }
  SUBCASE("several") {
    FakeWorld w({filter_rejects("F", {"n1"}, kNo),
                 filter_rejects("G", {"n2", "n3"}, Status(Code::kUnschedulable, "never"))});
    says(w, "", "0/3 nodes are available: 1 no, 2 never.", {"F", "G"});
  }
  SUBCASE("PreFilter") {
    FakeWorld w({pre_filter_says("P", Status(Code::kUnschedulableAndUnresolvable, "never"))});
    says(w, "P", "0/3 nodes are available: never.", {"P"});
  }
  SUBCASE("Pending") {
    FakeWorld w({filter_rejects("F", {"n1"}, kNo),
                 filter_rejects("G", {"n2", "n3"}, Status(Code::kPending, "later"))});
    says(w, "", "0/3 nodes are available: 1 no, 2 later.", {"F", "G"}, {"G"});
  }
  SUBCASE("not asked for") {
    FakeWorld w({filter_rejects("F", {"n1", "n2", "n3"}, kNo)});
    const CycleOutcome out = cycle(w);
    CHECK(out.status == Status(Code::kUnschedulable));
    CHECK(out.diagnosis.unschedulable_plugins.empty());
  }
  SUBCASE("a node is there") {
    FakeWorld w({filter_rejects("F", {"n1", "n3"}, kNo)});
    const CycleOutcome out = cycle(w, options);
    CHECK(out.status.success());
    CHECK(out.diagnosis.unschedulable_plugins.empty());
  }
}

TEST_CASE("sampling stops at upstream's number and continues there") {
  FakeWorld w({same_score()}, nodes(300));
  CycleOptions options;
  options.sampling = true;  // 50 - 300/125 = 48 % of 300
  CycleOutcome out = cycle(w, options);
  CHECK(out.feasible == 144);
  CHECK(out.evaluated == 144);
  CHECK(chosen(w, out) == number(0));
  CHECK(w.evaluator.next_start() == 144);  // at the node that ended the walk
  out = cycle(w, options);
  CHECK(chosen(w, out) == number(144));
  CHECK(w.evaluator.next_start() == 288);
  out = cycle(w, options);
  CHECK(chosen(w, out) == number(288));
  CHECK(w.evaluator.next_start() == 132);
  CHECK(cycle(w).feasible == 300);  // without sampling
  CHECK(w.evaluator.next_start() == 132);
}

TEST_CASE("a cycle node by node decides as over sets, and judges no node twice") {
  for (const bool sampling : {false, true}) {
    std::vector<std::string> rejected;
    for (size_t i = 0; i < 300; i += 3) rejected.push_back(number(i));
    int asked = 0;
    Fake fake = filter_rejects("F", rejected, kNo);
    fake.filter = [&asked, filter = fake.filter](const FilterCall& call, const Node& node) {
      const Status s = filter(call, node);
      asked += s.success() ? 1 : 0;
      return s;
    };
    FakeWorld sets({same_score(), fake}, nodes(300));
    FakeWorld alone({same_score(), fake}, nodes(300));
    CycleOptions options;
    options.sampling = sampling;
    for (int round = 0; round < 3; ++round) {
      options.node_by_node = false;
      const CycleOutcome a = cycle(sets, options);
      options.node_by_node = true;
      asked = 0;
      const CycleOutcome b = cycle(alone, options);
      CHECK(chosen(sets, a) == chosen(alone, b));
      CHECK(a.feasible == b.feasible);
      CHECK(a.evaluated == b.evaluated);
      CHECK(sets.evaluator.next_start() == alone.evaluator.next_start());
      // Upstream's search finds one node more than it needs.
      CHECK(asked == static_cast<int>(b.feasible) + (sampling ? 1 : 0));
    }
  }
  Fake broken = filter_rejects("F", {"n2"}, Status::from_error("broken"));
  FakeWorld w({broken});
  CycleOptions options;
  const Status over_sets = cycle(w, options).status;
  options.node_by_node = true;
  CHECK(cycle(w, options).status == over_sets);
}

TEST_CASE("nominations do not matter if no plugin filters") {
  Fake fake = pre_filter_says("P", {});
  int told = 0;
  fake.add_pod = [&told](const PodChange&) {
    ++told;
    return Status::from_error("no");
  };
  fake.remove_pod = fake.add_pod;
  FakeWorld w({fake});
  const Result<PodRef> first =
      parse_pod("metadata: {name: q, namespace: d, uid: q}\nspec: {priority: 9}", {});
  w.evaluator.services().nominator().add(*first, Nomination{true, "n1"});
  for (const bool node_by_node : {false, true}) {
    CycleOptions options;
    options.node_by_node = node_by_node;
    CHECK(cycle(w, options).feasible == 3);
    CHECK(told == 0);
  }
}

TEST_CASE("sampling counts rejected nodes too, and without Score plugins one node is enough") {
  FakeWorld w({filter_rejects("F", {number(0), number(1), number(4)}, kNo)}, nodes(200));
  CycleOptions options;
  options.sampling = true;
  const CycleOutcome out = cycle(w, options);
  CHECK(chosen(w, out) == number(2));
  CHECK(out.evaluated == 3);
  CHECK(w.evaluator.next_start() == 3);
}

TEST_CASE("a nominated node is chosen if it fits, else it still counts as evaluated") {
  FakeWorld w({same_score(), filter_rejects("F", {number(150)}, kNo)}, nodes(200));
  CycleOptions options;
  options.sampling = true;
  const auto nominated = [](const std::string& node) {
    Result<PodRef> pod = parse_pod(
        "metadata: {name: p, namespace: default}\nstatus: {nominatedNodeName: " + node + "}", {});
    REQUIRE(pod.ok());
    return *pod;
  };
  w.pod = nominated(number(120));
  CycleOutcome out = cycle(w, options);
  CHECK(chosen(w, out) == number(120));
  CHECK(out.feasible == 1);
  CHECK(w.evaluator.next_start() == 0);
  w.pod = nominated(number(150));
  out = cycle(w, options);  // 50 - 200/125 = 49 % is 98, and at least 100
  CHECK(out.feasible == 100);
  CHECK(out.evaluated == 101);
  w.evaluator.set_next_start(140);
  out = cycle(w, options);
  CHECK(out.feasible == 100);
  CHECK(out.evaluated == 101);  // 150 was on the way: counted once
  w.pod = nominated("gone");
  CHECK(cycle(w).feasible == 199);
}

TEST_CASE("ties: by the heap, by name, or random by a seed") {
  FakeWorld w({same_score()}, {"c", "b", "a"});
  CycleOptions options;
  CHECK(chosen(w, cycle(w, options)) == "c");
  options.ties = TieMode::kName;
  CHECK(chosen(w, cycle(w, options)) == "a");
  options.ties = TieMode::kRandom;
  std::map<std::string, int> count;
  for (int i = 0; i < 300; ++i) ++count[chosen(w, cycle(w, options))];
  CHECK(count.size() == 3);
  for (const auto& [name, n] : count) CHECK(n > 60);
}

TEST_CASE("PreFilter narrows the walk; an Error ends it") {
  FakeWorld w({pre_filter_narrows("P", {"n3", "n2", "gone"}), same_score()});
  CHECK(cycle(w).feasible == 2);
  FakeWorld bad({same_score(), filter_rejects("F", {"n2"}, Status(Code::kError, "broken"))});
  const CycleOutcome out = cycle(bad);
  CHECK(out.row == kNoId);
  CHECK(out.status.message() == "running \"F\" filter plugin: broken");
}

Fake reserves(const std::string& name, std::vector<std::string>* log, const Status& status) {
  Fake fake;
  fake.name = name;
  fake.reserve = [=](const ReserveCall&) {
    log->push_back("reserve " + name);
    return status;
  };
  fake.unreserve = [=](const ReserveCall&) { log->push_back("unreserve " + name); };
  return fake;
}

TEST_CASE("assume: Reserve in order; a refusal unreserves all in reverse and removes the pod") {
  Names log;
  SUBCASE("all agree") {
    FakeWorld w({reserves("A", &log, {}), reserves("B", &log, {})});
    CHECK(w.evaluator.assume(*w.state, *w.pod, 1).value().success());
    CHECK(log == Names{"reserve A", "reserve B"});
    const uint32_t slot = w.cluster->view().find_pod("default", "p");
    REQUIRE(slot != kNoId);
    CHECK(w.cluster->view().slot(slot).assumed);
    CHECK(w.cluster->view().as_bound(*w.pod).spec.node_name == "n2");
    CHECK(w.evaluator.assume(*w.state, *w.pod, 1).error().rc == Rc::kExists);
    log.clear();
    CHECK(w.evaluator.forget(*w.state, *w.pod).ok());
    CHECK(log == Names{"unreserve B", "unreserve A"});
    CHECK(w.cluster->view().pod_count() == 0);
    CHECK(w.evaluator.forget(*w.state, *w.pod).ok());  // an unknown pod: no effect
  }
  SUBCASE("one refuses") {
    FakeWorld w({reserves("A", &log, kNo), reserves("B", &log, {})});
    const Status s = w.evaluator.assume(*w.state, *w.pod, 0).value();
    CHECK(s.code == Code::kUnschedulable);
    CHECK(s.plugin == "A");
    CHECK(log == Names{"reserve A", "unreserve B", "unreserve A"});
    CHECK(w.cluster->view().pod_count() == 0);
  }
  SUBCASE("one fails") {
    FakeWorld w({reserves("A", &log, Status(Code::kError, "broken"))});
    CHECK(w.evaluator.assume(*w.state, *w.pod, 0).value().message() ==
          "running Reserve plugin \"A\": broken");
  }
}

TEST_CASE(
    "only an assumed pod can be forgotten, and a revert forgets what was assumed in its fork") {
  FakeWorld w({});
  const PodRef pod = copy_pod(*w.pod, "p", "default", "u", "n1");
  REQUIRE(w.cluster->fork().ok());
  CHECK(w.evaluator.assume(*w.state, *w.pod, 0).value().success());
  CHECK(w.cluster->revert().ok());
  CHECK(w.cluster->view().pod_count() == 0);
  CHECK(w.cluster->update_pod(pod, "").ok());
  CHECK(w.cluster->forget("default", "p").error().message ==
        "pod u(default/p) wasn't assumed so cannot be forgotten");
  CHECK(w.cluster->assume(*pod, "n1").error().message ==
        "pod u(default/p) is in the cache, so can't be assumed");
}

}  // namespace libsched::evaluator_cycle_test
