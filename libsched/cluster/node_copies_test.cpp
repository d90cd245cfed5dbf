// Nodes that are copies of one another and come one after the other: a state takes their labels and
// images from the latest one, and is the same as if each had been looked up.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "libsched/cluster/cluster.hpp"
#include "libsched/ingest/ingest.hpp"
#include "tests/unit/rounds.hpp"

namespace libsched::node_copies_test {

constexpr const char* kTemplates[] = {
    "labels: {kubernetes.io/hostname: like, zone: a, disk: ssd}}, status: {images: [{names: [x, v],"
    " sizeBytes: 10}, {names: [x, z], sizeBytes: 20}]}}",
    "labels: {zone: b, disk: ssd}}, status: {images: [{names: [v], sizeBytes: 30}]}}",
    "labels: {disk: ssd, zone: b, rack: r}}}",
    "annotations: {a: b}}, status: {images: [{names: [w], sizeBytes: 5}]}}",
};
constexpr size_t kCount = std::size(kTemplates);

std::string document(size_t of, const std::string& name) {
  std::string text =
      std::string("{apiVersion: v1, kind: Node, metadata: {name: ") + name + ", " + kTemplates[of];
  if (const size_t at = text.find("like"); at != std::string::npos) text.replace(at, 4, name);
  return text;
}

NodeRef parsed(size_t of, const std::string& name) {
  Result<ObjectSet> set = parse_objects(document(of, name), {});
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  return set->nodes[0];
}

// The labels and images of all nodes, by what is known of each label and image.
std::string shown(Cluster& cluster) {
  cluster.refresh();
  const View& v = cluster.view();
  std::map<std::string, std::vector<std::string>> lines;
  v.live().for_each([&](size_t row) {
    const uint32_t r = static_cast<uint32_t>(row);
    for (const Label& l : v.node(r)->meta.labels) {
      const uint32_t id = v.labels().find_pair(l.key, l.value, l.pair_hash);
      REQUIRE(id != kNoId);
      CHECK(v.labels().pair(id).rows.contains(r));
      lines[std::string(l.key) + "=" + std::string(l.value)];
    }
    std::set<Str> images;
    for (const ContainerImage& i : v.node(r)->images) images.insert(i.names.begin(), i.names.end());
    CHECK(v.images().count(r) == images.size());
    for (const Str image : images) {
      const Images::Image* const known = v.images().find(image);
      REQUIRE(known != nullptr);
      CHECK(v.images().nodes_with(*known, r) != 0);
    }
  });
  for (auto& [text, names] : lines) {
    const Str key(text.data(), text.find('='));
    const Label l = make_label(key, Str(text).substr(key.size() + 1));
    v.labels()
        .pair(v.labels().find_pair(l.key, l.value, l.pair_hash))
        .rows.for_each([&](uint32_t r) { names.push_back(v.row(r).name); });
  }
  for (const char* image : {"v", "w", "x", "z"})
    if (const Images::Image* i = v.images().find(image); i != nullptr)
      i->holders.for_each([&](size_t, const Images::Holder& h) {
        lines[std::string(image) + ":" + std::to_string(i->size)].push_back(
            v.row(h.row).name + "/" + std::to_string(h.nodes));
      });
  std::string out;
  for (auto& [text, names] : lines) {
    std::sort(names.begin(), names.end());
    out += text;
    for (const std::string& n : names) out += " " + n;
    out += "\n";
  }
  return out;
}

TEST_CASE("nodes that share texts are known as those that share none") {
  std::array<NodeRef, kCount> templates;
  for (size_t i = 0; i < kCount; ++i) templates[i] = parsed(i, "like");
  std::mt19937 random(20261126);
  const auto below = [&](size_t n) { return random() % n; };
  for (size_t round = 0; round < rounds(200); ++round) {
    Cluster copies, others;
    size_t depth = 0, like = 0;
    for (int step = 0; step < 40; ++step) {
      // Mostly many of one template follow each other.
      if (below(4) == 0) like = below(kCount);
      const std::string name = "n" + std::to_string(below(12));
      const size_t what = below(10);
      if (what < 6) {
        REQUIRE(copies.update_node(copy_node(*templates[like], name, {})).ok());
        REQUIRE(others.update_node(parsed(like, name)).ok());
      } else if (what < 8) {
        CHECK(copies.remove_node(name).ok() == others.remove_node(name).ok());
      } else if (what == 8 || depth == 0) {
        REQUIRE(copies.fork().ok());
        REQUIRE(others.fork().ok());
        ++depth;
      } else {
        REQUIRE(copies.revert().ok());
        REQUIRE(others.revert().ok());
        --depth;
      }
      REQUIRE(shown(copies) == shown(others));
    }
  }
}

// A row may be another node's by the time a pod that was fetched ahead is put onto it.
TEST_CASE("pods of a list come to their nodes while rows get other names") {
  const auto pod = [](const std::string& name, const std::string& node) {
    return "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" + name +
           "\",\"namespace\":\"d\"},\"spec\":{\"nodeName\":\"" + node + "\"}}";
  };
  Cluster cluster;
  const auto apply = [&](const std::string& items) {
    Result<ObjectSet> set =
        parse_objects("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[" + items + "]}", {});
    REQUIRE(set.ok());
    REQUIRE(cluster.apply(*set).ok());
  };
  apply(pod("a", "x"));  // the only pod of a node that isn't there: its row goes with it
  apply(pod("a", "y") + "," + pod("b", "z") + "," + pod("c", "x") + "," + pod("d", "y"));
  const View& v = cluster.view();
  const auto node_of = [&](const char* name) {
    return v.row(v.slot(v.find_pod("d", name)).row).name;
  };
  CHECK(node_of("a") == "y");
  CHECK(node_of("b") == "z");
  CHECK(node_of("c") == "x");
  CHECK(node_of("d") == "y");
}

}  // namespace libsched::node_copies_test
