// See device_facts.hpp. What lasts comes before what may change: a device that no selector chooses
// is not called in use.
#include "libsched/plugins/dynamicresources/device_facts.hpp"

#include <algorithm>

#include "libsched/plugins/dynamicresources/capacity.hpp"
#include "libsched/plugins/dynamicresources/taints.hpp"

namespace libsched {
namespace {

// Of each group so many devices are named.
constexpr size_t kMostNames = 8;

std::string taint_text(const DeviceTaint& taint) {
  std::string out(taint.key);
  if (!taint.value.empty()) out.append("=").append(taint.value);
  return out.append(":").append(taint.effect);
}

// Why the devices of a pool are not there for the node; null: they are.
const char* problem_of(const DevicePool& pool) {
  if (pool.incomplete) return "incomplete pool";
  if (pool.invalid) return "invalid pool";
  return pool.outdated ? "outdated pool" : nullptr;
}

Fact& about(const ResourceClaim& claim, Str request, Str reason, Facts* facts) {
  return facts->add(reason)
      .key("resourceClaim", claim.meta.ns, claim.meta.name)
      .text("request", request);
}

// The claims up to a request, in copies: those before it, and its own up to this request.
ResourceClaimRef cut_after(const ResourceClaim& claim, size_t request) {
  const Ref<ResourceClaim> out = copy_resource_claim(claim);
  out->spec.requests = out->spec.requests.first(request + 1);
  return out;
}

}  // namespace

DeviceFacts::DeviceFacts(const AllocatorInput& input, const View& view)
    : input_(input), view_(view), offers_(input.features.behaviours.counters_by_driver) {
  view.objects().for_each<ResourceClaim>([&](const ResourceClaim& c) {
    if (!c.allocation) return;
    claims_.push_back(ResourceClaimRef::share(&c));
    for (const AllocatedDevice& d : c.allocation->results)
      if (!d.admin_access.value_or(false)) holders_.emplace(d.id(), &c);
  });
}

void DeviceFacts::Answer::add(Obstacle why, std::string device) {
  const auto at =
      std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.why == why; });
  Group& group = at != groups.end() ? *at : groups.emplace_back(Group{std::move(why), {}});
  group.devices.push_back(std::move(device));
}

DeviceFacts::Obstacle DeviceFacts::unselected(Span<DeviceSelector> selectors,
                                              const ResourceSlice& slice, const Device& device) {
  for (const DeviceSelector& s : selectors) {
    const SelectorMemory::Answer answer = selectors_->match(s.expression, slice, device);
    if (answer.match == cel::Match::kNo)
      return {"selector", "selector", std::string(s.expression), true};
    if (answer.match == cel::Match::kError)
      return {"selector fails",
              "selector",
              std::string(s.expression),
              true,
              {{"error", *answer.error}}};
  }
  return {};
}

DeviceFacts::Obstacle DeviceFacts::unselected(const Ask& ask, const ResourceSlice& slice,
                                              const Device& device) {
  if (const DeviceClass* c = input_.class_of(ask.what.device_class))
    if (Obstacle o = unselected(c->selectors, slice, device); o.problem) return o;
  return unselected(ask.what.selectors, slice, device);
}

DeviceFacts::Obstacle DeviceFacts::short_counter(const DevicePool& pool, const Device& device) {
  for (const CounterOffers::Counter& offer : offers_.of(pool, *input_.in_use)) {
    Quantity sum = offer.taken;
    for (const DeviceCounters& taken : device.consumes)
      if (taken.set == offer.set)
        if (const Quantity* amount = find_quantity(taken.counters, offer.name)) sum.add(*amount);
    if (sum.compare(offer.offered) <= 0) continue;
    Quantity left = offer.offered;
    left.subtract(offer.taken);
    return {"counters",
            "counter",
            std::string(offer.set).append("/").append(offer.name),
            false,
            {{"left", left.to_string()}, {"offered", offer.offered.to_string()}}};
  }
  return {};
}

DeviceFacts::Obstacle DeviceFacts::obstacle(const TargetNode& node, const DevicePool& pool,
                                            const ResourceSlice& slice, const Device& device,
                                            const Ask& ask) {
  const DeviceFeatures& features = input_.features;
  const DeviceId id = pool.id_of(device);
  if (Obstacle o = unselected(ask, slice, device); o.problem) return o;
  if (slice.per_device_node_selection) {
    const Result<bool> here =
        node_matches(node, device.node_name, device.all_nodes, device.node_selector);
    if (!here.ok() || !*here) return {"node", nullptr, {}, true};
  }
  if (!features.binding_conditions && !device.binding_conditions.empty())
    return {"binding conditions", nullptr, {}, true};
  const CapacityAmounts* const shares = input_.in_use->capacity(id);
  if (features.consumable_capacity) {
    if (const std::optional<Str> lacks =
            short_capacity(device, ask.what.capacity, shares, nullptr, features))
      return {"capacity", "capacity", std::string(*lacks), true};
  }
  if (!ask.what.admin_access && input_.in_use->whole(id)) {
    const auto holder = holders_.find(id);
    if (holder == holders_.end()) return {"in use", nullptr, {}};
    const ObjectMeta& meta = holder->second->meta;
    return {"in use", "usedBy", std::string(meta.ns).append("/").append(meta.name)};
  }
  if (!device.consumes.empty()) {
    if (!features.partitionable) return {"counters", nullptr, {}};
    const bool has_share = features.consumable_capacity && device.allow_multiple_allocations &&
                           input_.in_use->shared(id, !features.behaviours.shares_keep_counters);
    if (!has_share)
      if (Obstacle o = short_counter(pool, device); o.problem) return o;
  }
  if (features.taints)
    if (const DeviceTaint* t = preventing_taint(id, device, input_.rules, ask.what.tolerations))
      return {"taint", "taint", taint_text(*t)};
  return {};
}

bool DeviceFacts::add(const TargetNode& node, const std::vector<const DevicePool*>& pools,
                      const Ask& ask, Str reason, Facts* facts) {
  Answer found;
  bool blocked = false;
  for (const DevicePool* pool : pools) {
    if (const char* const problem = problem_of(*pool))
      found.add({problem,
                 "pool",
                 std::string(pool->driver).append("/").append(pool->name),
                 true,
                 {},
                 pool},
                {});
    for (const ResourceSlice* slice : pool->slices)
      for (const Device& device : slice->devices) {
        ++found.seen;
        Obstacle why = obstacle(node, *pool, *slice, device, ask);
        if (why.problem == nullptr) {
          ++found.suitable;
          continue;
        }
        blocked |= !why.lasting;
        found.add(std::move(why), device_text(pool->id_of(device)));
      }
  }
  const bool all = ask.what.allocation_mode == "All";
  Fact& fact = about(ask.claim, ask.name, reason, facts);
  if (!all) fact.number("wanted", ask.what.count);
  fact.number("seen", found.seen).number("suitable", found.suitable);
  const bool enough = all ? found.suitable > 0 && !blocked : found.suitable >= ask.what.count;
  if (enough) return true;
  tell(ask, found.groups, reason, facts);
  return false;
}

void DeviceFacts::tell(const Ask& ask, const std::vector<Group>& groups, Str reason,
                       Facts* facts) const {
  for (const Group& g : groups) {
    Fact& detail = about(ask.claim, ask.name, reason, facts).text("problem", g.why.problem);
    if (g.why.field != nullptr) detail.text(g.why.field, g.why.detail);
    for (const auto& [name, value] : g.why.more) detail.text(name, value);
    if (g.why.pool != nullptr) {
      add_slices(*g.why.pool, &detail);
      continue;
    }
    const size_t named = std::min(g.devices.size(), kMostNames);
    detail.number("count", static_cast<int64_t>(g.devices.size()))
        .texts("devices", std::vector<Str>(g.devices.begin(),
                                           g.devices.begin() + static_cast<ptrdiff_t>(named)));
  }
}

// The slices that the newest generation of a pool has, and should have.
void DeviceFacts::add_slices(const DevicePool& pool, Fact* fact) const {
  int64_t generation = -1, there = 0, wanted = 0;
  view_.objects().for_each<ResourceSlice>([&](const ResourceSlice& s) {
    if (s.driver != pool.driver || s.pool != pool.name || s.generation < generation) return;
    if (s.generation > generation) there = 0;
    generation = s.generation;
    wanted = s.slice_count;
    ++there;
  });
  fact->number("generation", generation).number("slices", there).number("wantedSlices", wanted);
  if (pool.outdated) fact->number("nodeGeneration", pool.generation);
}

void DeviceFacts::add_failures(const NodePools& pools, SelectorMemory& selectors,
                               std::span<const ResourceClaim* const> claims, Str reason,
                               Facts* facts) {
  selectors_ = &selectors;
  const auto add = [&](const Ask& ask) {
    Answer found;
    for (const DevicePool* pool : pools.pools)
      for (const ResourceSlice* slice : pool->slices)
        for (const Device& device : slice->devices)
          if (Obstacle o = unselected(ask, *slice, device);
              o.problem != nullptr && o.problem == Str("selector fails"))
            found.add(std::move(o), device_text(pool->id_of(device)));
    tell(ask, found.groups, reason, facts);
  };
  for (const ResourceClaim* claim : claims)
    for (const DeviceRequest& r : claim->spec.requests) {
      if (r.exact) add({*claim, r.exactly, std::string(r.name)});
      for (const DeviceRequirement& a : r.first_available)
        add({*claim, a, std::string(r.name).append("/").append(a.name)});
    }
}

void DeviceFacts::add(const TargetNode& node, const NodePools& pools, SelectorMemory& selectors,
                      std::span<const ResourceClaim* const> claims, const Search& search,
                      Str reason, Facts* facts) {
  selectors_ = &selectors;
  const bool known = pools.error.empty();
  bool each = known;
  for (const ResourceClaim* claim : claims) {
    if (!known || claim->spec.requests.empty())
      facts->add(reason).key("resourceClaim", claim->meta.ns, claim->meta.name);
    if (!known) continue;
    for (const DeviceRequest& r : claim->spec.requests) {
      bool has = r.exact &&
                 add(node, pools.pools, {*claim, r.exactly, std::string(r.name)}, reason, facts);
      for (const DeviceRequirement& a : r.first_available)
        has |= add(node, pools.pools, {*claim, a, std::string(r.name).append("/").append(a.name)},
                   reason, facts);
      each &= has;
    }
  }
  if (!each) return;
  std::vector<const ResourceClaim*> some;
  for (const ResourceClaim* claim : claims) {
    some.push_back(claim);
    for (size_t r = 0; r < claim->spec.requests.size(); ++r) {
      const ResourceClaimRef cut = cut_after(*claim, r);
      some.back() = cut.get();
      if (search(some)) continue;
      about(*claim, claim->spec.requests[r].name, reason, facts).text("problem", "together");
      return;
    }
    some.back() = claim;
  }
}

}  // namespace libsched
