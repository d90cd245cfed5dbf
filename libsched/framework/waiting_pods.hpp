// WaitingPods: pods that Permit plugins keep waiting until all of them allow it, one rejects, or a
// time is up. Any thread may use it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libsched/base/clock.hpp"
#include "libsched/base/mutex.hpp"
#include "libsched/framework/status.hpp"
#include "libsched/objects/pod.hpp"

namespace libsched {

// How long a plugin keeps a pod waiting; a time that is not positive is up at once.
struct PermitWait {
  std::string plugin;
  int64_t timeout_ns = 0;
};

class WaitingPod {
 public:
  // Requires at least one waiting plugin: otherwise nothing could decide.
  WaitingPod(PodRef pod, std::vector<PermitWait> waits, Ref<Clock> clock);

  const Pod& pod() const { return *pod_; }
  std::vector<std::string> pending_plugins() const;  // sorted
  bool pending(const std::string& plugin) const;
  // The first decision stands, as upstream's; later calls have no effect.
  void allow(Str plugin);
  // Decides Unschedulable; true if this call decided.
  bool reject(Str plugin, Str message);
  // Decides Error, so that the pod is retried soon.
  bool preempt(Str plugin, Str message);
  // The decision, if it has been made (a time that is up counts).
  std::optional<Status> decided();
  Status wait();
  int64_t deadline_ns() const;  // when the first time is up

 private:
  struct Timer {
    int64_t deadline_ns, timeout_ns;
  };
  bool stop(Code code, Str plugin, Str message);
  // With the lock held.
  void expire(int64_t now_ns);
  int64_t first_deadline() const;

  PodRef pod_;
  Ref<Clock> clock_;
  mutable Mutex mutex_;
  Signal changed_;
  std::map<std::string, Timer, std::less<>> pending_;
  std::optional<Status> decision_;
  bool done_ = false;
};

class WaitingPods {
 public:
  std::shared_ptr<WaitingPod> add(PodRef pod, std::vector<PermitWait> waits, Ref<Clock> clock);
  std::shared_ptr<WaitingPod> get(Str uid) const;        // null: it is not waiting
  std::vector<std::shared_ptr<WaitingPod>> all() const;  // by uid
  // Upstream's RejectWaitingPod: by no plugin, "removed". False if the pod is not waiting.
  bool reject(Str uid);
  void remove(Str uid);

 private:
  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<WaitingPod>, std::less<>> pods_;
  std::atomic<size_t> count_{0};  // of pods_
};

}  // namespace libsched
