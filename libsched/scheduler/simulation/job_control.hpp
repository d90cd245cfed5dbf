// JobControl: how the controllers of Jobs and CronJobs make the pods of an entry.
#pragma once

#include <cstdint>
#include <optional>

#include "libsched/objects/job.hpp"
#include "libsched/scheduler/simulation/cron.hpp"

namespace libsched {

struct JobControl {
  enum class Overlap : uint8_t { kAllow, kForbid, kReplace };

  uint64_t parallelism = 1;
  bool completions = false;  // the number of pods is what has to succeed
  std::optional<CronSchedule> schedule;
  Overlap overlap = Overlap::kAllow;
  std::optional<int64_t> starting_deadline_s;
};

// Of a pod template with `rules`, with so many pods at a time. Errors: kInvalid with the path.
Result<JobControl> job_control(const JobRules& rules, uint64_t parallelism);

}  // namespace libsched
