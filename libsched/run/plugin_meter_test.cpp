// What a cycle counts and times: the evaluations are those of upstream with one worker.
#include "libsched/framework/plugin_meter.hpp"

#include <doctest/doctest.h>

#include <thread>

#include "libsched/run/binding_run.hpp"
#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::plugin_meter_test {

using Names = std::vector<std::string>;

const Status kNo(Code::kUnschedulable, "no");
const Status kBroken(Code::kError, "broken");

Fake accepts(const std::string& name) {
  Fake fake;
  fake.name = name;
  fake.filter = [](const FilterCall&, const Node&) { return Status(); };
  return fake;
}
Fake rejects(const std::string& name, const Names& nodes, const Status& status = kNo) {
  Fake fake;
  fake.name = name;
  fake.filter = [=](const FilterCall&, const Node& node) {
    const bool here = std::find(nodes.begin(), nodes.end(), node.meta.name) != nodes.end();
    return here ? status : Status();
  };
  return fake;
}
Fake scores(const std::string& name, const std::string& broken = "") {
  Fake fake;
  fake.name = name;
  fake.score = [=](const Node& node, int64_t* score) {
    *score = 10;
    return node.meta.name == broken ? kBroken : Status();
  };
  return fake;
}

struct MeteredWorld : FakeWorld {
  explicit MeteredWorld(std::vector<Fake> fakes, const Names& nodes = {"n1", "n2", "n3"},
                        bool timed = false)
      : FakeWorld(std::move(fakes), nodes) {
    state->measure(meter, timed);
  }
  uint32_t plugin(const std::string& name) const {
    const auto& all = evaluator.framework().plugins();
    uint32_t i = 0;
    while (all[i].name != name) ++i;
    return i;
  }
  uint64_t count(CountedPoint point, const std::string& name) const {
    return meter->evaluations(point, plugin(name));
  }
  uint64_t filters(const std::string& name) const { return count(CountedPoint::kFilter, name); }
  uint64_t times(TimedPoint point, const std::string& name, Code code = Code::kSuccess) const {
    const ExecutionTimes* times = meter->times(point, plugin(name), code);
    return times == nullptr ? 0 : times->count();
  }
  CycleOutcome cycle(const CycleOptions& options = {}) {
    Result<CycleOutcome> out = evaluator.run_cycle(*state, *pod, options);
    REQUIRE_MESSAGE(out.ok(), out.error().text());
    return *out;
  }

  Ref<VirtualClock> clock = make_ref<VirtualClock>(0);
  Ref<PluginMeter> meter = make_ref<PluginMeter>(evaluator.framework().plugins().size(), clock);
};

TEST_CASE("meter: a filter counts the nodes that the filters before it have left") {
  MeteredWorld w({accepts("A"), rejects("F", {"n1", "n3"}), accepts("G")});
  SUBCASE("set by set") { CHECK(w.cycle().feasible == 1); }
  SUBCASE("node by node") {
    CycleOptions options;
    options.node_by_node = true;
    CHECK(w.cycle(options).feasible == 1);
  }
  SUBCASE("by kept answers, too") {
    for (Fake& fake : w.fakes) {
      fake.reads = {Reads{kLabelsChanged, 0, false, false}, Reads{kLabelsChanged, 0, false, false}};
      fake.foreign = false;
    }
    REQUIRE(w.evaluator.keep_classes(ClassMemoryMode::kAlways).ok());
    const Ref<CycleState> metered = w.state;
    for (int i = 0; i < 4; ++i) {
      w.state = make_ref<CycleState>();
      CHECK(w.cycle().feasible == 1);
    }
    w.state = metered;
    CHECK(w.cycle().feasible == 1);
  }
  CHECK(w.filters("A") == 3);
  CHECK(w.filters("F") == 3);
  CHECK(w.filters("G") == 1);
}

TEST_CASE("meter: a search that ends early counts the nodes up to its end") {
  Names names;
  for (int i = 0; i < 300; ++i) names.push_back("n" + std::to_string(1000 + i));
  MeteredWorld w({rejects("F", {"n1000", "n1007"}), accepts("G"), scores("S")}, names);
  CycleOptions options;
  options.sampling = true;
  const CycleOutcome out = w.cycle(options);
  CHECK(out.feasible == 144);  // 50 - 300 / 125 percent
  // The search ends with one more feasible node, which is left out.
  CHECK(w.filters("F") == 147);
  CHECK(w.filters("G") == 145);
  CHECK(w.count(CountedPoint::kScore, "S") == 144);
}

TEST_CASE("meter: an Error of a filter ends the count") {
  MeteredWorld w({accepts("A"), rejects("F", {"n2"}, kBroken), accepts("G")});
  CHECK(w.cycle().status.code == Code::kError);
  CHECK(w.filters("A") == 2);
  CHECK(w.filters("F") == 2);
  CHECK(w.filters("G") == 1);
}

TEST_CASE("meter: filters that are asked again for a text are not counted again") {
  MeteredWorld w({rejects("F", {"n1", "n2", "n3"})});
  CycleOptions options;
  options.fit_error = options.post_filter = true;
  CHECK(w.cycle(options).diagnosis.reasons.at("no") == 3);
  CHECK(w.filters("F") == 3);
}

TEST_CASE("meter: nominated pods and the nominated node") {
  MeteredWorld w({rejects("F", {"n2"}), accepts("G")});
  const Result<PodRef> pod =
      parse_pod("metadata: {name: p, namespace: default}\nstatus: {nominatedNodeName: n2}", {});
  REQUIRE(pod.ok());
  w.pod = *pod;
  w.evaluator.services().nominator().add(fake_pod("other"), Nomination{true, "n1"});
  CHECK(w.cycle().feasible == 2);
  // Once for the nominated node, and for each node; the node n1 also with the other pod on it.
  CHECK(w.filters("F") == 5);
  CHECK(w.filters("G") == 3);
}

TEST_CASE("meter: plugins that skip are not counted before Filter and Score") {
  Fake runs = accepts("Runs"), skips = accepts("Skips");
  runs.pre_filter = [](const PreFilterCall&, PreFilterResult*) { return Status(); };
  runs.pre_score = [](const PreScoreCall&) { return Status(); };
  skips.pre_filter = [](const PreFilterCall&, PreFilterResult*) { return Status(Code::kSkip); };
  skips.pre_score = [](const PreScoreCall&) { return Status(Code::kSkip); };
  runs.score = skips.score = scores("").score;
  MeteredWorld w({runs, skips}, {"n1", "n2"}, true);
  CHECK(w.cycle().feasible == 2);
  const std::pair<CountedPoint, uint64_t> expected[] = {{CountedPoint::kPreFilter, 1},
                                                        {CountedPoint::kFilter, 2},
                                                        {CountedPoint::kPreScore, 1},
                                                        {CountedPoint::kScore, 2}};
  for (const auto& [point, times] : expected) {
    CHECK(w.count(point, "Runs") == times);
    CHECK(w.count(point, "Skips") == 0);
  }
  CHECK(w.times(TimedPoint::kPreFilter, "Skips", Code::kSkip) == 1);
  CHECK(w.times(TimedPoint::kPreScore, "Skips", Code::kSkip) == 1);
  CHECK(w.times(TimedPoint::kFilter, "Skips") == 0);
  CHECK(w.times(TimedPoint::kFilter, "Runs") == 1);
  CHECK(w.times(TimedPoint::kScore, "Runs") == 1);
}

TEST_CASE("meter: an Error of a score ends the count where upstream's walk over the nodes ends") {
  MeteredWorld w({scores("A"), scores("B", "n2"), scores("C")}, {"n1", "n2", "n3"}, true);
  CHECK(w.cycle().status.code == Code::kError);
  CHECK(w.count(CountedPoint::kScore, "A") == 2);
  CHECK(w.count(CountedPoint::kScore, "B") == 2);
  CHECK(w.count(CountedPoint::kScore, "C") == 1);
  CHECK(w.times(TimedPoint::kScore, "A") == 1);
  CHECK(w.times(TimedPoint::kScore, "B", Code::kError) == 1);
}

TEST_CASE("meter: every point is timed, by its status") {
  Ref<VirtualClock> clock = make_ref<VirtualClock>(0);
  const auto busy = [clock] { clock->advance_to(clock->now_ns() + 20'000); };
  Fake p = rejects("P", {"n1"});
  p.pre_filter = [=](const PreFilterCall&, PreFilterResult*) {
    busy();
    return Status();
  };
  p.add_pod = p.remove_pod = [=](const PodChange&) { return Status(); };
  p.score = scores("").score;
  p.normalize = [=](const ScoreSet&, int64_t*) { return Status(); };
  p.reserve = [](const ReserveCall&) { return kNo; };
  p.unreserve = [](const ReserveCall&) {};
  p.post_filter = [](const PostFilterCall&, std::optional<Nomination>*) { return kNo; };
  p.permit = [](const BindingCall&, int64_t*) { return Status(Code::kWait); };
  p.pre_flight = [](const BindingCall&, bool*) { return Status(Code::kSkip); };
  p.pre_bind = [](const BindingCall&) { return kBroken; };
  p.bind = [](const BindingCall&) { return Status(Code::kSkip); };
  p.post_bind = [](const BindingCall&) {};
  MeteredWorld w({p}, {"n1", "n2", "n3"});
  const Ref<PluginMeter> meter =
      make_ref<PluginMeter>(w.evaluator.framework().plugins().size(), Ref<const Clock>(clock));
  w.meter = meter;
  w.state->measure(meter, true);
  CHECK(w.cycle().feasible == 2);
  CHECK(w.evaluator.run_add_pod(*w.state, *w.pod, *fake_pod("o"), 0).ok());
  CHECK(w.evaluator.run_remove_pod(*w.state, *w.pod, *fake_pod("o"), 0).ok());
  Status status;
  CHECK(w.evaluator.run_filter(*w.state, *w.pod, 0, &status).ok());
  std::optional<Nomination> nomination;
  CHECK(w.evaluator.run_post_filter(*w.state, *w.pod, {}, &nomination).ok());
  REQUIRE(w.cluster->assume(*w.pod, "n2").ok());
  BindingRun run(w.evaluator.framework(), w.evaluator.services(), *w.state, *w.pod, "n2", 1);
  run.reserve(*w.cluster);
  run.unreserve(*w.cluster).now();
  std::vector<PermitWait> waits;
  run.permit(w.cluster->view(), &waits);
  run.pre_bind_pre_flights();
  w.state->edit_entries()[w.plugin("P")].skip_pre_bind = false;
  CHECK_FALSE(run.pre_bind().now().success());
  CHECK_FALSE(run.bind().now().success());
  run.post_bind().now();
  const std::pair<TimedPoint, Code> expected[] = {
      {TimedPoint::kPreFilter, Code::kSuccess},     {TimedPoint::kAddPod, Code::kSuccess},
      {TimedPoint::kRemovePod, Code::kSuccess},     {TimedPoint::kFilter, Code::kSuccess},
      {TimedPoint::kFilter, Code::kUnschedulable},  {TimedPoint::kPostFilter, Code::kUnschedulable},
      {TimedPoint::kScore, Code::kSuccess},         {TimedPoint::kNormalizeScore, Code::kSuccess},
      {TimedPoint::kReserve, Code::kUnschedulable}, {TimedPoint::kUnreserve, Code::kSuccess},
      {TimedPoint::kPermit, Code::kWait},           {TimedPoint::kPreBindPreFlight, Code::kSkip},
      {TimedPoint::kPreBind, Code::kError},         {TimedPoint::kBind, Code::kSkip},
      {TimedPoint::kPostBind, Code::kSuccess}};
  size_t timed = 0;
  for (size_t point = 0; point < kTimedPoints; ++point)
    for (size_t code = 0; code < kStatusCodes; ++code)
      timed += w.times(static_cast<TimedPoint>(point), "P", static_cast<Code>(code));
  CHECK(timed == std::size(expected));
  for (const auto& [point, code] : expected) {
    CAPTURE(static_cast<int>(point));
    CHECK(w.times(point, "P", code) == 1);
  }
  CHECK(meter->times(TimedPoint::kPreFilter, w.plugin("P"), Code::kSuccess)->sum() == 0.00002);
}

TEST_CASE("meter: a state that is not timed only counts, and its copy does the same") {
  MeteredWorld w({accepts("F")});
  CHECK(w.cycle().feasible == 3);
  CHECK(w.times(TimedPoint::kFilter, "F") == 0);
  w.state = w.state->clone();
  Status status;
  CHECK(w.evaluator.run_filter(*w.state, *w.pod, 0, &status).ok());
  CHECK(w.filters("F") == 4);
  w.state = make_ref<CycleState>();
  CHECK(w.cycle().feasible == 3);
  CHECK(w.filters("F") == 4);
}

TEST_CASE("meter: threads observe one series at once") {
  const Ref<PluginMeter> meter = make_ref<PluginMeter>(2, make_ref<VirtualClock>(0));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 1000; ++k) {
        meter->took(TimedPoint::kPreBind, 1, Code::kSuccess, 1000);
        meter->evaluated(CountedPoint::kFilter, 1);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(meter->times(TimedPoint::kPreBind, 1, Code::kSuccess)->count() == 4000);
  CHECK(meter->evaluations(CountedPoint::kFilter, 1) == 4000);
  CHECK(meter->times(TimedPoint::kPreBind, 0, Code::kSuccess) == nullptr);
}

}  // namespace libsched::plugin_meter_test
