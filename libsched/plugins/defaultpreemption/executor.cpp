// The requests of a preemption, as upstream's preemption/executor.go.
#include "libsched/plugins/defaultpreemption/executor.hpp"

#include <algorithm>

#include "libsched/framework/api_calls.hpp"
#include "libsched/framework/log.hpp"

namespace libsched {
namespace {

constexpr Str kPlugin = "DefaultPreemption";

std::string uid_or_key(const ObjectMeta& meta) {
  return meta.uid.empty() ? std::string(meta.ns) + "/" + std::string(meta.name)
                          : std::string(meta.uid);
}

bool gone(const Result<void>& ran) { return !ran.ok() && ran.error().rc == Rc::kNotFound; }

// Cancels a pod that waits or is about to be bound in memory (true); deletes any other.
Steps<Result<bool>> preempt(const Pod& victim, const Preemptor& by_whom, Str node,
                            Services& services) {
  const Pod& preemptor = *by_whom.pod;
  const std::string turn =
      "evict for " + std::string(preemptor.meta.ns) + "/" + std::string(preemptor.meta.name);
  co_await services.tasks().turn(Tasks::Rank::kPlugin, turn.c_str(), victim.meta);
  const Log log = log_of(services);
  const LogField by{"preemptor", preemptor.meta}, who{"victim", victim.meta}, where{"node", node};
  bool in_memory = false;
  if (const auto waiting = services.waiting_pods().get(victim.meta.uid)) {
    in_memory = waiting->preempt(kPlugin, "preempted");
    if (in_memory)
      log.info(2, "Preemptor preempted a waiting pod",
               {{"preemptorType", by_whom.name()}, by, {"waitingPod", victim.meta}, where});
  } else {
    in_memory =
        services.pods_in_pre_bind().cancel(victim.meta.uid, "preempted by " + std::string(kPlugin));
    if (in_memory)
      log.info(2, "Preemptor rejected a pod in preBind",
               {{"preemptorType", by_whom.name()}, by, {"podInPreBind", victim.meta}, where});
  }
  if (!in_memory) {
    PodStatusPatch patch;
    if (std::optional<PodStatusPatch::Condition> change =
            condition_change(victim, {"DisruptionTarget", "True", "PreemptionByScheduler",
                                      std::string(preemptor.spec.scheduler_name) +
                                          ": preempting to accommodate a higher priority " +
                                          std::string(by_whom.name())}))
      patch.conditions.push_back(std::move(*change));
    for (const bool deleting : {false, true}) {
      if (!deleting && patch.conditions.empty()) continue;
      const ApiRequest request =
          deleting ? ApiRequest::delete_pod(victim) : ApiRequest::patch_pod_status(victim, patch);
      const Result<void> ran = co_await services.api().request(request);
      if (gone(ran)) {
        log.info(2, "Victim Pod is already deleted", {by, who, where});
        co_return false;
      }
      if (ran.ok()) continue;
      if (deleting)
        log.error("Tried to preempted pod",
                  {{"err", ran.error().message}, {"pod", victim.meta}, by});
      else
        log.error("Could not add DisruptionTarget condition due to preemption",
                  {{"err", ran.error().message}, by, who});
      co_return ran.error();
    }
    log.info(2, "Preemptor Pod preempted victim Pod", {by, who, where});
  }
  services.api().event(victim, "Normal", "Preempted", "Preempting",
                       std::string("Preempted by ") + std::string(by_whom.name()) + " " +
                           std::string(preemptor.meta.uid) + " on node " + std::string(node) +
                           (in_memory ? " (in kube-scheduler memory)." : ""));
  co_return in_memory;
}

// Clears the nominations of pods of lower priority to the node, which may not fit any more. False:
// a request failed.
Steps<bool> clear_nominations(const Pod& preemptor, Str node, const std::vector<PodRef>& listed,
                              Services& services) {
  std::vector<PodRef> pods;  // a request may change the lists
  for (const PodRef& p : listed)
    if (!services.nominator().has(*p)) pods.push_back(p);
  const std::vector<PodRef>& there = services.nominator().on(node);
  pods.insert(pods.end(), there.begin(), there.end());
  const std::optional<Nomination> none = Nomination{true, {}};
  bool done = true;
  for (const PodRef& p : pods) {
    if (p->priority() >= preemptor.priority()) continue;
    const Result<void> ran =
        co_await patch_pod_status(services, *p, p->status.nominated_node_name, nullptr, none);
    done &= ran.ok();
  }
  co_return done;
}

void log_leaving(const Pod& victim, const Pod& preemptor, Str node, const Services& services) {
  log_of(services).info(2, "Victim Pod is already being deleted, skipping the API call for it",
                        {{"preemptor", preemptor.meta}, {"node", node}, {"victim", victim.meta}});
}

void executed(Services& services, const Preemptor& preemptor, bool failed, int64_t began) {
  services.metrics()
      .preemptions_by(preemptor.kind)
      .executions[failed ? 1 : 0]
      .observe_ns(services.clock().now_ns() - began);
}

// Within the cycle, with SchedulerAsyncPreemption off.
Steps<Status> evict_now(const PreemptionReport::Candidate& candidate, const Preemptor& preemptor,
                        const std::vector<PodRef>& listed, Services& services) {
  for (const PodRef& victim : candidate.victims) {
    if (victim->meta.terminating()) {
      log_leaving(*victim, *preemptor.pod, candidate.node, services);
      continue;
    }
    const Result<bool> ran = co_await preempt(*victim, preemptor, candidate.node, services);
    if (!ran.ok()) co_return Status::from_error(ran.error().message);
  }
  static_cast<void>(co_await clear_nominations(*preemptor.pod, candidate.node, listed, services));
  co_return Status();
}

}  // namespace

struct Executor::Preemption {
  Ref<Services> services;
  Preemptor by;
  PodRef preemptor;
  std::string key, node;  // the key of the preemptor
  std::vector<PodRef> listed, victims;
  size_t chosen = 0;  // victims, with those that leave already
};

bool Executor::preempting(const ObjectMeta& pod) const {
  if (!busy()) return false;
  const std::lock_guard guard(mutex_);
  const auto it = under_way_.find(uid_or_key(pod));
  if (it == under_way_.end()) return false;
  const UnderWay& now = it->second;
  if (now.name.empty()) return true;
  const Pod* const last = now.pods == nullptr ? nullptr : now.pods->find_pod(now.ns, now.name);
  return last != nullptr && !last->meta.terminating();
}

void Executor::leave(const std::string& key) {
  under_way_.erase(key);
  any_ = !under_way_.empty();
}

Status Executor::execute(const PreemptionReport::Candidate& candidate, const Preemptor& preemptor,
                         const std::vector<PodRef>& listed, Services& services) {
  const bool leaving = std::all_of(candidate.victims.begin(), candidate.victims.end(),
                                   [](const PodRef& v) { return v->meta.terminating(); });
  const auto victims = static_cast<double>(candidate.victims.size());
  if (preemptor.kind != PreemptorKind::kPod && behaviours_.tells_failed_preemptions)
    services.metrics().group_victims.observe(victims);
  else if (!asynchronous_ || !leaving || behaviours_.tells_failed_preemptions)
    services.metrics().preemption_victims.observe(victims);
  if (candidate.budget_violations > 0)
    services.metrics()
        .preemptions_by(preemptor.kind)
        .budget_violations.add(static_cast<uint64_t>(candidate.budget_violations));
  if (!asynchronous_) {
    const int64_t began = services.clock().now_ns();
    Status out;
    services.tasks().outside_cycle(
        [&] { out = evict_now(candidate, preemptor, listed, services).now(); });
    executed(services, preemptor, !out.success(), began);
    return out;
  }
  const auto p = std::make_shared<Preemption>();
  p->services = Ref<Services>::share(&services);
  p->by = preemptor;
  p->preemptor = preemptor.pod;
  p->key = uid_or_key(preemptor.pod->meta);
  p->node = candidate.node;
  p->listed = listed;
  p->chosen = candidate.victims.size();
  for (const PodRef& v : candidate.victims)
    if (v->meta.terminating())
      log_leaving(*v, *p->preemptor, candidate.node, services);
    else
      p->victims.push_back(v);
  if (p->victims.empty()) return {};
  bool first = false;
  {
    const std::lock_guard guard(mutex_);
    // As upstream: the last victim of a preemption of this pod that has not ended still counts.
    first = under_way_.try_emplace(p->key).second;
    any_ = true;
  }
  try {
    services.tasks().start(run(p));
  } catch (...) {  // out of memory: the pod does not wait for what has not begun
    const std::lock_guard guard(mutex_);
    if (first) leave(p->key);
    throw;
  }
  return {};
}

// A failure does not change the answer; the preemptor is only retried right away. Without that the
// gate might hold it back for ever, so it is also retried if this runs out of memory.
Steps<> Executor::run(std::shared_ptr<Preemption> preemption) {
  Preemption& p = *preemption;
  Services& services = *p.services;
  struct Retry {
    Preemption& p;
    bool wanted = true;
    ~Retry() {
      if (wanted) p.services->activate(std::move(p.by.pods));
    }
  } retry{p};
  struct Leave {
    Executor& executor;
    const std::string& key;
    ~Leave() {
      const std::lock_guard guard(executor.mutex_);
      executor.leave(key);
    }
  };
  bool done = false, stopped = false, in_memory = false;
  const int64_t began = services.clock().now_ns();
  const Log log = log_of(services);
  log.info(2, "Start the preemption asynchronously",
           {{"preemptor", p.preemptor->meta},
            {"node", p.node},
            {"numVictims", p.chosen},
            {"numVictimsToDelete", p.victims.size()}});
  {
    const Leave leave{*this, p.key};
    done = co_await clear_nominations(*p.preemptor, p.node, p.listed, services);
    for (size_t i = 0; i < p.victims.size() && !stopped; ++i) {
      const Pod& victim = *p.victims[i];
      if (i + 1 == p.victims.size()) {
        UnderWay now{std::string(victim.meta.ns), std::string(victim.meta.name), services.pods};
        const std::lock_guard guard(mutex_);
        under_way_[p.key] = std::move(now);
        any_ = true;
      }
      const Result<bool> ran = co_await preempt(victim, p.by, p.node, services);
      stopped = !ran.ok();
      in_memory = ran.ok() && *ran;
    }
  }
  log.info(2, "Async Preemption finished completely",
           {{"preemptor", p.preemptor->meta},
            {"node", p.node},
            {"result", stopped || !done ? "error" : "success"}});
  // No event will tell that the last victim has left if it was preempted in memory.
  const bool failed = stopped || !done;
  retry.wanted = failed || (in_memory && behaviours_.retries_after_memory);
  executed(services, p.by, failed, began);
  FrameworkMetrics& metrics = services.metrics();
  if (behaviours_.tells_failed_preemptions)
    (failed ? metrics.failed_preemptions : metrics.preemption_goroutines)
        .observe_ns(services.clock().now_ns() - began);
  else
    metrics.preemption_goroutines.observe(0);
}

}  // namespace libsched
