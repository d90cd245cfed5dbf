// The C handles and the C++ objects behind them, and the frame that every fallible call runs in.
//
// A handle is the object's address under an opaque type. No decision is made in this folder.
#pragma once

#include <cstring>
#include <new>
#include <string>
#include <utility>

#include <libsched.h>

#include "libsched/base/result.hpp"
#include "libsched/framework/evaluator.hpp"
#include "libsched/ingest/ingest.hpp"

namespace libsched::capi {

struct Text final : RefCounted {
  explicit Text(std::string s) : text(std::move(s)) {}
  std::string text;
};
struct ErrorObject final : RefCounted {
  explicit ErrorObject(Error e) : error(std::move(e)) {}
  Error error;
};
struct Objects final : RefCounted {
  ObjectSet set;
};
struct StatusObject final : RefCounted {
  Status status;
  mutable std::string lent;  // what as_error() gave
};
struct WaitingPodObject final : RefCounted {
  explicit WaitingPodObject(std::shared_ptr<WaitingPod> w) : waiting(std::move(w)) {}
  std::shared_ptr<WaitingPod> waiting;
};
struct PreFilterObject final : RefCounted {
  PreFilterResult result;
};
// With an overlay the node is to be seen with the overlay's pods.
struct NodeInfo {
  const View* view = nullptr;
  uint32_t row = kNoId;
  const NodeOverlay* overlay = nullptr;
};
struct NodeSet {
  const View* view = nullptr;
  const uint32_t* rows = nullptr;
  size_t count = 0;
  const NodeOverlay* overlay = nullptr;  // of a set of one
  mutable NodeInfo info;                 // what _at() lends
};

// Each pair of a handle type and its C++ type.
#define LIBSCHED_HANDLE(c_type, cpp_type)                                                         \
  inline cpp_type* unwrap(c_type* p) { return reinterpret_cast<cpp_type*>(p); }                   \
  inline const cpp_type* unwrap(const c_type* p) { return reinterpret_cast<const cpp_type*>(p); } \
  inline c_type* wrap(cpp_type* p) { return reinterpret_cast<c_type*>(p); }                       \
  inline const c_type* wrap(const cpp_type* p) { return reinterpret_cast<const c_type*>(p); }

LIBSCHED_HANDLE(libsched_text, Text)
LIBSCHED_HANDLE(libsched_error, ErrorObject)
LIBSCHED_HANDLE(libsched_objects, Objects)
LIBSCHED_HANDLE(libsched_pod, Pod)
LIBSCHED_HANDLE(libsched_node, Node)
LIBSCHED_HANDLE(libsched_cluster, Cluster)
LIBSCHED_HANDLE(libsched_snapshot, Snapshot)
LIBSCHED_HANDLE(libsched_view, View)
LIBSCHED_HANDLE(libsched_status, StatusObject)
LIBSCHED_HANDLE(libsched_config, SchedulerConfig)
LIBSCHED_HANDLE(libsched_registry, Registry)
LIBSCHED_HANDLE(libsched_framework, Framework)
LIBSCHED_HANDLE(libsched_cycle_state, CycleState)
LIBSCHED_HANDLE(libsched_evaluator, Evaluator)
LIBSCHED_HANDLE(libsched_prefilter_result, PreFilterObject)
LIBSCHED_HANDLE(libsched_decision, Decision)
LIBSCHED_HANDLE(libsched_score_table, ScoreTable)
LIBSCHED_HANDLE(libsched_node_info, NodeInfo)
LIBSCHED_HANDLE(libsched_node_set, NodeSet)
LIBSCHED_HANDLE(libsched_node_statuses, NodeStatuses)
LIBSCHED_HANDLE(libsched_signature, std::vector<SignFragment>)
LIBSCHED_HANDLE(libsched_events, std::vector<ClusterEventWithHint>)
LIBSCHED_HANDLE(libsched_object_change, ObjectChange)
LIBSCHED_HANDLE(libsched_clock, Clock)
LIBSCHED_HANDLE(libsched_services, Services)
LIBSCHED_HANDLE(libsched_waiting_pod, WaitingPodObject)
#undef LIBSCHED_HANDLE

// Shared immutable objects are handed out without const, as C reference counting wants it.
template <typename T>
T* give(Ref<const T> r) {
  return const_cast<T*>(r.release());
}
template <typename T>
T* give(Ref<T> r) {
  return r.release();
}

template <typename C>
void release(C* handle) {
  if (handle != nullptr) unwrap(handle)->unref();
}
template <typename C>
C* retain(C* handle) {
  if (handle != nullptr) unwrap(handle)->ref();
  return handle;
}

inline Str in(libsched_str s) { return s.ptr == nullptr ? Str() : Str(s.ptr, s.len); }
inline libsched_str out(Str s) {
  return s.data() == nullptr ? libsched_str{"", 0} : libsched_str{s.data(), s.size()};
}
// std::string is NUL-terminated, as borrowed outputs are to be.
inline libsched_str out(const std::string& s) { return {s.c_str(), s.size()}; }

libsched_rc fail(libsched_error** error, Error e) noexcept;
libsched_rc misuse(libsched_error** error, const char* rule) noexcept;

// Runs the body of a call: nothing is thrown across the ABI.
template <typename F>
libsched_rc guarded(libsched_error** error, F&& body) noexcept {
  try {
    Result<void> done = body();
    return done.ok() ? LIBSCHED_OK : fail(error, std::move(done.error()));
  } catch (const std::bad_alloc&) {
    return fail(error, {Rc::kNoMemory, "out of memory", {}, {}});
  } catch (const std::exception& e) {
    return fail(error, {Rc::kInternal, e.what(), {}, {}});
  } catch (...) {
    return fail(error, {Rc::kInternal, "unknown exception", {}, {}});
  }
}

// For calls without an error: `otherwise` if something is thrown.
template <typename T, typename F>
T quietly(T otherwise, F&& body) noexcept {
  try {
    return body();
  } catch (...) {
    return otherwise;
  }
}

#define LIBSCHED_REQUIRE(error, condition)                                \
  do {                                                                    \
    if (!(condition)) return ::libsched::capi::misuse(error, #condition); \
  } while (false)

// No struct of this or a later version comes near this size: it says that struct_size is not set.
constexpr uint32_t kMaxStructSize = 64 * 1024;

// Reads a struct that may be older (shorter) or newer (longer) than ours. A newer one may not say
// anything that we do not know.
template <typename T>
Result<T> read_struct(const T* given, const T& defaults, const char* name) {
  if (given == nullptr) return defaults;
  T copy = defaults;
  uint32_t size = 0;
  std::memcpy(&size, given, sizeof(size));
  if (size < sizeof(uint32_t) || size > kMaxStructSize)
    return Error{Rc::kMisuse, std::string(name) + ".struct_size is not set", {}, {}};
  std::memcpy(static_cast<void*>(&copy), given, size < sizeof(T) ? size : sizeof(T));
  const char* bytes = reinterpret_cast<const char*>(given);
  for (size_t i = sizeof(T); i < size; ++i)
    if (bytes[i] != 0)
      return Error{Rc::kUnsupported,
                   std::string(name) + " has fields that this version does not know",
                   {},
                   {}};
  return copy;
}

// A struct for a result may be older or newer than ours, too; its struct_size stays. Ask whether it
// can be written before what cannot be taken back.
template <typename T>
Result<void> writable_struct(const T* given, const char* name) {
  if (given->struct_size >= sizeof(uint32_t) && given->struct_size <= kMaxStructSize) return {};
  return Error{Rc::kMisuse, std::string(name) + ".struct_size is not set", {}, {}};
}
template <typename T>
void write_struct(T* given, T filled) {
  filled.struct_size = given->struct_size;
  std::memcpy(static_cast<void*>(given), &filled,
              filled.struct_size < sizeof(T) ? filled.struct_size : sizeof(T));
}

}  // namespace libsched::capi
