// FilterPass: the filters of a framework for one pod, over sets of nodes, along a list of nodes, or
// on one node, which may be a copy with other pods.
//
// The state has been through PreFilter, or serves Filter alone. Nothing here changes the view.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "libsched/cluster/node_overlay.hpp"
#include "libsched/framework/plugin_scope.hpp"
#include "libsched/kept/workspace.hpp"
#include "libsched/run/nominations.hpp"

namespace libsched {

// How a list of nodes is walked.
struct FilterPolicy {
  static constexpr size_t kNoLimit = ~size_t{0};

  const uint64_t* rows = nullptr;  // nodes that may be feasible: as many words as the view has
  // All nodes, in the order in which limits and Errors count; the walk begins at `start` and wraps
  // around. Null: the view's order at the moment of use.
  const std::vector<uint32_t>* list = nullptr;
  size_t start = 0;
  size_t limit = kNoLimit;  // ends when this many are feasible
  bool beyond = false;      // ... and another is found, which is not counted: upstream's search
  // The cluster whose node order is refreshed before use; null: the order is used as it is.
  Cluster* refresh = nullptr;

  const std::vector<uint32_t>& order(const View& view) const {
    return list != nullptr ? *list : view.order();
  }
};

struct FilterWalk {
  size_t count = 0;         // feasible, at most the limit; their rows are Workspace::feasible
  size_t processed = 0;     // nodes of the order that the walk passed
  uint32_t first = kNoId;   // the first feasible one
  size_t position = 0;      // its place in the order
  uint32_t failed = kNoId;  // where a plugin gave an Error, which ended the walk
};

class FilterPass {
 public:
  enum class Change : uint8_t { kAdd, kRemove };

  // All arguments must outlive the pass. While it lives, data that plugins have prepared in the
  // state is in use.
  FilterPass(const Framework& framework, CycleState& state, const Pod& pod, const Call& call)
      : framework_(framework),
        call_{{call.view, call.services, call.limits, call.asker}, pod, state, nullptr, false},
        scope_(state, call, true),
        meter_(state.meter()),
        timer_(state.timer()) {}

  // Adds the facts of the rejections that judge(node) gives.
  void tell(Facts* facts) { facts_ = facts; }
  // What follows is no part of the cycle that the state's meter measures.
  void stop_metering() { meter_ = timer_ = nullptr; }

  // The plugins' status of one node. Errors: kStale, the limits'.
  Result<void> judge(const NodeView& node, Status* status);
  // Upstream's RunFilterPluginsWithNominatedPods: with the nominated pods of the same or a higher
  // priority on the node and, if any exist, without them, too.
  Result<void> judge_with_nominated(const NodeView& node, Status* status);

  // What judge_with_nominated() judges: a copy of a node with nominated pods.
  struct Crowded {
    std::vector<PodRef> pods;
    std::optional<NodeOverlay> node;
    Ref<CycleState> state;
    Status added;  // of AddPod; unless it is a Success, it is the node's
  };
  // False: the pod has to yield to no nominated pod there.
  Result<bool> crowd(const NodeView& node, Crowded* out) const;
  // Whether the rows of Workspace::nominated, where the pod has to yield, are judged one by one.
  bool judges_apart() const { return apart_; }

  // Prepares all plugins; required before sets are judged. `nominated`: pods that are nominated to
  // a node count.
  Result<void> prepare(Workspace* workspace, bool nominated);
  // Removes the rows that the plugins reject from the set. `verdicts` (may be null) records the
  // plugins.
  Result<void> judge(const RowSet& set, Verdicts* verdicts);
  // Walks a list of nodes in chunks: a first hit is cheap, and a search of the whole list costs no
  // more than judging it at once.
  Result<FilterWalk> walk(const FilterPolicy& policy);

  // Upstream's RunPreFilterExtensionAddPod and -RemovePod: updates PreFilter's data for `other`
  // joining or leaving the node. `node` is the node after the change.
  Result<Status> change(Change change, const Pod& other, const NodeView& node);

 private:
  // Versions of the view, looked up once for all plugins.
  struct Stamps {
    uint64_t ids_epoch, version;
  };
  Stamps stamps() const { return {call_.view.ids_epoch(), call_.view.version()}; }
  const PluginData* prepare_data(const Plugin& plugin, const Stamps& now, uint32_t i);
  bool data_for(const Plugin& plugin, const Stamps& now, uint32_t i, const CycleState::Entry& entry,
                const PluginData** out);
  const CycleState::Entry& entry(uint32_t plugin) const {
    return std::as_const(call_.state).entries()[plugin];
  }
  Nominations nominations() const { return {framework_, call_.view, call_.services}; }
  Result<void> find_steps(const Stamps& now, std::vector<FilterStep>* out);
  void keep_steps(const Stamps& now, const std::vector<FilterStep>& steps);
  Result<void> judge_alone(const RowSet& set, Verdicts* verdicts);
  void ask(const FilterStep& step, const FilterCall& call, const RowSet& set);
  void count_asked(const uint64_t* rows);

  const Framework& framework_;
  // Judging one node uses this itself: a copy would take longer than many a plugin.
  FilterCall call_;
  PluginScope scope_;
  Workspace* work_ = nullptr;
  bool apart_ = false;  // whether some rows are judged one by one
  PluginMeter* meter_;
  PluginMeter* timer_;
  Facts* facts_ = nullptr;
};

// The error for data that was prepared for another state of the view.
Error stale(const std::string& plugin);

}  // namespace libsched
