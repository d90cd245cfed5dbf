// Clusters, snapshots and views.
#include "given.hpp"
#include "handles.hpp"
#include "removable_kind.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

// Whether the row holds a node.
bool has_node(const libsched_view* view, uint32_t row) {
  return live(view) && unwrap(view)->node(row) != nullptr;
}

}  // namespace

extern "C" {

libsched_rc libsched_cluster_create(const libsched_cluster_options* options,
                                    libsched_cluster** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, result);
  return hand_over(error, result, [&]() -> Result<Ref<Cluster>> {
    const Result<libsched_cluster_options> o = read_given(options);
    if (!o.ok()) return o.error();
    if (o->node_order > LIBSCHED_ORDER_INSERTION)
      return Error{Rc::kUnsupported, "unknown node_order"};
    return make_ref<Cluster>(static_cast<NodeOrder>(o->node_order));
  });
}

libsched_rc libsched_cluster_load(libsched_str path, libsched_cluster** result,
                                  libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, result);
  libsched_parse_options options = LIBSCHED_PARSE_OPTIONS_INIT;
  options.defaults = true;
  libsched_objects* objects = nullptr;
  if (const libsched_rc rc = libsched_objects_load(path, &options, &objects, error);
      rc != LIBSCHED_OK)
    return rc;
  const Ref<Objects> owned = Ref<Objects>::adopt(unwrap(objects));
  return hand_over(error, result, [&]() -> Result<Ref<Cluster>> {
    Ref<Cluster> cluster = make_ref<Cluster>();
    LIBSCHED_TRY(cluster->apply(owned->set));
    return cluster;
  });
}

libsched_rc libsched_cluster_apply(libsched_cluster* cluster, const libsched_objects* objects,
                                   libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, cluster, objects);
  return guarded(error, [&]() -> Result<void> {
    LIBSCHED_TRY(unwrap(cluster)->apply(unwrap(objects)->set));
    return {};
  });
}

libsched_rc libsched_cluster_add_nodes(libsched_cluster* cluster, const libsched_node* const* nodes,
                                       size_t count, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, cluster);
  LIBSCHED_REQUIRE_EACH(error, nodes, count);
  return guarded(error, [&] {
    return unwrap(cluster)->add_nodes(Unwrapped<Node>(nodes, count).data(), count);
  });
}

libsched_rc libsched_cluster_update_node(libsched_cluster* cluster, const libsched_node* node,
                                         libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, cluster, node);
  return guarded(error, [&] { return unwrap(cluster)->update_node(NodeRef::share(unwrap(node))); });
}

libsched_rc libsched_cluster_remove_node(libsched_cluster* cluster, libsched_str name,
                                         libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, cluster);
  return guarded(error, [&] { return unwrap(cluster)->remove_node(in(name)); });
}

libsched_rc libsched_cluster_add_pods(libsched_cluster* cluster, const libsched_pod* const* pods,
                                      const libsched_str* node_names, size_t count,
                                      libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, cluster);
  LIBSCHED_REQUIRE_EACH(error, pods, count);
  return guarded(error, [&]() -> Result<void> {
    const std::vector<Str> names = all_in(node_names, node_names == nullptr ? 0 : count);
    return unwrap(cluster)->add_pods(Unwrapped<Pod>(pods, count).data(),
                                     node_names == nullptr ? nullptr : names.data(), count);
  });
}

libsched_rc libsched_cluster_update_pod(libsched_cluster* cluster, const libsched_pod* pod,
                                        libsched_str node_name, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, cluster, pod);
  return guarded(error, [&] {
    return unwrap(cluster)->update_pod(PodRef::share(unwrap(pod)), in(node_name));
  });
}

libsched_rc libsched_cluster_remove_pod(libsched_cluster* cluster, libsched_str ns,
                                        libsched_str name, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, cluster);
  return guarded(error, [&] { return unwrap(cluster)->remove_pod(in(ns), in(name)); });
}

libsched_rc libsched_cluster_remove_object(libsched_cluster* cluster, libsched_str kind,
                                           libsched_str ns, libsched_str name,
                                           libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, cluster);
  return guarded(error, [&]() -> Result<void> {
    const Result<StoredKind> stored = removable_kind(in(kind));
    if (!stored.ok()) return stored.error();
    return unwrap(cluster)->remove_object(*stored, in(ns), in(name));
  });
}

libsched_rc libsched_cluster_assume(libsched_cluster* cluster, const libsched_pod* pod,
                                    libsched_str node_name, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, cluster, pod);
  return guarded(error, [&] { return unwrap(cluster)->assume(*unwrap(pod), in(node_name)); });
}
libsched_rc libsched_cluster_forget(libsched_cluster* cluster, libsched_str ns, libsched_str name,
                                    libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, cluster);
  return guarded(error, [&] { return unwrap(cluster)->forget(in(ns), in(name)); });
}

libsched_rc libsched_cluster_fork(libsched_cluster* cluster, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, cluster);
  return guarded(error, [&] { return unwrap(cluster)->fork(); });
}
libsched_rc libsched_cluster_commit(libsched_cluster* cluster, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, cluster);
  return guarded(error, [&] { return unwrap(cluster)->commit(); });
}
libsched_rc libsched_cluster_revert(libsched_cluster* cluster, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, cluster);
  return guarded(error, [&] { return unwrap(cluster)->revert(); });
}
size_t libsched_cluster_fork_depth(const libsched_cluster* cluster) {
  return !live(cluster) ? 0 : unwrap(cluster)->fork_depth();
}

libsched_rc libsched_cluster_clone(const libsched_cluster* cluster, libsched_cluster** result,
                                   libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, cluster, result);
  return hand_over(error, result, [&] { return unwrap(cluster)->clone(); });
}

libsched_rc libsched_cluster_snapshot(libsched_cluster* cluster, libsched_snapshot** result,
                                      libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, cluster, result);
  return hand_over(error, result, [&] { return unwrap(cluster)->snapshot(); });
}

libsched_rc libsched_cluster_refresh(libsched_cluster* cluster, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, cluster);
  return guarded(error, [&]() -> Result<void> {
    if (!unwrap(cluster)->judged()) unwrap(cluster)->refresh();
    return {};
  });
}

const libsched_view* libsched_cluster_view(const libsched_cluster* cluster) {
  return !live(cluster) ? nullptr : wrap(&unwrap(cluster)->view());
}
const libsched_view* libsched_snapshot_view(const libsched_snapshot* snapshot) {
  return !live(snapshot) ? nullptr : wrap(&unwrap(snapshot)->view());
}
size_t libsched_view_node_count(const libsched_view* v) {
  return !live(v) ? 0 : unwrap(v)->node_count();
}
size_t libsched_view_pod_count(const libsched_view* v) {
  return !live(v) ? 0 : unwrap(v)->pod_count();
}
size_t libsched_view_row_count(const libsched_view* v) {
  return !live(v) ? 0 : unwrap(v)->row_count();
}
uint32_t libsched_view_find_node(const libsched_view* v, libsched_str name) {
  return !live(v) ? LIBSCHED_NO_ROW : unwrap(v)->find_node(in(name));
}
const libsched_node* libsched_view_node(const libsched_view* v, uint32_t row) {
  return !live(v) ? nullptr : wrap(unwrap(v)->node(row));
}

const uint32_t* libsched_view_order(const libsched_view* v, size_t* count) {
  if (count != nullptr) *count = !live(v) ? 0 : unwrap(v)->order().size();
  return !live(v) ? nullptr : unwrap(v)->order().data();
}

size_t libsched_view_node_pod_count(const libsched_view* v, uint32_t row) {
  return live(v) && row < unwrap(v)->row_count() ? unwrap(v)->row(row).pods.size() : 0;
}
const libsched_pod* libsched_view_node_pod(const libsched_view* v, uint32_t row, size_t index) {
  if (index >= libsched_view_node_pod_count(v, row)) return nullptr;
  return shown(*unwrap(v), *unwrap(v)->slot(unwrap(v)->row(row).pods[index]).pod);
}

const libsched_pod* libsched_view_find_pod(const libsched_view* v, libsched_str ns,
                                           libsched_str name, uint32_t* row) {
  if (!live(v)) return nullptr;
  const uint32_t s = unwrap(v)->find_pod(in(ns), in(name));
  if (s == kNoId) return nullptr;
  if (row != nullptr) *row = unwrap(v)->slot(s).row;
  return shown(*unwrap(v), *unwrap(v)->slot(s).pod);
}

int64_t libsched_view_allocatable(const libsched_view* v, uint32_t row, libsched_str resource) {
  if (!has_node(v, row)) return 0;
  const uint32_t id = unwrap(v)->columns().find(in(resource));
  return id == kNoId ? 0 : unwrap(v)->columns().allocatable(id, row);
}
int64_t libsched_view_requested(const libsched_view* v, uint32_t row, libsched_str resource) {
  if (!has_node(v, row)) return 0;
  const uint32_t id = unwrap(v)->columns().find(in(resource));
  return id == kNoId ? 0 : unwrap(v)->columns().requested(id, row);
}

}  // extern "C"
