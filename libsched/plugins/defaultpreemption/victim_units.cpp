// Upstream's getCrossNodesVictims.
#include "libsched/plugins/defaultpreemption/victim_units.hpp"

#include <algorithm>
#include <set>

#include "libsched/base/quote.hpp"
#include "libsched/framework/group_forest.hpp"

namespace libsched {

namespace {

// Calls f(group) for the pod's group and, with `trees`, for those above it, as many as upstream.
template <typename F>
void each_above(const View& view, const Pod& pod, bool trees, F&& f) {
  if (pod.spec.scheduling_group.empty()) return;
  const PodGroup* group = view.objects().find<PodGroup>(pod.meta.ns, pod.spec.scheduling_group);
  for (size_t depth = 1; group != nullptr; ++depth) {
    f(*group);
    group =
        trees && depth < GroupForest::kMaxDepth ? GroupForest::parent_of(view, *group) : nullptr;
  }
}

}  // namespace

int32_t victim_priority(const View& view, const Pod& pod, bool trees) {
  int32_t out = pod.priority();
  each_above(view, pod, trees, [&](const PodGroup& group) { out = group.priority; });
  return out;
}

std::vector<PodRef> VictimUnit::by_name() const {
  std::vector<PodRef> out = others;
  out.push_back(pod);
  std::sort(out.begin(), out.end(), [](const PodRef& a, const PodRef& b) {
    return std::pair(a->spec.scheduling_group, a->meta.name) <
           std::pair(b->spec.scheduling_group, b->meta.name);
  });
  return out;
}

VictimUnits::VictimUnits(const View& view, GroupsAsVictims groups) : view_(view), groups_(groups) {
  if (groups == GroupsAsVictims::kIgnored) return;
  bool any = false;
  const auto look = [&](const PodGroup& g) { any |= g.disrupted_together; };
  view.objects().for_each<PodGroup>(look);
  if (groups == GroupsAsVictims::kTrees) view.objects().for_each<CompositePodGroup>(look);
  if (!any) return;
  for (uint32_t row = 0; row < view.row_count(); ++row)
    for (const uint32_t slot : view.row(row).pods) {
      const Pod& pod = *view.slot(slot).pod;
      const PodGroup* const group = together(pod);
      if (group == nullptr) continue;
      const bool there = view.node(row) != nullptr;
      if (!there && groups == GroupsAsVictims::kUnits) continue;
      Together& all = together_[group];
      all.pods.push_back(PodRef::share(&view.as_bound(pod)));
      if (!there) all.missing = view.row(row).name;
    }
}

const PodGroup* VictimUnits::together(const Pod& pod) const {
  const PodGroup* out = nullptr;
  each_above(view_, pod, groups_ == GroupsAsVictims::kTrees, [&](const PodGroup& group) {
    if (group.disrupted_together) out = &group;
  });
  return out;
}

Result<std::vector<VictimUnit>> VictimUnits::below(int32_t priority,
                                                   const std::vector<PodRef>& pods,
                                                   int64_t now_ns) const {
  std::vector<VictimUnit> out;
  std::set<const PodGroup*> taken;
  const bool trees = groups_ == GroupsAsVictims::kTrees;
  const bool owners = trees || groups_ == GroupsAsVictims::kOwners;
  for (const PodRef& pod : pods) {
    const PodGroup* const group = together_.empty() ? nullptr : together(*pod);
    if (group != nullptr && !taken.insert(group).second) continue;
    VictimUnit unit;
    unit.priority = group != nullptr && !trees ? group->priority
                    : owners                   ? victim_priority(view_, *pod, trees)
                                               : pod->priority();
    if (group != nullptr && !together_.at(group).missing.empty()) {
      const std::string node = go_quote(together_.at(group).missing);
      return Error{Rc::kNotFound, "failed to get node info for node " + node +
                                      " from snapshot: nodeinfo not found for node name " + node};
    }
    if (unit.priority >= priority) continue;
    unit.pod = pod;
    unit.of_group = groups_ != GroupsAsVictims::kIgnored && !pod->spec.scheduling_group.empty();
    unit.of_composite = group != nullptr && group->composite;
    unit.started_ns = started(*pod, now_ns);
    if (group != nullptr)
      for (const PodRef& other : together_.at(group).pods) {
        unit.started_ns = std::min(unit.started_ns, started(*other, now_ns));
        if (!same_pod(*other, *pod)) unit.others.push_back(other);
      }
    out.push_back(std::move(unit));
  }
  return out;
}

}  // namespace libsched
