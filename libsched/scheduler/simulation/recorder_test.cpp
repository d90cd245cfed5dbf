// The recorder: the states of pods, samples that are thinned out, and the tables.
#include "libsched/scheduler/simulation/recorder.hpp"

#include "doctest/doctest.h"
#include "libsched/ingest/ingest.hpp"

namespace libsched::recorder_test {

struct Recording {
  Recording() {
    Result<PodRef> pod = parse_pod("{metadata: {name: p, namespace: ns}, spec: {}}", {});
    REQUIRE(pod.ok());
    REQUIRE(workload->add_series(*pod, 100'000, {}).ok());
  }
  uint32_t arrive(int64_t at) { return r.arrived({at, 0, r.arrived_count()}); }
  static std::string csv(const TableRef& table) {
    std::string out;
    const Result<void> done = table->write_csv([&](Str piece) {
      out += piece;
      return true;
    });
    REQUIRE(done.ok());
    return out;
  }

  Ref<TimedWorkload> workload = make_ref<TimedWorkload>();
  Arrivals arrivals{*workload, 0};
  Recorder r{arrivals};
};

TEST_CASE("each pod has its state, times and reason") {
  Recording t;
  const uint32_t a = t.arrive(0), b = t.arrive(0), c = t.arrive(5), d = t.arrive(6),
                 e = t.arrive(7);
  t.r.ignored(d);
  t.r.rejected(b, "NodeResourcesFit", "0/1 nodes are available");
  t.r.bound(a, 1'000'000'000, "n1");
  t.r.sample(1'000'000'000, nullptr);
  t.r.rejected(c, "NodeResourcesFit", "none");
  t.r.rejected(c, "TaintToleration", "tainted");
  t.r.rejected(b, "NodeResourcesFit", "0/2 nodes are available");
  t.r.sample(1'500'000'000, nullptr);
  t.r.preempted(a, "ns", "p-0", "n1", "ns/p-1", 2'000'000'000);
  t.r.preempted({}, "other", "x", "n2", "ns/p-1", 2'000'000'000);
  t.r.bound(b, 3'000'000'000, "n2");
  t.r.finished(b, 4'000'000'000);
  t.r.sample(4'000'000'000, nullptr);
  CHECK(Recording::csv(t.r.pods()) ==
        "namespace,pod,state,arrival,bound,wait,end,node,attempts,reason,message\n"
        "ns,p-0,preempted,0.000000000,1.000000000,1.000000000,2.000000000,n1,1,,\n"
        "ns,p-1,finished,0.000000000,3.000000000,3.000000000,4.000000000,n2,3,,\n"
        "ns,p-2,pending,0.000000005,,,,,2,TaintToleration,tainted\n"
        "ns,p-3,ignored,0.000000006,,,,,0,,\n"
        "ns,p-4,waiting,0.000000007,,,,,0,,\n");
  CHECK(Recording::csv(t.r.series()) ==
        "time,arrived,waiting,pending,running,finished,preempted,ignored,replaced\n"
        "1.000000000,5,2,1,1,0,0,1,0\n"
        "1.500000000,5,1,2,1,0,0,1,0\n"
        "4.000000000,5,1,1,0,1,1,1,0\n");
  CHECK(Recording::csv(t.r.pending()) ==
        "time,reason,pods\n"
        "1.000000000,NodeResourcesFit,1\n"
        "1.500000000,NodeResourcesFit,1\n"
        "1.500000000,TaintToleration,1\n"
        "4.000000000,TaintToleration,1\n");
  CHECK(Recording::csv(t.r.preemptions()) ==
        "time,namespace,pod,node,preemptor\n"
        "2.000000000,ns,p-0,n1,ns/p-1\n"
        "2.000000000,other,x,n2,ns/p-1\n");
  CHECK(t.r.state(e) == PodState::kWaiting);
  CHECK(t.r.count(PodState::kPending) == 1);
  CHECK(t.r.bound_count() == 2);
  CHECK(t.r.attempt_count() == 6);
  CHECK(t.r.preemption_count() == 2);
  CHECK(t.r.waits().longest_ns == 3'000'000'000);
  CHECK(t.r.waits().median_ns == 1'000'000'000);
  CHECK(t.r.waits().p90_ns == 3'000'000'000);
  CHECK(t.r.waits().mean_ns == 2e9);
}

TEST_CASE("pending pods are counted by reason") {
  Recording t;
  for (int i = 0; i < 6; ++i) t.arrive(0);
  for (const uint32_t pod : {0U, 1U}) t.r.rejected(pod, "b", "");
  for (const uint32_t pod : {2U, 3U}) t.r.rejected(pod, "a", "");
  for (const uint32_t pod : {4U, 5U}) t.r.rejected(pod, "c", "");
  t.r.rejected(0, "c", "");
  t.r.bound(1, 0, "n");
  CHECK(t.r.pending_reasons() == std::vector<std::pair<std::string, uint64_t>>{{"c", 3}, {"a", 2}});
}

TEST_CASE("a gated pod is pending without an attempt") {
  Recording t;
  t.r.gated(t.arrive(0), "gated by SchedulingGates");
  CHECK(t.r.attempt_count() == 0);
  CHECK(t.r.pending_reasons().front().first == "gated by SchedulingGates");
  CHECK(t.r.waits().longest_ns == 0);
}

TEST_CASE("samples are thinned out evenly, so their number is bounded") {
  Recording t;
  for (int64_t i = 0; i < 50'000; ++i) {
    t.arrive(i);
    if (t.r.sample_due()) t.r.sample(i, nullptr);
  }
  const TableRef series = t.r.series();
  CHECK(series->row_count() <= Recorder::kMostSamples);
  CHECK(series->row_count() > Recorder::kMostSamples / 2);
  const Column& times = series->columns[0];
  CHECK(times.integer(0) == 0);
  for (size_t i = 1; i < times.size(); ++i) {
    const int64_t step = times.integer(i) - times.integer(i - 1);
    CHECK(step >= 63);
    CHECK(step <= 65);
  }
}

}  // namespace libsched::recorder_test
