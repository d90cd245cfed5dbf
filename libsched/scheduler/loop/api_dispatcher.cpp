// See api_dispatcher.hpp.
#include "libsched/scheduler/loop/api_dispatcher.hpp"

#include <mutex>
#include <utility>

#include "libsched/scheduler/api_memory/next_pod.hpp"

namespace libsched {
namespace {

std::string uid_of(const Pod& pod) {
  return pod.meta.uid.empty() ? std::string(pod.meta.ns) + "/" + std::string(pod.meta.name)
                              : std::string(pod.meta.uid);
}

}  // namespace

PodStatusPatch ApiDispatcher::Call::patch() const {
  PodStatusPatch out;
  if (condition)
    if (std::optional<PodStatusPatch::Condition> change = condition_change(*pod, *condition))
      out.conditions.push_back(std::move(*change));
  out.set_nominated_node = nomination && Str(nomination->node) != pod->status.nominated_node_name;
  if (out.set_nominated_node) out.nominated_node = nomination->node;
  return out;
}

bool ApiDispatcher::Call::changes_nothing() const {
  if (binds()) return false;
  const PodStatusPatch wanted = patch();
  return wanted.conditions.empty() && !wanted.set_nominated_node;
}

void ApiDispatcher::patch_pod_status(const PodRef& pod, const PodStatusPatch::Condition* condition,
                                     const std::optional<Nomination>& nomination) {
  const auto call = std::make_shared<Call>();
  // An assumed pod borrows its status from the pod in the queue, which may be gone by then.
  call->pod = next_pod(*pod, pod->spec.node_name);
  if (condition != nullptr) call->condition = *condition;
  if (nomination && nomination->override_node) call->nomination = nomination;
  const std::string uid = uid_of(*pod);
  if (add(uid, call)) services_.tasks().start(make_next());
}

Steps<Result<void>> ApiDispatcher::bind(PodRef pod, Str node) {
  std::optional<Baton::Hold> hold;  // taken again here, because Bind plugins run without it
  if (baton_ != nullptr) hold.emplace(*baton_);
  const auto call = std::make_shared<Call>();
  call->pod = pod;
  call->node = node;
  const std::string uid = uid_of(*pod);
  add(uid, call);
  // It goes on here rather than as a task, for which there might be no thread.
  if (std::erase(waiting_, uid) != 0) co_await make(uid);
  co_await wait_for(*call);
  co_return call->result;
}

// Whether the pod has been added to the queue.
bool ApiDispatcher::add(const std::string& uid, const CallRef& call) {
  const auto there = calls_.find(uid);
  const bool known = there != calls_.end();
  if (known && !merge(uid, *there->second, *call)) return false;
  const bool busy = under_way_.count(uid) != 0;
  if (!busy && call->changes_nothing()) {
    if (known) drop(uid);
    return false;
  }
  calls_[uid] = call;
  if (known) return false;  // it takes the other's place in the queue, or follows it
  waiting_.push_back(uid);
  services_.metrics().api_call_waits(call->type());
  return true;
}

// False: the call is less relevant than the one before it.
bool ApiDispatcher::merge(const std::string& uid, Call& old, Call& call) {
  if (old.binds() && !call.binds()) return false;
  if (old.binds() != call.binds()) {
    if (under_way_.count(uid) != 0) return true;
    finish(old, {});
    services_.metrics().api_call_left(old.type());
    services_.metrics().api_call_waits(call.type());
    return true;
  }
  if (!call.nomination) call.nomination = old.nomination;
  if (!call.condition) call.condition = old.condition;
  finish(old, {});
  return true;
}

// Forgets the pod's call, which is waiting.
void ApiDispatcher::drop(const std::string& uid) {
  services_.metrics().api_call_left(calls_.at(uid)->type());
  calls_.erase(uid);
  std::erase(waiting_, uid);
}

Steps<> ApiDispatcher::make_next() {
  if (waiting_.empty()) co_return;
  const std::string uid = std::move(waiting_.front());
  waiting_.pop_front();
  co_await make(uid);
}

// Makes the call that waits for the pod, and then those that are queued for it meanwhile.
Steps<> ApiDispatcher::make(std::string uid) {
  FrameworkMetrics& metrics = services_.metrics();
  for (CallRef call = calls_.at(uid); call;) {
    under_way_.insert(uid);
    call->begun = true;
    metrics.api_call_left(call->type());
    const int64_t began = services_.clock().now_ns();
    Result<void> result;
    if (call->binds()) {
      result = co_await services_.api().request(ApiRequest::bind(*call->pod, call->node));
    } else {
      const PodStatusPatch patch = call->patch();
      if (!patch.conditions.empty() || patch.set_nominated_node)
        result = co_await services_.api().request(ApiRequest::patch_pod_status(*call->pod, patch));
    }
    // As upstream, a patch that changes nothing any more counts as well.
    metrics.api_call_made(call->type(), result.ok(), services_.clock().now_ns() - began);
    under_way_.erase(uid);
    const auto latest = calls_.find(uid);
    const CallRef next = latest->second == call ? nullptr : latest->second;
    if (next)
      metrics.api_call_waits(next->type());
    else
      calls_.erase(latest);
    finish(*call, std::move(result));
    call = next;
  }
}

void ApiDispatcher::finish(Call& call, Result<void> result) {
  if (call.done) return;  // another call has replaced it
  const std::lock_guard lock(mutex_);
  call.result = std::move(result);
  call.done = true;
  finished_.notify_all();
}

Steps<> ApiDispatcher::wait_for(const Call& call) {
  if (turns_ != nullptr) {
    while (!call.done) co_await turns_->wait_for(call.done);
    co_return;
  }
  const Baton::Away away(baton_);
  std::unique_lock lock(mutex_);
  while (!call.done) services_.clock().wait(finished_, lock, INT64_MAX);
}

void ApiDispatcher::sync(const PodRef& pod) {
  const std::string uid = uid_of(*pod);
  const auto there = calls_.find(uid);
  if (there == calls_.end()) return;
  Call& call = *there->second;
  if (!call.binds() && !call.begun) call.pod = pod;
  if (under_way_.count(uid) == 0 && call.changes_nothing()) {
    finish(call, {});
    drop(uid);
  }
}

}  // namespace libsched
