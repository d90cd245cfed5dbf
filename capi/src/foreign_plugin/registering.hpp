// Registers plugins, from this program or from a shared object that is being loaded.
#pragma once

#include <memory>

#include "foreign_plugin.hpp"

namespace libsched::capi {

Result<void> add_plugin(Registry* registry, const libsched_plugin* given,
                        const std::shared_ptr<Registered>& r);

// The shared object that this thread is loading, or null. It lives as long as its plugins.
std::shared_ptr<void> library_being_loaded();

}  // namespace libsched::capi
