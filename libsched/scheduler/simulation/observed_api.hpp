// ObservedApi: the scheduler's API client in a simulation. It forwards to the API server and
// records bindings and preemptions. Events are not kept.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "libsched/scheduler/loop/forwarding_api.hpp"

namespace libsched {

class ObservedApi final : public ForwardingApi<> {
 public:
  // Both are called after the API server has accepted the call, on the thread that makes it.
  using Bound = std::function<void(const Pod&, Str node)>;
  // `by` is the preemptor's uid.
  using Preempted = std::function<void(const Pod& victim, Str by)>;

  // `unattended`: no controller binds volumes.
  ObservedApi(Ref<ApiClient> api, bool unattended, Bound bound, Preempted preempted)
      : ForwardingApi(std::move(api)),
        unattended_(unattended),
        bound_(std::move(bound)),
        preempted_(std::move(preempted)) {}

  bool unattended() const override { return unattended_; }
  bool keeps_events() const override { return true; }
  Result<void> bind(const Pod& pod, Str node) override {
    LIBSCHED_TRY(api().bind(pod, node));
    bound_(pod, node);
    return {};
  }
  void event(const Pod& pod, Str, Str reason, Str, Str note) override {
    // DefaultPreemption's event about a victim that it has deleted. A victim that was only assumed
    // goes back to the queue: that is said in brackets at the end.
    constexpr Str kBegin = "Preempted by pod ", kEnd = " on node ";
    if (reason != "Preempted" || !note.starts_with(kBegin) || note.ends_with(").")) return;
    const Str by = note.substr(kBegin.size());
    preempted_(pod, by.substr(0, by.find(kEnd)));
  }

 private:
  bool unattended_;
  Bound bound_;
  Preempted preempted_;
};

}  // namespace libsched
