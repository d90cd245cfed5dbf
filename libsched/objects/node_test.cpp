// Derived fields and copies of nodes.
#include "libsched/objects/node.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace libsched::node_test {

Ref<Node> make_node(const std::vector<Taint>& taints) {
  Ref<Node> node = make_ref<Node>();
  Arena& arena = node->arena;
  node->meta.name = arena.copy("node-1");
  const std::vector<Label> labels = {make_label("kubernetes.io/hostname", arena.copy("node-1")),
                                     make_label("zone", arena.copy("a"))};
  node->meta.labels = arena.copy(labels);
  node->taints = arena.copy(taints);
  const std::vector<NamedQuantity> allocatable = {{"cpu", Quantity::from_int(4)},
                                                  {"pods", Quantity::from_int(110)}};
  node->allocatable_list = arena.copy(allocatable);
  derive_node(*node);
  return node;
}

TEST_CASE("derive_node") {
  const Taint a{"a", "1", TaintEffect::kNoSchedule, "NoSchedule"};
  const Taint b{"b", "", TaintEffect::kOther, "X"};
  const Ref<Node> node = make_node({a, b});
  CHECK(node->serial > 0);
  CHECK(node->allocatable.milli_cpu == 4000);
  CHECK(node->allocatable.pods == 110);

  CHECK(make_node({a, b})->taints_hash == node->taints_hash);
  const std::vector<std::vector<Taint>> others = {
      {},
      {a},
      {b, a},
      {a, {"b", "", TaintEffect::kOther, "Y"}},
      {{"a", "2", TaintEffect::kNoSchedule, "NoSchedule"}, b},
      {{"a1", "", TaintEffect::kNoSchedule, "NoSchedule"}, b},
      {{"a", "1", TaintEffect::kNoExecute, "NoExecute"}, b},
  };
  for (const auto& taints : others) CHECK(make_node(taints)->taints_hash != node->taints_hash);
}

TEST_CASE("the zone key has region and zone, the beta labels first") {
  const auto key = [](const std::vector<Label>& labels) {
    Ref<Node> node = make_ref<Node>();
    node->meta.labels = node->arena.copy(labels);
    derive_node(*node);
    CHECK(copy_node(*node, "copy", "u")->zone_key == node->zone_key);
    return std::string(node->zone_key);
  };
  const Label zone = make_label("topology.kubernetes.io/zone", "z");
  const Label region = make_label("topology.kubernetes.io/region", "r");
  const Label old_zone = make_label("failure-domain.beta.kubernetes.io/zone", "y");
  const Label old_region = make_label("failure-domain.beta.kubernetes.io/region", "q");
  const std::string bar(":\0:", 3);
  CHECK(key({}) == "");
  CHECK(key({make_label("zone", "z")}) == "");
  CHECK(key({zone, region}) == "r" + bar + "z");
  CHECK(key({region}) == "r" + bar);
  CHECK(key({zone}) == bar + "z");
  CHECK(key({zone, old_zone, old_region}) == "q" + bar + "y");
  CHECK(key({zone, make_label("failure-domain.beta.kubernetes.io/zone", "")}) == "");
}

TEST_CASE("images_hash tells lists of names apart") {
  const auto hash = [](const std::vector<Str>& names, int64_t size) {
    Ref<Node> node = make_ref<Node>();
    std::vector<ContainerImage> images;
    for (const Str& name : names) images.push_back({Span<Str>(&name, 1), size});
    node->images = node->arena.copy(images);
    derive_node(*node);
    return node->images_hash;
  };
  CHECK(hash({"a", "b"}, 1) == hash({"a", "b"}, 2));
  CHECK(hash({"a", "b"}, 1) != hash({"b", "a"}, 1));
  CHECK(hash({"a", "b"}, 1) != hash({"a"}, 1));
}

TEST_CASE("copy_node renames the node and its hostname label") {
  Ref<Node> node = make_node({{"a", "1", TaintEffect::kNoSchedule, "NoSchedule"}});
  const uint64_t hash = node->taints_hash;
  Ref<Node> first = copy_node(*node, "node-2", "u2");
  CHECK(node->meta.labels[0].value == "node-1");
  node = nullptr;
  CHECK(first->meta.labels[0].value == "node-2");
  Ref<Node> copy = copy_node(*first, "node-3", "u3");
  CHECK(copy->serial > first->serial);
  first = nullptr;
  CHECK(copy->meta.name == "node-3");
  CHECK(copy->meta.uid == "u3");
  CHECK(copy->meta.key_hash == object_key_hash("", "node-3"));
  REQUIRE(copy->meta.labels.size() == 2);
  CHECK(copy->meta.labels[0].value == "node-3");
  CHECK(copy->meta.labels[0].pair_hash == make_label("kubernetes.io/hostname", "node-3").pair_hash);
  CHECK(copy->meta.labels[1].value == "a");
  CHECK(copy->taints[0].key == "a");
  CHECK(copy->taints_hash == hash);
  CHECK(copy->allocatable.milli_cpu == 4000);
}

TEST_CASE("copy_node leaves a hostname of its own alone") {
  Ref<Node> node = make_node({});
  const Str host = node->arena.copy("host");
  const std::vector<Label> labels = {make_label("kubernetes.io/hostname", host)};
  node->meta.labels = node->arena.copy(labels);
  Ref<Node> copy = copy_node(*copy_node(*node, "b", ""), "c", "");
  node = nullptr;
  CHECK(copy->meta.labels[0].value == "host");
  CHECK(copy->meta.labels[0].pair_hash == make_label("kubernetes.io/hostname", "host").pair_hash);
}

}  // namespace libsched::node_test
