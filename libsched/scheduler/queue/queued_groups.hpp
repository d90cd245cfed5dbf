// QueuedGroups: the groups of pods that the queue handles as one, and their pods that are in no
// part of the queue: they wait for their PodGroup or a parent of it, or for the end of a cycle.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "libsched/scheduler/queue/queued_pod_info.hpp"

namespace libsched {

struct QueuedGroup {
  std::string ns, name;
  bool composite = false;  // a CompositePodGroup, which may have the name of a PodGroup
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
    return found(*this, Key{pod.meta.ns, pod.spec.scheduling_group, false});
  }
  // Of a PodGroup.
  QueuedGroup* find(Str ns, Str name) { return found(*this, Key{ns, name, false}); }
  QueuedGroup& get(Str ns, Str name) { return get(Key{ns, name, false}); }
  // Of a group of either kind.
  QueuedGroup* find(const PodGroup& group) { return found(*this, key_of(group)); }
  const QueuedGroup* find(const PodGroup& group) const { return found(*this, key_of(group)); }
  QueuedGroup& get(const PodGroup& group) { return get(key_of(group)); }
  // Forgets the group if nothing is known of it any more. Null: no group.
  void drop_if_unused(const QueuedGroup* group) noexcept {
    if (group == nullptr || group == popped_ || group->entity || !group->waiting.empty() ||
        !group->pending.empty())
      return;
    groups_.erase(groups_.find(key_of(*group)));
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
  struct Key {
    Str ns, name;
    bool composite;
  };
  using Owned = std::tuple<std::string, std::string, bool>;

  static Key key_of(const PodGroup& group) {
    return {group.meta.ns, group.meta.name, group.composite};
  }
  static Key key_of(const QueuedGroup& group) { return {group.ns, group.name, group.composite}; }
  static Key key_of(const Owned& key) {
    return {std::get<0>(key), std::get<1>(key), std::get<2>(key)};
  }
  static const Key& key_of(const Key& key) { return key; }

  template <typename Groups>
  static auto found(Groups& all, const Key& key) -> decltype(&all.groups_.begin()->second) {
    const auto at = all.groups_.find(key);
    return at == all.groups_.end() ? nullptr : &at->second;
  }
  QueuedGroup& get(const Key& key) {
    if (QueuedGroup* group = found(*this, key)) return *group;
    QueuedGroup made{std::string(key.ns), std::string(key.name), key.composite, {}, {}, {}};
    return groups_.emplace(Owned(made.ns, made.name, made.composite), std::move(made))
        .first->second;
  }

  struct Less {
    using is_transparent = void;
    bool operator()(const auto& one, const auto& other) const {
      const Key& a = key_of(one);
      const Key& b = key_of(other);
      return std::tie(a.ns, a.name, a.composite) < std::tie(b.ns, b.name, b.composite);
    }
  };
  std::map<Owned, QueuedGroup, Less> groups_;
  QueuedGroup* popped_ = nullptr;
};

}  // namespace libsched
