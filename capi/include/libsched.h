/* libsched: the Kubernetes scheduling framework as a library.

   Rules that hold for every function and are not repeated:
    1. Every owned handle has _unref; unref(NULL) is a no-op. Every kind has _ref, which takes a const
       handle if the kind is immutable; only what callers make to be filled by calls has one owner (a
       status, a cycle state, a PreFilter result, node statuses, a score table). A child keeps its parent
       alive, so any order of release is legal.
    2. `..._create`, `_parse`, `_load`, `_copy`, `_clone` give the caller a reference. Everything else
       that returns a pointer or string lends it; the comment says until when.
    3. Functions that can fail return a libsched_rc and take a `libsched_error **` last, which may be
       NULL. On success *error is not touched; on failure outputs are not touched and *error, if
       given, gets an error that the caller owns. Any of them may say MISUSE (a NULL that is not
       allowed, a struct_size that is not set; see 9), NO_MEMORY or INTERNAL; that is not repeated.
       Functions without an error answer a NULL handle or an index out of range with nothing: 0,
       false, NULL or an empty text, where the comment says nothing else.
    4. A verdict is not an error: "the pod does not fit" is LIBSCHED_OK with a status.
    5. Strings are UTF-8 {ptr, len}; an empty one may have ptr NULL.
    6. Structs that may grow begin with struct_size; use their _INIT macro. Fields that this
       version does not know must be zero, otherwise UNSUPPORTED.
    7. Threads: a function that takes a const handle may run beside others that do; one that takes
       a non-const handle needs it for itself. Objects, configurations, frameworks, snapshots and
       decisions are immutable and freely shared.
    8. The library prints nothing, reads no file or environment variable that it was not given,
       installs no signal handler and never exits. No exception leaves it.
    9. A debug build of the library (CMake's option LIBSCHED_CHECK_HANDLES) finds misused handles:
       released ones as long as they are among the latest 4,096, handles of another type, and an
       _unref of what was only borrowed. Such a call is MISUSE with the name of the parameter;
       functions without an error do as for NULL, and _unref does nothing. Other builds check for
       NULL alone. No build can know a pointer that never was a handle: that stays undefined.
   10. fork(2): the child may use all that the parent had, whatever other threads were doing, and
       start threads of its own. The library has its pthread_atfork() handlers: fork() waits until
       no thread is changing what threads share, at most as long as one question takes. Excepted is
       what one thread needs for itself (a cluster, an evaluator, ...; see 7) and another was using
       in the middle of a call: the child neither uses nor releases it. Plugins' own threads and
       locks are their own matter; the library's turn-taking for a plugin whose calls are serialised
       begins anew in the child. A slot may fork, but if other threads work for the same call (see
       parallelism) its child may only exec or _exit(). So may any child of vfork() and _Fork(),
       which call no handlers. */
#ifndef LIBSCHED_H
#define LIBSCHED_H

#include <libsched/base.h>
#include <libsched/objects.h>
#include <libsched/cluster.h>
#include <libsched/fields.h>
#include <libsched/framework.h>
#include <libsched/evaluator.h>
#include <libsched/scoring.h>
#include <libsched/services.h>
#include <libsched/runtime.h>
#include <libsched/scheduler.h>
#include <libsched/plugin.h>

#endif
