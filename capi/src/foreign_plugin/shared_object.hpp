// Shared objects of plugins. libsched.so opens them (shared_object.cpp). libsched.a refuses to
// (no_shared_object.cpp), because most programs that link it have no dynamic loader.
#pragma once

#include <memory>
#include <string>

#include "libsched/base/result.hpp"

namespace libsched::capi {

struct SharedObject {
  std::shared_ptr<void> library;  // closed with the last reference
  void* function = nullptr;
};

// The folder of libsched.so, with a "/" at its end; empty: unknown.
std::string own_folder();

// Opens a shared object and finds one of its functions.
Result<SharedObject> open_shared_object(const std::string& path, const char* function);

}  // namespace libsched::capi
