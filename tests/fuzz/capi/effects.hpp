// The effects of calls on clusters, by the model, and checks of their answers. generate.py calls
// these after the functions that they are named after, with the result and the arguments.
#pragma once

#include "arguments.hpp"
#include "sim_effects.hpp"

namespace fuzz {

using Cl = In<libsched_cluster>;
using Ev = In<libsched_evaluator>;
using St = In<libsched_cycle_state>;
using Po = In<const libsched_pod>;
using Su = In<libsched_status>;
using Rc = libsched_rc;

// --- the clusters of handles ---
void know_cluster(const void* handle, std::shared_ptr<Cluster> model);
// Null if the model does not follow the cluster or snapshot, because a slot made it.
std::shared_ptr<Cluster> model_of(const void* handle);
void know_evaluator(const void* handle, const void* framework,
                    const std::shared_ptr<Cluster>& model, const libsched_view* view);
void after_libsched_cluster_create(Turn&, Rc, Options<libsched_cluster_options>&,
                                   Out<libsched_cluster>&, Fault&);
void after_libsched_cluster_load(Turn&, Rc, String&, Out<libsched_cluster>&, Fault&);
void after_libsched_cluster_clone(Turn&, Rc, In<const libsched_cluster>&, Out<libsched_cluster>&,
                                  Fault&);
void after_libsched_cluster_snapshot(Turn&, Rc, Cl&, Out<libsched_snapshot>&, Fault&);
void after_libsched_framework_create(Turn&, Rc, In<const libsched_config>&, String&,
                                     In<const libsched_registry>&,
                                     Options<libsched_framework_options>&, Out<libsched_framework>&,
                                     Fault&);
void after_libsched_evaluator_create(Turn&, Rc, In<const libsched_framework>&, Cl&,
                                     Options<libsched_evaluator_options>&, Out<libsched_evaluator>&,
                                     Fault&);

// --- changes ---
void after_libsched_cluster_apply(Turn&, Rc, Cl&, In<const libsched_objects>&, Fault&);
void know_changes(const void* handle);  // a new list
using Ch = In<libsched_changes>;
void after_libsched_changes_create(Turn&, Rc, Out<libsched_changes>&, Fault&);
void after_libsched_changes_put_objects(Turn&, Rc, Ch&, In<const libsched_objects>&,
                                        Number<uint32_t>&, Fault&);
void after_libsched_changes_put_node(Turn&, Rc, Ch&, In<const libsched_node>&, Number<uint32_t>&,
                                     Fault&);
void after_libsched_changes_put_pod(Turn&, Rc, Ch&, Po&, String&, Number<uint32_t>&, Fault&);
void after_libsched_changes_remove(Turn&, Rc, Ch&, String&, String&, String&, Fault&);
void after_libsched_cluster_apply_changes(Turn&, Rc, Cl&, In<const libsched_changes>&,
                                          Output<size_t>&, Fault&);
void after_libsched_cluster_add_nodes(Turn&, Rc, Cl&, Handles<const libsched_node>&, Fault&);
void after_libsched_cluster_update_node(Turn&, Rc, Cl&, In<const libsched_node>&, Fault&);
void after_libsched_cluster_remove_node(Turn&, Rc, Cl&, String&, Fault&);
void after_libsched_cluster_add_pods(Turn&, Rc, Cl&, Handles<const libsched_pod>&, Strings&,
                                     Fault&);
void after_libsched_cluster_update_pod(Turn&, Rc, Cl&, Po&, String&, Fault&);
void after_libsched_cluster_remove_pod(Turn&, Rc, Cl&, String&, String&, Fault&);
void after_libsched_cluster_remove_object(Turn&, Rc, Cl&, String&, String&, String&, Fault&);
void after_libsched_cluster_assume(Turn&, Rc, Cl&, Po&, String&, Fault&);
void after_libsched_cluster_forget(Turn&, Rc, Cl&, String&, String&, Fault&);
void after_libsched_cluster_fork(Turn&, Rc, Cl&, Fault&);
void after_libsched_cluster_commit(Turn&, Rc, Cl&, Fault&);
void after_libsched_cluster_revert(Turn&, Rc, Cl&, Fault&);
void after_libsched_evaluator_assume(Turn&, Rc, Ev&, St&, Po&, Number<uint32_t>&,
                                     Options<libsched_assume_options>&, Su&, Fault&);
void after_libsched_evaluator_forget(Turn&, Rc, Ev&, St&, Po&, Fault&);
void after_libsched_writer_queue_apply(Turn&, Rc, In<libsched_writer_queue>&, Cl&, Output<size_t>&,
                                       Output<size_t>&, Fault&);
void after_libsched_memory_api_deliver(Turn&, Rc, In<libsched_memory_api>&, Cl&, Fault&);

// A placement reported by libsched_schedule().
struct Told {
  PodFacts pod;
  std::string node;
  uint32_t outcome;
};
// A pod of libsched_schedule_one() was assumed, or the cluster is unchanged.
void follow_cycle(Turn&, Rc, const Ev&, const Po&);
void follow_placements(Turn&, const Ev&, const std::vector<Told>&);

// --- answers ---
void after_libsched_services_nominate(Turn&, Rc, In<libsched_services>&, Po&,
                                      Options<libsched_nomination>&, Fault&);
void after_libsched_cluster_fork_depth(Turn&, size_t, In<const libsched_cluster>&);
void after_libsched_cluster_refresh(Turn&, Rc, Cl&, Fault&);
void after_libsched_filter_nodes(Turn&, Rc, Ev&, St&, Po&, Options<libsched_filter_options>&,
                                 Buffer<uint64_t>&, Output<size_t>&, Output<uint32_t>&, Fault&);
void after_libsched_first_fit(Turn&, Rc, Ev&, St&, Po&, Options<libsched_filter_options>&,
                              Filled<libsched_fit>&, Su&, Fault&);
void after_libsched_check_pod_fits(Turn&, Rc, Ev&, Po&, String&, Options<libsched_check_options>&,
                                   Out<libsched_decision>&, Fault&);
void after_libsched_run_filter_plugins(Turn&, Rc, Ev&, St&, Po&, String&,
                                       Options<libsched_run_filter_options>&, Su&, Fault&);
void after_libsched_run_cycle(Turn&, Rc, Ev&, St&, Po&, Options<libsched_cycle_options>&,
                              Filled<libsched_cycle_outcome>&, Su&, Fault&);
void after_libsched_view_order(Turn&, const uint32_t*, In<const libsched_view>&, Output<size_t>&);
void after_libsched_view_resources(Turn&, size_t, In<const libsched_view>&, Buffer<libsched_str>&);
void after_libsched_decision_codes(Turn&, const int8_t*, In<const libsched_decision>&);
void after_libsched_decision_best(Turn&, const uint32_t*, In<const libsched_decision>&,
                                  Output<size_t>&);
void after_libsched_score_table_totals(Turn&, const int64_t*, In<const libsched_score_table>&);
void after_libsched_score_table_rows(Turn&, const uint32_t*, In<const libsched_score_table>&);
void after_libsched_score_table_raw(Turn&, const int64_t*, In<const libsched_score_table>&,
                                    Number<size_t>&);
void after_libsched_score_table_weighted(Turn&, const int64_t*, In<const libsched_score_table>&,
                                         Number<size_t>&);

}  // namespace fuzz
