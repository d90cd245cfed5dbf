// The hints of upstream's noderesources/fit.go.
#include "libsched/plugins/noderesources/requeue.hpp"

#include <algorithm>

#include "libsched/plugins/hints.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/plugins/noderesources/amounts.hpp"

namespace libsched {
namespace {

bool names(const Pod& pod, Str resource) {
  return std::any_of(pod.requests.scalars.begin(), pod.requests.scalars.end(),
                     [&](const ScalarAmount& s) { return s.name == resource; });
}

// Upstream starts from 0 and keeps the maximum.
int64_t used(int64_t value) { return std::max<int64_t>(value, 0); }

}  // namespace

bool frees_resources(const Pod& pod, const Pod& other, const Pod* after, bool deferred) {
  if (after == nullptr) return has_node(other);
  if (!deferred && same_pod(pod, *after)) return true;
  if (after->spec.node_name.empty()) return false;
  const Resources &asked = pod.occupied, &was = other.occupied, &is = after->occupied;
  const auto less = [](int64_t ask, int64_t a, int64_t b) { return ask != 0 && used(a) > used(b); };
  return less(asked.milli_cpu, was.milli_cpu, is.milli_cpu) ||
         less(asked.memory, was.memory, is.memory) ||
         less(asked.ephemeral_storage, was.ephemeral_storage, is.ephemeral_storage) ||
         std::any_of(asked.scalars.begin(), asked.scalars.end(), [&](const ScalarAmount& s) {
           return less(s.value, scalar_in(was, s.name), scalar_in(is, s.name));
         });
}

bool gains_room(const View& view, const Pod& pod, const Node* before, const Node& after,
                bool device_resources) {
  const Resources &ask = pod.requests, &has = after.allocatable;
  const auto by_devices = [&](Str name) {
    return device_resources && scalar_in(has, name) <= 0 && may_be_device_resource(view, name);
  };
  if (has.pods < 1) return false;
  if ((ask.milli_cpu > 0 && ask.milli_cpu > has.milli_cpu) ||
      (ask.memory > 0 && ask.memory > has.memory) ||
      (ask.ephemeral_storage > 0 && ask.ephemeral_storage > has.ephemeral_storage))
    return false;
  for (const ScalarAmount& s : ask.scalars)
    if (s.value != 0 && !by_devices(s.name) && s.value > scalar_in(has, s.name)) return false;
  if (before == nullptr) return true;
  const Resources& had = before->allocatable;
  return has.pods > had.pods || (ask.milli_cpu > 0 && has.milli_cpu > had.milli_cpu) ||
         (ask.memory > 0 && has.memory > had.memory) ||
         (ask.ephemeral_storage > 0 && has.ephemeral_storage > had.ephemeral_storage) ||
         std::any_of(ask.scalars.begin(), ask.scalars.end(), [&](const ScalarAmount& s) {
           return s.value != 0 &&
                  (scalar_in(has, s.name) > scalar_in(had, s.name) || by_devices(s.name));
         });
}

bool gains_device_class(const Pod& pod, const DeviceClass* before, const DeviceClass& after) {
  const Str name = after.extended_resource_name.value_or(Str());
  if (before == nullptr) {
    if (names(pod, "deviceclass.resource.kubernetes.io/" + std::string(after.meta.name)))
      return true;
  } else if (before->extended_resource_name.value_or(Str()) == name) {
    return false;
  }
  return after.extended_resource_name && names(pod, name);
}

}  // namespace libsched
