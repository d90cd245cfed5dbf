// plugin/<what>/<how>: the cost of a plugin in C over 5,000 nodes. `call` runs a framework with
// it, `without` a framework without the plugin, and `bare` does the plugin's own work
// in a loop; call - without - bare is the library's share.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/bench/benchmarks.hpp"
#include "tests/bench/workload.hpp"

namespace libsched_bench {
namespace {

// Half of the rows, in no pattern that a processor could guess.
bool rejects(uint32_t row) { return ((row * 2654435761u) >> 16 & 1) != 0; }

// The plugin only copies prepared answers, so that the library's share is visible.
struct Prepared {
  std::vector<int8_t> codes;
  std::vector<uint16_t> reasons;
  Prepared() {
    for (uint32_t row = 0; row < kNodes; ++row) {
      codes.push_back(rejects(row) ? LIBSCHED_CODE_UNSCHEDULABLE : LIBSCHED_CODE_SUCCESS);
      reasons.push_back(rejects(row) ? 1 : 0);
    }
  }
};

void reject_half(size_t count, int8_t* codes, uint16_t* reasons) {
  static const Prepared prepared;
  if (count != kNodes) fail("plugin: a batch is not of all nodes", nullptr);
  std::copy(prepared.codes.begin(), prepared.codes.end(), codes);
  std::copy(prepared.reasons.begin(), prepared.reasons.end(), reasons);
}

void score_rows(const uint32_t* rows, size_t count, int64_t* scores) {
  for (size_t i = 0; i < count; ++i) scores[i] = rows[i] % 101;
}

libsched_code batch_empty(void*, const libsched_cycle_state*, const libsched_pod*,
                          const libsched_node_set*, int8_t*, uint16_t*, libsched_status*) {
  return LIBSCHED_CODE_SUCCESS;
}
libsched_code batch_half(void*, const libsched_cycle_state*, const libsched_pod*,
                         const libsched_node_set* nodes, int8_t* codes, uint16_t* reasons,
                         libsched_status*) {
  reject_half(libsched_node_set_count(nodes), codes, reasons);
  return LIBSCHED_CODE_SUCCESS;
}
libsched_code each_empty(void*, const libsched_cycle_state*, const libsched_pod*,
                         const libsched_node_info*, libsched_status*) {
  return LIBSCHED_CODE_SUCCESS;
}
libsched_code each_half(void*, const libsched_cycle_state*, const libsched_pod*,
                        const libsched_node_info* node, libsched_status* status) {
  if (!rejects(libsched_node_info_row(node))) return LIBSCHED_CODE_SUCCESS;
  libsched_status_add_reason(status, LIBSCHED_STR("node(s) were not wanted"));
  return LIBSCHED_CODE_UNSCHEDULABLE;
}
libsched_code batch_score(void*, const libsched_cycle_state*, const libsched_pod*,
                          const libsched_node_set* nodes, int64_t* scores, libsched_status*) {
  score_rows(libsched_node_set_rows(nodes), libsched_node_set_count(nodes), scores);
  return LIBSCHED_CODE_SUCCESS;
}
libsched_code each_score(void*, const libsched_cycle_state*, const libsched_pod*,
                         const libsched_node_info* node, int64_t* score, libsched_status*) {
  *score = libsched_node_info_row(node) % 101;
  return LIBSCHED_CODE_SUCCESS;
}

constexpr char kReasonTexts[2][24] = {"node(s) were unlucky", "node(s) were not wanted"};
const libsched_str kReasons[] = {str(kReasonTexts[0]), str(kReasonTexts[1])};

// Only the plugin, or nothing, decides.
Framework framework_of(const libsched_plugin* plugin) {
  const std::string both = plugin == nullptr ? "[]" : "[{name: Bench}]";
  const bool scores =
      plugin != nullptr && (plugin->score != nullptr || plugin->score_batch != nullptr);
  const std::string document =
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
      "profiles: [{plugins: {multiPoint: {disabled: [{name: \"*\"}]}, queueSort: {enabled: "
      "[{name: PrioritySort}]}, bind: {enabled: [{name: DefaultBinder}]}, " +
      std::string(scores ? "score" : "filter") + ": {enabled: " + both + "}}}]";
  libsched_config* config = nullptr;
  libsched_registry* registry = nullptr;
  libsched_framework* framework = nullptr;
  libsched_error* error = nullptr;
  must("config", libsched_config_parse(str(document), nullptr, &config, &error), error);
  must("registry", libsched_registry_create(&registry, &error), error);
  if (plugin != nullptr)
    must("plugin", libsched_registry_add(registry, plugin, nullptr, &error), error);
  must("framework",
       libsched_framework_create(config, str(""), registry, nullptr, &framework, &error), error);
  libsched_registry_unref(registry);
  libsched_config_unref(config);
  return Framework(framework);
}

struct Scene {
  explicit Scene(const libsched_plugin* plugin) : framework(framework_of(plugin)) {
    evaluator = make_evaluator(framework.get(), cluster().get());
    libsched_error* error = nullptr;
    must("PreFilter",
         libsched_run_pre_filter_plugins(evaluator.get(), state.get(), pod.get(), nullptr,
                                         status.get(), &error),
         error);
    const libsched_view* view = libsched_cluster_view(cluster().get());
    words = (libsched_view_row_count(view) + 63) / 64;
    feasible.resize(words);
    totals.resize(words * 64);
    filter();
  }
  static const Cluster& cluster() {
    static const Cluster made = build_cluster(ClusterKind::kBasic, kNodes, kPodsPerNode);
    return made;
  }
  size_t filter() {
    libsched_error* error = nullptr;
    size_t count = 0;
    must("Filter",
         libsched_filter_nodes(evaluator.get(), state.get(), pod.get(), nullptr, feasible.data(),
                               words, &count, nullptr, &error),
         error);
    return count;
  }
  void score() {
    libsched_error* error = nullptr;
    must("Score",
         libsched_run_score_plugins(evaluator.get(), state.get(), pod.get(), feasible.data(), words,
                                    totals.data(), totals.size(), nullptr, status.get(), &error),
         error);
    if (libsched_status_code(status.get()) != LIBSCHED_CODE_SUCCESS) fail("Score", nullptr);
  }

  Framework framework;
  Evaluator evaluator;
  Pod pod = parse_pod(pod_document(plain_pods()[0]));
  CycleState state = make_cycle_state();
  Status status = make_status();
  size_t words = 0;
  std::vector<uint64_t> feasible;
  std::vector<int64_t> totals;
};

void add_filter(const std::string& name, decltype(libsched_plugin::filter) filter,
                decltype(libsched_plugin::filter_batch) batch, size_t want) {
  benchmark::RegisterBenchmark(("plugin/" + name + "/call").c_str(), [=](benchmark::State& state) {
    libsched_plugin p = LIBSCHED_PLUGIN_INIT;
    p.name = str("Bench");
    p.flags = LIBSCHED_PLUGIN_CONCURRENT;
    p.filter = filter;
    p.filter_batch = batch;
    p.reasons = kReasons;
    p.reason_count = 2;
    Scene scene(&p);
    size_t count = 0;
    for (auto _ : state) count = scene.filter();
    // The rejected half has some thousand nodes, always the same.
    if (want != 0 ? count != want : count < kNodes / 3 || count > kNodes * 2 / 3)
      fail("plugin: another number of nodes than expected", nullptr);
  });
}

void add_score(const std::string& name, decltype(libsched_plugin::score) score,
               decltype(libsched_plugin::score_batch) batch) {
  benchmark::RegisterBenchmark(("plugin/" + name + "/call").c_str(), [=](benchmark::State& state) {
    libsched_plugin p = LIBSCHED_PLUGIN_INIT;
    p.name = str("Bench");
    p.flags = LIBSCHED_PLUGIN_CONCURRENT;
    p.score = score;
    p.score_batch = batch;
    Scene scene(&p);
    for (auto _ : state) scene.score();
    if (scene.totals[7] != 7) fail("plugin: another score than expected", nullptr);
  });
}

void add_bare(const std::string& name, bool scores, bool half) {
  benchmark::RegisterBenchmark(("plugin/" + name + "/bare").c_str(), [=](benchmark::State& state) {
    std::vector<uint32_t> rows(kNodes);
    for (uint32_t i = 0; i < kNodes; ++i) rows[i] = i;
    std::vector<int8_t> codes(kNodes);
    std::vector<uint16_t> reasons(kNodes);
    std::vector<int64_t> numbers(kNodes);
    for (auto _ : state) {
      if (scores)
        score_rows(rows.data(), kNodes, numbers.data());
      else if (half)
        reject_half(kNodes, codes.data(), reasons.data());
      benchmark::DoNotOptimize(codes.data());
      benchmark::DoNotOptimize(numbers.data());
      benchmark::ClobberMemory();
    }
  });
  benchmark::RegisterBenchmark(("plugin/" + name + "/without").c_str(),
                               [=](benchmark::State& state) {
                                 Scene scene(nullptr);
                                 for (auto _ : state)
                                   if (scores)
                                     scene.score();
                                   else
                                     scene.filter();
                               });
}

}  // namespace

void add_plugin_benchmarks() {
  add_filter("filter_batch, accepts all", nullptr, batch_empty, kNodes);
  add_bare("filter_batch, accepts all", false, false);
  add_filter("filter_batch, rejects half", nullptr, batch_half, 0);
  add_bare("filter_batch, rejects half", false, true);
  add_filter("filter, accepts all", each_empty, nullptr, kNodes);
  add_bare("filter, accepts all", false, false);
  add_filter("filter, rejects half", each_half, nullptr, 0);
  add_bare("filter, rejects half", false, true);
  add_score("score_batch", nullptr, batch_score);
  add_bare("score_batch", true, false);
  add_score("score", each_score, nullptr);
  add_bare("score", true, false);
}

}  // namespace libsched_bench
