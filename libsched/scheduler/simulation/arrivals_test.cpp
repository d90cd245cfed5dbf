// Jobs and CronJobs of a workload: which pods come when others end, and what is told about them.
#include "libsched/scheduler/simulation/arrivals.hpp"

#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "libsched/ingest/ingest.hpp"

namespace libsched::arrivals_test {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kStart = int64_t{1'767'225'600} * kSecond;  // 2026-01-01, minute 29453760

std::string job(const std::string& spec, const std::string& annotations = "",
                const std::string& of_template = "") {
  return "{kind: Job, apiVersion: batch/v1, metadata: {name: j, annotations: {" + annotations +
         "}}, spec: {" + spec + (spec.empty() ? "" : ", ") +
         "template: {metadata: {annotations: {" + of_template + "}}, spec: {}}}}";
}
std::string cron(const std::string& fields, const std::string& spec = "") {
  return "{kind: CronJob, apiVersion: batch/v1, metadata: {name: c}, spec: {" + fields +
         ", jobTemplate: {spec: {" + spec + (spec.empty() ? "" : ", ") + "template: {}}}}}";
}

struct Added {
  explicit Added(const std::string& yaml) {
    ParseOptions options;
    options.keep_annotations = true;
    const Result<ObjectSet> objects = parse_objects(yaml, options);
    REQUIRE_MESSAGE(objects.ok(), objects.error().text());
    const Result<void> done = workload->add_objects(*objects);
    error = done.ok() ? "" : done.error().text();
  }
  std::string told() const {
    std::string out;
    for (const IngestWarning& w : workload->warnings())
      out += (out.empty() ? "" : "; ") + w.path + ": " + w.message;
    return out;
  }
  Ref<TimedWorkload> workload = make_ref<TimedWorkload>();
  std::string error;
};

// Pods that arrive, and that end when they are told to.
struct Arriving : Added {
  explicit Arriving(const std::string& yaml) : Added(yaml) { REQUIRE(error.empty()); }
  // The pods that arrive until then: "seconds:name".
  std::string until(int64_t seconds) {
    std::string out;
    while (arrivals.next_due() && *arrivals.next_due() <= seconds * kSecond) {
      now = *arrivals.next_due();
      const std::optional<Arrivals::Arrival> a = arrivals.pop();
      for (const uint32_t run : arrivals.take_replaced())
        out += (out.empty() ? "" : " ") + std::string("replaced-") + arrivals.pod_name(run, 0);
      if (!a) continue;
      source = a->source;
      out += (out.empty() ? "" : " ") + std::to_string(a->at_ns / kSecond) + ":" +
             arrivals.pod_name(a->source, a->index);
    }
    now = seconds * kSecond;
    return out;
  }
  std::string end(uint32_t of, bool succeeded = true) {
    arrivals.ended(of, succeeded, now);
    return until(now / kSecond);
  }
  Arrivals arrivals{*workload, kStart};
  int64_t now = 0;
  uint32_t source = 0;  // of the latest pod
};

TEST_CASE("a Job makes another pod for each that ends, until enough have succeeded") {
  Arriving t(job("completions: 4, parallelism: 2"));
  CHECK(t.arrivals.pod_count() == 4);
  CHECK(t.until(0) == "0:j-0 0:j-1");
  CHECK(t.until(7).empty());
  CHECK(t.end(0) == "7:j-2");
  CHECK(t.end(0, /*succeeded=*/false) == "7:j-3");
  CHECK(t.end(0) == "7:j-4");
  CHECK(t.arrivals.pod_count() == 5);  // one has not succeeded
  CHECK(t.end(0).empty());
  CHECK(t.end(0).empty());
  CHECK(!t.arrivals.next_due());
}

TEST_CASE("a Job without completions makes others for preempted pods, until one has succeeded") {
  Arriving t(job("parallelism: 3"));
  CHECK(t.until(0) == "0:j-0 0:j-1 0:j-2");
  CHECK(t.end(0, false) == "0:j-3");
  CHECK(t.end(0).empty());
  CHECK(t.end(0, false).empty());
  CHECK(t.arrivals.pod_count() == 4);
}

TEST_CASE("the first pods of a Job are an interval apart") {
  Arriving t(job("completions: 3, parallelism: 2", "libsched/interval: 10s"));
  CHECK(t.until(5) == "0:j-0");
  CHECK(t.end(0) == "5:j-2");
  CHECK(t.until(10) == "10:j-1");
}

TEST_CASE("annotations of a workload are those of its pods, which the template's own replace") {
  const Added t(
      job("", "libsched/arrival: 90s, libsched/duration: 1h, other: x", "libsched/duration: 5s"));
  REQUIRE(t.workload->entries().size() == 1);
  const TimedWorkload::Entry& e = t.workload->entries()[0];
  CHECK(e.timing.arrival_ns == 90 * kSecond);
  CHECK(e.timing.duration_ns == 5 * kSecond);
  CHECK(find_annotation(e.pod->meta, "other") == nullptr);
  const Added of_run(
      "{kind: CronJob, apiVersion: batch/v1, metadata: {name: c, annotations: {libsched/duration: "
      "1s, libsched/arrival: 2s}}, spec: {schedule: '@daily', jobTemplate: {metadata: "
      "{annotations: "
      "{libsched/duration: 3s}}, spec: {template: {}}}}}");
  CHECK(of_run.workload->entries()[0].timing.duration_ns == 3 * kSecond);
  CHECK(of_run.workload->entries()[0].timing.arrival_ns == 2 * kSecond);
  const Added deployment(
      "{kind: Deployment, apiVersion: apps/v1, metadata: {name: d, annotations: "
      "{libsched/interval: "
      "4s}}, spec: {replicas: 2, template: {}}}");
  CHECK(deployment.workload->entries()[0].timing.interval_ns == 4 * kSecond);
}

TEST_CASE("what has no effect is told") {
  CHECK(Added(job("", "libsched/durration: 1h")).told() ==
        "workload default/j: metadata.annotations[libsched/durration]: unknown annotation; did you "
        "mean \"libsched/duration\"?");
  CHECK(Added("{kind: Pod, apiVersion: v1, metadata: {name: p, annotations: {libsched/zone: a}}}")
            .told() == "pod default/p: metadata.annotations[libsched/zone]: unknown annotation");
  CHECK(Added(job("backoffLimit: 2, activeDeadlineSeconds: 5")).told() ==
        "workload default/j: spec.backoffLimit: not imitated: it has no effect here; "
        "workload default/j: spec.activeDeadlineSeconds: not imitated: it has no effect here");
  CHECK(Added(job("completionMode: Indexed")).told() ==
        "workload default/j: spec.completionMode: not imitated: it has no effect here");
  CHECK(Added(cron("schedule: '@daily'", "completionMode: Indexed")).told() ==
        "workload default/c: spec.jobTemplate.spec.completionMode: not imitated: it has no effect "
        "here");
  for (const char* other :
       {"podFailurePolicy: {}", "successPolicy: {}", "backoffLimitPerIndex: 1",
        "maxFailedIndexes: 1", "podReplacementPolicy: Failed", "managedBy: x/y"})
    CHECK(Added(job(other)).workload->warnings().size() == 1);
  // As the API server gives them back.
  CHECK(Added(job("backoffLimit: 6, completionMode: NonIndexed, podReplacementPolicy: "
                  "TerminatingOrFailed, suspend: false, manualSelector: null, managedBy: "
                  "kubernetes.io/job-controller, ttlSecondsAfterFinished: 5"))
            .told() == "");
}

TEST_CASE("a suspended Job or CronJob makes no pods, and so does one without parallelism") {
  const Added suspended(job("suspend: true"));
  CHECK(suspended.told() == "workload default/j: spec.suspend: it is suspended: it makes no pods");
  CHECK(suspended.workload->entries().empty());
  const Added cron_suspended(cron("schedule: '@daily', suspend: true"));
  CHECK(cron_suspended.told() ==
        "workload default/c: spec.suspend: it is suspended: it makes no pods");
  CHECK(!cron_suspended.workload->has_cron());
  CHECK(Added(cron("schedule: '@daily'", "suspend: true")).told() ==
        "workload default/c: spec.jobTemplate.spec.suspend: it is suspended: it makes no pods");
  CHECK(Added(job("parallelism: 0")).workload->entries().empty());
}

TEST_CASE("a CronJob starts Jobs that are named by the minute") {
  Arriving t(cron("schedule: '*/10 * * * *'", "completions: 2"));
  CHECK(t.arrivals.pod_count() == 0);
  CHECK(t.until(599).empty());
  CHECK(t.until(600) == "600:c-29453770-0");
  CHECK(t.arrivals.pod_count() == 2);
  const uint32_t first = t.source;
  CHECK(t.until(1200) == "1200:c-29453780-0");
  CHECK(t.end(first) == "1200:c-29453770-1");
  CHECK(t.arrivals.pod_count() == 4);
}

TEST_CASE("a CronJob that forbids two runs starts the latest one late, within its deadline") {
  for (const bool deadline : {false, true}) {
    Arriving t(cron(std::string("schedule: '* * * * *', concurrencyPolicy: Forbid") +
                    (deadline ? ", startingDeadlineSeconds: 20" : "")));
    CHECK(t.until(60) == "60:c-29453761-0");
    CHECK(t.until(190).empty());
    CHECK(t.end(t.source) == "190:c-29453763-0");
    CHECK(t.until(265).empty());
    CHECK(t.end(t.source) == (deadline ? "" : "265:c-29453764-0"));
    CHECK(t.until(300) == (deadline ? "300:c-29453765-0" : ""));
  }
}

TEST_CASE("a CronJob that replaces runs ends the one before") {
  Arriving t(cron("schedule: '* * * * *', concurrencyPolicy: Replace", "completions: 3"));
  CHECK(t.until(60) == "60:c-29453761-0");
  const uint32_t first = t.source;
  CHECK(t.end(first) == "60:c-29453761-1");
  CHECK(t.until(120) == "replaced-c-29453761-0 120:c-29453762-0");
  CHECK(t.arrivals.pod_count() == 5);  // two of the first
  CHECK(t.end(first).empty());
}

TEST_CASE("a Job of a run's name is not made again") {
  Arriving t("[" + cron("schedule: '* * * * *'") +
             ", {kind: Job, apiVersion: batch/v1, metadata: {name: c-29453762}, spec: {}}]");
  CHECK(t.until(180) == "0:c-29453762-0 60:c-29453761-0 180:c-29453763-0");
  Arriving often(cron("schedule: '@every 30s'"));
  CHECK(often.until(120) == "30:c-29453760-0 60:c-29453761-0 120:c-29453762-0");
}

TEST_CASE("what is no schedule is an error with its path, and nothing is added") {
  const auto error = [](const std::string& fields) {
    const Added t("[" + job("suspend: true") + "," + cron(fields) + "]");
    CHECK(t.workload->entries().empty());
    CHECK(t.told().empty());
    return t.error;
  };
  CHECK(error("schedule: '99 * * * *'") ==
        "workload default/c: spec.schedule: minute: \"99\" is not within 0 to 59");
  CHECK(error("schedule: '@daily', timeZone: Mars/Olympus") ==
        "workload default/c: spec.timeZone: unknown time zone \"Mars/Olympus\"");
  CHECK(error("schedule: '@daily', concurrencyPolicy: Sometimes") ==
        "workload default/c: spec.concurrencyPolicy: \"Sometimes\" is none of Allow, Forbid and "
        "Replace");
  CHECK(error("schedule: '@daily', startingDeadlineSeconds: -1") ==
        "workload default/c: spec.startingDeadlineSeconds: must not be negative");
}

TEST_CASE("pods that a Job or CronJob may make are not named by others") {
  const auto w = make_ref<TimedWorkload>();
  const auto add = [&](const std::string& yaml) {
    const Result<ObjectSet> objects = parse_objects(yaml, {});
    REQUIRE_MESSAGE(objects.ok(), objects.error().text());
    return w->add_objects(*objects).ok();
  };
  const auto pod = [](const std::string& name) {
    return "{kind: Pod, apiVersion: v1, metadata: {name: " + name + "}}";
  };
  CHECK(add(job("")));
  CHECK(!add(pod("j-9")));  // for a pod that was preempted
  CHECK(add(cron("schedule: '@daily'")));
  CHECK(!add(pod("c-29453760-0")));
  CHECK(add(pod("d-29453760-0")));
  CHECK(!add(cron("schedule: '@daily'")));
  CHECK(add("{kind: Job, apiVersion: batch/v1, metadata: {name: c}, spec: {}}"));
}

}  // namespace libsched::arrivals_test
