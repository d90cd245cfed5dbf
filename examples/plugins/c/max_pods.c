/* A plugin in ten lines of C that limits the number of pods per node to its argument. It is built as a
   shared object and loaded with libsched_registry_load(). pluginConfig: {name: MaxPods, args: {pods: 2}}
 */
#include <cjson/cJSON.h>
#include <libsched.h>

static libsched_code create(void* user_data, libsched_str args, void** instance,
                            libsched_status* status) {
  cJSON* json = cJSON_ParseWithLength(args.ptr, args.len);
  const cJSON* pods = cJSON_GetObjectItem(json, "pods");
  const intptr_t limit = cJSON_IsNumber(pods) ? pods->valueint : 0;
  (void)user_data;
  cJSON_Delete(json);
  if (limit <= 0)
    libsched_status_add_reason(status, LIBSCHED_STR("pods must be a positive number"));
  *instance = (void*)limit;
  return limit > 0 ? LIBSCHED_CODE_SUCCESS : LIBSCHED_CODE_ERROR;
}

static libsched_code filter(void* instance, const libsched_cycle_state* state,
                            const libsched_pod* pod, const libsched_node_info* node,
                            libsched_status* status) {
  (void)state, (void)pod;
  if (libsched_node_info_pod_count(node) < (size_t)(intptr_t)instance) return LIBSCHED_CODE_SUCCESS;
  libsched_status_add_reason(status, LIBSCHED_STR("node(s) had as many pods as MaxPods allows"));
  return LIBSCHED_CODE_UNSCHEDULABLE;
}

LIBSCHED_EXPORT libsched_rc libsched_plugin_init(const libsched_host* host,
                                                 libsched_registry* registry,
                                                 libsched_error** error) {
  libsched_plugin plugin = LIBSCHED_PLUGIN_INIT;
  plugin.name = LIBSCHED_STR("MaxPods");
  plugin.create = create;
  plugin.filter = filter;
  return host->registry_add(registry, &plugin, NULL, error);
}
