// scale/<nodes>/<kind>/<question>: how the cost of a question grows with the cluster, on the same
// clusters and pods as upstream's benchmark (tests/oracle/peer/simulate.go) and, for the filters,
// as the limit kernels. Before anything is timed, the kernels, the library and the naive answer of
// the kind must be the same. Nothing is kept by class.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/benchmarks.hpp"
#include "tests/bench/limit_kernels.hpp"
#include "tests/bench/scale_pods.hpp"

namespace libsched_bench {
namespace {

constexpr size_t kSizes[] = {1000, 5000, 15'000, 100'000};

// A column of the limit kernels: aligned to a cache line, and at no power-of-two distance from the
// others, so the number of the column is an offset.
struct Column {
  Column(size_t number, size_t rows) : memory(rows + (number + 2) * kLine, -1) {
    const size_t past = reinterpret_cast<uintptr_t>(memory.data()) / sizeof(int64_t) % kLine;
    values = memory.data() + (kLine - past) + number * kLine;
  }
  static constexpr size_t kLine = 8;
  std::vector<int64_t> memory;
  int64_t* values;
};

struct World {
  World(ClusterKind kind, size_t nodes) : cluster(build_cluster(kind, nodes, kPodsPerNode)) {
    libsched_error* error = nullptr;
    must("keep classes",
         libsched_evaluator_keep_classes(evaluator.get(), LIBSCHED_CLASSES_OFF, 0, &error), error);
    const size_t rows = libsched_view_row_count(view());
    words = (rows + 63) / 64;
    for (const char* resource : {"cpu", "memory", "pods"}) {
      const Column& column = left.emplace_back(left.size(), words * 64);
      for (uint32_t row = 0; row < rows; ++row)
        column.values[row] = libsched_view_allocatable(view(), row, str(resource)) -
                             libsched_view_requested(view(), row, str(resource));
    }
  }
  const libsched_view* view() const { return libsched_cluster_view(cluster.get()); }

  Cluster cluster;
  Framework framework = default_framework();
  Evaluator evaluator = make_evaluator(framework.get(), cluster.get());
  Status status = make_status();
  size_t words = 0;
  std::vector<Column> left;
};

World& world(ClusterKind kind, size_t nodes) {
  static std::map<std::pair<ClusterKind, size_t>, std::unique_ptr<World>> made;
  auto& w = made[{kind, nodes}];
  if (!w) w = std::make_unique<World>(kind, nodes);
  return *w;
}

// A pod with PreFilter's results, and the same question for the limit kernels.
struct Probe {
  Probe(World& in, const ScaleKind& kind)
      : w(in), pod(parse_pod(pod_document(scale_pod(kind.name)))) {
    pre_filter(state.get());
    allowed.resize(w.words);
    any.resize(w.words);
    for (uint32_t row = 0; row < libsched_view_row_count(w.view()); ++row) {
      const libsched_node* node = libsched_view_node(w.view(), row);
      if (node == nullptr) continue;
      const libsched_str name = libsched_node_name(node);
      const uint64_t bit = uint64_t{1} << (row % 64);
      any[row / 64] |= bit;
      if (kind.allows(std::strtoul(name.ptr + 5, nullptr, 10))) allowed[row / 64] |= bit;
    }
    limit = {any.data(),
             allowed.data(),
             any.data(),
             {w.left[0].values, w.left[1].values, w.left[2].values},
             {libsched_pod_request(pod.get(), str("cpu")),
              libsched_pod_request(pod.get(), str("memory")), 1},
             w.words};
    std::vector<uint64_t> want(w.words), got(w.words);
    filter(want.data());
    for (const NamedLimitKernel& kernel : limit_kernels()) {
      kernel.run(limit, got.data());
      if (got != want)
        fail(std::string("scale: ") + kind.name + ": the limit kernel " + kernel.name +
                 " and the library differ",
             nullptr);
    }
  }

  void pre_filter(libsched_cycle_state* into) {
    libsched_error* error = nullptr;
    must("PreFilter",
         libsched_run_pre_filter_plugins(w.evaluator.get(), into, pod.get(), nullptr,
                                         w.status.get(), &error),
         error);
    if (libsched_status_code(w.status.get()) != LIBSCHED_CODE_SUCCESS) fail("PreFilter", nullptr);
  }
  size_t filter(uint64_t* feasible) { return filter(state.get(), feasible); }
  size_t filter(libsched_cycle_state* with, uint64_t* feasible) {
    libsched_error* error = nullptr;
    size_t count = 0;
    must("Filter",
         libsched_filter_nodes(w.evaluator.get(), with, pod.get(), nullptr, feasible, w.words,
                               &count, nullptr, &error),
         error);
    return count;
  }

  World& w;
  Pod pod;
  CycleState state = make_cycle_state();
  std::vector<uint64_t> allowed, any;
  LimitInput limit;
};

Probe& probe(const ScaleKind& kind, size_t nodes) {
  static std::map<std::pair<std::string, size_t>, std::unique_ptr<Probe>> made;
  auto& p = made[{kind.name, nodes}];
  if (!p) p = std::make_unique<Probe>(world(kind.cluster, nodes), kind);
  return *p;
}

void filter(benchmark::State& state, const ScaleKind& kind, size_t nodes, bool with_pre_filter) {
  Probe& p = probe(kind, nodes);
  // A kept result of PreFilter is refused once another question has changed the cluster.
  p.pre_filter(p.state.get());
  std::vector<uint64_t> out(p.w.words);
  size_t found = 0;
  for (auto _ : state) {
    if (!with_pre_filter) {
      found = p.filter(out.data());
      continue;
    }
    const CycleState cycle = make_cycle_state();
    p.pre_filter(cycle.get());
    found = p.filter(cycle.get(), out.data());
  }
  state.counters["found"] = static_cast<double>(found);
}

// The whole cycle: every node judged and scored, and the best one chosen.
void evaluate(benchmark::State& state, const ScaleKind& kind, size_t nodes) {
  Probe& p = probe(kind, nodes);
  libsched_cycle_outcome outcome = LIBSCHED_CYCLE_OUTCOME_INIT;
  libsched_error* error = nullptr;
  for (auto _ : state) {
    const CycleState cycle = make_cycle_state();
    must("cycle",
         libsched_run_cycle(p.w.evaluator.get(), cycle.get(), p.pod.get(), nullptr, &outcome,
                            p.w.status.get(), &error),
         error);
  }
  if (outcome.row == LIBSCHED_NO_ROW) fail("cycle: no node", nullptr);
  state.counters["found"] = static_cast<double>(outcome.feasible);
}

void nothing_fits(benchmark::State& state, const ScaleKind& kind, size_t nodes) {
  World& w = world(kind.cluster, nodes);
  const Pod pod = parse_pod(pod_document(scale_pod(kind.name, "40")));  // of 32
  libsched_error* error = nullptr;
  libsched_fit fit = LIBSCHED_FIT_INIT;
  for (auto _ : state)
    must("first fit",
         libsched_first_fit(w.evaluator.get(), nullptr, pod.get(), nullptr, &fit, w.status.get(),
                            &error),
         error);
  if (fit.node != nullptr) fail("first fit: the pod fits", nullptr);
  state.counters["found"] = 0;
}

// In a fork, which is reverted: asks about one node and puts the pod there.
void schedule_and_revert(benchmark::State& state, size_t nodes) {
  World& w = world(ClusterKind::kBasic, nodes);
  const Pod pod = parse_pod(pod_document(scale_pod("basic")));
  const libsched_pod* const given = pod.get();
  const CycleState cycle = make_cycle_state();
  libsched_error* error = nullptr;
  libsched_run_filter_options at = LIBSCHED_RUN_FILTER_OPTIONS_INIT;
  at.by_row = true;
  const libsched_str nowhere = {nullptr, 0};
  bool fits = true;
  for (auto _ : state) {
    at.row = static_cast<uint32_t>((at.row + 7919) % nodes);
    must("fork", libsched_cluster_fork(w.cluster.get(), &error), error);
    must("PreFilter",
         libsched_run_pre_filter_plugins(w.evaluator.get(), cycle.get(), given, nullptr,
                                         w.status.get(), &error),
         error);
    must("Filter",
         libsched_run_filter_plugins(w.evaluator.get(), cycle.get(), given, nowhere, &at,
                                     w.status.get(), &error),
         error);
    fits &= libsched_status_code(w.status.get()) == LIBSCHED_CODE_SUCCESS;
    const libsched_str node = libsched_node_name(libsched_view_node(w.view(), at.row));
    must("add pod", libsched_cluster_add_pods(w.cluster.get(), &given, &node, 1, &error), error);
    must("revert", libsched_cluster_revert(w.cluster.get(), &error), error);
  }
  if (!fits) fail("fork: a node does not take the pod", nullptr);
  state.counters["found"] = 1;
}

// In a fork, which is reverted: adds a node and asks whether it takes the pod.
void new_node_and_revert(benchmark::State& state, size_t nodes) {
  World& w = world(ClusterKind::kBasic, nodes);
  const Pod pod = parse_pod(pod_document(scale_pod("basic")));
  const Objects added = parse_objects(node_document(ClusterKind::kBasic, nodes));
  const libsched_node* const node = libsched_objects_get_node(added.get(), 0);
  const CycleState cycle = make_cycle_state();
  libsched_error* error = nullptr;
  bool fits = true;
  for (auto _ : state) {
    must("fork", libsched_cluster_fork(w.cluster.get(), &error), error);
    must("add node", libsched_cluster_add_nodes(w.cluster.get(), &node, 1, &error), error);
    must("PreFilter",
         libsched_run_pre_filter_plugins(w.evaluator.get(), cycle.get(), pod.get(), nullptr,
                                         w.status.get(), &error),
         error);
    must("Filter",
         libsched_run_filter_plugins(w.evaluator.get(), cycle.get(), pod.get(),
                                     libsched_node_name(node), nullptr, w.status.get(), &error),
         error);
    fits &= libsched_status_code(w.status.get()) == LIBSCHED_CODE_SUCCESS;
    must("revert", libsched_cluster_revert(w.cluster.get(), &error), error);
  }
  if (!fits) fail("fork: the new node does not take the pod", nullptr);
  state.counters["found"] = 1;
}

void add_size(size_t nodes) {
  const std::string group = "scale/" + std::to_string(nodes) + "/";
  const auto add = [&](const std::string& kind, const std::string& question, auto run) {
    benchmark::RegisterBenchmark((group + kind + "/" + question).c_str(), run);
  };
  for (const ScaleKind& kind : scale_kinds()) {
    const std::string name = kind.name;
    for (const NamedLimitKernel& kernel : limit_kernels())
      add(name, std::string("limit-") + kernel.name, [=](benchmark::State& state) {
        const Probe& p = probe(kind, nodes);
        std::vector<uint64_t> out(p.w.words);
        for (auto _ : state) {
          kernel.run(p.limit, out.data());
          benchmark::DoNotOptimize(out.data());
          benchmark::ClobberMemory();
        }
      });
    add(name, "filter_nodes", [=](benchmark::State& s) { filter(s, kind, nodes, false); });
    add(name, "filter", [=](benchmark::State& s) { filter(s, kind, nodes, true); });
    if (name == "basic" || name == "spread-hard")
      add(name, "evaluate", [=](benchmark::State& s) { evaluate(s, kind, nodes); });
    if (name == "basic" || name == "anti-app")
      add(name, "nothing fits", [=](benchmark::State& s) { nothing_fits(s, kind, nodes); });
  }
  add("basic", "fork, schedule, revert",
      [=](benchmark::State& s) { schedule_and_revert(s, nodes); });
  add("basic", "fork, add node, check, revert",
      [=](benchmark::State& s) { new_node_and_revert(s, nodes); });
}

}  // namespace

void add_scale_benchmarks() {
  for (const size_t nodes : kSizes) add_size(nodes);
}

}  // namespace libsched_bench
