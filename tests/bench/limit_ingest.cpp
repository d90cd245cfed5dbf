// ingest/limit-simdjson: the yardstick of `ingest`, simdjson alone on the same pods, each a
// document of its own, into a tree that is used again. It reads nothing of the tree and keeps
// nothing.
#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <vector>

#include "tests/bench/benchmarks.hpp"
#include "tests/bench/workload.hpp"

namespace libsched_bench {

void add_ingest_limit_benchmarks() {
  benchmark::RegisterBenchmark("ingest/limit-simdjson", [](benchmark::State& state) {
    constexpr size_t kPods = 20'000;
    std::vector<simdjson::padded_string> documents;
    size_t bytes = 0;
    for (size_t i = 0; i < kPods; ++i) {
      const std::string text = live_pod_document(i, kNodes);
      documents.emplace_back(text.data(), text.size());
      bytes += text.size();
    }
    simdjson::dom::parser parser;
    for (auto _ : state)
      for (const simdjson::padded_string& document : documents)
        if (parser.parse(document).error() != simdjson::SUCCESS) fail("simdjson", nullptr);
    state.counters["objects"] = kPods;
    state.counters["bytes_per_pod"] = static_cast<double>(bytes) / kPods;
  })->MeasureProcessCPUTime();
}

}  // namespace libsched_bench
