// Placing with what is kept by class equals placing without: the same pods on the same nodes, over
// random states of a cluster, in forks that are reverted or kept, for pods that spread, avoid or
// seek each other, ask for ports, or do none of this.
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "libsched/ingest/ingest.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/scheduler/place.hpp"
#include "tests/unit/rounds.hpp"

namespace libsched::place_in_tree_test {

const char* const kHost = "kubernetes.io/hostname";
const char* const kZone = "topology.kubernetes.io/zone";

std::string selector(const std::string& app) {
  return "labelSelector: {matchLabels: {app: " + app + "}}";
}
std::string spread(const std::string& app, const std::string& key, const std::string& when,
                   int skew) {
  return "{maxSkew: " + std::to_string(skew) + ", topologyKey: " + key +
         ", whenUnsatisfiable: " + when + ", " + selector(app) + "}";
}
std::string affinity(const std::string& which, const std::string& app, const std::string& key) {
  return ", affinity: {" + which + ": {requiredDuringSchedulingIgnoredDuringExecution: [{" +
         selector(app) + ", topologyKey: " + key + "}]}}";
}

PodRef pod_of(size_t shape, size_t number) {
  const std::string app = "a" + std::to_string(shape);
  const std::string hard = "DoNotSchedule", soft = "ScheduleAnyway";
  std::string more, ports;
  const auto constraints = [](const std::string& list) {
    return ", topologySpreadConstraints: [" + list + "]";
  };
  switch (shape % 12) {
    case 0: more = constraints(spread(app, kZone, hard, 1)); break;
    case 1: more = constraints(spread(app, kHost, hard, 1)); break;
    case 2:
      more = constraints(spread(app, kZone, hard, 2) + ", " + spread(app, kHost, hard, 1)) +
             affinity("podAntiAffinity", app, kHost);
      break;
    case 3: more = affinity("podAntiAffinity", app, kHost); break;
    case 4: more = affinity("podAntiAffinity", "a5", kZone); break;
    case 5: more = affinity("podAffinity", "a5", kZone); break;
    case 6:
      more = constraints(spread(app, kZone, soft, 1) + ", " + spread(app, kHost, soft, 1));
      break;
    case 7: ports = ", ports: [{hostPort: 80}]"; break;
    case 8: more = affinity("podAntiAffinity", "a9", kHost) + ", nodeSelector: {disk: ssd}"; break;
    case 9: more = constraints(spread("a1", kHost, hard, 2)); break;
    default: break;
  }
  const std::string text =
      "{metadata: {name: p-" + std::to_string(number) +
      ", namespace: default, labels: {app: " + app +
      "}}, spec: {containers: [{name: c, image: img, resources: {requests: {cpu: " +
      std::to_string(100 + 50 * (shape % 3)) + "m, memory: " + std::to_string(64 + shape) + "Mi}}" +
      ports + "}]" + more + "}}";
  const Result<PodRef> pod = parse_pod(text, {});
  REQUIRE_MESSAGE(pod.ok(), pod.error().text());
  return *pod;
}

class Place {
 public:
  explicit Place(unsigned seed) : rng_(seed) {
    for (size_t i = 0; i < kNodes; ++i) put_node(i);
    const Result<ConfigRef> config = parse_config(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n");
    REQUIRE(config.ok());
    const auto framework = Framework::create(*config, (*config)->profiles[0].scheduler_name,
                                             in_tree_registry(), FeatureGates());
    REQUIRE(framework.ok());
    for (const ClassMemoryMode mode :
         {ClassMemoryMode::kOff, ClassMemoryMode::kAlways, ClassMemoryMode::kChecked}) {
      evaluators_.push_back(make_ref<Evaluator>(*framework, cluster_));
      REQUIRE(evaluators_.back()->keep_classes(mode).ok());
    }
  }
  size_t below(size_t n) { return rng_() % n; }

  // Places pods in a fork by each evaluator, from the same state; the last fork is kept or
  // reverted.
  void round() {
    std::vector<PlaceRequest> requests;
    const size_t shapes = 1 + below(24), count = 20 + below(60);
    for (size_t i = 0; i < count; ++i)
      requests.push_back({pod_of(shapes < 4 ? below(12) : below(shapes), ++number_), 1, {}});
    std::string texts[3];
    const bool kept = below(2) == 0;
    for (size_t e = 0; e < 3; ++e) {
      REQUIRE(cluster_->fork().ok());
      Evaluator* const evaluator = evaluators_[e].get();
      const Result<void> done =
          place({&evaluator, 1}, requests, {}, [&](const Placement& placement) {
            texts[e] += std::string(placement.pod->meta.name) + " " + placement.node + " " +
                        std::to_string(static_cast<int>(placement.outcome)) + " " +
                        std::to_string(placement.score.value_or(-1)) + " " +
                        std::to_string(placement.feasible) + " " + placement.text + "\n";
            placed_ += placement.outcome == Outcome::kPlaced;
            return true;
          });
      REQUIRE_MESSAGE(done.ok(), done.error().text());
      REQUIRE((e == 2 && kept ? cluster_->commit() : cluster_->revert()).ok());
    }
    REQUIRE(texts[1] == texts[0]);
    REQUIRE(texts[2] == texts[0]);
    change();
  }
  size_t placed() const { return placed_; }
  uint64_t served() const { return evaluators_[1]->classes().served(); }

 private:
  static constexpr size_t kNodes = 150;

  void put_node(size_t i) {
    apply("{apiVersion: v1, kind: Node, metadata: {name: n" + std::to_string(i) +
          ", labels: {disk: " + (below(3) == 0 ? "ssd" : "hdd") + ", " + kZone + ": z" +
          std::to_string(below(4)) + ", " + kHost + ": n" + std::to_string(i) +
          "}}, spec: {}, status: {images: [{names: ['img:latest'], " +
          "sizeBytes: " + std::to_string(below(2) * 300000000) +
          "}], allocatable: {cpu: " + std::to_string(1 + below(3)) +
          ", memory: 4Gi, pods: " + std::to_string(4 + below(9)) + "}}}");
  }
  void apply(const std::string& text) {
    const Result<ObjectSet> set = parse_objects(text, {});
    REQUIRE_MESSAGE(set.ok(), set.error().text());
    REQUIRE(cluster_->apply(*set).ok());
  }
  void change() {
    switch (below(6)) {
      case 0: put_node(below(kNodes + 10)); return;
      case 1: static_cast<void>(cluster_->remove_node("n" + std::to_string(below(kNodes)))); return;
      case 2:
      case 3:
        for (int i = 0; i < 20; ++i)
          static_cast<void>(
              cluster_->remove_pod("default", "p-" + std::to_string(1 + below(number_))));
        return;
      default: return;
    }
  }

  std::mt19937 rng_;
  Ref<Cluster> cluster_ = make_ref<Cluster>();
  std::vector<Ref<Evaluator>> evaluators_;
  size_t number_ = 0, placed_ = 0;
};

TEST_CASE("pods placed by kept answers are on the nodes of those placed without") {
  uint64_t served = 0;
  size_t placed = 0;
  for (unsigned seed = 0; seed < rounds(8); ++seed) {
    CAPTURE(seed);
    Place world(seed);
    for (int round = 0; round < 12; ++round) {
      CAPTURE(round);
      world.round();
    }
    served += world.served();
    placed += world.placed();
  }
  MESSAGE(served, " of ", placed / 3, " went on");
  CHECK(served * 6 > placed / 3);
}

}  // namespace libsched::place_in_tree_test
