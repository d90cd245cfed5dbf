// _core.ApiServer, for the scheduler that runs on one.
#pragma once

#include "plugin.hpp"

namespace libsched {

// Has no lock, because any thread may use it.
struct ApiServer : Holder<SlowlyOwned<libsched_api_server_unref>> {};
ApiServer wrapper_of(Of<libsched_api_server>);

}  // namespace libsched
