// Pods that Permit lets wait. Any thread.
#include <nlohmann/json.hpp>

#include "handles.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

// WaitingPods locks by itself; only other parts of the services want one thread.
WaitingPods& waiting_pods(const libsched_services* services) {
  return const_cast<Services*>(unwrap(services))->waiting_pods();
}

}  // namespace

extern "C" {

libsched_rc libsched_services_add_waiting_pod(libsched_services* services, const libsched_pod* pod,
                                              const libsched_permit_wait* waits, size_t count,
                                              libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, services, pod);
  LIBSCHED_REQUIRE(error, waits != nullptr || count == 0);
  return guarded(error, [&]() -> Result<void> {
    if (count == 0)
      return Error{Rc::kInvalid, "a pod waits for at least one plugin: `count` is 0", {}, {}};
    std::vector<PermitWait> list;
    for (size_t i = 0; i < count; ++i)
      list.push_back({std::string(in(waits[i].plugin)), waits[i].timeout_ns});
    unwrap(services)->waiting_pods().add(PodRef::share(unwrap(pod)), std::move(list),
                                         unwrap(services)->clock_ref());
    return {};
  });
}

libsched_waiting_pod* libsched_services_get_waiting_pod(const libsched_services* services,
                                                        libsched_str uid) {
  if (!live(services)) return nullptr;
  return quietly(static_cast<libsched_waiting_pod*>(nullptr), [&]() -> libsched_waiting_pod* {
    std::shared_ptr<WaitingPod> found = waiting_pods(services).get(in(uid));
    return found ? own(new WaitingPodObject(std::move(found))) : nullptr;
  });
}
size_t libsched_services_waiting_pods(const libsched_services* services, libsched_waiting_pod** out,
                                      size_t capacity) {
  if (!live(services)) return 0;
  return quietly(size_t{0}, [&] {
    std::vector<std::shared_ptr<WaitingPod>> all = waiting_pods(services).all();
    std::vector<Ref<WaitingPodObject>> made;
    for (size_t i = 0; out != nullptr && i < all.size() && i < capacity; ++i)
      made.push_back(make_ref<WaitingPodObject>(all[i]));
    for (size_t i = 0; i < made.size(); ++i) out[i] = own(made[i].release());
    return all.size();
  });
}
bool libsched_services_reject_waiting_pod(libsched_services* services, libsched_str uid) {
  return live(services) &&
         quietly(false, [&] { return unwrap(services)->waiting_pods().reject(in(uid)); });
}

void libsched_waiting_pod_unref(libsched_waiting_pod* waiting) { release(waiting); }
const libsched_pod* libsched_waiting_pod_pod(const libsched_waiting_pod* waiting) {
  return !live(waiting) ? nullptr : wrap(&unwrap(waiting)->waiting->pod());
}
libsched_rc libsched_waiting_pod_pending_json(const libsched_waiting_pod* waiting,
                                              libsched_text** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, waiting, result);
  return guarded(error, [&]() -> Result<void> {
    const nlohmann::json names = unwrap(waiting)->waiting->pending_plugins();
    *result = own(new Text(names.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
    return {};
  });
}
void libsched_waiting_pod_allow(libsched_waiting_pod* waiting, libsched_str plugin) {
  if (!live(waiting)) return;
  quietly(false, [&] {
    unwrap(waiting)->waiting->allow(in(plugin));
    return true;
  });
}
bool libsched_waiting_pod_reject(libsched_waiting_pod* waiting, libsched_str plugin,
                                 libsched_str message) {
  return live(waiting) &&
         quietly(false, [&] { return unwrap(waiting)->waiting->reject(in(plugin), in(message)); });
}
bool libsched_waiting_pod_preempt(libsched_waiting_pod* waiting, libsched_str plugin,
                                  libsched_str message) {
  return live(waiting) &&
         quietly(false, [&] { return unwrap(waiting)->waiting->preempt(in(plugin), in(message)); });
}
bool libsched_waiting_pod_decided(libsched_waiting_pod* waiting, libsched_status* status) {
  if (!live(waiting)) return false;
  return quietly(false, [&] {
    std::optional<Status> decision = unwrap(waiting)->waiting->decided();
    if (decision && live(status)) unwrap(status)->status = std::move(*decision);
    return decision.has_value();
  });
}

}  // extern "C"
