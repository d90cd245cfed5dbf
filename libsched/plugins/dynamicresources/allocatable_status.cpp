// See allocatable_status.hpp.
#include "libsched/plugins/dynamicresources/allocatable_status.hpp"

#include <algorithm>
#include <utility>

#include "libsched/base/big_decimal.hpp"
#include "libsched/ingest/write/json_text.hpp"

namespace libsched {
namespace {

// The digits of a decimal number without its point, and the power of ten that they count.
std::pair<BigNatural, int64_t> parts_of(const Quantity& q) {
  std::string digits;
  int64_t exponent = 0;
  bool point = false;
  const std::string text = q.to_string();
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == 'e') {
      exponent += std::stoll(text.substr(i + 1));
      break;
    }
    if (c == '.') point = true;
    if (c < '0' || c > '9') continue;
    digits += c;
    if (point) --exponent;
  }
  return {BigNatural::from_digits(digits.data(), digits.size()), exponent};
}

Quantity product(const Quantity& a, const Quantity& b) {
  const auto [left, left_exponent] = parts_of(a);
  const auto [right, right_exponent] = parts_of(b);
  BigNatural digits;
  for (size_t i = right.limbs.size(); i-- > 0;) {
    BigNatural part = left;
    part.multiply(right.limbs[i]);
    digits.shift_left(9);
    digits.add(part);
  }
  const bool negative = a.sign() * b.sign() < 0;
  const std::string text = (negative ? "-" : "") + digits.to_string() + "e" +
                           std::to_string(left_exponent + right_exponent);
  const Result<Quantity> out = Quantity::parse(text);
  return out.ok() ? *out : Quantity();
}

// The place of a resource in a sorted list; a new one is empty.
template <typename T>
T& entry_of(std::vector<T>& list, Str resource, bool* added = nullptr) {
  auto at = std::lower_bound(list.begin(), list.end(), resource,
                             [](const T& item, Str name) { return item.resource < name; });
  const bool there = at != list.end() && at->resource == resource;
  if (added != nullptr) *added = !there;
  if (!there) at = list.insert(at, T{.resource = resource});
  return *at;
}

const Amount* find_consumed(const AllocatedDevice& device, Str capacity) {
  for (const NamedAmount& a : device.consumed_capacity)
    if (a.name == capacity) return &a.amount;
  return nullptr;
}

// Adds up what the devices of one claim take.
class Takes {
 public:
  Takes(const AllocatedClaim& claim, const AllocatedDevices& devices, ClaimTake& out)
      : claim_(claim), devices_(devices), out_(out) {}

  Result<void> add(const AllocatedDevice& device) {
    const Device* const found = devices_.find(device);
    if (found == nullptr) {
      std::string why = about(device);
      if (devices_.overheads()) why += ", driver " + std::string(device.driver);
      why += ": " + missing_text(device);
      return Error{Rc::kInvalid, std::move(why)};
    }
    for (const AllocatableUse& use : devices_.uses(*found)) {
      if (use.mapped) LIBSCHED_TRY(add_mapping(device, use));
      if (use.per_pod || use.per_container) add_overhead(use);
    }
    return {};
  }

 private:
  std::string about(const AllocatedDevice& device) const {
    return "claim " + std::string(claim_.claim->meta.ns) + "/" +
           std::string(claim_.claim->meta.name) + ", device " + std::string(device.device);
  }
  std::string missing_text(const AllocatedDevice& device) const {
    const std::string name = "device " + std::string(device.device);
    if (devices_.hidden(device)) return name + " does not match node";
    const std::string where = name + " not found in pool " + std::string(device.pool);
    return devices_.overheads() ? where + " for driver " + std::string(device.driver) : where;
  }

  Result<void> add_mapping(const AllocatedDevice& device, const AllocatableUse& use) {
    const bool sums = devices_.overheads();
    if (use.capacity.empty()) {
      if (use.per_device)
        put(use.resource, *use.per_device);
      else if (!sums)
        put(use.resource, Amount());
      return {};
    }
    // A share has a list of capacities even if it consumes none.
    if (device.consumed_capacity.empty() && !(claim_.fresh && device.share_id))
      return Error{Rc::kInvalid,
                   about(device) + ": ConsumedCapacity is nil, but Capacity key '" +
                       std::string(use.capacity) + "' is set in " +
                       (sums ? "NodeAllocatableResources" : "NodeAllocatableResourceMappings") +
                       " for resource " + std::string(use.resource)};
    const Amount* const consumed = find_consumed(device, use.capacity);
    if (consumed == nullptr) return {};
    const bool multiplies =
        use.per_unit && (!sums || use.per_unit->compare(Quantity::from_int(1)) != 0);
    if (!multiplies) {
      put(use.resource, *consumed);
      return {};
    }
    Amount amount;
    static_cast<Quantity&>(amount) = product(*consumed, *use.per_unit);
    amount.written = consumed->written;
    put(use.resource, amount, /*computed=*/true);
    return {};
  }

  void put(Str resource, const Amount& amount, bool computed = false) {
    bool added = false;
    TakenAmount& total = entry_of(out_.mapped, resource, &added).amount;
    if (added && !devices_.overheads())
      total = {amount, amount.written, computed};
    else
      total.add(amount);
  }

  void add_overhead(const AllocatableUse& use) {
    ClaimTake::Overhead& total = entry_of(out_.overheads, use.resource);
    const auto add = [](std::optional<TakenAmount>& to, const std::optional<Amount>& more) {
      if (!more) return;
      if (to)
        to->add(*more);
      else
        to = TakenAmount{*more, more->written, false};
    };
    add(total.per_pod, use.per_pod);
    add(total.per_container, use.per_container);
  }

  const AllocatedClaim& claim_;
  const AllocatedDevices& devices_;
  ClaimTake& out_;
};

// The name of the claim that an entry of the pod stands for, or "".
Str claim_of_entry(const Pod& pod, const PodResourceClaim& entry) {
  if (entry.has_claim_name) return entry.claim_name;
  for (const ResourceClaimStatus& s : pod.status.resource_claims)
    if (s.name == entry.name) return s.claim_name;
  return {};
}

// The containers that use the claim, in upstream's order.
std::vector<Str> users_of(const Pod& pod, const ResourceClaim& claim) {
  std::vector<Str> out;
  const auto names_it = [&](Str entry) {
    Str named;  // of entries with the same name the last one counts
    for (const PodResourceClaim& e : pod.spec.resource_claims)
      if (e.name == entry) named = claim_of_entry(pod, e);
    return !named.empty() && named == claim.meta.name;
  };
  for (const Span<Container>& list : {pod.spec.init_containers, pod.spec.containers})
    for (const Container& c : list)
      for (const Str entry : c.claims)
        if (names_it(entry)) out.push_back(c.name);
  return out;
}

void write_take(JsonText& json, const ClaimTake& take, bool overheads) {
  json.field("resourceClaimName", take.claim->meta.name);
  json.strings_if("containers", {take.containers.data(), take.containers.size()});
  if (!overheads) {
    json.object("resources", [&] {
      for (const ClaimTake::Mapped& m : take.mapped) json.field(m.resource, m.amount.text());
    });
    return;
  }
  const auto optional = [&](Str name, const std::optional<TakenAmount>& amount) {
    if (amount) json.field(name, amount->text());
  };
  json.objects_if("mapping", Span<ClaimTake::Mapped>(take.mapped.data(), take.mapped.size()),
                  [&](const ClaimTake::Mapped& m) {
                    json.field("name", m.resource);
                    json.field("quantity", m.amount.text());
                  });
  json.objects_if("overhead",
                  Span<ClaimTake::Overhead>(take.overheads.data(), take.overheads.size()),
                  [&](const ClaimTake::Overhead& o) {
                    json.field("name", o.resource);
                    optional("perPod", o.per_pod);
                    optional("perContainer", o.per_container);
                  });
}

}  // namespace

void TakenAmount::add(const Amount& more) {
  if (quantity.is_zero()) like = more.written;
  quantity.add(more);
  summed = true;
}

std::string TakenAmount::text() const {
  return summed ? computed_quantity(quantity, like) : canonical_quantity(quantity, like);
}

Quantity ClaimTake::of_container(Str resource) const {
  Quantity out;
  for (const Mapped& m : mapped)
    if (m.resource == resource) out.add(m.amount.quantity);
  for (const Overhead& o : overheads) {
    if (o.resource != resource) continue;
    if (o.per_pod) out.add(o.per_pod->quantity);
    if (o.per_container) out.add(o.per_container->quantity);
  }
  return out;
}

bool AllocatedDevices::sees(const ResourceSlice& slice) const {
  if (node_ == nullptr || !overheads_ || slice.per_device_node_selection) return true;
  return there(slice.node_name, slice.all_nodes, slice.node_selector);
}

bool AllocatedDevices::there(Str node_name, bool all_nodes, const NodeSelector& selector) const {
  if (!node_name.empty() && node_name == node_->meta.name) return true;
  return all_nodes || (selector.present && node_selector_error(selector).empty() &&
                       node_selector_matches(selector, node_->meta.labels, node_->meta.name));
}

std::pair<const ResourceSlice*, const Device*> AllocatedDevices::place_of(
    const AllocatedDevice& wanted) const {
  std::pair<const ResourceSlice*, const Device*> out{};
  slices_.for_each_in(wanted.pool, [&](const ResourceSlice& slice) {
    if (out.second != nullptr || (overheads_ && slice.driver != wanted.driver) || !sees(slice))
      return;
    for (const Device& d : slice.devices)
      if (out.second == nullptr && d.name == wanted.device) out = {&slice, &d};
  });
  return out;
}

bool AllocatedDevices::hidden(const AllocatedDevice& wanted) const {
  const auto [slice, device] = place_of(wanted);
  return device != nullptr && overheads_ && node_ != nullptr && slice->per_device_node_selection &&
         !there(device->node_name, device->all_nodes, device->node_selector);
}

const Device* AllocatedDevices::find(const AllocatedDevice& wanted) const {
  return hidden(wanted) ? nullptr : place_of(wanted).second;
}

Result<ClaimTakes> takes_of(const Pod& pod, const std::vector<AllocatedClaim>& claims,
                            const AllocatedDevices& devices) {
  std::vector<ClaimTake> out;
  bool any = false;
  for (size_t i = 0; i < claims.size(); ++i) {
    const AllocatedClaim& claim = claims[i];
    const auto results = claim.allocation->results;
    const bool takes = std::any_of(results.begin(), results.end(), [&](const AllocatedDevice& d) {
      const Device* const found = devices.find(d);
      return found != nullptr && !devices.uses(*found).empty();
    });
    // Of a claim that the pod names twice, the last allocation counts.
    const bool again = std::any_of(claims.begin() + static_cast<ptrdiff_t>(i) + 1, claims.end(),
                                   [&](const AllocatedClaim& c) { return c.claim == claim.claim; });
    if (!takes || again) continue;
    any = true;
    ClaimTake take;
    take.claim = claim.claim;
    Takes sums(claim, devices, take);
    for (const AllocatedDevice& d : results) LIBSCHED_TRY(sums.add(d));
    if (take.mapped.empty() && take.overheads.empty()) continue;
    take.containers = users_of(pod, *claim.claim);
    out.push_back(std::move(take));
  }
  std::stable_sort(out.begin(), out.end(), [](const ClaimTake& a, const ClaimTake& b) {
    return a.claim->meta.name < b.claim->meta.name;
  });
  return any ? ClaimTakes(std::move(out)) : std::nullopt;
}

Ref<const AllocatableClaimList> status_of_takes(const std::vector<ClaimTake>& takes,
                                                bool overheads) {
  const Ref<AllocatableClaimList> out = make_ref<AllocatableClaimList>();
  std::vector<AllocatableClaim> claims;
  JsonText json;
  json.open('[');
  for (const ClaimTake& take : takes) {
    json.object([&] { write_take(json, take, overheads); });
    std::vector<NamedQuantity> amounts;
    for (const ClaimTake::Mapped& m : take.mapped)
      amounts.push_back({out->arena.copy(m.resource), m.amount.quantity});
    for (const ClaimTake::Overhead& o : take.overheads) {
      Quantity total = o.per_pod ? o.per_pod->quantity : Quantity();
      for (size_t i = 0; o.per_container && i < take.containers.size(); ++i)
        total.add(o.per_container->quantity);
      amounts.push_back({out->arena.copy(o.resource), total});
    }
    AllocatableClaim& claim = claims.emplace_back();
    claim.claim = out->arena.copy(take.claim->meta.name);
    (overheads ? claim.mapped : claim.resources) = out->arena.copy(amounts);
  }
  json.close(']');
  out->claims = out->arena.copy(claims);
  out->json = json.take();
  return out;
}

Ref<const AllocatableClaimList> no_takes(bool overheads) {
  const Ref<AllocatableClaimList> out = make_ref<AllocatableClaimList>();
  out->json = overheads ? "[]" : "null";
  return out;
}

}  // namespace libsched
