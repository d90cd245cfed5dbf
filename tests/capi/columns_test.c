/* The resources of all nodes at once, the version of a view, and plugins that a registry enables.
 */
#include "fixture.h"

static libsched_code reject(void* instance, const libsched_cycle_state* state,
                            const libsched_pod* pod, const libsched_node_info* node,
                            libsched_status* status) {
  (void)instance, (void)state, (void)pod, (void)node;
  libsched_status_add_reason(status, text("never"));
  return LIBSCHED_CODE_UNSCHEDULABLE;
}

static libsched_code give_seven(void* instance, const libsched_cycle_state* state,
                                const libsched_pod* pod, const libsched_node_info* node,
                                int64_t* score, libsched_status* status) {
  (void)instance, (void)state, (void)pod, (void)node, (void)status;
  *score = 7;
  return LIBSCHED_CODE_SUCCESS;
}

static void columns_follow_the_cluster(void) {
  libsched_cluster* cluster = NULL;
  CHECK_OK(libsched_cluster_create(NULL, &cluster, err));
  libsched_node* node =
      node_of_json("{\"metadata\":{\"name\":\"a\"},\"status\":{\"allocatable\":{\"cpu\":\"4\"}}}");
  const libsched_node* nodes[] = {node};
  CHECK_OK(libsched_cluster_add_nodes(cluster, nodes, 1, err));
  const libsched_view* view = libsched_cluster_view(cluster);
  int64_t column[2] = {7, 7};
  CHECK(libsched_view_allocatable_column(view, text("cpu"), column, 2) == 1);
  CHECK(column[0] == 4000 && column[1] == 7);
  CHECK(libsched_view_requested_column(view, text("cpu"), column, 1) == 1 && column[0] == 0);
  column[0] = 7;
  CHECK(libsched_view_allocatable_column(view, text("x.y/none"), column, 1) == 1 && column[0] == 0);
  CHECK(libsched_view_allocatable_column(view, text("cpu"), NULL, 0) == 1);
  CHECK(libsched_view_requested_column(NULL, text("cpu"), column, 1) == 0);

  const uint64_t version = libsched_view_version(view);
  CHECK_OK(libsched_cluster_fork(cluster, err));
  CHECK_OK(libsched_cluster_remove_node(cluster, text("a"), err));
  CHECK(libsched_view_version(view) != version);
  column[0] = 7;
  if (libsched_view_allocatable_column(view, text("cpu"), column, 1) == 1) CHECK(column[0] == 0);
  CHECK_OK(libsched_cluster_revert(cluster, err));
  CHECK(libsched_view_version(view) == version && libsched_view_version(NULL) == 0);
  libsched_node_unref(node);
  libsched_cluster_unref(cluster);
}

/* Whether the profile of a configuration has the plugin at Filter. */
static int has_at_filter(const libsched_registry* registry, const char* config_json) {
  libsched_config* config = NULL;
  libsched_framework* framework = NULL;
  CHECK_OK(libsched_config_parse(text(config_json), NULL, &config, err));
  CHECK_OK(libsched_framework_create(config, text(""), registry, NULL, &framework, err));
  int has = 0;
  const libsched_str filter = text("filter");
  for (size_t i = 0; i < libsched_framework_plugin_count(framework, filter); ++i)
    has |= strcmp(libsched_framework_plugin(framework, filter, i).ptr, "Never") == 0;
  libsched_framework_unref(framework);
  libsched_config_unref(config);
  return has;
}

#define CONFIG(plugins)                                                                         \
  "{\"apiVersion\":\"kubescheduler.config.k8s.io/v1\",\"kind\":\"KubeSchedulerConfiguration\"," \
  "\"profiles\":[{\"plugins\":{" plugins "}}]}"

static int64_t weight_of(libsched_registry* registry) {
  libsched_framework* framework = NULL;
  const libsched_str score = text("score");
  int64_t weight = -1;
  CHECK_OK(libsched_framework_create(NULL, text(""), registry, NULL, &framework, err));
  for (size_t i = 0; i < libsched_framework_plugin_count(framework, score); ++i)
    if (strcmp(libsched_framework_plugin(framework, score, i).ptr, "Never") == 0)
      weight = libsched_framework_plugin_weight(framework, score, i);
  libsched_framework_unref(framework);
  return weight;
}

static void a_registry_enables_plugins(void) {
  libsched_registry* registry = NULL;
  CHECK_OK(libsched_registry_create(&registry, err));
  libsched_plugin plugin = LIBSCHED_PLUGIN_INIT;
  plugin.name = text("Never");
  plugin.filter = reject;
  plugin.score = give_seven;
  CHECK_OK(libsched_registry_add(registry, &plugin, NULL, err));
  CHECK(has_at_filter(registry, ""));
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, "", "Other",
              libsched_registry_enable(registry, text("Other"), 0, err));
  CHECK(weight_of(registry) == 1);
  CHECK_OK(libsched_registry_enable(registry, text("Never"), 7, err));
  CHECK(weight_of(registry) == 7);
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_registry_enable(NULL, text("Never"), 0, err));
  CHECK(has_at_filter(registry, ""));
  CHECK(has_at_filter(registry, CONFIG("\"multiPoint\":{\"disabled\":[{\"name\":\"*\"}]},"
                                       "\"queueSort\":{\"enabled\":[{\"name\":\"PrioritySort\"}]},"
                                       "\"bind\":{\"enabled\":[{\"name\":\"DefaultBinder\"}]}")));
  CHECK(!has_at_filter(registry, CONFIG("\"multiPoint\":{\"disabled\":[{\"name\":\"Never\"}]}")));
  CHECK(has_at_filter(registry, CONFIG("\"filter\":{\"enabled\":[{\"name\":\"Never\"}]}")));
  libsched_registry_unref(registry);
}

static void a_view_names_its_resources(void) {
  libsched_cluster* cluster = NULL;
  CHECK_OK(libsched_cluster_create(NULL, &cluster, err));
  const libsched_view* view = libsched_cluster_view(cluster);
  libsched_str names[8];
  CHECK(libsched_view_resources(view, names, 8) == 4);
  CHECK_STR(names[0], "cpu");
  CHECK_STR(names[3], "pods");
  libsched_node* node = node_of_json(
      "{\"metadata\":{\"name\":\"a\"},\"status\":{\"allocatable\":{\"example.com/gpu\":\"4\"}}}");
  const libsched_node* nodes[] = {node};
  CHECK_OK(libsched_cluster_add_nodes(cluster, nodes, 1, err));
  names[4].ptr = NULL;
  CHECK(libsched_view_resources(view, NULL, 0) == 5);
  CHECK(libsched_view_resources(view, names, 4) == 5 && names[4].ptr == NULL);
  CHECK(libsched_view_resources(view, names, 8) == 5);
  CHECK_STR(names[4], "example.com/gpu");
  CHECK(libsched_view_resources(NULL, names, 8) == 0);
  libsched_node_unref(node);
  libsched_cluster_unref(cluster);
}

int main(void) {
  a_view_names_its_resources();
  columns_follow_the_cluster();
  a_registry_enables_plugins();
  return finish();
}
