// Two threads judge whether pods fit, each with its own evaluator on its own snapshot, while the
// cluster's writer continues. The answers equal the cluster's when the snapshot was made.
#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "libsched/ingest/ingest.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/run/evaluator.hpp"

namespace libsched::snapshot_threads_test {

std::string number(int i) { return std::to_string(i); }

FrameworkRef default_framework() {
  const Result<ConfigRef> config = parse_config(
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n");
  REQUIRE(config.ok());
  const Result<FrameworkRef> made =
      Framework::create(*config, "default-scheduler", in_tree_registry(), FeatureGates());
  REQUIRE_MESSAGE(made.ok(), made.error().text());
  return *made;
}

Ref<Cluster> nodes() {
  std::string text;
  for (int i = 0; i < 70; ++i)
    text += "---\napiVersion: v1\nkind: Node\nmetadata: {name: n" + number(i) +
            ", labels: {zone: z" + number(i % 3) + ", kubernetes.io/hostname: n" + number(i) +
            "}}\nstatus: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}\n";
  const Result<ObjectSet> set = parse_objects(text, {});
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  Ref<Cluster> cluster = make_ref<Cluster>();
  REQUIRE(cluster->apply(*set).ok());
  return cluster;
}

PodRef pod_of_app(const std::string& name, const std::string& app, const std::string& spec) {
  Result<PodRef> pod = parse_pod("apiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
                                     ", namespace: default, uid: u-" + name +
                                     ", labels: {app: " + app + "}}\nspec: {" + spec + "}\n",
                                 {});
  REQUIRE_MESSAGE(pod.ok(), pod.error().text());
  return *pod;
}

std::string asking(int i) {
  const std::string selector = "labelSelector: {matchLabels: {app: a" + number(i) + "}}";
  const std::string requests =
      "containers: [{name: c, resources: {requests: {cpu: 2, memory: 1Gi}}}]";
  switch (i) {
    case 0: return requests;
    case 1:
      return requests +
             ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "
             "DoNotSchedule, " +
             selector + "}]";
    case 2:
      return requests +
             ", affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
             "[{topologyKey: kubernetes.io/hostname, " +
             selector + "}]}}";
    default: return requests + ", nodeSelector: {zone: z1}";
  }
}

// The number of nodes that take each pod.
std::vector<size_t> fits(Evaluator& evaluator, const std::vector<PodRef>& pods) {
  std::vector<size_t> out;
  for (const PodRef& pod : pods) {
    const Result<Ref<const Decision>> decision = evaluator.check(*pod, {}, false);
    out.push_back(decision.ok() ? (*decision)->feasible_count : SIZE_MAX);
  }
  return out;
}

TEST_CASE("check_pod_fits on two threads with a snapshot each while the cluster changes") {
  const FrameworkRef framework = default_framework();
  const Ref<Cluster> cluster = nodes();
  std::vector<PodRef> pods;
  for (int i = 0; i < 4; ++i)
    pods.push_back(pod_of_app("asking-" + number(i), "a" + number(i), asking(i)));
  std::atomic<int> wrong = 0;
  int count = 0;
  for (int round = 0; round < 8; ++round) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) {
      const PodRef change = pod_of_app("p" + number(count), "a" + number(count % 4), asking(2));
      REQUIRE(cluster->update_pod(change, "n" + number(count++ * 7 % 70)).ok());
      Evaluator now(framework, cluster);
      threads.emplace_back([&, want = fits(now, pods), snapshot = cluster->snapshot()] {
        Evaluator evaluator(framework, snapshot);
        for (int i = 0; i < 5; ++i)
          if (fits(evaluator, pods) != want) ++wrong;
      });
    }
    for (int i = 0; i < 30; ++i) {
      const PodRef change = pod_of_app("p" + number(count), "a" + number(count % 4), asking(0));
      REQUIRE(cluster->update_pod(change, "n" + number(count++ * 11 % 70)).ok());
      if (i % 5 != 0) continue;
      Evaluator now(framework, cluster);
      fits(now, pods);
      const SnapshotRef dropped = cluster->snapshot();
    }
    for (std::thread& t : threads) t.join();
  }
  CHECK(wrong == 0);
}

}  // namespace libsched::snapshot_threads_test
