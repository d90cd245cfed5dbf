// Lists of changes.
#include "handles.hpp"
#include "removable_kind.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

Result<PutMode> mode_of(uint32_t how, uint32_t flags = 0) {
  const uint32_t mode = how & ~flags;
  if (mode > LIBSCHED_PUT_NEW)
    return Error{Rc::kUnsupported, "unknown way to put an object: " + std::to_string(how)};
  return static_cast<PutMode>(mode);
}

}  // namespace

extern "C" {

libsched_rc libsched_changes_create(libsched_changes** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, result);
  return hand_over(error, result, [&] { return new Changes; });
}

libsched_rc libsched_changes_put_objects(libsched_changes* changes, const libsched_objects* objects,
                                         uint32_t how, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, changes, objects);
  return guarded(error, [&]() -> Result<void> {
    const Result<PutMode> mode = mode_of(how, LIBSCHED_PUT_NO_NODES | LIBSCHED_PUT_NO_PODS);
    if (!mode.ok()) return mode.error();
    Changes& list = *unwrap(changes);
    list.documents.push_back(Ref<const Objects>::share(unwrap(objects)));
    list.parts.emplace_back(
        std::in_place_type<PutObjects>,
        PutObjects{&unwrap(objects)->set, *mode, (how & LIBSCHED_PUT_NO_NODES) == 0,
                   (how & LIBSCHED_PUT_NO_PODS) == 0});
    return {};
  });
}

libsched_rc libsched_changes_put_node(libsched_changes* changes, const libsched_node* node,
                                      uint32_t how, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, changes, node);
  return guarded(error, [&]() -> Result<void> {
    const Result<PutMode> mode = mode_of(how);
    if (!mode.ok()) return mode.error();
    unwrap(changes)->parts.emplace_back(std::in_place_type<PutNode>,
                                        PutNode{NodeRef::share(unwrap(node)), *mode});
    return {};
  });
}

libsched_rc libsched_changes_put_pod(libsched_changes* changes, const libsched_pod* pod,
                                     libsched_str node_name, uint32_t how, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, changes, pod);
  return guarded(error, [&]() -> Result<void> {
    const Result<PutMode> mode = mode_of(how);
    if (!mode.ok()) return mode.error();
    unwrap(changes)->parts.push_back(
        PutPod{PodRef::share(unwrap(pod)), std::string(in(node_name)), *mode});
    return {};
  });
}

libsched_rc libsched_changes_remove(libsched_changes* changes, libsched_str kind, libsched_str ns,
                                    libsched_str name, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, changes);
  return guarded(error, [&]() -> Result<void> {
    std::vector<Change>& parts = unwrap(changes)->parts;
    if (in(kind) == "Node") {
      parts.push_back(RemoveNode{std::string(in(name))});
    } else if (in(kind) == "Pod") {
      parts.push_back(RemovePod{std::string(in(ns)), std::string(in(name))});
    } else {
      const Result<StoredKind> stored = removable_kind(in(kind));
      if (!stored.ok()) return stored.error();
      parts.push_back(RemoveObject{*stored, std::string(in(ns)), std::string(in(name))});
    }
    return {};
  });
}

libsched_rc libsched_cluster_apply_changes(libsched_cluster* cluster,
                                           const libsched_changes* changes, size_t* count,
                                           libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, cluster, changes);
  return guarded(error, [&]() -> Result<void> {
    const std::vector<Change>& parts = unwrap(changes)->parts;
    const Result<size_t> made = unwrap(cluster)->apply(parts.data(), parts.size());
    if (!made.ok()) return made.error();
    if (count != nullptr) *count = *made;
    return {};
  });
}

}  // extern "C"
