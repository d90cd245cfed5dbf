// BindingRun: upstream's order, short circuits and error texts.
//
// Plugins may change the cluster's assumed state here. The pod may be the one that PreFilter saw or
// the one that was assumed for it.
#include "libsched/run/binding_run.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "libsched/base/quote.hpp"
#include "libsched/framework/foreign_call.hpp"
#include "libsched/framework/log.hpp"
#include "libsched/framework/plugin_scope.hpp"
#include "libsched/run/crew.hpp"

namespace libsched {
namespace {

constexpr int64_t kMaxPermitTimeout = 15 * 60 * int64_t{1'000'000'000};

Status wrapped(const char* point, const std::string& plugin, const Status& s) {
  return Status::wrap(std::string("running ") + point + " " + go_quote(plugin) + ": ", s);
}

bool concurrent(const Framework& framework, uint32_t plugin) {
  return framework.plugins()[plugin].plugin->threading() == Plugin::Threading::kConcurrent;
}

}  // namespace

Status BindingRun::reserve(Cluster& cluster) {
  for (const uint32_t i : framework_.at(ExtensionPoint::kReserve)) {
    const Framework::Instance& instance = framework_.plugins()[i];
    if (!instance.plugin) continue;
    const PluginTimer timer(state_.timer(), TimedPoint::kReserve, i);
    Status s = instance.plugin->reserve(
        {cluster, services_, pod_, state_, state_.entries()[i].data.get(), row_, node_});
    timer.took(s.code);
    if (s.success()) continue;
    if (!s.rejected()) return wrapped("Reserve plugin", instance.name, s);
    s.plugin = instance.name;
    return s;
  }
  return {};
}

Steps<> BindingRun::unreserve(Cluster& cluster) {
  const Call call_inside{cluster.view(), services_};
  const std::vector<uint32_t>& order = framework_.at(ExtensionPoint::kReserve);
  for (size_t k = order.size(); k-- > 0;) {
    const Framework::Instance& instance = framework_.plugins()[order[k]];
    if (!instance.plugin) continue;
    const ReserveCall call{cluster, services_, pod_, state_, state_.entries()[order[k]].data.get(),
                           row_,    node_};
    if (!instance.plugin->foreign()) {
      const PluginTimer timer(state_.timer(), TimedPoint::kUnreserve, order[k]);
      co_await instance.plugin->unreserve(call);
      timer.took(Code::kSuccess);
      continue;
    }
    co_await services_.tasks().turn(Tasks::Rank::kPlugin, "unreserve", pod_.meta);
    const PluginTimer timer(state_.timer(), TimedPoint::kUnreserve, order[k]);
    auto ask = [&] {
      std::optional<PluginScope> scope;  // on the thread of the call
      if (PluginScope::call_of(state_) == nullptr) scope.emplace(state_, call_inside, false);
      instance.plugin->unreserve(call).now();
    };
    co_await services_.tasks().apart(ask);
    timer.took(Code::kSuccess);
  }
}

Status BindingRun::permit(const View& view, std::vector<PermitWait>* waits) {
  waits->clear();
  std::vector<PermitWait> asked;
  Status wait;
  for (const uint32_t i : framework_.at(ExtensionPoint::kPermit)) {
    const Framework::Instance& instance = framework_.plugins()[i];
    if (!instance.plugin) continue;
    int64_t timeout = 0;
    BindingCall call = call_of(i);
    call.view = &view;
    const PluginTimer timer(state_.timer(), TimedPoint::kPermit, i);
    Status s = instance.plugin->permit(call, &timeout);
    timer.took(s.code);
    if (s.success()) continue;
    if (s.code != Code::kWait) {
      if (!s.rejected()) s = wrapped("Permit plugin", instance.name, s);
      s.plugin = instance.name;
      return s;
    }
    timeout = std::min(timeout, kMaxPermitTimeout);
    const auto same = std::find_if(asked.begin(), asked.end(),
                                   [&](const PermitWait& w) { return w.plugin == instance.name; });
    if (same == asked.end()) {
      asked.push_back({instance.name, timeout});
    } else {
      same->timeout_ns = timeout;
    }
    wait = std::move(s);
  }
  if (wait.code != Code::kWait) return Status();
  wait.reasons.push_back("one or more plugins asked to wait and no plugin rejected pod");
  *waits = std::move(asked);
  return wait;
}

Status BindingRun::wait_on_permit(Services& services, const Pod& pod,
                                  std::optional<int64_t> since_ns) {
  const std::shared_ptr<WaitingPod> waiting = services.waiting_pods().get(pod.meta.uid);
  if (!waiting) return {};
  const int64_t began = since_ns.value_or(services.clock().now_ns());
  Status s = waiting->wait();
  services.metrics().permit_waited(s.code, services.clock().now_ns() - began);
  services.waiting_pods().remove(pod.meta.uid);
  if (s.success()) return {};
  if (s.rejected()) return s;
  Status error = Status::wrap("waiting on permit for pod: ", s);
  error.plugin = s.plugin;
  return error;
}

Status BindingRun::pre_bind_pre_flights() {
  const std::vector<uint32_t>& order = framework_.at(ExtensionPoint::kPreBind);
  struct Answer {
    bool skip = false, parallel = false;
  };
  std::vector<Answer> answers(order.size());
  Status out(Code::kSkip);
  for (size_t k = 0; k < order.size(); ++k) {
    const Framework::Instance& instance = framework_.plugins()[order[k]];
    if (!instance.plugin) continue;
    const PluginTimer timer(state_.timer(), TimedPoint::kPreBindPreFlight, order[k]);
    const Status s = instance.plugin->pre_bind_pre_flight(call_of(order[k]), &answers[k].parallel);
    timer.took(s.code);
    answers[k].skip = s.code == Code::kSkip;
    if (s.success()) {
      out.reset();
    } else if (s.code == Code::kError) {
      return wrapped("PreBindPreFlight", instance.name, s);
    } else if (!answers[k].skip) {
      return Status::from_error("PreBindPreFlight " + instance.name + " returned " +
                                go_quote(code_name(s.code)) +
                                ", which is unsupported. It is supposed to return Success, Skip, "
                                "or Error status");
    }
  }
  const std::span<CycleState::Entry> entries = state_.edit_entries();
  for (CycleState::Entry& e : entries) e.skip_pre_bind = e.parallel_pre_bind = false;
  for (size_t k = 0; k < order.size(); ++k)
    for (const uint32_t j : framework_.namesakes(order[k])) {  // upstream's sets hold names
      entries[j].skip_pre_bind |= answers[k].skip;
      entries[j].parallel_pre_bind |= answers[k].parallel;
    }
  return out;
}

Steps<Status> BindingRun::pre_bind_one(uint32_t plugin) {
  const Framework::Instance& instance = framework_.plugins()[plugin];
  const bool foreign = instance.plugin->foreign();
  if (foreign) co_await services_.tasks().turn(Tasks::Rank::kPlugin, "preBind", pod_.meta);
  const PluginTimer timer(state_.timer(), TimedPoint::kPreBind, plugin);
  const BindingCall call = call_of(plugin);
  Status s;
  if (foreign) {
    auto ask = [&] { s = instance.plugin->pre_bind(call).now(); };
    co_await services_.tasks().apart(ask);
  } else {
    s = co_await instance.plugin->pre_bind(call);
  }
  timer.took(s.code);
  if (s.success()) co_return Status();
  // Upstream's plugins are told by their context, and its cause is what counts.
  if (const std::string cause = services_.pods_in_pre_bind().cancelled(pod_.meta.uid);
      !cause.empty() && s.code == Code::kError && s.message().ends_with("context canceled"))
    s = Status::from_error(cause);
  if (!s.rejected()) co_return wrapped("PreBind plugin", instance.name, s);
  s.plugin = instance.name;
  co_return s;
}

// The first failure counts; plugins that have not begun by then do not run.
Status BindingRun::pre_bind_at_once(const std::vector<uint32_t>& group, size_t useful) {
  std::mutex mutex;
  Status failed;
  const auto run = [&](uint32_t i) {
    {
      const std::lock_guard lock(mutex);
      if (!failed.success()) return;
    }
    Status s = pre_bind_one(i).now();
    const std::lock_guard lock(mutex);
    if (failed.success()) failed = std::move(s);
  };
  std::atomic<size_t> next{0};
  const Crew crew(framework_, static_cast<uint32_t>(std::min<size_t>(parallelism_, useful)));
  crew.run([&](bool caller) {
    if (caller)
      for (const uint32_t i : group)
        if (!concurrent(framework_, i)) run(i);
    for (size_t k; (k = next.fetch_add(1)) < group.size();)
      if (concurrent(framework_, group[k])) run(group[k]);
  });
  return failed;
}

Steps<Status> BindingRun::pre_bind_group(const std::vector<uint32_t>& group) {
  const auto anywhere = static_cast<size_t>(std::count_if(
      group.begin(), group.end(), [&](uint32_t i) { return concurrent(framework_, i); }));
  const size_t useful = anywhere + (anywhere == group.size() ? 0 : 1);
  if (parallelism_ >= 2 && useful >= 2 && !ForeignCall::inside())
    co_return pre_bind_at_once(group, useful);
  for (const uint32_t i : group) {
    Status s = co_await pre_bind_one(i);
    if (!s.success()) co_return s;
  }
  co_return Status();
}

Steps<Status> BindingRun::pre_bind_groups(Groups groups) {
  for (const std::vector<uint32_t>& group : groups) {
    Status s = co_await pre_bind_group(group);
    if (!s.success()) co_return s;
  }
  co_return Status();
}

Steps<Status> BindingRun::pre_bind() {
  Groups groups;
  bool open = false;  // whether the last group may grow
  for (const uint32_t i : framework_.at(ExtensionPoint::kPreBind)) {
    const CycleState::Entry& entry = state_.entries()[i];
    // A plugin that may not run in parallel ends a group even if it is skipped.
    if (!entry.parallel_pre_bind) open = false;
    if (entry.skip_pre_bind || !framework_.plugins()[i].plugin) continue;
    if (!open) groups.emplace_back();
    groups.back().push_back(i);
    open = entry.parallel_pre_bind;
  }
  if (groups.empty()) return Status();
  return pre_bind_groups(std::move(groups));
}

// Upstream's extendersBinding: the first interested extender that binds decides.
std::optional<Status> BindingRun::bind_by_extender() {
  for (const ExtenderRef& extender : framework_.extenders()) {
    if (!extender->traits().binds || !extender->interested(pod_)) continue;
    const Result<void> bound = extender->bind(pod_, node_);
    if (bound.ok()) return Status();
    if (!extender->traits().ignorable) return Status::from_error(bound.error().message);
    log_of(services_).info(
        0, "Skipping extender in bind as it returned error and has ignorable flag set",
        {{"extender", extender->traits().name}, {"err", bound.error().message}});
  }
  return std::nullopt;
}

Steps<Status> BindingRun::bind() {
  std::optional<Status> bound = bind_by_extender();
  if (bound) co_return std::move(*bound);
  Status s(Code::kSkip, "");  // upstream's result without a Bind plugin
  for (const uint32_t i : framework_.at(ExtensionPoint::kBind)) {
    const Framework::Instance& instance = framework_.plugins()[i];
    if (!instance.plugin) continue;
    const PluginTimer timer(state_.timer(), TimedPoint::kBind, i);
    const BindingCall call = call_of(i);
    if (instance.plugin->foreign()) {
      auto ask = [&] { s = instance.plugin->bind(call).now(); };
      co_await services_.tasks().apart(ask);
    } else {
      s = co_await instance.plugin->bind(call);
    }
    timer.took(s.code);
    if (s.code == Code::kSkip) continue;
    if (s.rejected()) {
      s.plugin = instance.name;
    } else if (!s.success()) {
      s = wrapped("Bind plugin", instance.name, s);
    }
    break;
  }
  co_return s;
}

Steps<> BindingRun::post_bind() {
  if (framework_.at(ExtensionPoint::kPostBind).empty()) return {};
  return post_bind_all();
}

Steps<> BindingRun::post_bind_all() {
  for (const uint32_t i : framework_.at(ExtensionPoint::kPostBind)) {
    const Framework::Instance& instance = framework_.plugins()[i];
    if (!instance.plugin) continue;
    const PluginTimer timer(state_.timer(), TimedPoint::kPostBind, i);
    const BindingCall call = call_of(i);
    auto ask = [&] { instance.plugin->post_bind(call); };
    if (instance.plugin->foreign())
      co_await services_.tasks().apart(ask);
    else
      ask();
    timer.took(Code::kSuccess);
  }
}

}  // namespace libsched
