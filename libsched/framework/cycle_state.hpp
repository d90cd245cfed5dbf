// CycleState: what one scheduling cycle knows: per plugin its prepared data and whether it asked to
// be skipped, the merged PreFilterResult, and whatever plugins write under keys.
//
// The keyed part may be used by several threads at once; the rest belongs to the thread that runs
// the extension points.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "libsched/base/mutex.hpp"
#include "libsched/base/ref.hpp"
#include "libsched/cluster/cluster.hpp"
#include "libsched/framework/limits.hpp"
#include "libsched/framework/preemption_report.hpp"
#include "libsched/framework/status.hpp"

namespace libsched {

class Evaluator;

// Nodes that PreFilter leaves, and which plugins narrowed them.
struct PreFilterResult {
  bool all_nodes = true;
  std::vector<std::string> nodes;       // sorted, unique
  std::vector<std::string> restricted;  // plugin names, sorted

  void narrow(std::vector<std::string> names);  // intersects
  bool allows(Str node) const;
};

// A plugin's data of one pod and cycle. `ids_epoch` is that of the view its ids were looked up
// in, 0 if it holds no ids: the runtime has it made anew when names have got other ids since.
class PluginData {
 public:
  virtual ~PluginData() = default;
  virtual std::shared_ptr<PluginData> clone() const = 0;
  uint64_t ids_epoch = 0;
  // The version of the view that it was made for, 0 if it holds for any: after a change of the view
  // Filter and Score answer Rc::kStale instead of mixing two states.
  uint64_t view_version = 0;
};

// A value that a foreign plugin stores: destroyed exactly once, cloned with the state.
class StateValue {
 public:
  virtual ~StateValue() = default;
  virtual std::shared_ptr<StateValue> clone(std::shared_ptr<StateValue> self) const = 0;
  virtual void* get() const = 0;
  // Whether clone() may be called on any thread, or only on the one that calls the library.
  virtual bool clones_anywhere() const { return false; }
};

class CycleState final : public RefCounted {
 public:
  // --- of the runtime ---
  struct Entry {
    std::shared_ptr<PluginData> data;
    bool prepared = false;  // `data` is what prepare() made (possibly nothing)
    bool skip_filter = false;
    bool pre_filtered = false;               // its PreFilter ran in this state and did not skip
    std::shared_ptr<PluginData> score_data;  // what PreScore gave
    bool skip_score = false;
    bool pre_scored = false;         // its PreScore ran in this state and did not skip
    bool skip_pre_bind = false;      // its PreBindPreFlight said Skip
    bool parallel_pre_bind = false;  // ... or that it may run beside others
  };
  const void* framework = nullptr;  // the framework that filled the entries
  Ref<const RefCounted> keep;       // `framework` again: it lives as long as what it filled
  uint64_t pod_serial = 0;          // the pod that PreFilter was run for; 0: none yet
  uint64_t data_serial = 0;    // the pod that `entries` belong to: the same, or of Filter alone
  std::vector<Entry> entries;  // by plugin index of the framework
  PreFilterResult pre_filter;
  bool skip_all_post_filter = false;  // PostFilter asks no plugin
  // If somebody wants to see how PostFilter preempts: then every node is tried, ties go to the
  // smallest name, and it is written down here.
  PreemptionReport* report = nullptr;

  // While plugins are asked: what they are asked about, and by whom (an Evaluator).
  const View* view = nullptr;
  Evaluator* evaluator = nullptr;
  // How many calls up to Score ask plugins with this state: what these have prepared is in use
  // then, and nothing may replace it.
  int in_use = 0;
  // While a call with limits runs: these. Copies of the state have none.
  const LimitWatch* limits = nullptr;
  bool exceeded() const { return limits != nullptr && limits->exceeded(); }
  // For loops of short steps: looks at every 64th.
  bool exceeded(size_t step) const { return step % 64 == 63 && exceeded(); }

  // Upstream's PodsToActivate: pods to try again at once after this cycle, by "namespace/name".
  void activate(const PodRef& pod);
  std::map<std::string, PodRef> take_activations();
  size_t activation_count() const;
  const Pod* activation(size_t index) const;  // in their order; null if out of range

  // --- keyed data ---
  void write(Str key, std::shared_ptr<StateValue> value);
  std::shared_ptr<StateValue> read(Str key) const;
  void erase(Str key);
  bool clones_anywhere() const;  // all of them

  Ref<CycleState> clone() const;

 private:
  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<StateValue>, std::less<>> values_;
  std::map<std::string, PodRef> activations_;
};

}  // namespace libsched
