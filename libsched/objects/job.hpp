// What a Job or CronJob says of its pods beside their template: how many of them run, and when.
#pragma once

#include <cstdint>
#include <optional>

#include "libsched/objects/pod.hpp"

namespace libsched {

class JobRules final : public Object {
 public:
  JobRules() : Object(256) {}

  int32_t parallelism = 1;
  std::optional<int32_t> completions;
  bool suspend = false;
  // Fields that are set to something else than the API server's default, and that decide about
  // failed pods, deadlines or the indexes of pods: paths below the object.
  Span<Str> others;

  // Of a CronJob alone.
  bool cron = false, cron_suspend = false;
  Str schedule, concurrency_policy;
  std::optional<Str> time_zone;
  std::optional<int64_t> starting_deadline_s;
};

// The rules that a pod template has from its Job's or CronJob's document; null: none.
inline const JobRules* job_rules(const Pod& pod) {
  return static_cast<const JobRules*>(pod.job.get());
}

}  // namespace libsched
