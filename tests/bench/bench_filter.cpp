// filter/<set>/<what>/<pod>: judges every node of 5,000 for one pod, and keeps only PreFilter's
// results from the previous call. The limit kernels run on the same nodes, pods
// and bitmaps; before anything is timed, both must have the same answer.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "tests/bench/benchmarks.hpp"
#include "tests/bench/limit_kernels.hpp"
#include "tests/bench/workload.hpp"

namespace libsched_bench {
namespace {

constexpr size_t kAlignment = 64;

// A column of the limit kernel: aligned, and at no power-of-two distance from the next.
class LimitColumn {
 public:
  LimitColumn(size_t rows, int64_t padding)
      : values_(static_cast<int64_t*>(
            std::aligned_alloc(kAlignment, rows * sizeof(int64_t) + 3 * kAlignment))) {
    std::fill_n(values_.get(), rows, padding);
  }
  int64_t* data() const { return values_.get(); }

 private:
  struct Free {
    void operator()(int64_t* p) const { std::free(p); }
  };
  std::unique_ptr<int64_t, Free> values_;
};

// A pod with its prepared cycle state and with the same question for the limit kernels.
struct Probe {
  Pod pod;
  CycleState state;
  std::vector<uint64_t> untainted, label_a, label_b;
  LimitInput limit;
};

struct Scene {
  Cluster cluster;
  Framework framework;
  Evaluator evaluator;
  Status status;
  std::vector<LimitColumn> left;  // cpu, memory, pods
  std::vector<Probe> probes;
  size_t words = 0;
};

void pre_filter(const Scene& scene, libsched_cycle_state* state, const libsched_pod* pod) {
  libsched_error* error = nullptr;
  must("PreFilter",
       libsched_run_pre_filter_plugins(scene.evaluator.get(), state, pod, nullptr,
                                       scene.status.get(), &error),
       error);
  if (libsched_status_code(scene.status.get()) != LIBSCHED_CODE_SUCCESS) fail("PreFilter", nullptr);
}

// Sets bits in the `words` words of `feasible` and returns their number.
size_t filter_nodes(const Scene& scene, const Probe& probe, uint64_t* feasible) {
  libsched_error* error = nullptr;
  size_t count = 0;
  must("Filter",
       libsched_filter_nodes(scene.evaluator.get(), probe.state.get(), probe.pod.get(), nullptr,
                             feasible, scene.words, &count, nullptr, &error),
       error);
  return count;
}

const libsched_view* view_of(const Scene& scene) {
  return libsched_cluster_view(scene.cluster.get());
}

// The rows with one of `values` under `key`; no values: any; no key: all rows with a node.
std::vector<uint64_t> rows_with(const Scene& scene, const std::string& key,
                                const std::vector<std::string>& values) {
  std::vector<uint64_t> out(scene.words, 0);
  const libsched_view* view = view_of(scene);
  for (uint32_t row = 0; row < libsched_view_row_count(view); ++row) {
    const libsched_node* node = libsched_view_node(view, row);
    libsched_str value;
    if (node == nullptr || (!key.empty() && !libsched_node_label(node, str(key), &value))) continue;
    if (key.empty() || values.empty() ||
        std::find(values.begin(), values.end(), std::string(value.ptr, value.len)) != values.end())
      out[row / 64] |= uint64_t{1} << (row % 64);
  }
  return out;
}

// The labels requested by a set's pods, for the kernels; empty key: every node.
struct Labels {
  std::string key;
  std::vector<std::string> values;
};

struct Case {
  PodSpec spec;
  Labels a, b;
};

// The rows that the benchmark's tolerations admit: the even keys have NoSchedule taints, of which
// the values 0 and 2 are tolerated, but not 1.
std::vector<uint64_t> untainted_rows(const Scene& scene) {
  std::vector<uint64_t> out = rows_with(scene, "", {});
  const libsched_view* view = view_of(scene);
  for (uint32_t row = 0; row < libsched_view_row_count(view); ++row) {
    const libsched_node* node = libsched_view_node(view, row);
    libsched_str key, value, effect;
    for (size_t t = 0; node != nullptr && libsched_node_taint(node, t, &key, &value, &effect); ++t)
      if (std::string_view(effect.ptr, effect.len) == "NoSchedule" &&
          std::string_view(value.ptr, value.len) == "1")
        out[row / 64] &= ~(uint64_t{1} << (row % 64));
  }
  return out;
}

void make_limit(Scene* scene, const Case& question, Probe* probe) {
  probe->untainted = untainted_rows(*scene);
  probe->label_a = rows_with(*scene, question.a.key, question.a.values);
  probe->label_b = rows_with(*scene, question.b.key, question.b.values);
  const libsched_pod* pod = probe->pod.get();
  probe->limit = {
      probe->untainted.data(),
      probe->label_a.data(),
      probe->label_b.data(),
      {scene->left[0].data(), scene->left[1].data(), scene->left[2].data()},
      {libsched_pod_request(pod, str("cpu")), libsched_pod_request(pod, str("memory")), 1},
      scene->words};
}

// Ends the program unless the library and every kernel have the same answer.
void check(const Scene& scene, const Probe& probe) {
  std::vector<uint64_t> want(scene.words), got(scene.words);
  filter_nodes(scene, probe, want.data());
  for (const NamedLimitKernel& kernel : limit_kernels()) {
    kernel.run(probe.limit, got.data());
    if (got != want)
      fail(std::string("the limit kernel ") + kernel.name + " and the library differ", nullptr);
  }
}

std::unique_ptr<Scene> make_scene(ClusterKind kind, const std::vector<Case>& cases) {
  auto scene = std::make_unique<Scene>();
  scene->cluster = build_cluster(kind, kNodes, kPodsPerNode);
  scene->framework = default_framework();
  scene->evaluator = make_evaluator(scene->framework.get(), scene->cluster.get());
  scene->status = make_status();
  const libsched_view* view = view_of(*scene);
  const size_t rows = libsched_view_row_count(view);
  scene->words = (rows + 63) / 64;
  for (const char* resource : {"cpu", "memory", "pods"}) {
    const LimitColumn& column = scene->left.emplace_back(scene->words * 64, -1);
    for (uint32_t row = 0; row < rows; ++row)
      column.data()[row] = libsched_view_allocatable(view, row, str(resource)) -
                           libsched_view_requested(view, row, str(resource));
  }
  for (const Case& question : cases) {
    Probe& probe = scene->probes.emplace_back();
    probe.pod = parse_pod(pod_document(question.spec));
    probe.state = make_cycle_state();
    pre_filter(*scene, probe.state.get(), probe.pod.get());
    make_limit(scene.get(), question, &probe);
    check(*scene, probe);
  }
  return scene;
}

using SceneOf = const Scene& (*)();

std::vector<Case> unlabelled(const std::vector<PodSpec>& specs) {
  std::vector<Case> out;
  for (const PodSpec& spec : specs) out.push_back({spec, {}, {}});
  return out;
}

const Scene& plain() {
  static const auto scene = make_scene(ClusterKind::kBasic, unlabelled(plain_pods()));
  return *scene;
}

const Scene& taints() {
  static const auto scene = make_scene(ClusterKind::kTainted, unlabelled(tolerating_pods()));
  return *scene;
}

const Scene& selectors() {
  static const auto scene = [] {
    std::vector<Case> cases;
    for (const SelectingPod& pod : selecting_pods())
      cases.push_back({pod.spec,
                       {pod.labels[0].first, {pod.labels[0].second}},
                       {pod.labels[1].first, {pod.labels[1].second}}});
    return make_scene(ClusterKind::kTainted, cases);
  }();
  return *scene;
}

const Scene& affinity() {
  static const auto scene = [] {
    std::vector<Case> cases;
    for (const PodSpec& spec : affine_pods())
      cases.push_back(
          {spec,
           {"topology.kubernetes.io/zone", {"zone-1", "zone-2", "zone-3", "zone-4", "zone-5"}},
           {"disktype", {}}});
    return make_scene(ClusterKind::kBasic, cases);
  }();
  return *scene;
}

void add_set(const std::string& name, SceneOf scene, size_t pods) {
  const auto add = [&](const std::string& what, size_t pod, auto run) {
    const std::string number = (pod < 10 ? "0" : "") + std::to_string(pod);
    benchmark::RegisterBenchmark(("filter/" + name + "/" + what + "/" + number).c_str(), run);
  };
  for (size_t i = 0; i < pods; ++i) {
    for (const NamedLimitKernel& kernel : limit_kernels())
      add(std::string("limit-") + kernel.name, i, [=](benchmark::State& state) {
        const Scene& s = scene();
        std::vector<uint64_t> out(s.words);
        for (auto _ : state) {
          kernel.run(s.probes[i].limit, out.data());
          benchmark::DoNotOptimize(out.data());
          benchmark::ClobberMemory();
        }
      });
    add("filter_nodes", i, [=](benchmark::State& state) {
      const Scene& s = scene();
      std::vector<uint64_t> out(s.words);
      size_t count = 0;
      for (auto _ : state) count = filter_nodes(s, s.probes[i], out.data());
      state.counters["feasible"] = static_cast<double>(count);
    });
    add("pre_filter+filter_nodes", i, [=](benchmark::State& state) {
      const Scene& s = scene();
      const Probe& probe = s.probes[i];
      std::vector<uint64_t> out(s.words);
      libsched_error* error = nullptr;
      for (auto _ : state) {
        const CycleState cycle = make_cycle_state();
        pre_filter(s, cycle.get(), probe.pod.get());
        must("Filter",
             libsched_filter_nodes(s.evaluator.get(), cycle.get(), probe.pod.get(), nullptr,
                                   out.data(), s.words, nullptr, nullptr, &error),
             error);
      }
    });
    add("check_pod_fits", i, [=](benchmark::State& state) {
      const Scene& s = scene();
      libsched_error* error = nullptr;
      for (auto _ : state) {
        libsched_decision* out = nullptr;
        must("check",
             libsched_check_pod_fits(s.evaluator.get(), s.probes[i].pod.get(), LIBSCHED_ANY_NODE,
                                     nullptr, &out, &error),
             error);
        libsched_decision_unref(out);
      }
    });
  }
}

}  // namespace

void add_filter_benchmarks() {
  add_set("plain", plain, plain_pods().size());
  add_set("taints", taints, tolerating_pods().size());
  add_set("selectors", selectors, selecting_pods().size());
  add_set("affinity", affinity, affine_pods().size());
}

}  // namespace libsched_bench
