// Activations of pods by plugins, with each allocation of a scheduler's run failing in turn: once
// memory is back, the activated pod is tried again, without waiting for anything else.
#include <doctest/doctest.h>

#include <libsched.h>

#include "failing_scheduler.hpp"

namespace failing_scheduler_test {
namespace {

// A plugin that refuses the pod "waits", and activates it whenever it reserves or has bound
// another.
struct Waker {
  const libsched_pod* waits = nullptr;
  int tries = 0;
  bool at_reserve = false, woke = false;
};
Waker& waker(void* instance) { return *static_cast<Waker*>(instance); }
libsched_code refuse(void*, const libsched_cycle_state*, const libsched_pod* pod,
                     const libsched_node_info*, libsched_status*) {
  if (out(libsched_pod_name(pod)) != "waits") return LIBSCHED_CODE_SUCCESS;
  return LIBSCHED_CODE_UNSCHEDULABLE;
}
libsched_code count_tries(void* instance, libsched_cycle_state*, const libsched_pod* pod,
                          libsched_prefilter_result*, libsched_status*) {
  if (out(libsched_pod_name(pod)) == "waits") ++waker(instance).tries;
  return LIBSCHED_CODE_SUCCESS;
}
libsched_code no_events(void*, libsched_events*, libsched_status*) { return LIBSCHED_CODE_SUCCESS; }
libsched_code wake(Waker& w, libsched_cycle_state* state) {
  libsched_error* error = nullptr;
  const libsched_rc rc = libsched_cycle_state_activate(state, w.waits, &error);
  libsched_error_unref(error);
  w.woke = w.woke || rc == LIBSCHED_OK;
  return rc == LIBSCHED_OK ? LIBSCHED_CODE_SUCCESS : LIBSCHED_CODE_ERROR;
}
libsched_code wake_at_reserve(void* instance, libsched_cycle_state* state, const libsched_pod*,
                              uint32_t, libsched_str, libsched_status*) {
  return waker(instance).at_reserve ? wake(waker(instance), state) : LIBSCHED_CODE_SUCCESS;
}
libsched_code wake_at_pre_bind(void* instance, libsched_cycle_state* state, const libsched_pod*,
                               libsched_str, libsched_status*) {
  return waker(instance).at_reserve ? LIBSCHED_CODE_SUCCESS : wake(waker(instance), state);
}

// Returns whether an allocation has failed: the n-th, or with `ever` it and all later ones.
bool activates(bool at_reserve, bool ever, long n) {
  Waker w;
  w.at_reserve = at_reserve;
  libsched_plugin p = LIBSCHED_PLUGIN_INIT;
  p.name = LIBSCHED_STR("Waker");
  p.pre_filter = count_tries;
  p.filter = refuse;
  p.events_to_register = no_events;
  p.reserve = wake_at_reserve;
  p.pre_bind = wake_at_pre_bind;
  libsched_config* config = nullptr;
  libsched_registry* registry = nullptr;
  libsched_framework* framework = nullptr;
  SURE(libsched_config_parse(
      libsched_str_from("apiVersion: kubescheduler.config.k8s.io/v1\nkind: "
                        "KubeSchedulerConfiguration\nprofiles: [{plugins: {multiPoint: {enabled: "
                        "[{name: Waker}], disabled: [{name: DefaultPreemption}]}}}]\n"),
      nullptr, &config, err));
  SURE(libsched_registry_create(&registry, err));
  SURE(libsched_registry_add(registry, &p, &w, err));
  SURE(
      libsched_framework_create(config, libsched_str_from(""), registry, nullptr, &framework, err));
  libsched_registry_unref(registry);
  libsched_config_unref(config);
  bool failed = false;
  {
    libsched_clock* clock = nullptr;
    libsched_cluster* cluster = nullptr;
    libsched_api_server* server = nullptr;
    libsched_scheduler* scheduler = nullptr;
    SURE(libsched_clock_create_virtual(1000 * kSecond, &clock, err));
    SURE(libsched_cluster_create(nullptr, &cluster, err));
    libsched_api_server_options server_options = LIBSCHED_API_SERVER_OPTIONS_INIT;
    server_options.clock = clock;
    server_options.keep_events = true;
    SURE(libsched_api_server_create(&server_options, &server, err));
    libsched_scheduler_options options = LIBSCHED_SCHEDULER_OPTIONS_INIT;
    options.clock = clock;
    options.api_server = server;
    SURE(libsched_scheduler_create(&framework, 1, cluster, &options, &scheduler, err));
    SURE(libsched_scheduler_start(scheduler, err));
    libsched_objects* objects = parse(kNodes + pod_text("waits", 1, 0) + pod_text("other", 1, 0));
    SURE(libsched_api_server_create_node(server, libsched_objects_get_node(objects, 0), err));
    w.waits = libsched_objects_get_pod(objects, 0);
    SURE(libsched_api_server_create_pod(server, w.waits, err));
    SURE(libsched_scheduler_settle(scheduler, false, 0, err));
    REQUIRE(w.tries == 1);
    SURE(libsched_api_server_create_pod(server, libsched_objects_get_pod(objects, 1), err));
    libsched_rc rc = LIBSCHED_OK;
    const auto settle = [&] { return libsched_scheduler_settle(scheduler, false, 0, nullptr); };
    failed = starved(n, ever, settle, &rc);
    CHECK(rc == (rc == LIBSCHED_OK ? LIBSCHED_OK : LIBSCHED_ERR_NO_MEMORY));
    // Long enough for another try of a pod that has failed, not for one of any unschedulable pod.
    SURE(libsched_scheduler_run_until(scheduler, libsched_clock_now(clock) + 60 * kSecond, nullptr,
                                      err));
    CHECK(w.woke);
    CHECK(w.tries >= 2);
    libsched_objects_unref(objects);
    libsched_scheduler_unref(scheduler);
    libsched_api_server_unref(server);
    libsched_cluster_unref(cluster);
    libsched_clock_unref(clock);
  }
  libsched_framework_unref(framework);
  return failed;
}

TEST_CASE("no activation is lost, whatever allocation fails") {
  for (const bool at_reserve : {true, false})
    for (const bool ever : {false, true}) {
      CAPTURE(at_reserve);
      CAPTURE(ever);
      long n = 1;
      for (; n < 10'000; ++n) {
        CAPTURE(n);
        if (!activates(at_reserve, ever, n)) break;
      }
      CHECK(n > 50);
    }
}

}  // namespace
}  // namespace failing_scheduler_test
