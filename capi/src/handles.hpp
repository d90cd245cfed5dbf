// The C handles and the C++ objects behind them, and the frame that every fallible call runs in.
//
// A handle is the object's address under an opaque type. This folder makes no scheduling decisions.
#pragma once

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <libsched.h>

#include "handle_check.hpp"
#include "libsched/base/c_struct.hpp"
#include "libsched/base/result.hpp"
#include "libsched/cel/question.hpp"
#include "libsched/framework/event_map.hpp"
#include "libsched/ingest/ingest.hpp"
#include "libsched/run/evaluator.hpp"
#include "libsched/scheduler/api_memory/api_server.hpp"
#include "libsched/scheduler/capacity.hpp"
#include "libsched/scheduler/compare.hpp"
#include "libsched/scheduler/cycle.hpp"
#include "libsched/scheduler/drain.hpp"
#include "libsched/scheduler/loop/scheduler.hpp"
#include "libsched/scheduler/queue/queue.hpp"
#include "libsched/scheduler/sim/sim.hpp"
#include "libsched/scheduler/simulation/simulation.hpp"
#include "libsched/scheduler/what_if/edits.hpp"

namespace libsched::capi {

struct Text final : RefCounted {
  explicit Text(std::string s) : text(std::move(s)) {}
  std::string text;
};
struct ErrorObject final : RefCounted {
  explicit ErrorObject(Error e) : error(std::move(e)) {}
  Error error;
};
// The flag is only polled, so it needs no order with other memory.
struct Cancel final : RefCounted {
  std::atomic<bool> set{false};
};
struct Objects final : RefCounted {
  ObjectSet set;
};
struct Changes final : RefCounted {
  std::vector<Change> parts;
  std::vector<Ref<const Objects>> documents;  // PutObjects borrows from them
};
// A status that runs out of memory while it is written becomes an Error that says so, never an
// incomplete status.
struct StatusObject final : RefCounted {
  Status status;
  mutable std::string lent;    // the result of as_error()
  bool out_of_memory = false;  // then `status` is a bare Error

  void assign(Status s) noexcept {
    status = std::move(s);
    out_of_memory = false;
  }
  // Takes what a point has said, if it did not fail.
  Result<void> take(Result<Status> said) {
    if (!said.ok()) return std::move(said.error());
    assign(std::move(*said));
    return {};
  }
  // Returns the status for a call to fill.
  Status* blank() {
    out_of_memory = false;
    return &status;
  }
  template <typename F>
  void write(F&& change) noexcept {
    if (out_of_memory) return;
    try {
      change(status);
    } catch (...) {
      status.reset();
      status.code = Code::kError;
      out_of_memory = true;
    }
  }
};
struct EventMapObject final : RefCounted {
  struct Event {
    std::string plugin, resource, label;
    ActionType actions;
    bool has_hint;
  };
  std::vector<Event> events;
};
constexpr Str kOutOfMemory = "out of memory";
struct WaitingPodObject final : RefCounted {
  explicit WaitingPodObject(std::shared_ptr<WaitingPod> w)
      : waiting(std::move(w)), plugins(waiting->pending_plugins()) {}
  std::shared_ptr<WaitingPod> waiting;
  std::vector<std::string> plugins;  // that had not allowed it at creation
};
struct SchedulerObject final : RefCounted {
  // Watches the server, if there is one.
  SchedulerObject(SchedulerRef s, Ref<ApiServer> w)
      : watched(std::move(w)), scheduler(std::move(s)) {
    if (!watched) return;
    scheduler->add(watched.get());
    watched->watch(scheduler.get());
  }
  ~SchedulerObject() override {
    if (watched) watched->unwatch(scheduler.get());
  }
  Ref<ApiServer> watched;
  SchedulerRef scheduler;
  std::atomic<bool> running{false};  // a run, which plugins may be called in
};
struct CapacityObject final : RefCounted {
  explicit CapacityObject(Capacity c) : capacity(std::move(c)) {}
  Capacity capacity;
};
struct DrainObject final : RefCounted {
  explicit DrainObject(Drain d) : drain(std::move(d)) {}
  Drain drain;
};
struct EditedObject final : RefCounted {
  std::vector<AskedPod> pods;
  std::vector<std::string> notes;
};
struct PreFilterObject final : RefCounted {
  PreFilterResult result;
  bool out_of_memory = false;  // then no node is left
};
struct NodeInfo final : HandleMark {
  explicit NodeInfo(const NodeView& n) : node(n) {}
  NodeView node;
};
struct NodeSet final : HandleMark {
  NodeSet(const View* v, const uint32_t* r, size_t n, const NodeView* s)
      : view(v), rows(r), count(n), single(s), info(NodeView(*v, kNoId)) {}
  const View* view;
  const uint32_t* rows;
  size_t count;
  const NodeView* single;  // of a set of one: the view of its node
  mutable NodeInfo info;   // lent by _at()
  // What a batch filter says about single positions; nullptr in other slots.
  struct Answer {
    size_t index;
    Status status;
  };
  std::vector<Answer>* answers = nullptr;
  mutable bool out_of_memory = false;
};
// Objects that slots fill or read during a call.
struct Signature final : HandleMark {
  explicit Signature(std::vector<SignFragment>* f) : fragments(f) {}
  std::vector<SignFragment>* fragments;
  bool out_of_memory = false;
};
struct Events final : HandleMark {
  explicit Events(std::vector<ClusterEventWithHint>* l) : list(l) {}
  std::vector<ClusterEventWithHint>* list;
  bool out_of_memory = false;
};
struct ObjectChangeHandle final : HandleMark {
  explicit ObjectChangeHandle(const ObjectChange* c) : change(c) {}
  const ObjectChange* change;
};

// Conversions between handles and objects.
#if LIBSCHED_CHECK_HANDLES
#define LIBSCHED_LEND(p, name) note_lent(p, HandleKind::name)
#else
#define LIBSCHED_LEND(p, name) static_cast<void>(p)
#endif
#define LIBSCHED_HANDLE(name, cpp_type, words)                                           \
  inline cpp_type* unwrap(libsched_##name* p) { return reinterpret_cast<cpp_type*>(p); } \
  inline const cpp_type* unwrap(const libsched_##name* p) {                              \
    return reinterpret_cast<const cpp_type*>(p);                                         \
  }                                                                                      \
  inline libsched_##name* wrap(cpp_type* p) {                                            \
    LIBSCHED_LEND(p, name);                                                              \
    return reinterpret_cast<libsched_##name*>(p);                                        \
  }                                                                                      \
  inline const libsched_##name* wrap(const cpp_type* p) {                                \
    LIBSCHED_LEND(p, name);                                                              \
    return reinterpret_cast<const libsched_##name*>(p);                                  \
  }
LIBSCHED_HANDLES(LIBSCHED_HANDLE)
#undef LIBSCHED_HANDLE
#undef LIBSCHED_LEND

// The objects of an array of handles. Few of them need no memory.
template <typename T>
class Unwrapped {
 public:
  template <typename C>
  Unwrapped(const C* const* handles, size_t count) {
    if (count > few_.size()) many_ = std::make_unique_for_overwrite<const T*[]>(count);
    const T** const to = many_ ? many_.get() : few_.data();
    for (size_t i = 0; i < count; ++i) to[i] = unwrap(handles[i]);
  }
  const T* const* data() const { return many_ ? many_.get() : few_.data(); }

 private:
  std::array<const T*, 8> few_;
  std::unique_ptr<const T*[]> many_;
};

// Shared immutable objects are returned without const, for C reference counting.
template <typename T>
T* give(Ref<const T> r) {
  return const_cast<T*>(r.release());
}
template <typename T>
T* give(Ref<T> r) {
  return r.release();
}
template <typename T>
T* give(T* made) {
  return made;
}
inline Text* give(std::string text) { return new Text(std::move(text)); }

// The handle of an object, with a reference that passes to the user.
template <typename T>
auto own(T* object) {
  const auto handle = wrap(object);
#if LIBSCHED_CHECK_HANDLES
  note_taken(object);
#endif
  return handle;
}

template <typename C>
bool may_release(C* handle) {
  if (!live(handle)) return false;
#if LIBSCHED_CHECK_HANDLES
  return give_back(unwrap(handle), kind_of(handle));
#else
  return true;
#endif
}
template <typename C>
void release(C* handle) {
  if (may_release(handle)) unwrap(handle)->unref();
}
// The same for objects with a single owner.
template <typename C>
void destroy(C* handle) {
  if (may_release(handle)) delete unwrap(handle);
}
// References to immutable objects may be taken from a const handle.
template <typename C>
C* retain(const C* handle) {
  if (!live(handle)) return nullptr;
  unwrap(handle)->ref();
#if LIBSCHED_CHECK_HANDLES
  note_taken(unwrap(handle));
#endif
  return const_cast<C*>(handle);
}

inline Str in(libsched_str s) { return s.ptr == nullptr ? Str() : Str(s.ptr, s.len); }
inline std::vector<Str> all_in(const libsched_str* texts, size_t count) {
  std::vector<Str> all(count);
  for (size_t i = 0; i < count; ++i) all[i] = in(texts[i]);
  return all;
}
inline libsched_str out(Str s) {
  return s.data() == nullptr ? libsched_str{"", 0} : libsched_str{s.data(), s.size()};
}
// std::string is NUL-terminated, as borrowed outputs must be.
inline libsched_str out(const std::string& s) { return {s.c_str(), s.size()}; }

libsched_rc fail(libsched_error** error, Error e) noexcept;
libsched_rc misuse(libsched_error** error, const char* rule) noexcept;

// The limits of a call, from its options. Their handle has been checked (live_or_null).
inline Limits limits_of(const libsched_cancel* cancel, int64_t deadline_ns) {
  return {cancel == nullptr ? nullptr : &unwrap(cancel)->set, deadline_ns};
}

// Runs the body of a call. No exception crosses the ABI.
template <typename F>
libsched_rc guarded(libsched_error** error, F&& body) noexcept {
  try {
    Result<void> done = body();
    return done.ok() ? LIBSCHED_OK : fail(error, std::move(done.error()));
  } catch (const std::bad_alloc&) {
    return fail(error, {Rc::kNoMemory, "out of memory"});
  } catch (const std::exception& e) {
    return fail(error, {Rc::kInternal, e.what()});
  } catch (...) {
    return fail(error, {Rc::kInternal, "unknown exception"});
  }
}

// Makes an object, or a text, in `body`, and hands it over to the user.
template <typename C, typename F>
libsched_rc hand_over(libsched_error** error, C** result, F&& body) noexcept {
  return guarded(error, [&]() -> Result<void> {
    auto made = body();
    if constexpr (requires { made.ok(); }) {
      if (!made.ok()) return std::move(made.error());
      *result = own(give(std::move(*made)));
    } else {
      *result = own(give(std::move(made)));
    }
    return {};
  });
}

// For calls without an error parameter: returns `otherwise` after an exception.
template <typename T, typename F>
T quietly(T otherwise, F&& body) noexcept {
  try {
    return body();
  } catch (...) {
    return otherwise;
  }
}

// A pod of a view as users see it; null if memory runs out.
inline const libsched_pod* shown(const View& view, const Pod& pod) noexcept {
  return quietly(static_cast<const libsched_pod*>(nullptr),
                 [&] { return wrap(&view.as_bound(pod)); });
}

#define LIBSCHED_REQUIRE(error, condition)                                \
  do {                                                                    \
    if (!(condition)) return ::libsched::capi::misuse(error, #condition); \
  } while (false)

using libsched::read_struct;
// For calls of nanoseconds: a struct of our size is used itself, any other is read into `copy`,
// which holds the defaults.
template <typename T>
Result<void> read_struct(const T** given, T* copy, const char* name) {
  if (*given != nullptr && (*given)->struct_size == sizeof(T)) [[likely]]
    return {};
  Result<T> read = read_struct(*given, *copy, name);
  if (!read.ok()) return std::move(read.error());
  *copy = *read;
  *given = copy;
  return {};
}

// Structs for results may also be older or newer than ours; their struct_size stays. Check that the
// struct can be written before any step that cannot be undone.
template <typename T>
Result<void> writable_struct(const T* given, const char* name) {
  if (given->struct_size >= sizeof(uint32_t) && given->struct_size <= kMaxStructSize) return {};
  return Error{Rc::kMisuse, std::string(name) + ".struct_size is not set"};
}
template <typename T>
void write_struct(T* given, T filled) {
  filled.struct_size = given->struct_size;
  std::memcpy(static_cast<void*>(given), &filled,
              filled.struct_size < sizeof(T) ? filled.struct_size : sizeof(T));
}

Result<FilterOptions> filter_options(const libsched_filter_options* given);  // evaluator.cpp

}  // namespace libsched::capi
