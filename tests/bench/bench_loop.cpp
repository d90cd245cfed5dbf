// loop/<nodes>/<pods> pods of <n> shapes: pods in the queue of a scheduler on an API server in
// memory until they are bound and the scheduler has seen it: all nodes judged, ties as upstream,
// bindings in line, one thread. Upstream's benchmark (tests/oracle/peer/loop.go) begins likewise
// when its queue has the pods. arrive/...: until pods that are made at the API server are in the
// queue. And million/<nodes>: a million pods once, all of this, in a process of its own.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tests/bench/benchmarks.hpp"
#include "tests/bench/workload.hpp"

namespace libsched_bench {
namespace {

using Clock = Handle<libsched_clock, libsched_clock_unref>;
using ApiServer = Handle<libsched_api_server, libsched_api_server_unref>;
using Scheduler = Handle<libsched_scheduler, libsched_scheduler_unref>;

// A scheduler of empty nodes, without pods.
struct World {
  explicit World(size_t nodes) {
    libsched_error* error = nullptr;
    libsched_clock* made_clock = nullptr;
    must("clock", libsched_clock_create_virtual(0, &made_clock, &error), error);
    clock.reset(made_clock);
    libsched_api_server_options api = LIBSCHED_API_SERVER_OPTIONS_INIT;
    api.clock = clock.get();
    libsched_api_server* made_server = nullptr;
    must("API server", libsched_api_server_create(&api, &made_server, &error), error);
    server.reset(made_server);
    ListDocument list;
    for (size_t i = 0; i < nodes; ++i) list.add(node_document(ClusterKind::kBasic, i));
    const Objects objects = parse_objects(list.take());
    must("nodes", libsched_api_server_create_objects(server.get(), objects.get(), &error), error);
    libsched_scheduler_options options = LIBSCHED_SCHEDULER_OPTIONS_INIT;
    options.clock = clock.get();
    options.api_server = server.get();
    const libsched_framework* profiles[] = {framework.get()};
    libsched_scheduler* made = nullptr;
    must("scheduler",
         libsched_scheduler_create(profiles, 1, cluster.get(), &options, &made, &error), error);
    scheduler.reset(made);
    must("start", libsched_scheduler_start(made, &error), error);
    settle();
  }
  // `hold`: without scheduling.
  void settle(bool hold = false) {
    libsched_error* error = nullptr;
    must("settle", libsched_scheduler_settle(scheduler.get(), hold, 0, &error), error);
  }

  Clock clock;
  ApiServer server;
  Cluster cluster = make_cluster();
  Framework framework = default_framework();
  Scheduler scheduler;
};

// Pods like the one of the upstream benchmark, of as many shapes that differ in their requests, one
// shape after the other.
std::vector<Pod> pods_of(size_t count, size_t shapes) {
  std::vector<Pod> prototypes, out;
  for (size_t i = 0; i < shapes; ++i) {
    PodSpec spec = plain_pods()[0];
    spec.memory = std::to_string(64 + i) + "Mi";
    prototypes.push_back(parse_pod(pod_document(spec)));
  }
  const libsched_str same = {nullptr, 0};
  for (size_t i = 0; i < count; ++i) {
    const std::string name = "new-" + std::to_string(i);
    libsched_error* error = nullptr;
    libsched_pod* pod = nullptr;
    must("copy",
         libsched_pod_copy(prototypes[i % shapes].get(), str(name), same, str("uid-" + name), same,
                           &pod, &error),
         error);
    out.emplace_back(pod);
  }
  return out;
}

// Which part of the pods' way is timed.
enum class Timed { kArrival, kScheduling, kAll };

// The pods come in bursts of a thousand, so that some wait in the queue.
void run(World& world, const std::vector<Pod>& pods, benchmark::State& state, Timed timed) {
  constexpr size_t kBurst = 1000;
  libsched_error* error = nullptr;
  for (size_t i = 0; i < pods.size(); i += kBurst) {
    if (timed == Timed::kScheduling) state.PauseTiming();
    for (size_t k = i; k < std::min(i + kBurst, pods.size()); ++k)
      must("create", libsched_api_server_create_pod(world.server.get(), pods[k].get(), &error),
           error);
    world.settle(true);
    if (timed == Timed::kScheduling) state.ResumeTiming();
    if (timed == Timed::kArrival) state.PauseTiming();
    world.settle();
    if (timed == Timed::kArrival) state.ResumeTiming();
  }
  if (libsched_view_pod_count(libsched_cluster_view(world.cluster.get())) != pods.size())
    fail("loop: pods are missing", nullptr);
}

void loop(benchmark::State& state, size_t nodes, size_t count, size_t shapes, Timed timed) {
  const std::vector<Pod> pods = pods_of(count, shapes);
  for (auto _ : state) {
    state.PauseTiming();
    auto world = std::make_unique<World>(nodes);
    state.ResumeTiming();
    run(*world, pods, state, timed);
    state.PauseTiming();
    world.reset();
    state.ResumeTiming();
  }
  state.counters["pods"] = static_cast<double>(count);
}

// Of this process, so far.
double peak_bytes() {
  double kilobytes = 0;
  if (std::FILE* file = std::fopen("/proc/self/status", "r")) {
    char line[256];
    while (std::fgets(line, sizeof line, file) != nullptr)
      if (std::strncmp(line, "VmHWM:", 6) == 0) kilobytes = std::atof(line + 6);
    std::fclose(file);
  }
  return kilobytes * 1024;
}

void million(benchmark::State& state) {
  constexpr size_t kCount = 1'000'000;
  for (auto _ : state) {
    state.PauseTiming();
    World world(10'000);
    const std::vector<Pod> pods = pods_of(kCount, 100);
    state.ResumeTiming();
    run(world, pods, state, Timed::kAll);
    state.counters["peak_bytes"] = peak_bytes();
  }
  state.counters["pods"] = static_cast<double>(kCount);
}

}  // namespace

void add_loop_benchmarks() {
  const auto add = [](size_t count, size_t shapes, Timed timed = Timed::kScheduling) {
    const std::string name = (timed == Timed::kArrival ? "arrive/" : "loop/") +
                             std::to_string(kNodes) + "/" + std::to_string(count) + " pods of " +
                             std::to_string(shapes) + " shapes";
    benchmark::RegisterBenchmark(
        name.c_str(), [=](benchmark::State& state) { loop(state, kNodes, count, shapes, timed); });
  };
  for (const size_t shapes : {1, 10, 100}) add(10'000, shapes);
  add(10'000, 10'000);
  add(1'000, 1);
  add(100'000, 1);
  add(10'000, 1, Timed::kArrival);
  benchmark::RegisterBenchmark("million/10000", million)->Iterations(1);
}

}  // namespace libsched_bench
