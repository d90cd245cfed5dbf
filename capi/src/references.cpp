// Taking and giving back references to all objects.
#include "handles.hpp"

using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

// Objects that change are referred to by a handle that may change them.
#define LIBSCHED_SHARED(name) LIBSCHED_COUNTED(name, libsched_##name)
#define LIBSCHED_IMMUTABLE(name) LIBSCHED_COUNTED(name, const libsched_##name)
#define LIBSCHED_COUNTED(name, given)                                              \
  libsched_##name* libsched_##name##_ref(given* object) { return retain(object); } \
  void libsched_##name##_unref(libsched_##name* object) { release(object); }
#define LIBSCHED_UNSHARED(name, end) \
  void libsched_##name##_unref(libsched_##name* object) { end(object); }

extern "C" {

LIBSCHED_SHARED(api_server)
LIBSCHED_SHARED(cancel)
LIBSCHED_SHARED(catalog)
LIBSCHED_SHARED(changes)
LIBSCHED_SHARED(clock)
LIBSCHED_SHARED(cluster)
LIBSCHED_SHARED(comparison)
LIBSCHED_SHARED(evaluator)
LIBSCHED_SHARED(memory_api)
LIBSCHED_SHARED(queue)
LIBSCHED_SHARED(queued_pod)
LIBSCHED_SHARED(registry)
LIBSCHED_SHARED(scheduler)
LIBSCHED_SHARED(scheduling)
LIBSCHED_SHARED(services)
LIBSCHED_SHARED(sim)
LIBSCHED_SHARED(simulation)
LIBSCHED_SHARED(workload)
LIBSCHED_SHARED(writer_queue)

LIBSCHED_IMMUTABLE(capacity)
LIBSCHED_IMMUTABLE(cel)
LIBSCHED_IMMUTABLE(config)
LIBSCHED_IMMUTABLE(decision)
LIBSCHED_IMMUTABLE(drain)
LIBSCHED_IMMUTABLE(edited)
LIBSCHED_IMMUTABLE(error)
LIBSCHED_IMMUTABLE(event_map)
LIBSCHED_IMMUTABLE(extender)
LIBSCHED_IMMUTABLE(framework)
LIBSCHED_IMMUTABLE(node)
LIBSCHED_IMMUTABLE(objects)
LIBSCHED_IMMUTABLE(pod)
LIBSCHED_IMMUTABLE(snapshot)
LIBSCHED_IMMUTABLE(table)
LIBSCHED_IMMUTABLE(text)
LIBSCHED_IMMUTABLE(waiting_pod)

LIBSCHED_UNSHARED(cycle_state, release)
LIBSCHED_UNSHARED(node_statuses, destroy)
LIBSCHED_UNSHARED(prefilter_result, release)
LIBSCHED_UNSHARED(score_table, destroy)
LIBSCHED_UNSHARED(status, release)

}  // extern "C"
#undef LIBSCHED_SHARED
#undef LIBSCHED_IMMUTABLE
#undef LIBSCHED_COUNTED
#undef LIBSCHED_UNSHARED
