// libsched_bench: Google Benchmark over the C API. Thread CPU time; run.py asks for repetitions and
// takes minimum and median. Each bench_*.cpp adds its benchmarks here under names with slashes.
// `libsched_bench live-pods N` prints N pods of about 3 KB as a List, `libsched_bench
// sim-documents` the documents of a simulated cluster, `libsched_bench devices VARIANT` a cluster
// with devices: for the benchmarks in Go and Python, and upstream's.
#include <benchmark/benchmark.h>

#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include "tests/bench/benchmarks.hpp"
#include "tests/bench/handles.hpp"
#include "tests/bench/limit_kernels.hpp"
#include "tests/bench/scale_pods.hpp"

namespace {

int print_live_pods(size_t count) {
  libsched_bench::ListDocument list;
  for (size_t i = 0; i < count; ++i)
    list.add(libsched_bench::live_pod_document(i, libsched_bench::kNodes));
  return std::puts(list.take().c_str()) < 0 ? 1 : 0;
}

// How long an addition takes that needs the result of the one before, in ns: a measure of the
// processor's clock, beside which absolute figures are read. The minimum of several runs.
double dependent_add_ns() {
  constexpr int kRuns = 9, kAdditions = 2'000'000;
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
  };
  double best = std::numeric_limits<double>::max();
  for (int run = 0; run < kRuns; ++run) {
    const double begin = now();
    uint64_t sum = 0;
#pragma GCC unroll 16
    for (int i = 0; i < kAdditions; ++i) {
      sum += 1;
      asm volatile("" : "+r"(sum));  // else the additions become one
    }
    best = std::min(best, (now() - begin) / kAdditions);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "live-pods")
    return print_live_pods(std::strtoul(argv[2], nullptr, 10));
  if (argc == 2 && std::string_view(argv[1]) == "sim-documents")
    return std::puts(libsched_bench::sim_documents().c_str()) < 0 ? 1 : 0;
  if (argc == 3 && std::string_view(argv[1]) == "devices")
    return std::puts(libsched_bench::devices_document(argv[2]).c_str()) < 0 ? 1 : 0;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("libsched", libsched_version());
  benchmark::AddCustomContext("instruction_set", libsched_bench::limit_kernels().back().name);
  benchmark::AddCustomContext("dependent_add_ns", std::to_string(dependent_add_ns()));
  libsched_bench::add_filter_benchmarks();
  libsched_bench::add_run_filter_benchmarks();
  libsched_bench::add_check_benchmarks();
  libsched_bench::add_cycle_benchmarks();
  libsched_bench::add_ingest_benchmarks();
  libsched_bench::add_ingest_limit_benchmarks();
  libsched_bench::add_boundary_benchmarks();
  libsched_bench::add_fork_benchmarks();
  libsched_bench::add_place_benchmarks();
  libsched_bench::add_rate_benchmarks();
  libsched_bench::add_loop_benchmarks();
  libsched_bench::add_state_benchmarks();
  libsched_bench::add_snapshot_benchmarks();
  libsched_bench::add_scale_benchmarks();
  libsched_bench::add_sim_benchmarks();
  libsched_bench::add_plugin_benchmarks();
  libsched_bench::add_devices_benchmarks();
  libsched_bench::add_memory_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
