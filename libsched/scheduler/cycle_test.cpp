// schedule_one: a whole scheduling cycle with its failures, and its observer's notifications. The
// plugins are fakes.
#include "libsched/scheduler/cycle.hpp"

#include <doctest/doctest.h>

#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::cycle_test {

using Names = std::vector<std::string>;

const Status kNo(Code::kUnschedulable, "no");

const char* const kPoints[] = {
    "PreFilter",    "FilterNominated", "Filter",    "PostFilter", "PreScore",
    "Score",        "Reserve",         "Unreserve", "Permit",     "PreBindPreFlight",
    "WaitOnPermit", "PreBind",         "Bind",      "PostBind"};

// "Filter n1 Success n2 no" for every point that has ended.
struct Log final : CycleObserver {
  const View& view;
  Names lines;
  int open = 0;
  explicit Log(const View& v) : view(v) {}
  void hear(const CycleEvent& e) override {
    open += e.ended ? -1 : 1;
    CHECK(open == (e.ended ? 0 : 1));
    if (!e.ended) return;
    std::string line = kPoints[static_cast<size_t>(e.point)];
    if (!e.node.empty()) line += "@" + std::string(e.node);
    for (const uint32_t r : e.judged)
      line += " " + view.row(r).name + " " + std::string(code_name(e.statuses->at(r).code));
    if (e.scores != nullptr)
      for (size_t i = 0; i < e.scores->rows.size(); ++i)
        line += " " + view.row(e.scores->rows[i]).name + "=" + std::to_string(e.scores->totals[i]);
    for (const PermitWait& w : e.waits) line += " " + w.plugin;
    if (e.nomination != nullptr) line += " -> " + e.nomination->node;
    if (e.status != nullptr && !e.status->success())
      line += ": " + std::string(code_name(e.status->code));
    lines.push_back(line);
  }
};

struct Cycle {
  FakeWorld world;
  Ref<MemoryApi> api = make_ref<MemoryApi>();
  std::shared_ptr<Log> log = std::make_shared<Log>(world.cluster->view());
  SchedulingOptions options;

  explicit Cycle(std::vector<Fake> fakes) : world(std::move(fakes)) { begin(); }
  Cycle(std::vector<Fake> fakes, const Names& nodes) : world(std::move(fakes), nodes) { begin(); }
  void begin() {
    REQUIRE(world.evaluator.use(make_ref<Services>(Ref<Clock>(), api)).ok());
    options.node_by_node = true;
    options.other_profile = world.evaluator.framework().profile();
    options.observer = log;
    options.writer = make_ref<WriterQueue>();
  }
  Ref<Scheduling> run(const PodRef& pod) {
    Evaluator* profiles[] = {&world.evaluator};
    const Result<Ref<Scheduling>> ran = schedule_one(profiles, pod, options);
    REQUIRE_MESSAGE(ran.ok(), ran.error().text());
    CHECK(log->open == 0);
    return *ran;
  }
  Ref<Scheduling> run() { return run(world.pod); }
  bool there() const { return world.cluster->view().pod_count() != 0; }
};

PodRef pod_with(const std::string& more) {
  const Result<PodRef> parsed =
      parse_pod("metadata: {name: p, namespace: default, uid: u}\n" + more, {});
  REQUIRE(parsed.ok());
  return *parsed;
}

Fake score(const std::string& best) {
  Fake fake;
  fake.name = "S";
  fake.score = [best](const Node& node, int64_t* out) {
    *out = node.meta.name == best ? 7 : 3;
    return Status();
  };
  return fake;
}
Fake at_reserve(const Status& says) {
  Fake fake;
  fake.name = "R";
  fake.reserve = [says](const ReserveCall&) { return says; };
  fake.unreserve = [](const ReserveCall&) {};
  return fake;
}
Fake at_permit(const Status& says) {
  Fake fake;
  fake.name = "W";
  fake.permit = [says](const BindingCall& c, int64_t* timeout) {
    CHECK(c.pod.spec.node_name == c.node);
    *timeout = 4'000'000'000;
    return says;
  };
  return fake;
}
Fake at_bind() {
  Fake fake;
  fake.name = "B";
  fake.bind = [](const BindingCall&) { return Status(); };
  return fake;
}
Fake at_post_filter(const Status& says, std::optional<Nomination> wish) {
  Fake fake;
  fake.name = "V";
  fake.post_filter = [says, wish](const PostFilterCall&, std::optional<Nomination>* out) {
    *out = wish;
    return says;
  };
  return fake;
}

TEST_CASE("a pod that finds a node is assumed there, with its binding cycle next") {
  Cycle c(
      {filter_rejects("F", {"n2"}, kNo), score("n3"), at_reserve({}), at_permit({}), at_bind()});
  c.world.evaluator.services().nominator().add(c.world.pod, Nomination{true, "n1"});
  const Ref<Scheduling> out = c.run();
  CHECK(out->attempt == Attempt::kAssumed);
  CHECK(out->node == "n3");
  CHECK(out->total == 7);
  CHECK(out->feasible == 2);
  CHECK(out->evaluated == 3);
  CHECK_FALSE(out->failure);
  CHECK(c.log->lines == Names{"PreFilter", "Filter n1 Success n2 Unschedulable n3 Success",
                              "PreScore", "Score n1=3 n3=7", "Reserve@n3", "Permit@n3"});
  CHECK(c.world.evaluator.services().nominator().node_of(*c.world.pod).empty());
  CHECK(c.run()->attempt == Attempt::kSkippedAssumed);
  c.log->lines.clear();
  REQUIRE(out->bind().ok());
  CHECK(out->attempt == Attempt::kBound);
  CHECK(out->bind().error().rc == Rc::kState);
  CHECK(c.log->lines == Names{"PreBindPreFlight@n3: Skip", "WaitOnPermit@n3", "PreBind@n3",
                              "Bind@n3", "PostBind@n3"});
}

TEST_CASE("without node_by_node the nodes are judged as a set, with the same answer") {
  Cycle c({filter_rejects("F", {"n1", "n2", "n3"}, kNo)});
  c.options.node_by_node = false;
  const Ref<Scheduling> out = c.run();
  CHECK(c.log->lines == Names{"PreFilter", "Filter"});
  CHECK(out->failure->status.error == "0/3 nodes are available: 3 no.");
  CHECK(out->failure->unschedulable_plugins == std::set<std::string>{"F"});
}

TEST_CASE("if no node takes the pod PostFilter runs, and its message ends the FitError") {
  Cycle c({filter_rejects("F", {"n1"}, kNo),
           filter_rejects("G", {"n2", "n3"}, Status(Code::kPending, "later")),
           at_post_filter(Status(Code::kUnschedulable, "no victims"), Nomination{true, "n2"})});
  const Ref<Scheduling> out = c.run();
  CHECK(out->attempt == Attempt::kFailed);
  CHECK(out->node.empty());
  const Failure& f = *out->failure;
  CHECK(f.status.code == Code::kUnschedulable);
  CHECK(f.status.plugin.empty());
  CHECK(f.status.error == "0/3 nodes are available: 1 no, 2 later. no victims");
  CHECK(f.unschedulable_plugins == std::set<std::string>{"F", "G"});
  CHECK(f.pending_plugins == std::set<std::string>{"G"});
  CHECK(f.nomination->node == "n2");
  CHECK(c.world.evaluator.services().nominator().node_of(*c.world.pod) == "n2");
  CHECK(c.log->lines == Names{"PreFilter", "Filter n1 Unschedulable n2 Pending n3 Pending",
                              "PostFilter -> n2: Unschedulable"});
  const auto requests = c.api->requests();
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].note == *f.status.error);
  CHECK(requests[0].reason == "FailedScheduling");
  CHECK(requests[1].patch.nominated_node == "n2");
  CHECK(requests[1].patch.conditions[0].reason == "Unschedulable");
}

TEST_CASE("a PreFilter that rejects the pod, and a cluster without nodes") {
  Cycle c({pre_filter_says("P", Status(Code::kUnschedulableAndUnresolvable, "never"))});
  Ref<Scheduling> out = c.run();
  CHECK(out->failure->status.code == Code::kUnschedulable);
  CHECK(out->failure->status.error == "0/3 nodes are available: never.");
  CHECK(out->failure->unschedulable_plugins == std::set<std::string>{"P"});
  CHECK(out->failure->nomination->node.empty());
  Cycle none({}, Names());
  out = none.run();
  CHECK(out->failure->status.code == Code::kUnschedulableAndUnresolvable);
  CHECK(out->failure->status.error == "no nodes available to schedule pods");
  CHECK(none.log->lines.empty());
}

// Tries to change the cluster in each request.
struct MeddlingApi final : ApiClient {
  Cluster* cluster = nullptr;
  std::vector<Rc> answers;

  void meddle() {
    const Result<void> made = cluster->fork();
    answers.push_back(made.ok() ? Rc::kOk : made.error().rc);
  }
  Result<void> bind(const Pod&, Str) override { return {}; }
  Result<void> delete_pod(const Pod&) override { return {}; }
  Result<void> patch_pod_status(const Pod&, const PodStatusPatch&) override {
    meddle();
    return {};
  }
  Result<void> update_object(StoredKind, const ObjectRef&, Str) override { return {}; }
  void event(const Pod&, Str, Str, Str, Str) override { meddle(); }
};

TEST_CASE("the API client is told of a failure while the cluster cannot change") {
  Cycle c({filter_rejects("F", {"n1", "n2", "n3"}, kNo)});
  const Ref<MeddlingApi> api = make_ref<MeddlingApi>();
  api->cluster = c.world.cluster.get();
  REQUIRE(c.world.evaluator.use(make_ref<Services>(Ref<Clock>(), api)).ok());
  CHECK(c.run()->attempt == Attempt::kFailed);
  CHECK(api->answers == std::vector<Rc>{Rc::kMisuse, Rc::kMisuse});
  CHECK(c.world.cluster->fork_depth() == 0);
}

TEST_CASE("an Error of a plugin is the scheduler's, and ends the walk") {
  Cycle c({filter_rejects("F", {"n2"}, Status::from_error("broken"))});
  const Ref<Scheduling> out = c.run();
  CHECK(c.log->lines.back() == "Filter n1 Success n2 Error");
  CHECK(out->failure->status == Status::from_error("running \"F\" filter plugin: broken"));
  CHECK(out->failure->unschedulable_plugins.empty());
  CHECK(c.api->requests()[1].patch.conditions[0].reason == "SchedulerError");
}

TEST_CASE("the nominated node is tried first, and its rejection counts") {
  Cycle c({filter_rejects("F", {"n2"}, kNo)});
  Ref<Scheduling> out = c.run(pod_with("status: {nominatedNodeName: n3}"));
  CHECK(out->node == "n3");
  CHECK(c.log->lines[1] == "FilterNominated n3 Success");
  CHECK(c.log->lines[2] == "Reserve@n3");
  Cycle narrowed({pre_filter_narrows("P", {"n1"}), filter_rejects("F", {"n1", "n2"}, kNo)});
  out = narrowed.run(pod_with("status: {nominatedNodeName: n2}"));
  CHECK(narrowed.log->lines ==
        Names{"PreFilter", "FilterNominated n2 Unschedulable", "Filter n1 Unschedulable"});
  // Upstream names the plugin that has rejected the nominated node among those that narrow.
  const Str text = "0/3 nodes are available: 1 node(s) didn't satisfy plugin(s) [F P], 2 no.";
  CHECK(out->failure->status.error == text);
  CHECK(out->failure->unschedulable_plugins == std::set<std::string>{"F", "P"});
  narrowed.options.node_by_node = false;
  out = narrowed.run(pod_with("status: {nominatedNodeName: n2}"));
  CHECK(out->failure->status.error == text);
}

TEST_CASE("a pod that Reserve or Permit rejects is forgotten, with a FitError of its node") {
  const auto turned_away = [](std::vector<Fake> fakes, const Names& lines) {
    Cycle c(std::move(fakes), {"n1"});
    const Ref<Scheduling> out = c.run();
    CHECK(out->attempt == Attempt::kFailed);
    CHECK(out->node == "n1");
    CHECK_FALSE(out->binding);
    CHECK_FALSE(c.there());
    CHECK(out->failure->nomination->node.empty());
    CHECK(Names(c.log->lines.begin() + 2, c.log->lines.end()) == lines);
    return *out->failure;
  };
  Failure f = turned_away({at_reserve(kNo)}, {"Reserve@n1: Unschedulable", "Unreserve@n1"});
  CHECK(f.status.error == "0/1 nodes are available: 1 no.");
  CHECK(f.unschedulable_plugins == std::set<std::string>{"R"});
  f = turned_away({at_reserve(Status::from_error("broken"))},
                  {"Reserve@n1: Error", "Unreserve@n1"});
  CHECK(f.status == Status::from_error("running Reserve plugin \"R\": broken"));
  f = turned_away({at_permit(Status(Code::kUnschedulableAndUnresolvable, "never"))},
                  {"Reserve@n1", "Permit@n1: UnschedulableAndUnresolvable", "Unreserve@n1"});
  CHECK(f.status.code == Code::kUnschedulableAndUnresolvable);
  CHECK(f.unschedulable_plugins == std::set<std::string>{"W"});
}

TEST_CASE("a pod that Permit lets wait waits in its binding cycle") {
  Cycle c({at_permit(Status(Code::kWait))}, {"n1"});
  const Ref<Scheduling> out = c.run();
  CHECK(out->attempt == Attempt::kAssumed);
  CHECK(out->waits.size() == 1);
  CHECK(c.log->lines.back() == "Permit@n1 W: Wait");
  c.world.evaluator.services().waiting_pods().get(c.world.pod->meta.uid)->reject("W", "no");
  REQUIRE(out->bind().ok());
  CHECK(out->attempt == Attempt::kFailed);
  const std::optional<Failure>& failure = out->failure;
  REQUIRE(failure);
  CHECK(c.there());
  CHECK(c.options.writer->apply(*c.world.cluster)->applied == 1);
  CHECK(failure->status.error == "0/1 nodes are available: 1 no.");
  CHECK(c.log->lines.back() == "Unreserve@n1");
  CHECK_FALSE(c.there());
}

TEST_CASE("pods that must not be scheduled, and profiles") {
  Cycle c({});
  CHECK(c.run(pod_with("spec: {}"))->attempt == Attempt::kAssumed);
  const Result<PodRef> going =
      parse_pod("metadata: {name: g, namespace: d, deletionTimestamp: '2026-01-01T00:00:00Z'}", {});
  REQUIRE(going.ok());
  c.log->lines.clear();
  CHECK(c.run(*going)->attempt == Attempt::kSkippedDeleted);
  CHECK(c.log->lines.empty());
  CHECK(c.api->requests().back().note == "skip schedule deleting pod: d/g");
  c.options.other_profile.clear();
  Evaluator* profiles[] = {&c.world.evaluator};
  const auto stranger = pod_with("spec: {schedulerName: stranger}");
  CHECK(schedule_one(profiles, stranger, c.options).error().text() ==
        "there is no profile \"stranger\"");
}

}  // namespace libsched::cycle_test
