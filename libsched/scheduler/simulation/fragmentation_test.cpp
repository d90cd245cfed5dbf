// Fragmentation: a cluster small enough to count by hand, and random clusters that change, compared
// with a count from scratch.
#include "libsched/scheduler/simulation/fragmentation.hpp"

#include <algorithm>
#include <random>

#include "doctest/doctest.h"
#include "libsched/cluster/cluster.hpp"
#include "libsched/ingest/ingest.hpp"
#include "tests/unit/rounds.hpp"

namespace libsched::fragmentation_test {

PodRef pod_of(const std::string& name, const std::string& requests, const std::string& more = "") {
  Result<PodRef> pod = parse_pod("{metadata: {name: " + name +
                                     ", namespace: default}, spec: {containers: [{name: c, "
                                     "resources: {requests: {" +
                                     requests + "}}}]" + more + "}}",
                                 {});
  REQUIRE_MESSAGE(pod.ok(), pod.error().text());
  return *pod;
}

NodeRef node_of(const std::string& name, const std::string& allocatable,
                const std::string& more = "", const std::string& labels = "") {
  Result<NodeRef> node =
      parse_node("{metadata: {name: " + name + ", labels: {" + labels + "}}, spec: {" + more +
                     "}, status: {allocatable: {pods: 10, " + allocatable + "}}}",
                 {});
  REQUIRE_MESSAGE(node.ok(), node.error().text());
  return *node;
}

const Fragmentation::Amount& amount(const Fragmentation& f, const std::string& name) {
  for (const Fragmentation::Amount& a : f.amounts())
    if (a.resource == name) return a;
  FAIL("no resource " << name);
  return f.amounts().front();
}

TEST_CASE("what is free counts as fragmented for pods that do not fit or do not ask for it") {
  const auto cluster = make_ref<Cluster>();
  REQUIRE(cluster->update_node(node_of("a", "cpu: 4, memory: 4Gi, x/gpu: 2")).ok());
  REQUIRE(cluster->update_node(node_of("b", "cpu: 1, memory: 4Gi")).ok());
  // Three pods of 2 cores, one of 1 core and a GPU.
  const Fragmentation::Shape shapes[] = {
      {pod_of("p", "cpu: 2, memory: 1Gi"), 3},
      {pod_of("q", "cpu: 1, memory: 1Gi, x/gpu: 1"), 1},
  };
  Fragmentation f(shapes, false);
  f.update(cluster->view());
  CHECK(f.amounts().size() == 3);
  CHECK(f.amounts()[0].resource == "cpu");
  // Both fit on a; b takes neither.
  CHECK(amount(f, "cpu").allocatable == 5000);
  CHECK(amount(f, "cpu").free == 5000);
  CHECK(amount(f, "cpu").fragmented == 1000);
  CHECK(amount(f, "cpu").fragmentation() == 0.2);
  CHECK(amount(f, "x/gpu").fragmented == 2 * 0.75);  // only a quarter of the pods asks for it

  // Leaves 1 core of a: three quarters of the pods fit nowhere.
  REQUIRE(cluster->update_pod(pod_of("r", "cpu: 3"), "a").ok());
  f.update(cluster->view());
  CHECK(amount(f, "cpu").used == 3000);
  CHECK(amount(f, "cpu").utilisation() == 0.6);
  CHECK(amount(f, "cpu").fragmented == 750 + 1000);
  CHECK(amount(f, "memory").fragmentation() == (0.75 + 1) / 2);
  // An overcommitted node has nothing free.
  REQUIRE(cluster->update_pod(pod_of("s", "cpu: 3"), "a").ok());
  f.update(cluster->view());
  CHECK(amount(f, "cpu").used == 6000);
  CHECK(amount(f, "cpu").free == 1000);
}

TEST_CASE("sums beyond 64 bits are the largest number") {
  const auto cluster = make_ref<Cluster>();
  const std::string most = "x/gpu: " + std::to_string(INT64_MAX);
  REQUIRE(cluster->update_node(node_of("a", most)).ok());
  REQUIRE(cluster->update_node(node_of("b", most)).ok());
  Fragmentation f({}, false);
  f.update(cluster->view());
  CHECK(amount(f, "x/gpu").allocatable == INT64_MAX);
  CHECK(amount(f, "x/gpu").free == INT64_MAX);
  REQUIRE(cluster->remove_node("a").ok());
  f.update(cluster->view());
  REQUIRE(cluster->update_node(node_of("b", "x/gpu: 3")).ok());
  f.update(cluster->view());
  CHECK(amount(f, "x/gpu").free == 3);
}

TEST_CASE("selectors, taints and spec.unschedulable keep pods from nodes") {
  const auto cluster = make_ref<Cluster>();
  const auto fragmented = [&](const std::string& spec) {
    const Fragmentation::Shape shapes[] = {{pod_of("p", "cpu: 1", spec), 1}};
    Fragmentation f(shapes, false);
    f.update(cluster->view());
    return amount(f, "cpu").fragmented;
  };
  REQUIRE(cluster->update_node(node_of("a", "cpu: 1", "", "disk: ssd")).ok());
  REQUIRE(cluster->update_node(node_of("b", "cpu: 2", "unschedulable: true")).ok());
  REQUIRE(cluster
              ->update_node(node_of("c", "cpu: 4",
                                    "taints: [{key: k, value: v, effect: NoExecute}, {key: soft, "
                                    "effect: PreferNoSchedule}]"))
              .ok());
  CHECK(fragmented("") == 6000);
  CHECK(fragmented(", nodeSelector: {disk: ssd}") == 6000);
  CHECK(fragmented(", nodeSelector: {disk: hdd}") == 7000);
  CHECK(fragmented(", tolerations: [{key: k, operator: Exists}]") == 2000);
  CHECK(fragmented(", tolerations: [{operator: Exists}]") == 0);
  CHECK(fragmented(", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                   "{nodeSelectorTerms: [{matchExpressions: [{key: disk, operator: "
                   "DoesNotExist}]}]}}}") == 7000);
}

TEST_CASE("a node without room for one more pod is of no use") {
  const auto cluster = make_ref<Cluster>();
  REQUIRE(cluster->update_node(node_of("a", "cpu: 4")).ok());
  for (int i = 0; i < 10; ++i)
    REQUIRE(cluster->update_pod(pod_of("r" + std::to_string(i), ""), "a").ok());
  const Fragmentation::Shape shapes[] = {{pod_of("p", "cpu: 1"), 1}};
  Fragmentation f(shapes, false);
  f.update(cluster->view());
  CHECK(amount(f, "cpu").fragmented == 4000);
  REQUIRE(cluster->remove_pod("default", "r3").ok());
  f.update(cluster->view());
  CHECK(amount(f, "cpu").fragmented == 0);
}

TEST_CASE("equal pods are one shape, and no workload fragments nothing") {
  const auto cluster = make_ref<Cluster>();
  REQUIRE(cluster->update_node(node_of("a", "cpu: 4")).ok());
  const PodRef p = pod_of("p", "cpu: 8");
  const Fragmentation::Shape shapes[] = {
      {p, 1}, {pod_of("q", "cpu: 8"), 2}, {p, 3}, {pod_of("r", "cpu: 1"), 2}};
  Fragmentation f(shapes, false);
  CHECK(f.shape_count() == 2);
  f.update(cluster->view());
  CHECK(amount(f, "cpu").fragmented == 3000);
  Fragmentation nothing({}, false);
  nothing.update(cluster->view());
  CHECK(amount(nothing, "cpu").free == 4000);
  CHECK(amount(nothing, "cpu").fragmented == 0);
}

// Random nodes and pods. The names of resources collide, so that columns come and go.
struct RandomCluster {
  explicit RandomCluster(uint64_t seed) : random(seed) {}

  uint64_t below(uint64_t n) { return random() % n; }
  std::string requests(uint64_t most) {
    std::string out = "cpu: " + std::to_string(below(most));
    if (below(2) == 0) out += ", memory: " + std::to_string(below(most)) + "Gi";
    if (below(3) == 0) out += ", ephemeral-storage: " + std::to_string(below(most)) + "Gi";
    if (below(3) == 0) out += ", x/a: " + std::to_string(below(most));
    if (below(4) == 0) out += ", x/b: " + std::to_string(below(most));
    return out;
  }
  PodRef pod(const std::string& name) {
    const char* constraints[] = {"", "", ", nodeSelector: {disk: ssd}",
                                 ", tolerations: [{key: k, operator: Exists}]"};
    return pod_of(name, requests(4), constraints[below(4)]);
  }
  NodeRef node(const std::string& name) {
    const char* specs[] = {"", "", "unschedulable: true", "taints: [{key: k, effect: NoSchedule}]"};
    return node_of(name, requests(12), specs[below(4)], below(2) == 0 ? "disk: ssd" : "");
  }
  void change() {
    const std::string n = "n" + std::to_string(below(6)), p = "p" + std::to_string(below(20));
    const bool there = cluster->view().find_node(n) != kNoId;
    if (below(8) == 0 || !there) {
      REQUIRE(cluster->update_node(node(n)).ok());
    } else if (below(12) == 0) {
      REQUIRE(cluster->remove_node(n).ok());
    } else if (cluster->view().find_pod("default", p) != kNoId && below(2) == 0) {
      REQUIRE(cluster->remove_pod("default", p).ok());
    } else {
      REQUIRE(cluster->update_pod(pod(p), n).ok());
    }
  }

  std::mt19937_64 random;
  Ref<Cluster> cluster = make_ref<Cluster>();
};

// Whether nodes and pods have these amounts, counted anew.
void compare(const Fragmentation& f, Span<Fragmentation::Shape> shapes, const View& view) {
  Fragmentation again(shapes, false);
  again.update(view);
  const auto same = [](const auto& a, const auto& b) {
    return a.resource == b.resource && a.allocatable == b.allocatable && a.used == b.used &&
           a.free == b.free && a.fragmented == b.fragmented;
  };
  CHECK(std::equal(f.amounts().begin(), f.amounts().end(), again.amounts().begin(),
                   again.amounts().end(), same));
  // One resource by the definition.
  double fragmented = 0, total = 0;
  for (const Fragmentation::Shape& s : shapes) total += static_cast<double>(s.count);
  view.live().for_each([&](size_t row) {
    const auto r = static_cast<uint32_t>(row);
    const Node& node = *view.node(r);
    const int64_t left = view.columns().left(kCpu, r);
    if (left <= 0) return;
    for (const Fragmentation::Shape& s : shapes) {
      const Resources& q = s.pod->requests;
      const bool tolerates = !s.pod->spec.tolerations.empty();
      bool fits =
          view.row(r).pods.size() < 10 && q.milli_cpu > 0 && q.milli_cpu <= left &&
          q.memory <= std::max<int64_t>(0, view.columns().left(kMemory, r)) &&
          q.ephemeral_storage <= std::max<int64_t>(0, view.columns().left(kEphemeralStorage, r)) &&
          !node.unschedulable && (node.taints.empty() || tolerates) &&
          (s.pod->spec.node_selector.empty() || !node.meta.labels.empty());
      for (const ScalarAmount& a : q.scalars) {
        const uint32_t id = view.columns().find(a.name);
        const int64_t free = id == kNoId ? 0 : view.columns().left(id, r);
        fits = fits && (a.value == 0 || a.value <= free);
      }
      if (!fits) fragmented += static_cast<double>(left) * static_cast<double>(s.count) / total;
    }
  });
  CHECK(amount(f, "cpu").fragmented == doctest::Approx(fragmented));
}

TEST_CASE("following changes gives the amounts of a count from scratch") {
  for (uint64_t seed = 0; seed < rounds(60); ++seed) {
    CAPTURE(seed);
    RandomCluster c(seed);
    std::vector<Fragmentation::Shape> shapes;
    for (uint64_t i = c.below(9) + 1; i-- > 0;) shapes.push_back({c.pod("s"), c.below(5) + 1});
    Fragmentation f(shapes, false);
    for (int step = 0; step < 40; ++step) {
      const uint64_t changes = step == 20 ? 2500 : c.below(4);  // once more than the log keeps
      for (uint64_t i = 0; i < changes; ++i) c.change();
      f.update(c.cluster->view());
      compare(f, shapes, c.cluster->view());
    }
  }
}

}  // namespace libsched::fragmentation_test
