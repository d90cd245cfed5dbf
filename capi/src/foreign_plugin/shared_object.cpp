// Opens shared objects with the dynamic loader. This file is compiled alone, outside of batches, so
// that libsched.a can leave it out.
#include "shared_object.hpp"

#include <dlfcn.h>

namespace libsched::capi {

std::string own_folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr)
    return {};
  const std::string file = info.dli_fname;
  return file.substr(0, file.rfind('/') + 1);
}

Result<SharedObject> open_shared_object(const std::string& path, const char* function) {
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = ::dlerror();
    return Error{
        Rc::kIo, "cannot load \"" + path + "\": " + (why == nullptr ? "unknown" : why), {}, {}};
  }
  SharedObject opened{{handle, [](void* h) { ::dlclose(h); }}, ::dlsym(handle, function)};
  if (opened.function == nullptr)
    return Error{
        Rc::kUnsupported, "\"" + path + "\" is no plugin: it exports no " + function, {}, {}};
  return opened;
}

}  // namespace libsched::capi
