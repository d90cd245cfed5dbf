// What the controllers of workloads make.
#include "libsched/scheduler/claims.hpp"
#include "libsched/scheduler/daemon_pods.hpp"

#include "handles.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

extern "C" {

bool libsched_daemon_wants(const libsched_view* view, uint32_t row,
                           const libsched_pod* pod_template) {
  return live(view) && live(pod_template) &&
         daemon_wants(*unwrap(view), row, *unwrap(pod_template));
}
libsched_rc libsched_daemon_pod(const libsched_pod* pod_template, libsched_str node_name,
                                libsched_str name, libsched_pod** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, pod_template);
  LIBSCHED_REQUIRE(error, result != nullptr);
  return guarded(error, [&]() -> Result<void> {
    *result = own(daemon_pod(*unwrap(pod_template), in(node_name), in(name)).release());
    return {};
  });
}

libsched_rc libsched_missing_claims(const libsched_view* view, const libsched_pod* pod,
                                    libsched_objects** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, view, pod, result);
  return guarded(error, [&]() -> Result<void> {
    const Result<MissingClaims> made = missing_claims(*unwrap(view), PodRef::share(unwrap(pod)));
    if (!made.ok()) return made.error();
    Ref<Objects> objects = make_ref<Objects>();
    for (const Ref<PersistentVolumeClaim>& claim : made->volumes)
      objects->set.stored.push_back({StoredKind::kPersistentVolumeClaim, ObjectRef(claim)});
    for (const Ref<ResourceClaim>& claim : made->devices)
      objects->set.stored.push_back({StoredKind::kResourceClaim, ObjectRef(claim)});
    *result = own(objects.release());
    return {};
  });
}
libsched_rc libsched_pod_with_claims(const libsched_view* view, const libsched_pod* pod,
                                     libsched_pod** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, view, pod, result);
  return guarded(error, [&]() -> Result<void> {
    Result<MissingClaims> made = missing_claims(*unwrap(view), PodRef::share(unwrap(pod)));
    if (!made.ok()) return std::move(made.error());
    *result = own(give(std::move(made->pod)));
    return {};
  });
}

}  // extern "C"
