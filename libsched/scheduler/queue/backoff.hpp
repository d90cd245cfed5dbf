// Backoff: how long a rejected pod waits before it is tried again.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "libsched/scheduler/queue/queued_pod_info.hpp"

namespace libsched {

inline constexpr int64_t kSecondNs = 1'000'000'000;

class Backoff {
 public:
  // `windows`: times are full seconds, so that pods of one second are flushed together (gate
  // SchedulerPopFromBackoffQ). A `max_ns` of 0 disables backoff.
  Backoff(int64_t initial_ns, int64_t max_ns, bool windows)
      : initial_ns_(initial_ns), max_ns_(max_ns), windows_(windows) {}

  // Of the first failure (1), the second, ... ; 0: no backoff. `pods` that fail together wait
  // longer.
  int64_t duration(uint32_t count, size_t pods = 1) const {
    if (count == 0) return 0;
    const uint32_t shift = count - 1;
    const int64_t most = longest(pods);
    if (initial_ns_ > (shift > 62 ? 0 : most >> shift)) return most;
    return shift > 62 ? 0 : initial_ns_ << shift;
  }
  // The beginning of the window that contains a time.
  int64_t align(int64_t ns) const {
    if (!windows_) return ns;
    const int64_t over = ns % kSecondNs;
    return ns - (over < 0 ? over + kSecondNs : over);
  }
  // The end of a pod's backoff, by its consecutive errors, if any; kNoTime: no backoff.
  int64_t expiration(int64_t since_ns, uint32_t rejections, uint32_t errors,
                     size_t pods = 1) const {
    const uint32_t count = errors > 0 ? errors : rejections;
    if (max_ns_ == 0 || count == 0) return kNoTime;
    const int64_t wait = duration(count, pods);
    return align(wait > INT64_MAX - std::max<int64_t>(since_ns, 0) ? INT64_MAX : since_ns + wait);
  }
  // The end of the pod's backoff, computed once.
  int64_t expiration(QueuedPodInfo& pod) const {
    if (pod.backoff_expiration_ns == kNoTime)
      pod.backoff_expiration_ns = expiration(pod.timestamp_ns, pod.unschedulable_count,
                                             pod.consecutive_errors_count, pod.size());
    return pod.backoff_expiration_ns;
  }
  // The whole window must be over.
  bool over(int64_t expiration_ns, int64_t now_ns) const { return expiration_ns < align(now_ns); }

 private:
  int64_t longest(size_t pods) const {
    if (pods < 2) return max_ns_;
    const double most = static_cast<double>(max_ns_) * std::sqrt(static_cast<double>(pods));
    return most < 9.2e18 ? static_cast<int64_t>(most) : INT64_MAX;
  }

  int64_t initial_ns_, max_ns_;
  bool windows_;
};

}  // namespace libsched
