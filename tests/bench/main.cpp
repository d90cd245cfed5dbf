// libsched_bench: Google Benchmark over the C API. Thread CPU time; run.py asks for repetitions and
// takes minimum and median. Each bench_*.cpp adds its benchmarks here under names with slashes.
#include <benchmark/benchmark.h>

#include "tests/bench/benchmarks.hpp"
#include "tests/bench/handles.hpp"
#include "tests/bench/limit_kernels.hpp"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("libsched", libsched_version());
  benchmark::AddCustomContext("instruction_set", libsched_bench::limit_kernels().back().name);
  libsched_bench::add_filter_benchmarks();
  libsched_bench::add_run_filter_benchmarks();
  libsched_bench::add_check_benchmarks();
  libsched_bench::add_cycle_benchmarks();
  libsched_bench::add_ingest_benchmarks();
  libsched_bench::add_fork_benchmarks();
  libsched_bench::add_place_benchmarks();
  libsched_bench::add_loop_benchmarks();
  libsched_bench::add_state_benchmarks();
  libsched_bench::add_snapshot_benchmarks();
  libsched_bench::add_plugin_benchmarks();
  libsched_bench::add_memory_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
