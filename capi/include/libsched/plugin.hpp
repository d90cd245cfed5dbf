// Plugins in C++20: turns a class into a libsched_plugin. Header only, on top of <libsched.h>.
//
//   struct Quiet {
//     static constexpr std::string_view name = "Quiet";
//     explicit Quiet(std::string_view args);  // pluginConfig as JSON; optional
//     libsched::sdk::Status filter(const libsched_cycle_state*, const libsched_pod*,
//                                  const libsched_node_info*);
//   };
//   LIBSCHED_EXPORT_PLUGINS(Quiet)               // in a shared object
//   libsched::sdk::add<Quiet>(registry, &error); // or in the program itself
//
// A public member function with the name of a slot of libsched_plugin implements that slot. It
// takes the slot's parameters without the instance and the status, with strings as
// std::string_view and arrays as std::span, and returns nothing, a libsched_code or a Status. An
// exception becomes a status ERROR with its text; slots without a status drop it. Each framework
// has its own instance, which is deleted with the framework. Optional: `static constexpr uint32_t
// flags` (LIBSCHED_PLUGIN_*) and `static constexpr std::string_view reasons[]` for filter_batch.
// Static functions thread_attach() and thread_detach() implement the slots of these names.
//
// A class without any slot does not compile, nor does a member with the name of a slot that could
// not be called: one that is private, overloaded or a template, that takes other parameters, or
// that returns something else, such as a bool.
#ifndef LIBSCHED_PLUGIN_HPP
#define LIBSCHED_PLUGIN_HPP

#include <libsched/libsched.hpp>

#include <exception>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace libsched::sdk {

// The answer of a plugin: a code and reasons.
struct Status {
  libsched_code code = LIBSCHED_CODE_SUCCESS;
  std::vector<std::string> reasons;

  Status() = default;
  Status(libsched_code c) : code(c) {}  // NOLINT(google-explicit-constructor)
  Status(libsched_code c, std::string reason) : code(c) { reasons.push_back(std::move(reason)); }
};
inline Status unschedulable(std::string reason) {
  return {LIBSCHED_CODE_UNSCHEDULABLE, std::move(reason)};
}

namespace detail {

inline libsched_code failed(libsched_status* status, const char* what) noexcept {
  libsched_status_set(status, LIBSCHED_CODE_ERROR);
  libsched_status_set_error(status, libsched_str_from(what));
  return LIBSCHED_CODE_ERROR;
}

// Runs a method of the plugin and turns exceptions into a status ERROR.
template <typename F>
libsched_code answer(libsched_status* status, F&& method) noexcept {
  try {
    using Answer = std::invoke_result_t<F>;
    if constexpr (std::is_void_v<Answer>) {
      method();
      return LIBSCHED_CODE_SUCCESS;
    } else if constexpr (std::is_convertible_v<Answer, libsched_code>) {
      return method();
    } else {
      const Status said = method();
      for (const std::string& reason : said.reasons)
        libsched_status_add_reason(status, str(reason));
      return said.code;
    }
  } catch (const std::exception& e) {
    return failed(status, e.what());
  } catch (...) {
    return failed(status, "unknown exception");
  }
}

template <typename F>
void quietly(F&& method) noexcept {
  try {
    method();
  } catch (...) {  // without a status, it cannot be reported
  }
}

template <typename P>
P* self(void* instance) {
  return static_cast<P*>(instance);
}

template <typename P>
std::span<const libsched_str> reasons() {
  if constexpr (requires { P::reasons; }) {
    static const std::vector<libsched_str> list = [] {
      std::vector<libsched_str> l;
      for (const std::string_view r : P::reasons) l.push_back(str(r));
      return l;
    }();
    return list;
  }
  return {};
}

// What a method of a slot with a status returns. A bool is none of it: true would be Error.
template <typename T>
concept Answering = std::is_void_v<T> || std::is_same_v<T, libsched_code> ||
                    ((std::is_enum_v<T> || std::is_class_v<T>) && std::is_convertible_v<T, Status>);
template <typename T>
concept Before = std::is_same_v<T, bool>;
template <typename T>
concept Anything = true;

struct Final {};
// `named_filter<P>` says whether P has a member called filter, also one that cannot be reached: the
// name is ambiguous in a class that inherits it twice, whatever it is and whoever may use it.
#define LIBSCHED_SDK_NAMED(slot)                                                          \
  struct Only_##slot {                                                                    \
    int slot;                                                                             \
  };                                                                                      \
  template <typename P>                                                                   \
  struct Twice_##slot : std::conditional_t<std::is_final_v<P>, Final, P>, Only_##slot {}; \
  template <typename P>                                                                   \
  constexpr bool named_##slot = !requires { &Twice_##slot<P>::slot; } || requires { &P::slot; };
// clang-format off
#define LIBSCHED_SDK_SLOTS(X)                                                                   \
  X(less) X(pre_enqueue) X(events_to_register) X(queueing_hint) X(pre_filter) X(add_pod)        \
  X(remove_pod) X(filter) X(filter_batch) X(post_filter) X(pre_score) X(score) X(score_batch)   \
  X(normalize_score) X(reserve) X(unreserve) X(permit) X(pre_bind_pre_flight) X(pre_bind)       \
  X(bind) X(post_bind) X(sign) X(on_event) X(forked) X(reverted) X(committed)
// clang-format on
LIBSCHED_SDK_SLOTS(LIBSCHED_SDK_NAMED)
LIBSCHED_SDK_NAMED(thread_attach)
LIBSCHED_SDK_NAMED(thread_detach)

#define LIBSCHED_SDK_OR_NAMED(slot) || named_##slot<P>
template <typename P>
constexpr bool has_slots = false LIBSCHED_SDK_SLOTS(LIBSCHED_SDK_OR_NAMED);
#undef LIBSCHED_SDK_OR_NAMED
#undef LIBSCHED_SDK_SLOTS
#undef LIBSCHED_SDK_NAMED

// Checks the method of a slot: the slot, its parameters, the arguments of the method, the results
// that are allowed, and their names in a sentence. `ok` says whether the slot can be filled.
// clang-format off
#define LIBSCHED_SDK_CHECKED(slot, PARAMETERS, CALL, RESULT, results)                         \
  constexpr bool reached = requires { &P::slot; };                                            \
  constexpr bool called = requires PARAMETERS { CALL; };                                      \
  constexpr bool ok = requires PARAMETERS { { CALL } -> RESULT; };                            \
  static_assert(reached, "libsched plugin: " #slot                                            \
                         " is private, overloaded or a template; make it one public method"); \
  static_assert(!reached || called,                                                           \
                "libsched plugin: " #slot                                                     \
                " takes other parameters; give it those of the slot " #slot                   \
                " in libsched/plugin.h without the instance and the status, with "            \
                "std::string_view for libsched_str and std::span for arrays");                \
  static_assert(!called || ok, "libsched plugin: " #slot " must return " results);
// clang-format on
// A slot with a status: its parameters, and the arguments of the method.
#define LIBSCHED_SDK_ANSWER(slot, PARAMETERS, ...)                                               \
  if constexpr (named_##slot<P>) {                                                               \
    LIBSCHED_SDK_CHECKED(slot, PARAMETERS, detail::self<P>(self)->slot(__VA_ARGS__), Answering,  \
                         "nothing, a libsched_code or a libsched::sdk::Status, such as {} or "   \
                         "unschedulable(reason); a bool would be read as a code, true as Error") \
    if constexpr (ok)                                                                            \
      p.slot = [] PARAMETERS -> libsched_code {                                                  \
        return detail::answer(status, [&] { return detail::self<P>(self)->slot(__VA_ARGS__); }); \
      };                                                                                         \
  }
// A slot without a result.
#define LIBSCHED_SDK_SILENT(slot, PARAMETERS, ...)                                                 \
  if constexpr (named_##slot<P>) {                                                                 \
    LIBSCHED_SDK_CHECKED(slot, PARAMETERS, detail::self<P>(self)->slot(__VA_ARGS__), Anything, "") \
    if constexpr (ok)                                                                              \
      p.slot = [] PARAMETERS {                                                                     \
        detail::quietly([&] { detail::self<P>(self)->slot(__VA_ARGS__); });                        \
      };                                                                                           \
  }
// A static function that runs on threads.
#define LIBSCHED_SDK_ON_THREAD(slot)                                                           \
  if constexpr (named_##slot<P>) {                                                             \
    constexpr bool ok = requires { P::slot(); };                                               \
    static_assert(                                                                             \
        ok, "libsched plugin: " #slot " must be a public static function without parameters"); \
    if constexpr (ok) p.slot = [](void*) { detail::quietly([] { P::slot(); }); };              \
  }

template <typename P>
void fill_deciding(libsched_plugin& p) {
  using State = libsched_cycle_state;
  using Pod = const libsched_pod;
  using Nodes = const libsched_node_set;
  using Info = const libsched_node_info;
  LIBSCHED_SDK_ANSWER(pre_enqueue, (void* self, Pod* pod, libsched_status* status), pod)
  LIBSCHED_SDK_ANSWER(pre_filter,
                      (void* self, State* state, Pod* pod, libsched_prefilter_result* result,
                       libsched_status* status),
                      state, pod, result)
  LIBSCHED_SDK_ANSWER(
      add_pod,
      (void* self, State* state, Pod* pod, Pod* other, Info* node, libsched_status* status), state,
      pod, other, node)
  LIBSCHED_SDK_ANSWER(
      remove_pod,
      (void* self, State* state, Pod* pod, Pod* other, Info* node, libsched_status* status), state,
      pod, other, node)
  LIBSCHED_SDK_ANSWER(
      filter, (void* self, const State* state, Pod* pod, Info* node, libsched_status* status),
      state, pod, node)
  LIBSCHED_SDK_ANSWER(filter_batch,
                      (void* self, const State* state, Pod* pod, Nodes* nodes, int8_t* codes,
                       uint16_t* why, libsched_status* status),
                      state, pod, nodes, std::span<int8_t>(codes, libsched_node_set_count(nodes)),
                      std::span<uint16_t>(why, libsched_node_set_count(nodes)))
  LIBSCHED_SDK_ANSWER(post_filter,
                      (void* self, State* state, Pod* pod, const libsched_node_statuses* statuses,
                       libsched_nomination* nomination, libsched_status* status),
                      state, pod, statuses, *nomination)
  LIBSCHED_SDK_ANSWER(pre_score,
                      (void* self, State* state, Pod* pod, Nodes* nodes, libsched_status* status),
                      state, pod, nodes)
  LIBSCHED_SDK_ANSWER(score,
                      (void* self, const State* state, Pod* pod, Info* node, int64_t* score,
                       libsched_status* status),
                      state, pod, node, *score)
  LIBSCHED_SDK_ANSWER(score_batch,
                      (void* self, const State* state, Pod* pod, Nodes* nodes, int64_t* scores,
                       libsched_status* status),
                      state, pod, nodes, std::span<int64_t>(scores, libsched_node_set_count(nodes)))
  LIBSCHED_SDK_ANSWER(normalize_score,
                      (void* self, const State* state, Pod* pod, Nodes* nodes, int64_t* scores,
                       libsched_status* status),
                      state, pod, nodes, std::span<int64_t>(scores, libsched_node_set_count(nodes)))
  if constexpr (named_less<P>) {
    LIBSCHED_SDK_CHECKED(less, (void* self, Pod* a, int64_t a_ns, Pod* b, int64_t b_ns),
                         detail::self<P>(self)->less(a, a_ns, b, b_ns), Before,
                         "bool: whether a comes before b")
    if constexpr (ok)
      p.less = [](void* self, Pod* a, int64_t a_ns, Pod* b, int64_t b_ns) {
        bool before = false;
        detail::quietly([&] { before = detail::self<P>(self)->less(a, a_ns, b, b_ns); });
        return before;
      };
  }
}

template <typename P>
void fill_binding(libsched_plugin& p) {
  using State = libsched_cycle_state;
  using Pod = const libsched_pod;
  LIBSCHED_SDK_ANSWER(reserve,
                      (void* self, State* state, Pod* pod, uint32_t row, libsched_str node,
                       libsched_status* status),
                      state, pod, row, view(node))
  LIBSCHED_SDK_SILENT(unreserve,
                      (void* self, State* state, Pod* pod, uint32_t row, libsched_str node), state,
                      pod, row, view(node))
  LIBSCHED_SDK_ANSWER(permit,
                      (void* self, State* state, Pod* pod, libsched_str node, int64_t* timeout_ns,
                       libsched_status* status),
                      state, pod, view(node), *timeout_ns)
  LIBSCHED_SDK_ANSWER(pre_bind_pre_flight,
                      (void* self, State* state, Pod* pod, libsched_str node, bool* allow_parallel,
                       libsched_status* status),
                      state, pod, view(node), *allow_parallel)
  LIBSCHED_SDK_ANSWER(
      pre_bind, (void* self, State* state, Pod* pod, libsched_str node, libsched_status* status),
      state, pod, view(node))
  LIBSCHED_SDK_ANSWER(
      bind, (void* self, State* state, Pod* pod, libsched_str node, libsched_status* status), state,
      pod, view(node))
  LIBSCHED_SDK_SILENT(post_bind, (void* self, State* state, Pod* pod, libsched_str node), state,
                      pod, view(node))
}

template <typename P>
void fill_watching(libsched_plugin& p) {
  using Pod = const libsched_pod;
  using View = const libsched_view;
  LIBSCHED_SDK_ANSWER(
      sign, (void* self, Pod* pod, libsched_signature* signature, libsched_status* status), pod,
      signature)
  LIBSCHED_SDK_ANSWER(events_to_register,
                      (void* self, libsched_events* events, libsched_status* status), events)
  LIBSCHED_SDK_ANSWER(queueing_hint,
                      (void* self, size_t index, Pod* pod, const libsched_object_change* change,
                       bool* queue, libsched_status* status),
                      index, pod, change, *queue)
  LIBSCHED_SDK_SILENT(
      on_event,
      (void* self, libsched_services* services, View* at, const libsched_object_change* change),
      services, at, change)
  LIBSCHED_SDK_SILENT(forked, (void* self, View* at), at)
  LIBSCHED_SDK_SILENT(reverted, (void* self, View* at), at)
  LIBSCHED_SDK_SILENT(committed, (void* self, View* at), at)
  LIBSCHED_SDK_ON_THREAD(thread_attach)
  LIBSCHED_SDK_ON_THREAD(thread_detach)
}

#undef LIBSCHED_SDK_CHECKED
#undef LIBSCHED_SDK_ANSWER
#undef LIBSCHED_SDK_SILENT
#undef LIBSCHED_SDK_ON_THREAD

}  // namespace detail

// The class as a struct of slots; `user_data` is not used.
template <typename P>
libsched_plugin plugin() {
  static_assert(detail::has_slots<P>,
                "libsched plugin: the class has no method with the name of a slot, such as filter "
                "or score; its names are those of libsched_plugin in libsched/plugin.h");
  libsched_plugin p = LIBSCHED_PLUGIN_INIT;
  p.name = str(P::name);
  if constexpr (requires { P::flags; }) p.flags = P::flags;
  const std::span<const libsched_str> reasons = detail::reasons<P>();
  p.reasons = reasons.data();
  p.reason_count = static_cast<uint32_t>(reasons.size());
  p.create = [](void*, libsched_str args, void** instance,
                libsched_status* status) -> libsched_code {
    return detail::answer(status, [&] {
      if constexpr (std::is_constructible_v<P, std::string_view>) {
        *instance = new P(view(args));
      } else {
        static_cast<void>(args);
        *instance = new P();
      }
    });
  };
  p.release = [](void*, void* instance) { delete detail::self<P>(instance); };
  detail::fill_deciding<P>(p);
  detail::fill_binding<P>(p);
  detail::fill_watching<P>(p);
  return p;
}

// Registers the class under P::name. Errors: those of libsched_registry_add().
template <typename P>
libsched_rc add(libsched_registry* registry, libsched_error** error) {
  const libsched_plugin p = plugin<P>();
  return libsched_registry_add(registry, &p, nullptr, error);
}

// Registers the classes of a shared object, in order.
template <typename... P>
libsched_rc add_all(const libsched_host* host, libsched_registry* registry,
                    libsched_error** error) {
  libsched_rc rc = LIBSCHED_OK;
  const auto one = [&](const libsched_plugin& p) {
    rc = host->registry_add(registry, &p, nullptr, error);
    return rc == LIBSCHED_OK;
  };
  static_cast<void>((one(plugin<P>()) && ...));
  return rc;
}

}  // namespace libsched::sdk

#define LIBSCHED_EXPORT_PLUGINS(...)                                                    \
  extern "C" LIBSCHED_EXPORT libsched_rc libsched_plugin_init(                          \
      const libsched_host* host, libsched_registry* registry, libsched_error** error) { \
    return ::libsched::sdk::add_all<__VA_ARGS__>(host, registry, error);                \
  }

#endif
