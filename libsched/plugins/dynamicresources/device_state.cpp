// See device_state.hpp.
#include "libsched/plugins/dynamicresources/device_state.hpp"

namespace libsched {

std::shared_ptr<const DeviceState> DeviceStates::of(const View& view) {
  const ObjectStore& objects = view.objects();
  const uint64_t slices = objects.stamp(StoredKind::kResourceSlice);
  const uint64_t claims = objects.stamp(StoredKind::kResourceClaim);
  const uint64_t rules = features_.taint_rules ? objects.stamp(StoredKind::kDeviceTaintRule) : 0;
  const std::lock_guard lock(mutex_);
  for (const Known& k : known_)
    if (k.slices == slices && k.rules == rules && k.claims == claims) return k.state;
  auto made = std::make_shared<DeviceState>();
  const auto keep = [&](const Object& o) { made->objects.push_back(ObjectRef::share(&o)); };
  std::vector<const ResourceSlice*> all;
  objects.for_each<ResourceSlice>([&](const ResourceSlice& s) {
    keep(s);
    all.push_back(&s);
  });
  made->slices = DeviceSlices(std::move(all));
  if (features_.taint_rules)
    objects.for_each<DeviceTaintRule>([&](const DeviceTaintRule& r) {
      keep(r);
      made->rules.push_back(&r);
    });
  objects.for_each<ResourceClaim>([&](const ResourceClaim& c) {
    if (!c.allocation) return;
    keep(c);
    made->in_use.add(*c.allocation, features_.consumable_capacity);
  });
  if (known_.size() == kKept) known_.erase(known_.begin());
  known_.push_back({slices, rules, claims, made});
  return made;
}

}  // namespace libsched
