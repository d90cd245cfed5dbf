// PodGroups: members by name, and their places in a view.
#include "libsched/framework/pod_groups.hpp"

#include <algorithm>

namespace libsched {
namespace {

std::pair<Str, Str> key_of(const Pod& pod) { return {pod.meta.ns, pod.spec.scheduling_group}; }

}  // namespace

PodGroups::Change PodGroups::put(const PodRef& pod) {
  if (!pod || pod->spec.scheduling_group.empty()) return {nullptr, nullptr, nullptr};
  const auto [ns, group] = key_of(*pod);
  std::string name(pod->meta.name);
  const auto at = groups_.find(key_of(*pod));
  if (at == groups_.end()) {
    Members members;
    members.emplace(std::move(name), pod);
    groups_.emplace(Key(ns, group), std::move(members));
    return {this, pod, nullptr};
  }
  PodRef& member = at->second[std::move(name)];
  return {this, pod, std::exchange(member, pod)};
}

void PodGroups::restore(const Pod& pod, const PodRef& before) noexcept {
  const auto at = groups_.find(key_of(pod));
  if (before) {
    at->second.find(pod.meta.name)->second = before;
    return;
  }
  remove(pod);
}

void PodGroups::remove(const Pod& pod) noexcept {
  const auto at = groups_.find(key_of(pod));
  if (at == groups_.end()) return;
  if (const auto member = at->second.find(pod.meta.name); member != at->second.end())
    at->second.erase(member);
  if (at->second.empty()) groups_.erase(at);
}

PodGroupState PodGroups::state(const View& view, Str ns, Str group) const {
  PodGroupState out;
  out.scheduled = view.group_size(ns, group);
  const auto at = groups_.find(std::pair<Str, Str>(ns, group));
  if (at == groups_.end()) return out;
  for (const auto& [name, pod] : at->second) {
    const uint32_t slot = view.find_pod(ns, name);
    if (slot == kNoId || !same_pod(*view.slot(slot).pod, *pod))
      out.unscheduled.push_back(pod);
    else if (view.slot(slot).assumed)
      out.assumed.push_back(pod);
  }
  return out;
}

std::vector<const View::Slot*> PodGroups::placed(const View& view, Str ns, Str group) {
  std::vector<const View::Slot*> out;
  if (view.group_size(ns, group) == 0) return out;
  for (uint32_t s = 0; s < view.slot_count(); ++s) {
    const View::Slot& slot = view.slot(s);
    if (slot.pod && slot.pod->spec.scheduling_group == group && slot.pod->meta.ns == ns)
      out.push_back(&slot);
  }
  std::sort(out.begin(), out.end(), [](const View::Slot* a, const View::Slot* b) {
    return a->pod->meta.name < b->pod->meta.name;
  });
  return out;
}

}  // namespace libsched
