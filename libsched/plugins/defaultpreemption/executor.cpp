// The requests of a preemption, as upstream's preemption/executor.go.
#include "libsched/plugins/defaultpreemption/executor.hpp"

namespace libsched {
namespace {

constexpr Str kPlugin = "DefaultPreemption";

std::string key_of(const Pod& pod) {
  return pod.meta.uid.empty() ? std::string(pod.meta.ns) + "/" + std::string(pod.meta.name)
                              : std::string(pod.meta.uid);
}

bool gone(const Result<void>& ran) { return !ran.ok() && ran.error().rc == Rc::kNotFound; }

// Cancels a pod that waits or is about to be bound in memory; deletes any other.
Result<void> preempt(const Pod& victim, const Pod& preemptor, Str node, Services& services) {
  bool in_memory = false;
  if (const auto waiting = services.waiting_pods().get(victim.meta.uid))
    in_memory = waiting->preempt(kPlugin, "preempted");
  else
    in_memory =
        services.pods_in_pre_bind().cancel(victim.meta.uid, "preempted by " + std::string(kPlugin));
  if (!in_memory) {
    PodStatusPatch patch;
    patch.conditions.push_back({"DisruptionTarget", "True", "PreemptionByScheduler",
                                std::string(preemptor.spec.scheduler_name) +
                                    ": preempting to accommodate a higher priority pod"});
    for (const bool deleting : {false, true}) {
      const Result<void> ran = deleting ? services.api().delete_pod(victim)
                                        : services.api().patch_pod_status(victim, patch);
      if (gone(ran)) return {};
      if (!ran.ok()) return ran;
    }
  }
  services.api().event(victim, "Normal", "Preempted", "Preempting",
                       "Preempted by pod " + std::string(preemptor.meta.uid) + " on node " +
                           std::string(node) + (in_memory ? " (in kube-scheduler memory)." : ""));
  return {};
}

// Clears the nominations of pods of lower priority to the node, which may not fit any more. False:
// a request failed.
bool clear_nominations(const Pod& preemptor, Str node, Services& services) {
  bool done = true;
  const auto& all = services.nominator().all();
  const auto there = all.find(node);
  if (there == all.end()) return done;
  PodStatusPatch patch;
  patch.set_nominated_node = true;
  const std::vector<PodRef> pods = there->second;  // a request may change the list
  for (const PodRef& p : pods)
    if (p->priority() < preemptor.priority() && !p->status.nominated_node_name.empty())
      done &= services.api().patch_pod_status(*p, patch).ok();
  return done;
}

}  // namespace

bool Executor::preempting(const Pod& pod) const {
  const std::lock_guard guard(mutex_);
  return preempting_.count(key_of(pod)) != 0;
}

void Executor::set_preempting(const Pod& pod, bool on) {
  const std::lock_guard guard(mutex_);
  if (on) {
    preempting_.insert(key_of(pod));
  } else if (const auto it = preempting_.find(key_of(pod)); it != preempting_.end()) {
    preempting_.erase(it);
  }
}

Status Executor::execute(const PreemptionReport::Candidate& candidate, const Pod& preemptor,
                         Services& services) {
  if (asynchronous_) return asynchronous(candidate, preemptor, services);
  for (const PodRef& victim : candidate.victims) {
    if (victim->meta.terminating()) continue;
    const Result<void> ran = preempt(*victim, preemptor, candidate.node, services);
    if (!ran.ok()) return Status::from_error(ran.error().message);
  }
  clear_nominations(preemptor, candidate.node, services);
  return {};
}

// A failure does not change the answer; the preemptor is only retried right away.
Status Executor::asynchronous(const PreemptionReport::Candidate& candidate, const Pod& preemptor,
                              Services& services) {
  std::vector<PodRef> victims;
  for (const PodRef& v : candidate.victims)
    if (!v->meta.terminating()) victims.push_back(v);
  if (victims.empty()) return {};
  set_preempting(preemptor, true);
  bool done = clear_nominations(preemptor, candidate.node, services);
  bool stopped = false;
  for (size_t i = 0; i < victims.size() && !stopped; ++i) {
    if (i + 1 == victims.size()) set_preempting(preemptor, false);
    stopped = !preempt(*victims[i], preemptor, candidate.node, services).ok();
    if (stopped && i + 1 < victims.size()) set_preempting(preemptor, false);
  }
  if (stopped || !done)
    services.activate({{std::string(preemptor.meta.ns) + "/" + std::string(preemptor.meta.name),
                        PodRef::share(&preemptor)}});
  return {};
}

}  // namespace libsched
