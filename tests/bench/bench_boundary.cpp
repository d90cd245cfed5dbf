// boundary/call: a call of the C API that does next to nothing, through the shared library. The
// programs boundary.py and go/ measure the same call from Python and Go.
#include <benchmark/benchmark.h>

#include "tests/bench/benchmarks.hpp"
#include "tests/bench/handles.hpp"

namespace libsched_bench {

void add_boundary_benchmarks() {
  benchmark::RegisterBenchmark("boundary/call", [](benchmark::State& state) {
    const Cluster cluster = make_cluster();
    size_t depth = 0;
    for (auto _ : state)
      benchmark::DoNotOptimize(depth += libsched_cluster_fork_depth(cluster.get()));
  });
}

}  // namespace libsched_bench
