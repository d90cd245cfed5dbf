// ingest/...: a List of 20,000 pods of 3 KB each, from memory to objects. What it costs to release
// them again is a benchmark of its own.
#include <benchmark/benchmark.h>

#include "tests/bench/benchmarks.hpp"
#include "tests/bench/workload.hpp"

namespace libsched_bench {
namespace {

constexpr size_t kPods = 20000;

const std::string& document() {
  static const std::string text = [] {
    ListDocument list;
    for (size_t i = 0; i < kPods; ++i) list.add(live_pod_document(i, kNodes));
    return list.take();
  }();
  return text;
}

void report(benchmark::State& state) {
  state.counters["objects"] = kPods;
  state.counters["bytes_per_pod"] = static_cast<double>(document().size()) / kPods;
}

void parse(benchmark::State& state, bool defaults) {
  document();
  for (auto _ : state) {
    Objects objects = parse_objects(document(), defaults);
    state.PauseTiming();
    if (libsched_objects_pod_count(objects.get()) != kPods) fail("pods are missing", nullptr);
    objects.reset();
    state.ResumeTiming();
  }
  report(state);
}

void parse_and_release(benchmark::State& state) {
  document();
  for (auto _ : state) parse_objects(document());
  report(state);
}

}  // namespace

void add_ingest_benchmarks() {
  const auto add = [](const char* name, auto run) {
    benchmark::RegisterBenchmark(name, run)->MeasureProcessCPUTime();
  };
  add("ingest/parse", [](benchmark::State& state) { parse(state, false); });
  add("ingest/parse with defaults", [](benchmark::State& state) { parse(state, true); });
  add("ingest/parse and release", parse_and_release);
}

}  // namespace libsched_bench
