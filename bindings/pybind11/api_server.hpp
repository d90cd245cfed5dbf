// _core.ApiServer, for the scheduler that runs on one.
#pragma once

#include "plugin.hpp"

namespace libsched {

// Has no lock, because any thread may use it.
struct ApiServer {
  std::unique_ptr<libsched_api_server,
                  UnrefWithoutGil<libsched_api_server, libsched_api_server_unref>>
      handle;
};

}  // namespace libsched
