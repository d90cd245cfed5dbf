// Binding: upstream's order of the points, and the handling of failures.
#include "libsched/scheduler/binding.hpp"

#include "libsched/framework/log.hpp"

#include <utility>

#include "libsched/framework/api_calls.hpp"
#include "libsched/run/binding_run.hpp"

namespace libsched {
namespace {

BindingRun run_of(const AssumedPod& a, uint32_t row) {
  return BindingRun(*a.framework, *a.services, *a.state, *a.pod, a.node, row, a.parallelism);
}

Failure with(Status status) {
  Failure out;
  out.status = std::move(status);
  return out;
}

}  // namespace

void Binding::tell(CyclePoint point, bool ended, const Status* status) const {
  if (!observer_) return;
  CycleEvent event;
  event.point = point;
  event.ended = ended;
  event.pod = assumed_.pod.get();
  event.state = assumed_.state.get();
  event.node = assumed_.node;
  event.status = status;
  observer_->hear(event);
}

template <typename F>
Status Binding::at(CyclePoint point, F&& f) const {
  tell(point, false, nullptr);
  const Status s = f();
  tell(point, true, &s);
  return s;
}

Steps<> Binding::expect() {
  if (!expects()) co_return;
  expected_ = true;
  const std::optional<Nomination> nomination = Nomination{true, assumed_.node};
  // As upstream: a failure does not stop the binding.
  static_cast<void>(co_await patch_pod_status(*assumed_.services, *assumed_.pod,
                                              assumed_.pod->status.nominated_node_name, nullptr,
                                              nomination));
}

std::optional<Failure> Binding::run() {
  const PodRef& pod = assumed_.pod;
  // A message holds this binding, so this binding must not hold the queue.
  const Ref<WriterQueue> writer = std::exchange(writer_, {});
  std::optional<Failure> failed;
  try {
    failed = bind().now();
  } catch (...) {  // out of memory; the writer is notified if possible
    try {
      writer->forget(pod, Ref<Unreserving>::share(this));
    } catch (...) {
    }
    throw;
  }
  if (failed) {
    writer->forget(pod, Ref<Unreserving>::share(this));
    report_failure(*pod, expected_ ? Str(assumed_.node) : pod->status.nominated_node_name, *failed,
                   *assumed_.services)
        .now();
  } else {
    writer->confirm(pod, assumed_.node);
  }
  return failed;
}

Status Binding::pre_flight() {
  if (!expects()) return {};
  BindingRun run = run_of(assumed_, assumed_.row);
  return at(CyclePoint::kPreBindPreFlight, [&] { return run.pre_bind_pre_flights(); });
}

std::optional<Failure> Binding::wait_on_permit(std::optional<int64_t> since_ns) {
  const Status allowed = at(CyclePoint::kWaitOnPermit, [&] {
    return BindingRun::wait_on_permit(*assumed_.services, *assumed_.pod, since_ns);
  });
  if (allowed.success()) return std::nullopt;
  if (!allowed.rejected()) return with(allowed);
  // Whichever code the plugin gave, the pod waits for the events that this plugin has registered.
  Failure failure = Failure::of_node(allowed);
  failure.unschedulable_plugins = {allowed.plugin};
  failure.pending_plugins.clear();
  return failure;
}

Steps<std::optional<Failure>> Binding::finish(const Status& ready, Baton* baton) {
  BindingRun run = run_of(assumed_, assumed_.row);
  Services& services = *assumed_.services;
  Status s = co_await pre_bind(ready.success(), baton);
  if (!s.success()) co_return with(std::move(s));
  tell(CyclePoint::kBind, false, nullptr);
  {
    const Baton::Away away(baton);
    s = co_await run.bind();
  }
  tell(CyclePoint::kBind, true, &s);
  if (!s.success()) {
    log_of(services).info(1, "Failed to bind pod", {{"pod", assumed_.pod->meta}});
    co_return with(std::move(s));
  }
  // The pod is not tried again: its activations count even if what follows runs out of memory.
  struct Activating {
    ~Activating() { assumed.services->activate(assumed.state->take_activations()); }
    const AssumedPod& assumed;
  };
  const Activating activating{assumed_};
  if (services.api().keeps_events())
    services.api().event(*assumed_.pod, "Normal", "Scheduled", "Binding",
                         "Successfully assigned " + std::string(assumed_.pod->meta.ns) + "/" +
                             std::string(assumed_.pod->meta.name) + " to " + assumed_.node);
  tell(CyclePoint::kPostBind, false, nullptr);
  {
    const Baton::Away away(baton);
    co_await run.post_bind();
  }
  tell(CyclePoint::kPostBind, true, nullptr);
  co_return std::nullopt;
}

Steps<std::optional<Failure>> Binding::bind() {
  const Status ready = pre_flight();
  if (ready.code == Code::kError || ready.rejected()) co_return with(ready);
  if (ready.success() || assumed_.services->waiting_pods().get(assumed_.pod->meta.uid))
    co_await expect();
  std::optional<Failure> failed = wait_on_permit();
  if (!failed) failed = co_await finish(ready);
  co_return failed;
}

// Until this is done, preemption may cancel the pod.
Steps<Status> Binding::pre_bind(bool may_be_cancelled, Baton* baton) {
  PodsInPreBind& pods = assumed_.services->pods_in_pre_bind();
  const Str uid = assumed_.pod->meta.uid;
  struct Entry {
    Entry(PodsInPreBind* p, Str u) : pods(p), uid(u) {
      if (pods != nullptr) pods->add(uid);
    }
    ~Entry() {
      if (pods != nullptr) pods->remove(uid);
    }
    PodsInPreBind* pods;
    Str uid;
  } const entry(may_be_cancelled ? &pods : nullptr, uid);
  BindingRun run = run_of(assumed_, assumed_.row);
  tell(CyclePoint::kPreBind, false, nullptr);
  Status s;
  {
    const Baton::Away away(baton);
    s = co_await run.pre_bind();
  }
  tell(CyclePoint::kPreBind, true, &s);
  if (s.success() && !pods.mark_prebound(uid)) s = Status::from_error(pods.cancelled(uid));
  co_return s;
}

void Binding::unreserve(Cluster& cluster) {
  run_unreserve(cluster).now();
  assumed_.services->nominator().add(assumed_.pod, Nomination{true, {}});
}

Steps<> Binding::run_unreserve(Cluster& cluster) {
  const auto hear = [&](bool ended) {
    const Cluster::Judging judging(&cluster);  // observers may not change it
    tell(CyclePoint::kUnreserve, ended, nullptr);
  };
  hear(false);
  BindingRun run = run_of(assumed_, cluster.view().find_node(assumed_.node));
  co_await run.unreserve(cluster);
  hear(true);
}

}  // namespace libsched
