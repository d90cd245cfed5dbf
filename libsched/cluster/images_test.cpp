// Images: sizes of the first reporter, numbers as of the row's last refresh, and forks whose revert
// restores everything.
#include "libsched/cluster/images.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <set>

#include "libsched/cluster/cluster.hpp"
#include "libsched/base/failing_new_test.hpp"
#include "libsched/ingest/ingest.hpp"

namespace libsched::images_test {

using List = std::vector<std::pair<std::string, int64_t>>;

NodeRef node(const std::string& name, const List& images) {
  Ref<Node> n = make_ref<Node>();
  n->meta.name = n->arena.copy(name);
  n->meta.uid = n->meta.name;
  n->meta.key_hash = object_key_hash("", n->meta.name);
  std::vector<ContainerImage> list;
  for (const auto& [image, size] : images)
    list.push_back({n->arena.copy(std::vector<Str>{n->arena.copy(image)}), size});
  n->images = n->arena.copy(list);
  derive_node(*n);
  return n;
}

PodRef pod(const std::string& name) {
  Ref<Pod> p = make_ref<Pod>();
  p->meta.name = p->arena.copy(name);
  p->meta.ns = "d";
  p->meta.key_hash = object_key_hash(p->meta.ns, p->meta.name);
  derive_pod(*p);
  return p;
}

// "size:row=nodes,..." by node name; "" if no node has it.
std::string shown(const Cluster& c, const std::string& image) {
  const Images::Image* i = c.view().images().find(image);
  if (i == nullptr) return "";
  std::map<std::string, uint32_t> numbers;
  i->holders.for_each(
      [&](size_t, const Images::Holder& h) { numbers[c.view().row(h.row).name] = h.nodes; });
  std::string out = std::to_string(i->size) + ":";
  for (const auto& [name, n] : numbers) out += " " + name + "=" + std::to_string(n);
  return out;
}

// Informers send no event for unchanged objects. An update of upstream's cache would count here.
TEST_CASE("applying an unchanged node does not count its images anew; updating it does") {
  const auto parsed = [](const char* name) {
    Result<ObjectSet> set =
        parse_objects(std::string("{apiVersion: v1, kind: Node, metadata: {name: ") + name +
                          "}, status: {images: [{names: [x], sizeBytes: 10}]}}",
                      {});
    REQUIRE(set.ok());
    return std::move(*set);
  };
  Cluster c;
  REQUIRE(c.apply(parsed("a")).ok());
  c.refresh();
  REQUIRE(c.apply(parsed("b")).ok());
  c.refresh();
  CHECK(shown(c, "x") == "10: a=1 b=2");
  const uint64_t version = c.view().version();
  REQUIRE(c.apply(parsed("a")).ok());
  c.refresh();
  CHECK(shown(c, "x") == "10: a=1 b=2");
  CHECK(c.view().version() == version);
  REQUIRE(c.update_node(parsed("a").nodes[0]).ok());
  c.refresh();
  CHECK(shown(c, "x") == "10: a=2 b=2");
}

TEST_CASE(
    "nodes with equal lists of images, and with other lists of the same hash, have their own") {
  Cluster c;
  const auto add = [&](const char* name, const List& images) {
    const NodeRef n = node(name, images);
    const_cast<Node&>(*n).images_hash = 7;
    REQUIRE(c.update_node(n).ok());
  };
  add("a", {{"x", 1}, {"y", 2}});
  add("b", {{"x", 5}, {"y", 6}});
  add("c", {{"y", 8}, {"z", 9}});
  add("d", {{"y", 8}});
  add("e", {{"x", 1}, {"y", 2}, {"z", 3}});
  c.refresh();
  CHECK(shown(c, "x") == "1: a=3 b=3 e=3");
  CHECK(shown(c, "y") == "2: a=5 b=5 c=5 d=5 e=5");
  CHECK(shown(c, "z") == "9: c=2 e=2");
}

TEST_CASE("an image whose id was reclaimed gets another one") {
  Cluster c;
  List many;
  for (int i = 0; i < 5000; ++i) many.push_back({"image-" + std::to_string(i), 1});
  REQUIRE(c.update_node(node("a", {{"", 7}})).ok());
  REQUIRE(c.update_node(node("many", many)).ok());
  REQUIRE(c.remove_node("a").ok());
  REQUIRE(c.remove_node("many").ok());
  REQUIRE(c.fork().ok());
  REQUIRE(c.commit().ok());
  REQUIRE(c.view().images().size() == 0);
  REQUIRE(c.update_node(node("b", {{"", 8}})).ok());
  c.refresh();
  CHECK(shown(c, "") == "8: b=1");
}

TEST_CASE("rows without images can be refreshed after a node's ran out of memory") {
  bool done = false;
  for (long allocations = 0; !done; ++allocations) {
    Cluster c;
    for (const char* name : {"with", "b", "c"})
      REQUIRE(c.update_node(node(name, name == Str("with") ? List{{"x", 1}} : List())).ok());
    c.refresh();
    const NodeRef last = node("last", {{"x", 1}, {"y", 2}});
    const PodRef one = pod("one");
    allocations_left = allocations;
    try {
      done = c.update_node(last).ok();
    } catch (const std::bad_alloc&) {
      done = false;
    }
    allocations_left = -1;
    REQUIRE(c.update_pod(one, "c").ok());  // whose row is stale now
    c.refresh();
    CHECK(shown(c, "x") == (done ? "1: last=2 with=1" : "1: with=1"));
    REQUIRE(c.update_node(last).ok());
    c.refresh();
    CHECK(shown(c, "y") == "2: last=1");
  }
}

TEST_CASE("the size is that of the first reporter") {
  Cluster c;
  REQUIRE(c.update_node(node("a", {{"x", 10}, {"x", 11}})).ok());
  REQUIRE(c.update_node(node("b", {{"x", 20}})).ok());
  c.refresh();
  CHECK(shown(c, "x") == "10: a=2 b=2");
  REQUIRE(c.remove_node("a").ok());
  c.refresh();
  CHECK(shown(c, "x") == "10: b=2");  // b has not changed
  REQUIRE(c.fork().ok());
  REQUIRE(c.remove_node("b").ok());
  CHECK(shown(c, "x") == "");
  REQUIRE(c.update_node(node("c", {{"x", 30}})).ok());
  c.refresh();
  CHECK(shown(c, "x") == "30: c=1");
  REQUIRE(c.revert().ok());
  CHECK(shown(c, "x") == "10: b=2");
  // The only node with the image reports again.
  REQUIRE(c.update_node(node("b", {{"x", 40}})).ok());
  c.refresh();
  CHECK(shown(c, "x") == "40: b=1");
}

TEST_CASE("numbers are those of the last refresh after a change of the node") {
  Cluster c;
  REQUIRE(c.update_node(node("a", {{"x", 1}})).ok());
  REQUIRE(c.update_node(node("b", {{"x", 1}})).ok());
  c.refresh();
  REQUIRE(c.update_node(node("c", {{"x", 1}})).ok());
  c.refresh();
  CHECK(shown(c, "x") == "1: a=2 b=2 c=3");
  // Pods that are added, removed or changed also update their node.
  const PodRef p = pod("p");
  REQUIRE(c.update_pod(p, "a").ok());
  CHECK(shown(c, "x") == "1: a=2 b=2 c=3");
  c.refresh();
  CHECK(shown(c, "x") == "1: a=3 b=2 c=3");
  REQUIRE(c.remove_node("c").ok());
  REQUIRE(c.fork().ok());
  REQUIRE(c.remove_pod("d", "p").ok());
  c.refresh();
  CHECK(shown(c, "x") == "1: a=2 b=2");
  REQUIRE(c.update_pod(p, "b").ok());
  REQUIRE(c.revert().ok());
  CHECK(shown(c, "x") == "1: a=3 b=2");
  c.refresh();
  CHECK(shown(c, "x") == "1: a=3 b=2");  // nothing is stale now
  // Rows that are stale before a fork are stale after it.
  REQUIRE(c.update_node(node("c", {{"x", 1}})).ok());
  REQUIRE(c.update_pod(p, "b").ok());
  REQUIRE(c.fork().ok());
  c.refresh();
  REQUIRE(c.revert().ok());
  CHECK(shown(c, "x") == "1: a=3 b=2 c=0");
  c.refresh();
  CHECK(shown(c, "x") == "1: a=3 b=3 c=3");
  const SnapshotRef snapshot = c.snapshot();
  CHECK(snapshot->view().images().find("x")->holders.size() == 3);
}

// The contents of upstream's cache and snapshot.
struct Model {
  struct State {
    int64_t size;
    std::set<std::string> nodes;
  };
  std::map<std::string, std::set<std::string>> images;  // of a node
  std::map<std::string, State> states;
  std::map<std::string, std::map<std::string, uint32_t>> snapshot;  // node, image
  std::set<std::string> changed;
  std::map<std::string, std::string> pods;

  void drop(const std::string& name) {
    for (const std::string& i : images[name]) {
      states[i].nodes.erase(name);
      if (states[i].nodes.empty()) states.erase(i);
    }
    images.erase(name);
    snapshot.erase(name);
  }
  void put(const std::string& name, const List& list) {
    const auto old = snapshot[name];
    drop(name);
    for (const auto& [image, size] : list) {
      const auto it = states.try_emplace(image, State{size, {}}).first;
      it->second.nodes.insert(name);
      images[name].insert(image);
    }
    images[name];
    changed.insert(name);
  }
  void refresh() {
    for (const std::string& name : changed)
      if (images.count(name) != 0) {
        snapshot[name].clear();
        for (const std::string& i : images[name])
          snapshot[name][i] = static_cast<uint32_t>(states[i].nodes.size());
      }
    changed.clear();
  }
};

TEST_CASE("random changes with nested forks equal upstream's counting") {
  std::mt19937_64 random(7);
  Cluster c;
  Model m;
  std::vector<Model> forks;
  const auto any_node = [&] { return "n" + std::to_string(random() % 8); };
  size_t compared = 0;
  for (int step = 0; step < 20000; ++step) {
    switch (random() % 9) {
      case 0:
      case 1: {
        List list;
        for (int i = 0; i < 5; ++i)
          if (random() % 2 == 0)
            list.push_back(
                {"i" + std::to_string(random() % 6), static_cast<int64_t>(random() % 90)});
        const std::string name = any_node();
        REQUIRE(c.update_node(node(name, list)).ok());
        m.put(name, list);
        break;
      }
      case 2: {
        const std::string name = any_node();
        const bool there = m.images.count(name) != 0;
        CHECK(c.remove_node(name).ok() == there);
        if (there) m.drop(name);
        break;
      }
      case 3:
      case 4: {
        const std::string name = "p" + std::to_string(random() % 6), on = any_node();
        REQUIRE(c.update_pod(pod(name), on).ok());
        if (m.pods.count(name) != 0) m.changed.insert(m.pods[name]);
        m.pods[name] = on;
        m.changed.insert(on);
        break;
      }
      case 5: {
        const std::string name = "p" + std::to_string(random() % 6);
        CHECK(c.remove_pod("d", name).ok() == (m.pods.count(name) != 0));
        if (m.pods.count(name) != 0) m.changed.insert(m.pods[name]);
        m.pods.erase(name);
        break;
      }
      case 6:
        c.refresh();
        m.refresh();
        break;
      case 7:
        if (forks.size() >= 4) break;
        REQUIRE(c.fork().ok());
        forks.push_back(m);
        break;
      default:
        if (forks.empty()) break;
        if (random() % 3 == 0) {
          REQUIRE(c.commit().ok());
        } else {
          REQUIRE(c.revert().ok());
          m = forks.back();
        }
        forks.pop_back();
    }
    for (int i = 0; i < 6; ++i) {
      const std::string name = "i" + std::to_string(i);
      const Images::Image* image = c.view().images().find(name);
      REQUIRE((image != nullptr) == (m.states.count(name) != 0));
      if (image == nullptr) continue;
      REQUIRE(image->size == m.states[name].size);
      REQUIRE(image->holders.size() == m.states[name].nodes.size());
      for (size_t k = 0; k < image->holders.size(); ++k) {
        const Images::Holder& h = image->holders[k];
        const std::string on = c.view().row(h.row).name;
        REQUIRE(m.states[name].nodes.count(on) != 0);
        if (m.changed.count(on) != 0) continue;  // upstream would copy it first
        REQUIRE(h.nodes == m.snapshot[on][name]);
        ++compared;
      }
    }
  }
  CHECK(compared > 10000);
}

}  // namespace libsched::images_test
