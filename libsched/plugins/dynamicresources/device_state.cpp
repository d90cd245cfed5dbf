// See device_state.hpp.
#include "libsched/plugins/dynamicresources/device_state.hpp"

namespace libsched {

std::shared_ptr<const DeviceInventory> DeviceStates::inventory_of(const ObjectStore& objects,
                                                                  uint64_t slices,
                                                                  uint64_t rules) const {
  for (const Known& k : known_)
    if (k.slices == slices && k.rules == rules) return k.state->inventory;
  auto made = std::make_shared<DeviceInventory>();
  const auto keep = [&](const Object& o) { made->objects.push_back(ObjectRef::share(&o)); };
  std::vector<const ResourceSlice*> all;
  objects.for_each<ResourceSlice>([&](const ResourceSlice& s) {
    keep(s);
    all.push_back(&s);
  });
  made->slices = DeviceSlices(std::move(all), features_);
  if (features_.taint_rules)
    objects.for_each<DeviceTaintRule>([&](const DeviceTaintRule& r) {
      keep(r);
      made->rules.push_back(&r);
    });
  return made;
}

std::shared_ptr<const DeviceState> DeviceStates::of(const View& view) {
  const ObjectStore& objects = view.objects();
  const uint64_t slices = objects.stamp(StoredKind::kResourceSlice);
  const uint64_t claims = objects.stamp(StoredKind::kResourceClaim);
  const uint64_t rules = features_.taint_rules ? objects.stamp(StoredKind::kDeviceTaintRule) : 0;
  const std::lock_guard lock(mutex_);
  for (const Known& k : known_)
    if (k.slices == slices && k.rules == rules && k.claims == claims) return k.state;
  auto made = std::make_shared<DeviceState>();
  made->inventory = inventory_of(objects, slices, rules);
  objects.for_each<ResourceClaim>([&](const ResourceClaim& c) {
    if (!c.allocation) return;
    made->claims.push_back(ResourceClaimRef::share(&c));
    made->in_use.add(*c.allocation, features_.consumable_capacity);
  });
  if (known_.size() == kKept) known_.erase(known_.begin());
  known_.push_back({slices, rules, claims, made});
  return made;
}

}  // namespace libsched
