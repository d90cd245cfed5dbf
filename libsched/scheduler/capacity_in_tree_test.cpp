// Capacity with the plugins in tree equals placing the same pods one by one on a copy of the
// cluster, each by an evaluator that keeps nothing; and no answer about the cluster changes by it.
#include <doctest/doctest.h>

#include <map>
#include <random>

#include "libsched/config/config.hpp"
#include "libsched/ingest/ingest.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/scheduler/capacity.hpp"

namespace libsched::capacity_in_tree_test {

FrameworkRef framework() {
  const Result<ConfigRef> config = parse_config(
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n", {});
  REQUIRE(config.ok());
  Result<FrameworkRef> made =
      Framework::create(*config, (*config)->profiles[0].scheduler_name, in_tree_registry(), {});
  REQUIRE(made.ok());
  return *made;
}

std::string nodes(std::mt19937_64& rng) {
  std::string out;
  for (unsigned i = 0, n = 1 + rng() % 9; i < n; ++i) {
    const std::string name = "n" + std::to_string(i);
    out += "---\napiVersion: v1\nkind: Node\nmetadata: {name: " + name +
           ", labels: {kubernetes.io/hostname: " + name + ", zone: z" + std::to_string(rng() % 3) +
           "}}\nspec: {" + (rng() % 5 == 0 ? "taints: [{key: a, effect: NoSchedule}]" : "") +
           "}\nstatus: {allocatable: {cpu: " + std::to_string(1 + rng() % 6) +
           ", memory: 4Gi, pods: " + std::to_string(3 + rng() % 9) + "}}\n";
  }
  return out;
}

std::string pod(const std::string& name, std::mt19937_64& rng) {
  static const std::string kRules[] = {
      "",
      "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "
      "DoNotSchedule, labelSelector: {matchLabels: {app: a}}}]",
      "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
      "kubernetes.io/hostname, labelSelector: {matchLabels: {app: a}}}]}}",
      "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
      "zone, labelSelector: {matchLabels: {app: a}}}]}}",
      "tolerations: [{operator: Exists}]",
  };
  return "apiVersion: v1\nkind: Pod\nmetadata: {namespace: default, name: " + name +
         ", labels: {app: " + (rng() % 4 == 0 ? "b" : "a") +
         "}}\nspec: {containers: [{name: c, resources: {requests: {cpu: " +
         std::to_string(100 + rng() % 900) + "m}}" +
         (rng() % 4 == 0 ? ", ports: [{containerPort: 80, hostPort: 80}]" : "") + "}], " +
         kRules[rng() % std::size(kRules)] + "}\n";
}

TEST_CASE("Capacity is what pods placed one by one reach, and nothing is changed") {
  const FrameworkRef fw = framework();
  size_t stopped = 0, placed = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 rng(seed);
    const Ref<Cluster> cluster = make_ref<Cluster>();
    const Result<ObjectSet> objects = parse_objects(nodes(rng), {});
    REQUIRE_MESSAGE(objects.ok(), objects.error().text());
    REQUIRE(cluster->apply(*objects).ok());
    std::vector<PodRef> templates;
    for (unsigned i = 0, n = 1 + rng() % 2; i < n; ++i) {
      Result<PodRef> one = parse_pod(pod("t" + std::to_string(i), rng), {});
      REQUIRE_MESSAGE(one.ok(), one.error().text());
      templates.push_back(*one);
    }
    Evaluator evaluator(fw, cluster);
    if (seed % 3 != 0) {
      const ClassMemoryMode mode =
          seed % 3 == 1 ? ClassMemoryMode::kAlways : ClassMemoryMode::kChecked;
      REQUIRE(evaluator.keep_classes(mode).ok());
    }
    const auto answer = [&] {
      std::string all;
      for (const PodRef& t : templates)
        all += evaluator.check(*t, {}, true, true).value()->explain_json();
      return all;
    };
    const std::string before = answer();
    const uint64_t version = cluster->view().version();
    Evaluator* const profiles[] = {&evaluator};
    CapacityOptions options;
    options.ties = TieMode::kName;
    const Result<Capacity> counted = capacity(profiles, templates, options);
    REQUIRE_MESSAGE(counted.ok(), counted.error().text());
    CHECK(cluster->view().version() == version);
    CHECK(answer() == before);

    const Ref<Cluster> copy = cluster->clone();
    std::map<std::string, size_t> on;
    std::string why;
    size_t count = 0;
    for (; why.empty(); ++count) {
      const Pod& of = *templates[count % templates.size()];
      const PlaceRequest one{
          PodRef(copy_pod(of, "x" + std::to_string(count), of.meta.ns, {}, {})), 1, {}};
      Evaluator fresh(fw, copy);
      Evaluator* const only[] = {&fresh};
      PlaceOptions how;
      how.ties = TieMode::kName;
      REQUIRE(place(only, {&one, 1}, how, [&](const Placement& p) {
                if (p.outcome == Outcome::kPlaced) {
                  ++on[p.node];
                } else {
                  why = p.text;
                }
                return true;
              }).ok());
    }
    CHECK(counted->count == count - 1);
    CHECK(counted->end == CapacityEnd::kStopped);
    CHECK(counted->next.text == why);
    for (const Capacity::OnNode& n : counted->nodes) CHECK(n.count == on[n.node]);
    CHECK(counted->nodes.size() == cluster->view().node_count());
    REQUIRE(counted->decision);
    CHECK(counted->decision->details().fit_error == why);
    stopped += counted->next.text.empty() ? 0 : 1;
    placed += counted->count;
  }
  CHECK(stopped == 300);
  CHECK(placed > 1000);
}

}  // namespace libsched::capacity_in_tree_test
