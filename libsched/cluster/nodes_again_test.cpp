// Nodes that come again: their labels and images are found by their serial numbers, also when the
// ids have other names by then, and in a copy.
#include <doctest/doctest.h>

#include "libsched/cluster/cluster.hpp"

namespace libsched::nodes_again_test {

NodeRef node(const std::string& name,
             const std::vector<std::pair<std::string, std::string>>& labels,
             const std::vector<std::string>& images) {
  Ref<Node> n = make_ref<Node>();
  n->meta.name = n->arena.copy(name);
  n->meta.uid = n->meta.name;
  n->meta.key_hash = object_key_hash("", n->meta.name);
  std::vector<Label> list;
  for (const auto& [key, value] : labels)
    list.push_back(make_label(n->arena.copy(key), n->arena.copy(value)));
  n->meta.labels = n->arena.copy(list);
  std::vector<ContainerImage> reported;
  for (const std::string& image : images)
    reported.push_back({n->arena.copy(std::vector<Str>{n->arena.copy(image)}), 1});
  n->images = n->arena.copy(reported);
  derive_node(*n);
  return n;
}

void add(Cluster* c, const NodeRef& n) {
  const Node* const one[] = {n.get()};
  REQUIRE(c->add_nodes(one, 1).ok());
}

// Whether exactly these nodes have the label, and the image.
void check(const Cluster& c, const Label& label, const std::string& image,
           const std::vector<std::string>& nodes) {
  const View& v = c.view();
  const uint32_t pair = v.labels().find_pair(label.key, label.value, label.pair_hash);
  REQUIRE(pair != kNoId);
  const Images::Image* const held = v.images().find(image);
  REQUIRE(held != nullptr);
  CHECK(v.labels().pair(pair).rows.count() == nodes.size());
  CHECK(held->holders.size() == nodes.size());
  for (const std::string& name : nodes) {
    const uint32_t row = v.find_node(name);
    REQUIRE(row != kNoId);
    CHECK(v.labels().pair(pair).rows.contains(row));
    bool holds = false;
    held->holders.for_each([&](size_t, const Images::Holder& h) { holds = holds || h.row == row; });
    CHECK(holds);
  }
}

TEST_CASE("a node that comes again has its labels and images") {
  Cluster c;
  const NodeRef a = node("a", {{"x", "1"}, {"y", "2"}, {"z", "3"}}, {"i", "j"});
  const NodeRef b = node("b", {{"u", "1"}, {"v", "2"}, {"y", "2"}}, {"k", "j"});
  std::vector<std::pair<std::string, std::string>> many_labels;
  std::vector<std::string> many_images;
  for (int i = 0; i < 5000; ++i) many_labels.emplace_back("l" + std::to_string(10000 + i), "");
  for (int i = 0; i < 5000; ++i) many_images.push_back("many-" + std::to_string(i));
  const NodeRef many = node("many", many_labels, many_images);
  for (int round = 0; round < 3; ++round) {
    CAPTURE(round);
    for (int again = 0; again < 2; ++again) {
      REQUIRE(c.fork().ok());
      add(&c, a);
      check(c, make_label("x", "1"), "i", {"a"});
      add(&c, b);
      check(c, make_label("y", "2"), "j", {"a", "b"});
      check(c, make_label("v", "2"), "k", {"b"});
      const Ref<Cluster> copy = c.clone();
      REQUIRE(copy->remove_node("a").ok());
      add(copy.get(), a);
      check(*copy, make_label("y", "2"), "j", {"a", "b"});
      REQUIRE(c.revert().ok());
    }
    // Enough unused ids are reclaimed; the next nodes get them.
    add(&c, many);
    REQUIRE(c.remove_node("many").ok());
    REQUIRE(c.fork().ok());
    REQUIRE(c.commit().ok());
    REQUIRE(c.view().images().size() == 0);
    REQUIRE(c.view().labels().size() == 0);
    const std::string name = std::to_string(round);
    add(&c, node("other", {{"p" + name, "1"}, {"q", name}, {"r", name}}, {"other", "image"}));
    REQUIRE(c.remove_node("other").ok());
  }
}

// More nodes come than are remembered.
TEST_CASE("nodes that are not remembered any more have their labels and images") {
  Cluster c;
  std::vector<NodeRef> nodes;
  for (int i = 0; i < 600; ++i) {
    const std::string n = std::to_string(i);
    nodes.push_back(node(n, {{"a", n}, {"b", std::to_string(i % 7)}}, {"image-" + n}));
  }
  for (int round = 0; round < 2; ++round) {
    REQUIRE(c.fork().ok());
    for (const NodeRef& n : nodes) add(&c, n);
    for (int i = 0; i < 600; ++i) {
      const std::string n = std::to_string(i);
      check(c, make_label("a", n), "image-" + n, {n});
    }
    REQUIRE(c.revert().ok());
  }
}

}  // namespace libsched::nodes_again_test
