// Plugin: the interface of a scheduling plugin inside the library.
//
// A filter judges a set of nodes: it takes a set of rows and removes the rejected ones. A single
// node is a set with one row, so one implementation suffices. Texts are made only on request
// (filter_status). Plugins are immutable and shared by threads; data of a pod is in its PluginData.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "libsched/base/result.hpp"
#include "libsched/cluster/cluster.hpp"
#include "libsched/cluster/node_view.hpp"
#include "libsched/config/config.hpp"
#include "libsched/framework/call.hpp"
#include "libsched/framework/cycle_state.hpp"
#include "libsched/framework/dependencies.hpp"
#include "libsched/framework/events.hpp"
#include "libsched/framework/node_statuses.hpp"
#include "libsched/framework/preemption_report.hpp"
#include "libsched/framework/scoring.hpp"
#include "libsched/framework/services.hpp"

namespace libsched {

class Facts;

// Whole words of rows; only rows whose bit is set in `alive` are judged.
struct RowSet {
  size_t first_word = 0;
  size_t words = 0;
  uint64_t* alive = nullptr;   // the filter clears the rows it rejects
  uint64_t* errors = nullptr;  // the filter sets those of them that are Errors

  bool single() const { return words == 1; }
  // Calls f(row) for every row of the set; f may call reject(row).
  template <typename F>
  void for_each(F&& f) const {
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
    for (size_t w = 0; w < words; ++w) alive[w] = 0;
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

struct PreFilterCall : Call {
  const Pod& pod;
  CycleState& state;
  // May be set to prepare()'s result, also by a PreFilter that rejects the pod, for its PostFilter;
  // prepare() then runs only if ids have changed.
  std::shared_ptr<PluginData>* data;
};

// All scores of the next pod of a class (Plugin::rescore).
struct RescoreCall : Call {
  const Pod& pod;
  const ScoreSet& set;  // without `errors`
  PluginData* data;     // PreScore's; may be null
  // Both null: the plugin does not score the pod.
  int32_t* scratch;  // for 64 * set.words numbers
  uint8_t* scores;   // by row, as many
};

// The question "what if `other` joined or left the node". The view stays as it is.
struct PodChange : Call {
  const Pod& pod;
  CycleState& state;
  PluginData* data;  // PreFilter's data, of this state alone; may be null
  const Pod& other;
  const NodeView& node;  // after the change
};

struct PreScoreCall : Call {
  const Pod& pod;
  CycleState& state;
  const ScoreSet& set;  // without `errors`
};

struct ScoreCall : Call {
  const Pod& pod;
  CycleState& state;
  const PluginData* data;         // PreScore's data; null if it has none or did not run
  const PluginData* filter_data;  // prepare()'s data for PreFilter and Filter, or null
  bool pre_scored;                // the plugin's PreScore ran for this state
};

struct ReserveCall {
  Cluster& cluster;
  Services& services;
  const Pod& pod;
  CycleState& state;
  const PluginData* filter_data;  // as in ScoreCall
  uint32_t row;                   // the node's; kNoId if the node is gone
  Str node;
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

// The argument of the points from Permit on. Those after Permit may run on another thread while the
// cluster's writer continues, so they have no view: a plugin that needs objects takes an
// ObjectWatch in Reserve.
struct BindingCall {
  Services& services;
  const Pod& pod;  // as assumed on the node
  CycleState& state;
  const CycleState::Entry& entry;  // the plugin's part of the state
  Str node;
  uint32_t row;  // the node's when binding began, to look up PreFilter's data; kNoId: it was gone
  const View* view = nullptr;  // Permit's
};

// A part of a pod's signature: two pods with the same parts get the same answers from a plugin.
struct SignFragment {
  std::string key;
  std::string json;  // as Go's encoding/json writes it: compact, keys sorted
};

// A pod in the queue and the time since which it waits.
struct QueuedPod {
  const Pod& pod;
  int64_t timestamp_ns;
};

class Plugin {
 public:
  virtual ~Plugin() = default;

  // Upstream's Name(); "": the name under which the plugin is registered.
  virtual Str instance_name() const { return {}; }

  // QueueSort: whether a comes before b.
  virtual bool less(const QueuedPod&, const QueuedPod&) const { return false; }

  // On the thread of the cluster.
  virtual Status pre_enqueue(const Call&, const Pod&) const { return {}; }
  // Whether PreEnqueue has to be asked about the pod now: false only if it would return a bare
  // Success. It has no effects.
  virtual bool may_hold_back(const Pod&) const { return true; }

  // Fills `result` if it narrows the nodes. An Error (not a Status) ends the call: this version
  // lacks a plugin or object that is needed.
  virtual Result<Status> pre_filter(const PreFilterCall&, PreFilterResult* result) const;

  // Upstream's PreFilterExtensions: update PreFilter's data for a pod that joins or leaves. They do
  // not run if PreFilter returned Skip.
  virtual bool extends() const { return false; }
  virtual Status add_pod(const PodChange&) const { return {}; }
  virtual Status remove_pod(const PodChange&) const { return {}; }

  // PostFilter: may make room when no node takes the pod. Success if it did.
  virtual Status post_filter(const PostFilterCall&, std::optional<Nomination>*) const {
    return Status(Code::kUnschedulable);
  }

  // Data about the pod in this view for filter(); made after PreFilter or at the first Filter, and
  // again when ids change. Null: no data.
  virtual std::shared_ptr<PluginData> prepare(const Call&, const Pod&) const { return nullptr; }

  // Brings the data of pre_filter() up to date for another pod of the class. Since the data was
  // made or renewed, only pods have come to or left these rows; the data may be released
  // (PluginData::release). Returns whose verdicts may differ from those before: of no row, of some
  // of these rows, which are added to `hit`, or of any; or that PreFilter has to be asked.
  enum class Renewed : uint8_t { kNo, kSame, kRows, kAll };
  virtual Renewed renew(const Call&, const Pod&, std::span<const uint32_t>, PluginData*,
                        std::vector<uint32_t>* /*hit*/) const {
    return Renewed::kNo;
  }

  // Writes which rows the data accepts if renew() keeps that, one bit a row; bits of rows without a
  // node have no meaning. False: filter() has to be asked.
  virtual bool judged(const PluginData&, std::span<uint64_t>) const { return false; }

  virtual void filter(const FilterCall&, const RowSet&) const {}
  // The same for a few rows of the view, without the work that whole words take: sets rejected[i],
  // which is 0, to 1 for those that filter() rejects. Returns false if it has not judged them all,
  // as where a verdict may be an Error; filter() is then asked, and what was set has no meaning.
  virtual bool filter_rows(const FilterCall&, std::span<const uint32_t>, uint8_t*) const {
    return false;
  }
  // Sets *out to the whole status of a row that filter() has just rejected, but for the plugin's
  // name.
  virtual void filter_status(const FilterCall&, uint32_t row, Status* out) const;
  // Rejected rows with the same number have the same filter_status(). kNoReasonKey: unknown until
  // the status is made.
  static constexpr uint64_t kNoReasonKey = ~uint64_t{0};
  virtual uint64_t reason_key(const FilterCall&, uint32_t) const { return kNoReasonKey; }

  // The facts behind the reasons of a status: of PreEnqueue or PreFilter, and of filter_status().
  // The view is still the one that was judged. `call.state` is of no framework and has no data;
  // what a plugin writes there under a key is there for the next row of the answer. An in-tree
  // plugin gives at least one for each reason. For an Error only a plugin that explains them is
  // asked.
  virtual bool explains_errors() const { return false; }
  virtual void pod_facts(const Call&, const Pod&, const Status&, Facts*) const {}
  virtual void node_facts(const FilterCall&, uint32_t, const Status&, Facts*) const {}
  // What a node that all plugins accept would give the pod beside its resources, as facts with an
  // empty reason. Asked for only if the plugin lists such gains.
  virtual bool lists_gains() const { return false; }
  virtual void gain_facts(const FilterCall&, uint32_t, Facts*) const {}

  // `data` is kept for Score. After Skip Score does not run. The data must not point into
  // `call.set`.
  virtual Status pre_score(const PreScoreCall&, std::shared_ptr<PluginData>*) const { return {}; }

  // The changes that affect the answers about this pod: those at PreFilter and Filter, and at
  // PreScore and Score. Applies to any copy of the pod of the same class, as long as no node has a
  // change that the declaration names in `any`. Without a declaration: any change.
  virtual Dependencies depends_on(const View&, const Pod&) const {
    return Dependencies::everything();
  }

  // Writes scores[row] for every row of the set, as upstream's Score does before normalising.
  // `scores` has room for 64 * set.words; elements of rows outside of the set may hold anything.
  virtual Scored score(const ScoreCall&, const ScoreSet&, int64_t* scores) const;
  // For a plugin that does not normalise: as score(), but adds each score times the weight to
  // totals[row], which has room for it; those of other rows may then hold anything. `first`: the
  // totals hold nothing yet, so it sets those of the set's rows, and those of words without such
  // rows to 0. Returns false if the totals are as before, or if a score is out of range and they
  // are meaningless; then score() is asked.
  virtual bool add_scores(const ScoreCall&, const ScoreSet&, uint32_t, int32_t*, bool) const {
    return false;
  }
  // For a plugin that does not normalise: adds the score of each of a few rows, times the weight,
  // to sums[i]. Returns false if it has not, or a score is out of range; the sums are then
  // meaningless, and score() is asked.
  virtual bool score_rows(const ScoreCall&, std::span<const uint32_t>, uint32_t, int32_t*) const {
    return false;
  }
  // The status of a row that score() has marked in `errors`, without the plugin's name.
  virtual Status score_status(const ScoreCall&, uint32_t row) const;

  // Upstream's ScoreExtensions: replaces scores[row] for every row of the set.
  virtual bool normalizes() const { return false; }
  virtual Status normalize(const ScoreCall&, const ScoreSet&, int64_t*) const { return {}; }
  // The same for a plugin with uniform scores: all rows have `score`.
  virtual int64_t normalize_uniform(const ScoreCall&, int64_t score) const { return score; }

  // PreScore, Score and NormalizeScore in one, for another pod of the class. Since PreScore's data
  // was made or this was called last, only pods have come to or left nodes, and other nodes may
  // have become feasible; the data may be released (PluginData::release). Brings the data up to
  // date. Returns that all scores are as before, that it has written them for every row of the set,
  // or that PreScore has to be asked. A plugin that can do this has no uniform scores. Without
  // `scores`: whether PreScore would skip the pod (kSame).
  enum class Rescored : uint8_t { kNo, kSame, kAll };
  virtual Rescored rescore(const RescoreCall&) const { return Rescored::kNo; }

  // Reserve changes the cluster's assumed state (never its pods); Unreserve reverts it, must be
  // idempotent, and runs even if Reserve never did.
  virtual Status reserve(const ReserveCall&) const { return {}; }
  // Whether Reserve has to be asked about a pod with this data of Filter, or none: false only if it
  // would do nothing and return a bare Success. It has no effects.
  virtual bool has_to_reserve(const PluginData*) const { return true; }
  virtual Steps<> unreserve(const ReserveCall&) const { return {}; }

  // Permit: Wait lets the pod wait at most `timeout_ns`.
  virtual Status permit(const BindingCall&, int64_t* timeout_ns) const;
  // After Skip PreBind does not run. After Success it does, in parallel if `allow_parallel`.
  virtual Status pre_bind_pre_flight(const BindingCall&, bool* allow_parallel) const;
  // PreBind, Bind and Unreserve wait with co_await, so that any number of pods may wait at once;
  // what they are given outlives that. A foreign plugin blocks instead.
  virtual Steps<Status> pre_bind(const BindingCall&) const { return Status(); }
  virtual Steps<Status> bind(const BindingCall&) const { return Status(Code::kSkip); }
  virtual void post_bind(const BindingCall&) const {}

  // Upstream's SignPlugin. Unschedulable: this pod cannot be signed. Pods of one class get the same
  // answer as long as no object but nodes and pods changes, unless the plugin is foreign.
  virtual bool signs() const { return false; }
  virtual Status sign(const View&, const Pod&, std::vector<SignFragment>*) const { return {}; }

  // Upstream's EnqueueExtensions: the events that may help a pod that this plugin rejected. Without
  // them, all of default_events().
  virtual bool registers_events() const { return false; }
  virtual Result<std::vector<ClusterEventWithHint>> events_to_register() const {
    return std::vector<ClusterEventWithHint>();
  }
  // The hint of the registration with this index. An Error counts as Queue.
  virtual Result<QueueingHint> hint(size_t, const View&, const Pod&, const ObjectChange&) const {
    return QueueingHint::kQueue;
  }

  // Whether on_event() is called for objects that are added, changed or removed.
  virtual bool subscribes() const { return false; }
  virtual void on_event(Services&, const View&, const ObjectChange&) const {}
  // For plugins with a state of their own that follows a cluster's forks.
  virtual void forked(const View&) const {}
  virtual void reverted(const View&) const {}
  virtual void committed(const View&) const {}

  // Whether several threads may call the plugin at once, and whether it must run on the thread that
  // called the library.
  enum class Threading : uint8_t { kConcurrent, kSerialised, kCallerThread };
  virtual Threading threading() const { return Threading::kConcurrent; }
  // Called on each thread of the library's own, around its calls; not for plugins of the caller's
  // thread.
  virtual void thread_attach() const {}
  virtual void thread_detach() const {}
  // Whether the plugin is foreign code, which may have side effects and thus observes the order of
  // calls.
  virtual bool foreign() const { return false; }
};

struct FactoryCall {
  const PluginArgs* args;  // null: no pluginConfig entry
  const FeatureGates& gates;
  Behaviours behaviours = {};  // of the release that the framework follows
};
using PluginFactory = std::function<Result<std::unique_ptr<Plugin>>(const FactoryCall&)>;

// The plugins that a framework may use. The layer above adds the in-tree plugins
// (plugins/in_tree.hpp); the framework knows no plugin by name.
class Registry final : public RefCounted {
 public:
  struct Item {
    PointMask points = 0;
    PluginFactory factory;  // empty: known, but without code at the points of this version
    bool in_tree = false;
  };
  Result<void> add(Str name, Item item);
  const Item* find(Str name) const;
  const std::map<std::string, Item, std::less<>>& items() const { return items_; }
  // Adds the plugin to every profile at MultiPoint, after its own, unless the profile names it
  // anywhere.
  Result<void> enable(Str name, int32_t weight);
  const std::vector<EnabledPlugin>& enabled() const { return enabled_; }
  Ref<Registry> copy() const;

 private:
  std::map<std::string, Item, std::less<>> items_;
  std::vector<EnabledPlugin> enabled_;
};
using RegistryRef = Ref<const Registry>;

}  // namespace libsched
