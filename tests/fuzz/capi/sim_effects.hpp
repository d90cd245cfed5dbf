// The effects of calls on catalogs and simulated clusters, and checks of their answers, by the
// model.
#pragma once

#include "sim_arguments.hpp"
#include "sim_model.hpp"

namespace fuzz {

using Sim = In<libsched_sim>;
using Catalog = In<libsched_catalog>;

void know_catalog(const void* handle);
void know_sim(const void* handle, const void* framework, const void* catalog);
std::shared_ptr<CatalogModel> model_of(const libsched_catalog* catalog);
std::shared_ptr<SimModel> model_of(const libsched_sim* sim);

void after_libsched_catalog_create(Turn&, libsched_rc, Out<libsched_catalog>&, Fault&);
void after_libsched_catalog_add_pod(Turn&, libsched_rc, Catalog&, In<const libsched_pod>&,
                                    Options<libsched_catalog_options>&, Output<uint64_t>&, Fault&);
void after_libsched_catalog_add_node(Turn&, libsched_rc, Catalog&, In<const libsched_node>&,
                                     Options<libsched_catalog_options>&, Output<uint64_t>&, Fault&);
void after_libsched_catalog_age(Turn&, size_t, Catalog&, Number<uint32_t>&);

void after_libsched_sim_create(Turn&, libsched_rc, In<const libsched_framework>&, Catalog&,
                               Out<libsched_sim>&, Fault&);
void after_libsched_sim_load(Turn&, libsched_rc, Sim&, In<const libsched_objects>&, Fault&);
void after_libsched_sim_remove_node(Turn&, libsched_rc, Sim&, Id&, Fault&);
void after_libsched_sim_replace_node(Turn&, libsched_rc, Sim&, Id&, Id&, Fault&);
void after_libsched_sim_put_objects(Turn&, libsched_rc, Sim&, In<const libsched_objects>&, Fault&);
void after_libsched_sim_reset_objects(Turn&, libsched_rc, Sim&, In<const libsched_objects>&,
                                      Fault&);
void follow_objects(Turn&, libsched_rc, Sim&, In<const libsched_objects>&, bool replaces_all);
void after_libsched_sim_remove_object(Turn&, libsched_rc, Sim&, String&, String&, String&, Fault&);
void after_libsched_sim_fork(Turn&, libsched_rc, Sim&, Fault&);
void after_libsched_sim_commit(Turn&, libsched_rc, Sim&, Fault&);
void after_libsched_sim_revert(Turn&, libsched_rc, Sim&, Fault&);
void after_libsched_sim_check(Turn&, libsched_rc, Sim&, Id&, Id&, Options<libsched_sim_query>&,
                              Output<libsched_sim_verdict>&, Fault&);
void after_libsched_sim_first(Turn&, libsched_rc, Sim&, Id&, Options<libsched_sim_query>&,
                              Output<libsched_sim_hit>&, Output<libsched_sim_verdict>&, Fault&);
void after_libsched_sim_feasible(Turn&, libsched_rc, Sim&, Id&, Options<libsched_sim_query>&,
                                 Buffer<uint64_t>&, Output<size_t>&, Fault&);

// Of calls with arrays, which special.hpp has.
void follow_reset(Turn&, libsched_rc, Sim&, IdList& nodes, const std::vector<std::string>& names,
                  IdList& pods, const std::vector<uint32_t>& on_node, Results<uint64_t>& node_ids,
                  Results<uint64_t>& pod_ids);
void follow_add_nodes(Turn&, libsched_rc, Sim&, uint64_t like,
                      const std::vector<std::string>& names, Results<uint64_t>& ids);
void follow_add_pods(Turn&, libsched_rc, Sim&, IdList& pods, IdList& nodes, Results<uint64_t>& ids);
void follow_remove_pods(Turn&, libsched_rc, Sim&, IdList& ids);
void follow_check_many(Turn&, libsched_rc, Sim&, IdList& pods, IdList& nodes,
                       Options<libsched_sim_query>& query, Results<uint8_t>& out);
void follow_copies(Turn&, libsched_rc, Sim&, Id& pod, IdList& nodes,
                   Options<libsched_sim_query>& query, size_t most, Results<size_t>& out);
// `plainly`: without a query and options.
void follow_place_many(Turn&, libsched_rc, Sim&, IdList& pods, bool plainly,
                       Results<libsched_sim_hit>& hits, size_t placed);
void follow_bin_pack(Turn&, libsched_rc, Sim&, const libsched_sim_packing& packing);
void follow_remove(Turn&, libsched_rc, Sim&, uint64_t node, IdList& move, bool kept, bool removed,
                   Results<libsched_sim_hit>& hits);

}  // namespace fuzz
