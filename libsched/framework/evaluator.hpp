// Evaluator: a framework on a view, with scratch memory and caches; runs the extension points.
//
// For one thread. On a cluster it is the writer's thread, and every call sees the present state; on
// a snapshot any thread may have its own evaluator. Nothing here changes the view, except that the
// order list of a cluster is refreshed before the nodes are walked.
#pragma once

#include <cstdint>
#include <vector>

#include "libsched/framework/decision.hpp"
#include "libsched/framework/framework.hpp"

namespace libsched {

struct FilterOptions {
  uint32_t limit = 0;     // 0: judge all nodes
  Span<uint64_t> accept;  // bitmap over rows
  bool accept_given = false;
  size_t start = 0;                       // position in the node order, for `limit`
  const volatile bool* cancel = nullptr;  // looked at before and after each plugin

  bool cancelled() const { return cancel != nullptr && *cancel; }
};

struct FilterOutcome {
  size_t count = 0;
  uint32_t first = kNoId;  // the first in node order
};

class Evaluator final : public RefCounted {
 public:
  Evaluator(FrameworkRef framework, Ref<Cluster> cluster)
      : framework_(std::move(framework)), cluster_(std::move(cluster)) {}
  Evaluator(FrameworkRef framework, SnapshotRef snapshot)
      : framework_(std::move(framework)), snapshot_(std::move(snapshot)) {}

  const Framework& framework() const { return *framework_; }
  const View& view() const { return cluster_ ? cluster_->view() : snapshot_->view(); }

  Status run_pre_enqueue(const Pod& pod) const;
  // The result is in state.pre_filter.
  Result<Status> run_pre_filter(CycleState& state, const Pod& pod) const;
  Result<void> run_filter(CycleState& state, const Pod& pod, uint32_t row, Status* status) const;
  // Writes words words of `feasible`; at least view().word_count().
  Result<FilterOutcome> filter_nodes(CycleState& state, const Pod& pod,
                                     const FilterOptions& options, uint64_t* feasible,
                                     size_t words);
  // `node` "": any node.
  Result<Ref<const Decision>> check(const Pod& pod, Str node, bool judge_excluded);

 private:
  struct Step {
    uint32_t index;
    const Plugin* plugin;
    const PluginData* data;
    bool pre_filtered;
  };

  // Of one call that uses the scratch memory below.
  struct Turn {
    explicit Turn(Evaluator* e) : evaluator(e), judging(e->cluster_.get()) { e->busy_ = true; }
    ~Turn() { evaluator->busy_ = false; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    Evaluator* evaluator;
    Cluster::Judging judging;
  };
  Result<void> may_begin() const;

  Result<void> bind(CycleState& state) const;
  Result<void> bind_pod(CycleState& state, const Pod& pod) const;
  const PluginData* data_for(CycleState::Entry& entry, const Plugin& plugin, const Pod& pod,
                             uint64_t epoch) const;
  std::vector<Step>& steps(CycleState& state, const Pod& pod);
  Status status_of(const Step& step, CycleState& state, const Pod& pod, uint32_t row) const;
  Error node_error(CycleState& state, const Pod& pod, uint32_t row) const;
  bool judge(CycleState& state, const Pod& pod, const FilterOptions& options, const RowSet& set);
  void mask(const CycleState& state, const FilterOptions& options, size_t words);
  const std::vector<uint32_t>& rows_by_name();
  void judge_all(CycleState& state, const Pod& pod, Decision* d, const std::vector<uint32_t>& rows);

  FrameworkRef framework_;
  Ref<Cluster> cluster_;
  SnapshotRef snapshot_;
  std::vector<Step> steps_;
  std::vector<uint64_t> alive_, errors_, chunk_;
  std::vector<uint32_t> by_name_;
  uint64_t by_name_membership_ = 0;
  bool busy_ = false;  // a plugin that is asked may not ask this evaluator for more than one node
};

}  // namespace libsched
