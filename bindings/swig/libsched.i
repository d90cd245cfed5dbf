/* The C API for any language that SWIG supports: libsched.h with handles as classes that release
   themselves, and plugins as classes to derive from (plugin.hpp). Run SWIG with -c++. Java has its own
   typemaps (java.i), other languages use SWIG's.

   It leaves out functions that fill the caller's arrays or bitmaps (Java has some, rows.hpp), raw pointers in a
   CycleState, and the struct of slots. Lent pods and nodes become references of their own here; other lent handles
   are valid as long as the object that lends them. */
%module(directors="1") libsched
%{
#include <libsched.h>
#include "plugin.hpp"
#include "rows.hpp"
#include "sim.hpp"
%}
%include <stdint.i>

// libsched_cluster_add_pod becomes clusterAddPod (of up to eight words).
%rename("%(regex:/^libsched_([^_]+)_?([^_]*)_?([^_]*)_?([^_]*)_?([^_]*)_?([^_]*)_?([^_]*)_?([^_]*)$/\\1\\u\\2\\u\\3\\u\\4\\u\\5\\u\\6\\u\\7\\u\\8/)s", %$isfunction) "";
%rename("%(regex:/^LIBSCHED_(.*)$/\\1/)s", %$isenumitem) "";

// A handle: a class whose destructor releases its reference.
%define %handle(TYPE, NAME)
%rename(NAME) TYPE;
%nodefaultctor TYPE;
%ignore TYPE##_ref;
%ignore TYPE##_unref;
struct TYPE { %extend { ~TYPE() { TYPE##_unref($self); } } };
%enddef
// A handle that is always lent.
%define %lent(TYPE, NAME)
%rename(NAME) TYPE;
%nodefaultctor TYPE;
%nodefaultdtor TYPE;
struct TYPE {};
%enddef
// A struct of options: made with its size set and everything else zero.
%define %options(TYPE, NAME)
%rename(NAME) TYPE;
%ignore TYPE::struct_size;
%ignore TYPE::reserved;
%extend TYPE { TYPE() { auto *made = new TYPE(); made->struct_size = sizeof *made; return made; } }
%enddef

#ifdef SWIGJAVA
%include "java.i"
#endif

%handle(libsched_pod, Pod)
%handle(libsched_node, Node)
%handle(libsched_objects, Objects)
%handle(libsched_cluster, Cluster)
%handle(libsched_changes, Changes)
%handle(libsched_snapshot, Snapshot)
%handle(libsched_status, Status)
%handle(libsched_config, Config)
%handle(libsched_registry, Registry)
%handle(libsched_framework, Framework)
%handle(libsched_cycle_state, CycleState)
%handle(libsched_evaluator, Evaluator)
%handle(libsched_prefilter_result, PreFilterResult)
%handle(libsched_decision, Decision)
%handle(libsched_score_table, ScoreTable)
%handle(libsched_cancel, Cancel)
%handle(libsched_clock, Clock)
%handle(libsched_memory_api, MemoryApi)
%handle(libsched_services, Services)
%handle(libsched_waiting_pod, WaitingPod)
%handle(libsched_node_statuses, NodeStatuses)
%handle(libsched_writer_queue, WriterQueue)
%handle(libsched_scheduling, Scheduling)
%handle(libsched_capacity, Capacity)
%handle(libsched_drain, Drain)
%handle(libsched_edited, Edited)
%handle(libsched_comparison, Comparison)
%handle(libsched_cel, Cel)
%handle(libsched_queue, Queue)
%handle(libsched_queued_pod, QueuedPod)
%handle(libsched_scheduler, Scheduler)
%handle(libsched_event_map, EventMap)
%handle(libsched_workload, TimedWorkload)
%handle(libsched_api_server, ApiServer)
%handle(libsched_simulation, Simulation)
%handle(libsched_table, ResultTable)
%handle(libsched_catalog, Catalog)
%handle(libsched_sim, Sim)
%handle(libsched_extender, Extender)
#ifndef SWIGJAVA
%handle(libsched_text, Text)
%handle(libsched_error, Error)
#endif
%lent(libsched_view, View)
%lent(libsched_node_info, NodeInfo)
%lent(libsched_node_set, NodeSet)
%lent(libsched_signature, Signature)
%lent(libsched_events, Events)
%lent(libsched_object_change, ObjectChange)
%options(libsched_parse_options, ParseOptions)
%options(libsched_cel_options, CelOptions)
%options(libsched_cluster_options, ClusterOptions)
%options(libsched_config_options, ConfigOptions)
%options(libsched_framework_options, FrameworkOptions)
%options(libsched_evaluator_options, EvaluatorOptions)
%options(libsched_run_filter_options, RunFilterOptions)
%options(libsched_filter_options, FilterOptions)
%options(libsched_check_options, CheckOptions)
%options(libsched_cycle_options, CycleOptions)
%options(libsched_assume_options, AssumeOptions)
%options(libsched_cycle_outcome, CycleOutcome)
%options(libsched_fit, Fit)
%options(libsched_scheduling_outcome, SchedulingOutcome)
%options(libsched_scheduling_options, SchedulingOptions)
%options(libsched_services_options, ServicesOptions)
%options(libsched_nomination, Nomination)
%options(libsched_queued_pod_info, QueuedPodInfo)
%options(libsched_drained_pod, DrainedPod)
%options(libsched_queue_counts, QueueCounts)
%options(libsched_api_server_options, ApiServerOptions)
%options(libsched_catalog_options, CatalogOptions)
%options(libsched_sim_query, SimQuery)
%options(libsched_scheduler_state, SchedulerState)
#ifdef SWIGJAVA
// Arrays of a query are copied, and freed with it: ids of pods, and a set of plugins by their index
// (BitSet.toLongArray()). null: none are left out.
%extend libsched_sim_query {
  void setWithout(const libsched_swig::Rows& pods) {
    libsched_swig::replace(&$self->without, &$self->without_count, pods);
  }
  void setPlugins(const libsched_swig::Rows& set) {
    libsched_swig::replace(&$self->plugins, &$self->plugin_words, set);
  }
  ~libsched_sim_query() {
    libsched_swig::replace(&$self->without, &$self->without_count, {});
    libsched_swig::replace(&$self->plugins, &$self->plugin_words, {});
    delete $self;
  }
}
#endif
// Made with upstream's times.
%rename(QueueOptions) libsched_queue_options;
%ignore libsched_queue_options::struct_size;
%ignore libsched_queue_options::reserved;
%extend libsched_queue_options {
  libsched_queue_options() { return new libsched_queue_options(LIBSCHED_QUEUE_OPTIONS_INIT); }
}

// Made so that a pod stays until the end.
%rename(Timing) libsched_timing;
%ignore libsched_timing::struct_size;
%ignore libsched_timing::reserved;
%extend libsched_timing { libsched_timing() { return new libsched_timing(LIBSCHED_TIMING_INIT); } }

// A text in options is copied, and freed with the options.
%ignore libsched_config_options::feature_gates;
%ignore libsched_config_options::semantics;
%extend libsched_config_options {
  void setFeatureGates(libsched_str gates) { libsched_swig::replace(&$self->feature_gates, gates); }
  void setSemantics(libsched_str version) { libsched_swig::replace(&$self->semantics, version); }
  libsched_str getFeatureGates() const { return $self->feature_gates; }
  libsched_str getSemantics() const { return $self->semantics; }
  ~libsched_config_options() {
    libsched_swig::replace(&$self->feature_gates, {});
    libsched_swig::replace(&$self->semantics, {});
    delete $self;
  }
}
%ignore libsched_cel_options::semantics;
%extend libsched_cel_options {
  void setSemantics(libsched_str version) { libsched_swig::replace(&$self->semantics, version); }
  libsched_str getSemantics() const { return $self->semantics; }
  ~libsched_cel_options() {
    libsched_swig::replace(&$self->semantics, {});
    delete $self;
  }
}
%ignore libsched_framework_options::feature_gates;
%ignore libsched_framework_options::semantics;
%extend libsched_framework_options {
  void setFeatureGates(libsched_str gates) { libsched_swig::replace(&$self->feature_gates, gates); }
  void setSemantics(libsched_str version) { libsched_swig::replace(&$self->semantics, version); }
  libsched_str getFeatureGates() const { return $self->feature_gates; }
  libsched_str getSemantics() const { return $self->semantics; }
  ~libsched_framework_options() {
    libsched_swig::replace(&$self->feature_gates, {});
    libsched_swig::replace(&$self->semantics, {});
    delete $self;
  }
}
%ignore libsched_scheduling_options::other_profile;
%extend libsched_scheduling_options {
  void setOtherProfile(libsched_str name) { libsched_swig::replace(&$self->other_profile, name); }
  libsched_str getOtherProfile() const { return $self->other_profile; }
  ~libsched_scheduling_options() {
    libsched_swig::replace(&$self->other_profile, {});
    delete $self;
  }
}
%ignore libsched_cycle_outcome::node;
%ignore libsched_cycle_outcome::node_name;
%extend libsched_nomination {
  libsched_str getNode() const { return $self->node; }
}
%extend libsched_cycle_outcome { libsched_str getNodeName() const { return $self->node_name; } }
%ignore libsched_queued_pod_info::pod;
%ignore libsched_queued_pod_info::gating_plugin;
%extend libsched_queued_pod_info { libsched_str getGatingPlugin() const { return $self->gating_plugin; } }
%ignore libsched_drained_pod::pod;
%ignore libsched_drained_pod::from_node;
%ignore libsched_drained_pod::to_node;
%ignore libsched_drained_pod::text;
%ignore libsched_drained_pod::plugin;
%ignore libsched_drained_pod::budget;
%ignore libsched_drained_pod::profile;
%extend libsched_drained_pod {
  libsched_str getNamespace() const { return libsched_pod_namespace($self->pod); }
  libsched_str getName() const { return libsched_pod_name($self->pod); }
  libsched_str getFromNode() const { return $self->from_node; }
  libsched_str getToNode() const { return $self->to_node; }
  libsched_str getText() const { return $self->text; }
  libsched_str getPlugin() const { return $self->plugin; }
  libsched_str getBudget() const { return $self->budget; }
  libsched_str getProfile() const { return $self->profile; }
}
%ignore libsched_fit::node;
%ignore libsched_fit::node_name;
%extend libsched_fit { libsched_str getNodeName() const { return $self->node_name; } }
%ignore libsched_scheduling_outcome::profile;
%ignore libsched_scheduling_outcome::node_name;
%extend libsched_scheduling_outcome {
  libsched_str getProfile() const { return $self->profile; }
  libsched_str getNodeName() const { return $self->node_name; }
}

%newobject libsched_objects_get_pod;
%newobject libsched_objects_get_node;
%newobject libsched_objects_get_workload;
%newobject libsched_edited_get;
%newobject libsched_comparison_get;
%newobject libsched_view_node;
%newobject libsched_view_node_pod;
%newobject libsched_view_find_pod;
%newobject libsched_node_info_node;
%newobject libsched_node_info_pod;
%newobject libsched_waiting_pod_pod;
%newobject libsched_cycle_state_activation;
%newobject libsched_decision_victim;
%newobject libsched_object_change_pod;
%newobject libsched_object_change_node;

%ignore libsched_str;
%ignore libsched_str_from;
%ignore libsched_plugin;
// An extender in another language is a server: extenders of a configuration are loaded.
%ignore libsched_extender_answer;
%ignore libsched_extender_candidate;
%ignore libsched_extender_functions;
%ignore libsched_extender_create;
// An array of results: pods are asked about one by one.
%ignore libsched_check_pods_fit;
%ignore libsched_registry_add;
%ignore libsched_cluster_add_nodes;
%ignore libsched_cluster_add_pods;
%ignore libsched_cycle_state_write;
%ignore libsched_cycle_state_read;
%ignore libsched_filter_nodes;
%ignore libsched_run_pre_score_plugins;
%ignore libsched_run_score_plugins;
%ignore libsched_view_order;
%ignore libsched_node_set_rows;
%ignore libsched_prefilter_result_set_nodes;
%ignore libsched_decision_codes;
%ignore libsched_decision_best;
%ignore libsched_score_table_rows;
%ignore libsched_score_table_totals;
%ignore libsched_score_table_raw;
%ignore libsched_score_table_normalized;
%ignore libsched_score_table_weighted;
%ignore libsched_filter_options;
// Functions that write through several pointers or to arrays, and structs of function pointers.
%ignore libsched_api_client;
%ignore libsched_api_fault;
%ignore libsched_api_server_add_fault;
%ignore libsched_clock_functions;
%ignore libsched_clock_create;
%ignore libsched_parse_options::interrupt;
%ignore libsched_parse_options::interrupt_data;
%ignore libsched_services_options::api;
%ignore libsched_services_options::api_user_data;
%ignore libsched_host;
%ignore libsched_permit_wait;
%ignore libsched_schedule;
%ignore libsched_schedule_options;
%ignore libsched_placement;
%ignore libsched_schedule_one;
%ignore libsched_count_capacity;
%ignore libsched_capacity_options;
%ignore libsched_capacity_node;
%ignore libsched_capacity_next;
%ignore libsched_capacity_decision;
%ignore libsched_drain_nodes;
%ignore libsched_why_json;
%ignore libsched_why_options;
%ignore libsched_cluster_edit;
%ignore libsched_comparison_place;
%ignore libsched_compare_options;
%ignore libsched_cel_attribute;
%ignore libsched_cel_capacity;
%ignore libsched_cel_device;
%ignore libsched_cel_answer;
%ignore libsched_cel_match;
%ignore libsched_compared_outcome;
%ignore libsched_compared_pod;
%ignore libsched_comparison_pod;
%ignore libsched_edited_pod;
%ignore libsched_drain_options;
%ignore libsched_queue_create;
%ignore libsched_scheduler_observer;
%ignore libsched_log_field;
%ignore libsched_log_record;
%ignore libsched_scheduler_options;
%ignore libsched_scheduler_create;
%ignore libsched_trace_options;
%ignore libsched_workload_add_trace;
%ignore libsched_simulation_options;
%ignore libsched_simulation_create;
%ignore libsched_simulation_run;
%ignore libsched_progress;
%ignore libsched_progress_fn;
%ignore libsched_write_fn;
%ignore libsched_table_write;
%ignore libsched_table_export;
%ignore libsched_queue_add_unschedulable;
%ignore libsched_rejection;
// Arrays of references, ids and names, and what has them; Java has some (sim.hpp).
%rename(SimVerdict) libsched_sim_verdict;
%rename(SimHit) libsched_sim_hit;
%ignore libsched_sim_verdict::reserved;
%ignore libsched_catalog_options::extras;
%ignore libsched_catalog_add_pods;
%ignore libsched_catalog_add_nodes;
%ignore libsched_catalog_touch_pods;
%ignore libsched_catalog_touch_nodes;
%ignore libsched_sim_query::ring;
%ignore libsched_sim_query::order;
%ignore libsched_sim_query::order_count;
%ignore libsched_sim_query::accept;
%ignore libsched_sim_query::accept_words;
%ignore libsched_sim_query::without;
%ignore libsched_sim_query::without_count;
%ignore libsched_sim_query::plugins;
%ignore libsched_sim_query::plugin_words;
%ignore libsched_sim_reset;
%ignore libsched_sim_add_nodes;
%ignore libsched_sim_add_pods;
%ignore libsched_sim_remove_pods;
%ignore libsched_sim_unplace_pods;
%ignore libsched_sim_nodes;
%ignore libsched_sim_pods_on;
%ignore libsched_sim_requested;
%ignore libsched_sim_allocatable;
%ignore libsched_sim_feasible;
%ignore libsched_sim_check_many;
%ignore libsched_sim_copies;
%ignore libsched_sim_place_options;
%ignore libsched_sim_place_many;
%ignore libsched_sim_ring;
%ignore libsched_sim_group;
%ignore libsched_sim_permit;
%ignore libsched_sim_pack_options;
%ignore libsched_sim_packing;
%ignore libsched_sim_bin_pack;
%ignore libsched_sim_remove_options;
%ignore libsched_sim_remove;
%rename(exceptPod) libsched_queue_event::except;
%ignore libsched_queue_event;
%ignore libsched_queue_move_all;
%ignore libsched_queue_node_updated;
%ignore libsched_queue_activate;
%ignore libsched_queued_pod_plugins;
%ignore libsched_queue_list;
%ignore libsched_in_flight;
%ignore libsched_queue_in_flight;
%ignore libsched_nominated_pod;
%ignore libsched_services_nominated_pods;
%ignore libsched_scheduling_options::event;
%ignore libsched_scheduling_options::event_data;
%ignore libsched_scheduling_options::event_destroy;
%ignore libsched_scheduling_rejectors;
%ignore libsched_cycle_event;
%ignore libsched_cycle_event_fn;
%ignore libsched_placed_fn;
%ignore libsched_replica_fn;
%ignore libsched_services_add_waiting_pod;
%ignore libsched_services_waiting_pods;
%ignore libsched_waiting_pod_pending;
%ignore libsched_decision_reason_totals;
%ignore libsched_reason_total;
%ignore libsched_run_permit_plugins;
%ignore libsched_nomination::node;
%ignore libsched_error_create;
%ignore libsched_status_as_error;
%ignore libsched_object_change_raw;
%ignore libsched_view_object_raw;
%ignore libsched_pod_label_at;
%ignore libsched_pod_owner;
%ignore libsched_pod_creation_time;
%ignore libsched_pod_deletion_time;
%ignore libsched_pod_start_time;
%ignore libsched_pod_node_selector;
%ignore libsched_pod_toleration;
%ignore libsched_pod_scheduling_gate;
%ignore libsched_pod_container;
%ignore libsched_pod_init_container;
%ignore libsched_pod_resource;
%ignore libsched_pod_host_port;
%ignore libsched_pod_claim;
%ignore libsched_node_label_at;
%ignore libsched_node_creation_time;
%ignore libsched_node_resource;
%ignore libsched_node_image;
%ignore libsched_node_image_name;
%ignore libsched_node_declared_feature;

%feature("director") libsched_swig::FilterPlugin;
%feature("director") libsched_swig::ScorePlugin;
%include "plugin.hpp"

%include <libsched/base.h>
%include <libsched/objects.h>
%include <libsched/cluster.h>
%include <libsched/fields.h>
%include <libsched/framework.h>
%include <libsched/extender.h>
%include <libsched/evaluator.h>
%include <libsched/scoring.h>
%include <libsched/services.h>
%include <libsched/runtime.h>
%include <libsched/scheduler.h>
%include <libsched/answers.h>
%include <libsched/compare.h>
%include <libsched/controllers.h>
%include <libsched/edits.h>
%include <libsched/queue.h>
%include <libsched/api_server.h>
%include <libsched/loop.h>
%include <libsched/simulation.h>
%include <libsched/cel.h>
%include <libsched/catalog.h>
%include <libsched/sim.h>
%include <libsched/plugin.h>
#ifdef SWIGJAVA
%include "rows.hpp"
%include "sim.hpp"
#endif
