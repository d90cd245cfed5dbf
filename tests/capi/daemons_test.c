/* The pods of DaemonSets. */
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

int main(void) {
  test_daemons();
  return finish();
}
