/* libsched: the Kubernetes scheduling framework as a library.

   Rules that hold for every function and are not repeated:
    1. Every owned handle has _unref; unref(NULL) is a no-op. Every kind has _ref, which takes a const
       handle if the kind is immutable, except the containers that callers make for calls to fill (a
       status, a cycle state, a PreFilter result, node statuses, a score table): these have one owner. A
       child keeps its parent alive, so any order of release is legal.
    2. `..._create`, `_parse`, `_load`, `_compile`, `_copy`, `_clone` give the caller a reference. Every other
       pointer or string that a function returns is borrowed; the comment says until when.
    3. Functions that can fail return a libsched_rc and take a `libsched_error **` last, which may be
       NULL. On success *error is not touched; on failure outputs are not touched and *error, if given,
       gets an error that the caller owns. Any of them may return MISUSE (a NULL that is not allowed, a
       struct_size that is not set; see 9), NO_MEMORY or INTERNAL; that is not repeated. Unless
       documented otherwise, functions without an error parameter return 0, false, NULL or an empty
       string for a NULL handle or an index out of range.
    4. A verdict is not an error: "the pod does not fit" is LIBSCHED_OK with a status.
    5. Strings are UTF-8 {ptr, len}; an empty one may have ptr NULL.
    6. Structs that may grow begin with struct_size; use their _INIT macro. Fields that this
       version does not know must be zero, otherwise UNSUPPORTED.
    7. Threads: functions that take a const handle may run concurrently on it; a function that takes a
       non-const handle needs exclusive use of it. Objects, configurations, frameworks, snapshots and
       decisions are immutable and freely shared.
    8. The library prints nothing, reads only files that it is given and no environment variables,
       installs no signal handler and never exits. No exception leaves it.
    9. A debug build of the library (CMake's option LIBSCHED_CHECK_HANDLES) detects misused handles: the
       4,096 handles released last, handles of another type, and an _unref of a borrowed handle. Such a
       call returns MISUSE with the name of the parameter; functions without an error parameter treat
       the handle as NULL, and _unref does nothing. Other builds check for NULL only. A pointer that
       never was a handle is undefined behaviour in every build.
   10. fork(2): the child may use everything that the parent had, whatever other threads were doing, and
       may start threads. The library installs pthread_atfork() handlers: fork() waits until no thread
       is changing shared data, at most as long as one query takes. The exception is a handle that needs
       exclusive use (a cluster, an evaluator, ...; see 7) and that another thread was using in the
       middle of a call: the child must neither use nor release it. Plugins are responsible for their
       own threads and locks; the library's lock of a plugin whose calls are serialised is reset in the
       child. A slot may fork, but if other threads work for the same call (see
       libsched_evaluator_set_parallelism()), its child may only exec or _exit(). The same holds for any
       child of vfork() and _Fork(), which run no handlers. */
#ifndef LIBSCHED_H
#define LIBSCHED_H

#include <libsched/base.h>
#include <libsched/objects.h>
#include <libsched/cluster.h>
#include <libsched/fields.h>
#include <libsched/framework.h>
#include <libsched/extender.h>
#include <libsched/evaluator.h>
#include <libsched/scoring.h>
#include <libsched/services.h>
#include <libsched/runtime.h>
#include <libsched/scheduler.h>
#include <libsched/answers.h>
#include <libsched/compare.h>
#include <libsched/controllers.h>
#include <libsched/edits.h>
#include <libsched/queue.h>
#include <libsched/api_server.h>
#include <libsched/loop.h>
#include <libsched/simulation.h>
#include <libsched/cel.h>
#include <libsched/catalog.h>
#include <libsched/sim.h>
#include <libsched/plugin.h>

#endif
