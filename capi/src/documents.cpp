// Pods, nodes and whole views as documents.
#include "fields.hpp"
#include "libsched/config/cluster_release.hpp"
#include "libsched/ingest/write/write.hpp"
#include "removable_kind.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

void write_pods(JsonText& json, const View& view) {
  for (size_t r = 0; r < view.row_count(); ++r) {
    const View::Row& row = view.row(static_cast<uint32_t>(r));
    for (const uint32_t slot : row.pods) write_pod(json, *view.slot(slot).pod, row.name);
  }
  for (const PodRef& pod : view.nominated().all()) write_pod(json, *pod, {});
}

template <typename Items>
std::string list_json(Items items) {
  JsonText json;
  json.object([&] {
    json.field("apiVersion", "v1");
    json.field("kind", "List");
    json.key("items");
    json.open('[');
    items(json);
    json.close(']');
  });
  return json.take();
}

std::string view_json(const View& view) {
  return list_json([&](JsonText& json) {
    for (size_t kind = 0; kind < kStoredKinds; ++kind) {
      const auto stored = static_cast<StoredKind>(kind);
      view.objects().for_each_object(stored,
                                     [&](const Object& o) { write_stored(json, stored, o); });
    }
    for (size_t r = 0; r < view.row_count(); ++r)
      if (const Node* node = view.node(static_cast<uint32_t>(r))) write_node(json, *node);
    write_pods(json, view);
  });
}

std::string objects_json(const View& view, StoredKind kind, Str ns, Str name) {
  return list_json([&](JsonText& json) {
    if (!name.empty() && is_namespaced(kind) != ns.empty()) {  // there is one at most
      if (const Object* const o = view.objects().find(kind, ns, name)) write_stored(json, kind, *o);
      return;
    }
    view.objects().for_each_object(kind, [&](const Object& o) {
      const bool of_namespace = ns.empty() || (is_namespaced(kind) && o.meta.ns == ns);
      if (of_namespace && (name.empty() || o.meta.name == name)) write_stored(json, kind, o);
    });
  });
}

}  // namespace

extern "C" {

libsched_rc libsched_pod_json(const libsched_pod* pod, libsched_text** result,
                              libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, pod, result);
  return hand_over(error, result, [&] {
    JsonText json;
    write_pod(json, *unwrap(pod), unwrap(pod)->spec.node_name);
    return json.take();
  });
}

libsched_rc libsched_node_json(const libsched_node* node, libsched_text** result,
                               libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, node, result);
  return hand_over(error, result, [&] {
    JsonText json;
    write_node(json, *unwrap(node));
    return json.take();
  });
}

libsched_rc libsched_view_json(const libsched_view* view, libsched_text** result,
                               libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, view, result);
  return hand_over(error, result, [&] { return view_json(*unwrap(view)); });
}

libsched_rc libsched_view_objects_json(const libsched_view* view, libsched_str kind,
                                       libsched_str ns, libsched_str name, libsched_text** result,
                                       libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, view, result);
  return hand_over(error, result, [&]() -> Result<std::string> {
    const Result<StoredKind> kept = kept_kind(in(kind));
    if (!kept.ok()) return kept.error();
    return objects_json(*unwrap(view), *kept, in(ns), in(name));
  });
}

uint64_t libsched_view_objects_version(const libsched_view* view, libsched_str kind) {
  const size_t stored = find_stored_kind(in(kind));
  return !live(view) || stored == kStoredKinds
             ? 0
             : unwrap(view)->objects().stamp(static_cast<StoredKind>(stored));
}

libsched_rc libsched_view_release_json(const libsched_view* view, libsched_str server_version,
                                       libsched_text** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, view, result);
  return hand_over(error, result, [&] {
    return cluster_release_json(cluster_release(*unwrap(view), in(server_version)));
  });
}

bool libsched_view_pod_assumed(const libsched_view* view, libsched_str ns, libsched_str name) {
  if (!live(view)) return false;
  const uint32_t slot = unwrap(view)->find_pod(in(ns), in(name));
  return slot != kNoId && unwrap(view)->slot(slot).assumed;
}

}  // extern "C"
