// QueuedGroups: the groups of pods that the queue handles as one, and their pods that are in no
// part of the queue: they wait for their PodGroup or a parent of it, or for the end of a cycle.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "libsched/scheduler/queue/queued_pod_info.hpp"

namespace libsched {

struct QueuedGroup {
  std::string ns, name;
  // Of the root of a tree; null: no pod of the tree is in a part of the queue.
  QueuedPodRef entity;
  // Of a PodGroup: its pods in no part of the queue, which wait for a group, or are pending until
  // the end of the root's cycle.
  QueuedPodInfo::Members waiting, pending;
};

class QueuedGroups {
 public:
  // Null: nothing is known of the pod's group.
  QueuedGroup* find(const Pod& pod) { return find(pod.meta.ns, pod.spec.scheduling_group); }
  const QueuedGroup* find(const Pod& pod) const {
    const auto at = groups_.find(std::pair(pod.meta.ns, pod.spec.scheduling_group));
    return at == groups_.end() ? nullptr : &at->second;
  }
  QueuedGroup* find(Str ns, Str name) {
    const auto at = groups_.find(std::pair(ns, name));
    return at == groups_.end() ? nullptr : &at->second;
  }
  QueuedGroup& get(Str ns, Str name) {
    if (QueuedGroup* group = find(ns, name)) return *group;
    QueuedGroup made{std::string(ns), std::string(name), {}, {}, {}};
    return groups_.emplace(std::pair(made.ns, made.name), std::move(made)).first->second;
  }
  // Forgets the group if nothing is known of it any more. Null: no group.
  void drop_if_unused(const QueuedGroup* group) noexcept {
    if (group == nullptr || group == popped_ || group->entity || !group->waiting.empty() ||
        !group->pending.empty())
      return;
    groups_.erase(groups_.find(std::pair(Str(group->ns), Str(group->name))));
  }

  // The group that was popped last, until its cycle has ended or something else is popped.
  const QueuedGroup* popped() const { return popped_; }
  void set_popped(QueuedGroup* group) noexcept {
    const QueuedGroup* const before = std::exchange(popped_, group);
    if (before != group) drop_if_unused(before);
  }

  // The pods in no part of the queue: those that wait for a group, or for the end of a cycle.
  size_t waiting(bool for_group) const {
    size_t pods = 0;
    for (const auto& [name, group] : groups_)
      pods += (for_group ? group.waiting : group.pending).size();
    return pods;
  }

  // The groups in a part of the queue, for which counts(entity) holds.
  template <typename Counts>
  size_t count(Counts&& counts) const {
    size_t found = 0;
    for (const auto& [name, group] : groups_)
      if (group.entity && counts(*group.entity)) ++found;
    return found;
  }

  // The pods beyond the first of each group in a part of the queue, for which counts(entity) holds.
  template <typename Counts>
  size_t further_pods(Counts&& counts) const {
    size_t pods = 0;
    for (const auto& [name, group] : groups_)
      if (group.entity && counts(*group.entity)) pods += group.entity->size() - 1;
    return pods;
  }

 private:
  struct Less {
    using is_transparent = void;
    bool operator()(const auto& a, const auto& b) const {
      const Str ns_a = a.first, ns_b = b.first, name_a = a.second, name_b = b.second;
      return ns_a != ns_b ? ns_a < ns_b : name_a < name_b;
    }
  };
  std::map<std::pair<std::string, std::string>, QueuedGroup, Less> groups_;
  QueuedGroup* popped_ = nullptr;
};

}  // namespace libsched
