// Services: defaults; pods between Permit and Bind; pods to retry.
#include "libsched/framework/services.hpp"

namespace libsched {

Services::Services(Ref<Clock> clock, Ref<ApiClient> api, Ref<Clock> deadline_clock,
                   Ref<Tasks> tasks)
    : clock_(std::move(clock)),
      deadline_clock_(std::move(deadline_clock)),
      api_(std::move(api)),
      tasks_(std::move(tasks)) {
  if (!clock_) clock_ = make_ref<VirtualClock>();
  if (!deadline_clock_) deadline_clock_ = clock_;
  if (!api_) api_ = make_ref<MemoryApi>();
  if (!tasks_) tasks_ = make_ref<TasksAtOnce>();
}

void Services::activate(std::map<std::string, PodRef> pods) {
  if (pods.empty()) return;
  const std::lock_guard lock(mutex_);
  // The later pod of a key counts. This allocates nothing, so none is lost.
  pods.merge(activated_);
  activated_.swap(pods);
  any_activated_ = true;
}

std::map<std::string, PodRef> Services::take_activated() {
  if (!any_activated_) return {};
  const std::lock_guard lock(mutex_);
  any_activated_ = false;
  return std::exchange(activated_, {});
}

void PodsInPreBind::add(Str uid) {
  const std::lock_guard lock(mutex_);
  pods_[std::string(uid)] = {};
  count_ = pods_.size();
}

void PodsInPreBind::remove(Str uid) {
  const std::lock_guard lock(mutex_);
  if (const auto it = pods_.find(uid); it != pods_.end()) pods_.erase(it);
  count_ = pods_.size();
}

bool PodsInPreBind::cancel(Str uid, Str reason) {
  const std::lock_guard lock(mutex_);
  const auto it = pods_.find(uid);
  if (it == pods_.end() || it->second.prebound) return false;
  if (!it->second.cancelled) it->second.reason = reason;  // the first reason is kept
  ++cancels_;
  return it->second.cancelled = true;
}

bool PodsInPreBind::mark_prebound(Str uid) {
  if (count_ == 0) return true;
  const std::lock_guard lock(mutex_);
  const auto it = pods_.find(uid);
  if (it == pods_.end()) return true;
  if (it->second.cancelled) return false;
  return it->second.prebound = true;
}

std::string PodsInPreBind::cancelled(Str uid) const {
  const std::lock_guard lock(mutex_);
  const auto it = pods_.find(uid);
  return it == pods_.end() ? std::string() : it->second.reason;
}

}  // namespace libsched
