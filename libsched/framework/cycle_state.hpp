// CycleState: the state of one scheduling cycle: per plugin its prepared data and whether it asked
// to be skipped, the merged PreFilterResult, and the values that plugins write under keys.
//
// It belongs to the framework that filled it, and points to nothing of a call (call.hpp). Several
// threads may use the keyed part at once; the rest belongs to the thread that runs the extension
// points.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libsched/base/mutex.hpp"
#include "libsched/base/ref.hpp"
#include "libsched/cluster/cluster.hpp"
#include "libsched/framework/filter_step.hpp"
#include "libsched/framework/plugin_meter.hpp"
#include "libsched/framework/status.hpp"
#include "libsched/objects/allocatable_claims.hpp"

namespace libsched {

// The nodes that PreFilter leaves, and the plugins that narrowed them.
struct PreFilterResult {
  bool all_nodes = true;
  std::vector<std::string> nodes;       // sorted, unique
  std::vector<std::string> restricted;  // plugin names, sorted

  void narrow(std::vector<std::string> names);  // intersects
  bool allows(Str node) const;
};

// A plugin's data for one pod and cycle. `ids_epoch` is that of the view in which its ids were
// looked up, 0 if it holds no ids: the runtime prepares the data again when names have got other
// ids since.
class PluginData {
 public:
  virtual ~PluginData() = default;
  virtual std::shared_ptr<PluginData> clone() const = 0;
  uint64_t ids_epoch = 0;
  // The version of the view that the data was made for, 0 if it holds for any: after a change of
  // the view Filter and Score return Rc::kStale instead of mixing two states.
  uint64_t view_version = 0;
  // Lets go of counts that the view shares with it, which a change of the view would otherwise have
  // to copy first. Returns whether it has any; then the data is stale until KeepsAnswers::renew().
  virtual bool release() { return false; }
  // What the pod's status says once the pod is assumed on this row: what its devices take of the
  // node's own resources. Null: nothing.
  virtual Ref<const AllocatableClaimList> allocatable_on(uint32_t /*row*/) { return {}; }
  static constexpr uint64_t kReleased = ~uint64_t{0};  // the view_version of such data
};

// Whether the data was made for one version of the view.
inline bool bound_to_view(const PluginData* data) {
  return data != nullptr && data->view_version != 0;
}

// A value that a foreign plugin stores; destroyed exactly once, cloned with the state.
class StateValue {
 public:
  virtual ~StateValue() = default;
  virtual std::shared_ptr<StateValue> clone(std::shared_ptr<StateValue> self) const = 0;
  virtual void* get() const = 0;
  // Whether clone() may be called on any thread, or only on the thread that calls the library.
  virtual bool clones_anywhere() const { return false; }
};

class CycleState final : public RefCounted {
 public:
  // The part of one plugin.
  struct Entry {
    std::shared_ptr<PluginData> data;
    PodRef pod;             // whose texts `data` may borrow; null: of the pod that the state is for
    bool prepared = false;  // prepare() ran and `data` is its result (possibly null)
    bool skip_filter = false;
    bool pre_filtered = false;               // its PreFilter ran in this state and did not skip
    std::shared_ptr<PluginData> score_data;  // PreScore's result
    bool skip_score = false;
    bool pre_scored = false;         // its PreScore ran in this state and did not skip
    bool skip_pre_bind = false;      // its PreBindPreFlight returned Skip
    bool parallel_pre_bind = false;  // its PreBindPreFlight allowed PreBind in parallel
  };

  // The framework that fills the entries; it lives as long as they do. Null: no framework yet.
  const RefCounted* framework() const { return framework_.get(); }
  void tie(Ref<const RefCounted> framework, size_t plugins);
  // By plugin index of the framework.
  std::span<const Entry> entries() const {
    return entries_ ? std::span<const Entry>(entries_->list) : std::span<const Entry>();
  }
  std::span<Entry> edit_entries();  // belong to this state alone
  // How often they have been handed out for editing, or replaced.
  uint64_t edits() const { return edits_; }
  KeptSteps& filter_steps() { return filter_steps_; }
  // The entries as they are now, for the states of other pods of the class (kept/kept_filters.hpp).
  // Each state that edits them gets its own first.
  struct Entries final : RefCounted {
    std::vector<Entry> list;
    // The indexes of those whose data may be bound to a view. Nothing: any may be. Data that is
    // not listed costs a copy of the counts that it shares with the view, and no more.
    std::optional<std::vector<uint32_t>> bound;
    bool reserves = true;  // false: no plugin has anything to reserve with this data
  };
  const Ref<Entries>& share_entries() const { return entries_; }
  // Makes the state as it is after PreFilter and PreScore for this pod, with such entries. Only a
  // state may adopt entries that has none of its own.
  bool may_adopt() const { return framework_.get() == nullptr || adopted_; }
  void adopt(const RefCounted& framework, uint64_t pod_serial, const Ref<Entries>& entries);
  // Undoes adopt(): the state is of no framework and has no entries.
  void abandon() noexcept {
    framework_ = {};
    entries_ = {};
    pod_serial_ = data_serial_ = 0;
    pre_filter_ = {};
    adopted_ = false;
    note_edit();
  }
  void let_go() {
    if (adopted_) entries_ = {};
    note_edit();
  }
  bool may_reserve() const { return !entries_ || entries_->reserves; }
  // Called before a change of the view: lets go of what prepared data shares with it.
  void release_shared();

  // The pod that PreFilter ran for, and the pod that the entries belong to: the same pod, or that
  // of Filter alone. 0: no pod yet.
  uint64_t pod_serial() const { return pod_serial_; }
  uint64_t data_serial() const { return data_serial_; }
  // Begins PreFilter, or Filter without PreFilter; drops the data of another pod.
  void begin_pre_filter(uint64_t pod_serial);
  void begin_filter(uint64_t pod_serial);
  // Forgets that PreFilter ran.
  void undo_pre_filter() { begin_pre_filter(0); }
  void forget_pre_score();

  PreFilterResult& pre_filter() { return pre_filter_; }
  const PreFilterResult& pre_filter() const { return pre_filter_; }
  bool skip_all_post_filter() const { return skip_all_post_filter_; }  // calls no plugin
  void set_skip_all_post_filter(bool skip) { skip_all_post_filter_ = skip; }
  // When the point began that runs with this state, for the cycle's observer.
  int64_t point_began_ns = 0;
  // Counts the calls of plugins with this state and its copies, and with `timed` also times them.
  void measure(Ref<PluginMeter> meter, bool timed) {
    meter_ = std::move(meter);
    timed_ = timed;
  }
  PluginMeter* meter() const { return meter_.get(); }                     // null: nobody counts
  PluginMeter* timer() const { return timed_ ? meter_.get() : nullptr; }  // likewise
  // Whether plugins up to Score are running with this state: their prepared data is in use then,
  // and nothing may replace it.
  bool in_use() const { return in_use_ != 0; }

  // Upstream's PodsToActivate: pods to retry right after this cycle, by "namespace/name".
  void activate(const PodRef& pod);
  std::map<std::string, PodRef> take_activations();
  size_t activation_count() const;
  const Pod* activation(size_t index) const;  // in their order; null if out of range

  // --- keyed data ---
  void write(Str key, std::shared_ptr<StateValue> value);
  std::shared_ptr<StateValue> read(Str key) const;
  void erase(Str key);
  bool clones_anywhere() const;  // all values

  Ref<CycleState> clone() const;

 private:
  friend class PluginScope;
  void forget_data();
  void note_edit() {
    ++edits_;
    pristine_ = false;
  }

  Ref<const RefCounted> framework_;
  uint64_t pod_serial_ = 0;
  uint64_t data_serial_ = 0;
  Ref<Entries> entries_;  // null: there are none
  uint64_t edits_ = 0;
  KeptSteps filter_steps_;
  bool adopted_ = false;   // they belong to a class
  bool pristine_ = false;  // no entry has been edited
  PreFilterResult pre_filter_;
  bool skip_all_post_filter_ = false;
  int in_use_ = 0;
  Ref<PluginMeter> meter_;
  bool timed_ = false;
  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<StateValue>, std::less<>> values_;
  std::map<std::string, PodRef> activations_;
  std::atomic<bool> activates_{false};  // there are some
};

}  // namespace libsched
