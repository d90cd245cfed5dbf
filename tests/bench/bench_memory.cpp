// memory/...: resident bytes per node and per pod of a cluster, documents and parsed objects
// released. Each needs a process of its own (a filter for one name): memory that another left free
// would hide it.
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdio>

#include "tests/bench/benchmarks.hpp"
#include "tests/bench/workload.hpp"

namespace libsched_bench {
namespace {

constexpr size_t kMeasuredNodes = 20000;

double resident_bytes() {
  malloc_trim(0);
  long long pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%*s %lld", &pages) != 1)
    fail("/proc/self/statm cannot be read", nullptr);
  std::fclose(file);
  return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

void measure(benchmark::State& state, bool live) {
  for (auto _ : state) {
    Cluster cluster = make_cluster();
    const double begin = resident_bytes();
    add_nodes(cluster.get(), ClusterKind::kBasic, kMeasuredNodes);
    const double with_nodes = resident_bytes();
    const size_t pods = kMeasuredNodes * kPodsPerNode;
    if (live) {
      ListDocument list;
      for (size_t i = 0; i < pods; ++i) {
        list.add(live_pod_document(i, kMeasuredNodes));
        if (i % 5000 == 4999) apply(cluster.get(), parse_objects(list.take()).get());
      }
    } else {
      add_existing_pods(cluster.get(), kMeasuredNodes, kPodsPerNode);
    }
    if (libsched_view_pod_count(libsched_cluster_view(cluster.get())) != pods)
      fail("pods are missing", nullptr);
    state.counters["bytes_per_node"] = (with_nodes - begin) / kMeasuredNodes;
    state.counters["bytes_per_pod"] = (resident_bytes() - with_nodes) / static_cast<double>(pods);
  }
}

}  // namespace

void add_memory_benchmarks() {
  const auto add = [](const char* name, bool live) {
    benchmark::RegisterBenchmark(name, [=](benchmark::State& state) {
      measure(state, live);
    })->Iterations(1);
  };
  add("memory/small pods", false);
  add("memory/3 KB pods", true);
}

}  // namespace libsched_bench
