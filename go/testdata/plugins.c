/* Plugins in C equal to some of the tests' plugins in Go, to compare answers and costs. */
#include <libsched.h>

static const libsched_str reasons[] = {{"odd", 3}};

static libsched_code pre_filter(void* instance, libsched_cycle_state* state,
                                const libsched_pod* pod, libsched_prefilter_result* result,
                                libsched_status* status) {
  (void)instance, (void)state, (void)pod, (void)result, (void)status;
  return LIBSCHED_CODE_SUCCESS;
}

static libsched_code accept_all(void* instance, const libsched_cycle_state* state,
                                const libsched_pod* pod, const libsched_node_set* nodes,
                                int8_t* codes, uint16_t* indexes, libsched_status* status) {
  (void)instance, (void)state, (void)pod, (void)nodes, (void)codes, (void)indexes, (void)status;
  return LIBSCHED_CODE_SUCCESS;
}

static libsched_code reject_half(void* instance, const libsched_cycle_state* state,
                                 const libsched_pod* pod, const libsched_node_set* nodes,
                                 int8_t* codes, uint16_t* indexes, libsched_status* status) {
  (void)instance, (void)state, (void)pod, (void)indexes, (void)status;
  const size_t count = libsched_node_set_count(nodes);
  const uint32_t* rows = libsched_node_set_rows(nodes);
  for (size_t i = 0; i < count; ++i) codes[i] = (int8_t)(rows[i] % 2 * LIBSCHED_CODE_UNSCHEDULABLE);
  return LIBSCHED_CODE_SUCCESS;
}

static libsched_code score_none(void* instance, const libsched_cycle_state* state,
                                const libsched_pod* pod, const libsched_node_set* nodes,
                                int64_t* scores, libsched_status* status) {
  (void)instance, (void)state, (void)pod, (void)nodes, (void)scores, (void)status;
  return LIBSCHED_CODE_SUCCESS;
}

static libsched_code sign(void* instance, const libsched_pod* pod, libsched_signature* signature,
                          libsched_status* status) {
  (void)instance, (void)pod, (void)status;
  libsched_signature_add(signature, (libsched_str){"example.com/name", 16},
                         (libsched_str){"[ \"p\", \"<\" ]", 12});
  libsched_signature_add(signature, (libsched_str){"a<", 2}, (libsched_str){"{\"n\": 1.50}", 11});
  return LIBSCHED_CODE_SUCCESS;
}

LIBSCHED_EXPORT libsched_rc libsched_plugin_init(const libsched_host* host,
                                                 libsched_registry* registry,
                                                 libsched_error** error) {
  libsched_plugin plugin = LIBSCHED_PLUGIN_INIT;
  plugin.flags = LIBSCHED_PLUGIN_CONCURRENT;
  plugin.reasons = reasons;
  plugin.reason_count = 1;
  plugin.pre_filter = pre_filter;
  plugin.name = (libsched_str){"AcceptAll", 9};
  plugin.filter_batch = accept_all;
  libsched_rc rc = host->registry_add(registry, &plugin, NULL, error);
  if (rc != LIBSCHED_OK) return rc;
  plugin.name = (libsched_str){"RejectHalf", 10};
  plugin.filter_batch = reject_half;
  rc = host->registry_add(registry, &plugin, NULL, error);
  if (rc != LIBSCHED_OK) return rc;
  plugin.name = (libsched_str){"ScoreNone", 9};
  plugin.filter_batch = NULL;
  plugin.score_batch = score_none;
  rc = host->registry_add(registry, &plugin, NULL, error);
  if (rc != LIBSCHED_OK) return rc;
  plugin.name = (libsched_str){"Signs", 5};
  plugin.score_batch = NULL;
  plugin.sign = sign;
  return host->registry_add(registry, &plugin, NULL, error);
}
