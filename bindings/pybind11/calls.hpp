// Functions of the C API as methods: the type of a function says what Python passes and gets.
//
//   .def("remove_node", quick_call<libsched_cluster_remove_node>)
//
// The first parameter is the object, whose lock the call holds (hold()). Parameters that the
// function fills, such as a libsched_text** or a size_t*, are the method's result. A function that
// returns whether it has filled them gives None otherwise. Its error is raised.
#pragma once

#include <tuple>
#include <vector>

#include "binding.hpp"

namespace libsched {

template <typename C>
using Wrapper = decltype(wrapper_of(Of<std::remove_const_t<C>>()));

// The handle of an object.
template <typename T>
auto raw(const T& object) {
  if constexpr (requires { object.get(); }) {
    return object.get();
  } else if constexpr (requires { object.handle.get(); }) {
    return object.handle.get();
  } else {
    return object.view;
  }
}
template <typename T>
auto raw(const Maybe<T>& object) {
  return object ? raw(**object) : nullptr;
}
template <typename T>
auto raw(const std::vector<T*>& objects) {
  std::vector<decltype(raw(*objects[0]))> handles;
  handles.reserve(objects.size());
  for (const T* object : objects) handles.push_back(raw(*object));
  return handles;
}
inline std::vector<libsched_str> raw(const std::vector<std::string_view>& texts) {
  std::vector<libsched_str> out;
  out.reserve(texts.size());
  for (const std::string_view text : texts) out.push_back(to_str(text));
  return out;
}

// Holds the lock of an object, if it has one, for a scope.
struct NoLock {};
template <typename T>
auto hold(const T& object) {
  if constexpr (requires { object.lock.get(); }) {
    return Holding(object.lock.get());
  } else {
    return NoLock();
  }
}
inline Asking hold(const Evaluator& evaluator) { return Asking(evaluator); }

// A value of the C API for Python: texts are copied, and handles get a new reference.
template <typename T>
auto to_python(T value) {
  if constexpr (std::is_same_v<T, libsched_str>) {
    return from_str(value);
  } else if constexpr (std::is_pointer_v<T>) {
    return own(value);
  } else {
    return value;
  }
}
template <typename... T>
auto tuple_of(T... values) {
  return std::tuple<decltype(to_python(std::move(values)))...>(to_python(std::move(values))...);
}
// What `at` returns for each index.
template <template <typename> typename Sequence = List, typename At>
auto collect(size_t count, At&& at) {
  Sequence<decltype(to_python(at(size_t{})))> out(count);
  for (size_t i = 0; i < count; ++i) out[i] = to_python(at(i));
  return out;
}

template <typename T>
uintptr_t address_of(const T& object) {
  return reinterpret_cast<uintptr_t>(raw(object));
}

// How Python passes a parameter, and the lock of an argument, which is held beside the object's.
template <typename P>
struct Argument {
  using Type = std::conditional_t<std::is_same_v<P, bool>, Flag, P>;
  static P pass(Type value) { return value; }
  explicit Argument(Type) {}
};
template <>
struct Argument<libsched_str> {
  using Type = std::string_view;
  static libsched_str pass(Type text) { return to_str(text); }
  explicit Argument(Type) {}
};
template <typename C>
struct Argument<C*> {
  using Type = const Wrapper<C>&;
  static auto pass(Type object) { return raw(object); }
  explicit Argument(Type) {}
};
template <>
struct Argument<libsched_cycle_state*> {
  using Type = const CycleState&;
  static auto pass(Type state) { return raw(state); }
  explicit Argument(Type state) : holding_(state.lock.get()) {}

 private:
  Holding holding_;
};

// A parameter that the function fills. It is nothing for the others, which are arguments.
template <typename P>
struct Output {
  static constexpr bool kIs = false;
  std::tuple<> take() { return {}; }
};
template <typename T>
  requires(std::is_arithmetic_v<T> || std::is_same_v<T, libsched_str>)
struct Output<T*> {
  static constexpr bool kIs = true;
  T value{};
  T* pointer() { return &value; }
  auto take() { return tuple_of(value); }
};
template <>
struct Output<libsched_status*> {
  static constexpr bool kIs = true;
  StatusHandle status = create_status();
  libsched_status* pointer() { return status.get(); }
  std::tuple<py::tuple> take() { return {status_tuple(status.get())}; }
};
template <>
struct Output<libsched_text**> {
  static constexpr bool kIs = true;
  TextHandle handle;
  Into<TextHandle> pointer() { return into(handle); }
  std::tuple<py::str> take() { return {from_text(handle)}; }
};
template <typename C>
struct Output<C**> {
  static constexpr bool kIs = true;
  Wrapper<C> made;
  auto pointer() { return into(made.handle); }
  std::tuple<Wrapper<C>> take() { return {std::move(made)}; }
};
template <>
struct Output<libsched_error**> : Output<int> {};

template <typename Function>
struct Signature;
template <typename R, typename S, typename... P>
struct Signature<R (*)(S*, P...)> {
  using Self = Wrapper<S>;
  static constexpr bool kFails = (std::is_same_v<P, libsched_error**> || ...);
  template <size_t I>
  using Parameter = std::tuple_element_t<I, std::tuple<P...>>;
  template <typename Type>
  static constexpr bool kArgument = !Output<Type>::kIs && !std::is_same_v<Type, libsched_error**>;
  using Given = decltype(std::tuple_cat(
      std::declval<std::conditional_t<kArgument<P>, std::tuple<Argument<P>>, std::tuple<>>>()...));

  // The number of arguments among the first parameters.
  static constexpr size_t before(size_t end) {
    constexpr bool arguments[] = {kArgument<P>..., false};
    size_t count = 0;
    for (size_t i = 0; i < end; ++i) count += arguments[i] ? 1 : 0;
    return count;
  }
  template <size_t I, typename Arguments, typename Outputs>
  static decltype(auto) pass(const Arguments& given, Outputs& filled, libsched_error** error) {
    using Type = Parameter<I>;
    if constexpr (std::is_same_v<Type, libsched_error**>) {
      return error;
    } else if constexpr (Output<Type>::kIs) {
      return std::get<I>(filled).pointer();
    } else {
      return Argument<Type>::pass(std::get<before(I)>(given));
    }
  }
  template <auto function, bool quickly, typename Arguments, size_t... I>
  static auto run(Self& self, const Arguments& given, std::index_sequence<I...>) {
    [[maybe_unused]] const auto holding = hold(self);
    [[maybe_unused]] const auto locks = std::make_from_tuple<Given>(given);
    std::tuple<Output<P>...> filled;
    const auto call = [&]([[maybe_unused]] libsched_error** error) {
      return function(raw(self), pass<I>(given, filled, error)...);
    };
    const auto taken = [&] { return std::tuple_cat(std::get<I>(filled).take()...); };
    using Taken = decltype(taken());
    if constexpr (kFails) {
      quickly ? quick(call) : unlocked(call);
      if constexpr (std::tuple_size_v<Taken> == 1) {
        return std::get<0>(taken());
      } else if constexpr (std::tuple_size_v<Taken> != 0) {
        return taken();
      }
    } else if constexpr (std::tuple_size_v<Taken> == 1) {
      using Only = std::tuple_element_t<0, Taken>;
      return call(nullptr) ? std::optional<Only>(std::get<0>(taken())) : std::nullopt;
    } else if constexpr (std::is_void_v<R>) {
      call(nullptr);
    } else if constexpr (quickly) {
      return to_python(call(nullptr));
    } else {
      return to_python(released(call));
    }
  }
  template <typename Call>
  static R released(const Call& call) {
    const Unlocked without_gil;
    return call(nullptr);
  }
  template <auto function, bool quickly, typename... A>
  static constexpr auto method(const std::tuple<A...>*) {
    return +[](Self& self, typename A::Type... given) {
      return run<function, quickly>(self, std::tuple<typename A::Type...>(given...),
                                    std::index_sequence_for<P...>());
    };
  }
};

template <auto function, bool quickly>
constexpr auto call_of() {
  using Traits = Signature<decltype(function)>;
  return Traits::template method<function, quickly>(
      static_cast<const typename Traits::Given*>(nullptr));
}
// For calls that take less time than releasing the GIL.
template <auto function>
inline constexpr auto quick_call = call_of<function, true>();
// For calls that may take long.
template <auto function>
inline constexpr auto unlocked_call = call_of<function, false>();

// A method that lists what `at` returns for each number below `count`.
template <auto count, auto at>
inline constexpr auto listing = +[](typename Signature<decltype(at)>::Self& self) {
  [[maybe_unused]] const auto holding = hold(self);
  return collect(count(raw(self)), [&](size_t i) { return at(raw(self), i); });
};

// A constructor without arguments.
template <typename T, auto create>
std::unique_ptr<T> created() {
  auto made = std::make_unique<T>();
  quick(create, into(made->handle));
  return made;
}

}  // namespace libsched
