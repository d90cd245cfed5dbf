// See device_state.hpp.
#include "libsched/plugins/dynamicresources/device_state.hpp"

#include <tuple>

namespace libsched {
namespace {

// Whether the same devices, shares and capacities are in use by both.
bool same_use(const ClaimAllocation& a, const ClaimAllocation& b) {
  const auto same_amount = [](const NamedAmount& x, const NamedAmount& y) {
    return x.name == y.name && x.amount.compare(y.amount) == 0;
  };
  return std::equal(a.results.begin(), a.results.end(), b.results.begin(), b.results.end(),
                    [&](const AllocatedDevice& x, const AllocatedDevice& y) {
                      return x.id() == y.id() &&
                             x.admin_access.value_or(false) == y.admin_access.value_or(false) &&
                             x.share_id.has_value() == y.share_id.has_value() &&
                             std::equal(x.consumed_capacity.begin(), x.consumed_capacity.end(),
                                        y.consumed_capacity.begin(), y.consumed_capacity.end(),
                                        same_amount);
                    });
}

std::shared_ptr<const DeviceInventory> take_inventory(const ObjectStore& objects,
                                                      const DeviceFeatures& features) {
  auto made = std::make_shared<DeviceInventory>();
  const auto keep = [&](const Object& o) { made->objects.push_back(ObjectRef::share(&o)); };
  std::vector<const ResourceSlice*> all;
  objects.for_each<ResourceSlice>([&](const ResourceSlice& s) {
    keep(s);
    all.push_back(&s);
  });
  made->slices = DeviceSlices(std::move(all), features);
  if (features.taint_rules)
    objects.for_each<DeviceTaintRule>([&](const DeviceTaintRule& r) {
      if (features.behaviours.rules_need_selector && !r.has_selector) return;
      keep(r);
      made->rules.push_back(&r);
    });
  return made;
}

}  // namespace

ClaimTracker::ClaimTracker(std::shared_ptr<const DeviceInventory> inventory,
                           std::shared_ptr<DeviceMemory> memory, const DeviceFeatures& features)
    : features_(features) {
  state_.versions.resize(inventory->slices.pool_count());
  state_.inventory = std::move(inventory);
  state_.memory = std::move(memory);
}

void ClaimTracker::forget_all() {
  claims_.clear();
  state_.in_use = {};
  ++latest_;
  std::fill(state_.versions.begin(), state_.versions.end(), latest_);
}

void ClaimTracker::touch(const ClaimAllocation& allocation) {
  for (const AllocatedDevice& d : allocation.results) {
    const uint32_t pool = state_.slices().index_of(d.driver, d.pool);
    if (pool != kNoId) state_.versions[pool] = ++latest_;
  }
}

void ClaimTracker::replace(const ResourceClaim* before, const ResourceClaim* after) {
  const ClaimAllocation* const old =
      before != nullptr && before->allocation ? &*before->allocation : nullptr;
  const ClaimAllocation* const fresh =
      after != nullptr && after->allocation ? &*after->allocation : nullptr;
  if (old != nullptr && fresh != nullptr && same_use(*old, *fresh)) return;
  if (old != nullptr) {
    touch(*old);
    state_.in_use.remove(*old, features_.consumable_capacity);
  }
  if (fresh != nullptr) {
    touch(*fresh);
    state_.in_use.add(*fresh, features_.consumable_capacity, ObjectRef::share(after));
  }
}

// Both lists of claims are in the order of namespace and name, so one walk finds the differences.
std::shared_ptr<const DeviceState> ClaimTracker::follow(const ObjectStore& objects) {
  now_.clear();
  objects.for_each<ResourceClaim>([&](const ResourceClaim& c) { now_.push_back(&c); });
  if (!whole_) forget_all();
  whole_ = false;
  const auto key = [](const ResourceClaim& c) { return std::tie(c.meta.ns, c.meta.name); };
  std::vector<ResourceClaimRef> merged;  // if claims came or went
  bool moved = false;
  size_t at = 0;
  const auto keep = [&](const ResourceClaim* claim) {
    if (moved) merged.push_back(ResourceClaimRef::share(claim));
  };
  const auto move_on = [&] {
    if (moved) return;
    moved = true;
    merged.reserve(now_.size());
    merged.assign(claims_.begin(), claims_.begin() + static_cast<ptrdiff_t>(at));
  };
  for (const ResourceClaim* claim : now_) {
    while (at < claims_.size() && claims_[at].get() != claim && key(*claims_[at]) < key(*claim)) {
      move_on();
      replace(claims_[at++].get(), nullptr);
    }
    if (at < claims_.size() && claims_[at].get() == claim) {
      keep(claim);
      ++at;
    } else if (at < claims_.size() && key(*claims_[at]) == key(*claim)) {
      replace(claims_[at].get(), claim);
      keep(claim);
      if (!moved) claims_[at] = ResourceClaimRef::share(claim);
      ++at;
    } else {
      move_on();
      replace(nullptr, claim);
      keep(claim);
    }
  }
  if (at < claims_.size()) move_on();
  while (at < claims_.size()) replace(claims_[at++].get(), nullptr);
  if (moved) claims_ = std::move(merged);
  whole_ = true;
  return std::make_shared<DeviceState>(state_);
}

std::unique_ptr<DeviceMemory> DeviceStates::new_memory(const DeviceInventory& inventory) const {
  return std::make_unique<DeviceMemory>(inventory.slices, compilers_(), list_attributes_);
}

ClaimTracker& DeviceStates::tracker_of(const ObjectStore& objects, uint64_t slices,
                                       uint64_t rules) {
  const auto found = std::find_if(followed_.begin(), followed_.end(), [&](const Followed& f) {
    return f.slices == slices && f.rules == rules;
  });
  if (found != followed_.end()) {
    std::rotate(found, found + 1, followed_.end());  // the last one stays longest
    return *followed_.back().tracker;
  }
  auto inventory = take_inventory(objects, features_);
  std::shared_ptr<DeviceMemory> memory = new_memory(*inventory);
  auto tracker = std::make_unique<ClaimTracker>(std::move(inventory), std::move(memory), features_);
  if (followed_.size() == kKept) followed_.erase(followed_.begin());
  followed_.push_back({slices, rules, std::move(tracker)});
  return *followed_.back().tracker;
}

std::shared_ptr<const DeviceState> DeviceStates::of(const View& view) {
  const ObjectStore& objects = view.objects();
  const uint64_t slices = objects.stamp(StoredKind::kResourceSlice);
  const uint64_t claims = objects.stamp(StoredKind::kResourceClaim);
  const uint64_t rules = features_.taint_rules ? objects.stamp(StoredKind::kDeviceTaintRule) : 0;
  const std::lock_guard lock(mutex_);
  for (const Known& k : known_)
    if (k.slices == slices && k.rules == rules && k.claims == claims) return k.state;
  std::shared_ptr<const DeviceState> made = tracker_of(objects, slices, rules).follow(objects);
  if (known_.size() == kKept) known_.erase(known_.begin());
  known_.push_back({slices, rules, claims, made});
  return made;
}

}  // namespace libsched
