// Placing pods: every outcome, replicas, profiles, and what is left after an error. The plugins are
// fakes.
#include "libsched/scheduler/place.hpp"

#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::place_test {

using Names = std::vector<std::string>;

PodRef pod_of(const std::string& name, const std::string& spec = "{}",
              const std::string& status = "{}") {
  Result<PodRef> pod = parse_pod(
      "metadata: {name: " + name + ", namespace: default}\nspec: " + spec + "\nstatus: " + status,
      {});
  REQUIRE_MESSAGE(pod.ok(), pod.error().text());
  return *pod;
}

// Takes one pod per node, and records the pods it judged.
Fake one_each(const View* const* view, Names* asked = nullptr) {
  Fake fake;
  fake.name = "OneEach";
  fake.filter = [view, asked](const FilterCall& call, const Node& node) {
    if (asked != nullptr && node.meta.name == "n1") asked->emplace_back(call.pod.meta.name);
    const uint32_t row = (*view)->find_node(node.meta.name);
    return (*view)->row(row).pods.empty() ? Status() : Status(Code::kUnschedulable, "taken");
  };
  return fake;
}
Fake prefers(const std::string& best) {
  Fake fake;
  fake.name = "Prefers";
  fake.score = [best](const Node& node, int64_t* score) {
    *score = node.meta.name == best ? 50 : 7;
    return Status();
  };
  return fake;
}

const char* word(Outcome outcome) {
  constexpr const char* kWords[] = {"placed", "unschedulable", "gated", "refused",
                                    "bound",  "kept",          "ended", "error"};
  return kWords[static_cast<size_t>(outcome)];
}

struct Placing {
  explicit Placing(std::vector<Fake> fakes, const Names& nodes = {"n1", "n2", "n3"})
      : w(std::move(fakes), nodes), evaluators{&w.evaluator} {
    options.other_profile = "fakes";
  }
  Result<void> operator()(const std::vector<PlaceRequest>& requests) {
    told.clear();
    placements.clear();
    return place(evaluators, requests, options, [&](const Placement& p) {
      told.push_back(std::string(p.pod->meta.name) + " " + word(p.outcome) +
                     (p.node.empty() ? "" : " " + p.node) +
                     (p.count == 1 ? "" : " x" + std::to_string(p.count)));
      placements.push_back(p);
      return goes_on;
    });
  }
  Names all(const std::vector<PodRef>& pods) {
    std::vector<PlaceRequest> requests;
    for (const PodRef& pod : pods) requests.push_back({pod, 1, {}});
    REQUIRE((*this)(requests).ok());
    return told;
  }
  size_t pods() const { return w.cluster->view().pod_count(); }

  FakeWorld w;
  std::vector<Evaluator*> evaluators;
  PlaceOptions options;
  bool goes_on = true;
  Names told;
  std::vector<Placement> placements;
};

// A fake needs the view of a world that contains it.
struct OneEach {
  const View* view = nullptr;
  Names asked;
  Placing placing;
  explicit OneEach(std::vector<Fake> more = {}, const Names& nodes = {"n1", "n2", "n3"})
      : placing(with(std::move(more)), nodes) {
    view = &placing.w.cluster->view();
  }
  std::vector<Fake> with(std::vector<Fake> more) {
    more.push_back(one_each(&view, &asked));
    return more;
  }
};

TEST_CASE("Each pod sees the pods that were placed before it") {
  OneEach one({prefers("n2")});
  CHECK(one.placing.all({pod_of("a"), pod_of("b"), pod_of("c"), pod_of("d")}) ==
        Names{"a placed n2", "b placed n1", "c placed n3", "d unschedulable"});
  const std::vector<Placement>& told = one.placing.placements;
  CHECK(told[0].score == 50);
  CHECK(told[0].feasible == 3);
  CHECK(told[1].score == 7);
  CHECK(!told[2].score);  // the only node: upstream does not score then
  CHECK(told[2].feasible == 1);
  CHECK(told[3].text == "0/3 nodes are available: 3 taken.");
  CHECK(told[3].plugin == "OneEach");
  CHECK(told[3].profile == &one.placing.w.evaluator.framework());
  CHECK(one.placing.pods() == 3);
}

TEST_CASE("Pods that the scheduler ignores: ended, kept and bound pods") {
  Placing placing({});
  CHECK(placing.all({pod_of("over", "{}", "{phase: Succeeded}"), pod_of("there", "{nodeName: n2}"),
                     pod_of("there"), pod_of("lost", "{nodeName: nowhere}")}) ==
        Names{"over ended", "there bound n2", "there kept n2", "lost unschedulable"});
  CHECK(placing.placements[0].text == "its phase is Succeeded");
  CHECK(placing.placements[1].text == "by its nodeName");
  CHECK(placing.placements[3].text == "its nodeName is nowhere, which is no node here");
  CHECK(placing.placements[0].profile == nullptr);
  CHECK(placing.pods() == 1);
}

TEST_CASE("Gated, refused and failed pods leave the cluster as it was") {
  Fake fake;
  fake.name = "F";
  int unreserved = 0;
  fake.pre_enqueue = [](const Pod& pod) {
    return pod.meta.name == "gated" ? Status(Code::kUnschedulable, "wait") : Status();
  };
  fake.reserve = [](const ReserveCall& call) {
    return call.pod.meta.name == "refused" ? Status(Code::kUnschedulable, "not here") : Status();
  };
  fake.unreserve = [&](const ReserveCall&) { ++unreserved; };
  fake.filter = [](const FilterCall& call, const Node&) {
    return call.pod.meta.name == "broken" ? Status::from_error("broke") : Status();
  };
  fake.pre_filter = [](const PreFilterCall& call, PreFilterResult*) -> Result<Status> {
    if (call.pod.meta.name != "claims") return Status();
    return Error{Rc::kUnsupported, "no such plugin", {}, "Devices"};
  };
  Placing placing({fake});
  CHECK(placing.all({pod_of("gated"), pod_of("refused"), pod_of("broken"), pod_of("claims")}) ==
        Names{"gated gated", "refused refused", "broken error", "claims error"});
  CHECK(placing.placements[0].text == "wait");
  CHECK(placing.placements[1].text == "not here");
  CHECK(placing.placements[2].text == "running \"F\" filter plugin: broke");
  CHECK(placing.placements[3].text == "no such plugin");
  CHECK(placing.placements[3].plugin == "Devices");
  for (const Placement& p : placing.placements) CHECK(p.node.empty());
  CHECK(placing.placements[1].plugin == "F");
  CHECK(unreserved == 1);
  CHECK(placing.pods() == 0);
}

TEST_CASE("Replicas after one that is not placed are counted, not tried") {
  OneEach one;
  CHECK(one.placing({{pod_of("web"), 2'000'000'000, {}}, {pod_of("x"), 1, {}}}).ok());
  CHECK(one.placing.told == Names{"web-0 placed n1", "web-1 placed n2", "web-2 placed n3",
                                  "web-3 unschedulable x1999999997", "x unschedulable"});
  CHECK(one.asked.size() < 20);  // the filters run twice if no node is found
  CHECK(one.placing({{pod_of("web"), 3, {}}}).ok());
  CHECK(one.placing.told == Names{"web-0 kept n1", "web-1 kept n2", "web-2 kept n3"});
}

TEST_CASE("Pods of a class that found no node are not judged again while nothing changes") {
  for (const bool declares : {true, false}) {
    Names asked;
    Fake fake;
    fake.name = "F";
    fake.pre_enqueue = [](const Pod& pod) {
      return pod.meta.name == "gated" ? Status(Code::kUnschedulable, "wait") : Status();
    };
    fake.filter = [&](const FilterCall& call, const Node&) {
      // A pod that no node takes is judged again for the reasons.
      const std::string name(call.pod.meta.name);
      if (asked.empty() || asked.back() != name) asked.push_back(name);
      return call.pod.priority() == 9 ? Status() : Status(Code::kUnschedulable, "no");
    };
    if (declares) fake.reads = {};
    Placing placing({fake});
    REQUIRE(placing.w.evaluator.keep_classes(ClassMemoryMode::kAlways).ok());
    const auto pods = [&](const Names& names) {
      std::vector<PodRef> out;
      for (const std::string& name : names)
        out.push_back(pod_of(name, "{priority: " + name.substr(1) + "}"));
      return out;
    };
    CHECK(placing.all(pods({"a1", "b1", "c2", "d1", "e9", "f1", "g2"})) ==
          Names{"a1 unschedulable", "b1 unschedulable", "c2 unschedulable", "d1 unschedulable",
                "e9 placed n1", "f1 unschedulable", "g2 unschedulable"});
    CHECK(placing.placements[3].text == placing.placements[0].text);
    CHECK(placing.placements[3].text == "0/3 nodes are available: 3 no.");
    CHECK(placing.placements[3].plugin == "F");
    CHECK(asked == (declares ? Names{"a1", "c2", "e9", "f1", "g2"}
                             : Names{"a1", "b1", "c2", "d1", "e9", "f1", "g2"}));
    // PreEnqueue runs each time, and limits are checked.
    CHECK(placing.all({pod_of("a"), pod_of("gated")}) == Names{"a unschedulable", "gated gated"});
    std::atomic<bool> cancel{false};
    placing.options.limits.cancel = &cancel;
    const std::vector<PodRef> two = {pod_of("one"), pod_of("two")};
    const std::vector<PlaceRequest> requests = {{two[0], 1, {}}, {two[1], 1, {}}};
    const Result<void> ended = place(placing.evaluators, requests, placing.options,
                                     [&](const Placement&) { return cancel = true; });
    REQUIRE(!ended.ok());
    CHECK(ended.error().rc == Rc::kCancelled);
    placing.options.limits.cancel = nullptr;
    // Nominated pods are not part of the cluster, and sampling starts elsewhere for each pod.
    asked.clear();
    placing.options.sampling = true;
    CHECK(placing.all(pods({"a1", "b1"})).size() == 2);
    CHECK(asked == Names{"a1", "b1"});
    placing.options.sampling = false;
    asked.clear();
    placing.w.evaluator.services().nominator().add(
        pod_of("nominated", "{}", "{nominatedNodeName: n2}"), std::nullopt);
    CHECK(placing.all(pods({"a1", "b1"})).size() == 2);
    CHECK(asked == Names{"a1", "b1"});
  }
}

TEST_CASE("Replicas may be named by the caller, when their turn comes") {
  OneEach one;
  std::vector<size_t> made;
  const auto name = [&](size_t index) -> Result<PodRef> {
    made.push_back(index);
    if (index == 2) return Error{Rc::kInvalid, "no name"};
    return pod_of("r" + std::to_string(index));
  };
  const Result<void> ended = one.placing({{pod_of("t"), 9, name}});
  REQUIRE(!ended.ok());
  CHECK(ended.error().message == "no name");
  CHECK(one.placing.told == Names{"r0 placed n1", "r1 placed n2"});
  CHECK(made == std::vector<size_t>{0, 1, 2});
  CHECK(one.placing.pods() == 2);
}

TEST_CASE("Placing ends at the first failure, or when the callback returns false") {
  OneEach one({}, {"n1"});
  one.placing.options.stop_at_failure = true;
  CHECK(one.placing.all({pod_of("a"), pod_of("b"), pod_of("c")}) ==
        Names{"a placed n1", "b unschedulable"});
  Placing other({});
  other.goes_on = false;
  CHECK(other.all({pod_of("a"), pod_of("b")}) == Names{"a placed n1"});
}

TEST_CASE("Requests may come in parts, until one of them ends placing") {
  OneEach one({}, {"n1", "n2"});
  one.placing.options.stop_at_failure = true;
  Names told;
  const Placed placed = [&](const Placement& p) {
    told.push_back(std::string(p.pod->meta.name) + " " + word(p.outcome));
    return true;
  };
  Result<libsched::Placing> parts =
      libsched::Placing::begin(one.placing.evaluators, one.placing.options, placed);
  REQUIRE(parts.ok());
  const auto place_part = [&](const std::vector<PlaceRequest>& requests) {
    const Result<bool> more = parts->place(requests);
    REQUIRE(more.ok());
    return *more;
  };
  CHECK(place_part({{pod_of("a"), 1, {}}}));
  CHECK(place_part({}));
  CHECK(!place_part({{pod_of("b"), 1, {}}, {pod_of("c"), 1, {}}, {pod_of("d"), 1, {}}}));
  CHECK(told == Names{"a placed", "b placed", "c unschedulable"});
  CHECK(!libsched::Placing::begin({}, one.placing.options, placed).ok());
}

TEST_CASE("The callback may read the cluster, but not change it") {
  Placing placing({});
  const PodRef pod = pod_of("a");
  const PlaceRequest request{pod, 1, {}};
  Rc refused = Rc::kOk;
  const Result<void> done =
      place(placing.evaluators, {&request, 1}, placing.options, [&](const Placement&) {
        CHECK(placing.pods() == 1);
        const Result<void> left = placing.w.cluster->remove_pod("default", "a");
        if (!left.ok()) refused = left.error().rc;
        return true;
      });
  CHECK(done.ok());
  CHECK(refused == Rc::kMisuse);
  CHECK(placing.w.cluster->remove_pod("default", "a").ok());
}

TEST_CASE("A pod's schedulerName selects the profile") {
  Fake refuses;
  refuses.name = "R";
  refuses.filter = [](const FilterCall&, const Node&) { return Status(Code::kUnschedulable, "r"); };
  const std::vector<Fake> fakes{refuses};
  Result<FrameworkRef> second = Framework::create(
      parse_config("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
                   "profiles:\n- schedulerName: second\n  plugins:\n    multiPoint:\n"
                   "      disabled: [{name: '*'}]\n"
                   "      enabled: [{name: PrioritySort}, {name: DefaultBinder}, {name: R}]\n")
          .value(),
      "", fake_registry(fakes), {});
  REQUIRE(second.ok());
  Placing placing({});
  Evaluator other(*second, placing.w.cluster);
  placing.evaluators.push_back(&other);
  const auto pods = [] {  // in turn, because the profile of a class is remembered
    return std::vector<PodRef>{
        pod_of("a", "{schedulerName: fakes}"),   pod_of("b", "{schedulerName: second}"),
        pod_of("c", "{schedulerName: third}"),   pod_of("a2", "{schedulerName: fakes}"),
        pod_of("b2", "{schedulerName: second}"), pod_of("c2", "{schedulerName: third}")};
  };
  for (const PodRef& pod : pods()) CHECK(pod->class_id != 0);
  CHECK(placing.all(pods()) == Names{"a placed n1", "b unschedulable", "c placed n1",
                                     "a2 placed n1", "b2 unschedulable", "c2 placed n1"});
  for (const size_t i : {1, 4}) CHECK(placing.placements[i].profile == &other.framework());
  placing.options.other_profile.clear();
  CHECK(placing.all({pods()[2], pod_of("d")}) == Names{"c kept n1", "d error"});
  CHECK(placing.all({pod_of("e", "{schedulerName: third}")}) == Names{"e error"});
  CHECK(placing.placements[0].text == "there is no profile \"third\"");
}

TEST_CASE("Evaluators are on one cluster, with different profiles") {
  Placing placing({});
  placing.evaluators.clear();
  CHECK(placing({}).error().rc == Rc::kMisuse);
  Evaluator again(fake_framework({}), placing.w.cluster);
  placing.evaluators = {&placing.w.evaluator, &again};
  CHECK(placing({}).error().message == "two evaluators have the profile \"fakes\"");
  Evaluator elsewhere(fake_framework({}), make_ref<Cluster>());
  placing.evaluators = {&placing.w.evaluator, &elsewhere};
  CHECK(placing({}).error().message == "the evaluators stand on different clusters");
  Evaluator frozen(fake_framework({}), placing.w.cluster->snapshot());
  placing.evaluators = {&frozen};
  CHECK(placing({}).error().rc == Rc::kState);
}

TEST_CASE("The same seed gives the same places, another seed others") {
  Names nodes;
  for (int i = 0; i < 40; ++i) nodes.push_back("n" + std::to_string(i));
  const auto run = [&](Placing& placing, uint64_t seed) {
    placing.options.ties = TieMode::kRandom;
    placing.options.seed = seed;
    REQUIRE(placing.w.cluster->fork().ok());
    std::vector<PodRef> pods;
    for (int i = 0; i < 12; ++i) pods.push_back(pod_of("p" + std::to_string(i)));
    Names told = placing.all(pods);
    REQUIRE(placing.w.cluster->revert().ok());
    return told;
  };
  Placing placing({prefers("")}, nodes);
  const Names first = run(placing, 1);
  CHECK(run(placing, 1) == first);  // by the same evaluators, too
  CHECK(run(placing, 2) != first);
}

TEST_CASE("A deadline ends placing: earlier pods stay, the pod concerned leaves nothing") {
  const Ref<VirtualClock> clock = make_ref<VirtualClock>(1'000);
  Fake slow;
  slow.name = "S";
  slow.filter = [&](const FilterCall& call, const Node&) {
    if (call.pod.meta.name == "b") clock->advance_to(2'000);
    return Status();
  };
  Placing placing({slow});
  REQUIRE(placing.w.evaluator.use(make_ref<Services>(clock)).ok());
  placing.options.limits.deadline_ns = 1'500;
  const Result<void> ended =
      placing({{pod_of("a"), 1, {}}, {pod_of("b"), 1, {}}, {pod_of("c"), 1, {}}});
  REQUIRE(!ended.ok());
  CHECK(ended.error().rc == Rc::kDeadline);
  CHECK(placing.told == Names{"a placed n1"});
  CHECK(placing.pods() == 1);
}

}  // namespace libsched::place_test
