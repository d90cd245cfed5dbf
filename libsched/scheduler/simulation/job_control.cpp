// See job_control.hpp.
#include "libsched/scheduler/simulation/job_control.hpp"

#include <string>
#include <utility>

#include "libsched/base/quote.hpp"

namespace libsched {

Result<JobControl> job_control(const JobRules& rules, uint64_t parallelism) {
  JobControl out;
  out.parallelism = parallelism;
  out.completions = rules.completions.has_value();
  if (!rules.cron) return out;
  Result<CronSchedule> schedule =
      CronSchedule::parse(rules.schedule, rules.time_zone.value_or("UTC"));
  if (!schedule.ok()) {
    Error error = std::move(schedule.error());
    error.path = "spec." + error.path;
    return error;
  }
  out.schedule = std::move(*schedule);
  out.starting_deadline_s = rules.starting_deadline_s;
  if (out.starting_deadline_s && *out.starting_deadline_s < 0)
    return invalid("spec.startingDeadlineSeconds", "must not be negative");
  const Str policy = rules.concurrency_policy;
  if (policy == "Forbid") {
    out.overlap = JobControl::Overlap::kForbid;
  } else if (policy == "Replace") {
    out.overlap = JobControl::Overlap::kReplace;
  } else if (!policy.empty() && policy != "Allow") {
    return invalid("spec.concurrencyPolicy",
                   go_quote(policy) + " is none of Allow, Forbid and Replace");
  }
  return out;
}

}  // namespace libsched
