/* What the controllers of workloads make. */
#include "bench.h"

static void test_daemons(void) {
  bench b = setup();
  const libsched_view* view = libsched_cluster_view(b.cluster);
  libsched_pod* agent = pod_of("agent", 100, "");
  const uint32_t row = libsched_view_find_node(view, text("big"));
  CHECK(libsched_daemon_wants(view, row, agent));
  CHECK(!libsched_daemon_wants(view, libsched_view_find_node(view, text("tainted")), agent));
  CHECK(!libsched_daemon_wants(view, LIBSCHED_NO_ROW, agent));
  CHECK(!libsched_daemon_wants(NULL, row, agent) && !libsched_daemon_wants(view, row, NULL));
  libsched_pod* pod = NULL;
  CHECK_OK(libsched_daemon_pod(agent, text("big"), text("agent-1"), &pod, err));
  CHECK_STR(libsched_pod_name(pod), "agent-1");
  CHECK(libsched_pod_toleration_count(pod) == 6);
  libsched_pod_unref(agent);
  libsched_decision* fit = NULL;
  CHECK_OK(libsched_check_pod_fits(b.evaluator, pod, LIBSCHED_ANY_NODE, NULL, &fit, err));
  CHECK(libsched_decision_feasible_count(fit) == 1);
  CHECK_STR(libsched_decision_feasible(fit, 0), "big");
  libsched_decision_unref(fit);
  /* With its pod on the node no other one is made. */
  const libsched_str node = text("big");
  CHECK_OK(libsched_cluster_add_pods(b.cluster, (const libsched_pod* const*)&pod, &node, 1, err));
  agent = pod_of("agent", 100, "");
  CHECK(!libsched_daemon_wants(view, row, agent));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "pod_template",
              libsched_daemon_pod(NULL, text("big"), text("x"), &pod, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "result",
              libsched_daemon_pod(agent, text("big"), text("x"), NULL, err));
  libsched_pod_unref(pod);
  libsched_pod_unref(agent);
  teardown(&b);
}

static void test_claims(void) {
  bench b = setup();
  const libsched_view* view = libsched_cluster_view(b.cluster);
  libsched_objects* set = NULL;
  CHECK_OK(libsched_objects_parse(
      text("{\"apiVersion\":\"apps/v1\",\"kind\":\"StatefulSet\",\"metadata\":{\"name\":\"db\"},"
           "\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\"}]}},"
           "\"volumeClaimTemplates\":[{\"metadata\":{\"name\":\"data\"},\"spec\":{}}]}}"),
      NULL, &set, err));
  const libsched_pod* db = libsched_objects_get_workload(set, 0, NULL, NULL);
  libsched_objects* claims = NULL;
  CHECK_OK(libsched_missing_claims(view, db, &claims, err));
  libsched_changes* changes = NULL;
  CHECK_OK(libsched_changes_create(&changes, err));
  CHECK_OK(libsched_changes_put_objects(changes, claims, LIBSCHED_PUT_MISSING, err));
  CHECK_OK(libsched_cluster_apply_changes(b.cluster, changes, NULL, err));
  libsched_objects_unref(claims);
  libsched_changes_unref(changes);
  libsched_decision* fit = NULL;
  CHECK_OK(libsched_check_pod_fits(b.evaluator, db, LIBSCHED_ANY_NODE, NULL, &fit, err));
  CHECK(strstr(libsched_decision_fit_error(fit).ptr, "not found") == NULL);
  libsched_decision_unref(fit);
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "view", libsched_missing_claims(NULL, db, &claims, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "pod", libsched_missing_claims(view, NULL, &claims, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "result", libsched_missing_claims(view, db, NULL, err));
  libsched_objects_unref(set);
  teardown(&b);
}

static libsched_objects* parsed(const char* yaml) {
  libsched_objects* set = NULL;
  CHECK_OK(libsched_objects_parse(text(yaml), NULL, &set, err));
  return set;
}

/* A ResourceClaim from a template, and the pod that names it. */
static void test_device_claims(void) {
  libsched_objects* set = parsed(
      "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: ns}, spec: {resourceClaims: "
      "[{name: card, resourceClaimTemplateName: gpu}]}}");
  const libsched_pod* pod = libsched_objects_get_pod(set, 0);
  libsched_cluster* cluster = NULL;
  CHECK_OK(libsched_cluster_create(NULL, &cluster, err));
  libsched_objects* claims = NULL;
  libsched_pod* named = NULL;
  const libsched_view* view = libsched_cluster_view(cluster);
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, "spec.resourceClaims[0].resourceClaimTemplateName", "gpu",
              libsched_missing_claims(view, pod, &claims, err));
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, "spec.resourceClaims[0].resourceClaimTemplateName", "gpu",
              libsched_pod_with_claims(view, pod, &named, err));
  libsched_objects* template = parsed(
      "{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: gpu, "
      "namespace: ns}, spec: {spec: {}}}");
  CHECK_OK(libsched_cluster_apply(cluster, template, err));
  view = libsched_cluster_view(cluster);
  CHECK_OK(libsched_pod_with_claims(view, pod, &named, err));
  CHECK(named != pod);
  CHECK_OK(libsched_missing_claims(view, pod, &claims, err));
  libsched_changes* changes = NULL;
  CHECK_OK(libsched_changes_create(&changes, err));
  CHECK_OK(libsched_changes_put_objects(changes, claims, LIBSCHED_PUT_MISSING, err));
  CHECK_OK(libsched_cluster_apply_changes(cluster, changes, NULL, err));
  libsched_objects_unref(claims);
  libsched_pod_unref(named);
  /* Now the claim is there. */
  view = libsched_cluster_view(cluster);
  CHECK_OK(libsched_missing_claims(view, pod, &claims, err));
  libsched_text* report = NULL;
  CHECK_OK(libsched_objects_report_json(claims, &report, err));
  CHECK(strstr(libsched_text_get(report).ptr, "ResourceClaim") == NULL);
  libsched_text_unref(report);
  libsched_objects_unref(claims);
  CHECK_OK(libsched_pod_with_claims(view, pod, &named, err));
  libsched_pod_unref(named);
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "view", libsched_pod_with_claims(NULL, pod, &named, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "pod", libsched_pod_with_claims(view, NULL, &named, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "result", libsched_pod_with_claims(view, pod, NULL, err));
  libsched_changes_unref(changes);
  libsched_cluster_unref(cluster);
  libsched_objects_unref(template);
  libsched_objects_unref(set);
}

/* The pod is changed by a class of its own document; a cluster without the class refuses it. */
static void test_admission(void) {
  libsched_objects* set = parsed(
      "{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: vm}, handler: vm, "
      "overhead: "
      "{podFixed: {cpu: 250m}}}\n---\n"
      "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {runtimeClassName: vm, containers: "
      "[{name: c}]}}");
  libsched_cluster* cluster = NULL;
  CHECK_OK(libsched_cluster_create(NULL, &cluster, err));
  const libsched_view* view = libsched_cluster_view(cluster);
  libsched_objects* made = NULL;
  libsched_text* report = NULL;
  CHECK_OK(libsched_admit_objects(view, set, &made, &report, err));
  CHECK(libsched_pod_request(libsched_objects_get_pod(made, 0), text("cpu")) == 250);
  CHECK(libsched_pod_request(libsched_objects_get_pod(set, 0), text("cpu")) == 0);
  CHECK(strstr(libsched_text_get(report).ptr, "adds overhead cpu 250m") != NULL);
  libsched_text_unref(report);
  libsched_objects_unref(made);
  CHECK_OK(libsched_admit_objects(view, set, &made, NULL, err));
  libsched_objects_unref(made);
  libsched_pod* pod = NULL;
  CHECK_OK(libsched_admit_pod(view, libsched_objects_get_pod(set, 0), &pod, &report, err));
  CHECK(strstr(libsched_text_get(report).ptr, "not found") != NULL);
  CHECK(libsched_pod_toleration_count(pod) == 2);
  libsched_text_unref(report);
  libsched_pod* again = NULL;
  CHECK_OK(libsched_admit_pod(view, pod, &again, NULL, err));
  CHECK(again == pod);
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "view", libsched_admit_pod(NULL, pod, &again, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "pod", libsched_admit_pod(view, NULL, &again, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "result", libsched_admit_pod(view, pod, NULL, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "view",
              libsched_admit_objects(NULL, set, &made, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "objects",
              libsched_admit_objects(view, NULL, &made, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "result",
              libsched_admit_objects(view, set, NULL, NULL, err));
  libsched_pod_unref(again);
  libsched_pod_unref(pod);
  libsched_cluster_unref(cluster);
  libsched_objects_unref(set);
}

int main(void) {
  test_daemons();
  test_claims();
  test_device_claims();
  test_admission();
  return finish();
}
