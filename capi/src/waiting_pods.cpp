// Pods that wait for Permit plugins. Any thread.
#include "handles.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

// WaitingPods has its own lock; only the other services are limited to one thread.
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
    if (count == 0) return Error{Rc::kInvalid, "a pod waits for at least one plugin: `count` is 0"};
    std::vector<PermitWait> list;
    for (size_t i = 0; i < count; ++i)
      list.push_back({std::string(in(waits[i].plugin)), waits[i].timeout_ns});
    unwrap(services)->waiting_pods().add(PodRef::share(unwrap(pod)), std::move(list),
                                         unwrap(services)->clock_ref());
    return {};
  });
}

libsched_rc libsched_services_find_waiting_pod(const libsched_services* services, libsched_str uid,
                                               libsched_waiting_pod** result,
                                               libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, services, result);
  return guarded(error, [&]() -> Result<void> {
    std::shared_ptr<WaitingPod> found = waiting_pods(services).get(in(uid));
    if (!found)
      return Error{Rc::kNotFound, "no pod with the uid \"" + std::string(in(uid)) + "\" waits"};
    *result = own(new WaitingPodObject(std::move(found)));
    return {};
  });
}
libsched_rc libsched_services_waiting_pods(const libsched_services* services,
                                           libsched_waiting_pod** result, size_t capacity,
                                           size_t* count, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, services, count);
  LIBSCHED_REQUIRE(error, result != nullptr || capacity == 0);
  return guarded(error, [&]() -> Result<void> {
    std::vector<std::shared_ptr<WaitingPod>> all = waiting_pods(services).all();
    std::vector<Ref<WaitingPodObject>> made;
    for (size_t i = 0; i < all.size() && i < capacity; ++i)
      made.push_back(make_ref<WaitingPodObject>(all[i]));
    for (size_t i = 0; i < made.size(); ++i) result[i] = own(made[i].release());
    *count = all.size();
    return {};
  });
}
bool libsched_services_reject_waiting_pod(libsched_services* services, libsched_str uid) {
  return live(services) &&
         quietly(false, [&] { return unwrap(services)->waiting_pods().reject(in(uid)); });
}

const libsched_pod* libsched_waiting_pod_pod(const libsched_waiting_pod* waiting) {
  return !live(waiting) ? nullptr : wrap(&unwrap(waiting)->waiting->pod());
}
size_t libsched_waiting_pod_pending(const libsched_waiting_pod* waiting, libsched_str* result,
                                    size_t capacity) {
  if (!live(waiting)) return 0;
  const WaitingPodObject& object = *unwrap(waiting);
  size_t count = 0;
  for (const std::string& plugin : object.plugins) {  // plugins are never added later
    if (!object.waiting->pending(plugin)) continue;
    if (result != nullptr && count < capacity) result[count] = out(plugin);
    ++count;
  }
  return count;
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
  std::optional<Status> decision;
  const bool copied = quietly(false, [&] {
    decision = unwrap(waiting)->waiting->decided();
    return true;
  });
  if (copied && !decision) return false;
  if (live(status)) {
    unwrap(status)->assign(Status());
    unwrap(status)->write([&](Status& s) {
      if (!copied) throw std::bad_alloc();  // only a decided status needs memory
      s = std::move(*decision);
    });
  }
  return true;
}

}  // extern "C"
