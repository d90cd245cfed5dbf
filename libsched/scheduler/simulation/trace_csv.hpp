// Reads a workload from CSV in the columns of the openb trace (cluster-trace-gpu-v2023).
//
// Columns, in any order: name, cpu_milli, memory_mib (required); num_gpu, gpu_milli (of each GPU),
// gpu_spec (types joined by "|"), qos, pod_phase, creation_time, deletion_time, scheduled_time
// (seconds). An empty field of an optional column is as a missing column.
//
// A pod arrives at creation_time (default: 0) and runs for deletion_time - scheduled_time; without
// scheduled_time, for deletion_time - creation_time; without deletion_time, until the end.
// num_gpu * gpu_milli is requested as one resource, which a scheduler adds up over the cards of a
// node. gpu_spec becomes required node affinity to the label, qos a label of the pod; pod_phase says
// what happened elsewhere, and is only checked to be a phase.
#pragma once

#include <string>

#include "libsched/ingest/interrupt.hpp"
#include "libsched/scheduler/simulation/workload.hpp"

namespace libsched {

struct TraceOptions {
  std::string ns = "default";
  std::string scheduler_name;  // "": the default scheduler's
  std::string gpu_resource = "alibabacloud.com/gpu-milli";
  std::string gpu_model_label = "alibabacloud.com/gpu-card-model";
  std::string qos_label = "alibabacloud.com/qos";
  Interrupt interrupt;
};

// Adds all rows, or none. `file` names the text in errors: kInvalid with the path
// "FILE:LINE: COLUMN" (a bad field, an unknown, repeated or missing column, a pod that ends before
// it arrives), kExists with such a path (a name twice), kLimit, kCancelled.
Result<void> add_trace(TimedWorkload* workload, Str csv, Str file, const TraceOptions& options);

}  // namespace libsched
