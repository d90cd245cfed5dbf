// Calls that no rule of generate.py makes, each with the reason.
#pragma once

#include "turn.hpp"

namespace fuzz {

// It always fails, with the code that it is given.
void call_libsched_error_create(Turn& t);
// A struct of function pointers: slots.cpp and throwing.cpp have them.
void call_libsched_registry_add(Turn& t);
// The same: the clock counts the calls of destroy().
void call_libsched_clock_create(Turn& t);
// Likewise of an extender (extenders.cpp).
void call_libsched_extender_create(Turn& t);
// An array of results that is as long as that of the pods (extenders.cpp).
void call_libsched_check_pods_fit(Turn& t);
// Data with functions that clone and destroy it.
void call_libsched_cycle_state_write(Turn& t);
// The result is the program's data.
void call_libsched_cycle_state_read(Turn& t);
// A thousand threads would take all the time.
void call_libsched_evaluator_set_parallelism(Turn& t);

// Of random numbers hardly one would be a mode.
void call_libsched_evaluator_keep_classes(Turn& t);

// Callbacks, and a number of replicas that is not random: all of them may be placed.
void call_libsched_schedule(Turn& t);
// An array of evaluators that are not const.
void call_libsched_schedule_one(Turn& t);
// The same, and a maximum that is not random: so many pods may fit.
void call_libsched_count_capacity(Turn& t);
// An array of evaluators that are not const.
void call_libsched_why_json(Turn& t);
// An array of evaluators that are not const.
void call_libsched_drain_nodes(Turn& t);
// A list of evaluators.
void call_libsched_comparison_place(Turn& t);
// A struct with arrays.
void call_libsched_cel_match(Turn& t);
// Its texts name what may be there, and it edits a copy, because the model knows no edits.
void call_libsched_cluster_edit(Turn& t);
// The same.
void call_libsched_queue_create(Turn& t);
// Lends several handles at once.
void call_libsched_queue_list(Turn& t);
// An array of frameworks, and a cluster of its own: runs change it, which the model does not
// follow.
void call_libsched_scheduler_create(Turn& t);
// A time that is not random: years would take all the time.
void call_libsched_scheduler_run_until(Turn& t);
// A number of replicas that is not random: all of them may be simulated.
void call_libsched_workload_add(Turn& t);
// An array of frameworks and a view.
void call_libsched_simulation_create(Turn& t);
// A callback, and a time that is not random: years would take all the time.
void call_libsched_simulation_run(Turn& t);
// A callback.
void call_libsched_table_write(Turn& t);
// A struct that is no handle, and has to be released.
void call_libsched_table_export(Turn& t);
// Documents, references and extra bytes, as many of each.
void call_libsched_catalog_add_pods(Turn& t);
// The same.
void call_libsched_catalog_add_nodes(Turn& t);
// Numbers that name contents.
void call_libsched_catalog_touch_pods(Turn& t);
// The same.
void call_libsched_catalog_touch_nodes(Turn& t);
// Arrays of two lengths.
void call_libsched_sim_reset(Turn& t);
// Names and ids, as many of each.
void call_libsched_sim_add_nodes(Turn& t);
// Pods, nodes and ids, as many of each.
void call_libsched_sim_add_pods(Turn& t);
// An array of numbers that name pods.
void call_libsched_sim_remove_pods(Turn& t);
// A matrix.
void call_libsched_sim_check_many(Turn& t);
// A number for each node.
void call_libsched_sim_copies(Turn& t);
// Hits and hints, as many as pods.
void call_libsched_sim_place_many(Turn& t);
// Groups whose numbers of pods are not random, and an answer that is borrowed.
void call_libsched_sim_bin_pack(Turn& t);
// Pods of the node that is removed.
void call_libsched_sim_remove(Turn& t);

}  // namespace fuzz
