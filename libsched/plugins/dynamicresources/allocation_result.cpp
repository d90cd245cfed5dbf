// See allocation_result.hpp.
#include "libsched/plugins/dynamicresources/allocation_result.hpp"

#include <algorithm>
#include <cstdio>

#include "libsched/plugins/dynamicresources/capacity.hpp"

namespace libsched {
namespace {

Span<Str> own_texts(Arena& arena, Span<Str> texts) {
  std::vector<Str> out;
  for (const Str t : texts) out.push_back(arena.copy(t));
  return arena.copy(out);
}

Span<DeviceToleration> own_tolerations(Arena& arena, Span<DeviceToleration> tolerations) {
  std::vector<DeviceToleration> out;
  for (const DeviceToleration& t : tolerations)
    out.push_back({arena.copy(t.key), arena.copy(t.op), arena.copy(t.value), arena.copy(t.effect),
                   t.seconds});
  return arena.copy(out);
}

Requirement own_requirement(Arena& arena, const Requirement& r) {
  Requirement out = r;
  out.key = arena.copy(r.key);
  out.op_text = arena.copy(r.op_text);
  out.values = own_texts(arena, r.values);
  return out;
}

// FNV-1a with a final mix: the same in every process.
uint64_t fixed_hash(Span<Str> texts, uint64_t h) {
  for (const Str text : texts) {
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    h = (h ^ 0xff) * 0x100000001b3ULL;
  }
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
  return h ^ (h >> 31);
}

// The identifier of the share that a claim's result of this index is: a UUID of version 4, which no
// other share has. Upstream draws it by chance; here an allocation can be repeated. The version of
// the claim tells an allocation from one that it had before and has lost.
Str share_id(Arena& arena, const ResourceClaim& claim, const AllocatedDevice& d, size_t entry,
             size_t index) {
  const std::string number = std::to_string(entry) + "/" + std::to_string(index);
  const ObjectMeta& meta = claim.meta;
  const Str texts[] = {meta.ns,  meta.name, meta.uid, meta.resource_version,
                       d.driver, d.pool,    d.device, number};
  const uint64_t a = fixed_hash(texts, 0xcbf29ce484222325ULL), b = fixed_hash(texts, a);
  char text[40];
  const int n = std::snprintf(
      text, sizeof text, "%08x-%04x-4%03x-%04x-%012llx", static_cast<unsigned>(a >> 32),
      static_cast<unsigned>(a >> 16 & 0xffff), static_cast<unsigned>(a & 0xfff),
      static_cast<unsigned>(b >> 48 & 0x3fff) | 0x8000U,
      static_cast<unsigned long long>(b & 0xffffffffffff));
  return arena.copy(Str(text, static_cast<size_t>(n)));
}

Span<AllocatedDevice> results_of(Arena& arena, const ResourceClaim& claim, size_t entry,
                                 const std::vector<PickedDevice>& picked,
                                 const DeviceFeatures& features) {
  std::vector<AllocatedDevice> out;
  for (const PickedDevice& p : picked) {
    AllocatedDevice& d = out.emplace_back();
    d.request = arena.copy(p.ask->full_name());
    d.driver = arena.copy(p.slice->driver);
    d.pool = arena.copy(p.slice->pool);
    d.device = arena.copy(p.device->name);
    if (p.ask->what->admin_access) d.admin_access = true;
    if (!features.behaviours.no_result_tolerations)
      d.tolerations = own_tolerations(arena, p.ask->what->tolerations);
    if (features.binding_conditions) {
      d.binding_conditions = own_texts(arena, p.device->binding_conditions);
      d.binding_failure_conditions = own_texts(arena, p.device->binding_failure_conditions);
    }
    if (!p.shared) continue;
    d.share_id = share_id(arena, claim, d, entry, out.size());
    std::vector<NamedAmount> consumed;
    for (const DeviceCapacity& c : p.device->capacity) {
      Amount amount = consumed_of(c, find_amount(p.ask->what->capacity, c.name), features);
      amount.written = arena.copy(amount.written);
      consumed.push_back({arena.copy(c.name), amount});
    }
    d.consumed_capacity = arena.copy(consumed);
  }
  return arena.copy(out);
}

DeviceConfiguration own_configuration(Arena& arena, const DeviceConfiguration& c, Str source) {
  DeviceConfiguration out = c;
  out.source = source;
  out.requests = own_texts(arena, c.requests);
  out.driver = arena.copy(c.driver);
  out.parameters = arena.copy(c.parameters);
  return out;
}

// Whether a configuration that names these requests concerns this one.
bool concerns(Span<Str> requests, const DeviceAsk& ask) {
  const auto has = [&](Str name) {
    return std::find(requests.begin(), requests.end(), name) != requests.end();
  };
  return has(ask.request) || (ask.is_alternative && has(ask.full_name()));
}

// Each class's configurations once, for all requests with the class; then those of the claim, once
// for each request that they name. `once`: see Behaviours::configures_once.
Span<DeviceConfiguration> configurations_of(Arena& arena, const ResourceClaim& claim,
                                            const std::vector<const DeviceAsk*>& asks, bool once) {
  std::vector<DeviceConfiguration> out;
  for (size_t i = 0; i < asks.size(); ++i) {
    const DeviceClass* const device_class = asks[i]->device_class;
    const auto same = [&](const DeviceAsk* other) { return other->device_class == device_class; };
    const auto here = asks.begin() + static_cast<ptrdiff_t>(i);
    if (std::any_of(asks.begin(), here, same)) continue;
    std::vector<Str> names;
    for (auto at = here; at != asks.end(); ++at)
      if (same(*at)) names.push_back(arena.copy((*at)->full_name()));
    for (const DeviceConfiguration& c : device_class->config) {
      out.push_back(own_configuration(arena, c, "FromClass"));
      out.back().requests = arena.copy(names);
    }
  }
  for (const DeviceConfiguration& c : claim.spec.config) {
    if (c.requests.empty()) out.push_back(own_configuration(arena, c, "FromClaim"));
    for (const DeviceAsk* ask : asks) {
      if (!concerns(c.requests, *ask)) continue;
      out.push_back(own_configuration(arena, c, "FromClaim"));
      if (once) break;
    }
  }
  if (once)
    for (DeviceConfiguration& c : out)
      if (std::all_of(asks.begin(), asks.end(),
                      [&](const DeviceAsk* ask) { return concerns(c.requests, *ask); }))
        c.requests = {};
  return arena.copy(out);
}

bool same_requirement(const Requirement& a, const Requirement& b) {
  const auto within = [](Span<Str> x, Span<Str> y) {
    return std::all_of(x.begin(), x.end(),
                       [&](Str v) { return std::find(y.begin(), y.end(), v) != y.end(); });
  };
  return a.key == b.key && a.op_text == b.op_text && within(a.values, b.values) &&
         within(b.values, a.values);
}

void add_new(std::vector<Requirement>& all, Span<Requirement> more) {
  for (const Requirement& r : more)
    if (std::none_of(all.begin(), all.end(),
                     [&](const Requirement& other) { return same_requirement(r, other); }))
      all.push_back(r);
}

NodeSelector one_term(Arena& arena, const std::vector<Requirement>& expressions,
                      const std::vector<Requirement>& fields) {
  const auto own = [&](const std::vector<Requirement>& requirements) {
    std::vector<Requirement> out;
    for (const Requirement& r : requirements) out.push_back(own_requirement(arena, r));
    return arena.copy(out);
  };
  NodeSelector out;
  const NodeSelectorTerm term[] = {{own(expressions), own(fields)}};
  out.present = true;
  out.terms = arena.copy(term, 1);
  return out;
}

// Where a device may be used: on one node, or on the nodes of a selector.
struct Place {
  Place(const PickedDevice& p, const DeviceFeatures& features)
      : local((p.device->binds_to_node && !features.stable_allocator()) ||
              !(p.slice->per_device_node_selection ? p.device->node_name : p.slice->node_name)
                   .empty()),
        selector(p.slice->per_device_node_selection ? p.device->node_selector
                                                    : p.slice->node_selector) {}
  const bool local;
  const NodeSelector& selector;
};

// The nodes on which all devices can be used.
NodeSelector selector_of(Arena& arena, const std::vector<PickedDevice>& picked, Str node_name,
                         const DeviceFeatures& features) {
  std::vector<Requirement> expressions, fields;
  for (const PickedDevice& p : picked) {
    const Place place(p, features);
    if (place.local) {
      Requirement local;
      const Str values[] = {node_name};
      local.key = "metadata.name";
      local.op = SelectorOp::kIn;
      local.op_text = "In";
      local.values = values;
      local.values_present = true;
      local.key_hash = hash_str(local.key);
      return one_term(arena, {}, {local});
    }
    if (place.selector.terms.empty()) continue;
    add_new(fields, place.selector.terms[0].match_fields);
    add_new(expressions, place.selector.terms[0].match_expressions);
  }
  if (expressions.empty() && fields.empty()) return NodeSelector();
  return one_term(arena, expressions, fields);
}

}  // namespace

Result<void> check_selectable(const ResourceClaim& claim, const std::vector<PickedDevice>& picked,
                              const DeviceFeatures& features) {
  for (const PickedDevice& p : picked) {
    const Place place(p, features);
    if (place.local) return {};
    if (place.selector.terms.size() > 1)
      return invalid({}, "create NodeSelector for claim " + std::string(claim.meta.name) +
                             ": unsupported ResourceSlice.NodeSelector with " +
                             std::to_string(place.selector.terms.size()) + " terms");
  }
  return {};
}

NewAllocationRef make_allocation(const ResourceClaim& claim, size_t entry,
                                 const std::vector<PickedDevice>& picked,
                                 const std::vector<const DeviceAsk*>& asks, Str node_name,
                                 const DeviceFeatures& features) {
  const Ref<NewAllocation> made = make_ref<NewAllocation>();
  made->allocation.results = results_of(made->arena, claim, entry, picked, features);
  made->allocation.config =
      configurations_of(made->arena, claim, asks, features.behaviours.configures_once);
  made->allocation.node_selector = selector_of(made->arena, picked, node_name, features);
  return made;
}

}  // namespace libsched
