// Functions without an error that fill an object lent to a slot, or a caller's status: if one runs
// out of memory, the object reports it, and is never taken for an incomplete value.
#include <doctest/doctest.h>

#include <libsched.h>

#include <functional>
#include <string>

#include "failing_allocation.hpp"

#undef OK
#define OK(call)                          \
  do {                                    \
    libsched_error** const err = nullptr; \
    REQUIRE((call) == LIBSCHED_OK);       \
  } while (false)
#define STR(text) libsched_str_from(text)

namespace {

std::string out(libsched_str s) { return std::string(s.ptr == nullptr ? "" : s.ptr, s.len); }

// The setter that runs out of memory in the slots below.
enum class Starved { kReason, kErrorText, kPlugin, kNodes, kSignature, kEvents, kNone };
Starved starved = Starved::kNone;
const char kLong[] = "a text that is far too long to lie within a string by itself";

void starve(Starved which, const std::function<void()>& call) {
  if (which == starved) {
    left = 1;
    for_ever = true;
  }
  call();
  left = 0;
  for_ever = false;
}
libsched_code fill(void*, libsched_cycle_state*, const libsched_pod*,
                   libsched_prefilter_result* result, libsched_status* status) {
  const libsched_str name = libsched_str_from(kLong);
  libsched_status_set(status, LIBSCHED_CODE_SUCCESS);
  starve(Starved::kReason, [&] { libsched_status_add_reason(status, name); });
  starve(Starved::kErrorText, [&] { libsched_status_set_error(status, name); });
  starve(Starved::kPlugin, [&] { libsched_status_set_plugin(status, name); });
  starve(Starved::kNodes, [&] { libsched_prefilter_result_set_nodes(result, &name, 1); });
  return LIBSCHED_CODE_SUCCESS;
}
libsched_code sign_with(void*, const libsched_pod*, libsched_signature* signature,
                        libsched_status*) {
  starve(Starved::kSignature, [&] {
    libsched_signature_add(signature, libsched_str_from(kLong), libsched_str_from("1"));
  });
  return LIBSCHED_CODE_SUCCESS;
}
libsched_code register_with(void*, libsched_events* events, libsched_status*) {
  starve(Starved::kEvents,
         [&] { libsched_events_add(events, libsched_str_from(kLong), 1, false); });
  return LIBSCHED_CODE_SUCCESS;
}

TEST_CASE("what a slot could not say is never taken for less") {
  libsched_plugin plugin = LIBSCHED_PLUGIN_INIT;
  plugin.name = libsched_str_from("Filler");
  plugin.pre_filter = fill;
  plugin.sign = sign_with;
  plugin.events_to_register = register_with;
  libsched_registry* registry = nullptr;
  libsched_config* config = nullptr;
  libsched_framework* framework = nullptr;
  libsched_cluster* cluster = nullptr;
  libsched_evaluator* evaluator = nullptr;
  libsched_status* status = nullptr;
  libsched_prefilter_result* result = nullptr;
  libsched_cycle_state* state = nullptr;
  libsched_pod* pod = nullptr;
  OK(libsched_registry_create(&registry, err));
  OK(libsched_registry_add(registry, &plugin, nullptr, err));
  OK(libsched_config_parse(
      STR("{\"apiVersion\": \"kubescheduler.config.k8s.io/v1\", \"kind\": "
          "\"KubeSchedulerConfiguration\", \"profiles\": [{\"plugins\": {\"multiPoint\": "
          "{\"disabled\": [{\"name\": \"*\"}], \"enabled\": [{\"name\": \"PrioritySort\"}, "
          "{\"name\": \"Filler\"}, {\"name\": \"DefaultBinder\"}]}}}]}"),
      nullptr, &config, err));
  OK(libsched_framework_create(config, STR(""), registry, nullptr, &framework, err));
  OK(libsched_cluster_create(nullptr, &cluster, err));
  OK(libsched_evaluator_create(framework, cluster, nullptr, &evaluator, err));
  OK(libsched_status_create(&status, err));
  OK(libsched_prefilter_result_create(&result, err));
  OK(libsched_cycle_state_create(&state, err));
  OK(libsched_pod_parse(STR("{\"kind\": \"Pod\", \"metadata\": {\"name\": \"p\"}, \"spec\": "
                            "{\"containers\": [{\"name\": \"c\"}]}}"),
                        nullptr, &pod, err));
  for (const Starved which :
       {Starved::kNone, Starved::kReason, Starved::kErrorText, Starved::kPlugin, Starved::kNodes}) {
    CAPTURE(static_cast<int>(which));
    starved = which;
    OK(libsched_run_pre_filter_plugins(evaluator, state, pod, result, status, err));
    const libsched_str reason = libsched_status_reason(status, 0);
    const bool told =
        std::string(reason.ptr, reason.len).find("out of memory") != std::string::npos;
    CHECK(told == (which != Starved::kNone));
    CHECK(libsched_status_code(status) ==
          (which == Starved::kNone ? LIBSCHED_CODE_SUCCESS : LIBSCHED_CODE_ERROR));
  }
  for (const Starved which : {Starved::kSignature, Starved::kEvents, Starved::kNone}) {
    CAPTURE(static_cast<int>(which));
    starved = which;
    libsched_text* text = nullptr;
    CHECK(libsched_sign_pod(evaluator, pod, &text, nullptr) ==
          (which == Starved::kSignature ? LIBSCHED_ERR_NO_MEMORY : LIBSCHED_OK));
    libsched_text_unref(text);
    libsched_event_map* events = nullptr;
    CHECK(libsched_framework_events(framework, &events, nullptr) ==
          (which == Starved::kEvents ? LIBSCHED_ERR_NO_MEMORY : LIBSCHED_OK));
    libsched_event_map_unref(events);
  }
  libsched_pod_unref(pod);
  libsched_cycle_state_unref(state);
  libsched_prefilter_result_unref(result);
  libsched_status_unref(status);
  libsched_evaluator_unref(evaluator);
  libsched_cluster_unref(cluster);
  libsched_framework_unref(framework);
  libsched_config_unref(config);
  libsched_registry_unref(registry);
}

TEST_CASE("a caller's status and node statuses that run out of memory say so") {
  libsched_status* status = nullptr;
  libsched_node_statuses* statuses = nullptr;
  libsched_prefilter_result* result = nullptr;
  OK(libsched_status_create(&status, err));
  OK(libsched_node_statuses_create(&statuses, err));
  OK(libsched_prefilter_result_create(&result, err));
  const libsched_str name = libsched_str_from(kLong);
  starved = Starved::kReason;
  libsched_status_set(status, LIBSCHED_CODE_UNSCHEDULABLE);
  starve(Starved::kReason, [&] { libsched_status_add_reason(status, name); });
  libsched_status_add_reason(status, STR("more"));
  CHECK(libsched_status_code(status) == LIBSCHED_CODE_ERROR);
  CHECK(libsched_status_reason_count(status) == 1);
  CHECK(out(libsched_status_reason(status, 0)) == "out of memory");
  libsched_str text = {nullptr, 0};
  CHECK(libsched_status_as_error(status, &text));
  CHECK(out(text) == "out of memory");
  CHECK(libsched_node_statuses_set(statuses, 1, status, nullptr) == LIBSCHED_ERR_NO_MEMORY);
  CHECK(libsched_node_statuses_set_absent(statuses, status, nullptr) == LIBSCHED_ERR_NO_MEMORY);
  CHECK(libsched_node_statuses_code(statuses, 1) == LIBSCHED_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE);

  libsched_status_set(status, LIBSCHED_CODE_UNSCHEDULABLE);  // sets it again
  CHECK(libsched_status_reason_count(status) == 0);
  libsched_status_add_reason(status, name);
  libsched_rc rc = LIBSCHED_OK;
  starve(Starved::kReason, [&] { rc = libsched_node_statuses_set(statuses, 1, status, nullptr); });
  CHECK(rc == LIBSCHED_ERR_NO_MEMORY);
  starve(Starved::kReason,
         [&] { rc = libsched_node_statuses_set_absent(statuses, status, nullptr); });
  CHECK(rc == LIBSCHED_ERR_NO_MEMORY);
  CHECK(libsched_node_statuses_code(statuses, 1) == LIBSCHED_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE);
  OK(libsched_node_statuses_set(statuses, 1, status, err));
  starve(Starved::kReason, [&] { libsched_node_statuses_get(statuses, 1, status); });
  CHECK(libsched_status_code(status) == LIBSCHED_CODE_ERROR);
  libsched_node_statuses_get(statuses, 1, status);
  CHECK(out(libsched_status_reason(status, 0)) == kLong);

  starve(Starved::kReason, [&] { libsched_prefilter_result_set_nodes(result, &name, 1); });
  CHECK(!libsched_prefilter_result_all_nodes(result));
  CHECK(libsched_prefilter_result_node_count(result) == 0);
  libsched_prefilter_result_set_nodes(result, &name, 1);
  CHECK(libsched_prefilter_result_node_count(result) == 1);
  libsched_prefilter_result_unref(result);
  libsched_node_statuses_unref(statuses);
  libsched_status_unref(status);
}

}  // namespace
