// Owned handles of the C API as C++ types: the destructor drops the reference.
//
// Structs that can be large to free do so without the GIL (see release_slowly).
#pragma once

#include <libsched.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

#include "gil.hpp"

namespace libsched {

template <typename T, void (*unref)(T*)>
struct Unref {
  void operator()(T* handle) const { unref(handle); }
};

// For handles whose last reference may free much memory: other Python threads run meanwhile.
template <typename T, void (*unref)(T*)>
struct UnrefWithoutGil {
  void operator()(T* handle) const {
    if (PyGILState_Check() != 0) {
      const Unlocked released;
      unref(handle);
    } else {
      unref(handle);
    }
  }
};

using CancelHandle =
    std::unique_ptr<libsched_cancel, Unref<libsched_cancel, libsched_cancel_unref>>;
using ChangesHandle =
    std::unique_ptr<libsched_changes, Unref<libsched_changes, libsched_changes_unref>>;
using ClockHandle = std::unique_ptr<libsched_clock, Unref<libsched_clock, libsched_clock_unref>>;
using ClusterHandle =
    std::unique_ptr<libsched_cluster, UnrefWithoutGil<libsched_cluster, libsched_cluster_unref>>;
using ConfigHandle =
    std::unique_ptr<libsched_config, Unref<libsched_config, libsched_config_unref>>;
using DecisionHandle =
    std::unique_ptr<libsched_decision, UnrefWithoutGil<libsched_decision, libsched_decision_unref>>;
using ErrorHandle = std::unique_ptr<libsched_error, Unref<libsched_error, libsched_error_unref>>;
using EvaluatorHandle =
    std::unique_ptr<libsched_evaluator,
                    UnrefWithoutGil<libsched_evaluator, libsched_evaluator_unref>>;
using ExtenderHandle =
    std::unique_ptr<libsched_extender, UnrefWithoutGil<libsched_extender, libsched_extender_unref>>;
using FrameworkHandle =
    std::unique_ptr<libsched_framework,
                    UnrefWithoutGil<libsched_framework, libsched_framework_unref>>;
using NodeHandle = std::unique_ptr<libsched_node, Unref<libsched_node, libsched_node_unref>>;
using NodeStatusesHandle =
    std::unique_ptr<libsched_node_statuses,
                    Unref<libsched_node_statuses, libsched_node_statuses_unref>>;
using ObjectsHandle =
    std::unique_ptr<libsched_objects, UnrefWithoutGil<libsched_objects, libsched_objects_unref>>;
using PodHandle = std::unique_ptr<libsched_pod, Unref<libsched_pod, libsched_pod_unref>>;
using PreFilterHandle =
    std::unique_ptr<libsched_prefilter_result,
                    Unref<libsched_prefilter_result, libsched_prefilter_result_unref>>;
using RegistryHandle =
    std::unique_ptr<libsched_registry, Unref<libsched_registry, libsched_registry_unref>>;
using ScoreTableHandle =
    std::unique_ptr<libsched_score_table, Unref<libsched_score_table, libsched_score_table_unref>>;
using ServicesHandle =
    std::unique_ptr<libsched_services, UnrefWithoutGil<libsched_services, libsched_services_unref>>;
using SnapshotHandle =
    std::unique_ptr<libsched_snapshot, UnrefWithoutGil<libsched_snapshot, libsched_snapshot_unref>>;
using StateHandle =
    std::unique_ptr<libsched_cycle_state, Unref<libsched_cycle_state, libsched_cycle_state_unref>>;
using StatusHandle =
    std::unique_ptr<libsched_status, Unref<libsched_status, libsched_status_unref>>;
using SchedulingHandle =
    std::unique_ptr<libsched_scheduling,
                    UnrefWithoutGil<libsched_scheduling, libsched_scheduling_unref>>;
using EventMapHandle =
    std::unique_ptr<libsched_event_map, Unref<libsched_event_map, libsched_event_map_unref>>;
using WriterQueueHandle =
    std::unique_ptr<libsched_writer_queue,
                    UnrefWithoutGil<libsched_writer_queue, libsched_writer_queue_unref>>;
using WaitingPodHandle =
    std::unique_ptr<libsched_waiting_pod, Unref<libsched_waiting_pod, libsched_waiting_pod_unref>>;
using TextHandle = std::unique_ptr<libsched_text, Unref<libsched_text, libsched_text_unref>>;

// The out parameter of a call of the C API: `libsched_..._create(into(handle), error)`. The
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
struct Objects {
  ObjectsHandle handle;
};
struct Pod {
  PodHandle handle;
};
struct Changes {
  ChangesHandle handle;
};
struct Node {
  NodeHandle handle;
};
struct Config {
  ConfigHandle handle;
};
struct Framework {
  FrameworkHandle handle;
};

struct Registry {
  RegistryHandle handle;
};
// Has no lock, because any thread may use it.
struct Cancel {
  CancelHandle handle;
};
struct Clock {
  ClockHandle handle;
};
struct WaitingPod {
  WaitingPodHandle handle;
};
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
