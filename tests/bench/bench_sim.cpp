// sim/c/...: an autoscaler's questions to a simulated cluster, as upstream's benchmark asks them
// (tests/oracle/peer/simulate.go, autoscaler.go): what-ifs in forks, searches that find nothing,
// packing pods onto new nodes, and emptying nodes. peak/<nodes>/<pods>: the peak of memory, each in
// a process of its own.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/benchmarks.hpp"
#include "tests/bench/scale_pods.hpp"

namespace libsched_bench {
namespace {

using Catalog = Handle<libsched_catalog, libsched_catalog_unref>;
using Sim = Handle<libsched_sim, libsched_sim_unref>;

Catalog make_catalog() {
  libsched_catalog* out = nullptr;
  libsched_error* error = nullptr;
  must("catalog", libsched_catalog_create(&out, &error), error);
  return Catalog(out);
}

// A simulated cluster with its catalog.
struct World {
  Catalog catalog = make_catalog();
  Framework framework = default_framework();
  Sim sim = make();
  std::vector<uint64_t> nodes;  // ids, in order
  std::vector<uint64_t> pods;   // ids, in the order of reset()

  Sim make() const {
    libsched_sim* out = nullptr;
    libsched_error* error = nullptr;
    must("sim", libsched_sim_create(framework.get(), catalog.get(), &out, &error), error);
    return Sim(out);
  }
  uint64_t pod_ref(const std::string& document) const {
    libsched_catalog_options options = LIBSCHED_CATALOG_OPTIONS_INIT;
    options.placed = true;
    const libsched_str text = str(document);
    uint64_t ref = 0;
    libsched_error* error = nullptr;
    must("pod", libsched_catalog_add_pods(catalog.get(), &text, 1, &options, &ref, &error), error);
    return ref;
  }
  uint64_t node_ref(const std::string& document) const {
    const libsched_str text = str(document);
    uint64_t ref = 0;
    libsched_error* error = nullptr;
    must("node", libsched_catalog_add_nodes(catalog.get(), &text, 1, nullptr, &ref, &error), error);
    return ref;
  }
  // Node i is node(i), pod k is refs[k] on node on[k].
  template <class NodeOf>
  void reset(size_t count, NodeOf node, const std::vector<uint64_t>& refs,
             const std::vector<uint32_t>& on) {
    std::vector<uint64_t> shapes;
    std::vector<std::string> texts;
    for (size_t i = 0; i < count; ++i) {
      shapes.push_back(node_ref(node(i)));
      char name[32];
      std::snprintf(name, sizeof name, "node-%05zu", i);
      texts.emplace_back(name);
    }
    std::vector<libsched_str> names;
    for (const std::string& text : texts) names.push_back(str(text));
    nodes.resize(count);
    pods.resize(refs.size());
    libsched_error* error = nullptr;
    must("reset",
         libsched_sim_reset(sim.get(), shapes.data(), names.data(), count, refs.data(), on.data(),
                            refs.size(), nodes.data(), pods.data(), &error),
         error);
  }
  void fork() {
    libsched_error* error = nullptr;
    must("fork", libsched_sim_fork(sim.get(), &error), error);
  }
  void revert() {
    libsched_error* error = nullptr;
    must("revert", libsched_sim_revert(sim.get(), &error), error);
  }
};

// The cluster of the other benchmarks: pod i is of app i % 20 and on node i % nodes.
void fill(World* world, size_t nodes, size_t pods) {
  std::vector<uint64_t> apps, refs;
  std::vector<uint32_t> on;
  for (size_t app = 0; app < 20; ++app)
    apps.push_back(world->pod_ref(existing_pod_document(app, nodes)));
  for (size_t i = 0; i < pods; ++i) {
    refs.push_back(apps[i % 20]);
    on.push_back(static_cast<uint32_t>(i % nodes));
  }
  world->reset(nodes, [](size_t i) { return node_document(ClusterKind::kBasic, i); }, refs, on);
}

// Asks about pods that keep apart from those of each app by hostname.
void ask_selectors(World* world) {
  PodSpec pod = scale_pod("anti-app", "40");
  const std::string kApp = "app-3", alike = pod.more;
  for (size_t app = 0; app < 20; ++app) {
    pod.more = alike;
    pod.more.replace(pod.more.find(kApp), kApp.size(), "app-" + std::to_string(app));
    libsched_sim_hit hit{};
    libsched_sim_verdict verdict{};
    libsched_error* error = nullptr;
    must("first",
         libsched_sim_first(world->sim.get(), world->pod_ref(pod_document(pod)), nullptr, &hit,
                            &verdict, &error),
         error);
  }
}

// Two clusters of this size: of one, selectors have been asked for, which adds to the cost of its
// changes. The repetitions of all benchmarks come in a random order, so each uses only one.
World& world(size_t nodes, bool selectors) {
  static std::map<std::pair<size_t, bool>, std::unique_ptr<World>> made;
  auto& w = made[{nodes, selectors}];
  if (!w) {
    w = std::make_unique<World>();
    fill(w.get(), nodes, nodes * kPodsPerNode);
    if (selectors) ask_selectors(w.get());
  }
  return *w;
}

// `changing`: a pod comes to a node before each search, in a fork, and leaves after it; otherwise
// the cluster stays as it is, and so may answers about it.
void nothing_fits(benchmark::State& state, size_t nodes, const std::string& kind, bool changing) {
  World& w = world(nodes, kind != "basic");
  const uint64_t pod = w.pod_ref(pod_document(scale_pod(kind, "40")));  // of 32
  const uint64_t other = w.pod_ref(existing_pod_document(1, nodes));
  libsched_sim_hit hit{};
  libsched_sim_verdict verdict{};
  libsched_error* error = nullptr;
  size_t i = 0;
  for (auto _ : state) {
    if (changing) {
      i = (i + 7919) % nodes;
      w.fork();
      must("add pod", libsched_sim_add_pods(w.sim.get(), &other, &w.nodes[i], 1, nullptr, &error),
           error);
    }
    must("first", libsched_sim_first(w.sim.get(), pod, nullptr, &hit, &verdict, &error), error);
    if (changing) w.revert();
  }
  if (hit.node != 0 || verdict.stage != LIBSCHED_STAGE_NO_NODE)
    fail("first: the pod fits", nullptr);
}

void check_new_node(benchmark::State& state, size_t nodes) {
  World& w = world(nodes, false);
  const uint64_t pod = w.pod_ref(pod_document(scale_pod("basic")));
  const uint64_t shape = w.node_ref(node_document(ClusterKind::kBasic, nodes));
  const libsched_str name = str("another");
  libsched_sim_verdict verdict{};
  libsched_error* error = nullptr;
  for (auto _ : state) {
    uint64_t node = 0;
    w.fork();
    must("add node", libsched_sim_add_nodes(w.sim.get(), shape, &name, 1, &node, &error), error);
    must("check", libsched_sim_check(w.sim.get(), pod, node, nullptr, &verdict, &error), error);
    w.revert();
  }
  if (verdict.stage != LIBSCHED_STAGE_PASSED) fail("check: the new node rejects the pod", nullptr);
}

// A pod is checked on a node and put there.
void place_on_node(benchmark::State& state, size_t nodes) {
  World& w = world(nodes, false);
  const uint64_t pod = w.pod_ref(pod_document(scale_pod("basic")));
  libsched_sim_verdict verdict{};
  libsched_error* error = nullptr;
  size_t i = 0;
  bool fits = true;
  for (auto _ : state) {
    i = (i + 7919) % nodes;
    w.fork();
    must("check", libsched_sim_check(w.sim.get(), pod, w.nodes[i], nullptr, &verdict, &error),
         error);
    must("add pod", libsched_sim_add_pods(w.sim.get(), &pod, &w.nodes[i], 1, nullptr, &error),
         error);
    w.revert();
    fits &= verdict.stage == LIBSCHED_STAGE_PASSED;
  }
  if (!fits) fail("check: a node rejects the pod", nullptr);
}

// 100 nodes and 1,000 pods of twenty contents, on nodes of a random choice, another in each round.
// `asked`: 20 selectors have been asked for before, so that the counts of their pods are followed.
void what_if(benchmark::State& state, size_t nodes, bool asked) {
  constexpr size_t kNewNodes = 100, kNewPods = 1000, kShapes = 20;
  World& w = world(nodes, asked);
  const uint64_t shape = w.node_ref(node_document(ClusterKind::kBasic, 1));
  std::vector<std::string> texts;
  for (size_t i = 0; i < kNewNodes; ++i) texts.push_back("new-" + std::to_string(i));
  std::vector<libsched_str> names;
  for (const std::string& text : texts) names.push_back(str(text));
  std::vector<uint64_t> shapes, pods, on(kNewPods), added(kNewNodes);
  for (size_t i = 0; i < kShapes; ++i) shapes.push_back(w.pod_ref(pod_document(plain_pods()[i])));
  for (size_t i = 0; i < kNewPods; ++i) pods.push_back(shapes[i % kShapes]);
  libsched_error* error = nullptr;
  uint64_t random = nodes;
  for (auto _ : state) {
    w.fork();
    must("add nodes",
         libsched_sim_add_nodes(w.sim.get(), shape, names.data(), kNewNodes, added.data(), &error),
         error);
    for (uint64_t& node : on) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      const size_t pick = (random >> 33) % (nodes + kNewNodes);
      node = pick < nodes ? w.nodes[pick] : added[pick - nodes];
    }
    must("add pods",
         libsched_sim_add_pods(w.sim.get(), pods.data(), on.data(), kNewPods, nullptr, &error),
         error);
    w.revert();
  }
}

void pack(benchmark::State& state) {
  World w;
  w.reset(1, [](size_t) { return sized_node("node-00000", "100m", "100", "10"); }, {}, {});
  const uint64_t shape = w.node_ref(sized_node("template", "1", "5000", "100"));
  const libsched_sim_group groups[] = {
      {w.pod_ref(pod_document(sized_pod("app", "50m", "100"))), 50'000},
      {w.pod_ref(pod_document(sized_pod("app", "95m", "190"))), 1000}};
  libsched_sim_ring ring{};
  libsched_sim_pack_options options = LIBSCHED_SIM_PACK_OPTIONS_INIT;
  options.prefix = str("template-");
  options.max_nodes = 3000;
  libsched_sim_packing packing{};
  libsched_error* error = nullptr;
  for (auto _ : state) {
    ring = {};
    options.ring = &ring;
    must("pack", libsched_sim_bin_pack(w.sim.get(), groups, 2, shape, &options, &packing, &error),
         error);
    if (packing.node_count != 2595 || packing.placed != 51'000)
      fail("pack: " + std::to_string(packing.placed) + " pods on " +
               std::to_string(packing.node_count) + " nodes",
           nullptr);
    w.revert();
  }
  state.counters["steps"] = 51'000;
}

// Nodes are emptied one after the other; three in five can go.
void drain(benchmark::State& state) {
  constexpr size_t kCandidates = 2000, kOnNode = 40;
  World w;
  std::vector<uint64_t> apps, refs;
  std::vector<uint32_t> on;
  for (size_t app = 0; app < 20; ++app)
    apps.push_back(
        w.pod_ref(pod_document(sized_pod("app-" + std::to_string(app), "100m", "128Mi"))));
  for (size_t i = 0; i < kCandidates * kOnNode; ++i) {
    refs.push_back(apps[i % kOnNode % 20]);
    on.push_back(static_cast<uint32_t>(i / kOnNode));
  }
  w.reset(
      kCandidates,
      [](size_t i) { return sized_node("node-" + std::to_string(i), "10", "64Gi", "110"); }, refs,
      on);
  const uint64_t ghost = w.node_ref(ghost_node());
  libsched_error* error = nullptr;
  std::vector<uint64_t> move(kCandidates * kOnNode);
  std::vector<libsched_sim_hit> hits(move.size());
  size_t gone = 0;
  for (auto _ : state) {
    w.fork();
    libsched_sim_ring ring{};
    libsched_sim_query query = LIBSCHED_SIM_QUERY_INIT;
    query.ring = &ring;
    query.skip_unschedulable = true;
    libsched_sim_remove_options options = LIBSCHED_SIM_REMOVE_OPTIONS_INIT;
    options.keep = true;
    options.ghost = ghost;
    gone = 0;
    for (const uint64_t node : w.nodes) {
      size_t count = 0;
      must("pods",
           libsched_sim_pods_on(w.sim.get(), node, move.data(), move.size(), &count, &error),
           error);
      bool removed = false;
      must("remove",
           libsched_sim_remove(w.sim.get(), node, move.data(), count, &query, &options, hits.data(),
                               &removed, &error),
           error);
      gone += removed ? 1 : 0;
    }
    if (gone != 1200) fail("drain: " + std::to_string(gone) + " nodes are gone", nullptr);
    w.revert();
  }
  state.counters["steps"] = kCandidates;
  state.counters["found"] = static_cast<double>(gone);
}

// A line of /proc/self/status in bytes: VmHWM is the peak of this process so far, VmRSS what is
// resident.
double bytes_of(const char* key) {
  double kilobytes = 0;
  if (std::FILE* file = std::fopen("/proc/self/status", "r")) {
    char line[256];
    while (std::fgets(line, sizeof line, file) != nullptr)
      if (std::strncmp(line, key, std::strlen(key)) == 0)
        kilobytes = std::atof(line + std::strlen(key));
    std::fclose(file);
  }
  return kilobytes * 1024;
}

double resident_bytes() {
  malloc_trim(0);
  return bytes_of("VmRSS:");
}

void peak(benchmark::State& state, size_t nodes, size_t pods) {
  for (auto _ : state) {
    World w;
    const double begin = resident_bytes();
    fill(&w, nodes, 0);
    const double with_nodes = resident_bytes();
    fill(&w, nodes, pods);
    state.counters["bytes_per_node"] = (with_nodes - begin) / static_cast<double>(nodes);
    state.counters["bytes_per_pod"] = (resident_bytes() - with_nodes) / static_cast<double>(pods);
    if (libsched_sim_pod_count(w.sim.get()) != pods) fail("peak: pods are missing", nullptr);
    state.counters["peak_bytes"] = bytes_of("VmHWM:");
  }
}

}  // namespace

void add_sim_benchmarks() {
  const auto add = [](const std::string& name, auto run) {
    return benchmark::RegisterBenchmark(("sim/c/" + name).c_str(), run);
  };
  for (const size_t nodes : {kNodes, 10 * kNodes}) {
    const std::string size = std::to_string(nodes) + "/";
    for (const std::string kind : {"basic", "anti-app"})
      for (const bool changing : {false, true})
        add(size + "nothing fits, " + kind + (changing ? ", after a change" : ""),
            [=](benchmark::State& s) { nothing_fits(s, nodes, kind, changing); });
    add(size + "fork, add node, check, revert",
        [=](benchmark::State& s) { check_new_node(s, nodes); });
    add(size + "fork, schedule, revert", [=](benchmark::State& s) { place_on_node(s, nodes); });
    for (const bool asked : {false, true})
      add(size + "fork, 100 nodes, 1000 pods, revert" + (asked ? ", 20 selectors asked" : ""),
          [=](benchmark::State& s) { what_if(s, nodes, asked); });
  }
  add("pack", pack);
  add("drain", drain);
  for (const size_t pods : {size_t{150'000}, size_t{1'000'000}})
    benchmark::RegisterBenchmark(("peak/15000/" + std::to_string(pods)).c_str(),
                                 [=](benchmark::State& s) { peak(s, 15'000, pods); })
        ->Iterations(1);
}

}  // namespace libsched_bench
