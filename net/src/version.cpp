// The version of libsched-net.so.
#include "libsched/net.h"

extern "C" const char* libsched_net_version() { return LIBSCHED_BUILD_VERSION; }
