// See group_trial.hpp.
#include "libsched/scheduler/loop/group_trial.hpp"

#include "libsched/objects/pod_parts.hpp"

namespace libsched {
namespace {

// Returns a copy of the pod without its required anti-affinity, or without all of its pod affinity.
Ref<Pod> without_terms(const Pod& pod, bool all) {
  Ref<Pod> out = copy_pod(pod, pod.spec.node_name);
  out->has_required_anti_affinity = false;
  out->spec.pod_anti_affinity.required = {};
  if (all) {
    out->has_pod_affinity = false;
    out->spec.pod_affinity = out->spec.pod_anti_affinity = {};
  }
  note_parts(*out);
  return out;
}

}  // namespace

Result<void> LostPorts::take_from(const View& view, Cluster& copy) {
  std::vector<Lost> left;
  for (const Lost& lost : lost_) {
    const uint32_t row = view.find_node(lost.node);
    bool changed = row == kNoId;
    const auto look = [&](uint32_t r, ChangeKinds kinds) {
      changed |= r == row && kinds != kImagesChanged;
    };
    if (!view.log().for_each_since(lost.cursor, look) || changed) continue;
    const Pod& member = *lost.member;
    const Ref<Pod> stand_in = copy_pod(member, "a stand-in", member.meta.ns, "a stand-in", {});
    LIBSCHED_TRY(copy.assume(*stand_in, lost.node));
    LIBSCHED_TRY(copy.forget(stand_in->meta.ns, stand_in->meta.name));
    left.push_back(lost);
  }
  lost_ = std::move(left);
  return {};
}

Result<std::shared_ptr<GroupTrial>> GroupTrial::begin(Evaluator& profile, LostPorts& ports) {
  profile.cluster()->refresh();
  std::shared_ptr<GroupTrial> out(new GroupTrial(profile, ports));
  out->cluster_ = profile.cluster()->clone();
  LIBSCHED_TRY(ports.take_from(profile.cluster()->view(), *out->cluster_));
  out->evaluator_ = make_ref<Evaluator>(FrameworkRef::share(&profile.framework()), out->cluster_);
  LIBSCHED_TRY(out->evaluator_->use(Ref<Services>::share(&profile.services())));
  LIBSCHED_TRY(out->evaluator_->set_parallelism(profile.parallelism()));
  LIBSCHED_TRY(out->evaluator_->keep_classes(profile.classes().mode()));
  return out;
}

GroupTrial::Listed GroupTrial::listed(const Scheduling& trial) const {
  for (const Assumed& a : assumed_)
    if (a.trial->node == trial.node) return a.node;
  const uint32_t row = cluster_->view().find_node(trial.node);
  return lists_ ? (*lists_)[row] : listed(row, trial.pod.get());
}

GroupTrial::Listed GroupTrial::listed(uint32_t row, const Pod* except) const {
  Listed out;
  const View& view = cluster_->view();
  for (const uint32_t slot : view.row(row).pods) {
    const Pod& there = *view.slot(slot).pod;
    if (except != nullptr && same_pod(there, *except)) continue;
    out.affinity |= there.has_pod_affinity;
    out.anti_affinity |= there.has_required_anti_affinity;
  }
  return out;
}

void GroupTrial::fix_lists() {
  lists_.emplace();
  for (uint32_t row = 0; row < cluster_->view().row_count(); ++row)
    lists_->push_back(listed(row, nullptr));
}

// Scores of a pod that prefers or avoids others read all nodes, and not the list.
Result<void> GroupTrial::show_terms(const Pod& incoming) {
  const bool all_nodes = !incoming.spec.pod_affinity.preferred.empty() ||
                         !incoming.spec.pod_anti_affinity.preferred.empty();
  for (const Assumed& a : assumed_) {
    const Pod& pod = *a.trial->pod;
    if (!pod.has_pod_affinity || a.node.anti_affinity) continue;
    const View& view = cluster_->view();
    const PodRef assumed = view.slot(view.find_pod(pod.meta.ns, pod.meta.name)).pod;
    const Ref<Pod> shown = without_terms(*assumed, !all_nodes && !a.node.affinity);
    LIBSCHED_TRY(cluster_->forget(pod.meta.ns, pod.meta.name));
    LIBSCHED_TRY(cluster_->assume(*shown, a.trial->node));
  }
  return {};
}

Result<Ref<Scheduling>> GroupTrial::run(const PodRef& pod, const SchedulingOptions& options) {
  if (!exact()) LIBSCHED_TRY(show_terms(*pod));
  assumed_.reserve(assumed_.size() + 1);
  evaluator_->set_next_start(profile_.next_start());
  Result<Ref<Scheduling>> ran = schedule_with(*evaluator_, pod, options);
  profile_.set_next_start(evaluator_->next_start());
  if (!ran.ok() || (*ran)->node.empty()) return ran;
  if ((*ran)->attempt == Attempt::kAssumed)
    assumed_.push_back({*ran, listed(**ran), options.observer});
  else if (!exact() && !pod->host_ports.empty())
    ports_.lose(pod, (*ran)->node, cursor_);
  return ran;
}

Result<void> GroupTrial::take_back(size_t left) {
  while (assumed_.size() > left) {
    const Ref<Scheduling> last = assumed_.back().trial;
    LIBSCHED_TRY(undo_trial(*evaluator_, *last, assumed_.back().observer.get()));
    assumed_.pop_back();
    if (!exact() && !lists_ && !last->pod->host_ports.empty())
      ports_.lose(last->pod, last->node, cursor_);
  }
  return {};
}

}  // namespace libsched
