// WaitingPods: the plugins that may still decide about a pod, and the first decision.
//
// Nothing runs when a time is up: the next call about the pod finds the earliest expired timer,
// which counts as the rejection that upstream's timer sends.
#include "libsched/framework/waiting_pods.hpp"

#include <cassert>
#include <limits>

#include "libsched/config/duration.hpp"

namespace libsched {
namespace {

// The sum, saturated.
int64_t later(int64_t now_ns, int64_t by_ns) {
  using Limits = std::numeric_limits<int64_t>;
  int64_t then = 0;
  if (!__builtin_add_overflow(now_ns, by_ns, &then)) return then;
  return by_ns > 0 ? Limits::max() : Limits::min();
}

}  // namespace

WaitingPod::WaitingPod(PodRef pod, std::vector<PermitWait> waits, Ref<Clock> clock)
    : pod_(std::move(pod)), clock_(std::move(clock)) {
  assert(!waits.empty());
  const int64_t now = clock_->now_ns();
  for (PermitWait& w : waits)
    pending_[std::move(w.plugin)] = {later(now, w.timeout_ns), w.timeout_ns};
}

std::vector<std::string> WaitingPod::pending_plugins() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, timer] : pending_) names.push_back(name);
  return names;
}

bool WaitingPod::pending(const std::string& plugin) const {
  const std::lock_guard lock(mutex_);
  return pending_.find(plugin) != pending_.end();
}

void WaitingPod::expire(int64_t now_ns) {
  if (decision_) return;
  const std::pair<const std::string, Timer>* first = nullptr;
  for (const auto& entry : pending_)
    if (entry.second.deadline_ns <= now_ns &&
        (first == nullptr || entry.second.deadline_ns < first->second.deadline_ns))
      first = &entry;
  if (first == nullptr) return;
  decision_ = Status(Code::kUnschedulable, "rejected due to timeout after waiting " +
                                               duration_text(first->second.timeout_ns) +
                                               " at plugin " + first->first);
  decision_->plugin = first->first;
  done_ = true;
  changed_.notify_all();
}

void WaitingPod::allow(Str plugin) {
  const std::lock_guard lock(mutex_);
  expire(clock_->now_ns());
  if (const auto it = pending_.find(plugin); it != pending_.end()) pending_.erase(it);
  if (!pending_.empty()) return;
  if (!decision_) decision_ = Status();
  done_ = true;
  changed_.notify_all();
}

bool WaitingPod::stop(Code code, Str plugin, Str message) {
  const std::lock_guard lock(mutex_);
  expire(clock_->now_ns());
  if (!decision_) {
    decision_ = Status(code, std::string(message));
    decision_->plugin = plugin;
  }
  if (done_) return false;
  done_ = true;
  changed_.notify_all();
  return true;
}

bool WaitingPod::reject(Str plugin, Str message) {
  return stop(Code::kUnschedulable, plugin, message);
}

bool WaitingPod::preempt(Str plugin, Str message) { return stop(Code::kError, plugin, message); }

std::optional<Status> WaitingPod::decided() {
  const std::lock_guard lock(mutex_);
  expire(clock_->now_ns());
  return decision_;
}

Status WaitingPod::wait() {
  std::unique_lock lock(mutex_);
  for (;;) {
    expire(clock_->now_ns());
    if (decision_) return *decision_;
    clock_->wait(changed_, lock, first_deadline());
  }
}

int64_t WaitingPod::first_deadline() const {
  int64_t first = std::numeric_limits<int64_t>::max();
  for (const auto& [name, timer] : pending_) first = std::min(first, timer.deadline_ns);
  return first;
}

int64_t WaitingPod::deadline_ns() const {
  const std::lock_guard lock(mutex_);
  return first_deadline();
}

std::shared_ptr<WaitingPod> WaitingPods::add(PodRef pod, std::vector<PermitWait> waits,
                                             Ref<Clock> clock) {
  const std::string uid(pod->meta.uid);
  auto waiting = std::make_shared<WaitingPod>(std::move(pod), std::move(waits), std::move(clock));
  const std::lock_guard lock(mutex_);
  pods_[uid] = waiting;
  count_ = pods_.size();
  return waiting;
}

std::shared_ptr<WaitingPod> WaitingPods::get(Str uid) const {
  if (count_ == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto it = pods_.find(uid);
  return it == pods_.end() ? nullptr : it->second;
}

std::vector<std::shared_ptr<WaitingPod>> WaitingPods::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<WaitingPod>> out;
  for (const auto& [uid, pod] : pods_) out.push_back(pod);
  return out;
}

bool WaitingPods::reject(Str uid) {
  const std::shared_ptr<WaitingPod> waiting = get(uid);
  return waiting && waiting->reject("", "removed");
}

void WaitingPods::remove(Str uid) {
  const std::lock_guard lock(mutex_);
  if (const auto it = pods_.find(uid); it != pods_.end()) pods_.erase(it);
  count_ = pods_.size();
}

}  // namespace libsched
