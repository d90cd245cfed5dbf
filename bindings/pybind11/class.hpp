// Class<T, Bases...>: pybind11's class_, whose objects are made completely or not at all.
//
// If memory runs out when pybind11 registers a new object, it leaves the value in the Python object
// although its caller owns the value, or destroys neither. Factories of constructors must return a
// std::unique_ptr, because pybind11 registers other values where no exception is caught.
#pragma once

#include <pybind11/pybind11.h>

#include <utility>

namespace libsched {

template <typename T, typename... Bases>
class Class : public pybind11::class_<T, Bases...> {
 public:
  template <typename... Extra>
  Class(pybind11::handle scope, const char* name, const Extra&... extra)
      : pybind11::class_<T, Bases...>(scope, name, extra...) {
    plain() = std::exchange(type_info()->init_instance, init_instance);
  }

 private:
  using Instance = pybind11::detail::instance;
  using Init = void (*)(Instance*, const void*);

  static pybind11::detail::type_info* type_info() {
    return pybind11::detail::get_type_info(typeid(T));
  }
  static Init& plain() {
    static Init init = nullptr;
    return init;
  }
  static void init_instance(Instance* object, const void* holder) {
    try {
      plain()(object, holder);
    } catch (...) {
      void*& value = object->get_value_and_holder(type_info()).value_ptr();
      if (holder == nullptr && object->owned) delete static_cast<T*>(value);
      value = nullptr;
      throw;
    }
  }
};

}  // namespace libsched
