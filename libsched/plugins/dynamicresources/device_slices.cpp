// See device_slices.hpp.
#include "libsched/plugins/dynamicresources/device_slices.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "libsched/base/id_table.hpp"

namespace libsched {
namespace {

// Of generations, only the newest that is relevant counts.
void offer(std::vector<const ResourceSlice*>& slices, const ResourceSlice* slice) {
  if (!slices.empty() && slice->generation < slices[0]->generation) return;
  if (!slices.empty() && slice->generation > slices[0]->generation) slices.clear();
  slices.push_back(slice);
}

bool counts(const ResourceSlice& slice) { return !slice.shared_counters.empty(); }

}  // namespace

DeviceSlices::DeviceSlices(Slices all, const DeviceFeatures& features) : features_(features) {
  std::sort(all.begin(), all.end(), [](const ResourceSlice* a, const ResourceSlice* b) {
    return std::tie(a->driver, a->pool, a->meta.name) < std::tie(b->driver, b->pool, b->meta.name);
  });
  for (const ResourceSlice* s : all) {
    if (pools_.empty() || pools_.back().driver != s->driver || pools_.back().name != s->pool)
      pools_.push_back({s->driver, s->pool, {}});
    pools_.back().slices.push_back(s);
  }
  for (uint32_t i = 0; i < pools_.size(); ++i) index(i);
  depends_on_order_ = !counters_agree();
  std::stable_sort(others_.begin(), others_.end(), [](const auto& a, const auto& b) {
    return a.second->meta.name < b.second->meta.name;
  });
}

uint32_t DeviceSlices::index_of(Str driver, Str pool) const {
  const auto at = std::lower_bound(pools_.begin(), pools_.end(), std::tie(driver, pool),
                                   [](const Whole& p, const std::tuple<Str&, Str&>& wanted) {
                                     return std::tie(p.driver, p.name) < wanted;
                                   });
  if (at == pools_.end() || at->driver != driver || at->name != pool) return kNoId;
  return static_cast<uint32_t>(at - pools_.begin());
}

bool DeviceSlices::hidden(const ResourceSlice& slice) const {
  if (!features_.behaviours.hides_compatibility_groups) return false;
  for (const Device& d : slice.devices)
    for (const DeviceCounters& c : d.consumes)
      if (!c.compatibility_groups.empty()) return true;
  return false;
}

bool DeviceSlices::counters_agree() const {
  if (!features_.partitionable) return true;
  std::map<Str, size_t> names;
  for (const Whole& pool : pools_) ++names[pool.name];
  return std::all_of(pools_.begin(), pools_.end(), [&](const Whole& pool) {
    if (std::none_of(pool.slices.begin(), pool.slices.end(),
                     [](const ResourceSlice* s) { return counts(*s); }))
      return true;
    const ResourceSlice& first = *pool.slices[0];
    return (names[pool.name] == 1 || features_.behaviours.counters_by_driver) &&
           first.slice_count == static_cast<int64_t>(pool.slices.size()) &&
           std::all_of(pool.slices.begin(), pool.slices.end(), [&](const ResourceSlice* s) {
             return s->generation == first.generation && s->slice_count == first.slice_count;
           });
  });
}

void DeviceSlices::index(uint32_t pool) {
  std::set<Str> nodes;
  Slices counting;
  for (const ResourceSlice* s : pools_[pool].slices) {
    if (!usable(*s)) continue;
    if (!everywhere(*s) && s->node_name.empty()) {  // for this pool each node is asked by itself
      for (const ResourceSlice* each : pools_[pool].slices)
        if (usable(*each)) others_.emplace_back(pool, each);
      return;
    }
    if (everywhere(*s))
      counting.push_back(s);
    else
      nodes.insert(s->node_name);
  }
  for (const Str node : nodes) {
    Slices relevant;
    for (const ResourceSlice* s : pools_[pool].slices)
      if (usable(*s) && !everywhere(*s) && s->node_name == node) offer(relevant, s);
    for (const ResourceSlice* s : counting) offer(relevant, s);
    of_node_[node].emplace_back(pool, &ready_.emplace_back(finish(pool, std::move(relevant))));
  }
  // Other nodes see no devices of it, only that it is not whole.
  Slices relevant;
  for (const ResourceSlice* s : counting) offer(relevant, s);
  if (relevant.empty()) return;
  DevicePool made = finish(pool, std::move(relevant));
  if (made.incomplete || made.invalid)
    elsewhere_.emplace_back(pool, &ready_.emplace_back(std::move(made)));
}

DevicePool DeviceSlices::finish(uint32_t index, Slices relevant) const {
  const Whole& pool = pools_[index];
  DevicePool out;
  out.driver = pool.driver;
  out.name = pool.name;
  out.index = index;
  out.generation = relevant[0]->generation;
  const int64_t wanted = relevant[0]->slice_count;
  if (features_.behaviours.incomplete_pools) {
    out.incomplete = static_cast<int64_t>(relevant.size()) != wanted;
    build_pool(out, std::move(relevant), nullptr, features_);
    return out;
  }
  if (static_cast<int64_t>(relevant.size()) == wanted) {
    build_pool(out, std::move(relevant), nullptr, features_);
    return out;
  }
  Slices whole;
  for (const ResourceSlice* s : pool.slices) {
    out.outdated |= s->generation > out.generation;
    if (s->generation == out.generation && !hidden(*s)) whole.push_back(s);
  }
  if (out.outdated) return out;
  if (static_cast<int64_t>(whole.size()) == wanted)
    build_pool(out, std::move(relevant), &whole, features_);
  else
    out.incomplete = true;
  return out;
}

Result<std::vector<const DevicePool*>> DeviceSlices::pools_of(const TargetNode& node,
                                                              std::deque<DevicePool>& made) const {
  std::vector<Entry> found;
  if (const auto at = of_node_.find(node.name); at != of_node_.end()) found = at->second;
  const size_t own = found.size();
  for (const Entry& e : elsewhere_)
    if (std::none_of(found.begin(), found.begin() + static_cast<ptrdiff_t>(own),
                     [&](const Entry& mine) { return mine.first == e.first; }))
      found.push_back(e);
  std::map<uint32_t, Slices> relevant;
  const auto is_local = [&](const ResourceSlice& s) {
    return !everywhere(s) && !s.node_name.empty() && s.node_name == node.name;
  };
  for (const auto& [pool, slice] : others_)
    if (is_local(*slice)) offer(relevant[pool], slice);
  for (const auto& [pool, slice] : others_) {
    if (is_local(*slice)) continue;
    const Result<std::optional<bool>> answer = is_relevant(*slice, node, features_);
    if (!answer.ok()) return answer.error();
    if (answer->value_or(false)) offer(relevant[pool], slice);
  }
  for (auto& [pool, slices] : relevant) {
    if (!slices.empty())
      found.emplace_back(pool, &made.emplace_back(finish(pool, std::move(slices))));
  }
  std::sort(found.begin(), found.end(),
            [](const Entry& a, const Entry& b) { return a.first < b.first; });
  std::vector<const DevicePool*> out;
  for (const bool binding : {false, true})
    for (const auto& [pool, seen] : found)
      if (has_binding_conditions(*seen) == binding) out.push_back(seen);
  return out;
}

}  // namespace libsched
