// Checks the parameters of calls: handles must not be NULL and, in builds with
// LIBSCHED_CHECK_HANDLES, must be live and of the right kind. Every function of the C API checks
// before it follows a handle.
#pragma once

#include <cstdint>
#include <utility>

#include <libsched.h>

#include "libsched/base/handle_mark.hpp"
#include "libsched/base/result.hpp"

#if LIBSCHED_CHECK_HANDLES
#include <unordered_set>
#endif

namespace libsched::capi {

// Each handle type libsched_<name>, the C++ type behind it, and its name in messages.
#define LIBSCHED_HANDLES(X)                                  \
  X(text, Text, "a text")                                    \
  X(error, ErrorObject, "an error")                          \
  X(cancel, Cancel, "a cancel handle")                       \
  X(objects, Objects, "objects")                             \
  X(pod, Pod, "a pod")                                       \
  X(node, Node, "a node")                                    \
  X(cluster, Cluster, "a cluster")                           \
  X(changes, Changes, "a list of changes")                   \
  X(snapshot, Snapshot, "a snapshot")                        \
  X(view, View, "a view")                                    \
  X(status, StatusObject, "a status")                        \
  X(config, SchedulerConfig, "a configuration")              \
  X(registry, Registry, "a registry")                        \
  X(extender, Extender, "an extender")                       \
  X(framework, Framework, "a framework")                     \
  X(cycle_state, CycleState, "a cycle state")                \
  X(evaluator, Evaluator, "an evaluator")                    \
  X(prefilter_result, PreFilterObject, "a PreFilter result") \
  X(decision, Decision, "a decision")                        \
  X(score_table, ScoreTable, "a score table")                \
  X(node_info, NodeInfo, "a node info")                      \
  X(node_set, NodeSet, "a node set")                         \
  X(node_statuses, NodeStatuses, "node statuses")            \
  X(signature, Signature, "a signature")                     \
  X(events, Events, "events")                                \
  X(event_map, EventMapObject, "an event map")               \
  X(object_change, ObjectChangeHandle, "an object change")   \
  X(clock, Clock, "a clock")                                 \
  X(memory_api, MemoryApi, "a memory API")                   \
  X(services, Services, "services")                          \
  X(waiting_pod, WaitingPodObject, "a waiting pod")          \
  X(writer_queue, WriterQueue, "a writer queue")             \
  X(scheduling, Scheduling, "a scheduling")                  \
  X(queue, SchedulingQueue, "a queue")                       \
  X(queued_pod, QueuedPodInfo, "a queued pod")               \
  X(api_server, ApiServer, "an API server")                  \
  X(scheduler, SchedulerObject, "a scheduler")               \
  X(workload, TimedWorkload, "a workload")                   \
  X(simulation, Simulation, "a simulation")                  \
  X(table, Table, "a table")                                 \
  X(capacity, CapacityObject, "a capacity")                  \
  X(drain, DrainObject, "a drain")                           \
  X(edited, EditedObject, "edited pods")                     \
  X(comparison, Comparison, "a comparison")                  \
  X(cel, cel::Question, "an expression")                     \
  X(catalog, Catalog, "a catalog")                           \
  X(sim, Sim, "a simulated cluster")

enum class HandleKind : uint8_t {
  kNone,  // some other pointer, such as an output
#define LIBSCHED_KIND(name, cpp_type, words) name,
  LIBSCHED_HANDLES(LIBSCHED_KIND)
#undef LIBSCHED_KIND
};
#define LIBSCHED_KIND(name, cpp_type, words) \
  constexpr HandleKind kind_of(const libsched_##name*) { return HandleKind::name; }
LIBSCHED_HANDLES(LIBSCHED_KIND)
#undef LIBSCHED_KIND
template <typename C>
concept HandleType = requires(const C* handle) { kind_of(handle); };

#if LIBSCHED_CHECK_HANDLES
bool is_live(const void* handle, HandleKind kind) noexcept;
// Note that a user of the C API gets a borrowed handle, or a handle with its own reference.
void note_lent(const HandleMark* mark, HandleKind kind) noexcept;
void note_taken(const HandleMark* mark) noexcept;
// Whether the user holds a reference to release. Otherwise the object is not touched.
bool give_back(const HandleMark* mark, HandleKind kind) noexcept;
#endif

template <HandleType C>
bool live(const C* handle) {
#if LIBSCHED_CHECK_HANDLES
  return handle != nullptr && is_live(handle, kind_of(handle));
#else
  return handle != nullptr;
#endif
}

// --- the parameters of a call that can fail ---
struct Parameter {
  const void* address;
  HandleKind kind;
};
// Returns MISUSE with the name of the first invalid parameter and its misuse.
libsched_rc misused(libsched_error** error, const char* names, const Parameter* parameters,
                    size_t count, bool null_allowed) noexcept;
libsched_rc misused_item(libsched_error** error, const char* name, size_t index,
                         Parameter item) noexcept;
Error wrong_handle(const char* name, Parameter parameter);

template <typename P>
constexpr Parameter parameter_of(const P* p) {
  if constexpr (HandleType<P>) {
    return {p, kind_of(p)};
  } else {
    return {p, HandleKind::kNone};
  }
}
template <typename P>
bool usable(const P* p) {
  if constexpr (HandleType<P>) {
    return live(p);
  } else {
    return p != nullptr;
  }
}
template <typename... P>
libsched_rc require(libsched_error** error, const char* names, const P*... p) noexcept {
  if ((usable(p) && ...)) return LIBSCHED_OK;
  const Parameter all[] = {parameter_of(p)...};
  return misused(error, names, all, sizeof...(p), false);
}
template <HandleType... C>
libsched_rc allow(libsched_error** error, const char* names, const C*... p) noexcept {
  if (((p == nullptr || live(p)) && ...)) return LIBSCHED_OK;
  const Parameter all[] = {parameter_of(p)...};
  return misused(error, names, all, sizeof...(p), true);
}
template <HandleType C>
libsched_rc require_each(libsched_error** error, const char* name, const C* const* items,
                         size_t count) noexcept {
  if (items == nullptr && count != 0) return require(error, name, items);
  for (size_t i = 0; i < count; ++i)
    if (!live(items[i])) return misused_item(error, name, i, parameter_of(items[i]));
  return LIBSCHED_OK;
}
// Checks a handle in a struct, which may be NULL.
template <HandleType C>
Result<void> live_or_null(const char* name, const C* handle) {
  if (handle == nullptr || live(handle)) return {};
  return wrong_handle(name, parameter_of(handle));
}

// Used at the start of a call: require live handles and non-NULL outputs, handles that may be NULL,
// or an array of handles.
#define LIBSCHED_REQUIRE_HANDLES(error, ...)                                               \
  if (const libsched_rc rc_ = ::libsched::capi::require(error, #__VA_ARGS__, __VA_ARGS__); \
      rc_ != LIBSCHED_OK)                                                                  \
  return rc_
#define LIBSCHED_ALLOW_HANDLES(error, ...)                                               \
  if (const libsched_rc rc_ = ::libsched::capi::allow(error, #__VA_ARGS__, __VA_ARGS__); \
      rc_ != LIBSCHED_OK)                                                                \
  return rc_
#define LIBSCHED_REQUIRE_EACH(error, items, count)                                         \
  if (const libsched_rc rc_ = ::libsched::capi::require_each(error, #items, items, count); \
      rc_ != LIBSCHED_OK)                                                                  \
  return rc_

// --- handles lent to foreign code ---

// Detects borrowed handles that a plugin's slot or an API client releases while it runs on this
// thread. Such a release is ignored: the object keeps its references.
class Borrowing {
 public:
#if LIBSCHED_CHECK_HANDLES
  Borrowing() noexcept;
  ~Borrowing();
  Borrowing(const Borrowing&) = delete;
  Borrowing& operator=(const Borrowing&) = delete;
  // What was released since the last call, such as "a pod"; or null.
  const char* released() { return std::exchange(released_, nullptr); }
  bool has_released() const { return released_ != nullptr; }

 private:
  friend void note_lent(const HandleMark* mark, HandleKind kind) noexcept;
  friend bool give_back(const HandleMark* mark, HandleKind kind) noexcept;
  Borrowing* const outer_;
  const char* released_ = nullptr;
  std::unordered_set<const HandleMark*> lent_;
#else
  const char* released() const { return nullptr; }
  bool has_released() const { return false; }
#endif
};

// An object that is lent during a call. Builds that check handles recognise it for some time after
// its release, which is impossible for an object on the stack.
template <typename T>
class Lent {
 public:
#if LIBSCHED_CHECK_HANDLES
  template <typename... Args>
  explicit Lent(Args&&... args) : object_(new T(std::forward<Args>(args)...)) {}
  ~Lent() { delete object_; }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  T* get() const { return object_; }

 private:
  T* object_;
#else
  template <typename... Args>
  explicit Lent(Args&&... args) : object_(std::forward<Args>(args)...) {}
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  T* get() const { return &object_; }

 private:
  mutable T object_;
#endif

 public:
  T* operator->() const { return get(); }
  T& operator*() const { return *get(); }
};

}  // namespace libsched::capi
