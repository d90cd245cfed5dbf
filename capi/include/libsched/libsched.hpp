// The C API from C++20: owners of handles, texts, and errors as exceptions. Header only, on top of
// <libsched.h>.
//
//   namespace sdk = libsched::sdk;
//   // A Handle<libsched_cluster>:
//   const auto cluster = sdk::make(libsched_cluster_load, "cluster.yaml");
//   sdk::check(libsched_cluster_fork, cluster);
//
// make() and check() call a function of the C API with all but its last parameters: the new handle,
// which make() returns, and the error, which is thrown as an Error. They take a Handle for a
// pointer to what it owns, and a text for a libsched_str.
#ifndef LIBSCHED_LIBSCHED_HPP
#define LIBSCHED_LIBSCHED_HPP

#include <libsched.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace libsched::sdk {

inline libsched_str str(std::string_view s) { return {s.data(), s.size()}; }
inline std::string_view view(libsched_str s) {
  return s.ptr == nullptr ? std::string_view() : std::string_view(s.ptr, s.len);
}

// Gives back a reference. A handle of another type has no owner.
template <typename T>
struct Unref;
// Owns a reference to an object of the library: Handle<libsched_cluster>. Borrowed handles stay
// plain pointers.
template <typename T>
using Handle = std::unique_ptr<T, Unref<T>>;

#define LIBSCHED_SDK_OWNED(name)                                                                 \
  template <>                                                                                    \
  struct Unref<libsched_##name> {                                                                \
    void operator()(libsched_##name* handle) const noexcept { libsched_##name##_unref(handle); } \
  };
// clang-format off
LIBSCHED_SDK_OWNED(api_server) LIBSCHED_SDK_OWNED(cancel) LIBSCHED_SDK_OWNED(capacity)
LIBSCHED_SDK_OWNED(catalog) LIBSCHED_SDK_OWNED(cel) LIBSCHED_SDK_OWNED(changes)
LIBSCHED_SDK_OWNED(clock) LIBSCHED_SDK_OWNED(cluster) LIBSCHED_SDK_OWNED(comparison)
LIBSCHED_SDK_OWNED(config) LIBSCHED_SDK_OWNED(cycle_state) LIBSCHED_SDK_OWNED(decision)
LIBSCHED_SDK_OWNED(drain) LIBSCHED_SDK_OWNED(edited) LIBSCHED_SDK_OWNED(error)
LIBSCHED_SDK_OWNED(evaluator) LIBSCHED_SDK_OWNED(event_map) LIBSCHED_SDK_OWNED(extender)
LIBSCHED_SDK_OWNED(framework) LIBSCHED_SDK_OWNED(memory_api) LIBSCHED_SDK_OWNED(node)
LIBSCHED_SDK_OWNED(node_statuses) LIBSCHED_SDK_OWNED(objects) LIBSCHED_SDK_OWNED(pod)
LIBSCHED_SDK_OWNED(prefilter_result) LIBSCHED_SDK_OWNED(queue) LIBSCHED_SDK_OWNED(queued_pod)
LIBSCHED_SDK_OWNED(registry) LIBSCHED_SDK_OWNED(scheduler) LIBSCHED_SDK_OWNED(scheduling)
LIBSCHED_SDK_OWNED(score_table) LIBSCHED_SDK_OWNED(services) LIBSCHED_SDK_OWNED(sim)
LIBSCHED_SDK_OWNED(simulation) LIBSCHED_SDK_OWNED(snapshot) LIBSCHED_SDK_OWNED(status)
LIBSCHED_SDK_OWNED(table) LIBSCHED_SDK_OWNED(text) LIBSCHED_SDK_OWNED(waiting_pod)
LIBSCHED_SDK_OWNED(workload) LIBSCHED_SDK_OWNED(writer_queue)
// clang-format on
#undef LIBSCHED_SDK_OWNED

    // Why a call failed. what() is the message after the place that it is about.
    class Error : public std::runtime_error {
 public:
  Error(libsched_rc code, const std::string& message, const std::string& path = {},
        const std::string& plugin = {})
      : std::runtime_error(path.empty() ? message : path + ": " + message),
        code_(code),
        message_(message),
        path_(path),
        plugin_(plugin) {}

  libsched_rc code() const noexcept { return code_; }  // LIBSCHED_ERR_*
  const std::string& message() const noexcept { return message_; }
  const std::string& path() const noexcept { return path_; }      // such as "spec.nodeName"; or ""
  const std::string& plugin() const noexcept { return plugin_; }  // the plugin that failed, or ""

 private:
  libsched_rc code_;
  std::string message_, path_, plugin_;
};

// Throws unless `rc` is LIBSCHED_OK. Takes over the error of the call.
inline void check(libsched_rc rc, libsched_error* error) {
  if (rc == LIBSCHED_OK) return;
  const Handle<libsched_error> owned(error);
  throw Error(rc, std::string(view(libsched_error_message(error))),
              std::string(view(libsched_error_path(error))),
              std::string(view(libsched_error_plugin(error))));
}

namespace detail {

template <typename T>
decltype(auto) passed(const T& argument) {
  if constexpr (std::is_null_pointer_v<T>) {
    return nullptr;
  } else if constexpr (requires { typename T::deleter_type; }) {
    return argument.get();
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return str(argument);
  } else {
    return static_cast<const T&>(argument);
  }
}

// The type of the handle that a function makes: its last parameter but one.
template <typename... P>
auto made_by(libsched_rc (*)(P...)) {
  using Out = std::tuple_element_t<sizeof...(P) - 2, std::tuple<P...>>;
  return std::type_identity<std::remove_pointer_t<std::remove_pointer_t<Out>>>();
}

}  // namespace detail

// Calls f(arguments..., &error).
template <typename... P, typename... A>
void check(libsched_rc (*f)(P...), const A&... arguments) {
  libsched_error* error = nullptr;
  const libsched_rc rc = f(detail::passed(arguments)..., &error);
  check(rc, error);
}

// Calls f(arguments..., &handle, &error), and returns the owner of the new handle.
template <typename... P, typename... A>
auto make(libsched_rc (*f)(P...), const A&... arguments) {
  using T = typename decltype(detail::made_by(f))::type;
  T* made = nullptr;
  libsched_error* error = nullptr;
  const libsched_rc rc = f(detail::passed(arguments)..., &made, &error);
  check(rc, error);
  return Handle<T>(made);
}

}  // namespace libsched::sdk

#endif
