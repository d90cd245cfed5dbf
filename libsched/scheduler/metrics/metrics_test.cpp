// The metrics are those of upstream's 1.36, and their text is byte for byte the one that its
// gatherer and encoder write for the same observations.
#include <cmath>
#include <set>
#include <sstream>
#include <thread>

#include "libsched/ingest/recorded_table_test.hpp"
#include "libsched/scheduler/cycle.hpp"
#include "libsched/scheduler/metrics/exposition.hpp"
#include "libsched/scheduler/metrics/scheduler_metrics.hpp"
#include "libsched/scheduler/queue/queue_trial_test.hpp"

namespace libsched::metrics_test {

constexpr const char* kOther = "other \"one\"\\\n";
const std::string kAllGates =
    "GenericWorkload=true,GangScheduling=true,SchedulerAsyncAPICalls=true";

// A scheduler's parts with these two profiles, and nothing in them.
struct Trial {
  Trial() {
    const Result<ConfigRef> config = parse_config(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n"
        "- {schedulerName: default-scheduler, plugins: {multiPoint: {disabled: [{name: '*'}], "
        "enabled: [{name: DefaultBinder}, {name: Sort}, {name: NodeName}]}}}\n"
        "- {schedulerName: \"other \\\"one\\\"\\\\\\n\", plugins: {multiPoint: {disabled: [{name: "
        "'*'}], enabled: [{name: DefaultBinder}, {name: Sort}]}}}\n");
    REQUIRE_MESSAGE(config.ok(), config.error().text());
    Fake sort{"Sort"};
    sort.less = [](const QueuedPod& a, const QueuedPod& b) {
      return a.timestamp_ns < b.timestamp_ns;
    };
    Fake filter{"NodeName"};
    filter.filter = [](const FilterCall&, const Node&) { return Status(); };
    filter.bind = [](const BindingCall&) { return Status(); };
    fakes = {sort, filter};
    for (const char* name : {"default-scheduler", kOther}) {
      const Result<FrameworkRef> framework = Framework::create(
          *config, name, fake_registry(fakes), FeatureGates(Release::k1_36), Release::k1_36);
      REQUIRE_MESSAGE(framework.ok(), framework.error().text());
      evaluators.push_back(make_ref<Evaluator>(*framework, cluster));
      REQUIRE(evaluators.back()->use(services).ok());
      profiles.push_back(evaluators.back().get());
    }
    queue = SchedulingQueue::create(profiles, {}).value();
    metrics =
        SchedulerMetrics::create(profiles, FeatureGates::parse(kAllGates, Release::k1_36).value());
  }
  std::string text() const { return metrics->text(*services, *queue, *cluster); }
  uint32_t plugin(const std::string& name) const {
    const auto& all = profiles[0]->framework().plugins();
    uint32_t i = 0;
    while (all[i].name != name) ++i;
    return i;
  }

  std::vector<Fake> fakes;
  Ref<Cluster> cluster = make_ref<Cluster>();
  Ref<VirtualClock> clock = make_ref<VirtualClock>(kBegin);
  Ref<Services> services = make_ref<Services>(clock);
  std::vector<Ref<Evaluator>> evaluators;
  std::vector<Evaluator*> profiles;
  SchedulingQueueRef queue;
  std::shared_ptr<SchedulerMetrics> metrics;
};

// The part of a text about one family.
std::string block(const std::string& text, const std::string& name) {
  const size_t begin = text.find("# HELP " + name + " ");
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find("# HELP ", begin + 1) - begin);
}

int64_t in_ns(double seconds) { return std::llround(seconds * 1e9); }

std::string recorded_name(simdjson::dom::element observation) {
  return "scheduler_" + text_at(observation["name"]);
}

// Makes a recorded observation; false: the queue or the cluster has such numbers, or nothing.
bool observe(const Trial& t, simdjson::dom::element o) {
  SchedulerMetrics& m = *t.metrics;
  FrameworkMetrics& framework = t.services->metrics();
  const std::string name = text_at(o["name"]);
  const double value = o["value"].get_double().value();
  std::vector<std::string> labels;
  for (const auto label : o["labels"].get_array()) labels.push_back(text_at(label));
  const auto result = [&] {
    return labels[0] == "scheduled"       ? AttemptResult::kScheduled
           : labels[0] == "unschedulable" ? AttemptResult::kUnschedulable
           : labels[0] == "error"         ? AttemptResult::kError
                                          : AttemptResult::kWaitingOnPreemption;
  };
  if (name == "schedule_attempts_total") {
    m.attempted(labels[1] == kOther ? 1 : 0, result(), in_ns(value));
  } else if (name == "podgroup_schedule_attempts_total") {
    m.group_attempted(0, result(), in_ns(value));
  } else if (name == "scheduling_algorithm_duration_seconds") {
    m.algorithm_ended(in_ns(value));
  } else if (name == "podgroup_scheduling_algorithm_duration_seconds") {
    m.group_algorithm_ended(in_ns(value));
  } else if (name == "event_handling_duration_seconds") {
    m.event_times(labels[0]).observe_alone(value);
  } else if (name == "goroutines") {
    m.binding_began();
    m.binding_began();
    m.binding_ended();
  } else if (name == "plugin_evaluation_total") {
    m.measured_state(0)->meter()->evaluated(CountedPoint::kFilter, t.plugin(labels[0]));
  } else if (name == "async_api_call_execution_total") {
    framework.api_call_made(ApiCallType::kPodBinding, true, in_ns(0.01));
  } else if (name == "pending_async_api_calls") {
    framework.api_call_waits(ApiCallType::kPodBinding);
  } else if (name == "preemption_attempts_total") {
    framework.preemption_attempts.add();
  } else if (name == "preemption_victims") {
    framework.preemption_victims.observe(value);
  } else if (name == "preemption_goroutines_execution_total") {
    framework.preemption_goroutines.observe(0);
  } else if (name == "permit_wait_duration_seconds") {
    framework.permit_waited(Code::kUnschedulable, in_ns(value));
  } else if (name == "volume_scheduling_stage_error_total") {
    framework.volume_stage_failed(VolumeStage::kBind);
  } else {
    return name == "scheduling_attempt_duration_seconds" ||
           name == "async_api_call_execution_duration_seconds" ||
           name == "preemption_goroutines_duration_seconds";
  }
  return true;
}

TEST_CASE("metrics: names, help texts, types, labels and gates are upstream's") {
  const RecordedTable table("metrics.json");
  constexpr std::array<Str, 3> types = {"counter", "gauge", "histogram"};
  std::vector<MetricFamily> families;
  for (size_t i = 0; i < static_cast<size_t>(Metric::kCount); ++i)
    if (const auto family = metric_family(static_cast<Metric>(i), Release::k1_36))
      families.push_back(*family);
  size_t i = 0;
  for (const auto recorded : table["families"].get_array()) {
    REQUIRE(i < families.size());
    const MetricFamily& family = families[i++];
    CHECK(text_at(recorded["name"]) == family.name);
    CAPTURE(std::string(family.name));
    CHECK(text_at(recorded["help"]) == family.help);
    CHECK(text_at(recorded["type"]) == types[static_cast<size_t>(family.type)]);
    std::string labels, expected;
    for (const Str label : family.labels) labels += std::string(label) + " ";
    for (const auto label : recorded["labels"].get_array()) expected += text_at(label) + " ";
    expected.resize(std::max(expected.size(), labels.size()), ' ');
    CHECK(labels == expected);
    simdjson::dom::element gate;
    const bool gated = recorded["gate"].get(gate) == simdjson::SUCCESS;
    const std::string known =
        family.gate ? std::string(known_gates()[static_cast<size_t>(*family.gate)].name) : "";
    CHECK((gated ? text_at(gate) : "") == known);
  }
  CHECK(i == families.size());
}

TEST_CASE("metrics: each release has upstream's names, help texts and labels") {
  const RecordedTable table("releases.json");
  size_t r = 0;
  for (const auto recorded : table.root().get_array()) {
    const auto release = static_cast<Release>(r++);
    REQUIRE(text_at(recorded["release"]) == release_name(release));
    std::string expected, found;
    for (const auto& [name, text] : recorded["metrics"].get_object())
      expected += std::string(name) + " " + text_at(text) + "\n";
    for (size_t i = 0; i < static_cast<size_t>(Metric::kCount); ++i)
      if (const auto family = metric_family(static_cast<Metric>(i), release)) {
        found.append(family->name).append(" ").append(family->help) += " {";
        for (const Str label : family->labels)
          if (!label.empty()) found.append(found.back() == '{' ? "" : ",").append(label);
        found += "}\n";
      }
    CHECK(found == expected);
  }
  CHECK(r == kReleaseCount);
}

TEST_CASE("metrics: a release before 1.33 tells the size of the cache by another name") {
  Trial t;
  for (const Release release : {Release::k1_32, Release::k1_33, Release::k1_34}) {
    t.metrics = SchedulerMetrics::create(t.profiles, FeatureGates(release));
    const std::string text = t.text();
    CHECK(block(text, "scheduler_scheduler_cache_size").empty() == (release == Release::k1_34));
    CHECK(block(text, "scheduler_cache_size").empty() == (release == Release::k1_32));
  }
}

TEST_CASE("metrics: the text of recorded observations is upstream's") {
  const RecordedTable table("metrics.json");
  const std::string recorded = text_at(table["text"]);
  Trial t;
  std::set<std::string> observed;
  for (const auto o : table["observations"].get_array())
    if (observe(t, o)) observed.insert(recorded_name(o));
  // These are observed together: bound() counts attempts and the time since the pod was active.
  t.metrics->bound(1, in_ns(0.02), true);
  t.metrics->bound(17, in_ns(5000), false);
  t.metrics->bound(2, std::nullopt, false);
  observed.insert("scheduler_scheduling_attempt_duration_seconds");
  observed.insert("scheduler_podgroup_scheduling_attempt_duration_seconds");
  const std::string text = t.text();
  for (const std::string& name : observed) CHECK(block(text, name) == block(recorded, name));
  CHECK(observed.size() == 18);
  CHECK(block(text, "scheduler_pod_scheduled_after_flush_total") ==
        block(recorded, "scheduler_pod_scheduled_after_flush_total"));
  const std::string sli = block(text, "scheduler_pod_scheduling_sli_duration_seconds");
  const std::string expected = block(recorded, "scheduler_pod_scheduling_sli_duration_seconds");
  CHECK(sli == expected.substr(
                   0, expected.find("_bucket{attempts=\"2\"") -
                          std::string("scheduler_pod_scheduling_sli_duration_seconds").size()));
  CHECK(block(text, "scheduler_pod_scheduling_attempts")
            .find("_sum 20\nscheduler_pod_scheduling_attempts_count 3\n") != std::string::npos);
}

TEST_CASE("metrics: series are sorted and numbers written as upstream's encoder does") {
  const RecordedTable table("metrics.json");
  const std::string recorded = text_at(table["text"]);
  const FeatureGates gates(Release::k1_36);
  // The labels in the recorded order; the exposition takes them sorted by name.
  Exposition out(gates);
  out.begin(Metric::kPendingPods);
  out.number({"unschedulable"}, 21);
  out.number({"gated"}, 1234567);
  out.number({"active"}, 0);
  out.number({"backoff"}, 1000000);
  CHECK(out.take() == block(recorded, "scheduler_pending_pods"));
  Exposition times(gates);
  times.begin(Metric::kPluginExecutionDurationSeconds);
  Histogram<kHintBuckets> h;
  h.observe(0.00001);
  h.observe(0.0000123456789);
  times.histogram({"Filter", "NodeName", "Success"}, h);
  CHECK(times.take() == block(recorded, "scheduler_plugin_execution_duration_seconds"));
}

TEST_CASE("metrics: a scheduler that has done nothing has upstream's text") {
  const RecordedTable table("metrics.json");
  const Trial t;
  std::string text = t.text();
  // Upstream's queue and cache create these when they start.
  for (const char* name :
       {"scheduler_pending_pods", "scheduler_cache_size", "scheduler_plugin_evaluation_total"}) {
    const std::string part = block(text, name);
    REQUIRE(!part.empty());
    text.erase(text.find(part), part.size());
  }
  CHECK(text == text_at(table["idle"]));
}

TEST_CASE("metrics: the families of a gate that is off are absent") {
  QueueTrial t({Fake{"F"}});
  Evaluator* const profiles[] = {t.evaluator.get()};
  const auto metrics = SchedulerMetrics::create(profiles);
  metrics->group_attempted(0, AttemptResult::kError, 1);
  CHECK(metrics->text(*t.services, *t.queue, *t.cluster).find("podgroup") == std::string::npos);
}

TEST_CASE("metrics: what the queue counts") {
  const Fake plugin = hinting("F", {"Node", kAdd, {}}, [](const Pod&, const ObjectChange&) {
    return Result<QueueingHint>(QueueingHint::kQueueSkip);
  });
  QueueTrial t({plugin});
  Evaluator* const profiles[] = {t.evaluator.get()};
  const auto metrics = SchedulerMetrics::create(profiles);
  t.rejected(queue_pod("a"), {"F"});
  t.add(queue_pod("b"));
  const QueuedPodRef flying = t.pop();
  t.move("Node", kAdd);
  t.add(queue_pod("c"));
  const std::string text = metrics->text(*t.services, *t.queue, *t.cluster);
  for (const char* line : {
           "scheduler_pending_pods{queue=\"active\"} 1\n",
           "scheduler_pending_pods{queue=\"unschedulable\"} 1\n",
           "scheduler_pending_pods{queue=\"gated\"} 0\n",
           "scheduler_inflight_events{event=\"NodeAdd\"} 1\n",
           "scheduler_inflight_events{event=\"PodPopped\"} 1\n",
           "scheduler_unschedulable_pods{plugin=\"F\",profile=\"fakes\"} 1\n",
           "scheduler_queue_incoming_pods_total{event=\"UnscheduledPodAdd\",queue=\"active\"} "
           "3\n",
           "scheduler_queue_incoming_pods_total{event=\"ScheduleAttemptFailure\",queue="
           "\"unschedulable\"} 1\n",
           "scheduler_queueing_hint_execution_duration_seconds_count{event=\"NodeAdd\",hint="
           "\"QueueSkip\",plugin=\"F\"} 1\n",
           "scheduler_framework_extension_point_duration_seconds_count{extension_point="
           "\"PreEnqueue\",profile=\"fakes\",status=\"Success\"} 3\n",
       })
    CHECK_MESSAGE(text.find(line) != std::string::npos, std::string(line));
  // Labels that have been used stay, as upstream's gauges.
  REQUIRE(t.queue->done("b").ok());
  const std::string after = metrics->text(*t.services, *t.queue, *t.cluster);
  CHECK(after.find("scheduler_inflight_events{event=\"NodeAdd\"} 0\n") != std::string::npos);
  CHECK(after.find("scheduler_inflight_events{event=\"PodPopped\"} 0\n") != std::string::npos);
}

TEST_CASE("metrics: the durations of extension points") {
  Trial t;
  REQUIRE(t.cluster->update_node(fake_node("n1", "{}")).ok());
  const Result<PodRef> pod = parse_pod(
      "metadata: {namespace: d, name: p, uid: p}\nspec: {schedulerName: default-scheduler}", {});
  REQUIRE(pod.ok());
  SchedulingOptions options;
  options.observer = t.metrics->observer(0, *t.clock);
  options.writer = make_ref<WriterQueue>();
  const Result<Ref<Scheduling>> done = schedule_one(t.profiles, *pod, options);
  REQUIRE_MESSAGE(done.ok(), done.error().text());
  CHECK((*done)->attempt == Attempt::kAssumed);
  REQUIRE((*done)->bind().ok());
  const std::string points =
      block(t.text(), "scheduler_framework_extension_point_duration_seconds");
  std::string found;
  const std::string count = "_count{extension_point=\"";
  for (size_t at = points.find(count); at != std::string::npos; at = points.find(count, at + 1))
    found += points.substr(at + count.size(), points.find('\n', at) - at - count.size()) + "\n";
  const std::string rest = "\",profile=\"default-scheduler\",status=\"";
  CHECK(found == "Bind" + rest + "Success\"} 1\n" + "Filter" + rest + "Success\"} 1\n" + "Permit" +
                     rest + "Success\"} 1\n" + "PostBind" + rest + "Success\"} 1\n" + "PreBind" +
                     rest + "Success\"} 1\n" + "PreBindPreFlight" + rest + "Skip\"} 1\n" +
                     "PreFilter" + rest + "Success\"} 1\n" + "Reserve" + rest + "Success\"} 1\n");
}

// The lines of a family that hold this text, without its name.
std::string lines(const std::string& text, const std::string& name, const std::string& holding) {
  std::string out;
  std::istringstream all(block(text, name));
  for (std::string line; std::getline(all, line);)
    if (!line.starts_with('#') && line.find(holding) != std::string::npos)
      out += line.substr(name.size()) + "\n";
  return out;
}

TEST_CASE("metrics: points of groups, and placements where the release counts them") {
  for (const Release release : {Release::k1_36, Release::k1_37}) {
    CAPTURE(release_name(release));
    Trial t;
    t.metrics = SchedulerMetrics::create(
        t.profiles,
        FeatureGates::parse("GenericWorkload=true,TopologyAwareWorkloadScheduling=true", release)
            .value());
    t.metrics->observer(0, *t.clock);
    for (const Code code : {Code::kWait, Code::kSuccess, Code::kWait})
      CHECK(
          t.metrics->at_group_point(0, GroupPoint::kPlacementFeasible, [&] { return Status(code); })
              .code == code);
    t.metrics->placements_generated(0, 3);
    t.metrics->placement_tried(0, true, in_ns(0.5));
    t.metrics->placement_tried(0, false, in_ns(0.5));
    t.metrics->placement_tried(0, false, in_ns(0.5));
    t.services->metrics().preemptions_by(PreemptorKind::kPodGroup).disruptions.observe(2);
    const std::string text = t.text();
    CHECK(lines(text, "scheduler_framework_extension_point_duration_seconds", "_count{") ==
          "_count{extension_point=\"PlacementFeasible\",profile=\"default-scheduler\",status="
          "\"Success\"} 1\n_count{extension_point=\"PlacementFeasible\",profile="
          "\"default-scheduler\",status=\"Wait\"} 2\n");
    const bool counts = release == Release::k1_37;
    CHECK(lines(text, "scheduler_generated_placements_total", "") ==
          (counts ? "{profile=\"default-scheduler\"} 3\n" : ""));
    CHECK(lines(text, "scheduler_placement_evaluations_total", "") ==
          (counts ? "{profile=\"default-scheduler\",result=\"feasible\"} 1\n{profile="
                    "\"default-scheduler\",result=\"infeasible\"} 2\n"
                  : ""));
    CHECK(lines(text, "scheduler_placement_evaluation_duration_seconds", "_sum{") ==
          (counts ? "_sum{profile=\"default-scheduler\",result=\"feasible\"} 0.5\n_sum{profile="
                    "\"default-scheduler\",result=\"infeasible\"} 1\n"
                  : ""));
    CHECK(lines(text, "scheduler_preemption_workload_disruptions", "_sum") ==
          (counts ? "_sum{preemptor=\"podgroup\"} 2\n" : ""));
  }
}

TEST_CASE("metrics: the plugins of cycles are counted, and timed in each tenth") {
  Trial t;
  REQUIRE(t.cluster->update_node(fake_node("n1", "{}")).ok());
  for (int i = 0; i < 11; ++i) {
    const Result<PodRef> pod = parse_pod("metadata: {namespace: d, name: p" + std::to_string(i) +
                                             "}\nspec: {schedulerName: default-scheduler}",
                                         {});
    REQUIRE(pod.ok());
    SchedulingOptions options;
    options.state = t.metrics->measured_state(0);
    options.writer = make_ref<WriterQueue>();
    const Result<Ref<Scheduling>> done = schedule_one(t.profiles, *pod, options);
    REQUIRE_MESSAGE(done.ok(), done.error().text());
  }
  const std::string text = t.text();
  CHECK(lines(text, "scheduler_plugin_evaluation_total", "") ==
        "{extension_point=\"Filter\",plugin=\"NodeName\",profile=\"default-scheduler\"} 11\n");
  CHECK(lines(text, "scheduler_plugin_execution_duration_seconds", "_count{") ==
        "_count{extension_point=\"Filter\",plugin=\"NodeName\",status=\"Success\"} 2\n");
}

TEST_CASE("metrics: a series of plugin_execution_duration_seconds is of all profiles together") {
  Trial t;
  for (uint32_t profile = 0; profile < 2; ++profile) {
    PluginMeter* const meter = t.metrics->measured_state(profile)->meter();
    const auto& plugins = t.profiles[profile]->framework().plugins();
    for (uint32_t i = 0; i < plugins.size(); ++i)
      if (plugins[i].name == "Sort") meter->took(TimedPoint::kBind, i, Code::kSkip, 2'000'000'000);
  }
  const std::string text = t.text();
  CHECK(lines(text, "scheduler_plugin_execution_duration_seconds", "_count{") ==
        "_count{extension_point=\"Bind\",plugin=\"Sort\",status=\"Skip\"} 2\n");
  CHECK(lines(text, "scheduler_plugin_execution_duration_seconds", "_sum{") ==
        "_sum{extension_point=\"Bind\",plugin=\"Sort\",status=\"Skip\"} 4\n");
}

TEST_CASE("metrics: each tenth time that gates are asked they are timed") {
  Fake gate{"Gate"};
  gate.pre_enqueue = [](const Pod& pod) {
    return pod.meta.name == "closed" ? Status(Code::kUnschedulable, "no") : Status();
  };
  QueueTrial t({gate});
  Evaluator* const profiles[] = {t.evaluator.get()};
  const auto metrics = SchedulerMetrics::create(profiles);
  t.add(queue_pod("closed"));
  for (int i = 0; i < 10; ++i) t.add(queue_pod("p" + std::to_string(i)));
  const std::string text = metrics->text(*t.services, *t.queue, *t.cluster);
  CHECK(lines(text, "scheduler_plugin_execution_duration_seconds", "_count{") ==
        "_count{extension_point=\"PreEnqueue\",plugin=\"Gate\",status=\"Success\"} 1\n"
        "_count{extension_point=\"PreEnqueue\",plugin=\"Gate\",status=\"Unschedulable\"} 1\n");
}

TEST_CASE("metrics: threads observe while another reads") {
  Trial t;
  constexpr int kTimes = 2000;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < kTimes; ++k) {
        t.metrics->binding_began();
        t.metrics->attempted(0, AttemptResult::kScheduled, 1'000'000'000);
        t.metrics->bound(1, 5, false);
        t.metrics->binding_ended();
      }
    });
  for (int i = 0; i < 5; ++i) CHECK(!t.text().empty());
  for (std::thread& thread : threads) thread.join();
  const std::string text = t.text();
  for (const char* line : {"scheduler_schedule_attempts_total{profile=\"default-scheduler\",result="
                           "\"scheduled\"} 6000\n",
                           "scheduler_scheduling_attempt_duration_seconds_sum{profile=\"default-"
                           "scheduler\",result=\"scheduled\"} 6000\n",
                           "scheduler_goroutines{operation=\"binding\"} 0\n"})
    CHECK_MESSAGE(text.find(line) != std::string::npos, std::string(line));
}

}  // namespace libsched::metrics_test
