// place/<nodes>/<pods>: 1,000 pods placed one after the other on a cluster in a fork, which is
// reverted: equal ones, mixed ones of 24 shapes, and equal ones of a size that no node has.
// place/<nodes>/10000 pods of <n> shapes: with answers kept by class, and without. And
// sign/<nodes>/<pods>: the signatures of equal pods. And capacity/<nodes>/<pods>: so many equal pods
// counted.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/bench/benchmarks.hpp"
#include "tests/bench/workload.hpp"

namespace libsched_bench {
namespace {

constexpr size_t kPods = 1000;

struct Scene {
  Cluster cluster = build_cluster(ClusterKind::kBasic, kNodes, kPodsPerNode);
  Framework framework = default_framework();
  Evaluator evaluator = make_evaluator(framework.get(), cluster.get());
};
Scene& scene() {
  static const auto made = std::make_unique<Scene>();
  return *made;
}

std::vector<Pod> pods_of(const std::vector<PodSpec>& shapes, size_t count = kPods) {
  std::vector<Pod> out;
  for (size_t i = 0; i < count; ++i) {
    PodSpec spec = shapes[i % shapes.size()];
    spec.name = "new-" + std::to_string(i);
    out.push_back(parse_pod(pod_document(spec)));
  }
  return out;
}

std::vector<PodSpec> shapes_of(size_t count) {
  std::vector<PodSpec> out;
  for (size_t i = 0; i < count; ++i) {
    out.push_back(plain_pods()[i % plain_pods().size()]);
    out.back().memory = std::to_string(64 + i) + "Mi";
  }
  return out;
}

// The shapes one after the other, again and again.
void place(benchmark::State& state, const std::vector<PodSpec>& shapes, uint32_t outcome,
           size_t count = kPods, uint32_t keep = LIBSCHED_CLASSES_AUTO) {
  Scene& s = scene();
  const std::vector<Pod> pods = pods_of(shapes, count);
  std::vector<const libsched_pod*> given;
  for (const Pod& pod : pods) given.push_back(pod.get());
  libsched_evaluator* const evaluator = s.evaluator.get();
  libsched_error* error = nullptr;
  must("keep classes", libsched_evaluator_keep_classes(evaluator, keep, 0, &error), error);
  struct Told {
    uint32_t outcome;
    size_t pods = 0;
  };
  const auto placed = [](void* told, const libsched_placement* placement) {
    Told& t = *static_cast<Told*>(told);
    if (placement->outcome != t.outcome) fail("place: another outcome", nullptr);
    t.pods += placement->count;
    return true;
  };
  for (auto _ : state) {
    Told told{outcome};
    must("fork", libsched_cluster_fork(s.cluster.get(), &error), error);
    must("schedule",
         libsched_schedule(&evaluator, 1, given.data(), nullptr, given.size(), nullptr, placed,
                           &told, &error),
         error);
    must("revert", libsched_cluster_revert(s.cluster.get(), &error), error);
    if (told.pods != count) fail("place: pods are missing", nullptr);
  }
  state.counters["pods"] = static_cast<double>(count);
}

// With default spread constraints no pod is signed.
Framework signing_framework() {
  libsched_error* error = nullptr;
  libsched_config* config = nullptr;
  must("parse configuration",
       libsched_config_parse(
           str("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
               "profiles: [{pluginConfig: [{name: PodTopologySpread, args: "
               "{defaultingType: List}}]}]"),
           nullptr, &config, &error),
       error);
  libsched_framework* out = nullptr;
  must("create framework",
       libsched_framework_create(config, str(""), nullptr, nullptr, &out, &error), error);
  libsched_config_unref(config);
  return Framework(out);
}

void sign(benchmark::State& state) {
  Scene& s = scene();
  const Framework framework = signing_framework();
  const Evaluator evaluator = make_evaluator(framework.get(), s.cluster.get());
  const std::vector<Pod> pods = pods_of({plain_pods()[1]});
  libsched_error* error = nullptr;
  for (auto _ : state)
    for (const Pod& pod : pods) {
      libsched_text* text = nullptr;
      must("sign", libsched_sign_pod(evaluator.get(), pod.get(), &text, &error), error);
      if (libsched_text_get(text).len == 0) fail("sign: no signature", nullptr);
      libsched_text_unref(text);
    }
  state.counters["pods"] = kPods;
}

void count(benchmark::State& state) {
  Scene& s = scene();
  constexpr size_t kCounted = 10 * kPods;
  const Pod pod = parse_pod(pod_document(plain_pods()[0]));
  const libsched_pod* const given = pod.get();
  libsched_evaluator* const evaluator = s.evaluator.get();
  libsched_error* error = nullptr;
  must("keep classes",
       libsched_evaluator_keep_classes(evaluator, LIBSCHED_CLASSES_AUTO, 0, &error), error);
  libsched_capacity_options options = LIBSCHED_CAPACITY_OPTIONS_INIT;
  options.max = kCounted;
  for (auto _ : state) {
    libsched_capacity* capacity = nullptr;
    must("count",
         libsched_count_capacity(&evaluator, 1, &given, 1, &options, &capacity, &error), error);
    if (libsched_capacity_count(capacity) != kCounted) fail("capacity: pods are missing", nullptr);
    libsched_capacity_unref(capacity);
  }
  state.counters["pods"] = kCounted;
}

}  // namespace

void add_place_benchmarks() {
  const std::string group = "place/" + std::to_string(kNodes);
  const auto add = [&](const char* name, const std::vector<PodSpec>& shapes, uint32_t outcome) {
    benchmark::RegisterBenchmark((group + name).c_str(),
                                 [=](benchmark::State& state) { place(state, shapes, outcome); });
  };
  PodSpec large;
  large.cpu = "1000";
  add("/1000 equal pods", {plain_pods()[0]}, LIBSCHED_OUTCOME_PLACED);
  add("/1000 mixed pods", plain_pods(), LIBSCHED_OUTCOME_PLACED);
  add("/1000 equal pods that fit nowhere", {large}, LIBSCHED_OUTCOME_UNSCHEDULABLE);
  for (const size_t shapes : {1, 10, 100})
    for (const bool kept : {true, false})
      benchmark::RegisterBenchmark((group + "/10000 pods of " + std::to_string(shapes) + " shapes" +
                                    (kept ? "" : ", nothing kept"))
                                       .c_str(),
                                   [=](benchmark::State& state) {
                                     place(state, shapes_of(shapes), LIBSCHED_OUTCOME_PLACED,
                                           10 * kPods,
                                           kept ? LIBSCHED_CLASSES_AUTO : LIBSCHED_CLASSES_OFF);
                                   });
  benchmark::RegisterBenchmark(("sign/" + std::to_string(kNodes) + "/1000 equal pods").c_str(),
                               sign);
  benchmark::RegisterBenchmark(
      ("capacity/" + std::to_string(kNodes) + "/10000 equal pods").c_str(), count);
}

}  // namespace libsched_bench
