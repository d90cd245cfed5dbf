// Owned handles of the C API as C++ types, and the structs behind the Python classes of the module.
#pragma once

#include <libsched.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

#include "gil.hpp"

namespace libsched {

// Drops a reference. The last reference to a `slow` handle may free much memory, so other Python
// threads run meanwhile.
template <auto unref, bool slow>
struct Unref {
  template <typename T>
  void operator()(T* handle) const {
    if (slow && PyGILState_Check() != 0) {
      const Unlocked released;
      unref(handle);
    } else {
      unref(handle);
    }
  }
};
template <auto unref, bool slow>
struct OwnedBy;
template <typename T, void (*unref)(T*), bool slow>
struct OwnedBy<unref, slow> {
  using Type = std::unique_ptr<T, Unref<unref, slow>>;
};
template <auto unref>
using Owned = typename OwnedBy<unref, false>::Type;
template <auto unref>
using SlowlyOwned = typename OwnedBy<unref, true>::Type;

using CancelHandle = Owned<libsched_cancel_unref>;
using ChangesHandle = Owned<libsched_changes_unref>;
using ClockHandle = Owned<libsched_clock_unref>;
using ClusterHandle = SlowlyOwned<libsched_cluster_unref>;
using ConfigHandle = Owned<libsched_config_unref>;
using DecisionHandle = SlowlyOwned<libsched_decision_unref>;
using ErrorHandle = Owned<libsched_error_unref>;
using EvaluatorHandle = SlowlyOwned<libsched_evaluator_unref>;
using ExtenderHandle = SlowlyOwned<libsched_extender_unref>;
using FrameworkHandle = SlowlyOwned<libsched_framework_unref>;
using NodeHandle = Owned<libsched_node_unref>;
using NodeStatusesHandle = Owned<libsched_node_statuses_unref>;
using ObjectsHandle = SlowlyOwned<libsched_objects_unref>;
using PodHandle = Owned<libsched_pod_unref>;
using PreFilterHandle = Owned<libsched_prefilter_result_unref>;
using RegistryHandle = Owned<libsched_registry_unref>;
using ScoreTableHandle = Owned<libsched_score_table_unref>;
using ServicesHandle = SlowlyOwned<libsched_services_unref>;
using SnapshotHandle = SlowlyOwned<libsched_snapshot_unref>;
using StateHandle = Owned<libsched_cycle_state_unref>;
using StatusHandle = Owned<libsched_status_unref>;
using SchedulingHandle = SlowlyOwned<libsched_scheduling_unref>;
using EventMapHandle = Owned<libsched_event_map_unref>;
using WriterQueueHandle = SlowlyOwned<libsched_writer_queue_unref>;
using WaitingPodHandle = Owned<libsched_waiting_pod_unref>;
using TextHandle = Owned<libsched_text_unref>;

// The out parameter of a call of the C API: `quick(libsched_..._create, into(handle))`. The
// handle owns the new object once the call has returned, so an exception raised by a plugin
// leaks nothing.
template <typename Handle>
class Into {
 public:
  explicit Into(Handle& handle) : handle_(handle) {}
  ~Into() {
    if (made_ != nullptr) handle_.reset(made_);
  }
  Into(const Into&) = delete;
  Into& operator=(const Into&) = delete;

  operator typename Handle::pointer *() { return &made_; }  // NOLINT: stands for the out parameter

 private:
  Handle& handle_;
  typename Handle::pointer made_ = nullptr;
};
template <typename Handle>
Into<Handle> into(Handle& handle) {
  return Into<Handle>(handle);
}

// The structs behind the Python classes of the module.
template <typename Handle>
struct Holder {
  Handle handle;
};
struct Objects : Holder<ObjectsHandle> {};
struct Pod : Holder<PodHandle> {};
struct Changes : Holder<ChangesHandle> {};
struct Node : Holder<NodeHandle> {};
struct Config : Holder<ConfigHandle> {};
struct Framework : Holder<FrameworkHandle> {};
struct Registry : Holder<RegistryHandle> {};
struct Cancel : Holder<CancelHandle> {};  // has no lock, because any thread may use it
struct Clock : Holder<ClockHandle> {};
struct WaitingPod : Holder<WaitingPodHandle> {};
// The lock guards nominations and the client; waiting pods need no lock.
struct Services {
  ServicesHandle handle;
  std::shared_ptr<Lock> lock;
};

struct Decision {
  DecisionHandle handle;
  size_t total = 0;                 // number of judged nodes
  std::vector<std::string> absent;  // not in the decision: PreFilter excluded them
  bool plain = false;               // not gated, and no plugin failed on any node
};

// Scores with their own `handle`, or the scores of a decision, which is `owner` then.
struct ScoreTable {
  ScoreTableHandle handle;
  pybind11::object owner;
  const libsched_score_table* table = nullptr;

  const libsched_score_table* get() const { return table; }
};

// Numbers inside of another object, lent to Python through the buffer protocol.
struct Array {
  pybind11::object owner;
  const void* data = nullptr;
  size_t count = 0;
  size_t item_size = 1;
  const char* format = "b";
};

// An owned state, or a state lent to a plugin's slot, which is NULL afterwards: calls then fail.
struct CycleState {
  StateHandle handle;
  std::unique_ptr<Lock> lock = std::make_unique<Lock>();
  libsched_cycle_state* lent = nullptr;

  libsched_cycle_state* get() const { return handle ? handle.get() : lent; }
};

// A cluster or a snapshot, for reading. A cluster and its evaluators share one lock, because only
// one thread at a time may use them; a snapshot needs none.
struct View {
  std::shared_ptr<Lock> lock;  // NULL: immutable
  const libsched_view* view = nullptr;
};
struct Cluster : View {
  ClusterHandle handle;
};
struct Snapshot : View {
  SnapshotHandle handle;
};

struct Evaluator {
  std::shared_ptr<Lock> lock;           // the cluster's lock; on a snapshot its own
  std::shared_ptr<Lock> services_lock;  // NULL if it has its own services
  EvaluatorHandle handle;
  StatusHandle status;         // filled by calls, under the lock
  PreFilterHandle pre_filter;  // likewise
  const libsched_view* view = nullptr;
};

// The struct of a handle, by the type of wrapper_of(Of<libsched_pod>()), which is never called.
template <typename C>
struct Of {};
Objects wrapper_of(Of<libsched_objects>);
Pod wrapper_of(Of<libsched_pod>);
Changes wrapper_of(Of<libsched_changes>);
Node wrapper_of(Of<libsched_node>);
Config wrapper_of(Of<libsched_config>);
Framework wrapper_of(Of<libsched_framework>);
Registry wrapper_of(Of<libsched_registry>);
Cancel wrapper_of(Of<libsched_cancel>);
Clock wrapper_of(Of<libsched_clock>);
WaitingPod wrapper_of(Of<libsched_waiting_pod>);
Services wrapper_of(Of<libsched_services>);
Decision wrapper_of(Of<libsched_decision>);
ScoreTable wrapper_of(Of<libsched_score_table>);
CycleState wrapper_of(Of<libsched_cycle_state>);
View wrapper_of(Of<libsched_view>);
Cluster wrapper_of(Of<libsched_cluster>);
Evaluator wrapper_of(Of<libsched_evaluator>);

// Holds the locks that a call on an evaluator needs, in the order that all calls follow.
class Asking {
 public:
  explicit Asking(const Evaluator& evaluator)
      : view_(evaluator.lock.get()), services_(evaluator.services_lock.get()) {}

 private:
  Holding view_;
  Holding services_;
};

}  // namespace libsched
