// Errors that cross the C API.
#include "net/src/c_values.hpp"

#include <string>

namespace libsched {

Error taken(libsched_error* error) {
  Error made{static_cast<Rc>(libsched_error_code(error)),
             std::string(view_of(libsched_error_message(error))),
             std::string(view_of(libsched_error_path(error))),
             std::string(view_of(libsched_error_plugin(error)))};
  libsched_error_unref(error);
  return made;
}

}  // namespace libsched
