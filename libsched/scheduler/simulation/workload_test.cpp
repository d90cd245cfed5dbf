// The workload: names, times, the order of arrivals, manifests with annotations, and the reader of
// traces with the place of each mistake.
#include "libsched/scheduler/simulation/arrivals.hpp"

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

#include "doctest/doctest.h"
#include "libsched/ingest/ingest.hpp"
#include "libsched/scheduler/simulation/trace_csv.hpp"

namespace libsched::workload_test {

constexpr int64_t kSecond = 1'000'000'000;

PodRef pod_of(const std::string& name) {
  Result<PodRef> pod =
      parse_pod("metadata: {name: " + name + ", namespace: default}\nspec: {}", {});
  REQUIRE_MESSAGE(pod.ok(), pod.error().text());
  return *pod;
}

std::string arrivals_of(const TimedWorkload& w) {
  std::string out;
  Arrivals arrivals(w, 0);
  while (const std::optional<int64_t> due = arrivals.next_due()) {
    const std::optional<Arrivals::Arrival> a = arrivals.pop();
    REQUIRE(a);
    CHECK(a->at_ns == *due);
    out += (out.empty() ? "" : " ") + std::to_string(a->at_ns) + ":" +
           arrivals.pod_name(a->source, a->index);
  }
  return out;
}

std::string added(TimedWorkload* w, const std::string& yaml) {
  ParseOptions options;
  options.keep_annotations = true;
  const Result<ObjectSet> objects = parse_objects(yaml, options);
  REQUIRE_MESSAGE(objects.ok(), objects.error().text());
  const Result<void> done = w->add_objects(*objects);
  return done.ok() ? "" : done.error().text();
}

TEST_CASE("pods arrive by time, at one time in the order of entries and replicas") {
  const auto w = make_ref<TimedWorkload>();
  REQUIRE(w->add(pod_of("late"), {7, {}, 0}).ok());
  REQUIRE(w->add_series(pod_of("s"), 3, {2, {}, 5}).ok());
  REQUIRE(w->add_series(pod_of("t"), 2, {2, {}, 0}).ok());
  REQUIRE(w->add(pod_of("early"), {}).ok());
  CHECK(w->pod_count() == 7);
  CHECK(arrivals_of(*w) == "0:early 2:s-0 2:t-0 2:t-1 7:late 7:s-1 12:s-2");
}

TEST_CASE("arrivals of random workloads are those of a sort") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    const auto w = make_ref<TimedWorkload>();
    std::vector<std::tuple<int64_t, uint32_t, uint64_t>> all;
    const size_t n = random() % 8;
    for (uint32_t e = 0; e < n; ++e) {
      const uint64_t count = random() % 4 + 1;
      const Timing t{static_cast<int64_t>(random() % 6), {}, static_cast<int64_t>(random() % 3)};
      REQUIRE(w->add_series(pod_of("p" + std::to_string(e)), count, t).ok());
      for (uint64_t i = 0; i < count; ++i)
        all.emplace_back(t.arrival_ns + static_cast<int64_t>(i) * t.interval_ns, e, i);
    }
    std::sort(all.begin(), all.end());
    Arrivals arrivals(*w, 0);
    for (const auto& [at, entry, index] : all) {
      REQUIRE(arrivals.next_due() == at);
      const std::optional<Arrivals::Arrival> a = arrivals.pop();
      REQUIRE(a);
      CHECK(a->source == entry);
      CHECK(a->index == index);
    }
    CHECK(!arrivals.next_due());
  }
}

TEST_CASE("a name is used once, also by replicas, and times are in range") {
  const auto w = make_ref<TimedWorkload>();
  REQUIRE(w->add(pod_of("a"), {}).ok());
  REQUIRE(w->add(pod_of("b-3"), {}).ok());
  REQUIRE(w->add_series(pod_of("c"), 2, {}).ok());
  const auto message = [&](const Result<void>& done) {
    return done.ok() ? std::string("ok") : done.error().message;
  };
  const auto has = [](const char* key) {
    return "the workload has a pod \"default/" + std::string(key) + "\" already";
  };
  CHECK(message(w->add(pod_of("a"), {})) == has("a"));
  CHECK(message(w->add(pod_of("c-1"), {})) == has("c-1"));
  CHECK(message(w->add_series(pod_of("b"), 4, {})) == has("b-3"));
  CHECK(message(w->add_series(pod_of("c"), 1, {})) == has("c"));
  CHECK(message(w->add(pod_of("x"), {-1, {}, 0})) == "the arrival is negative");
  CHECK(message(w->add(pod_of("x"), {0, -1, 0})) == "the duration is negative");
  CHECK(message(w->add(pod_of("x"), {kLatestNs + 1, {}, 0})) ==
        "the arrival is later than 50 years");
  CHECK(message(w->add_series(pod_of("x"), 3, {0, {}, kLatestNs / 2 + 1})) ==
        "the last arrival is later than 50 years");
  CHECK(message(w->add_series(pod_of("x"), 1'000'000'000, {})) ==
        "a workload has at most 1000000000 pods");
  CHECK(w->pod_count() == 4);
  // These are no replicas of the series.
  for (const char* name : {"c-2", "c-01", "c", "c-", "x"}) {
    const bool valid_name = std::string(name) != "c-";
    if (valid_name) CHECK(message(w->add(pod_of(name), {})) == "ok");
  }
  CHECK(message(w->add_series(pod_of("b"), 3, {})) == "ok");
  CHECK(w->pod_count() == 11);
}

TEST_CASE("manifests have their times in annotations") {
  const auto w = make_ref<TimedWorkload>();
  CHECK(added(&*w, R"(
kind: Pod
apiVersion: v1
metadata:
  name: p
  annotations: {libsched/arrival: 1m30s, libsched/duration: 2s}
---
kind: Deployment
apiVersion: apps/v1
metadata: {name: d, namespace: other}
spec:
  replicas: 3
  selector: {matchLabels: {app: d}}
  template:
    metadata:
      labels: {app: d}
      annotations: {libsched/interval: 10ms}
    spec: {}
)") == "");
  REQUIRE(w->entries().size() == 2);
  CHECK(w->entries()[0].timing.arrival_ns == 90 * kSecond);
  CHECK(w->entries()[0].timing.duration_ns == 2 * kSecond);
  CHECK(!w->entries()[1].timing.duration_ns);
  CHECK(arrivals_of(*w) == "0:d-0 10000000:d-1 20000000:d-2 90000000000:p");
  const PodRef pod = Arrivals(*w, 0).make_pod(1, 2, "u7");
  CHECK(pod->meta.name == "d-2");
  CHECK(pod->meta.ns == "other");
  CHECK(pod->meta.uid == "u7");
}

TEST_CASE("a wrong annotation is an error that names the pod, and nothing is added") {
  const auto w = make_ref<TimedWorkload>();
  const auto pod = [](const char* annotation) {
    return std::string(
               "[{kind: Pod, apiVersion: v1, metadata: {name: ok}},"
               " {kind: Pod, apiVersion: v1, metadata: {name: p, annotations: {") +
           annotation + "}}}]";
  };
  CHECK(added(&*w, pod("libsched/arrival: soon")) ==
        "pod default/p: metadata.annotations[libsched/arrival]: time: invalid duration \"soon\"");
  CHECK(added(&*w, pod("libsched/duration: -1s")) ==
        "pod default/p: metadata.annotations[libsched/duration]: must not be negative");
  CHECK(added(&*w, pod("libsched/arrival: 1000000h")) ==
        "pod default/p: metadata.annotations[libsched/arrival]: must be at most 50 years");
  CHECK(added(&*w, pod("libsched/interval: 1s")) ==
        "pod default/p: metadata.annotations[libsched/interval]: a single pod has no interval");
  CHECK(w->pod_count() == 0);
  CHECK(arrivals_of(*w).empty());
  CHECK(added(&*w, pod("libsched/arrival: 1s")) == "");
  CHECK(w->pod_count() == 2);
}

constexpr const char* kHeader =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,"
    "creation_time,deletion_time,scheduled_time\n";

std::string traced(TimedWorkload* w, const std::string& csv) {
  const Result<void> done = add_trace(w, csv, "pods.csv", {});
  return done.ok() ? "" : done.error().text();
}

TEST_CASE("a trace's rows become pods") {
  const auto w = make_ref<TimedWorkload>();
  CHECK(traced(&*w, std::string("\xEF\xBB\xBF") + kHeader +
                        "a,500,1024,1,460,,LS,Running,5,30,10\r\n"
                        "b,500,1024,2,1000,T4|\"\"\"no\"\"\",BE,Pending,1.5,4,\n") != "");
  CHECK(traced(&*w, std::string("\xEF\xBB\xBF") + kHeader +
                        "a,500,1024,1,460,,LS,Running,5,30,10\r\n"
                        "\n"
                        "b,500,1024,2,1000,\"T4|P100\",BE,Pending,1.5,4,\n"
                        "c,1,2,0,0,,,,,,\n"
                        "d,500,1024,1,460,,LS,Running,7,,8") == "");
  REQUIRE(w->entries().size() == 4);
  const auto& e = w->entries();
  CHECK(e[0].timing.arrival_ns == 5 * kSecond);
  CHECK(e[0].timing.duration_ns == 20 * kSecond);
  CHECK(e[1].timing.arrival_ns == 1'500'000'000);
  CHECK(e[1].timing.duration_ns == 2'500'000'000);
  CHECK(e[2].timing.arrival_ns == 0);
  CHECK(!e[2].timing.duration_ns);
  CHECK(!e[3].timing.duration_ns);
  CHECK(e[0].pod == e[3].pod);  // one template
  const Pod& a = *e[0].pod;
  CHECK(a.requests.milli_cpu == 500);
  CHECK(a.requests.memory == int64_t{1} << 30);
  REQUIRE(a.requests.scalars.size() == 1);
  CHECK(a.requests.scalars[0].name == "alibabacloud.com/gpu-milli");
  CHECK(a.requests.scalars[0].value == 460);
  CHECK(find_label(a.meta.labels, "alibabacloud.com/qos")->value == "LS");
  const Pod& b = *e[1].pod;
  CHECK(b.requests.scalars[0].value == 2000);
  REQUIRE(b.spec.node_affinity.required.present);
  CHECK(e[2].pod->requests.scalars.empty());
  CHECK(arrivals_of(*w) == "0:c 1500000000:b 5000000000:a 7000000000:d");
}

TEST_CASE("a trace of five columns arrives at once and stays") {
  const auto w = make_ref<TimedWorkload>();
  CHECK(traced(&*w, "num_gpu,name,cpu_milli,memory_mib\n1,a,2,3\n0,b,2,3\n") == "");
  REQUIRE(w->entries().size() == 2);
  CHECK(w->entries()[0].pod->requests.scalars[0].value == 1000);
  CHECK(arrivals_of(*w) == "0:a 0:b");
}

TEST_CASE("a mistake in a trace has file, line and column, and nothing is added") {
  const std::string good = "a,500,1024,1,460,,LS,Running,5,30,10\n";
  struct Case {
    const char *row, *error;
  };
  const Case cases[] = {
      {"b,x,1,,,,,,,,", "cpu_milli: \"x\" is not a whole number"},
      {"b,,1,,,,,,,,", "cpu_milli: \"\" is not a whole number"},
      {"b,1.5,1,,,,,,,,", "cpu_milli: \"1.5\" is not a whole number"},
      {"b,-1,1,,,,,,,,", "cpu_milli: must not be negative"},
      {"b,99999999999999999999,1,,,,,,,,", "cpu_milli: must be at most 1125899906842624"},
      {"b,1,1099511627777,,,,,,,,", "memory_mib: must be at most 1099511627776"},
      {"b,1,1,1,1001,,,,,,", "gpu_milli: must be at most 1000"},
      {"b,1,1,1,0,,,,,,", "gpu_milli: is 0, but num_gpu is not"},
      {"b,1,1,2,500,,,,,,", "gpu_milli: only a single GPU can be shared"},
      {"b,1,1,1,,T4||P100,,,,,", R"(gpu_spec: "T4||P100" is not a list "TYPE|TYPE")"},
      {"b,1,1,1,,,a b,,,,", "qos: \"a b\" is no value of a label"},
      {"b,1,1,1,,,,Running?,,,", "pod_phase: \"Running?\" is no phase of a pod"},
      {"b,1,1,1,,,,,ten,,", "creation_time: \"ten\" is not a number of seconds"},
      {"b,1,1,1,,,,,1.,,", "creation_time: \"1.\" is not a number of seconds"},
      {"b,1,1,1,,,,,-3,,", "creation_time: must not be negative"},
      {"b,1,1,1,,,,,2e9,,", "creation_time: \"2e9\" is not a number of seconds"},
      {"b,1,1,1,,,,,2000000000,,", "creation_time: must be less than 1576800000"},
      {"b,1,1,1,,,,,10,9.5,", "deletion_time: 9.5 is before creation_time"},
      {"b,1,1,1,,,,,10,20,9", "scheduled_time: 9 is before creation_time"},
      {"b,1,1,1,,,,,10,20,21", "deletion_time: 20 is before scheduled_time"},
      {"B_,1,1,,,,,,,,", "name: \"B_\" is no name of a pod"},
      {"a,1,1,,,,,,,,", "name: the workload has a pod \"default/a\" already"},
      {"b,1,1", "3 fields, the header has 11"},
      {"b,1,\"1\"0,,,,,,,,", "there is text after a quoted field"},
      {"b,1,1\"0\",,,,,,,,", "there is text before a quoted field"},
      {"b,1,\"10,,,,,,,,", "a quoted field is not closed"},
  };
  const auto w = make_ref<TimedWorkload>();
  REQUIRE(w->add(pod_of("old"), {}).ok());
  for (const Case& c : cases) {
    CAPTURE(c.row);
    CHECK(traced(&*w, kHeader + good + c.row + "\n") == std::string("pods.csv:3: ") + c.error);
    CHECK(w->pod_count() == 1);
  }
  CHECK(traced(&*w, "") == "pods.csv:1: there is no header");
  CHECK(traced(&*w, "name,cpu\n") == "pods.csv:1: unknown column \"cpu\"");
  CHECK(traced(&*w, "name,name\n") == "pods.csv:1: name: the column is there twice");
  CHECK(traced(&*w, "name,cpu_milli\n") == "pods.csv:1: memory_mib: the column is missing");
  // A quoted field may have lines of its own, which count.
  CHECK(traced(&*w, std::string(kHeader) + "b,1,\"1\n\n\",,,,,,,,\nc,1,x,,,,,,,,\n") ==
        "pods.csv:2: memory_mib: \"1\\n\\n\" is not a whole number");
  CHECK(traced(&*w, std::string("name,cpu_milli,memory_mib,\"qos\"\n") + "b,1,1,\"\"\nc,1,x,\n") ==
        "pods.csv:3: memory_mib: \"x\" is not a whole number");
  CHECK(arrivals_of(*w) == "0:old");
  CHECK(traced(&*w, kHeader + good) == "");
}

TEST_CASE("a trace's reading can be cancelled") {
  const auto w = make_ref<TimedWorkload>();
  TraceOptions options;
  options.interrupt.wanted = [](void*) { return true; };
  const Result<void> done = add_trace(&*w, "name,cpu_milli,memory_mib\na,1,1\n", "f", options);
  REQUIRE(!done.ok());
  CHECK(done.error().rc == Rc::kCancelled);
  CHECK(w->pod_count() == 0);
}

}  // namespace libsched::workload_test
