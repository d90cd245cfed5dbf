// Plugins that say which nodes take a pod: PreFilter, Filter, PostFilter.
//
// A filter judges a set of nodes: it takes a set of rows and removes the rejected ones. A single
// node is a set with one row, so one implementation suffices. Texts are made only on request
// (filter_status).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "libsched/base/result.hpp"
#include "libsched/cluster/node_view.hpp"
#include "libsched/framework/call.hpp"
#include "libsched/framework/cycle_state.hpp"
#include "libsched/framework/node_statuses.hpp"
#include "libsched/framework/nominator.hpp"
#include "libsched/framework/preemption_report.hpp"

namespace libsched {

struct PreFilterCall : Call {
  const Pod& pod;
  CycleState& state;
  // May be set to prepare()'s result, also by a PreFilter that rejects the pod, for its PostFilter;
  // prepare() then runs only if ids have changed.
  std::shared_ptr<PluginData>* data;
};

// The question "what if `other` joined or left the node". The view stays as it is.
struct PodChange : Call {
  const Pod& pod;
  CycleState& state;
  PluginData* data;  // PreFilter's data, of this state alone; may be null
  const Pod& other;
  const NodeView& node;  // after the change
};

class PreFilterPlugin {
 public:
  // Fills `result` if it narrows the nodes. An Error (not a Status) ends the call: this version
  // lacks a plugin or object that is needed.
  virtual Result<Status> pre_filter(const PreFilterCall&, PreFilterResult* result) const;

  // Upstream's PreFilterExtensions: update PreFilter's data for a pod that joins or leaves. They do
  // not run if PreFilter returned Skip.
  virtual bool extends() const { return false; }
  virtual Status add_pod(const PodChange&) const { return {}; }
  virtual Status remove_pod(const PodChange&) const { return {}; }

  // Data about the pod in this view for filter(); made after PreFilter or at the first Filter, and
  // again when ids change. Null: no data.
  virtual std::shared_ptr<PluginData> prepare(const Call&, const Pod&) const { return nullptr; }

 protected:
  ~PreFilterPlugin() = default;
};

// Whole words of rows; only rows whose bit is set in `alive` are judged.
struct RowSet {
  size_t first_word = 0;
  size_t words = 0;
  uint64_t* alive = nullptr;   // the filter clears the rows it rejects
  uint64_t* errors = nullptr;  // the filter sets those of them that are Errors
  // If not empty, the rows of the set: going through them costs less than going through its words.
  std::span<const uint32_t> few = {};

  bool single() const { return words == 1; }
  // Whether the rows are so few that looking at each costs less than looking at sets of rows.
  bool scattered() const { return single() || !few.empty(); }
  // Calls f(row) for every row of the set; f may call reject(row).
  template <typename F>
  void for_each(F&& f) const {
    for (const uint32_t row : few) f(row);
    if (!few.empty()) return;
    for (size_t w = 0; w < words; ++w)
      for_each_bit(alive[w], (first_word + w) * 64,
                   [&](size_t row) { f(static_cast<uint32_t>(row)); });
  }
  void reject(uint32_t row) const { alive[row / 64 - first_word] &= ~(uint64_t{1} << (row % 64)); }
  void reject_with_error(uint32_t row) const {
    reject(row);
    errors[row / 64 - first_word] |= uint64_t{1} << (row % 64);
  }
  void reject_all() const {
    keep([](size_t) { return uint64_t{0}; });
  }
  // Rejects the rows whose bit is not set in accepted(w), where w is the number of a word of rows.
  template <typename F>
  void keep(F&& accepted) const {
    for (const uint32_t row : few) alive[row / 64 - first_word] &= accepted(row / 64);
    if (!few.empty()) return;
    const size_t first = first_word, end = words;  // which the words of rows do not overlap
    uint64_t* const in = alive;
    for (size_t w = 0; w < end; ++w) in[w] &= accepted(first + w);
  }
};

struct FilterCall : Call {
  const Pod& pod;
  CycleState& state;
  const PluginData* data;  // of this plugin; null if it prepares none
  bool pre_filtered;       // the plugin's PreFilter ran for this state
  // The node that is judged, if it is a single node: its row is the set's. Null: the set's rows are
  // judged as the view has them.
  const NodeView* single = nullptr;

  // A row of the set, as it is judged.
  NodeView node(uint32_t row) const { return single != nullptr ? *single : NodeView(view, row); }
};

class FilterPlugin {
 public:
  virtual void filter(const FilterCall&, const RowSet&) const {}
  // Sets *out to the whole status of a row that filter() has just rejected, but for the plugin's
  // name.
  virtual void filter_status(const FilterCall&, uint32_t row, Status* out) const;
  // Rejected rows with the same number have the same filter_status(). kNoReasonKey: unknown until
  // the status is made.
  static constexpr uint64_t kNoReasonKey = ~uint64_t{0};
  virtual uint64_t reason_key(const FilterCall&, uint32_t) const { return kNoReasonKey; }

 protected:
  ~FilterPlugin() = default;
};

// `asker` is set, so that the plugin can filter again.
struct PostFilterCall : Call {
  const Pod& pod;
  CycleState& state;
  const NodeStatuses& statuses;
  // Whether this is only a question: every node is tried, by name, ties go to the smallest name,
  // and the answer is not acted on.
  bool question = false;
  PreemptionReport* report = nullptr;  // records how it was decided; has no influence
};

class PostFilterPlugin {
 public:
  // May make room when no node takes the pod. Success if it did.
  virtual Status post_filter(const PostFilterCall&, std::optional<Nomination>*) const {
    return Status(Code::kUnschedulable);
  }

 protected:
  ~PostFilterPlugin() = default;
};

}  // namespace libsched
