/* Simulation: a whole scheduler with an API server in memory and a workload over time, on a virtual
   clock. Include <libsched.h>.

   Times are nanoseconds since the simulation's beginning. The same cluster, workload, profiles and
   options give the same results. A workload, a simulation and its tables: one thread at a time. */
#ifndef LIBSCHED_SIMULATION_H
#define LIBSCHED_SIMULATION_H

#include <libsched/queue.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Pods that arrive over time. A pod is made when it arrives, so a million pods take little memory. */
typedef struct libsched_workload libsched_workload;
libsched_rc libsched_workload_create(LIBSCHED_OWN libsched_workload **out, LIBSCHED_OWN libsched_error **error);
libsched_workload *libsched_workload_ref(libsched_workload *workload);
void libsched_workload_unref(LIBSCHED_OWN libsched_workload *workload);
/* The number of pods, without those of CronJobs. */
size_t libsched_workload_pod_count(const libsched_workload *workload);

/* When pods arrive, and for how long each runs once it is bound. */
typedef struct libsched_timing {
  uint32_t struct_size; /* sizeof(libsched_timing) */
  uint32_t reserved;    /* 0 */
  int64_t arrival_ns;
  int64_t duration_ns; /* negative: until the simulation ends */
  int64_t interval_ns; /* between the arrivals of two replicas */
} libsched_timing;
#define LIBSCHED_TIMING_INIT {sizeof(libsched_timing), 0, 0, -1, 0}

/* All functions that add to a workload add everything or, after an error, nothing. Errors of all: EXISTS
   (a pod of this name), INVALID (a time that is negative or beyond 50 years), LIMIT (more than
   1,000,000,000 pods), STATE (a simulation has the workload). */

/* `replicas` pods named as a StatefulSet's ("name-0"); 0: one pod with its own name. `timing` NULL: as
   libsched_workload_add_objects() adds a pod, or a workload with this pod template and so many replicas;
   without annotations it arrives at once and stays. */
libsched_rc libsched_workload_add(libsched_workload *workload, const libsched_pod *pod, size_t replicas, const libsched_timing *timing,
                                  LIBSCHED_OWN libsched_error **error);
/* All pods, and the replicas of all workloads. Annotations of a pod, or of a workload's pod template or
   else of the workload, are their times, as Go durations ("90s"): libsched/arrival, libsched/duration,
   libsched/interval. The objects must have been read with `keep_annotations` for that. Pods that have
   ended are left out. A Job makes `parallelism` pods at a time until `completions` have run for their
   duration, and another one for a pod that was preempted; a CronJob starts such Jobs by its schedule. A
   schedule or time zone that is none is INVALID. */
libsched_rc libsched_workload_add_objects(libsched_workload *workload, const libsched_objects *objects,
                                          LIBSCHED_OWN libsched_error **error);

/* An array of {path, message}: what of the added objects has no effect, such as a misspelt annotation
   "libsched/...", a field of Jobs that is not imitated, or a suspended Job. */
libsched_rc libsched_workload_warnings_json(const libsched_workload *workload, LIBSCHED_OWN libsched_text **out,
                                            LIBSCHED_OWN libsched_error **error);

/* The options for reading a trace. Zero everywhere is the default. */
typedef struct libsched_trace_options {
  uint32_t struct_size; /* sizeof(libsched_trace_options) */
  uint32_t reserved;    /* 0 */
  libsched_str file;    /* names the text in errors; empty: "trace" */
  libsched_str ns;      /* of all pods; empty: "default" */
  libsched_str scheduler_name;  /* of all pods; empty: "default-scheduler" */
  libsched_str gpu_resource;    /* empty: "alibabacloud.com/gpu-milli" */
  libsched_str gpu_model_label; /* of nodes; empty: "alibabacloud.com/gpu-card-model" */
  const libsched_cancel *cancel; /* the call ends with CANCELLED once it is set; NULL: never */
} libsched_trace_options;
#define LIBSCHED_TRACE_OPTIONS_INIT \
  {sizeof(libsched_trace_options), 0, {LIBSCHED_NULL, 0}, {LIBSCHED_NULL, 0}, {LIBSCHED_NULL, 0}, {LIBSCHED_NULL, 0}, \
   {LIBSCHED_NULL, 0}, LIBSCHED_NULL}
/* Reads CSV in the columns of the openb trace, in any order: name, cpu_milli, memory_mib; num_gpu,
   gpu_milli (of each GPU), gpu_spec (types joined by "|"), qos, pod_phase, creation_time, deletion_time,
   scheduled_time (seconds) may be missing. A pod arrives at creation_time and runs for deletion_time -
   scheduled_time, or without scheduled_time, for deletion_time - creation_time; without deletion_time it
   stays. num_gpu * gpu_milli are requested as one resource, gpu_spec is required node affinity. `options`
   may be NULL. Further errors, all with the place "FILE:LINE: COLUMN: ...": INVALID for a bad row, an
   unknown or missing column, or a pod that ends before it arrives; CANCELLED. */
libsched_rc libsched_workload_add_trace(libsched_workload *workload, libsched_str csv, const libsched_trace_options *options,
                                        LIBSCHED_OWN libsched_error **error);

/* The options of a simulation; LIBSCHED_SIMULATION_OPTIONS_INIT has the defaults. */
typedef struct libsched_simulation_options {
  uint32_t struct_size; /* sizeof(libsched_simulation_options) */
  uint32_t ties;        /* LIBSCHED_TIES_* */
  uint64_t seed;        /* of LIBSCHED_TIES_RANDOM, and of the node where preemption begins */
  bool sampling;        /* as in libsched_cycle_options */
  bool no_resources;    /* do not measure utilisation and fragmentation */
  /* No controller binds PersistentVolumeClaims and makes volumes: claims stay as they are, and pods do not
     wait for them. With one, see libsched_api_server_options.bind_volumes. */
  bool no_volumes;
  bool no_claims_from_templates; /* as in libsched_schedule_options */
  bool reserved[4];     /* false */
  int64_t sample_interval_ns; /* at least so much time is between two samples; 0: by what happens */
  libsched_queue_options queue;
  int64_t provision_ns; /* how long it takes to make a volume */
  /* The date of the beginning, as RFC 3339, by which CronJobs are due. Empty: 2026-01-01T00:00:00Z. */
  libsched_str start;
} libsched_simulation_options;
#define LIBSCHED_SIMULATION_OPTIONS_INIT \
  {sizeof(libsched_simulation_options), 0, 0, false, false, false, false, {false, false, false, false}, 0, \
   LIBSCHED_QUEUE_OPTIONS_INIT, 0, {LIBSCHED_NULL, 0}}

/* A simulation. */
typedef struct libsched_simulation libsched_simulation;
/* `profiles` are frameworks of different profiles; pods of other schedulers are counted as ignored.
   `cluster` is copied: its nodes, pods with a node and all other objects. The workload, which may be in
   several simulations, cannot be added to any more. `options` may be NULL. Errors: those of
   libsched_queue_create(); EXISTS (the cluster and the workload have a pod of one name), INVALID (a
   negative time; `provision_ns` with `no_volumes`; a `start` that is no time from 1970 to 2149). */
libsched_rc libsched_simulation_create(const libsched_framework *const *profiles, size_t profile_count, const libsched_view *cluster,
                                       libsched_workload *workload, const libsched_simulation_options *options,
                                       LIBSCHED_OWN libsched_simulation **out, LIBSCHED_OWN libsched_error **error);
libsched_simulation *libsched_simulation_ref(libsched_simulation *simulation);
void libsched_simulation_unref(LIBSCHED_OWN libsched_simulation *simulation);

/* How far a simulation is. */
typedef struct libsched_progress {
  uint32_t struct_size; /* sizeof(libsched_progress) of the library */
  uint32_t reserved;    /* 0 */
  int64_t now_ns;
  uint64_t total;   /* pods of the workload, and of the runs that its CronJobs have started */
  uint64_t arrived;
  uint64_t bound;   /* also those that have ended since */
  uint64_t ended;   /* finished or preempted */
  uint64_t pending;
} libsched_progress;
/* Called now and then while a simulation runs; false ends the call. It must not use the simulation. */
typedef bool (*libsched_progress_fn)(void *user_data, const libsched_progress *progress);

/* Runs until the time `until_ns`. If that is negative, runs until all is quiet: all pods have arrived,
   none that runs will end, and the pods that are left have been tried in vain. It can be called again to
   continue, also after CANCELLED. `cancel` and `progress` may be NULL.
     libsched_simulation_run(simulation, -1, NULL, NULL, NULL, &error);
   Errors: CANCELLED (`cancel`, or `progress` returned false), INVALID (no time, though the workload has a
   CronJob, which never ends), STATE (after NO_MEMORY). */
libsched_rc libsched_simulation_run(libsched_simulation *simulation, int64_t until_ns, const libsched_cancel *cancel,
                                    libsched_progress_fn progress, void *user_data, LIBSCHED_OWN libsched_error **error);
int64_t libsched_simulation_now(const libsched_simulation *simulation);
/* An object with the numbers of the run: time, quiet, pods, arrived, waiting, pending, running, finished,
   preempted, ignored, replaced, bound, attempts, preemptions, wait {mean, median, p90, p99, longest},
   pendingReasons [{reason, pods}], ignoredSchedulers [{schedulerName, pods}], resources [{resource,
   allocatable, used, free, fragmented, utilisation, fragmentation}]. Times are seconds. */
libsched_rc libsched_simulation_summary_json(const libsched_simulation *simulation, LIBSCHED_OWN libsched_text **out,
                                             LIBSCHED_OWN libsched_error **error);

/* A table of results. It never changes; any thread may read it. */
typedef struct libsched_table libsched_table;
/* The table of that name, as of now. Errors: NOT_FOUND.
   "pods": namespace, pod, state (waiting, pending, running, finished, preempted, ignored, replaced), arrival,
     bound, wait, end, node, attempts, reason and message (of a pending pod);
   "series": time, arrived, and the number of pods in each state;
   "resources": time, resource, allocatable, used, free, fragmented, utilisation, fragmentation. What is
     free on a node is fragmented for pods that the node cannot take or that do not request the resource;
     the mean over the pods of the workload is `fragmented`;
   "pending": time, reason, pods;
   "preemptions": time, namespace, pod, node, preemptor;
   "volumes": time, action (provisioned, bound, failed), namespace, claim, volume, storageClass, node (the
     selected one), message (of what failed). */
libsched_rc libsched_simulation_table(const libsched_simulation *simulation, libsched_str name, LIBSCHED_OWN libsched_table **out,
                                      LIBSCHED_OWN libsched_error **error);
libsched_table *libsched_table_ref(const libsched_table *table);
void libsched_table_unref(LIBSCHED_OWN libsched_table *table);
size_t libsched_table_row_count(const libsched_table *table);

/* The texts that a table can be written as. Times are seconds with nine decimals. */
enum {
  LIBSCHED_TABLE_CSV = 0, /* RFC 4180 with a header; null is an empty field */
  LIBSCHED_TABLE_JSON = 1 /* an array of objects */
};
/* Receives a text in pieces; false ends the call. */
typedef bool (*libsched_write_fn)(void *user_data, libsched_str piece);
/* Errors: CANCELLED (`write` returned false), UNSUPPORTED (the format). */
libsched_rc libsched_table_write(const libsched_table *table, uint32_t format, libsched_write_fn write, void *user_data,
                                 LIBSCHED_OWN libsched_error **error);

/* Fills `stream`, a `struct ArrowArrayStream` of Arrow's C data interface that the caller releases, with
   the table as one batch. Nothing is copied: the table lives as long as the stream and all that came
   from it. Times are duration[ns].
     struct ArrowArrayStream stream;
     libsched_table_export(table, &stream, &error); */
libsched_rc libsched_table_export(const libsched_table *table, void *stream, LIBSCHED_OWN libsched_error **error);

#ifdef __cplusplus
}
#endif
#endif
