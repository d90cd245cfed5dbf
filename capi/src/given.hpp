// Structs that callers give to a function, and the checks that all of them have in common.
#pragma once

#include <string>

#include "handles.hpp"
#include "refusals.hpp"

namespace libsched::capi {

// The name and the defaults of a struct.
template <typename T>
struct GivenStruct;
#define LIBSCHED_GIVEN(name, INIT)                                                       \
  template <>                                                                            \
  struct GivenStruct<libsched_##name> {                                                  \
    static constexpr const char* kName = "libsched_" #name;                              \
    static libsched_##name defaults() { return libsched_##name LIBSCHED_##INIT##_INIT; } \
  };
LIBSCHED_GIVEN(api_client, API_CLIENT)
LIBSCHED_GIVEN(api_fault, API_FAULT)
LIBSCHED_GIVEN(api_server_options, API_SERVER_OPTIONS)
LIBSCHED_GIVEN(assume_options, ASSUME_OPTIONS)
LIBSCHED_GIVEN(capacity_options, CAPACITY_OPTIONS)
LIBSCHED_GIVEN(catalog_options, CATALOG_OPTIONS)
LIBSCHED_GIVEN(cel_device, CEL_DEVICE)
LIBSCHED_GIVEN(cel_options, CEL_OPTIONS)
LIBSCHED_GIVEN(check_options, CHECK_OPTIONS)
LIBSCHED_GIVEN(clock_functions, CLOCK_FUNCTIONS)
LIBSCHED_GIVEN(cluster_options, CLUSTER_OPTIONS)
LIBSCHED_GIVEN(compare_options, COMPARE_OPTIONS)
LIBSCHED_GIVEN(config_options, CONFIG_OPTIONS)
LIBSCHED_GIVEN(cycle_options, CYCLE_OPTIONS)
LIBSCHED_GIVEN(drain_options, DRAIN_OPTIONS)
LIBSCHED_GIVEN(evaluator_options, EVALUATOR_OPTIONS)
LIBSCHED_GIVEN(extender_functions, EXTENDER_FUNCTIONS)
LIBSCHED_GIVEN(filter_options, FILTER_OPTIONS)
LIBSCHED_GIVEN(framework_options, FRAMEWORK_OPTIONS)
LIBSCHED_GIVEN(nomination, NOMINATION)
LIBSCHED_GIVEN(parse_options, PARSE_OPTIONS)
LIBSCHED_GIVEN(queue_event, QUEUE_EVENT)
LIBSCHED_GIVEN(queue_options, QUEUE_OPTIONS)
LIBSCHED_GIVEN(rejection, REJECTION)
LIBSCHED_GIVEN(schedule_options, SCHEDULE_OPTIONS)
LIBSCHED_GIVEN(scheduler_observer, SCHEDULER_OBSERVER)
LIBSCHED_GIVEN(scheduler_options, SCHEDULER_OPTIONS)
LIBSCHED_GIVEN(scheduling_options, SCHEDULING_OPTIONS)
LIBSCHED_GIVEN(services_options, SERVICES_OPTIONS)
LIBSCHED_GIVEN(sim_pack_options, SIM_PACK_OPTIONS)
LIBSCHED_GIVEN(sim_place_options, SIM_PLACE_OPTIONS)
LIBSCHED_GIVEN(sim_remove_options, SIM_REMOVE_OPTIONS)
LIBSCHED_GIVEN(simulation_options, SIMULATION_OPTIONS)
LIBSCHED_GIVEN(timing, TIMING)
LIBSCHED_GIVEN(trace_options, TRACE_OPTIONS)
LIBSCHED_GIVEN(why_options, WHY_OPTIONS)
#undef LIBSCHED_GIVEN

// The struct, or the defaults for NULL. Errors: MISUSE (struct_size, a dead handle), UNSUPPORTED
// (unknown fields, ties, reserved fields).
template <typename T>
Result<T> read_given(const T* from, const char* name = GivenStruct<T>::kName) {
  Result<T> read = read_struct(from, GivenStruct<T>::defaults(), name);
  if (!read.ok()) return read;
  if constexpr (requires { read->ties; })
    if (read->ties > LIBSCHED_TIES_RANDOM) return unsupported(std::string(name) + ": unknown ties");
  if constexpr (requires { read->reserved; }) LIBSCHED_TRY(refuse_reserved(read->reserved, name));
  if constexpr (requires { read->cancel; })
    LIBSCHED_TRY(live_or_null("options->cancel", read->cancel));
  return read;
}

}  // namespace libsched::capi
