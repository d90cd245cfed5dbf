// Loading libsched-net.so: beside libsched.so, or else where the loader finds it.
#include "net.hpp"

#include <dlfcn.h>

#include <string>

#include "binding.hpp"
#include "plugin.hpp"

namespace libsched {
namespace {

// The library is searched once; it stays loaded.
struct Loaded {
  void* library = nullptr;
  std::string why;
};

const Loaded& loaded() {
  static const Loaded found = [] {
    const std::string name = "libsched-net.so." LIBSCHED_SOVERSION;
    Loaded made;
    Dl_info core{};
    if (dladdr(reinterpret_cast<void*>(&libsched_version), &core) != 0 &&
        core.dli_fname != nullptr) {
      const std::string path(core.dli_fname);
      const size_t slash = path.rfind('/');
      if (slash != std::string::npos)
        made.library = dlopen((path.substr(0, slash + 1) + name).c_str(), RTLD_NOW | RTLD_LOCAL);
    }
    if (made.library == nullptr) made.library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (made.library == nullptr) made.why = dlerror();
    return made;
  }();
  return found;
}

}  // namespace

void* net_function(const char* name) {
  const Loaded& net = loaded();
  if (net.library == nullptr)
    raise(LIBSCHED_ERR_UNSUPPORTED,
          "this needs libsched-net.so, which cannot be loaded: " + net.why);
  void* const function = dlsym(net.library, name);
  if (function == nullptr)
    raise(LIBSCHED_ERR_UNSUPPORTED,
          "libsched-net.so is of another version: it has no " + std::string(name));
  return function;
}

}  // namespace libsched
