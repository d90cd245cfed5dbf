// Registering plugins, from this program or from a shared object that is being loaded.
#pragma once

#include <memory>

#include "foreign_plugin.hpp"

namespace libsched::capi {

Result<void> add_plugin(Registry* registry, const libsched_plugin* given,
                        const std::shared_ptr<Registered>& r);

// While this thread loads a shared object: that one, which then lives as long as its plugins.
std::shared_ptr<void> library_being_loaded();

}  // namespace libsched::capi
