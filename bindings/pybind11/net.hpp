// libsched-net.so, which the package works without: it is loaded at the first call of one of its
// functions.
#pragma once

namespace libsched {

// A function of the library. Raises UnsupportedError, which names the library, if it is not there.
void* net_function(const char* name);
template <typename Function>
Function* net_function_of(const char* name) {
  return reinterpret_cast<Function*>(net_function(name));
}

}  // namespace libsched
