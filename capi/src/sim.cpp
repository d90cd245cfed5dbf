// libsched/sim.h over Sim: changes and reading. The questions are in sim_questions.cpp.
#include "libsched/scheduler/sim/sim.hpp"
#include "handles.hpp"
#include "libsched/scheduler/sim/errors.hpp"
#include "removable_kind.hpp"

namespace libsched::capi {
namespace {

// Writes at most `capacity` of `count` numbers.
template <typename F>
Result<void> write_ids(size_t count, uint64_t* ids, size_t capacity, size_t* written, F&& id) {
  *written = count;
  if (capacity < count)
    return Error{Rc::kBuffer, "the array has " + std::to_string(capacity) + " elements, " +
                                  std::to_string(count) + " are needed"};
  for (size_t i = 0; i < count; ++i) ids[i] = id(i);
  return {};
}

Result<void> refuse_contents(const ObjectSet& set) {
  if (set.pods.empty() && set.nodes.empty()) return {};
  return Error{Rc::kInvalid,
               "the document has pods or nodes, which are added by content: see catalog.h"};
}

// By resource: its amount of the node.
template <typename F>
libsched_rc write_amounts(const libsched_sim* sim, uint64_t node, int64_t* amounts, size_t capacity,
                          size_t* count, libsched_error** error, F&& amount) {
  LIBSCHED_REQUIRE_HANDLES(error, sim, count);
  LIBSCHED_REQUIRE(error, amounts != nullptr || capacity == 0);
  return guarded(error, [&]() -> Result<void> {
    const Sim& s = *unwrap(sim);
    if (!s.has_node(node)) return stale_node();
    const Columns& columns = s.view().columns();
    *count = columns.count();
    for (uint32_t i = 0; i < std::min(capacity, columns.count()); ++i)
      amounts[i] = amount(columns, i, index_of(node));
    return {};
  });
}

}  // namespace
}  // namespace libsched::capi

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

extern "C" {

libsched_rc libsched_sim_create(const libsched_framework* framework, libsched_catalog* catalog,
                                libsched_sim** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, framework, catalog, result);
  return hand_over(error, result, [&] {
    return Sim::create(FrameworkRef::share(unwrap(framework)),
                       Ref<Catalog>::share(unwrap(catalog)));
  });
}

libsched_rc libsched_sim_reset(libsched_sim* sim, const uint64_t* nodes, const libsched_str* names,
                               size_t node_count, const uint64_t* pods, const uint32_t* on_node,
                               size_t pod_count, uint64_t* node_ids, uint64_t* pod_ids,
                               libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim);
  LIBSCHED_REQUIRE(error, (nodes != nullptr && names != nullptr) || node_count == 0);
  LIBSCHED_REQUIRE(error, (pods != nullptr && on_node != nullptr) || pod_count == 0);
  return guarded(error, [&]() -> Result<void> {
    const std::vector<Str> of = all_in(names, node_count);
    Sim::Reset to;
    to.nodes = {nodes, node_count};
    to.names = of.data();
    to.pods = {pods, pod_count};
    to.on_node = on_node;
    to.node_ids = node_ids;
    to.pod_ids = pod_ids;
    return unwrap(sim)->reset(to);
  });
}

libsched_rc libsched_sim_load(libsched_sim* sim, const libsched_objects* objects,
                              libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim, objects);
  return guarded(error, [&] { return unwrap(sim)->load(unwrap(objects)->set); });
}

libsched_rc libsched_sim_add_nodes(libsched_sim* sim, uint64_t like, const libsched_str* names,
                                   size_t count, uint64_t* ids, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim);
  LIBSCHED_REQUIRE(error, names != nullptr || count == 0);
  return guarded(error, [&]() -> Result<void> {
    if (count == 1) {
      const Str name = in(names[0]);
      return unwrap(sim)->add_nodes(like, {&name, 1}, ids);
    }
    return unwrap(sim)->add_nodes(like, all_in(names, count), ids);
  });
}
libsched_rc libsched_sim_remove_node(libsched_sim* sim, uint64_t node, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim);
  return guarded(error, [&] { return unwrap(sim)->remove_node(node); });
}
libsched_rc libsched_sim_replace_node(libsched_sim* sim, uint64_t node, uint64_t like,
                                      libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim);
  return guarded(error, [&] { return unwrap(sim)->replace_node(node, like); });
}
libsched_rc libsched_sim_add_pods(libsched_sim* sim, const uint64_t* pods, const uint64_t* nodes,
                                  size_t count, uint64_t* ids, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim);
  LIBSCHED_REQUIRE(error, (pods != nullptr && nodes != nullptr) || count == 0);
  return guarded(error, [&] { return unwrap(sim)->add_pods({pods, count}, nodes, ids); });
}
libsched_rc libsched_sim_remove_pods(libsched_sim* sim, const uint64_t* ids, size_t count,
                                     libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim);
  LIBSCHED_REQUIRE(error, ids != nullptr || count == 0);
  return guarded(error, [&] { return unwrap(sim)->remove_pods({ids, count}); });
}
libsched_rc libsched_sim_unplace_pods(libsched_sim* sim, const uint64_t* ids, size_t count,
                                      libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim);
  LIBSCHED_REQUIRE(error, ids != nullptr || count == 0);
  return guarded(error, [&] { return unwrap(sim)->unplace_pods({ids, count}); });
}

libsched_rc libsched_sim_put_objects(libsched_sim* sim, const libsched_objects* objects,
                                     libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim, objects);
  return guarded(error, [&]() -> Result<void> {
    LIBSCHED_TRY(refuse_contents(unwrap(objects)->set));
    return unwrap(sim)->put_objects(unwrap(objects)->set);
  });
}
libsched_rc libsched_sim_reset_objects(libsched_sim* sim, const libsched_objects* objects,
                                       libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim, objects);
  return guarded(error, [&]() -> Result<void> {
    LIBSCHED_TRY(refuse_contents(unwrap(objects)->set));
    return unwrap(sim)->reset_objects(unwrap(objects)->set);
  });
}
libsched_rc libsched_sim_remove_object(libsched_sim* sim, libsched_str kind, libsched_str ns,
                                       libsched_str name, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim);
  return guarded(error, [&]() -> Result<void> {
    const Result<StoredKind> stored = removable_kind(in(kind));
    if (!stored.ok()) return stored.error();
    return unwrap(sim)->remove_object(*stored, in(ns), in(name));
  });
}

libsched_rc libsched_sim_fork(libsched_sim* sim, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim);
  return guarded(error, [&] { return unwrap(sim)->fork(); });
}
libsched_rc libsched_sim_commit(libsched_sim* sim, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim);
  return guarded(error, [&] { return unwrap(sim)->commit(); });
}
libsched_rc libsched_sim_revert(libsched_sim* sim, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim);
  return guarded(error, [&] { return unwrap(sim)->revert(); });
}
size_t libsched_sim_fork_depth(const libsched_sim* sim) {
  return !live(sim) ? 0 : unwrap(sim)->fork_depth();
}

const libsched_view* libsched_sim_view(const libsched_sim* sim) {
  return !live(sim) ? nullptr : wrap(&unwrap(sim)->view());
}
size_t libsched_sim_node_count(const libsched_sim* sim) {
  return !live(sim) ? 0 : unwrap(sim)->order().size();
}
size_t libsched_sim_pod_count(const libsched_sim* sim) {
  return !live(sim) ? 0 : unwrap(sim)->view().pod_count();
}
size_t libsched_sim_node_limit(const libsched_sim* sim) {
  return !live(sim) ? 0 : unwrap(sim)->view().row_count();
}
libsched_rc libsched_sim_nodes(const libsched_sim* sim, uint64_t* ids, size_t capacity,
                               size_t* count, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim, count);
  LIBSCHED_REQUIRE(error, ids != nullptr || capacity == 0);
  return guarded(error, [&] {
    const Sim& s = *unwrap(sim);
    return write_ids(s.order().size(), ids, capacity, count,
                     [&](size_t i) { return s.node_id(s.order()[i]); });
  });
}
libsched_rc libsched_sim_pods_on(const libsched_sim* sim, uint64_t node, uint64_t* ids,
                                 size_t capacity, size_t* count, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, sim, count);
  LIBSCHED_REQUIRE(error, ids != nullptr || capacity == 0);
  return guarded(error, [&]() -> Result<void> {
    const Sim& s = *unwrap(sim);
    if (!s.has_node(node)) return stale_node();
    const std::vector<uint32_t>& slots = s.view().row(index_of(node)).pods;
    return write_ids(slots.size(), ids, capacity, count,
                     [&](size_t i) { return s.pod_id(slots[i]); });
  });
}
libsched_str libsched_sim_node_name(const libsched_sim* sim, uint64_t node) {
  return live(sim) && unwrap(sim)->has_node(node)
             ? out(unwrap(sim)->view().row(index_of(node)).name)
             : out(Str());
}
uint64_t libsched_sim_find_node(const libsched_sim* sim, libsched_str name) {
  return !live(sim) ? 0 : unwrap(sim)->find_node(in(name));
}
size_t libsched_sim_position(const libsched_sim* sim, uint64_t node) {
  return !live(sim) ? SIZE_MAX : unwrap(sim)->position(node);
}
uint64_t libsched_sim_node_ref(const libsched_sim* sim, uint64_t node) {
  return !live(sim) ? 0 : unwrap(sim)->node_ref(node);
}
uint64_t libsched_sim_pod_ref(const libsched_sim* sim, uint64_t pod) {
  return !live(sim) ? 0 : unwrap(sim)->pod_ref(pod);
}
uint64_t libsched_sim_pod_node(const libsched_sim* sim, uint64_t pod) {
  return !live(sim) ? 0 : unwrap(sim)->pod_node(pod);
}

size_t libsched_sim_resource_count(const libsched_sim* sim) {
  return !live(sim) ? 0 : unwrap(sim)->view().columns().count();
}
libsched_str libsched_sim_resource(const libsched_sim* sim, size_t index) {
  if (index >= libsched_sim_resource_count(sim)) return out(Str());
  return out(unwrap(sim)->view().columns().resource(static_cast<uint32_t>(index)).name);
}
libsched_rc libsched_sim_requested(const libsched_sim* sim, uint64_t node, int64_t* amounts,
                                   size_t capacity, size_t* count, libsched_error** error) {
  return write_amounts(
      sim, node, amounts, capacity, count, error,
      [](const Columns& c, uint32_t id, uint32_t row) { return c.requested(id, row); });
}
libsched_rc libsched_sim_allocatable(const libsched_sim* sim, uint64_t node, int64_t* amounts,
                                     size_t capacity, size_t* count, libsched_error** error) {
  return write_amounts(
      sim, node, amounts, capacity, count, error,
      [](const Columns& c, uint32_t id, uint32_t row) { return c.allocatable(id, row); });
}

}  // extern "C"
