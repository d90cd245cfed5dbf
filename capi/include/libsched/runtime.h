/* The extension points from PostFilter on, each with upstream's order, short circuits and error
   texts. Include <libsched.h>.

   `state` is that of the pod's cycle; `status` is the answer of the extension point.
   Errors of all: STATE (another pod's state), MISUSE (another framework's state). */
#ifndef LIBSCHED_RUNTIME_H
#define LIBSCHED_RUNTIME_H

#include <libsched/scoring.h>
#include <libsched/services.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Why each node does not take a pod (NodeToStatus). Made by the caller; one thread at a time. */
typedef struct libsched_node_statuses libsched_node_statuses;
libsched_rc libsched_node_statuses_create(LIBSCHED_OWN libsched_node_statuses **out, LIBSCHED_OWN libsched_error **error);
void libsched_node_statuses_unref(LIBSCHED_OWN libsched_node_statuses *statuses);
libsched_rc libsched_node_statuses_set(libsched_node_statuses *statuses, uint32_t row, const libsched_status *status,
                                       LIBSCHED_OWN libsched_error **error);
/* Sets the status of the rows without a status of their own; initially UnschedulableAndUnresolvable
   without a reason. */
libsched_rc libsched_node_statuses_set_absent(libsched_node_statuses *statuses, const libsched_status *status,
                                              LIBSCHED_OWN libsched_error **error);
libsched_code libsched_node_statuses_code(const libsched_node_statuses *statuses, uint32_t row);
void libsched_node_statuses_get(const libsched_node_statuses *statuses, uint32_t row, libsched_status *status);

/* RunPostFilterPlugins. `nomination` (may be NULL) gets the nomination that the plugins ask for. */
libsched_rc libsched_run_post_filter_plugins(libsched_evaluator *evaluator, libsched_cycle_state *state, const libsched_pod *pod,
                                             const libsched_node_statuses *statuses, libsched_nomination *nomination,
                                             libsched_status *status, LIBSCHED_OWN libsched_error **error);

/* RunReservePluginsReserve and RunReservePluginsUnreserve, which leave the cluster as it is:
   libsched_evaluator_assume() and _forget() also put the pod on its node or take it off.
   Also errors: STATE (a snapshot). */
libsched_rc libsched_run_reserve_plugins_reserve(libsched_evaluator *evaluator, libsched_cycle_state *state, const libsched_pod *pod,
                                                 libsched_str node_name, libsched_status *status, LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_run_reserve_plugins_unreserve(libsched_evaluator *evaluator, libsched_cycle_state *state, const libsched_pod *pod,
                                                   libsched_str node_name, LIBSCHED_OWN libsched_error **error);

/* RunPermitPlugins. Writes up to `capacity` of the plugins that ask to wait, and their number to
   `count`; names are borrowed from the framework. With status Wait the caller adds the pod to the
   waiting ones (services.h). `waits` may be NULL with capacity 0. */
libsched_rc libsched_run_permit_plugins(libsched_evaluator *evaluator, libsched_cycle_state *state, const libsched_pod *pod,
                                        libsched_str node_name, libsched_permit_wait *waits, size_t capacity, size_t *count,
                                        libsched_status *status, LIBSCHED_OWN libsched_error **error);
/* WaitOnPermit: blocks by the services' clock until the pod is allowed, is rejected or times out.
   Success at once if the pod does not wait. */
libsched_rc libsched_wait_on_permit(libsched_evaluator *evaluator, const libsched_pod *pod, libsched_status *status,
                                    LIBSCHED_OWN libsched_error **error);

/* RunPreBindPreFlights, RunPreBindPlugins, RunBindPlugins (Skip if no plugin binds),
   RunPostBindPlugins. */
libsched_rc libsched_run_pre_bind_pre_flights(libsched_evaluator *evaluator, libsched_cycle_state *state, const libsched_pod *pod,
                                              libsched_str node_name, libsched_status *status, LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_run_pre_bind_plugins(libsched_evaluator *evaluator, libsched_cycle_state *state, const libsched_pod *pod,
                                          libsched_str node_name, libsched_status *status, LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_run_bind_plugins(libsched_evaluator *evaluator, libsched_cycle_state *state, const libsched_pod *pod,
                                      libsched_str node_name, libsched_status *status, LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_run_post_bind_plugins(libsched_evaluator *evaluator, libsched_cycle_state *state, const libsched_pod *pod,
                                           libsched_str node_name, LIBSCHED_OWN libsched_error **error);
/* Whether PreBindPreFlight of this plugin returned Skip, or allowed its PreBind to run in parallel. */
bool libsched_cycle_state_skips_pre_bind(const libsched_cycle_state *state, libsched_str plugin);
bool libsched_cycle_state_parallel_pre_bind(const libsched_cycle_state *state, libsched_str plugin);

/* SignPod: JSON; pods with the same signature get the same answers from the same nodes. `out` gets an
   empty text if the pod cannot be signed, or a plugin of the profile does not sign pods. */
libsched_rc libsched_sign_pod(libsched_evaluator *evaluator, const libsched_pod *pod, LIBSCHED_OWN libsched_text **out,
                              LIBSCHED_OWN libsched_error **error);

/* EnqueueExtensions of every plugin that may reject pods: the events after which a rejected pod is
   worth another try. Immutable, shared freely. */
typedef struct libsched_event_map libsched_event_map;
/* Asks the plugins. Errors: INVALID with the texts of the plugins that fail. */
libsched_rc libsched_framework_events(const libsched_framework *framework, LIBSCHED_OWN libsched_event_map **out,
                                      LIBSCHED_OWN libsched_error **error);
libsched_event_map *libsched_event_map_ref(const libsched_event_map *events);
void libsched_event_map_unref(LIBSCHED_OWN libsched_event_map *events);
/* The events, by plugin in the profile's order, each plugin's in its own. Texts are borrowed from
   `events`; they are empty, and the actions 0, if `index` is out of range. */
size_t libsched_event_map_count(const libsched_event_map *events);
libsched_str libsched_event_map_plugin(const libsched_event_map *events, size_t index);
libsched_str libsched_event_map_resource(const libsched_event_map *events, size_t index); /* "Node", ... */
int64_t libsched_event_map_actions(const libsched_event_map *events, size_t index); /* bits of libsched_events_add() */
libsched_str libsched_event_map_label(const libsched_event_map *events, size_t index); /* "NodeAdd", ... */
bool libsched_event_map_has_hint(const libsched_event_map *events, size_t index); /* a queueing hint is asked */

#ifdef __cplusplus
}
#endif
#endif
