// Random sequences of changes with nested forks, against a model without indexes, journals and
// columns: after every step everything that can be read must be equal.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

#include "libsched/cluster/cluster.hpp"
#include "libsched/cluster/node_match.hpp"
#include "tests/unit/rounds.hpp"

namespace libsched::cluster_model_test {

NodeRef make_node(const std::string& name, const std::map<std::string, std::string>& labels,
                  int64_t cpu, int64_t gpus, const std::string& taint, bool cordoned) {
  Ref<Node> n = make_ref<Node>();
  n->meta.name = n->arena.copy(name);
  n->meta.uid = n->meta.name;
  n->meta.key_hash = object_key_hash("", n->meta.name);
  std::vector<Label> list;
  for (const auto& [k, v] : labels) list.push_back(make_label(n->arena.copy(k), n->arena.copy(v)));
  n->meta.labels = n->arena.copy(list);
  std::vector<NamedQuantity> amounts = {{"cpu", Quantity::from_int(cpu)},
                                        {"memory", Quantity::from_int(cpu << 30)},
                                        {"pods", Quantity::from_int(8)}};
  if (gpus > 0) amounts.insert(amounts.begin() + 1, {"example.com/gpu", Quantity::from_int(gpus)});
  n->allocatable_list = n->arena.copy(amounts);
  if (!taint.empty())
    n->taints = n->arena.copy(
        std::vector<Taint>{{n->arena.copy(taint), "", TaintEffect::kNoSchedule, "NoSchedule"}});
  n->unschedulable = cordoned;
  derive_node(*n);
  return n;
}

PodRef make_pod(const std::string& name, int64_t milli, int64_t gpus, int32_t port, bool anti,
                int claim = 0) {
  Ref<Pod> p = make_ref<Pod>();
  p->meta.name = p->arena.copy(name);
  p->meta.ns = "default";
  p->meta.uid = p->meta.name;
  p->meta.key_hash = object_key_hash(p->meta.ns, p->meta.name);
  Container c;
  std::vector<NamedQuantity> amounts = {{"cpu", Quantity::from_milli(milli)}};
  if (gpus > 0) amounts.push_back({"example.com/gpu", Quantity::from_int(gpus)});
  c.requests = p->arena.copy(amounts);
  if (port > 0) c.ports = p->arena.copy(std::vector<ContainerPort>{{port, port, "", ""}});
  p->spec.containers = p->arena.copy(std::vector<Container>{c});
  if (anti) {
    p->spec.affinity_present = true;
    p->spec.pod_anti_affinity.present = true;
    p->spec.pod_anti_affinity.required = p->arena.copy(std::vector<PodAffinityTerm>(1));
  }
  if (claim > 0) {
    Volume v;
    v.kind = VolumeKind::kPersistentVolumeClaim;
    v.id = p->arena.copy("claim-" + std::to_string(claim));
    std::vector<Volume> volumes = {v};
    // Volumes other than claims with names are counted separately.
    if (claim == 1) volumes.push_back({.name = {}, .kind = VolumeKind::kEphemeral});
    if (claim == 2) volumes.push_back({.name = {}, .kind = VolumeKind::kOther});
    p->spec.volumes = p->arena.copy(volumes);
  }
  derive_pod(*p);
  return p;
}

ObjectRef make_volume(const std::string& name, const std::string& storage_class) {
  Ref<PersistentVolume> v = make_ref<PersistentVolume>();
  v->meta.name = v->arena.copy(name);
  v->meta.key_hash = object_key_hash("", v->meta.name);
  v->storage_class_name = v->arena.copy(storage_class);
  return v;
}

// The expected contents of the cluster.
struct Model {
  struct NodeState {
    NodeRef node;                   // null: only pods wait for it
    std::vector<std::string> pods;  // in upstream's order
    std::set<int32_t> ports;
  };
  std::map<std::string, NodeState> nodes;
  std::map<std::string, std::pair<PodRef, std::string>> pods;
  std::vector<std::pair<std::string, std::vector<std::string>>> zones;  // the node tree
  std::map<std::string, ObjectStore::Entry> volumes;

  static std::string zone_of(const Node& n) {
    const Label* l = find_label(n.meta.labels, "topology.kubernetes.io/zone");
    return l == nullptr ? "" : std::string(l->value);
  }
  void tree_add(const std::string& zone, const std::string& name) {
    for (auto& [z, list] : zones)
      if (z == zone) return list.push_back(name);
    zones.push_back({zone, {name}});
  }
  void tree_remove(const std::string& name) {
    for (auto& [z, list] : zones) std::erase(list, name);
    std::erase_if(zones, [](const auto& z) { return z.second.empty(); });
  }
  void put_node(const NodeRef& n) {
    const std::string name(n->meta.name);
    NodeState& s = nodes[name];
    if (!s.node) {
      tree_add(zone_of(*n), name);
    } else if (zone_of(*s.node) != zone_of(*n)) {
      tree_remove(name);
      tree_add(zone_of(*n), name);
    }
    s.node = n;
  }
  void drop_node(const std::string& name) {
    tree_remove(name);
    nodes[name].node = nullptr;
    if (nodes[name].pods.empty()) nodes.erase(name);
  }
  void put_pod(const PodRef& p, const std::string& node) {
    const std::string name(p->meta.name);
    pods[name] = {p, node};
    nodes[node].pods.push_back(name);
    for (const HostPort& h : p->host_ports) nodes[node].ports.insert(h.port);
  }
  void drop_pod(const std::string& name) {
    const auto [pod, node] = pods[name];
    pods.erase(name);
    NodeState& s = nodes[node];
    const auto it = std::find(s.pods.begin(), s.pods.end(), name);
    *it = s.pods.back();
    s.pods.pop_back();
    for (const HostPort& h : pod->host_ports) s.ports.erase(h.port);
    if (!s.node && s.pods.empty()) nodes.erase(node);
  }
  std::vector<std::string> order() const {
    std::vector<std::string> out;
    for (size_t i = 0;; ++i) {
      const size_t before = out.size();
      for (const auto& [zone, list] : zones)
        if (i < list.size()) out.push_back(list[i]);
      if (out.size() == before) return out;
    }
  }
};

void check_node(const View& view, uint32_t row, const Model& model,
                const Model::NodeState& expected) {
  const View::Row& r = view.row(row);
  REQUIRE(r.pods.size() == expected.pods.size());
  int64_t cpu = 0, gpus = 0;
  for (size_t i = 0; i < expected.pods.size(); ++i) {
    CHECK(view.slot(r.pods[i]).pod->meta.name == expected.pods[i]);
    CHECK(view.slot(r.pods[i]).position == i);
    const Pod& p = *model.pods.at(expected.pods[i]).first;
    cpu += p.occupied.milli_cpu;
    for (const ScalarAmount& s : p.occupied.scalars) gpus += s.value;
  }
  const Columns& c = view.columns();
  CHECK(c.requested(kCpu, row) == cpu);
  CHECK(c.requested(kPods, row) == static_cast<int64_t>(expected.pods.size()));
  const uint32_t gpu = c.find("example.com/gpu");
  if (gpu != kNoId) CHECK(c.requested(gpu, row) == gpus);
  std::set<int32_t> ports;
  for (const UsedPorts::Port& u : r.ports) ports.insert(u.port.port);
  CHECK(ports == expected.ports);
  CHECK(view.live().test(row) == static_cast<bool>(expected.node));
  if (!expected.node) {
    CHECK(r.labels.empty());
    CHECK(c.allocatable(kCpu, row) == 0);
    return;
  }
  CHECK(c.allocatable(kCpu, row) == expected.node->allocatable.milli_cpu);
  CHECK(view.unschedulable().test(row) == expected.node->unschedulable);
  for (const Label& l : expected.node->meta.labels) {
    const uint32_t pair = view.labels().find_pair(l.key, l.value, l.pair_hash);
    REQUIRE(pair != kNoId);
    CHECK(view.labels().pair(pair).rows.contains(row));
  }
}

void check_objects(const View& view, const Model& model) {
  const ObjectStore& store = view.objects();
  CHECK(store.count(StoredKind::kPersistentVolume) == model.volumes.size());
  std::map<std::string, std::vector<const Object*>> classes;
  for (const auto& [name, expected] : model.volumes) {
    const ObjectStore::Entry* e = store.entry(StoredKind::kPersistentVolume, "", name);
    REQUIRE(e != nullptr);
    CHECK(e->api == expected.api);
    CHECK(e->latest == expected.latest);
    const auto& latest = static_cast<const PersistentVolume&>(*expected.latest);
    classes[std::string(latest.storage_class())].push_back(&latest);
  }
  std::vector<const Object*> all;
  for (const char* name : {"a", "b", "c"}) {
    std::vector<const Object*> found;
    store.for_each_in<PersistentVolume>(name,
                                        [&](const PersistentVolume& v) { found.push_back(&v); });
    CHECK(found == classes[name]);
    all.insert(all.end(), found.begin(), found.end());
  }
  std::vector<const Object*> walked;
  store.for_each<PersistentVolume>([&](const PersistentVolume& v) { walked.push_back(&v); });
  CHECK(walked == all);
  for (int i = 1; i <= 4; ++i) {
    const std::string claim = "claim-" + std::to_string(i);
    uint32_t uses = 0;
    for (const auto& [name, where] : model.pods)
      for (const Str c : where.first->claim_names)
        uses += c == claim && model.nodes.at(where.second).node ? 1 : 0;
    CHECK(view.claim_uses("default", claim) == uses);
  }
  for (uint32_t r = 0; r < view.row_count(); ++r) {
    const View::Row& row = view.row(r);
    uint32_t volumes = 0, claiming = 0, inline_pods = 0;
    for (const uint32_t s : row.pods) {
      const Pod& pod = *view.slot(s).pod;
      bool named_claims = true;
      for (const Volume& v : pod.spec.volumes) {
        if (!may_count_for_driver(v.kind)) continue;
        ++volumes;
        named_claims =
            named_claims && v.kind == VolumeKind::kPersistentVolumeClaim && !v.id.empty();
      }
      claiming += pod.claim_names.empty() ? 0 : 1;
      inline_pods += named_claims ? 0 : 1;
    }
    CHECK(row.volumes.driver_volumes == volumes);
    CHECK(row.volumes.claiming_pods == claiming);
    CHECK(row.volumes.inline_pods == inline_pods);
  }
}

void check_all(const Cluster& cluster, const Model& model) {
  const View& view = cluster.view();
  size_t live = 0;
  for (const auto& [name, expected] : model.nodes) {
    const uint32_t row = view.find_row(name);
    REQUIRE(row != kNoId);
    live += expected.node ? 1 : 0;
    check_node(view, row, model, expected);
  }
  for (const auto& [name, where] : model.pods) {
    const uint32_t s = view.find_pod("default", name);
    REQUIRE(s != kNoId);
    CHECK(view.row(view.slot(s).row).name == where.second);
  }
  check_objects(view, model);
  CHECK(view.node_count() == live);
  CHECK(view.pod_count() == model.pods.size());
  CHECK(view.live().count() == live);
  // Every posting holds exactly the rows whose node has the label.
  for (const char* value : {"a", "b", "c"}) {
    const Label l = make_label("topology.kubernetes.io/zone", value);
    const uint32_t pair = view.labels().find_pair(l.key, l.value, l.pair_hash);
    size_t have = 0;
    for (const auto& [name, n] : model.nodes)
      have += n.node && Model::zone_of(*n.node) == value ? 1 : 0;
    CHECK((pair == kNoId ? 0 : view.labels().pair(pair).rows.count()) == have);
  }
}

void check_order(const Cluster& cluster, const Model& model) {
  std::vector<std::string> order;
  for (const uint32_t r : cluster.view().order()) order.push_back(cluster.view().row(r).name);
  CHECK(order == model.order());
}

void run_sequence(uint32_t seed, int steps) {
  std::mt19937 random(seed);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<uint32_t>(n)); };
  Ref<Cluster> cluster = make_ref<Cluster>();
  Model model;
  std::vector<Model> forks;
  std::vector<uint64_t> stamps;  // of volumes, when each fork was opened
  const StoredKind kind = StoredKind::kPersistentVolume;
  const auto stamp = [&] { return cluster->view().objects().stamp(kind); };
  const auto new_node = [&](const std::string& name) {
    std::map<std::string, std::string> labels = {{"kubernetes.io/hostname", name},
                                                 {"seed", std::to_string(pick(1000))}};
    if (pick(4) != 0)
      labels["topology.kubernetes.io/zone"] = std::string(1, static_cast<char>('a' + pick(3)));
    return make_node(name, labels, 1 + pick(16), pick(3),
                     pick(3) == 0 ? "t" + std::to_string(pick(3)) : "", pick(5) == 0);
  };
  for (int step = 0; step < steps; ++step) {
    const std::string node = "node-" + std::to_string(pick(12));
    const std::string pod = "pod-" + std::to_string(pick(40));
    const bool there = model.nodes.count(node) != 0 && model.nodes[node].node;
    if (model.nodes.count(node) != 0 && !model.nodes[node].node && model.nodes[node].pods.empty())
      model.nodes.erase(node);
    const std::string volume = "volume-" + std::to_string(pick(12));
    const bool stored = model.volumes.count(volume) != 0;
    const uint64_t before = stamp();
    switch (pick(14)) {
      case 0: {
        const NodeRef n = new_node(node);
        const Node* list[] = {n.get()};
        CHECK(cluster->add_nodes(list, 1).ok() == !there);
        if (!there) model.put_node(n);
        break;
      }
      case 1: {
        const NodeRef n = new_node(node);
        CHECK(cluster->update_node(n).ok());
        model.put_node(n);
        break;
      }
      case 2:
        CHECK(cluster->remove_node(node).ok() == there);
        if (there) model.drop_node(node);
        break;
      case 3:
      case 4:
      case 5: {
        // A batch in which one pod may exist already: then nothing changes.
        const PodRef a = make_pod(pod, pick(500), pick(2), pick(3) == 0 ? 80 + pick(3) : 0,
                                  pick(4) == 0, pick(5));
        const PodRef b = make_pod("pod-" + std::to_string(pick(40)), pick(500), 0, 0, false);
        const Pod* list[] = {a.get(), b.get()};
        const Str names[] = {node, node};
        const std::string second(b->meta.name);
        const bool free =
            model.pods.count(pod) == 0 && model.pods.count(second) == 0 && second != pod;
        CHECK(cluster->add_pods(list, names, 2).ok() == free);
        if (free) {
          model.put_pod(a, node);
          model.put_pod(b, node);
        }
        break;
      }
      case 6: {
        const PodRef p = make_pod(pod, pick(500), pick(2), 0, pick(4) == 0, pick(5));
        CHECK(cluster->update_pod(p, node).ok());
        if (model.pods.count(pod) != 0) model.drop_pod(pod);
        model.put_pod(p, node);
        break;
      }
      case 7:
        CHECK(cluster->remove_pod("default", pod).ok() == (model.pods.count(pod) != 0));
        if (model.pods.count(pod) != 0) model.drop_pod(pod);
        break;
      case 8:
        REQUIRE(cluster->fork().ok());
        forks.push_back(model);
        stamps.push_back(before);
        break;
      case 9: {
        const ObjectRef v = make_volume(volume, std::string(1, static_cast<char>('a' + pick(3))));
        CHECK(cluster->put_object(kind, v).ok());
        CHECK(stamp() != before);
        model.volumes[volume] = {v, v};
        break;
      }
      case 10:
        CHECK(cluster->remove_object(kind, "", volume).ok() == stored);
        CHECK((stamp() != before) == stored);
        model.volumes.erase(volume);
        break;
      case 11: {
        const ObjectRef v = make_volume(volume, std::string(1, static_cast<char>('a' + pick(3))));
        CHECK(cluster->assume_object(kind, v).ok() == stored);
        if (stored) model.volumes[volume].latest = v;
        break;
      }
      case 12:
        CHECK(cluster->restore_object(kind, "", volume).ok());
        if (stored) model.volumes[volume].latest = model.volumes[volume].api;
        break;
      default:
        if (forks.empty()) {
          CHECK(!cluster->revert().ok());
          CHECK(!cluster->commit().ok());
        } else if (pick(3) == 0) {
          CHECK(cluster->commit().ok());
          forks.pop_back();
          stamps.pop_back();
        } else {
          CHECK(cluster->revert().ok());
          model = forks.back();
          forks.pop_back();
          CHECK(stamp() == stamps.back());
          stamps.pop_back();
        }
    }
    check_all(*cluster, model);
    if (pick(5) == 0 && forks.empty()) {
      // A clone and a snapshot are equal to the original, and do not change with it.
      const Ref<Cluster> copy = cluster->clone();
      check_all(*copy, model);
    }
  }
}

TEST_CASE("random changes with nested forks agree with a naive model") {
  for (uint32_t seed = 1; seed <= rounds(2000); ++seed) {
    CAPTURE(seed);
    run_sequence(seed, 40);
  }
  for (uint32_t seed = 1; seed <= rounds(20); ++seed) {
    CAPTURE(seed);
    run_sequence(100000 + seed, 1500);
  }
}

TEST_CASE("the order list follows only nodes that come or go") {
  std::mt19937 random(7);
  Ref<Cluster> cluster = make_ref<Cluster>();
  Model model;
  for (int i = 0; i < 300; ++i) {
    const std::string name = "n" + std::to_string(random() % 30);
    const NodeRef n = make_node(
        name,
        {{"topology.kubernetes.io/zone", std::string(1, static_cast<char>('a' + random() % 4))}}, 4,
        0, "", false);
    const bool there = model.nodes.count(name) != 0;
    cluster->refresh();
    const std::vector<uint32_t> before = cluster->view().order();
    if (random() % 3 == 0 && there) {
      CHECK(cluster->remove_node(name).ok());
      model.drop_node(name);
    } else {
      CHECK(cluster->update_node(n).ok());
      model.put_node(n);
      if (there) {
        // Possibly another zone: the list stays until a node is added or removed.
        cluster->refresh();
        CHECK(cluster->view().order() == before);
        continue;
      }
    }
    cluster->refresh();
    check_order(*cluster, model);
    // A fork that is reverted does not change the list.
    const std::vector<uint32_t> kept = cluster->view().order();
    REQUIRE(cluster->fork().ok());
    const NodeRef extra = make_node("extra", {}, 4, 0, "", false);
    CHECK(cluster->update_node(extra).ok());
    cluster->refresh();
    CHECK(cluster->view().order().size() == kept.size() + 1);
    CHECK(cluster->revert().ok());
    CHECK(cluster->view().order() == kept);
  }
}

TEST_CASE("two clusters share nothing, and a snapshot outlives everything") {
  Ref<Cluster> one = make_ref<Cluster>();
  Ref<Cluster> two = make_ref<Cluster>();
  const NodeRef n = make_node("n", {{"k", "v"}}, 4, 1, "t", false);
  const Node* list[] = {n.get()};
  REQUIRE(one->add_nodes(list, 1).ok());
  CHECK(two->view().node_count() == 0);
  REQUIRE(one->fork().ok());
  const PodRef p = make_pod("p", 100, 0, 80, true);
  const Pod* pods[] = {p.get()};
  const Str names[] = {"n"};
  REQUIRE(one->add_pods(pods, names, 1).ok());
  const SnapshotRef snapshot = one->snapshot();
  CHECK(one->snapshot().get() == snapshot.get());
  REQUIRE(one->revert().ok());
  CHECK(one->view().pod_count() == 0);
  one = nullptr;
  CHECK(snapshot->view().pod_count() == 1);
  CHECK(snapshot->view().columns().requested(kCpu, snapshot->view().find_node("n")) == 100);
}

TEST_CASE("insertion order walks the nodes as they came") {
  Ref<Cluster> cluster = make_ref<Cluster>(NodeOrder::kInsertion);
  for (const char* name : {"c", "a", "b"})
    REQUIRE(
        cluster
            ->update_node(make_node(name, {{"topology.kubernetes.io/zone", name}}, 1, 0, "", false))
            .ok());
  REQUIRE(cluster->remove_node("a").ok());
  REQUIRE(cluster->update_node(make_node("a", {}, 1, 0, "", false)).ok());
  cluster->refresh();
  std::string order;
  for (const uint32_t r : cluster->view().order()) order += cluster->view().row(r).name;
  CHECK(order == "cba");
}

TEST_CASE("ids are taken back: new names for ever do not grow the tables") {
  Ref<Cluster> cluster = make_ref<Cluster>();
  size_t most = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string name = "node-" + std::to_string(i);
    REQUIRE(cluster
                ->update_node(make_node(name, {{"kubernetes.io/hostname", name}}, 1, 0,
                                        "taint-" + name, false))
                .ok());
    REQUIRE(cluster->remove_node(name).ok());
    most = std::max(most, cluster->view().labels().size());
  }
  CHECK(most <= 8200);
  CHECK(cluster->view().row_count() == 1);
}

}  // namespace libsched::cluster_model_test
