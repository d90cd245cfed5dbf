// What a search settles before it begins: the requests and their classes, the devices of requests
// for all devices, the constraints; and which devices a request may have.
#include <algorithm>

#include "libsched/base/wrapping.hpp"
#include "libsched/plugins/dynamicresources/capacity.hpp"
#include "libsched/plugins/dynamicresources/search.hpp"

namespace libsched {

std::string claim_key(const ResourceClaim& claim) {
  return claim.meta.ns.empty() ? std::string(claim.meta.name)
                               : std::string(claim.meta.ns) + "/" + std::string(claim.meta.name);
}

namespace {

// What upstream adds to the error of a selector that reads what a device does not have.
constexpr const char* kKeyAdvice =
    ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check with "
    "has() for optional fields";

std::string request_text(const ResourceClaim& claim, Str request) {
  return "claim " + claim_key(claim) + ", request " + std::string(request);
}

}  // namespace

// `device_class`: whose selectors they are; null: the claim's.
Result<bool> DeviceSearch::selectors_match(Span<DeviceSelector> selectors,
                                           const ResourceClaim& claim,
                                           const DeviceClass* device_class,
                                           const ResourceSlice& slice, const Device& device) const {
  for (size_t i = 0; i < selectors.size(); ++i) {
    const SelectorMemory::Answer answer = selectors_.match(selectors[i].expression, slice, device);
    if (answer.match == cel::Match::kError) {
      const bool named = answer.compiles && input_.features.behaviours.device_in_selector_error;
      return invalid(
          {},
          (device_class != nullptr ? "class " + std::string(device_class->meta.name)
                                   : "claim " + claim_key(claim)) +
              ": selector #" + std::to_string(i) +
              (named ? " on device " + device_text({slice.driver, slice.pool, device.name})
                     : std::string()) +
              ": " + *answer.error +
              (named && answer.error->find("no such key:") != std::string::npos ? kKeyAdvice : ""));
    }
    if (answer.match == cel::Match::kNo) return false;
  }
  return true;
}

Result<bool> DeviceSearch::selectable(const ResourceClaim& claim, const DeviceAsk& ask,
                                      const ResourceSlice& slice, const Device& device) const {
  if (!input_.features.binding_conditions && !device.binding_conditions.empty()) return false;
  const DeviceClass& device_class = *ask.device_class;
  const Result<bool> by_class =
      selectors_match(device_class.selectors, claim, &device_class, slice, device);
  if (!by_class.ok() || !*by_class) return by_class;
  const Result<bool> by_request =
      selectors_match(ask.what->selectors, claim, nullptr, slice, device);
  if (!by_request.ok() || !*by_request) return by_request;
  if (!slice.per_device_node_selection) return true;
  return node_matches(node_, device.node_name, device.all_nodes, device.node_selector);
}

// Whether the device has the capacity for the ask beside its shares.
bool DeviceSearch::suffices(const DeviceAsk& ask, const Device& device, const DeviceId& id) const {
  if (!input_.features.consumable_capacity) return true;
  if (device.capacity.empty() && ask.what->capacity.empty()) return true;
  const auto shares = shares_.find(id);
  if (shares == shares_.end())
    return capacity_suffices(device, ask.what->capacity, input_.in_use->capacity(id), nullptr,
                             input_.features);
  CapacityAmounts allocating;
  for (const DeviceAsk* share : shares->second)
    for (const DeviceCapacity& c : device.capacity)
      allocating.add(c.name,
                     consumed_of(c, find_amount(share->what->capacity, c.name), input_.features));
  return capacity_suffices(device, ask.what->capacity, input_.in_use->capacity(id), &allocating,
                           input_.features);
}

// Whether the device would have the capacity for the ask if it had no shares.
bool DeviceSearch::has_capacity(const DeviceAsk& ask, const Device& device) const {
  return !input_.features.consumable_capacity ||
         capacity_suffices(device, ask.what->capacity, nullptr, nullptr, input_.features);
}

// For Behaviours::exact_capacity. `name` is how the text of an error names the device.
Result<void> DeviceSearch::check_capacity(const ResourceClaim& claim, const DeviceAsk& ask,
                                          const Device& device, const std::string& name) const {
  if (!input_.features.consumable_capacity) return {};
  const std::string error = capacity_error(device, ask.what->capacity, input_.features);
  if (error.empty()) return {};
  return invalid({}, request_text(claim, ask.name()) + ": checking capacity for device " + name +
                         ": " + error);
}

// The devices of a request for all: every one that is selectable, in use or not.
Result<void> DeviceSearch::collect_all(const ResourceClaim& claim, Ask& ask) {
  const Behaviours& behaviours = input_.features.behaviours;
  for (const DevicePool* at : pools_) {
    const DevicePool& pool = *at;
    if (pool.incomplete || pool.invalid)
      return invalid({}, request_text(claim, ask.name()) +
                             ": asks for all devices, but resource pool " +
                             std::string(pool.driver) + "/" + std::string(pool.name) +
                             " is currently " + (pool.incomplete ? "being updated" : "invalid"));
    for (const ResourceSlice* slice : pool.slices)
      for (const Device& device : slice->devices) {
        const Result<bool> ok = selectable(claim, ask, *slice, device);
        if (!ok.ok()) return ok.error();
        const DeviceId id = pool.id_of(device);
        if (!*ok) continue;
        if (behaviours.exact_capacity)
          LIBSCHED_TRY(check_capacity(claim, ask, device, std::string(device.name)));
        const bool enough =
            behaviours.all_needs_capacity ? has_capacity(ask, device) : suffices(ask, device, id);
        if (enough) ask.devices.push_back({&pool, slice, &device, id});
      }
  }
  ask.count = static_cast<int64_t>(ask.devices.size());
  return {};
}

Result<void> DeviceSearch::check_ask(const ResourceClaim& claim, Ask& ask) {
  const DeviceRequirement& what = *ask.what;
  const auto text = [&] { return request_text(claim, ask.name()); };
  for (size_t i = 0; i < what.selectors.size(); ++i)
    if (!what.selectors[i].cel)
      return invalid({}, text() + ", selector #" + std::to_string(i) +
                             ": CEL expression empty (unsupported selector type?)");
  if (!input_.features.admin_access && what.admin_access)
    return invalid({}, text() + ": admin access is requested, but the feature is disabled");
  if (what.device_class.empty())
    return invalid({}, text() + ": missing device class name (unsupported request type?)");
  ask.device_class = input_.class_of(what.device_class);
  if (ask.device_class == nullptr)
    return invalid({}, text() + ": could not retrieve device class " +
                           std::string(what.device_class) + ": deviceclass.resource.k8s.io \"" +
                           std::string(what.device_class) + "\" not found");
  ask.all = what.allocation_mode == "All";
  if (ask.all) return collect_all(claim, ask);
  if (what.allocation_mode != "ExactCount")
    return invalid({}, text() + ": unsupported count mode " + std::string(what.allocation_mode));
  ask.count = what.count;
  return {};
}

Result<void> DeviceSearch::check_request(const ResourceClaim& claim, const DeviceRequest& request,
                                         Request& out) {
  const DeviceFeatures& features = input_.features;
  out.has_alternatives = !request.first_available.empty();
  if (!features.prioritized_list && out.has_alternatives)
    return invalid({}, request_text(claim, request.name) +
                           ": has subrequests, but the DRAPrioritizedList feature is disabled");
  if (!features.consumable_capacity && !features.stable_allocator()) {
    const auto refused = [&](const std::string& of) {
      return invalid({}, "claim " + claim_key(claim) + ", " + of +
                             ": has capacity requests, but the DRAConsumableCapacity feature is "
                             "disabled");
    };
    if (request.exact && request.exactly.has_capacity)
      return refused("request " + std::string(request.name));
    for (const DeviceRequirement& alternative : request.first_available)
      if (alternative.has_capacity)
        return refused(features.experimental_allocator
                           ? "request " + std::string(request.name)
                           : "subrequest " + std::string(alternative.name));
  }
  const auto add = [&](const DeviceRequirement& what, Str alternative) -> Result<void> {
    Ask& ask = out.asks.emplace_back();
    ask.what = &what;
    ask.request = request.name;
    ask.alternative = alternative;
    ask.is_alternative = out.has_alternatives;
    return check_ask(claim, ask);
  };
  if (!out.has_alternatives) return add(request.exactly, {});
  for (const DeviceRequirement& alternative : request.first_available)
    LIBSCHED_TRY(add(alternative, alternative.name));
  return {};
}

Result<void> DeviceSearch::check_claims() {
  plans_.resize(claims_.size());
  for (size_t c = 0; c < claims_.size(); ++c) {
    const ResourceClaim& claim = *claims_[c];
    Claim& plan = plans_[c];
    int64_t fewest = 0;
    plan.requests.resize(claim.spec.requests.size());
    for (size_t r = 0; r < plan.requests.size(); ++r) {
      Request& request = plan.requests[r];
      LIBSCHED_TRY(check_request(claim, claim.spec.requests[r], request));
      const auto least =
          std::min_element(request.asks.begin(), request.asks.end(),
                           [](const Ask& a, const Ask& b) { return a.count < b.count; });
      if (input_.features.behaviours.limit_by_request &&
          least->count > wrapping_sub(kMostDevices, fewest))
        return invalid({}, request_text(claim, claim.spec.requests[r].name) + ": adding " +
                               std::to_string(least->count) +
                               " devices exceeds the claim limit of " +
                               std::to_string(kMostDevices) + ", with " + std::to_string(fewest) +
                               " already accounted for");
      if (__builtin_add_overflow(fewest, least->count, &fewest)) fewest = INT64_MAX;
    }
    if (fewest > kMostDevices)
      return invalid({}, "claim " + claim_key(claim) + ": number of requested devices " +
                             std::to_string(fewest) + " exceeds the claim limit of " +
                             std::to_string(kMostDevices));
    for (size_t i = 0; i < claim.spec.constraints.size(); ++i) {
      const DeviceConstraint& constraint = claim.spec.constraints[i];
      const bool distinct = constraint.distinct_attribute && !input_.features.stable_allocator();
      if (!constraint.match_attribute && !distinct)
        return invalid({}, "claim " + claim_key(claim) + ", constraint #" + std::to_string(i) +
                               ": empty constraint (unsupported constraint type?)");
      plan.constraints.emplace_back(constraint, input_.features.behaviours.distinct_in_request);
    }
  }
  return {};
}

}  // namespace libsched
