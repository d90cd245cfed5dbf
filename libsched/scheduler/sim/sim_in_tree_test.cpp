// A simulated cluster with the plugins in tree: over random changes, forks and reverts its answers
// equal those of an evaluator on a cluster that is made anew of the same objects.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "libsched/config/config.hpp"
#include "libsched/ingest/ingest.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/scheduler/sim/sim.hpp"

namespace libsched::sim_in_tree_test {

ConfigRef framework_config(const FeatureGates& gates = {}, const std::string& profiles = {}) {
  ConfigOptions options;
  options.gates = gates;
  const Result<ConfigRef> config = parse_config(
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + profiles,
      options);
  REQUIRE(config.ok());
  return *config;
}

FrameworkRef framework(const std::string& profiles = {}) {
  Result<FrameworkRef> made =
      Framework::create(framework_config({}, profiles), "", in_tree_registry(), {});
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

TEST_CASE("A content that was asked about is forgotten some resets later, and known until then") {
  World w(1);
  const uint64_t like = w.node_ref(1);
  const Str name = "a";
  Sim::Reset to;
  to.nodes = {&like, 1};
  to.names = &name;
  const uint64_t steady = w.pod_ref(0);
  size_t most = 0;
  for (unsigned loop = 0; loop < 40; ++loop) {
    REQUIRE(w.sim->reset(to).ok());
    SimVerdict why;
    const bool fits = w.sim->first(steady, {}, &why)->node != 0;
    CHECK(fits);
    const uint64_t ref = w.pod_ref(1 + loop);
    REQUIRE(w.sim->first(ref, {}, &why).ok());
    REQUIRE(w.sim->add_pods({&ref, 1}, std::array{w.sim->find_node("a")}.data(), nullptr).ok());
    w.catalog->age(1);
    most = std::max(most, w.catalog->pods().size());
    CHECK(w.catalog->pods().has(steady));
  }
  CHECK(most < 10);
}

// What bin_pack() places, by one question for each step: the node of each pod, by its name.
std::vector<std::string> packed_by_hand(World* w, const std::vector<unsigned>& shapes,
                                        uint64_t like) {
  std::vector<size_t> turn(shapes.size());
  for (size_t i = 0; i < turn.size(); ++i) turn[i] = i;
  std::stable_sort(turn.begin(), turn.end(),
                   [&](size_t a, size_t b) { return shapes[a] % 9 > shapes[b] % 9; });
  std::vector<std::string> out(shapes.size());
  std::vector<uint64_t> nodes;
  size_t on_last = 0;
  REQUIRE(w->sim->fork().ok());
  for (const size_t i : turn) {
    const uint64_t ref = w->pod_ref(shapes[i]);
    SimQuery query;
    query.order = nodes;
    query.order_given = query.skip_unschedulable = true;
    SimVerdict why;
    uint64_t to = nodes.empty() ? 0 : w->sim->first(ref, query, &why)->node;
    if (to == 0 && !nodes.empty() && w->sim->check(ref, nodes.back(), {})->passed())
      to = nodes.back();
    if (to == 0 && (nodes.empty() || on_last != 0)) {
      const std::string name = "new-" + std::to_string(nodes.size());
      const Str text = name;
      REQUIRE(w->sim->add_nodes(like, {&text, 1}, &nodes.emplace_back()).ok());
      on_last = 0;
      if (w->sim->check(ref, nodes.back(), {})->passed()) to = nodes.back();
    }
    if (to == 0) continue;
    REQUIRE(w->sim->add_pods({&ref, 1}, &to, nullptr).ok());
    out[i] = w->sim->view().row(index_of(to)).name;
    on_last += to == nodes.back();
  }
  REQUIRE(w->sim->revert().ok());
  return out;
}

TEST_CASE("Pods that are packed one by one are placed as by a search for each of them") {
  size_t placed = 0, left = 0;
  for (uint64_t seed = 300; seed < 360; ++seed) {
    CAPTURE(seed);
    World w(seed);
    for (int step = 0; step < 20; ++step) w.change();
    const auto kind = [&] {  // without spreading over hosts, which allows any node
      unsigned shape = w.any(48);
      while (shape % 8 == 6) shape = w.any(48);
      return shape;
    };
    const std::array<unsigned, 4> kinds = {kind(), kind(), kind(), kind()};
    std::vector<unsigned> shapes;
    std::vector<SimGroup> groups;
    for (int i = 0; i < 60; ++i) {
      shapes.push_back(kinds[w.any(4)]);
      groups.push_back({w.pod_ref(shapes.back()), 1});
    }
    const uint64_t like = w.node_ref(w.any(40));
    const std::vector<std::string> expected = packed_by_hand(&w, shapes, like);
    SimPackOptions options;
    options.prefix = "new-";
    const Result<const SimPacking*> packed = w.sim->bin_pack(groups, like, options);
    REQUIRE(packed.ok());
    for (size_t i = 0; i < shapes.size(); ++i) {
      const int32_t on = (*packed)->on_node[i];
      CHECK((on < 0 ? "" : "new-" + std::to_string(on)) == expected[i]);
      (on < 0 ? left : placed) += 1;
    }
    REQUIRE(w.sim->revert().ok());
  }
  CHECK(placed > 500);
  CHECK(left > 500);
}

// A profile with these plugins alone, and those that every profile needs.
FrameworkRef framework_of(const std::vector<std::string>& plugins) {
  std::string list = "{name: PrioritySort}, {name: DefaultBinder}";
  for (const std::string& name : plugins) list += ", {name: " + name + "}";
  return framework("profiles: [{plugins: {multiPoint: {disabled: [{name: '*'}], enabled: [" + list +
                   "]}}}]\n");
}

TEST_CASE("A question to some plugins is answered as by a profile that has no others") {
  constexpr const char* kAsked[] = {"NodeUnschedulable", "TaintToleration",  "NodeAffinity",
                                    "NodePorts",         "NodeResourcesFit", "PodTopologySpread",
                                    "InterPodAffinity",  "VolumeBinding"};
  size_t otherwise = 0;
  for (uint64_t seed = 200; seed < 260; ++seed) {
    CAPTURE(seed);
    World w(seed);
    for (int step = 0; step < 40; ++step) w.change();
    std::vector<std::string> names;
    std::vector<uint64_t> bits(1);
    for (const char* name : kAsked)
      if (w.any(2) == 0) names.push_back(name);
    const auto& plugins = w.fw->plugins();
    for (size_t i = 0; i < plugins.size(); ++i)
      if (std::find(names.begin(), names.end(), plugins[i].name) != names.end())
        bits[0] |= uint64_t{1} << i;
    const FrameworkRef all = w.fw, some = framework_of(names);
    SimQuery query;
    query.plugins = bits;
    query.plugins_given = true;
    for (int round = 0; round < 4 && !w.model.empty(); ++round) {
      const unsigned shape = w.any(48);
      CAPTURE(shape);
      const uint64_t ref = w.pod_ref(shape);
      const World::Fresh full = w.ask(w.model, shape);
      w.fw = some;
      const World::Fresh fresh = w.ask(w.model, shape);
      w.fw = all;
      std::vector<uint64_t> ids, found(w.sim->view().word_count());
      std::vector<uint8_t> numbers(w.model.size());
      for (const ModelNode& node : w.model) ids.push_back(node.id);
      REQUIRE(w.sim->check_many({&ref, 1}, ids, query, numbers.data()).ok());
      REQUIRE(w.sim->feasible(ref, query, found.data(), found.size()).ok());
      uint64_t first = 0;
      for (size_t i = 0; i < w.model.size(); ++i) {
        const Status& expected = fresh.of_node[i];
        const Result<SimVerdict> verdict = w.sim->check(ref, ids[i], query);
        REQUIRE(verdict.ok());
        CHECK(verdict->passed() == expected.success());
        CHECK((numbers[i] == 0) == expected.success());
        CHECK(has_bit(found, index_of(ids[i])) == expected.success());
        if (expected.success() && first == 0) first = ids[i];
        otherwise += expected.success() != full.of_node[i].success();
        const Result<SimVerdict> whole = w.sim->check(ref, ids[i], {});
        REQUIRE(whole.ok());
        CHECK(whole->passed() == full.of_node[i].success());
        if (!verdict->passed() && verdict->stage != SimStage::kPreFilterExcluded)
          CHECK(w.sim->texts().find(verdict->texts)->reasons == expected.reasons);
      }
      SimVerdict why;
      const Result<SimHit> hit = w.sim->first(ref, query, &why);
      REQUIRE(hit.ok());
      CHECK(hit->node == first);
      size_t copies = 0;
      REQUIRE(w.sim->copies(ref, {ids.data(), 1}, 3, query, &copies).ok());
      CHECK((copies != 0) == fresh.of_node[0].success());
      w.compare();
      w.change();
    }
    SimVerdict why;
    query.place = true;
    if (!w.model.empty()) CHECK(w.sim->first(w.pod_ref(1), query, &why).error().rc == Rc::kInvalid);
  }
  CHECK(otherwise > 100);
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
