// The fields of nodes that plugins read, and the other objects of a cluster.
#include "fields.hpp"
#include "removable_kind.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

extern "C" {

size_t libsched_node_label_count(const libsched_node* n) {
  return !live(n) ? 0 : unwrap(n)->meta.labels.size();
}
bool libsched_node_label_at(const libsched_node* n, size_t index, libsched_str* key,
                            libsched_str* value) {
  return live(n) && pair_at(unwrap(n)->meta.labels, index, key, value);
}
libsched_rc libsched_node_annotation_count(const libsched_node* node, size_t* result,
                                           libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, node, result);
  return guarded(error, [&]() -> Result<void> {
    LIBSCHED_TRY(annotations_kept(unwrap(node)->meta));
    *result = unwrap(node)->meta.annotations.size();
    return {};
  });
}
bool libsched_node_annotation_at(const libsched_node* node, size_t index, libsched_str* key,
                                 libsched_str* value) {
  return live(node) && annotation_at(unwrap(node)->meta, index, key, value);
}
libsched_rc libsched_node_annotation(const libsched_node* node, libsched_str key, bool* found,
                                     libsched_str* value, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, node, found);
  return guarded(error, [&] { return annotation_into(unwrap(node)->meta, in(key), found, value); });
}
libsched_str libsched_node_zone(const libsched_node* n) {
  libsched_str zone = out(Str());
  if (!libsched_node_label(n, LIBSCHED_STR("topology.kubernetes.io/zone"), &zone))
    libsched_node_label(n, LIBSCHED_STR("failure-domain.beta.kubernetes.io/zone"), &zone);
  return zone;
}
bool libsched_node_creation_time(const libsched_node* n, int64_t* ns) {
  return live(n) && time_into(unwrap(n)->meta.created, ns);
}
size_t libsched_node_resource_count(const libsched_node* n) {
  return !live(n) ? 0 : resource_count(unwrap(n)->allocatable);
}
bool libsched_node_resource(const libsched_node* n, size_t index, libsched_str* name,
                            int64_t* amount) {
  return live(n) && resource_at(unwrap(n)->allocatable, index, name, amount);
}
size_t libsched_node_image_count(const libsched_node* n) {
  return !live(n) ? 0 : unwrap(n)->images.size();
}
bool libsched_node_image(const libsched_node* n, size_t index, int64_t* size_bytes,
                         size_t* name_count) {
  const ContainerImage* image = !live(n) ? nullptr : item_at(unwrap(n)->images, index);
  if (image == nullptr) return false;
  write_to(size_bytes, image->size_bytes);
  write_to(name_count, image->names.size());
  return true;
}
bool libsched_node_image_name(const libsched_node* n, size_t image, size_t index,
                              libsched_str* name) {
  const ContainerImage* found = !live(n) ? nullptr : item_at(unwrap(n)->images, image);
  return found != nullptr && string_at(found->names, index, name);
}
size_t libsched_node_declared_feature_count(const libsched_node* n) {
  return !live(n) ? 0 : unwrap(n)->declared_features.size();
}
bool libsched_node_declared_feature(const libsched_node* n, size_t index, libsched_str* name) {
  return live(n) && string_at(unwrap(n)->declared_features, index, name);
}

libsched_rc libsched_view_object_raw(const libsched_view* view, libsched_str kind, libsched_str ns,
                                     libsched_str name, libsched_str* result,
                                     libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, view, result);
  return guarded(error, [&]() -> Result<void> {
    const Result<StoredKind> kept = kept_kind(in(kind));
    if (!kept.ok()) return kept.error();
    const Object* object = unwrap(view)->objects().find(*kept, in(ns), in(name));
    if (object == nullptr)
      return Error{Rc::kNotFound, std::string(in(kind)) + " \"" + std::string(in(name)) +
                                      "\" is not in the cluster"};
    if (object->raw.empty())
      return Error{Rc::kState, "the document was not kept: parse with keep_raw"};
    *result = out(object->raw);
    return {};
  });
}

}  // extern "C"
