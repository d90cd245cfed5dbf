// Snapshots: whatever happens to the cluster, each shows for ever what was there when it was taken;
// and one costs what has changed.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <new>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "libsched/base/failing_new_test.hpp"
#include "libsched/cluster/cluster.hpp"
#include "tests/unit/rounds.hpp"

namespace libsched::snapshot_test {

using Map = std::map<std::string, std::string>;

Labels copy_labels(Arena& arena, const Map& labels) {
  std::vector<Label> list;
  for (const auto& [k, v] : labels) list.push_back(make_label(arena.copy(k), arena.copy(v)));
  return arena.copy(list);
}

struct NodeSpec {
  std::string name;
  Map labels;
  int64_t cpu = 32;
  std::string scalar = {}, taint = {};
  std::vector<std::string> images = {};
  bool cordoned = false;
};

NodeRef make_node(const NodeSpec& spec) {
  Ref<Node> n = make_ref<Node>();
  n->meta.name = n->meta.uid = n->arena.copy(spec.name);
  n->meta.key_hash = object_key_hash("", n->meta.name);
  n->meta.labels = copy_labels(n->arena, spec.labels);
  std::vector<NamedQuantity> amounts = {{"cpu", Quantity::from_int(spec.cpu)},
                                        {"memory", Quantity::from_int(spec.cpu << 30)},
                                        {"pods", Quantity::from_int(110)}};
  if (!spec.scalar.empty())
    amounts.push_back({n->arena.copy("example.com/" + spec.scalar), Quantity::from_int(4)});
  n->allocatable_list = n->arena.copy(amounts);
  if (!spec.taint.empty())
    n->taints = n->arena.copy(std::vector<Taint>{
        {n->arena.copy(spec.taint), "", TaintEffect::kNoSchedule, "NoSchedule"}});
  std::vector<ContainerImage> images;
  for (const std::string& i : spec.images) {
    ContainerImage image;
    image.names = n->arena.copy(std::vector<Str>{n->arena.copy(i)});
    image.size_bytes = static_cast<int64_t>(i.size()) << 20;
    images.push_back(image);
  }
  n->images = n->arena.copy(images);
  n->unschedulable = spec.cordoned;
  derive_node(*n);
  return n;
}

struct PodShape {
  std::string name;
  Map labels;
  int64_t milli = 100;
  std::string scalar = {}, anti_to = {}, claim = {};
  int32_t port = 0;
};

PodRef make_pod(const PodShape& shape) {
  Ref<Pod> p = make_ref<Pod>();
  p->meta.name = p->meta.uid = p->arena.copy(shape.name);
  p->meta.ns = "default";
  p->meta.key_hash = object_key_hash(p->meta.ns, p->meta.name);
  p->meta.labels = copy_labels(p->arena, shape.labels);
  Container c;
  std::vector<NamedQuantity> amounts = {{"cpu", Quantity::from_milli(shape.milli)}};
  if (!shape.scalar.empty())
    amounts.push_back({p->arena.copy("example.com/" + shape.scalar), Quantity::from_int(1)});
  c.requests = p->arena.copy(amounts);
  if (shape.port != 0)
    c.ports = p->arena.copy(std::vector<ContainerPort>{{shape.port, shape.port, "", ""}});
  p->spec.containers = p->arena.copy(std::vector<Container>{c});
  if (!shape.anti_to.empty()) {
    PodAffinityTerm t;
    t.selector.present = true;
    t.selector.match_labels = copy_labels(p->arena, {{"app", shape.anti_to}});
    t.topology_key = "zone";
    p->spec.affinity_present = p->spec.pod_anti_affinity.present = true;
    p->spec.pod_anti_affinity.required = p->arena.copy(std::vector<PodAffinityTerm>{t});
  }
  if (!shape.claim.empty()) {
    Volume v;
    v.kind = VolumeKind::kPersistentVolumeClaim;
    v.id = p->arena.copy(shape.claim);
    p->spec.volumes = p->arena.copy(std::vector<Volume>{v});
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

Result<void> add(Cluster& cluster, const PodRef& pod, const std::string& node) {
  const Pod* pods[] = {pod.get()};
  const Str names[] = {node};
  return cluster.add_pods(pods, names, 1);
}

// Pods with this app; a key borrows its strings.
class AppKey {
 public:
  explicit AppKey(const std::string& app) : app_(app), label_(make_label("app", app_)) {
    key_.terms.resize(1);
    key_.terms[0].namespaces = {"default"};
    key_.terms[0].add(label_);
  }
  AppKey(const AppKey&) = delete;
  AppKey& operator=(const AppKey&) = delete;
  const CountKey& operator*() const { return key_; }

 private:
  std::string app_;
  Label label_;
  CountKey key_;
};

const std::vector<std::string> kApps = {"a", "b", "c"};

// Everything that can be read, as text.
class Described {
 public:
  explicit Described(const View& v) : v_(v) {
    for (uint32_t r = 0; r < v.row_count(); ++r) row(r);
    order();
    images();
    objects();
    terms();
    out_ << "\nnodes " << v.node_count() << " pods " << v.pod_count() << " version " << v.version()
         << ' ' << v.membership();
  }
  // Later changes of the cluster do not affect values that queries have prepared.
  Described& tables() {
    for (const std::string& app : kApps) {
      const CountsRef counts = v_.tables().counts(v_, *AppKey(app));
      out_ << "\ncounts " << app << ' ' << counts->total;
      counts->rows.for_each([&](size_t r, int32_t n) {
        if (n != 0) out_ << ' ' << r << ':' << n;
      });
      for (const Str key : {"zone", "host"}) {
        const TopologyRef column = v_.tables().topology(v_, key);
        const std::vector<uint64_t> all(v_.word_count(), ~uint64_t{0});
        const SumsRef sums = v_.tables().sums(counts, column, all);
        std::map<Str, std::pair<int32_t, int32_t>> by_value;
        for (size_t d = 0; d < column->domains.size(); ++d)
          if (column->domains[d].rows != 0)
            by_value[v_.labels().pair(column->domains[d].pair).value] = {sums->sum[d],
                                                                         (*sums->rows)[d]};
        for (const auto& [value, n] : by_value)
          out_ << ' ' << value << '=' << n.first << '/' << n.second;
        out_ << " min " << sums->min << 'x' << sums->at_min;
      }
    }
    return *this;
  }
  std::string text() const { return out_.str(); }

 private:
  void row(uint32_t r) {
    const View::Row& row = v_.row(r);
    if (!row.used) return;
    out_ << '\n' << r << ' ' << row.name << (v_.find_row(row.name) == r ? "" : " LOST");
    for (const uint32_t s : row.pods) {
      const View::Slot& slot = v_.slot(s);
      const ObjectMeta& meta = slot.pod->meta;
      out_ << ' ' << s << '=' << meta.name << '@' << slot.row << '.' << slot.position
           << (slot.assumed ? "?" : "") << (v_.find_pod(meta.ns, meta.name) == s ? "" : " LOST");
    }
    for (const UsedPorts::Port& p : row.ports) out_ << " :" << p.port.port;
    out_ << ' ' << row.volumes.claiming_pods << row.volumes.driver_volumes
         << row.volumes.inline_pods;
    const Columns& c = v_.columns();
    for (uint32_t id = 0; id < c.count(); ++id)
      if (c.allocatable(id, r) != 0 || c.left(id, r) != 0)  // names outlive their use
        out_ << ' ' << c.resource(id).name << ' ' << c.allocatable(id, r) << ' ' << c.left(id, r)
             << ' ' << c.left_column(id)[r];
    out_ << ' ' << c.nonzero_column(kCpu)[r] << ' ' << c.nonzero_column(kMemory)[r];
    out_ << ' ' << v_.live().test(r) << v_.unschedulable().test(r) << v_.rows_with_ports().test(r);
    if (!row.node) return;
    out_ << ' ' << row.node.get() << ' ' << row.zone.substr(row.zone.rfind(':') + 1);
    for (const uint32_t pair : row.labels) {
      const LabelIndex::Pair& p = v_.labels().pair(pair);
      const LabelIndex::Key& k = v_.labels().key(p.key);
      out_ << ' ' << k.text << '=' << p.value << p.rows.contains(r) << k.rows.contains(r) << '/'
           << p.rows.count() << '/' << k.rows.count();
    }
    if (row.taint_set != kNoId) {
      const TaintSets::Set& set = v_.taint_sets().sets()[row.taint_set];
      out_ << " taint " << set.taints[0].key << set.rows.contains(r) << set.rows.count();
    }
  }
  void order() {
    out_ << "\norder";
    for (const uint32_t r : v_.order()) out_ << ' ' << r;
  }
  void images() {
    for (const char* name : {"i0", "i1", "i2", "i3"}) {
      const Images::Image* image = v_.images().find(name);
      if (image == nullptr) continue;
      out_ << '\n' << name << ' ' << image->size;
      std::map<uint32_t, uint32_t> holders;
      image->holders.for_each([&](size_t, const Images::Holder& h) { holders[h.row] = h.nodes; });
      for (const auto& [row, nodes] : holders) out_ << ' ' << row << ':' << nodes;
    }
  }
  void objects() {
    out_ << "\nobjects " << v_.objects().count(StoredKind::kPersistentVolume) << ' '
         << v_.objects().stamp(StoredKind::kPersistentVolume);
    v_.objects().for_each<PersistentVolume>([&](const PersistentVolume& o) {
      out_ << ' ' << o.meta.name << '=' << &o
           << v_.objects().entry(StoredKind::kPersistentVolume, "", o.meta.name)->assumed();
    });
    for (const char* claim : {"c0", "c1", "c2"}) out_ << ' ' << v_.claim_uses("default", claim);
  }
  void terms() {
    for (const std::string& app : kApps) {
      const PodRef probe = make_pod({"probe", {{"app", app}}});
      std::map<uint32_t, int32_t> found;
      v_.existing_terms().for_each_anti(*probe, {}, [&](const ExistingTerms::Term& t) {
        t.rows.for_each([&](uint32_t r, int32_t n) { found[r] += n; });
      });
      out_ << "\nterms " << app;
      for (const auto& [r, n] : found) out_ << ' ' << r << ':' << n;
    }
  }

  const View& v_;
  std::ostringstream out_;
};

// The first line in which two descriptions differ; empty: none.
std::string difference(const std::string& a, const std::string& b) {
  if (a == b) return {};
  std::istringstream lines_a(a), lines_b(b);
  std::string x, y;
  do {
    x = y = "nothing";
    std::getline(lines_a, x);
    std::getline(lines_b, y);
  } while (x == y);
  return x + "\ninstead of\n" + y;
}

class Changes {
 public:
  explicit Changes(uint32_t seed, int nodes) : random_(seed), nodes_(nodes) {}

  int pick(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  // One change at random, which may be refused or run out of memory.
  void step(Cluster& cluster) {
    const std::string node = "node-" + std::to_string(pick(nodes_));
    const std::string pod = "pod-" + std::to_string(pick(4 * nodes_));
    const std::string volume = "volume-" + std::to_string(pick(8));
    switch (pick(14)) {
      case 0:
      case 1: (void)cluster.update_node(any_node(node)); break;
      case 2: (void)cluster.remove_node(node); break;
      case 3:
      case 4:
      case 5:
      case 6: (void)add(cluster, any_pod(pod), node); break;
      case 7: (void)cluster.update_pod(any_pod(pod), node); break;
      case 8:
      case 9: (void)cluster.remove_pod("default", pod); break;
      case 10: (void)cluster.assume(*any_pod(pod), node); break;
      case 11: (void)cluster.put_object(StoredKind::kPersistentVolume, any_volume(volume)); break;
      case 12:
        (void)cluster.assume_object(StoredKind::kPersistentVolume, any_volume(volume));
        break;
      default: (void)cluster.remove_object(StoredKind::kPersistentVolume, "", volume);
    }
  }

 private:
  std::string letter(int n) { return std::string(1, static_cast<char>('a' + pick(n))); }
  NodeRef any_node(const std::string& name) {
    NodeSpec spec{name, {{"host", name}, {"seed", std::to_string(pick(50))}}, 1 + pick(64)};
    if (pick(4) != 0) spec.labels["zone"] = letter(3);
    if (pick(4) != 0) spec.labels["topology.kubernetes.io/zone"] = letter(3);
    if (pick(3) == 0) spec.scalar = letter(6);
    if (pick(3) == 0) spec.taint = letter(3);
    spec.cordoned = pick(4) == 0;
    for (int i = 0; i < 4; ++i)
      if (pick(2) == 0) spec.images.push_back("i" + std::to_string(i));
    return make_node(spec);
  }
  PodRef any_pod(const std::string& name) {
    PodShape shape{name, {{"app", letter(3)}}, pick(500)};
    if (pick(4) == 0) shape.scalar = letter(6);
    if (pick(3) == 0) shape.anti_to = letter(3);
    if (pick(4) == 0) shape.claim = "c" + std::to_string(pick(3));
    if (pick(4) == 0) shape.port = 80 + pick(3);
    return make_pod(shape);
  }
  ObjectRef any_volume(const std::string& name) { return make_volume(name, letter(3)); }

  std::mt19937 random_;
  int nodes_;
};

struct Kept {
  SnapshotRef snapshot;
  std::string bare, with_tables;
};

void check(const Kept& kept) {
  const View& view = kept.snapshot->view();
  REQUIRE(difference(Described(view).text(), kept.bare) == "");
  REQUIRE(difference(Described(view).tables().text(), kept.with_tables) == "");
}

// Random changes, forks, commits, reverts and snapshots; with `failing`, memory runs out at random.
void run(uint32_t seed, int nodes, int steps, bool failing) {
  CAPTURE(seed);
  Changes changes(seed, nodes);
  const Ref<Cluster> cluster = make_ref<Cluster>();
  std::vector<Kept> kept;
  std::vector<std::string> forks;  // what was there when each was opened
  const auto with_little_memory = [&](auto&& change) {
    const std::string before = failing ? Described(cluster->view()).text() : "";
    allocations_left = failing && changes.pick(3) == 0 ? changes.pick(60) : -1;
    bool ran_out = false;
    try {
      change();
    } catch (const std::bad_alloc&) {
      ran_out = true;
    }
    allocations_left = -1;
    if (ran_out) REQUIRE(difference(Described(cluster->view()).text(), before) == "");
    return !ran_out;
  };
  for (int i = 0; i < steps; ++i) {
    switch (changes.pick(16)) {
      case 0:
        if (forks.size() < 3) {
          forks.push_back(Described(cluster->view()).text());
          REQUIRE(cluster->fork().ok());
        }
        break;
      case 1:
        if (forks.empty()) break;
        // Undoing needs no memory.
        allocations_left = failing ? 0 : -1;
        REQUIRE(cluster->revert().ok());
        allocations_left = -1;
        REQUIRE(difference(Described(cluster->view()).text(), forks.back()) == "");
        forks.pop_back();
        break;
      case 2:
        if (forks.empty()) break;
        REQUIRE(cluster->commit().ok());
        forks.pop_back();
        break;
      case 3:
      case 4: {
        if (changes.pick(2) == 0) cluster->refresh();
        const std::string before = Described(cluster->view()).text();
        Kept k;
        if (!with_little_memory([&] { k.snapshot = cluster->snapshot(); })) break;
        k.bare = Described(k.snapshot->view()).text();
        REQUIRE(difference(k.bare, Described(cluster->view()).text()) == "");
        if (changes.pick(2) == 0) Described(cluster->view()).tables();
        k.with_tables = Described(k.snapshot->view()).tables().text();
        kept.push_back(std::move(k));
        break;
      }
      case 5:
        if (kept.empty()) break;
        kept.erase(kept.begin() + changes.pick(static_cast<int>(kept.size())));
        break;
      case 6: {
        const Ref<Cluster> clone = cluster->clone();
        const std::string before = Described(cluster->view()).text();
        Changes others(seed + static_cast<uint32_t>(i), nodes);
        for (int k = 0; k < 5; ++k) others.step(*clone);
        REQUIRE(difference(Described(cluster->view()).text(), before) == "");
        break;
      }
      default: with_little_memory([&] { changes.step(*cluster); });
    }
    if (i % 8 == 0)
      for (const Kept& k : kept) check(k);
  }
  while (!forks.empty()) {
    REQUIRE(cluster->revert().ok());
    REQUIRE(difference(Described(cluster->view()).text(), forks.back()) == "");
    forks.pop_back();
  }
  for (const Kept& k : kept) check(k);
  // Counts that follow changes equal the counts of a new cluster.
  const SnapshotRef last = cluster->snapshot();
  REQUIRE(difference(Described(cluster->view()).tables().text(),
                     Described(last->view()).tables().text()) == "");
}

TEST_CASE("snapshots show for ever what was there, under forks, commits and reverts") {
  for (uint32_t seed = 1; seed <= rounds(60); ++seed) run(seed, 6, 150, false);
  for (uint32_t seed = 1; seed <= rounds(3); ++seed) run(1000 + seed, 200, 600, false);
}

TEST_CASE("snapshots show what was there, and so does the cluster, also when memory runs out") {
  for (uint32_t seed = 1; seed <= rounds(60); ++seed) run(2000 + seed, 6, 150, true);
  for (uint32_t seed = 1; seed <= rounds(2); ++seed) run(3000 + seed, 80, 600, true);
}

TEST_CASE("snapshots are read and dropped on threads while the cluster changes") {
  Changes changes(7, 40);
  const Ref<Cluster> cluster = make_ref<Cluster>();
  for (int i = 0; i < 300; ++i) changes.step(*cluster);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int round = 0; round < 40; ++round) {
    SnapshotRef snapshot = cluster->snapshot();
    const std::string bare = Described(snapshot->view()).text();
    for (int t = 0; t < 2; ++t)
      threads.emplace_back([snapshot, bare, &wrong] {
        if (Described(snapshot->view()).text() != bare) ++wrong;
        const std::string with_tables = Described(snapshot->view()).tables().text();
        if (Described(snapshot->view()).tables().text() != with_tables) ++wrong;
      });
    snapshot = nullptr;
    for (int i = 0; i < 20; ++i) changes.step(*cluster);
    if (threads.size() < 6) continue;
    for (std::thread& t : threads) t.join();
    threads.clear();
  }
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}

// --- what a snapshot costs: bytes, not time ---

constexpr int kNodes = 15'000, kPods = 150'000, kSelectors = 20;

NodeSpec large_node(int i) {
  return {"node-" + std::to_string(i),
          {{"host", "node-" + std::to_string(i)},
           {"zone", "zone-" + std::to_string(i % 10)},
           {"disk", i % 2 == 0 ? "ssd" : "hdd"},
           {"kind", "kind-" + std::to_string(i % 7)}},
          32,
          {},
          {},
          {"i0", "i1", "image-" + std::to_string(i % 50)}};
}

Ref<Cluster> large_cluster() {
  Ref<Cluster> cluster = make_ref<Cluster>();
  std::vector<NodeRef> nodes;
  std::vector<const Node*> node_list;
  for (int i = 0; i < kNodes; ++i)
    node_list.push_back(nodes.emplace_back(make_node(large_node(i))).get());
  REQUIRE(cluster->add_nodes(node_list.data(), node_list.size()).ok());
  std::vector<PodRef> pods;
  std::vector<const Pod*> pod_list;
  std::vector<Str> names;
  for (int i = 0; i < kPods; ++i) {
    PodShape shape{"pod-" + std::to_string(i),
                   {{"app", "app-" + std::to_string(i % kSelectors)}, {"tier", "all"}}};
    if (i % 20 == 0) shape.anti_to = "app-" + std::to_string(i % 7);
    pod_list.push_back(pods.emplace_back(make_pod(shape)).get());
    names.push_back(nodes[static_cast<size_t>(i % kNodes)]->meta.name);
  }
  REQUIRE(cluster->add_pods(pod_list.data(), names.data(), pod_list.size()).ok());
  return cluster;
}

// Half of the selectors count every pod.
void ask(const View& view) {
  const std::vector<uint64_t> all(view.word_count(), ~uint64_t{0});
  for (int i = 0; i < kSelectors; ++i) {
    const AppKey of_app("app-" + std::to_string(i));
    const std::string other = "another-" + std::to_string(i);
    CountKey of_all;
    of_all.terms.resize(1);
    of_all.terms[0].namespaces = {"default", other};
    const CountsRef counts = view.tables().counts(view, i % 2 == 0 ? of_all : *of_app);
    for (const Str topology : {"zone", "host"})
      view.tables().sums(counts, view.tables().topology(view, topology), all);
  }
}

TEST_CASE("a snapshot costs what changed, not what the cluster holds" *
          doctest::skip(sanitized())) {
  const Ref<Cluster> cluster = large_cluster();
  ask(cluster->view());
  REQUIRE(cluster->view().tables().count_tables() == kSelectors);
  std::vector<SnapshotRef> kept = {cluster->snapshot()};
  std::vector<PodRef> pods;
  for (int i = 0; i < 20; ++i)
    pods.push_back(make_pod({"new-" + std::to_string(i), {{"app", "app-1"}, {"tier", "all"}}}));
  for (int i = 0; i < 20; ++i) {
    const std::string node = "node-" + std::to_string(i * 701);
    const size_t before = bytes_taken;
    REQUIRE(add(*cluster, pods[static_cast<size_t>(i)], node).ok());
    kept.push_back(cluster->snapshot());
    const size_t cost = bytes_taken - before;
    CAPTURE(cost);
    CHECK(cost <= size_t{64} << 10);
    // The twenty selectors are alive in it, and right.
    const View& view = kept.back()->view();
    CHECK(view.tables().counts(view, *AppKey("app-1"))->total == kPods / kSelectors + i + 1);
    CHECK(view.tables().count_tables() == kSelectors);
  }
  // The labels of one node.
  NodeSpec spec = large_node(77);
  spec.labels["disk"] = "another";
  const NodeRef node = make_node(spec);
  const size_t before = bytes_taken;
  REQUIRE(cluster->update_node(node).ok());
  kept.push_back(cluster->snapshot());
  const size_t cost = bytes_taken - before;
  CAPTURE(cost);
  CHECK(cost <= size_t{512} << 10);
  for (size_t i = 1; i + 1 < kept.size(); ++i) CHECK(kept[i]->view().pod_count() == kPods + i);
}

TEST_CASE("a revert after a snapshot within a fork gives back the rows that the fork changed") {
  const Ref<Cluster> cluster = make_ref<Cluster>();
  for (int i = 0; i < 200; ++i) REQUIRE(cluster->update_node(make_node(large_node(i))).ok());
  REQUIRE(cluster->fork().ok());
  REQUIRE(add(*cluster, make_pod({"p", {{"app", "a"}}}), "node-70").ok());
  const SnapshotRef within = cluster->snapshot();
  REQUIRE(cluster->revert().ok());
  const uint32_t row = cluster->view().find_node("node-70");
  CHECK(within->view().columns().requested(kCpu, row) == 100);
  CHECK(within->view().find_pod("default", "p") != kNoId);
  CHECK(cluster->view().columns().requested(kCpu, row) == 0);
  CHECK(cluster->view().find_pod("default", "p") == kNoId);
}

}  // namespace libsched::snapshot_test
