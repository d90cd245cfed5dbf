// SchedulingQueue: PodGroups, and trees of groups, that go through the queue as one.
#include <algorithm>
#include <set>

#include "libsched/objects/pod_parts.hpp"
#include "libsched/scheduler/cycle.hpp"
#include "libsched/scheduler/queue/queue.hpp"

namespace libsched {
namespace {

using Members = QueuedPodInfo::Members;

// Upstream's PodGroupMemberPodsOrderingFunc: by priority, then those that have been tried more
// often, then those that came first. The PodGroups of a tree follow each other by name.
bool sorts_before(const QueuedPodInfo& a, const QueuedPodInfo& b) {
  const Str group_a = a.pod->spec.scheduling_group, group_b = b.pod->spec.scheduling_group;
  if (group_a != group_b) return group_a < group_b;
  if (a.pod->priority() != b.pod->priority()) return a.pod->priority() > b.pod->priority();
  if (a.attempts != b.attempts) return a.attempts > b.attempts;
  if (a.timestamp_ns != b.timestamp_ns) return a.timestamp_ns < b.timestamp_ns;
  return a.pod->meta.name < b.pod->meta.name;
}

Members::iterator place_of(Members& members, const QueuedPodInfo& pod) {
  return std::lower_bound(
      members.begin(), members.end(), pod,
      [](const QueuedPodRef& a, const QueuedPodInfo& b) { return sorts_before(*a, b); });
}

Members::iterator find_member(Members& members, const Pod& pod) {
  return std::find_if(members.begin(), members.end(), [&](const QueuedPodRef& m) {
    return same_text(m->pod->meta.name, pod.meta.name);
  });
}

// What QueueSort and log lines see of a group.
PodRef stand_in(const PodGroup& group, const Pod& member) {
  const Ref<Pod> out = make_ref<Pod>(256);
  out->meta.ns = out->arena.copy(group.meta.ns);
  out->meta.name = out->arena.copy(group.meta.name);
  out->meta.key_hash = group.meta.key_hash;
  out->spec.scheduler_name = out->arena.copy(member.spec.scheduler_name);
  out->spec.scheduling_group = out->arena.copy(group.meta.name);
  out->spec.priority = group.priority;
  derive_pod(*out);
  return out;
}

// Restores something unless it is kept.
template <typename F>
class Undo {
 public:
  explicit Undo(F undo) : undo_(std::move(undo)) {}
  Undo(const Undo&) = delete;
  Undo& operator=(const Undo&) = delete;
  ~Undo() {
    if (armed_) undo_();
  }
  void keep() { armed_ = false; }

 private:
  F undo_;
  bool armed_ = true;
};

}  // namespace

bool SchedulingQueue::of_entity(const Pod& pod) const {
  return entities_ && !pod.spec.scheduling_group.empty();
}

// An entity that leaves its part of the queue and comes back there, if the gates are open.
Course SchedulingQueue::course_back(QueuedPodInfo& entity, const EventPlan& event) const {
  const Requeueing how = entity.waits                        ? Requeueing::kSkip
                         : entity.heap == QueueHeap::kActive ? Requeueing::kImmediately
                                                             : Requeueing::kAfterBackoff;
  Course course(entity);
  course.leaves_waiting = entity.waits;
  course.leaves_heap = !entity.waits;
  const int64_t expiration =
      how == Requeueing::kAfterBackoff ? backoff_times_.expiration(entity) : kNoTime;
  requeue(course, *entity.pod, entity.scheduler, how, expiration, event.label);
  return course;
}

const PodGroup* SchedulingQueue::root_of(const Pod& pod) const {
  const PodGroup* const group =
      view().objects().find<PodGroup>(pod.meta.ns, pod.spec.scheduling_group);
  return trees_ && group != nullptr ? GroupForest::root_of(view(), *group) : group;
}

QueuedGroup* SchedulingQueue::home_of(const Pod& pod) {
  const PodGroup* const root = root_of(pod);
  return root == nullptr ? nullptr : groups_.find(*root);
}

// The pod is in no part of the queue.
void SchedulingQueue::wait(const QueuedPodRef& made, bool pending) {
  QueuedGroup& group = groups_.get(made->pod->meta.ns, made->pod->spec.scheduling_group);
  Members& list = pending ? group.pending : group.waiting;
  const auto at = find_member(list, *made->pod);
  if (at == list.end())
    list.push_back(made);
  else
    *at = made;
}

// Upstream's addPodGroupMember.
void SchedulingQueue::add_member(const QueuedPodRef& made) {
  const Pod& pod = *made->pod;
  const PodGroupRef root = PodGroupRef::share(root_of(pod));
  if (!root) return wait(made, false);
  QueuedGroup& group = groups_.get(*root);
  if (!group.entity && groups_.popped() == &group) return wait(made, true);
  if (group.entity) {
    Members& members = *group.entity->members;
    members.reserve(members.size() + 1);
    members.insert(place_of(members, *made), made);
    Undo leave([&] { members.erase(find_member(members, pod)); });
    const Course course = course_back(*group.entity, *pod_added_);
    reserve(1, 0);
    leave.keep();
    take(course);
    return;
  }
  const QueuedPodRef entity = make_ref<QueuedPodInfo>(stand_in(*root, pod), plugins_);
  entity->group = root;
  entity->members = std::make_unique<Members>(Members{made});
  entity->scheduler = made->scheduler;
  entity->timestamp_ns = made->timestamp_ns;
  entity->initial_attempt_ns = made->initial_attempt_ns;
  Course course(*entity);
  move_to_active(course, *entity->pod, entity->scheduler, pod_added_->label, false);
  const std::vector<PodRef> hidden = pending_as(*root, true);
  reserve(1, 0);
  group.entity = entity;
  take(course);
  show_nominated(hidden);
}

std::vector<PodRef> SchedulingQueue::pending_as(const PodGroup& root, bool bare) const {
  std::vector<PodRef> out;
  const Nominator& nominator = services_->nominator();
  if (nominator.empty()) return out;
  services_->group_forest().each_leaf(view(), root, [&](const PodGroup& leaf) {
    const QueuedGroup* const group = groups_.find(leaf);
    if (group == nullptr) return;
    for (const QueuedPodRef& pod : group->pending)
      if (!nominator.node_of(*pod->pod).empty())
        out.push_back(bare ? bare_pod(*pod->pod) : pod->pod);
  });
  return out;
}

void SchedulingQueue::show_nominated(const std::vector<PodRef>& pods) {
  for (const PodRef& pod : pods) services_->nominator().show(pod);
}

// Updates a member in its place. False: it has none.
bool SchedulingQueue::change_member(const PodRef& old_pod, const PodRef& new_pod,
                                    const PodEvents& events, const ObjectChange& change) {
  QueuedGroup* const group = groups_.find(*old_pod);
  const auto update = [&](QueuedPodInfo& member) {
    services_->nominator().update(*old_pod, new_pod);
    member.pod = new_pod;
    member.scheduler = metrics_.scheduler(new_pod->spec.scheduler_name);
  };
  const auto update_in = [&](Members QueuedGroup::* list) {
    if (group == nullptr) return false;
    const auto at = find_member(group->*list, *new_pod);
    if (at == (group->*list).end()) return false;
    update(**at);
    return true;
  };
  if (root_of(*old_pod) == nullptr) {
    update_in(&QueuedGroup::waiting);
    return true;
  }
  if (in_flight_.has(*new_pod)) {
    in_flight_.reserve(events.count);
    for (size_t i = 0; i < events.count; ++i) record(*events.plans[i], change);
    return true;
  }
  const QueuedGroup* const home = home_of(*old_pod);
  if (home == nullptr || !home->entity) return update_in(&QueuedGroup::pending);
  QueuedPodInfo& entity = *home->entity;
  const auto at = find_member(*entity.members, *new_pod);
  if (at == entity.members->end()) return update_in(&QueuedGroup::pending);
  QueuedPodInfo& member = **at;
  if (entity.heap != QueueHeap::kNone) {
    update(member);
    return true;
  }
  const PodRef before = member.pod;
  member.pod = new_pod;
  Undo restore([&] { member.pod = before; });
  Course course(entity);
  for (size_t i = 0; i < events.count; ++i) {
    const EventPlan& event = *events.plans[i];
    const Requeueing how = worth_requeueing(course, *entity.pod, entity.scheduler, event, change);
    const int64_t expiration =
        how == Requeueing::kAfterBackoff ? backoff_times_.expiration(entity) : kNoTime;
    const Destination to =
        requeue(course, *entity.pod, entity.scheduler, how, expiration, event.label);
    if (to == Destination::kActive || (pops_from_backoff_ && to == Destination::kBackoff)) break;
  }
  reserve(1, 0);
  update(member);
  restore.keep();
  take(course);
  return true;
}

// The best answer for any of the pods.
Requeueing SchedulingQueue::group_worth_requeueing(const Course& course, const EventPlan& plan,
                                                   const ObjectChange& change) const {
  Requeueing best = Requeueing::kSkip;
  for (const Course& member : course.members) {
    const QueuedPodInfo& pod = *member.pod;
    best = std::max(best, worth_requeueing(member, *pod.pod, pod.scheduler, plan, change));
    if (best == Requeueing::kImmediately) break;
  }
  return best;
}

// A member that failed. What follows is up to the group, as a whole.
Result<void> SchedulingQueue::return_member(QueuedPodInfo& queued, const PodRef& pod,
                                            const Rejection& rejection) {
  RejectorSet unschedulable, pending;
  for (const auto& [names, set] :
       {std::pair(rejection.unschedulable, &unschedulable), {rejection.pending, &pending}})
    for (const Str name : names) {
      const Result<PluginId> id = plugins_->id(name);
      if (!id.ok()) return id.error();
      set->add(*id);
    }
  const QueuedPodRef back = make(pod);
  const bool rejected = !(unschedulable | pending).empty();
  back->unschedulable = unschedulable;
  back->pending = pending;
  back->attempts = queued.attempts;
  back->initial_attempt_ns = queued.initial_attempt_ns;
  back->popped_ns = queued.popped_ns;
  back->unschedulable_count = queued.unschedulable_count + (rejected ? 1 : 0);
  back->consecutive_errors_count = rejected ? 0 : queued.consecutive_errors_count + 1;
  add_member(back);
  metrics_.blame(unschedulable | pending, back->scheduler, 1);  // a gate counts by itself
  in_flight_.done(*pod);
  return {};
}

// Upstream's deletePodGroupMember.
void SchedulingQueue::remove_member(const Pod& pod) {
  const auto forget = [&](Members& members, Members::iterator at) {
    metrics_.blame((*at)->rejectors(), (*at)->scheduler, -1);
    members.erase(at);
  };
  QueuedGroup* const home = home_of(pod);
  if (home == nullptr || !home->entity) {
    QueuedGroup* const group = groups_.find(pod);
    if (group == nullptr) return;
    Members& list = root_of(pod) == nullptr ? group->waiting : group->pending;
    if (const auto at = find_member(list, pod); at != list.end()) forget(list, at);
    groups_.drop_if_unused(group);
    return;
  }
  QueuedPodInfo& entity = *home->entity;
  Members& members = *entity.members;
  const auto at = find_member(members, pod);
  if (at != members.end() && members.size() == 1) {
    forget(members, at);
    leave(entity);
    home->entity = {};
    groups_.drop_if_unused(home);
    return;
  }
  Members left;
  left.reserve(members.size());
  for (const QueuedPodRef& member : members)
    if (at == members.end() || member.get() != at->get()) left.push_back(member);
  std::swap(left, members);
  Undo restore([&] { std::swap(left, members); });
  const Course course = course_back(entity, *pod_added_);
  reserve(1, 0);
  restore.keep();
  if (left.size() != members.size()) {
    const auto gone = find_member(left, pod);
    metrics_.blame((*gone)->rejectors(), (*gone)->scheduler, -1);
  }
  take(course);
}

void SchedulingQueue::leave(QueuedPodInfo& entity) {
  if (entity.waits) unschedulable_.remove(entity);
  leave_heap(entity);
}

// Upstream's AddPodGroup and AddCompositePodGroup: pods of the tree that waited for a group are
// added one by one. If memory runs out, those that are left still wait, for the next attempt.
void SchedulingQueue::group_added(const PodGroup& added) {
  const PodGroup* const root = trees_ ? GroupForest::root_of(view(), added) : &added;
  if (root == nullptr) return;
  std::vector<QueuedGroup*> waiting;
  services_->group_forest().each_leaf(view(), *root, [&](const PodGroup& leaf) {
    QueuedGroup* const group = groups_.find(leaf);
    if (group != nullptr && !group->waiting.empty()) waiting.push_back(group);
  });
  std::sort(waiting.begin(), waiting.end(),
            [](const QueuedGroup* a, const QueuedGroup* b) { return a->name < b->name; });
  for (QueuedGroup* const group : waiting) {
    std::sort(group->waiting.begin(), group->waiting.end(),
              [](const QueuedPodRef& a, const QueuedPodRef& b) { return sorts_before(*b, *a); });
    while (!group->waiting.empty()) {
      add_member(group->waiting.back());
      group->waiting.pop_back();
    }
    groups_.drop_if_unused(group);
  }
}

// Upstream's DeletePodGroup and DeleteCompositePodGroup: the pods below the group wait for it.
void SchedulingQueue::group_removed(const PodGroup& removed) {
  const PodGroup* const root = trees_ ? GroupForest::root_of(view(), removed) : &removed;
  QueuedGroup* const home = root == nullptr ? nullptr : groups_.find(*root);
  if (home == nullptr) return;
  std::set<Str> below;  // PodGroups
  services_->group_forest().each_leaf(view(), removed,
                                      [&](const PodGroup& leaf) { below.insert(leaf.meta.name); });
  if (!home->entity) {
    for (const Str name : below)
      if (QueuedGroup* const group = groups_.find(removed.meta.ns, name)) {
        group->waiting.insert(group->waiting.end(), group->pending.begin(), group->pending.end());
        group->pending.clear();
      }
    return;
  }
  QueuedPodInfo& entity = *home->entity;
  Members& members = *entity.members;
  Members left, gone;
  for (const QueuedPodRef& member : members)
    (below.contains(member->pod->spec.scheduling_group) ? gone : left).push_back(member);
  for (const QueuedPodRef& member : gone) {  // so that wait() cannot fail
    Members& waiting = groups_.get(removed.meta.ns, member->pod->spec.scheduling_group).waiting;
    waiting.reserve(waiting.size() + gone.size());
  }
  const auto take_out = [&] {
    for (const QueuedPodRef& member : gone) wait(member, false);
  };
  if (left.empty()) {
    leave(entity);
    home->entity = {};
    take_out();
    groups_.drop_if_unused(home);
    return;
  }
  std::swap(left, members);
  Undo restore([&] { std::swap(left, members); });
  const Course course = course_back(entity, plan({waiting_pods(behaviours_), kUpdate, {}}));
  reserve(1, 0);
  restore.keep();
  take_out();
  take(course);
}

// Pops a group: its pods are in flight now. False: all of them were already.
bool SchedulingQueue::fly_group(QueuedPodInfo& entity) {
  QueuedGroup* const group = groups_.find(*entity.group);
  group->entity = {};
  ++entity.attempts;
  entity.popped_ns = now();
  Members& members = *entity.members;
  for (const QueuedPodRef& member : members) ++member->attempts;
  std::erase_if(members, [&](const QueuedPodRef& m) { return in_flight_.has(*m->pod); });
  if (members.empty()) return false;
  for (const QueuedPodRef& member : members) {
    in_flight_.push(member->pod);
    metrics_.pod_flew();
    member->popped_ns = entity.popped_ns;
    metrics_.blame(member->rejectors(), member->scheduler, -1);
  }
  ++scheduling_cycle_;
  groups_.set_popped(group);
  return true;
}

Result<void> SchedulingQueue::end_group(const QueuedPodRef& popped, const Status& status) {
  LIBSCHED_TRY(may_change());
  const Busy busy(*this);
  const Pod& names = *popped->pod;
  const QueuedGroup* const group = groups_.find(*popped->group);
  if (group != nullptr && group->entity) {
    const QueueHeap heap = group->entity->heap;
    const char* const part = group->entity->waits         ? " unschedulable"
                             : heap == QueueHeap::kActive ? " the active"
                                                          : " the backoff";
    return Error{Rc::kExists, "pod group " + std::string(names.meta.ns) + "/" +
                                  std::string(names.meta.name) + " is already present in" + part +
                                  " queue"};
  }
  const StoredKind kind =
      popped->group->composite ? StoredKind::kCompositePodGroup : StoredKind::kPodGroup;
  const PodGroupRef root = PodGroupRef::share(
      static_cast<const PodGroup*>(view().objects().find(kind, names.meta.ns, names.meta.name)));
  Members back;
  std::vector<QueuedGroup*> leaves;
  if (root)
    services_->group_forest().each_leaf(view(), *root, [&](const PodGroup& leaf) {
      QueuedGroup* const waiting = groups_.find(leaf);
      if (waiting == nullptr || waiting->pending.empty()) return;
      leaves.push_back(waiting);
      back.insert(back.end(), waiting->pending.begin(), waiting->pending.end());
    });
  groups_.set_popped(nullptr);
  if (back.empty()) return {};
  const bool again = std::any_of(back.begin(), back.end(), [&](const QueuedPodRef& waiting) {
    return std::any_of(popped->members->begin(), popped->members->end(),
                       [&](const QueuedPodRef& m) { return same_pod(*m->pod, *waiting->pod); });
  });
  const QueuedPodRef entity = make_ref<QueuedPodInfo>(stand_in(*root, *back[0]->pod), plugins_);
  entity->group = root;
  entity->members = std::make_unique<Members>(std::move(back));
  std::sort(entity->members->begin(), entity->members->end(),
            [](const QueuedPodRef& a, const QueuedPodRef& b) { return sorts_before(*a, *b); });
  entity->scheduler = entity->members->front()->scheduler;
  entity->attempts = popped->attempts;
  entity->gating = popped->gating;
  entity->initial_attempt_ns = popped->initial_attempt_ns;
  const bool placed = status.success();
  if (!placed) {
    entity->unschedulable_count = popped->unschedulable_count + (status.rejected() ? 1 : 0);
    entity->consecutive_errors_count = status.rejected() ? 0 : popped->consecutive_errors_count + 1;
  }
  // Pods that did not fit beside the placed ones are tried again before others.
  entity->timestamp_ns = placed && again ? popped->timestamp_ns : now();
  Course course(*entity);
  requeue(course, *entity->pod, entity->scheduler,
          placed ? Requeueing::kImmediately : Requeueing::kAfterBackoff,
          backoff_times_.expiration(*entity), attempt_failed_);
  // Upstream counts a group that comes back as a new one, wherever it goes.
  for (Course::Taken& taken : course.steps) taken.bound_for.reset();
  reserve(1, 0);
  groups_.get(*root).entity = entity;
  for (QueuedGroup* const waiting : leaves) {
    waiting->pending.clear();
    groups_.drop_if_unused(waiting);
  }
  take(course);
  return {};
}

}  // namespace libsched
