// cycle/plain/<what>/<pod>: whole cycles on 5,000 nodes without sampling, in which every node is
// judged and scored, and the limit kernels on the same nodes; before anything is timed, both must
// have the same scores. Nothing is kept by class but in cycle/plain/kept/<pod>. cycle/<kind>/<how>:
// pods that depend on other pods, as the kinds of the upstream benchmark
// (tests/oracle/peer/objects.go); `warm`: the selector has been used before, `first touch`: it has
// not.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/bench/benchmarks.hpp"
#include "tests/bench/limit_cycle.hpp"
#include "tests/bench/workload.hpp"

namespace libsched_bench {
namespace {

struct Scene {
  Cluster cluster = build_cluster(ClusterKind::kBasic, kNodes, kPodsPerNode);
  Framework framework = default_framework();
  Evaluator evaluator = make_evaluator(framework.get(), cluster.get());
  Status status = make_status();

  Scene() { keep_classes(LIBSCHED_CLASSES_OFF); }
  void keep_classes(uint32_t when) const {
    libsched_error* error = nullptr;
    must("keep classes", libsched_evaluator_keep_classes(evaluator.get(), when, 0, &error), error);
  }
};

// Picks a node, or ends the program.
libsched_cycle_outcome run_cycle(const Scene& scene, libsched_cycle_state* state,
                                 const libsched_pod* pod) {
  libsched_cycle_outcome outcome = LIBSCHED_CYCLE_OUTCOME_INIT;
  libsched_error* error = nullptr;
  must("cycle",
       libsched_run_cycle(scene.evaluator.get(), state, pod, nullptr, &outcome, scene.status.get(),
                          &error),
       error);
  if (outcome.row == LIBSCHED_NO_ROW) fail("cycle: no node", nullptr);
  return outcome;
}

// The columns of the limit kernels, at no power-of-two distance from each other.
struct Limit {
  std::vector<double> capacity[2], used[2], pods_left, without;
  size_t words;

  explicit Limit(const libsched_view* view) {
    const size_t rows = libsched_view_row_count(view);
    words = (rows + 63) / 64;
    const auto fill = [&](std::vector<double>* out, auto amount, double padding) {
      out->resize(words * 64 + 8, padding);
      for (uint32_t row = 0; row < rows; ++row) (*out)[row] = static_cast<double>(amount(row));
    };
    const char* const names[] = {"cpu", "memory"};
    for (size_t i = 0; i < 2; ++i) {
      const libsched_str name = str(names[i]);
      fill(&capacity[i], [&](uint32_t r) { return libsched_view_allocatable(view, r, name); }, 1);
      fill(&used[i], [&](uint32_t r) { return libsched_view_requested(view, r, name); }, 0);
    }
    fill(
        &pods_left,
        [&](uint32_t r) {
          return libsched_view_allocatable(view, r, str("pods")) -
                 libsched_view_requested(view, r, str("pods"));
        },
        0);
    fill(
        &without,
        [&](uint32_t r) {
          return balance_of(used[0][r], capacity[0][r], used[1][r], capacity[1][r]);
        },
        0);
  }
  CycleLimitInput input(const libsched_pod* pod) const {
    return {{capacity[0].data(), capacity[1].data()},
            {used[0].data(), used[1].data()},
            pods_left.data(),
            without.data(),
            {static_cast<double>(libsched_pod_request(pod, str("cpu"))),
             static_cast<double>(libsched_pod_request(pod, str("memory")))},
            words};
  }
};

struct PlainScene : Scene {
  Limit limit{libsched_cluster_view(cluster.get())};
  std::vector<Pod> pods;
};

// The sums of the two plugins' scores, from the library; -1 on other rows.
std::vector<int64_t> library_scores(const PlainScene& s, const libsched_pod* pod) {
  libsched_error* error = nullptr;
  libsched_score_table* table = nullptr;
  must("table", libsched_score_table_create(&table, &error), error);
  const CycleState state = make_cycle_state();
  std::vector<uint64_t> feasible(s.limit.words);
  must("PreFilter",
       libsched_run_pre_filter_plugins(s.evaluator.get(), state.get(), pod, nullptr, s.status.get(),
                                       &error),
       error);
  must("Filter",
       libsched_filter_nodes(s.evaluator.get(), state.get(), pod, nullptr, feasible.data(),
                             feasible.size(), nullptr, nullptr, &error),
       error);
  must("PreScore",
       libsched_run_pre_score_plugins(s.evaluator.get(), state.get(), pod, feasible.data(),
                                      feasible.size(), s.status.get(), &error),
       error);
  must("Score",
       libsched_run_score_plugins(s.evaluator.get(), state.get(), pod, feasible.data(),
                                  feasible.size(), nullptr, 0, table, s.status.get(), &error),
       error);
  std::vector<int64_t> out(s.limit.words * 64, -1);
  size_t found = 0;
  for (size_t c = 0; c < libsched_score_table_column_count(table); ++c) {
    const libsched_str name = libsched_score_table_plugin(table, c);
    const std::string_view plugin(name.ptr, name.len);
    if (plugin != "NodeResourcesFit" && plugin != "NodeResourcesBalancedAllocation") continue;
    ++found;
    for (size_t i = 0; i < libsched_score_table_row_count(table); ++i) {
      int64_t& sum = out[libsched_score_table_rows(table)[i]];
      sum = std::max<int64_t>(sum, 0) + libsched_score_table_weighted(table, c)[i];
    }
  }
  libsched_score_table_unref(table);
  if (found != 2) fail("cycle: a plugin did not score", nullptr);
  return out;
}

void check(const PlainScene& s, const libsched_pod* pod) {
  const std::vector<int64_t> want = library_scores(s, pod);
  size_t best = 0;
  for (size_t r = 0; r < want.size(); ++r)
    if (want[r] > want[best]) best = r;
  for (const NamedCycleLimitKernel& kernel : cycle_limit_kernels()) {
    std::vector<uint64_t> feasible(s.limit.words);
    std::vector<uint8_t> totals(s.limit.words * 64);
    const CycleLimitAnswer answer = kernel.run(s.limit.input(pod), feasible.data(), totals.data());
    bool same = answer.row == best && answer.total == want[best];
    for (size_t r = 0; r < want.size(); ++r) {
      const bool fits = (feasible[r / 64] >> (r % 64) & 1) != 0;
      same &= fits ? totals[r] == want[r] : want[r] == -1;
    }
    if (!same)
      fail(std::string("the limit kernel ") + kernel.name + " and the library differ", nullptr);
  }
}

const PlainScene& plain() {
  static const auto made = [] {
    auto s = std::make_unique<PlainScene>();
    for (const PodSpec& spec : plain_pods()) {
      s->pods.push_back(parse_pod(pod_document(spec)));
      check(*s, s->pods.back().get());
    }
    return s;
  }();
  return *made;
}

void add_plain() {
  for (size_t i = 0; i < plain_pods().size(); ++i) {
    const std::string number = (i < 10 ? "/0" : "/") + std::to_string(i);
    for (const NamedCycleLimitKernel& kernel : cycle_limit_kernels())
      benchmark::RegisterBenchmark(
          ("cycle/plain/limit-" + std::string(kernel.name) + number).c_str(),
          [=](benchmark::State& state) {
            const PlainScene& s = plain();
            const CycleLimitInput input = s.limit.input(s.pods[i].get());
            std::vector<uint64_t> feasible(s.limit.words);
            std::vector<uint8_t> totals(s.limit.words * 64);
            for (auto _ : state)
              benchmark::DoNotOptimize(kernel.run(input, feasible.data(), totals.data()));
          });
    for (const bool kept : {false, true})
      benchmark::RegisterBenchmark(
          ((kept ? "cycle/plain/kept" : "cycle/plain/run_cycle") + number).c_str(),
          [=](benchmark::State& state) {
            const PlainScene& s = plain();
            s.keep_classes(kept ? LIBSCHED_CLASSES_AUTO : LIBSCHED_CLASSES_OFF);
            for (auto _ : state) {
              const CycleState cycle = make_cycle_state();
              run_cycle(s, cycle.get(), s.pods[i].get());
            }
          });
  }
}

const Scene& others() {
  static const Scene scene;
  return scene;
}

// The pod of a kind. `fresh`: a value that no pod has, which makes the selector new without
// changing the selected pods; empty: none.
std::string kind_document(const std::string& kind, const std::string& fresh) {
  const std::string host = "kubernetes.io/hostname", zone = "topology.kubernetes.io/zone";
  const auto selector = [&](const std::string& app) {
    if (fresh.empty()) return R"("labelSelector":{"matchLabels":{"app":")" + app + "\"}}";
    return R"("labelSelector":{"matchExpressions":[{"key":"app","operator":"In","values":[")" +
           app + "\",\"" + fresh + "\"]}]}";
  };
  const auto spread = [&](const std::string& key, const char* when, const std::string& app) {
    return R"({"maxSkew":1,"topologyKey":")" + key + R"(","whenUnsatisfiable":")" + when + "\"," +
           selector(app) + "}";
  };
  const auto term = [&](const std::string& app, const std::string& key) {
    return "{" + selector(app) + R"(,"topologyKey":")" + key + "\"}";
  };
  const auto affinity = [&](const char* which, bool required, const std::string& wanted) {
    return std::string(",\"affinity\":{\"") + which + "\":{\"" +
           (required ? "required" : "preferred") + "DuringSchedulingIgnoredDuringExecution\":[" +
           (required ? wanted : R"({"weight":50,"podAffinityTerm":)" + wanted + "}") + "]}}";
  };
  PodSpec pod;
  pod.name = "new-0";
  const auto constraints = [&](const std::string& list) {
    return ",\"topologySpreadConstraints\":[" + list + "]";
  };
  const char *hard = "DoNotSchedule", *soft = "ScheduleAnyway";
  if (kind == "spread") {
    pod.more = constraints(spread(zone, hard, "new") + "," + spread(host, soft, "new"));
  } else if (kind == "spread-hard" || kind == "spread-soft") {
    const char* when = kind == "spread-hard" ? hard : soft;
    pod.app = "app-3";
    pod.more = constraints(spread(zone, when, "app-3") + "," + spread(host, when, "app-3"));
  } else if (kind == "affinity-pref") {
    pod.more = affinity("podAffinity", false, term("app-3", host));
  } else if (kind == "affinity-req") {
    pod.more = affinity("podAffinity", true, term("app-3", zone));
  } else if (kind == "anti-pref") {
    pod.more = affinity("podAntiAffinity", false, term("new", host));
  } else {
    pod.more = affinity("podAntiAffinity", true, term("new", host));
  }
  return pod_document(pod);
}

void warm(benchmark::State& state, const std::string& kind) {
  const Scene& s = others();
  const Pod pod = parse_pod(kind_document(kind, ""));
  libsched_cycle_outcome outcome = LIBSCHED_CYCLE_OUTCOME_INIT;
  for (auto _ : state) {
    const CycleState cycle = make_cycle_state();
    outcome = run_cycle(s, cycle.get(), pod.get());
  }
  state.counters["feasible"] = static_cast<double>(outcome.feasible);
}

void first_touch(benchmark::State& state, const std::string& kind) {
  const Scene& s = others();
  static size_t number = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const Pod pod = parse_pod(kind_document(kind, "other-" + std::to_string(number++)));
    state.ResumeTiming();
    const CycleState cycle = make_cycle_state();
    run_cycle(s, cycle.get(), pod.get());
  }
}

}  // namespace

void add_cycle_benchmarks() {
  add_plain();
  for (const char* kind : {"spread", "spread-hard", "spread-soft", "affinity-pref", "affinity-req",
                           "anti-pref", "anti-req"}) {
    const std::string name = std::string("cycle/") + kind;
    benchmark::RegisterBenchmark((name + "/warm").c_str(),
                                 [=](benchmark::State& state) { warm(state, kind); });
    // Each iteration leaves a table behind.
    benchmark::RegisterBenchmark((name + "/first touch").c_str(), [=](benchmark::State& state) {
      first_touch(state, kind);
    })->Iterations(5);
  }
}

}  // namespace libsched_bench
