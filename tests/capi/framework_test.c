/* Configuration, registry, framework, cycle state and status. */
#include <cjson/cJSON.h>

#include "fixture.h"

static const char* const kTwoProfiles =
    "apiVersion: kubescheduler.config.k8s.io/v1\n"
    "kind: KubeSchedulerConfiguration\n"
    "profiles:\n"
    "- schedulerName: one\n"
    "- schedulerName: two\n"
    "  plugins:\n"
    "    filter: {disabled: [{name: \"*\"}], enabled: [{name: NodeName}]}\n";

/* The names of a point's plugins, in "a,b" form. */
static const char* plugins_at(const libsched_framework* framework, const char* point) {
  static char names[2048];
  names[0] = '\0';
  const size_t count = libsched_framework_plugin_count(framework, text(point));
  for (size_t i = 0; i < count; ++i) {
    const int64_t weight = libsched_framework_plugin_weight(framework, text(point), i);
    CHECK((weight != 0) == (strcmp(point, "score") == 0));
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", names[0] ? "," : "",
             libsched_framework_plugin(framework, text(point), i).ptr);
  }
  CHECK(libsched_framework_plugin(framework, text(point), count).len == 0);
  CHECK(libsched_framework_plugin_weight(framework, text(point), count) == 0);
  return names;
}

static libsched_config_options one = {
    sizeof(libsched_config_options), false, true, {false, false}, {NULL, 0}, {NULL, 0}};

static void test_config(void) {
  libsched_config* config = NULL;
  CHECK_OK(libsched_config_parse(text(kTwoProfiles), NULL, &config, err));
  CHECK(libsched_config_profile_count(config) == 2);
  CHECK_STR(libsched_config_profile_name(config, 0), "one");
  CHECK_STR(libsched_config_profile_name(config, 1), "two");
  CHECK(libsched_config_profile_name(config, 2).len == 0);
  libsched_text* description = NULL;
  CHECK_OK(libsched_config_describe_json(config, &description, err));
  cJSON* document = cJSON_Parse(libsched_text_get(description).ptr);
  CHECK(cJSON_IsObject(document));
  cJSON_Delete(document);
  libsched_text_unref(description);
  CHECK_OK(libsched_embedded_configs_json(
      text("kind: ConfigMap\ndata: {c: 'kind: KubeSchedulerConfiguration'}\n"), &description, err));
  CHECK_STR(
      libsched_text_get(description),
      "[{\"place\":\"data.c\",\"text\":\"kind: KubeSchedulerConfiguration\",\"isFile\":true}]");
  libsched_text_unref(description);

  libsched_framework* framework = UNTOUCHED;
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, NULL, "three",
              libsched_framework_create(config, text("three"), NULL, NULL, &framework, err));
  CHECK(framework == UNTOUCHED);
  CHECK_OK(libsched_framework_create(config, text("two"), NULL, NULL, &framework, err));
  libsched_config* again = libsched_config_ref(config);
  libsched_config_unref(config);
  libsched_config_unref(again);
  libsched_config_unref(NULL);
  CHECK_STR(libsched_framework_profile(framework), "two");
  CHECK(strcmp(plugins_at(framework, "filter"), "NodeName") == 0);
  libsched_framework_unref(framework);

  CHECK_OK(libsched_config_parse(LIBSCHED_STR(""), NULL, &config, err)); /* upstream's defaults */
  CHECK(libsched_config_profile_count(config) == 1);
  CHECK_STR(libsched_config_profile_name(config, 0), "default-scheduler");
  libsched_config_unref(config);

  config = UNTOUCHED;
  CHECK_FAILS(
      LIBSCHED_ERR_INVALID, NULL, NULL,
      libsched_config_parse(LIBSCHED_STR("kind: KubeSchedulerConfiguration\napiVersion: v9\n"),
                            NULL, &config, err));
  CHECK_FAILS(
      LIBSCHED_ERR_INVALID, NULL, "parallelism",
      libsched_config_parse(LIBSCHED_STR("apiVersion: kubescheduler.config.k8s.io/v1\nkind: "
                                         "KubeSchedulerConfiguration\nparallelism: -1\n"),
                            NULL, &config, err));
  CHECK(config == UNTOUCHED);
}

static void test_framework(void) {
  libsched_framework* framework = default_framework();
  CHECK_STR(libsched_framework_profile(framework), "default-scheduler");
  CHECK(strncmp(plugins_at(framework, "preEnqueue"), "SchedulingGates,", 16) == 0);
  CHECK(strncmp(plugins_at(framework, "score"), "TaintToleration,", 16) == 0);
  CHECK(strcmp(plugins_at(framework, "bind"), "DefaultBinder") == 0);
  CHECK(strstr(plugins_at(framework, "filter"),
               "NodeName,NodeUnschedulable,TaintToleration,NodeAffinity,"
               "NodePorts,NodeResourcesFit") != NULL);
  libsched_pod* low = NULL;
  libsched_pod* high = NULL;
  bool less = false;
  CHECK_OK(
      libsched_pod_parse(LIBSCHED_STR("{\"metadata\": {\"name\": \"low\"}}"), NULL, &low, err));
  CHECK_OK(libsched_pod_parse(
      LIBSCHED_STR("{\"metadata\": {\"name\": \"high\"}, \"spec\": {\"priority\": 5}}"), NULL,
      &high, err));
  CHECK_OK(libsched_framework_queue_less(framework, high, 2, low, 1, &less, err));
  CHECK(less);
  CHECK_OK(libsched_framework_queue_less(framework, low, 2, low, 1, &less, err));
  CHECK(!less);
  libsched_pod_unref(low);
  libsched_pod_unref(high);

  libsched_framework* again = libsched_framework_ref(framework);
  libsched_framework_unref(framework);
  libsched_framework_unref(again);
  libsched_framework_unref(NULL);

  libsched_framework_options options = LIBSCHED_FRAMEWORK_OPTIONS_INIT;
  framework = UNTOUCHED;
  options.feature_gates = LIBSCHED_STR("NoSuchGate=true");
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "NoSuchGate",
              libsched_framework_create(NULL, text(""), NULL, &options, &framework, err));
  options.feature_gates = LIBSCHED_STR("DynamicResourceAllocation=maybe");
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, NULL,
              libsched_framework_create(NULL, text(""), NULL, &options, &framework, err));
  options.feature_gates.len = 0;
  options.reserved[0] = true;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, NULL,
              libsched_framework_create(NULL, text(""), NULL, &options, &framework, err));
  options.reserved[0] = false;
  options.semantics = LIBSCHED_STR("1.30");
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL,
              "unknown semantics \"1.30\": choose \"1.37\", \"1.36\", \"1.35\", \"1.34\", "
              "\"1.33\", \"1.32\" or \"1.31\"",
              libsched_framework_create(NULL, text(""), NULL, &options, &framework, err));
  CHECK(framework == UNTOUCHED);
  options.semantics = LIBSCHED_STR("v1.31.9-eks-1");
  CHECK_OK(
      libsched_framework_create(NULL, text("default-scheduler"), NULL, &options, &framework, err));
  libsched_framework_unref(framework);
}

/* A configuration of a release, and frameworks of it. */
static void test_config_semantics(void) {
  const libsched_str document = LIBSCHED_STR(
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
      "profiles: [{plugins: {podGroupPostFilter: {disabled: [{name: '*'}]}}}]\n");
  libsched_config_options options = LIBSCHED_CONFIG_OPTIONS_INIT;
  libsched_config* config = UNTOUCHED;
  options.semantics = LIBSCHED_STR("1.36");
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "profiles[0].plugins.podGroupPostFilter", "unknown field",
              libsched_config_parse(document, &options, &config, err));
  options.semantics = LIBSCHED_STR("1.30");
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, "unknown semantics \"1.30\"",
              libsched_config_parse(document, &options, &config, err));
  options.semantics = LIBSCHED_STR("1.31");
  options.feature_gates = LIBSCHED_STR("OpportunisticBatching=false");
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "unrecognized feature gate: OpportunisticBatching",
              libsched_config_parse(document, &options, &config, err));
  CHECK(config == UNTOUCHED);
  options.semantics = LIBSCHED_STR("v1.37.0");
  options.feature_gates.len = 0;
  CHECK_OK(libsched_config_parse(document, &options, &config, err));
  libsched_text* description = NULL;
  CHECK_OK(libsched_config_describe_json(config, &description, err));
  CHECK(strstr(libsched_text_get(description).ptr, "\"preFilter\":[{\"name\":\"NodeName\"}") !=
        NULL);
  libsched_text_unref(description);

  libsched_framework_options follows = LIBSCHED_FRAMEWORK_OPTIONS_INIT;
  libsched_framework* framework = UNTOUCHED;
  follows.semantics = LIBSCHED_STR("1.36");
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL,
              "the configuration was read with the semantics of 1.37, which cannot be used with "
              "those of 1.36",
              libsched_framework_create(config, text(""), NULL, &follows, &framework, err));
  CHECK(framework == UNTOUCHED);
  follows.semantics = LIBSCHED_STR("1.37");
  CHECK_OK(libsched_framework_create(config, text(""), NULL, &follows, &framework, err));
  libsched_framework_unref(framework);
  CHECK_OK(libsched_framework_create(config, text(""), NULL, NULL, &framework, err));
  CHECK(strncmp(plugins_at(framework, "preFilter"), "NodeName,", 9) == 0);
  CHECK(libsched_framework_plugin_count(framework, text("podGroupPostFilter")) == 0);
  libsched_framework_unref(framework);
  libsched_config_unref(config);

  /* Upstream's defaults; without semantics of their own they are those of any framework. */
  CHECK_OK(libsched_config_parse(LIBSCHED_STR(""), &options, &config, err));
  CHECK_OK(libsched_framework_create(config, text(""), NULL, NULL, &framework, err));
  CHECK(libsched_framework_plugin_count(framework, text("podGroupPostFilter")) != 0);
  libsched_framework_unref(framework);
  libsched_config_unref(config);
  CHECK_OK(libsched_config_parse(LIBSCHED_STR(""), NULL, &config, err));
  CHECK_OK(libsched_framework_create(config, text(""), NULL, &follows, &framework, err));
  CHECK(libsched_framework_plugin_count(framework, text("podGroupPostFilter")) != 0);
  libsched_framework_unref(framework);
  libsched_config_unref(config);
}

static void test_registry(void) {
  libsched_registry* registry = NULL;
  CHECK_OK(libsched_registry_create(&registry, err));
  libsched_registry* again = libsched_registry_ref(registry);
  CHECK(again == registry);
  libsched_framework* framework = NULL;
  CHECK_OK(libsched_framework_create(NULL, text(""), registry, NULL, &framework, err));
  libsched_registry_unref(registry);
  libsched_registry_unref(again);
  libsched_registry_unref(NULL);
  CHECK(strstr(plugins_at(framework, "filter"), "NodeResourcesFit") != NULL);
  libsched_framework_unref(framework);
}

static void test_status(void) {
  libsched_status* status = NULL;
  CHECK_OK(libsched_status_create(&status, err));
  CHECK(libsched_status_code(status) == LIBSCHED_CODE_SUCCESS);
  CHECK(libsched_status_reason_count(status) == 0);
  CHECK_STR(libsched_status_plugin(status), "");
  libsched_status_set(status, LIBSCHED_CODE_UNSCHEDULABLE);
  char reason[] = "too small";
  libsched_status_add_reason(status, libsched_str_from(reason));
  memset(reason, 'x', sizeof reason - 1); /* it was copied */
  libsched_status_add_reason(status, LIBSCHED_STR("too far"));
  CHECK(libsched_status_code(status) == LIBSCHED_CODE_UNSCHEDULABLE);
  CHECK(libsched_status_reason_count(status) == 2);
  CHECK_STR(libsched_status_reason(status, 0), "too small");
  CHECK_STR(libsched_status_reason(status, 1), "too far");
  CHECK(libsched_status_reason(status, 2).len == 0);
  libsched_status_set(status, LIBSCHED_CODE_SKIP);
  CHECK(libsched_status_code(status) == LIBSCHED_CODE_SKIP &&
        libsched_status_reason_count(status) == 0);
  libsched_status_unref(status);
  libsched_status_unref(NULL);
}

/* ---- values of a cycle state ---- */

typedef struct value {
  int number;
  int* alive; /* the number of values */
} value;

static value* new_value(int number, int* alive) {
  value* v = malloc(sizeof *v);
  v->number = number;
  v->alive = alive;
  ++*alive;
  return v;
}

static void* clone_value(void* data) {
  const value* v = data;
  return new_value(v->number + 100, v->alive);
}

static void destroy_value(void* data) {
  value* v = data;
  --*v->alive;
  free(v);
}

static int number_at(const libsched_cycle_state* state, const char* key) {
  const value* v = libsched_cycle_state_read(state, text(key));
  return v == NULL ? -1 : v->number;
}

static void test_cycle_state(void) {
  int alive = 0, shared = 0;
  libsched_cycle_state *state = NULL, *clone = NULL;
  CHECK_OK(libsched_cycle_state_create(&state, err));
  CHECK(libsched_cycle_state_read(state, text("k")) == NULL);
  CHECK_OK(libsched_cycle_state_write(state, text("k"), new_value(1, &alive), clone_value,
                                      destroy_value, err));
  CHECK_OK(libsched_cycle_state_write(state, text("s"), new_value(2, &shared), NULL, destroy_value,
                                      err));
  CHECK(number_at(state, "k") == 1 && number_at(state, "s") == 2);
  CHECK_OK(libsched_cycle_state_write(state, text("k"), new_value(3, &alive), clone_value,
                                      destroy_value, err));
  CHECK(number_at(state, "k") == 3 && alive == 1); /* the first was destroyed */

  CHECK_OK(libsched_cycle_state_clone(state, &clone, err));
  CHECK(number_at(clone, "k") == 103 && alive == 2);
  CHECK(libsched_cycle_state_read(clone, text("s")) == libsched_cycle_state_read(state, text("s")));
  CHECK(shared == 1);
  libsched_cycle_state_delete(state, text("k"));
  libsched_cycle_state_delete(state, text("k")); /* a missing key changes nothing */
  CHECK(libsched_cycle_state_read(state, text("k")) == NULL && alive == 1);
  libsched_cycle_state_unref(state);
  CHECK(shared == 1 && number_at(clone, "s") == 2);
  CHECK(!libsched_cycle_state_skips_filter(clone, text("NodePorts")));
  libsched_cycle_state_unref(clone);
  CHECK(alive == 0 && shared == 0);
  libsched_cycle_state_unref(NULL);

  /* A write that fails still destroys the value. */
  CHECK(libsched_cycle_state_write(NULL, text("k"), new_value(1, &alive), clone_value,
                                   destroy_value, NULL) == LIBSCHED_ERR_MISUSE);
  CHECK(alive == 0);

  int plain = 5; /* no destroy: the caller's own */
  CHECK_OK(libsched_cycle_state_create(&state, err));
  CHECK_OK(libsched_cycle_state_write(state, text("p"), &plain, NULL, NULL, err));
  CHECK(libsched_cycle_state_read(state, text("p")) == &plain);
  libsched_cycle_state_unref(state);
}

/* One profile used unchanged: without the default plugins, and optionally with several QueueSort
   plugins. */
static void test_bare_profile(void) {
  libsched_config* config = NULL;
  libsched_framework* framework = UNTOUCHED;
  CHECK_OK(libsched_config_parse(
      text("schedulerName: bare\nplugins: {queueSort: {enabled: [{name: PrioritySort}]}, "
           "bind: {enabled: [{name: DefaultBinder}]}}"),
      &one, &config, err));
  CHECK_STR(libsched_config_profile_name(config, 0), "bare");
  CHECK_OK(libsched_framework_create(config, text(""), NULL, NULL, &framework, err));
  char points[256] = "";
  for (size_t i = 0; libsched_extension_point_name(i).len != 0; ++i) {
    const char* point = libsched_extension_point_name(i).ptr;
    const char* names = plugins_at(framework, point);
    if (names[0] != '\0')
      snprintf(points + strlen(points), sizeof points - strlen(points), "%s: %s; ", point, names);
  }
  CHECK(strcmp(points, "bind: DefaultBinder; queueSort: PrioritySort; ") == 0);
  CHECK(libsched_extension_point_name(SIZE_MAX).len == 0);
  CHECK(libsched_framework_plugin_count(framework, text("")) == 0);
  CHECK(libsched_framework_plugin_count(framework, text("Bind")) == 0);
  libsched_framework_unref(framework);
  libsched_config_unref(config);
  config = UNTOUCHED;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, NULL,
              libsched_config_parse(text("plugins: 7"), &one, &config, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_config_parse(text(""), &one, NULL, err));
  CHECK(config == UNTOUCHED);
}

static bool by_name(void* instance, const libsched_pod* a, int64_t a_ns, const libsched_pod* b,
                    int64_t b_ns) {
  (void)instance, (void)a_ns, (void)b_ns;
  return strcmp(libsched_pod_name(a).ptr, libsched_pod_name(b).ptr) < 0;
}

/* Plugins that are not there are an error, or are left out and named. */
static void test_skip_unknown_plugins(void) {
  libsched_config* config = NULL;
  CHECK_OK(libsched_config_parse(
      LIBSCHED_STR("{\"apiVersion\": \"kubescheduler.config.k8s.io/v1\", \"kind\": "
                   "\"KubeSchedulerConfiguration\", \"profiles\": [{\"plugins\": {"
                   "\"multiPoint\": {\"enabled\": [{\"name\": \"Zero\"}]}, \"score\": "
                   "{\"enabled\": [{\"name\": \"Also\"}, {\"name\": \"Zero\"}]}}}]}"),
      NULL, &config, err));
  libsched_framework* framework = NULL;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "\"Also\" does not exist",
              libsched_framework_create(config, text(""), NULL, NULL, &framework, err));
  libsched_framework_options options = LIBSCHED_FRAMEWORK_OPTIONS_INIT;
  options.skip_unknown_plugins = true;
  CHECK_OK(libsched_framework_create(config, text(""), NULL, &options, &framework, err));
  CHECK(libsched_framework_skipped_count(framework) == 2);
  CHECK_STR(libsched_framework_skipped(framework, 0), "Also");
  CHECK_STR(libsched_framework_skipped(framework, 1), "Zero");
  CHECK(libsched_framework_skipped(framework, 2).len == 0);
  CHECK(libsched_framework_skipped_count(NULL) == 0);
  libsched_framework_unref(framework);
  libsched_config_unref(config);

  libsched_registry* registry = NULL;
  CHECK_OK(libsched_registry_create(&registry, err));
  const size_t count = libsched_registry_plugin_count(registry);
  CHECK(count > 15);
  CHECK_STR(libsched_registry_plugin(registry, 0), "DefaultBinder");
  CHECK(libsched_registry_plugin(registry, count).len == 0);
  CHECK(libsched_registry_plugin_count(NULL) == 0);
  libsched_registry_unref(registry);
}

static void test_several_queue_sorts(void) {
  libsched_plugin plugin = LIBSCHED_PLUGIN_INIT;
  libsched_framework_options options = LIBSCHED_FRAMEWORK_OPTIONS_INIT;
  libsched_registry* registry = NULL;
  libsched_config* config = NULL;
  libsched_framework* framework = NULL;
  plugin.name = LIBSCHED_STR("ByName");
  plugin.less = by_name;
  CHECK_OK(libsched_registry_create(&registry, err));
  CHECK_OK(libsched_registry_add(registry, &plugin, NULL, err));
  CHECK_OK(libsched_config_parse(text("schedulerName: two\nplugins: {queueSort: {enabled: "
                                      "[{name: PrioritySort}, {name: ByName}]}, "
                                      "bind: {enabled: [{name: DefaultBinder}]}}"),
                                 &one, &config, err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "queue",
              libsched_framework_create(config, text(""), registry, &options, &framework, err));
  options.several_queue_sorts = true;
  CHECK_OK(libsched_framework_create(config, text(""), registry, &options, &framework, err));
  libsched_pod *a = pod_of("a", 1, ""), *b = pod_of("b", 1, "");
  bool less = false;
  CHECK_OK(libsched_framework_queue_less(framework, a, 5, b, 5, &less, err));
  CHECK(less); /* equal priority and time: ordered by name */
  CHECK_OK(libsched_framework_queue_less(framework, a, 6, b, 5, &less, err));
  CHECK(!less);

  /* A configuration that lists several is upstream's error, unless it is read with the option. */
  const libsched_str whole = LIBSCHED_STR(
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
      "profiles: [{plugins: {queueSort: {disabled: [{name: \"*\"}],"
      " enabled: [{name: ByName}, {name: PrioritySort}]}}}]\n");
  libsched_config_options read = LIBSCHED_CONFIG_OPTIONS_INIT;
  libsched_config_unref(config);
  libsched_framework_unref(framework);
  config = UNTOUCHED;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL,
              "profiles[0].plugins.queueSort.Enabled: Invalid value: 2: only one queue sort plugin",
              libsched_config_parse(whole, NULL, &config, err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "only one queue sort plugin",
              libsched_config_parse(whole, &read, &config, err));
  read.several_queue_sorts = read.reserved[1] = true;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, "reserved",
              libsched_config_parse(whole, &read, &config, err));
  read.reserved[1] = false;
  CHECK(config == UNTOUCHED);
  CHECK_OK(libsched_config_parse(whole, &read, &config, err));
  CHECK_OK(libsched_framework_create(config, text(""), registry, NULL, &framework, err));
  CHECK_OK(libsched_framework_queue_less(framework, a, 6, b, 5, &less, err));
  CHECK(less); /* ordered by name first */
  libsched_pod_unref(a);
  libsched_pod_unref(b);
  libsched_framework_unref(framework);

  /* Gates of the framework decide on the default plugins, and gates of both on what is valid. */
  libsched_framework_options gated = LIBSCHED_FRAMEWORK_OPTIONS_INIT;
  gated.semantics = text("1.36");
  gated.feature_gates = text("GenericWorkload=true,GangScheduling=true");
  CHECK_OK(libsched_framework_create(config, text(""), registry, NULL, &framework, err));
  CHECK(libsched_framework_plugin_count(framework, text("permit")) == 0);
  libsched_framework_unref(framework);
  CHECK_OK(libsched_framework_create(config, text(""), registry, &gated, &framework, err));
  CHECK(libsched_framework_plugin_count(framework, text("permit")) == 1);
  const libsched_str shaped = LIBSCHED_STR(
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
      "profiles: [{pluginConfig: [{name: VolumeBinding, args: {shape: [{utilization: 0, score: "
      "1}]}}]}]\n");
  libsched_config_unref(config);
  config = UNTOUCHED;
  read.feature_gates = text("NoSuchGate=true");
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "NoSuchGate",
              libsched_config_parse(shaped, &read, &config, err));
  read.feature_gates = text("StorageCapacityScoring=false");
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "shape",
              libsched_config_parse(shaped, &read, &config, err));
  CHECK(config == UNTOUCHED);
  CHECK_OK(libsched_config_parse(shaped, NULL, &config, err));
  libsched_framework* refused = UNTOUCHED;
  gated.semantics = text("");
  gated.feature_gates = text("StorageCapacityScoring=false");
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "shape",
              libsched_framework_create(config, text(""), NULL, &gated, &refused, err));
  CHECK(refused == UNTOUCHED);
  libsched_framework_unref(framework);
  libsched_config_unref(config);
  libsched_registry_unref(registry);
}

static void test_null_handles(void) {
  libsched_cycle_state* state = UNTOUCHED;
#define MISUSED(call) CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, call)
  MISUSED(libsched_config_parse(text(""), NULL, NULL, err));
  MISUSED(libsched_config_describe_json(NULL, NULL, err));
  MISUSED(libsched_embedded_configs_json(text(""), NULL, err));
  MISUSED(libsched_registry_create(NULL, err));
  MISUSED(libsched_framework_create(NULL, text(""), NULL, NULL, NULL, err));
  CHECK(libsched_framework_plugin_count(NULL, text("filter")) == 0);
  CHECK(libsched_framework_plugin(NULL, text("filter"), 0).len == 0);
  CHECK(libsched_framework_plugin_weight(NULL, text("score"), 0) == 0);
  MISUSED(libsched_framework_queue_less(NULL, NULL, 0, NULL, 0, NULL, err));
  MISUSED(libsched_status_create(NULL, err));
  MISUSED(libsched_cycle_state_create(NULL, err));
  MISUSED(libsched_cycle_state_clone(NULL, &state, err));
  CHECK(state == UNTOUCHED);
  CHECK(libsched_config_profile_count(NULL) == 0 && libsched_config_profile_name(NULL, 0).len == 0);
  CHECK(libsched_config_ref(NULL) == NULL && libsched_registry_ref(NULL) == NULL);
  CHECK(libsched_framework_ref(NULL) == NULL && libsched_framework_profile(NULL).len == 0);
  CHECK(libsched_status_reason_count(NULL) == 0 && libsched_status_reason(NULL, 0).len == 0);
  CHECK(libsched_status_plugin(NULL).len == 0);
  libsched_status_code(NULL);
  libsched_status_set(NULL, LIBSCHED_CODE_ERROR);
  libsched_status_add_reason(NULL, text("a"));
  CHECK(libsched_cycle_state_read(NULL, text("a")) == NULL);
  libsched_cycle_state_delete(NULL, text("a"));
  CHECK(!libsched_cycle_state_skips_filter(NULL, text("a")));
}

int main(void) {
  test_config();
  test_framework();
  test_config_semantics();
  test_registry();
  test_status();
  test_cycle_state();
  test_bare_profile();
  test_skip_unknown_plugins();
  test_several_queue_sorts();
  test_null_handles();
  return finish();
}
