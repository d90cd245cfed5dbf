/* Doors to other processes: libsched-net.so, a second library beside libsched.so, which itself opens no
   socket. Include <libsched/net.h> and link with -lsched-net (pkg-config libsched-net, or the CMake target
   libsched::net).

   Conventions are those of <libsched.h>: ownership, errors and threads. */
#ifndef LIBSCHED_NET_H
#define LIBSCHED_NET_H

#include <libsched.h>

#ifdef __cplusplus
extern "C" {
#endif

const char *libsched_net_version(void); /* of libsched-net.so: "0.1.0"; static */

#ifdef __cplusplus
}
#endif
#endif
