// Which parameters of a call may be used: not NULL, and in builds with LIBSCHED_CHECK_HANDLES a
// live handle of the right kind. Any function of the C API asks before it follows a handle.
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

// Each handle type libsched_<name>, the C++ type behind it, and what people call one.
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
  X(object_change, ObjectChangeHandle, "an object change")   \
  X(clock, Clock, "a clock")                                 \
  X(memory_api, MemoryApi, "a memory API")                   \
  X(services, Services, "services")                          \
  X(waiting_pod, WaitingPodObject, "a waiting pod")          \
  X(writer_queue, WriterQueue, "a writer queue")             \
  X(scheduling, Scheduling, "a scheduling")

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
// Given to a user of the C API: to be looked at, or with a reference of its own.
void note_lent(const HandleMark* mark, HandleKind kind) noexcept;
void note_taken(const HandleMark* mark) noexcept;
// Whether the user has a reference to give back. It is not touched otherwise.
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
// MISUSE, with the name of the first that may not be used and what is wrong with it.
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
// Of a handle in a struct, which may be NULL.
template <HandleType C>
Result<void> live_or_null(const char* name, const C* handle) {
  if (handle == nullptr || live(handle)) return {};
  return wrong_handle(name, parameter_of(handle));
}

// At the head of a call: handles that must be live and outputs that must be there; handles that may
// be NULL; an array of handles.
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

// --- what is lent to code outside ---

// While a plugin's slot or an API client runs on this thread: finds what it gives back of the
// handles that it borrowed. Such a reference is not taken: what it refers to stays as it is.
class Borrowing {
 public:
#if LIBSCHED_CHECK_HANDLES
  Borrowing() noexcept;
  ~Borrowing();
  Borrowing(const Borrowing&) = delete;
  Borrowing& operator=(const Borrowing&) = delete;
  // What was given back since the last call of this: "a pod"; or null.
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

// An object that is lent for the time of a call. Checked builds know for some time afterwards that
// it has gone, which they cannot of an object on the stack.
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
