// See pools.hpp.
#include "libsched/plugins/dynamicresources/pools.hpp"

#include <algorithm>
#include <set>

namespace libsched {
namespace {

using Slices = std::vector<const ResourceSlice*>;

// Requirements as Go prints them.
void append_requirements(std::string& out, Span<Requirement> requirements) {
  out += "[]NodeSelectorRequirement{";
  for (const Requirement& r : requirements) {
    out.append("NodeSelectorRequirement{Key:").append(r.key).append(",Operator:").append(r.op_text);
    out += ",Values:[";
    for (size_t i = 0; i < r.values.size(); ++i) out.append(i == 0 ? "" : " ").append(r.values[i]);
    out += "],},";
  }
  out += "},";
}

std::string go_text(const NodeSelector& selector) {
  std::string out = "&NodeSelector{NodeSelectorTerms:[]NodeSelectorTerm{";
  for (const NodeSelectorTerm& t : selector.terms) {
    out += "NodeSelectorTerm{MatchExpressions:";
    append_requirements(out, t.match_expressions);
    out += "MatchFields:";
    append_requirements(out, t.match_fields);
    out += "},";
  }
  return out + "},}";
}

// Whether the devices take only counters that the sets have.
bool counters_known(const std::vector<const DeviceCounters*>& sets, const Slices& slices) {
  const auto known = [&](const DeviceCounters& taken) {
    const auto set = std::find_if(sets.begin(), sets.end(),
                                  [&](const DeviceCounters* s) { return s->set == taken.set; });
    return set != sets.end() &&
           std::all_of(taken.counters.begin(), taken.counters.end(), [&](const NamedQuantity& c) {
             return find_quantity((*set)->counters, c.name) != nullptr;
           });
  };
  for (const ResourceSlice* slice : slices)
    for (const Device& d : slice->devices)
      if (!std::all_of(d.consumes.begin(), d.consumes.end(), known)) return false;
  return true;
}

// The name of the first device that is there twice, or null.
const Str* duplicate_device(const Slices& slices) {
  std::set<Str> names;
  for (const ResourceSlice* slice : slices)
    for (const Device& d : slice->devices)
      if (!names.insert(d.name).second) return &d.name;
  return nullptr;
}

bool by_name(const ResourceSlice* a, const ResourceSlice* b) { return a->meta.name < b->meta.name; }

}  // namespace

std::string device_text(const DeviceId& id) {
  return std::string(id.driver).append("/").append(id.pool).append("/").append(id.device);
}

Result<bool> node_matches(const TargetNode& node, Str node_name, bool all_nodes,
                          const NodeSelector& selector) {
  if (!node_name.empty()) return node.name == node_name;
  if (all_nodes) return true;
  if (!selector.present) return false;
  const std::string error = node_selector_error(selector);
  if (!error.empty())
    return invalid({}, "failed to parse node selector " + go_text(selector) + ": " + error);
  return node_selector_matches(selector, node.labels, node.name);
}

Result<std::optional<bool>> is_relevant(const ResourceSlice& slice, const TargetNode& node,
                                        const DeviceFeatures& features) {
  using Answer = std::optional<bool>;
  if (relevant_everywhere(slice, features)) return Answer(true);
  if (!slice.node_name.empty() || slice.all_nodes || slice.node_selector.present) {
    const Result<bool> match =
        node_matches(node, slice.node_name, slice.all_nodes, slice.node_selector);
    if (!match.ok())
      return invalid({}, "failed to perform node selection for slice " +
                             std::string(slice.meta.name) + ": " + match.error().message);
    return Answer(*match);
  }
  if (!slice.per_device_node_selection) return Answer();
  for (const Device& d : slice.devices) {
    const Result<bool> match = node_matches(node, d.node_name, d.all_nodes, d.node_selector);
    if (!match.ok())
      return invalid({}, "failed to perform node selection for device " + std::string(d.name) +
                             " in slice " + std::string(slice.meta.name) + ": " +
                             match.error().message);
    if (*match) return Answer(true);
  }
  return Answer(false);
}

bool has_binding_conditions(const DevicePool& pool) {
  for (const ResourceSlice* slice : pool.slices)
    for (const Device& d : slice->devices)
      if (!d.binding_conditions.empty()) return true;
  return false;
}

void build_pool(DevicePool& pool, Slices slices, const Slices* all,
                const DeviceFeatures& features) {
  std::stable_sort(slices.begin(), slices.end(), by_name);
  const auto counts = [&](const ResourceSlice* s) {
    return features.partitionable && !s->shared_counters.empty();
  };
  Slices counting;
  for (const ResourceSlice* s : slices) (counts(s) ? counting : pool.slices).push_back(s);
  if (features.partitionable && all != nullptr && all->size() > slices.size())
    for (const ResourceSlice* s : *all)
      if (std::find(slices.begin(), slices.end(), s) == slices.end())
        (counts(s) ? counting : pool.other_slices).push_back(s);
  const auto check = [&] {
    if (const Str* name = duplicate_device(pool.slices)) {
      pool.duplicate = *name;
      return false;
    }
    if (!features.partitionable) return true;
    for (const ResourceSlice* s : counting)
      for (const DeviceCounters& set : s->shared_counters) {
        for (const DeviceCounters* other : pool.counter_sets)
          if (other->set == set.set) return false;
        pool.counter_sets.push_back(&set);
      }
    return counters_known(pool.counter_sets,
                          features.counters_have_nodes() ? pool.slices : slices) &&
           counters_known(pool.counter_sets, pool.other_slices);
  };
  pool.invalid = !check();
  if (!pool.invalid) return;
  pool.slices.clear();
  pool.other_slices.clear();
  pool.counter_sets.clear();
}

}  // namespace libsched
