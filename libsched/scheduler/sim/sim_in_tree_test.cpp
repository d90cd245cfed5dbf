// A simulated cluster with the plugins in tree: over random changes, forks and reverts its answers
// equal those of an evaluator on a cluster that is made anew of the same objects.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

#include "libsched/config/config.hpp"
#include "libsched/ingest/ingest.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/scheduler/sim/sim.hpp"

namespace libsched::sim_in_tree_test {

ConfigRef framework_config(const FeatureGates& gates = {}) {
  ConfigOptions options;
  options.gates = gates;
  const Result<ConfigRef> config = parse_config(
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n", options);
  REQUIRE(config.ok());
  return *config;
}

FrameworkRef framework() {
  Result<FrameworkRef> made = Framework::create(framework_config(), "", in_tree_registry(), {});
  REQUIRE(made.ok());
  return *made;
}

NodeRef node_of(const std::string& name, unsigned shape) {
  const std::string document = "apiVersion: v1\nkind: Node\nmetadata: {name: " + name +
                               ", labels: {kubernetes.io/hostname: " + name + ", zone: z" +
                               std::to_string(shape % 3) + "}}\nspec: {" +
                               (shape % 5 == 0 ? "taints: [{key: a, effect: NoSchedule}], " : "") +
                               (shape % 7 == 0 ? "unschedulable: true" : "") +
                               "}\nstatus: {allocatable: {cpu: " + std::to_string(1 + shape % 4) +
                               ", memory: 4Gi, pods: " + std::to_string(3 + shape % 6) + "}}\n";
  const Result<NodeRef> node = parse_node(document, {});
  REQUIRE_MESSAGE(node.ok(), node.error().text());
  return *node;
}

bool has_port(unsigned shape) { return shape % 6 == 5; }

PodRef pod_of(const std::string& name, unsigned shape) {
  static const std::string kRules[] = {
      "",
      "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "
      "DoNotSchedule, labelSelector: {matchLabels: {app: a}}}]",
      "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
      "kubernetes.io/hostname, labelSelector: {matchLabels: {app: a}}}]}}",
      "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
      "zone, labelSelector: {matchLabels: {app: a}}}]}}",
      "tolerations: [{operator: Exists}]",
      "nodeSelector: {zone: z1}",
      "topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, "
      "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: b}}}]",
      "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
      "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]}}}",
  };
  const std::string document =
      "apiVersion: v1\nkind: Pod\nmetadata: {namespace: default, name: " + name +
      ", labels: {app: " + (shape % 4 == 0 ? "b" : "a") +
      "}}\nspec: {containers: [{name: c, resources: {requests: {cpu: " +
      std::to_string(100 + 100 * (shape % 9)) + "m}}" +
      (has_port(shape) ? ", ports: [{containerPort: 80, hostPort: 80}]" : "") + "}], " +
      kRules[shape % std::size(kRules)] + "}\n";
  const Result<PodRef> pod = parse_pod(document, {});
  REQUIRE_MESSAGE(pod.ok(), pod.error().text());
  return *pod;
}

struct ModelPod {
  uint64_t id;
  unsigned shape;
};
struct ModelNode {
  uint64_t id;
  std::string name;
  unsigned shape;
  std::vector<ModelPod> pods;
};
using Model = std::vector<ModelNode>;

class World {
 public:
  explicit World(uint64_t seed) : rng(seed) {
    Result<Ref<Sim>> made = Sim::create(fw, catalog);
    REQUIRE(made.ok());
    sim = *made;
  }
  unsigned any(size_t n) { return static_cast<unsigned>(rng() % n); }

  uint64_t pod_ref(unsigned shape) {
    const PodRef pod = pod_of("any", shape);
    const Pod* const one = pod.get();
    uint64_t ref = 0;
    REQUIRE(catalog->add({&one, 1}, true, nullptr, &ref).ok());
    return ref;
  }
  uint64_t node_ref(unsigned shape) {
    const NodeRef node = node_of("any", shape);
    const Node* const one = node.get();
    uint64_t ref = 0;
    REQUIRE(catalog->add({&one, 1}, nullptr, &ref).ok());
    return ref;
  }

  void change() {
    switch (any(8)) {
      case 0:
      case 1: {
        const unsigned shape = any(40);
        const std::string name = "n" + std::to_string(names++);
        const Str text = name;
        uint64_t id = 0;
        REQUIRE(sim->add_nodes(node_ref(shape), {&text, 1}, &id).ok());
        model.push_back({id, name, shape, {}});
        break;
      }
      case 2: {
        if (model.size() < 3) break;
        const size_t i = any(model.size());
        REQUIRE(sim->remove_node(model[i].id).ok());
        gone.push_back(model[i].id);
        model.erase(model.begin() + static_cast<ptrdiff_t>(i));
        break;
      }
      case 3: {
        if (model.empty()) break;
        ModelNode& node = model[any(model.size())];
        node.shape = any(40);
        REQUIRE(sim->replace_node(node.id, node_ref(node.shape)).ok());
        break;
      }
      case 4: {
        if (model.empty()) break;
        ModelNode& node = model[any(model.size())];
        if (node.pods.empty()) break;
        const size_t i = any(node.pods.size());
        REQUIRE(sim->remove_pods({&node.pods[i].id, 1}).ok());
        node.pods[i] = node.pods.back();  // upstream moves the last pod into the hole
        node.pods.pop_back();
        break;
      }
      default: {
        if (model.empty()) break;
        ModelNode& node = model[any(model.size())];
        const unsigned shape = any(48);
        // Upstream forgets a port with the first of two pods that have it: a cluster made anew does
        // not.
        if (has_port(shape) && std::any_of(node.pods.begin(), node.pods.end(),
                                           [](const ModelPod& p) { return has_port(p.shape); }))
          break;
        const uint64_t ref = pod_ref(shape);
        uint64_t id = 0;
        REQUIRE(sim->add_pods({&ref, 1}, &node.id, &id).ok());
        node.pods.push_back({id, shape});
      }
    }
  }

  // The same state, made anew, with named pods.
  struct Fresh {
    Ref<Cluster> cluster = make_ref<Cluster>(NodeOrder::kInsertion);
    std::vector<Status> of_node;  // by the order of nodes: as the autoscaler would be told
    Status pre_filter;
    std::vector<std::string> excluders;
  };
  Fresh ask(const Model& of, unsigned shape) {
    Fresh out;
    unsigned number = 0;
    for (const ModelNode& node : of) {
      REQUIRE(out.cluster->update_node(node_of(node.name, node.shape)).ok());
      for (const ModelPod& pod : node.pods)
        REQUIRE(
            out.cluster->update_pod(pod_of("p" + std::to_string(number++), pod.shape), node.name)
                .ok());
    }
    Evaluator evaluator(fw, out.cluster);
    const PodRef pod = pod_of("asked", shape);
    const Ref<CycleState> state = make_ref<CycleState>();
    Result<Status> pre = evaluator.run_pre_filter(*state, *pod);
    REQUIRE(pre.ok());
    out.pre_filter = *pre;
    out.excluders = state->pre_filter().restricted;
    for (const ModelNode& node : of) {
      Status status;
      if (!pre->success()) {
        status = *pre;
      } else if (!state->pre_filter().allows(node.name)) {
        status = Status(Code::kUnschedulableAndUnresolvable, "excluded");
      } else {
        REQUIRE(
            evaluator.run_filter(*state, *pod, out.cluster->view().find_node(node.name), &status)
                .ok());
      }
      out.of_node.push_back(status);
    }
    return out;
  }

  void compare() {
    REQUIRE(sim->order().size() == model.size());
    for (size_t i = 0; i < model.size(); ++i) {
      REQUIRE(sim->has_node(model[i].id));
      REQUIRE(sim->position(model[i].id) == i);
      REQUIRE(sim->find_node(model[i].name) == model[i].id);
      REQUIRE(sim->view().row(index_of(model[i].id)).pods.size() == model[i].pods.size());
      for (const ModelPod& pod : model[i].pods) {
        REQUIRE(sim->has_pod(pod.id));
        REQUIRE(sim->pod_node(pod.id) == model[i].id);
        REQUIRE(sim->pod_ref(pod.id) == pod_ref(pod.shape));
      }
    }
    if (model.empty()) return;
    const unsigned shape = any(48);
    CAPTURE(shape);
    const Fresh fresh = ask(model, shape);
    const uint64_t ref = pod_ref(shape);
    std::vector<uint64_t> ids;
    std::vector<uint64_t> bits(sim->view().word_count());
    std::vector<uint8_t> numbers(model.size());
    for (const ModelNode& node : model) ids.push_back(node.id);
    REQUIRE(sim->check_many({&ref, 1}, ids, {}, numbers.data()).ok());
    const Result<size_t> feasible = sim->feasible(ref, {}, bits.data(), bits.size());
    REQUIRE(feasible.ok());
    size_t fits = 0, first = model.size();
    const size_t start = any(model.size());
    for (size_t i = 0; i < model.size(); ++i) {
      const Status& expected = fresh.of_node[i];
      const Result<SimVerdict> verdict = sim->check(ref, model[i].id, {});
      REQUIRE(verdict.ok());
      CHECK(verdict->passed() == expected.success());
      const uint32_t row = index_of(model[i].id);
      CHECK(((bits[row / 64] >> (row % 64) & 1) != 0) == expected.success());
      CHECK((numbers[i] == 0) == expected.success());
      if (expected.success()) ++fits;
      const auto distance = [&](size_t k) { return (k + model.size() - start) % model.size(); };
      if (expected.success() && (first == model.size() || distance(i) < distance(first))) first = i;
      if (expected.success()) continue;
      const VerdictTexts::Texts* texts = sim->texts().find(verdict->texts);
      REQUIRE(texts != nullptr);
      switch (verdict->stage) {
        case SimStage::kPreFilterExcluded: CHECK(texts->excluders == fresh.excluders); break;
        default:
          CHECK(texts->reasons == expected.reasons);
          CHECK(texts->plugin == expected.plugin);
          CHECK(verdict->code == expected.code);
          CHECK(fw->plugins()[numbers[i] - 1u].name == expected.plugin);
      }
    }
    CHECK(*feasible == fits);
    SimQuery query;
    query.start = start;
    SimVerdict why;
    const Result<SimHit> hit = sim->first(ref, query, &why);
    REQUIRE(hit.ok());
    if (first == model.size()) {
      CHECK(hit->node == 0);
      CHECK(why.stage ==
            (fresh.pre_filter.success() ? SimStage::kNoNode : SimStage::kPreFilterRejected));
    } else {
      CHECK(hit->node == model[first].id);
      CHECK(hit->position == first);
    }
    questions += model.size();
  }

  // The nodes that pods are put on one after the other.
  void compare_placing() {
    if (model.empty()) return;
    std::vector<unsigned> shapes;
    std::vector<uint64_t> refs, hints;
    for (unsigned i = 0, n = 1 + any(6); i < n; ++i) {
      shapes.push_back(any(48));
      refs.push_back(pod_ref(shapes.back()));
      hints.push_back(any(3) == 0 ? model[any(model.size())].id : 0);
    }
    std::vector<SimHit> hits(refs.size());
    SimPlaceOptions options;
    options.retry_failed = true;
    options.hints = hints.data();
    SimRing ring{any(model.size()), any(3)}, expected_ring = ring;
    SimQuery query;
    query.ring = &ring;
    REQUIRE(sim->fork().ok());
    const Result<SimPlaced> placed = sim->place_many(refs, query, options, hits.data());
    REQUIRE(placed.ok());
    Model after = model;
    for (size_t i = 0; i < refs.size(); ++i) {
      const Fresh fresh = ask(after, shapes[i]);
      size_t at = after.size();
      for (size_t k = 0; k < after.size(); ++k)
        if (after[k].id == hints[i] && fresh.of_node[k].success()) at = k;
      if (at == after.size()) {
        for (size_t k = 0; k < after.size() && at == after.size(); ++k) {
          const size_t p = (expected_ring.last + expected_ring.offset + k) % after.size();
          if (fresh.of_node[p].success()) at = p;
        }
        if (at != after.size()) expected_ring.last = at;
      }
      CHECK(hits[i].node == (at == after.size() ? 0 : after[at].id));
      if (at != after.size()) after[at].pods.push_back({hits[i].pod, shapes[i]});
    }
    CHECK(ring.last == expected_ring.last);
    REQUIRE(sim->revert().ok());
  }

  FrameworkRef fw = framework();
  Ref<Catalog> catalog = make_ref<Catalog>();
  Ref<Sim> sim;
  std::mt19937_64 rng;
  Model model;
  std::vector<uint64_t> gone;
  unsigned names = 0;
  size_t questions = 0;
};

TEST_CASE("A simulated cluster answers as a cluster that is made anew") {
  size_t questions = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    World w(seed);
    std::vector<Model> forks;
    for (int step = 0; step < 60; ++step) {
      CAPTURE(step);
      switch (w.any(10)) {
        case 0:
          REQUIRE(w.sim->fork().ok());
          forks.push_back(w.model);
          break;
        case 1:
          if (forks.empty()) break;
          REQUIRE(w.sim->revert().ok());
          w.model = forks.back();
          forks.pop_back();
          break;
        case 2:
          if (forks.empty()) break;
          REQUIRE(w.sim->commit().ok());
          forks.pop_back();
          break;
        case 3:
        case 4: w.compare(); break;
        case 5: w.compare_placing(); break;
        default: w.change();
      }
      REQUIRE(w.sim->fork_depth() == forks.size());
    }
    w.compare();
    questions += w.questions;
  }
  CHECK(questions > 2000);
}

TEST_CASE("Pods count as in the framework's release from the first one on") {
  const FeatureGates gates(Release::k1_31);
  const Result<FrameworkRef> older =
      Framework::create(framework_config(gates), "", in_tree_registry(), gates, Release::k1_31);
  REQUIRE_MESSAGE(older.ok(), older.error().text());
  const Ref<Sim> sim = *Sim::create(*older, make_ref<Catalog>());
  CHECK((*older)->accounting() != PodAccounting());
  CHECK(sim->view().accounting() == (*older)->accounting());
}

TEST_CASE("Removing a node tells whether its pods fit elsewhere, and changes nothing unless kept") {
  size_t removed = 0, kept = 0;
  for (uint64_t seed = 100; seed < 180; ++seed) {
    CAPTURE(seed);
    World w(seed);
    for (int step = 0; step < 40; ++step) w.change();
    if (w.model.size() < 2) continue;
    const size_t at = w.any(w.model.size());
    const ModelNode victim = w.model[at];
    std::vector<uint64_t> move;
    for (const ModelPod& pod : victim.pods) move.push_back(pod.id);
    SimRemoveOptions options;
    options.keep = seed % 2 == 0;
    const unsigned ghost_shape = 5 * (1 + w.any(7)) + 15;  // tainted
    if (seed % 3 != 0) options.ghost = w.node_ref(ghost_shape);
    std::vector<SimHit> hits(move.size());
    const Result<bool> gone = w.sim->remove(victim.id, move, {}, options, hits.data());
    REQUIRE(gone.ok());
    // The same by hand.
    Model after = w.model;
    bool all = true;
    if (options.ghost != 0) {
      after[at].pods.clear();
      after[at].shape = ghost_shape;
    } else {
      after.erase(after.begin() + static_cast<ptrdiff_t>(at));
    }
    for (size_t i = 0; i < move.size() && all; ++i) {
      const World::Fresh fresh = w.ask(after, victim.pods[i].shape);
      size_t to = after.size();
      for (size_t k = after.size(); k-- > 0;)
        if (fresh.of_node[k].success() && after[k].id != victim.id) to = k;
      all = to != after.size();
      CHECK(hits[i].node == (all ? after[to].id : 0));
      if (all) after[to].pods.push_back({hits[i].pod, victim.pods[i].shape});
    }
    CHECK(*gone == all);
    removed += all;
    if (all && options.keep) {
      ++kept;
      if (options.ghost != 0) after.erase(after.begin() + static_cast<ptrdiff_t>(at));
      w.model = after;
      CHECK(!w.sim->has_node(victim.id));
    }
    w.compare();
  }
  CHECK(removed > 5);
  CHECK(kept > 2);
}

}  // namespace libsched::sim_in_tree_test
