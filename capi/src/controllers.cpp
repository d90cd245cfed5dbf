// What the controllers of workloads make, and admission.
#include "libsched/scheduler/control_plane/admission.hpp"
#include "libsched/scheduler/control_plane/claims.hpp"
#include "libsched/scheduler/control_plane/daemon_pods.hpp"

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
  return hand_over(error, result,
                   [&] { return daemon_pod(*unwrap(pod_template), in(node_name), in(name)); });
}

libsched_rc libsched_missing_claims(const libsched_view* view, const libsched_pod* pod,
                                    libsched_objects** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, view, pod, result);
  return hand_over(error, result, [&]() -> Result<Ref<Objects>> {
    const Result<MissingClaims> made = missing_claims(*unwrap(view), PodRef::share(unwrap(pod)));
    if (!made.ok()) return made.error();
    Ref<Objects> objects = make_ref<Objects>();
    for (const Ref<PersistentVolumeClaim>& claim : made->volumes)
      objects->set.stored.push_back({StoredKind::kPersistentVolumeClaim, ObjectRef(claim)});
    for (const Ref<ResourceClaim>& claim : made->devices)
      objects->set.stored.push_back({StoredKind::kResourceClaim, ObjectRef(claim)});
    return objects;
  });
}
libsched_rc libsched_pod_with_claims(const libsched_view* view, const libsched_pod* pod,
                                     libsched_pod** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, view, pod, result);
  return hand_over(error, result, [&]() -> Result<PodRef> {
    Result<MissingClaims> made = missing_claims(*unwrap(view), PodRef::share(unwrap(pod)));
    if (!made.ok()) return std::move(made.error());
    return std::move(made->pod);
  });
}

libsched_rc libsched_admit_objects(const libsched_view* view, const libsched_objects* objects,
                                   libsched_objects** result, libsched_text** report,
                                   libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, view, objects, result);
  return hand_over(error, result, [&] {
    AdmissionReport said;
    Ref<Objects> made = make_ref<Objects>();
    made->set = admitted(*unwrap(view), unwrap(objects)->set, &said);
    if (report != nullptr) *report = own(new Text(report_json(said)));
    return made;
  });
}
libsched_rc libsched_admit_pod(const libsched_view* view, const libsched_pod* pod,
                               libsched_pod** result, libsched_text** report,
                               libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, view, pod, result);
  return hand_over(error, result, [&] {
    AdmissionReport said;
    const Admission admission(*unwrap(view));
    PodRef made = admission.pod(PodRef::share(unwrap(pod)), "Pod", &said);
    if (report != nullptr) *report = own(new Text(report_json(said)));
    return made;
  });
}

}  // extern "C"
