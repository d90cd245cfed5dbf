/* A batch filter with a different answer for every node: each verdict is found with its
 * reason, whatever other plugins have rejected before, and so are invalid verdicts. */
#include "fixture.h"

enum { kNodes = 300, kReasons = 3 };
static const libsched_str kTexts[kReasons] = {{"too far", 7}, {"too warm", 8}, {"too loud", 8}};

/* The verdict on the node in each row. */
typedef struct oracle {
  int8_t codes[kNodes];
  uint16_t reasons[kNodes];
  bool ask_again; /* the slot queries node 5 in the same state */
  int depth;
} oracle;

static uint32_t drawn(uint32_t* seed, uint32_t below) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) % below;
}

static libsched_code say(void* instance, const libsched_cycle_state* state, const libsched_pod* pod,
                         const libsched_node_set* nodes, int8_t* codes, uint16_t* reasons,
                         libsched_status* status) {
  oracle* o = instance;
  (void)status;
  const uint32_t* rows = libsched_node_set_rows(nodes);
  if (o->ask_again && o->depth == 0) {
    libsched_status* inner = NULL;
    o->depth = 1;
    CHECK_OK(libsched_status_create(&inner, err));
    CHECK_OK(filter_row(libsched_cycle_state_evaluator(state), (libsched_cycle_state*)state, pod, 5,
                        false, inner, err));
    CHECK(libsched_status_code(inner) == o->codes[5]);
    libsched_status_unref(inner);
    o->depth = 0;
  }
  for (size_t i = 0; i < libsched_node_set_count(nodes); ++i) {
    CHECK(codes[i] == LIBSCHED_CODE_SUCCESS && reasons[i] == 0);
    codes[i] = o->codes[rows[i]];
    reasons[i] = o->reasons[rows[i]];
  }
  return LIBSCHED_CODE_SUCCESS;
}

static libsched_framework* framework_with(oracle* o) {
  libsched_plugin p = LIBSCHED_PLUGIN_INIT;
  p.name = LIBSCHED_STR("Oracle");
  p.filter_batch = say;
  p.reasons = kTexts;
  p.reason_count = kReasons;
  libsched_config* config = NULL;
  libsched_registry* registry = NULL;
  libsched_framework* framework = NULL;
  CHECK_OK(libsched_config_parse(
      text("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
           "profiles: [{plugins: {multiPoint: {enabled: [{name: Oracle}]}}}]\n"),
      NULL, &config, err));
  CHECK_OK(libsched_registry_create(&registry, err));
  CHECK_OK(libsched_registry_add(registry, &p, o, err));
  CHECK_OK(libsched_framework_create(config, text(""), registry, NULL, &framework, err));
  libsched_registry_unref(registry);
  libsched_config_unref(config);
  return framework;
}

/* With `holes` some nodes are closed, so that the batch lacks them; node i is in row i. */
static libsched_cluster* cluster_of(uint32_t* seed, bool holes, bool* closed) {
  libsched_cluster* cluster = NULL;
  CHECK_OK(libsched_cluster_create(NULL, &cluster, err));
  for (int i = 0; i < kNodes; ++i) {
    closed[i] = holes && i >= 64 && i < 192 && drawn(seed, 3) == 0;
    add_node(cluster,
             node_of(format("n%03d", i), 8, "a", closed[i] ? "\"unschedulable\": true" : ""));
  }
  return cluster;
}

static libsched_decision* decide(libsched_evaluator* evaluator) {
  libsched_decision* decision = NULL;
  libsched_pod* pod = pod_of("p", 500, "");
  CHECK_OK(libsched_check_pod_fits(evaluator, pod, LIBSCHED_ANY_NODE, NULL, &decision, err));
  libsched_pod_unref(pod);
  return decision;
}

static void test_verdicts(uint32_t seed, bool ask_again) {
  static const int8_t kCodes[] = {LIBSCHED_CODE_SUCCESS, LIBSCHED_CODE_UNSCHEDULABLE,
                                  LIBSCHED_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE,
                                  LIBSCHED_CODE_PENDING};
  oracle o = {.ask_again = ask_again};
  bool closed[kNodes];
  /* Batches with and without holes follow each other in both orders. */
  libsched_cluster* cluster = cluster_of(&seed, seed % 4 < 2, closed);
  for (int i = 0; i < kNodes; ++i) {
    o.codes[i] = i < 64 ? LIBSCHED_CODE_SUCCESS : kCodes[drawn(&seed, 4)];
    o.reasons[i] = (uint16_t)drawn(&seed, kReasons);
  }
  o.codes[5] = LIBSCHED_CODE_UNSCHEDULABLE;
  libsched_framework* framework = framework_with(&o);
  libsched_evaluator* evaluator = NULL;
  CHECK_OK(libsched_evaluator_create(framework, cluster, NULL, &evaluator, err));
  libsched_decision* decision = decide(evaluator);
  CHECK(libsched_decision_node_count(decision) == kNodes);
  for (size_t i = 0; i < kNodes; ++i) {
    const libsched_code code =
        closed[i] ? LIBSCHED_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE : (libsched_code)o.codes[i];
    CHECK(libsched_decision_code(decision, i) == code);
    CHECK(libsched_decision_reason_count(decision, i) == (code != LIBSCHED_CODE_SUCCESS));
    if (code == LIBSCHED_CODE_SUCCESS) continue;
    CHECK_STR(libsched_decision_reason(decision, i, 0),
              closed[i] ? "node(s) were unschedulable" : kTexts[o.reasons[i]].ptr);
  }
  libsched_decision_unref(decision);
  libsched_evaluator_unref(evaluator);
  libsched_framework_unref(framework);
  libsched_cluster_unref(cluster);
}

/* An invalid verdict: in a full word of rows, in a word with holes, and in the last word. */
static void test_nonsense(int8_t code, uint16_t reason, const char* expected) {
  static const int kRows[] = {3, 130, kNodes - 1};
  for (size_t k = 0; k < sizeof kRows / sizeof *kRows; ++k) {
    oracle o = {0};
    bool closed[kNodes];
    uint32_t seed = 9;
    int row = kRows[k];
    libsched_cluster* cluster = cluster_of(&seed, true, closed);
    while (closed[row]) ++row;
    o.codes[row] = code;
    o.reasons[row] = reason;
    libsched_framework* framework = framework_with(&o);
    libsched_evaluator* evaluator = NULL;
    CHECK_OK(libsched_evaluator_create(framework, cluster, NULL, &evaluator, err));
    libsched_decision* decision = decide(evaluator);
    libsched_text* json = NULL;
    CHECK_OK(libsched_decision_explain_json(decision, &json, err));
    CHECK(strstr(libsched_text_get(json).ptr, expected) != NULL);
    if (strstr(libsched_text_get(json).ptr, expected) == NULL)
      fprintf(stderr, "  %.300s\n", libsched_text_get(json).ptr);
    libsched_text_unref(json);
    libsched_decision_unref(decision);
    libsched_evaluator_unref(evaluator);
    libsched_framework_unref(framework);
    libsched_cluster_unref(cluster);
  }
}

int main(void) {
  for (uint32_t seed = 1; seed <= 8; ++seed) test_verdicts(seed, seed % 2 == 0);
  test_nonsense(LIBSCHED_CODE_ERROR, 1, "too warm");
  test_nonsense(LIBSCHED_CODE_WAIT, 2,
                "\"Oracle\\\" filter plugin: filter_batch returned Wait; it may return Success, "
                "Unschedulable");
  test_nonsense(7, 0, "plugin \\\"Oracle\\\" returned the unknown code 7");
  test_nonsense(-1, 0, "plugin \\\"Oracle\\\" returned the unknown code -1");
  test_nonsense(LIBSCHED_CODE_PENDING, kReasons, "plugin \\\"Oracle\\\" gave reason 3 of 3");
  test_nonsense(LIBSCHED_CODE_UNSCHEDULABLE, 65535, "plugin \\\"Oracle\\\" gave reason 65535 of 3");
  return finish();
}
