// A world of fake plugins whose answers are kept by class.
#pragma once

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "libsched/kept/class_memory.hpp"
#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::kept_world_test {

// Rejects the nodes with the label `bad`, and gives those with the label `top` more points.
struct Asked {
  std::multiset<std::string> filter, score;
  void clear() {
    filter.clear();
    score.clear();
  }
};
inline bool labelled(const Node& node, Str key) {
  return find_label(node.meta.labels, key) != nullptr;
}
inline Fake labels_matter(Asked* asked, const Dependencies& reads, bool foreign = false) {
  Fake fake;
  fake.name = "Labels";
  fake.filter = [=](const FilterCall&, const Node& node) {
    asked->filter.insert(std::string(node.meta.name));
    return labelled(node, "bad") ? Status(Code::kUnschedulable, "no") : Status();
  };
  fake.score = [=](const Node& node, int64_t* score) {
    asked->score.insert(std::string(node.meta.name));
    *score = labelled(node, "top") ? 10 : 1;
    return Status();
  };
  fake.reads = reads;
  fake.foreign = foreign;
  return fake;
}
inline constexpr Reads kLabels{kLabelsChanged, 0, false, false};
// Scores that follow a node's pods are asked for again row by row.
inline constexpr Reads kOften{kLabelsChanged | kPodsChanged, 0, false, false};
using Names = std::multiset<std::string>;

struct KeptWorld : FakeWorld {
  explicit KeptWorld(std::vector<Fake> fakes, ClassMemoryMode mode = ClassMemoryMode::kAlways)
      : FakeWorld(std::move(fakes)) {
    REQUIRE(evaluator.keep_classes(mode).ok());
  }
  Result<CycleOutcome> run(const CycleOptions& how = {}) {
    return evaluator.run_cycle(*make_ref<CycleState>(), *pod, how);
  }
  std::string node(const CycleOptions& how = {}) {
    const Result<CycleOutcome> out = run(how);
    REQUIRE_MESSAGE(out.ok(), out.error().text());
    return out->row == kNoId ? "none" : std::string(evaluator.view().row(out->row).name);
  }
  void expect(const std::string& chosen, int64_t total) {
    const Result<CycleOutcome> out = run();
    REQUIRE_MESSAGE(out.ok(), out.error().text());
    CHECK(evaluator.view().row(out->row).name == chosen);
    CHECK(out->total == total);
  }
  // New texts get ids, after which all has to be prepared anew: this lets them have theirs.
  void know_labels(const std::string& labels) {
    label("n1", labels);
    label("n1", "{}");
  }
  void label(const std::string& name, const std::string& labels) {
    REQUIRE(cluster->update_node(fake_node(name, labels)).ok());
  }
};

}  // namespace libsched::kept_world_test
