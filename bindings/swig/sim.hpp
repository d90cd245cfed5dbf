// Questions to a simulated cluster with arrays of references and ids, for languages whose arrays
// have a length.
#ifndef LIBSCHED_SWIG_SIM_HPP
#define LIBSCHED_SWIG_SIM_HPP

#ifndef SWIG
#include "rows.hpp"
#endif

// libsched_sim_add_nodes() of one node: returns its id.
inline libsched_rc libsched_sim_add_node(libsched_sim* sim, uint64_t like, libsched_str name,
                                         uint64_t* number, libsched_error** error) {
  return libsched_sim_add_nodes(sim, like, &name, 1, number, error);
}
// libsched_sim_add_pods() of one pod: returns its id.
inline libsched_rc libsched_sim_add_pod(libsched_sim* sim, uint64_t pod, uint64_t node,
                                        uint64_t* number, libsched_error** error) {
  return libsched_sim_add_pods(sim, &pod, &node, 1, number, error);
}
// libsched_sim_remove_pods().
inline libsched_rc libsched_sim_remove_all(libsched_sim* sim, const libsched_swig::Rows& ids,
                                           libsched_error** error) {
  return libsched_sim_remove_pods(sim, ids.words, ids.count, error);
}
// libsched_sim_unplace_pods().
inline libsched_rc libsched_sim_unplace_all(libsched_sim* sim, const libsched_swig::Rows& ids,
                                            libsched_error** error) {
  return libsched_sim_unplace_pods(sim, ids.words, ids.count, error);
}
// libsched_sim_nodes(): returns the ids of all nodes in their order.
inline libsched_rc libsched_sim_node_ids(const libsched_sim* sim, libsched_swig::Longs* longs,
                                         libsched_error** error) {
  size_t count = 0;
  longs->resize(libsched_sim_node_count(sim));
  return libsched_sim_nodes(sim, longs->data(), longs->size(), &count, error);
}
// libsched_sim_pods_on(): returns the ids of a node's pods.
inline libsched_rc libsched_sim_pod_ids(const libsched_sim* sim, uint64_t node,
                                        libsched_swig::Longs* longs, libsched_error** error) {
  size_t count = 0;
  longs->resize(libsched_sim_pod_count(sim));  // at most all of them
  const libsched_rc rc =
      libsched_sim_pods_on(sim, node, longs->data(), longs->size(), &count, error);
  longs->resize(rc == LIBSCHED_OK ? count : 0);
  return rc;
}
// libsched_sim_requested() and libsched_sim_allocatable(): return amounts by
// libsched_sim_resource().
inline libsched_rc libsched_sim_requested_of(const libsched_sim* sim, uint64_t node,
                                             libsched_swig::Longs* longs, libsched_error** error) {
  size_t count = 0;
  longs->resize(libsched_sim_resource_count(sim));
  return libsched_sim_requested(sim, node, reinterpret_cast<int64_t*>(longs->data()), longs->size(),
                                &count, error);
}
inline libsched_rc libsched_sim_allocatable_of(const libsched_sim* sim, uint64_t node,
                                               libsched_swig::Longs* longs,
                                               libsched_error** error) {
  size_t count = 0;
  longs->resize(libsched_sim_resource_count(sim));
  return libsched_sim_allocatable(sim, node, reinterpret_cast<int64_t*>(longs->data()),
                                  longs->size(), &count, error);
}
// libsched_sim_feasible(): returns the ids of the nodes that take the pod, in the order of nodes.
inline libsched_rc libsched_sim_feasible_ids(libsched_sim* sim, uint64_t pod,
                                             const libsched_sim_query* query,
                                             libsched_swig::Longs* longs, libsched_error** error) {
  libsched_swig::Longs bits((libsched_sim_node_limit(sim) + 63) / 64 + 1);
  const libsched_rc rc =
      libsched_sim_feasible(sim, pod, query, bits.data(), bits.size(), nullptr, error);
  if (rc != LIBSCHED_OK) return rc;
  if (const libsched_rc listed = libsched_sim_node_ids(sim, longs, error); listed != LIBSCHED_OK)
    return listed;
  std::erase_if(*longs, [&](uint64_t id) {
    const uint64_t index = id & UINT32_MAX;
    return (bits[index / 64] >> (index % 64) & 1) == 0;
  });
  return rc;
}
// libsched_sim_check_many(): returns the matrix pod by pod; 0, or 1 + the index of a plugin.
inline libsched_rc libsched_sim_check_all(libsched_sim* sim, const libsched_swig::Rows& pods,
                                          const libsched_swig::Rows& nodes,
                                          const libsched_sim_query* query,
                                          libsched_swig::Longs* longs, libsched_error** error) {
  std::vector<uint8_t> out(pods.count * nodes.count + 1);
  const libsched_rc rc = libsched_sim_check_many(sim, pods.words, pods.count, nodes.words,
                                                 nodes.count, query, out.data(), error);
  longs->assign(out.begin(), out.end() - 1);
  return rc;
}
// libsched_sim_copies(): returns how many fit on each node.
inline libsched_rc libsched_sim_copies_on(libsched_sim* sim, uint64_t pod,
                                          const libsched_swig::Rows& nodes, size_t max,
                                          const libsched_sim_query* query,
                                          libsched_swig::Longs* longs, libsched_error** error) {
  std::vector<size_t> out(nodes.count + 1);
  const libsched_rc rc =
      libsched_sim_copies(sim, pod, nodes.words, nodes.count, max, query, out.data(), error);
  longs->assign(out.begin(), out.end() - 1);
  return rc;
}
// libsched_sim_place_many(): returns the id of each pod, 0 for one that found no node.
inline libsched_rc libsched_sim_place_all(libsched_sim* sim, const libsched_swig::Rows& pods,
                                          const libsched_sim_query* query,
                                          libsched_swig::Longs* longs, libsched_error** error) {
  std::vector<libsched_sim_hit> hits(pods.count + 1);
  size_t placed = 0;
  const libsched_rc rc = libsched_sim_place_many(sim, pods.words, pods.count, query, nullptr,
                                                 hits.data(), &placed, nullptr, error);
  longs->clear();
  for (size_t i = 0; i < pods.count; ++i) longs->push_back(hits[i].pod);
  return rc;
}
// libsched_sim_bin_pack() of groups, `counts[i]` of `pods[i]`: returns the number of each pod's new
// node, or -1. The fork stays open.
inline libsched_rc libsched_sim_pack(libsched_sim* sim, const libsched_swig::Rows& pods,
                                     const libsched_swig::Rows& counts, uint64_t like,
                                     libsched_str prefix, size_t max_nodes,
                                     libsched_swig::Longs* longs, libsched_error** error) {
  std::vector<libsched_sim_group> groups;
  for (size_t i = 0; i < pods.count && i < counts.count; ++i)
    groups.push_back({pods.words[i], counts.words[i]});
  libsched_sim_pack_options options = LIBSCHED_SIM_PACK_OPTIONS_INIT;
  options.prefix = prefix;
  options.max_nodes = max_nodes;
  libsched_sim_packing packing{};
  const libsched_rc rc =
      libsched_sim_bin_pack(sim, groups.data(), groups.size(), like, &options, &packing, error);
  longs->clear();
  for (size_t i = 0; rc == LIBSCHED_OK && i < packing.pod_count; ++i)
    longs->push_back(static_cast<uint64_t>(int64_t{packing.on_node[i]}));
  return rc;
}
// libsched_sim_remove(): returns the node on which each pod of `move` finds a place; 0 for the
// first one that finds none, and for those after it.
inline libsched_rc libsched_sim_move(libsched_sim* sim, uint64_t node,
                                     const libsched_swig::Rows& move,
                                     const libsched_sim_query* query, bool keep,
                                     libsched_swig::Longs* longs, libsched_error** error) {
  libsched_sim_remove_options options = LIBSCHED_SIM_REMOVE_OPTIONS_INIT;
  options.keep = keep;
  std::vector<libsched_sim_hit> hits(move.count + 1);
  bool removed = false;
  const libsched_rc rc = libsched_sim_remove(sim, node, move.words, move.count, query, &options,
                                             hits.data(), &removed, error);
  longs->clear();
  bool found = true;
  for (size_t i = 0; i < move.count; ++i) {
    found = found && hits[i].node != 0;
    longs->push_back(found ? hits[i].node : 0);
  }
  return rc;
}

#endif
