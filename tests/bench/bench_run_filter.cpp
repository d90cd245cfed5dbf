// run_filter/<verdict>/<how>: RunFilterPlugins of a plain pod on one node after the other of 5,000,
// in random order, so that neither the node's row nor its name is in the nearest cache.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/bench/benchmarks.hpp"
#include "tests/bench/workload.hpp"

namespace libsched_bench {
namespace {

struct Scene {
  Cluster cluster = build_cluster(ClusterKind::kBasic, kNodes, kPodsPerNode);
  Framework framework = default_framework();
  Evaluator evaluator = make_evaluator(framework.get(), cluster.get());
  Status status = make_status();
  std::vector<uint32_t> rows;
  std::vector<std::string> texts;  // the nodes' names, each string in memory of its own
  std::vector<libsched_str> names;
};

const Scene& scene() {
  static const Scene* const made = [] {
    auto* s = new Scene;
    const libsched_view* view = libsched_cluster_view(s->cluster.get());
    for (uint32_t row = 0; row < libsched_view_row_count(view); ++row)
      if (libsched_view_node(view, row) != nullptr) s->rows.push_back(row);
    std::shuffle(s->rows.begin(), s->rows.end(), std::mt19937_64(1));
    for (const uint32_t row : s->rows) {
      const libsched_str name = libsched_node_name(libsched_view_node(view, row));
      s->texts.emplace_back(name.ptr, name.len);
    }
    for (const std::string& text : s->texts) s->names.push_back(str(text));
    return s;
  }();
  return *made;
}

void run(benchmark::State& state, const PodSpec& spec, libsched_code want, bool by_name) {
  const Scene& s = scene();
  const Pod pod = parse_pod(pod_document(spec));
  const CycleState cycle = make_cycle_state();
  libsched_error* error = nullptr;
  must("PreFilter",
       libsched_run_pre_filter_plugins(s.evaluator.get(), cycle.get(), pod.get(), nullptr,
                                       s.status.get(), &error),
       error);
  bool as_wanted = true;
  size_t i = 0;
  const libsched_str nowhere = {nullptr, 0};
  libsched_run_filter_options at = LIBSCHED_RUN_FILTER_OPTIONS_INIT;
  at.by_row = !by_name;
  for (auto _ : state) {
    if (!by_name) at.row = s.rows[i];
    const libsched_rc code =
        libsched_run_filter_plugins(s.evaluator.get(), cycle.get(), pod.get(),
                                    by_name ? s.names[i] : nowhere, &at, s.status.get(), &error);
    must("Filter", code, error);
    as_wanted &= libsched_status_code(s.status.get()) == want;
    if (++i == s.rows.size()) i = 0;
  }
  if (!as_wanted) fail("RunFilterPlugins: another verdict than expected", nullptr);
}

}  // namespace

void add_run_filter_benchmarks() {
  PodSpec fits, big;
  fits.name = "fits";
  big.name = "big";
  big.cpu = "28";  // of 27 that are left; 32 in all
  PodSpec selects = fits;
  selects.name = "selects";
  selects.more = R"(,"nodeSelector":{"disktype":"nvme"})";
  const auto add = [](const std::string& name, const PodSpec& spec, libsched_code want) {
    for (const bool by_name : {true, false})
      benchmark::RegisterBenchmark(
          ("run_filter/" + name + (by_name ? "/by name" : "/by row")).c_str(),
          [=](benchmark::State& state) { run(state, spec, want, by_name); });
  };
  add("fits", fits, LIBSCHED_CODE_SUCCESS);
  add("lacks cpu", big, LIBSCHED_CODE_UNSCHEDULABLE);
  add("other label", selects, LIBSCHED_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE);
}

}  // namespace libsched_bench
