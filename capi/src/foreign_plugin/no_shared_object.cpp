// The static library loads no shared objects. A program without a dynamic loader cannot, and a call
// must not depend on which program the library is linked into.
#include "shared_object.hpp"

namespace libsched::capi {

std::string own_folder() { return {}; }

Result<SharedObject> open_shared_object(const std::string& path, const char* /*function*/) {
  return Error{Rc::kUnsupported,
               "cannot load \"" + path +
                   "\": this program is linked to the static library, which loads no shared "
                   "objects; register the plugin with libsched_registry_add()"};
}

}  // namespace libsched::capi
