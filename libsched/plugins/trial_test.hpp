// Trial: a small cluster, a framework of the plugin under test, and verdicts as texts, for the
// tests of plugins. Every verdict is asked for in three ways, which must agree: one node, many
// nodes, and as a decision; scores as a decision, as totals by row, and as a cycle's choice.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "libsched/ingest/ingest.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/run/evaluator.hpp"

namespace libsched {

// "Unschedulable: reason; reason".
inline std::string text_of(const Status& s) {
  std::string out = code_name(s.code);
  for (size_t i = 0; i < s.reasons.size(); ++i) out += (i == 0 ? ": " : "; ") + s.reasons[i];
  return out;
}

struct TrialOptions {
  std::string args;   // pluginConfig of the plugin, as flow YAML
  std::string gates;  // "A=true", besides the defaults of the release
  Release release = kDefaultRelease;
  std::string profile;  // instead of the plugin at every point: the `plugins` field, as flow YAML
};

class Trial {
 public:
  // `objects`: YAML documents (apiVersion may be left out), applied to an empty cluster.
  explicit Trial(const std::string& plugin, const std::string& objects,
                 const TrialOptions& options = {})
      : plugin_(plugin),
        framework_(make_framework(plugin, options)),
        cluster_(make_ref<Cluster>()),
        evaluator_(framework_, cluster_) {
    apply(objects);
  }

  Cluster& cluster() { return *cluster_; }
  Evaluator& evaluator() { return evaluator_; }

  void apply(const std::string& objects) {
    if (objects.empty()) return;
    Result<ObjectSet> set = parse_objects(with_versions(objects), {});
    REQUIRE_MESSAGE(set.ok(), set.error().text());
    const Result<size_t> applied = cluster_->apply(*set);
    REQUIRE_MESSAGE(applied.ok(), applied.error().text());
  }

  // A pod of this spec (flow YAML), named "p" in "default" unless `meta` says otherwise.
  static PodRef pod(const std::string& spec,
                    const std::string& meta = "name: p, namespace: default") {
    Result<PodRef> parsed = parse_pod("metadata: {" + meta + "}\nspec: " + spec, {});
    REQUIRE_MESSAGE(parsed.ok(), parsed.error().text());
    return *parsed;
  }

  // The status of PreFilter; "Skip" if the plugin's Filter is skipped.
  std::string pre_filter(const Pod& pod) {
    CycleState state;
    Result<Status> ran = evaluator_.run_pre_filter(state, pod);
    if (!ran.ok()) return "error: " + ran.error().text();
    for (size_t i = 0; i < state.entries().size(); ++i)
      if (framework_->plugins()[i].name == plugin_ && state.entries()[i].skip_filter) return "Skip";
    return text_of(*ran);
  }

  // The verdict on a node; PreFilter's after "PreFilter " if PreFilter fails.
  std::string filter(const Pod& pod, const std::string& node) {
    CycleState state;
    Result<Status> ran = evaluator_.run_pre_filter(state, pod);
    if (!ran.ok()) return "error: " + ran.error().text();
    if (!ran->success()) return "PreFilter " + text_of(*ran);
    const View& view = cluster_->view();
    const uint32_t row = view.find_node(node);
    REQUIRE_MESSAGE(row != kNoId, node);
    Status one;
    REQUIRE(evaluator_.run_filter(state, pod, row, &one).ok());
    CHECK(one.plugin == (one.success() ? "" : plugin_));
    check_many(state, pod, row, one);
    check_copy(state, pod, row, one);
    return text_of(one);
  }
  std::string filter(const std::string& spec, const std::string& node = "n") {
    return filter(*pod(spec), node);
  }

  // Runs PreFilter, which must not fail.
  void prepare(CycleState& state, const Pod& pod) {
    const Result<Status> ran = evaluator_.run_pre_filter(state, pod);
    REQUIRE_MESSAGE(ran.ok(), ran.error().text());
    REQUIRE(ran->success());
  }
  bool skipped(const CycleState& state) const {
    for (size_t i = 0; i < state.entries().size(); ++i)
      if (framework_->plugins()[i].name == plugin_ && state.entries()[i].skip_filter) return true;
    return false;
  }
  // Adds a pod to a node (1) or removes it (-1) in a state; returns the status.
  std::string change(CycleState& state, const Pod& pod, const Pod& other, Str node, int delta) {
    const uint32_t row = cluster_->view().find_node(node);
    const Result<Status> ran = delta > 0 ? evaluator_.run_add_pod(state, pod, other, row)
                                         : evaluator_.run_remove_pod(state, pod, other, row);
    return ran.ok() ? text_of(*ran) : "error: " + ran.error().text();
  }
  // Filter's statuses of all nodes with this state, one by one and all at once: "a Success; ...".
  std::string verdicts(CycleState& state, const Pod& pod) {
    const View& view = cluster_->view();
    std::vector<uint64_t> bits(view.word_count());
    REQUIRE(evaluator_.filter_nodes(state, pod, {}, bits.data(), bits.size()).ok());
    std::string out;
    view.live().for_each([&](size_t r) {
      Status one;
      REQUIRE(evaluator_.run_filter(state, pod, static_cast<uint32_t>(r), &one).ok());
      CHECK((bits[r / 64] >> (r % 64) & 1) == (one.success() ? 1 : 0));
      out += view.row(static_cast<uint32_t>(r)).name + " " + text_of(one) + "; ";
    });
    return out;
  }

  // The scores of the nodes that fit, by name, raw and normalised: "a 3/100, b 0/0". "Skip" where
  // PreScore skips the plugin, "error: ..." where scoring fails.
  std::string scores(const Pod& pod) {
    const Result<Ref<const Decision>> decided = evaluator_.check(pod, "", false, true);
    if (!decided.ok()) return "error: " + decided.error().text();
    const Decision& d = **decided;
    check_cycle(pod, d);
    if (!d.score_error.empty()) return "error: " + d.score_error;
    for (const std::string& name : d.skip_score)
      if (name == plugin_) return "Skip";
    std::string out;
    for (const ScoreTable::Column& c : d.scores.columns) {
      if (c.plugin != plugin_) continue;
      for (size_t i = 0; i < d.scores.rows.size(); ++i)
        out += (i == 0 ? "" : ", ") + std::string(d.node(d.scores.rows[i])) + " " +
               std::to_string(c.raw[i]) + "/" + std::to_string(c.normalized[i]);
    }
    return out;
  }
  std::string scores(const std::string& spec) { return scores(*pod(spec)); }

 private:
  // A cycle, and totals by row, must agree with the decision.
  void check_cycle(const Pod& pod, const Decision& d) {
    const View& view = cluster_->view();
    CycleState state;
    CycleOptions options;
    options.ties = TieMode::kName;
    const Result<CycleOutcome> cycle = evaluator_.run_cycle(state, pod, options);
    REQUIRE(cycle.ok());
    if (d.feasible_count < 2) return;  // a cycle doesn't score a single node
    if (!d.score_error.empty()) {
      CHECK(cycle->status.message() == d.score_error);
      return;
    }
    REQUIRE_FALSE(d.best.empty());
    CHECK(view.row(cycle->row).name == d.node(d.best[0]));
    for (size_t i = 0; i < d.scores.rows.size(); ++i)
      if (d.scores.rows[i] == d.best[0]) CHECK(cycle->total == d.scores.totals[i]);
    std::vector<uint64_t> bits(view.word_count());
    for (const uint32_t i : d.details().feasible) {
      const uint32_t r = view.find_node(d.node(i));
      bits[r / 64] |= uint64_t{1} << (r % 64);
    }
    REQUIRE(evaluator_.run_pre_score(state, pod, bits.data(), bits.size()).ok());
    std::vector<int64_t> totals(bits.size() * 64);
    REQUIRE(
        evaluator_.run_score(state, pod, bits.data(), bits.size(), totals.data(), nullptr).ok());
    for (size_t i = 0; i < d.scores.rows.size(); ++i)
      CHECK(totals[view.find_node(d.node(d.scores.rows[i]))] == d.scores.totals[i]);
  }

  void check_many(CycleState& state, const Pod& pod, uint32_t row, const Status& one) {
    const View& view = cluster_->view();
    Result<Ref<const Decision>> decided = evaluator_.check(pod, view.row(row).name, true);
    REQUIRE(decided.ok());
    CHECK((*decided)->status(0) == one);
    // All rows at once, and only this row.
    std::vector<uint64_t> bits(view.word_count()), only(view.word_count());
    only[row / 64] = uint64_t{1} << (row % 64);
    for (const bool alone : {false, true}) {
      FilterOptions options;
      options.accept = only;
      options.accept_given = alone;
      const auto done = evaluator_.filter_nodes(state, pod, options, bits.data(), bits.size());
      if (one.code == Code::kError) {
        CHECK_FALSE(done.ok());
        continue;
      }
      REQUIRE(done.ok());
      if (!state.pre_filter().allows(view.row(row).name)) continue;
      CHECK((bits[row / 64] >> (row % 64) & 1) == (one.success() ? 1 : 0));
      if (alone) CHECK(done->count == (one.success() ? 1 : 0));
    }
  }

  // A copy of the node gets the same verdict, also after its pods have left and rejoined. (Ports
  // are an exception: NodeInfo does not count their users.)
  void check_copy(CycleState& state, const Pod& pod, uint32_t row, const Status& one) {
    NodeOverlay node(cluster_->view(), row);
    Status copied;
    REQUIRE(evaluator_.run_filter(state, pod, NodeView(node), &copied).ok());
    CHECK(copied == one);
    if (plugin_ == "NodePorts") return;
    const std::vector<PodRef> pods = node.pods();
    for (const PodRef& p : pods) CHECK(node.remove(*p));
    for (const PodRef& p : pods) node.add(p);
    REQUIRE(evaluator_.run_filter(state, pod, NodeView(node), &copied).ok());
    CHECK(copied == one);
  }

  static std::string with_versions(const std::string& objects) {
    std::string out;
    for (size_t i = 0; i < objects.size();) {
      const size_t end = std::min(objects.find('\n', i), objects.size());
      const std::string line = objects.substr(i, end - i);
      if (line == "kind: Node" || line == "kind: Pod" || line == "kind: Namespace")
        out += "apiVersion: v1\n";
      out += line + "\n";
      i = end + 1;
    }
    return out;
  }

  static FrameworkRef make_framework(const std::string& plugin, const TrialOptions& options) {
    Result<FeatureGates> gates = FeatureGates::parse(options.gates, options.release);
    REQUIRE_MESSAGE(gates.ok(), gates.error().text());
    const std::string plugins =
        options.profile.empty()
            ? "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, "
              "{name: DefaultBinder}, {name: " +
                  plugin + "}]}}"
            : options.profile;
    std::string text =
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: "
        "KubeSchedulerConfiguration\nprofiles:\n- plugins: " +
        plugins + "\n";
    if (!options.args.empty())
      text += "  pluginConfig: [{name: " + plugin + ", args: " + options.args + "}]\n";
    ConfigOptions with_gates;
    with_gates.gates = *gates;
    Result<ConfigRef> config = parse_config(text, with_gates);
    REQUIRE_MESSAGE(config.ok(), config.error().text());
    Result<FrameworkRef> framework =
        Framework::create(*config, "", in_tree_registry(), *gates, options.release);
    REQUIRE_MESSAGE(framework.ok(), framework.error().text());
    return *framework;
  }

  std::string plugin_;
  FrameworkRef framework_;
  Ref<Cluster> cluster_;
  Evaluator evaluator_;
};

// One node, "n", with these further top-level fields (YAML).
inline std::string node_n(const std::string& more = "") {
  return "kind: Node\nmetadata: {name: 'n'}\n" + more + "\n";
}

}  // namespace libsched
