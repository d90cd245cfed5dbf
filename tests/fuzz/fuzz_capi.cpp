// Sequences of C calls, with handles released in any order and forks left open: no crash, no leak,
// failed calls change nothing, and a revert brings back what was there.
#include <cstdlib>
#include <string>
#include <vector>

#include <libsched.h>

namespace {

libsched_str str(const std::string& s) { return {s.data(), s.size()}; }

libsched_node* make_node(uint8_t b) {
  const std::string doc = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n)" +
                          std::to_string(b % 7) + R"(","labels":{"zone":"z)" +
                          std::to_string(b % 3) + R"("}},"spec":{"unschedulable":)" +
                          (b % 5 == 0 ? "true" : "false") +
                          R"(},"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"5"}}})";
  libsched_node* node = nullptr;
  if (libsched_node_parse(str(doc), nullptr, &node, nullptr) != LIBSCHED_OK) std::abort();
  return node;
}

libsched_pod* make_pod(uint8_t b) {
  const std::string doc =
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p)" + std::to_string(b % 11) +
      R"("},"spec":{"nodeSelector":{"zone":"z)" + std::to_string(b % 4) +
      R"("},"containers":[{"name":"c","ports":[{"containerPort":80,"hostPort":)" +
      std::to_string(b % 3 * 80) + R"(}],"resources":{"requests":{"cpu":")" +
      std::to_string(b * 10) + R"(m"}}}]}})";
  libsched_pod* pod = nullptr;
  if (libsched_pod_parse(str(doc), nullptr, &pod, nullptr) != LIBSCHED_OK) std::abort();
  return pod;
}

struct Counts {
  size_t nodes, pods;
};
Counts counts(const libsched_cluster* c) {
  const libsched_view* v = libsched_cluster_view(c);
  return {libsched_view_node_count(v), libsched_view_pod_count(v)};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 400) return 0;
  libsched_cluster* cluster = nullptr;
  libsched_framework* framework = nullptr;
  libsched_evaluator* evaluator = nullptr;
  libsched_cycle_state* state = nullptr;
  libsched_status* status = nullptr;
  libsched_snapshot* snapshot = nullptr;
  if (libsched_cluster_create(nullptr, &cluster, nullptr) != LIBSCHED_OK ||
      libsched_framework_create(nullptr, LIBSCHED_ANY_NODE, nullptr, nullptr, &framework,
                                nullptr) != LIBSCHED_OK ||
      libsched_evaluator_create(framework, cluster, &evaluator, nullptr) != LIBSCHED_OK ||
      libsched_cycle_state_create(&state, nullptr) != LIBSCHED_OK ||
      libsched_status_create(&status, nullptr) != LIBSCHED_OK)
    std::abort();
  libsched_pod* pod = make_pod(1);
  std::vector<Counts> forks;
  for (size_t i = 0; i + 1 < size; i += 2) {
    const uint8_t b = data[i + 1];
    libsched_error* error = nullptr;
    libsched_rc rc = LIBSCHED_OK;
    const Counts before = counts(cluster);
    switch (data[i] % 16) {
      case 0: {
        libsched_node* node = make_node(b);
        const libsched_node* list[] = {node};
        rc = libsched_cluster_add_nodes(cluster, list, 1, &error);
        libsched_node_unref(node);
        break;
      }
      case 1: {
        libsched_node* node = make_node(b);
        rc = libsched_cluster_update_node(cluster, node, &error);
        libsched_node_unref(node);
        break;
      }
      case 2:
        rc = libsched_cluster_remove_node(cluster, str("n" + std::to_string(b % 7)), &error);
        break;
      case 3: {
        libsched_pod* one = make_pod(b);
        libsched_pod* two = make_pod(static_cast<uint8_t>(b / 2));
        const libsched_pod* list[] = {one, two};
        const std::string name = "n" + std::to_string(b % 8);
        const libsched_str nodes[] = {str(name), str(name)};
        rc = libsched_cluster_add_pods(cluster, list, nodes, 2, &error);
        libsched_pod_unref(one);
        libsched_pod_unref(two);
        break;
      }
      case 4:
        rc = libsched_cluster_remove_pod(cluster, LIBSCHED_STR("default"),
                                         str("p" + std::to_string(b % 11)), &error);
        break;
      case 5:
        if (libsched_cluster_fork(cluster, nullptr) == LIBSCHED_OK) forks.push_back(before);
        break;
      case 6:
        rc = libsched_cluster_revert(cluster, &error);
        if ((rc == LIBSCHED_OK) != !forks.empty()) std::abort();
        if (rc == LIBSCHED_OK) {
          if (counts(cluster).nodes != forks.back().nodes ||
              counts(cluster).pods != forks.back().pods)
            std::abort();
          forks.pop_back();
        }
        break;
      case 7:
        rc = libsched_cluster_commit(cluster, &error);
        if (rc == LIBSCHED_OK) forks.pop_back();
        break;
      case 8:
        libsched_snapshot_unref(snapshot);
        snapshot = nullptr;
        if (libsched_cluster_snapshot(cluster, &snapshot, nullptr) != LIBSCHED_OK) std::abort();
        break;
      case 9: {
        libsched_pod_unref(pod);
        pod = make_pod(b);
        rc = libsched_run_pre_filter_plugins(evaluator, state, pod, nullptr, status, &error);
        break;
      }
      case 10:
        rc = libsched_run_filter_plugins(evaluator, state, pod, str("n" + std::to_string(b % 7)),
                                         status, &error);
        break;
      case 11: {
        uint64_t bits[2] = {0, 0};
        libsched_filter_options options = LIBSCHED_FILTER_OPTIONS_INIT;
        options.limit = b % 3;
        options.start = b;
        size_t found = 0;
        rc = libsched_filter_nodes(evaluator, state, pod, &options, bits, b % 4 == 0 ? 0 : 2,
                                   &found, nullptr, &error);
        if (rc == LIBSCHED_OK && found != static_cast<size_t>(__builtin_popcountll(bits[0]) +
                                                              __builtin_popcountll(bits[1])))
          std::abort();
        break;
      }
      case 12: {
        libsched_decision* decision = nullptr;
        libsched_check_options options = LIBSCHED_CHECK_OPTIONS_INIT;
        options.score = b % 2 != 0;
        rc =
            libsched_check_pod_fits(evaluator, pod, LIBSCHED_ANY_NODE, &options, &decision, &error);
        libsched_text* text = nullptr;
        if (decision != nullptr &&
            libsched_decision_explain_json(decision, &text, nullptr) != LIBSCHED_OK)
          std::abort();
        libsched_text_unref(text);
        libsched_decision_unref(decision);
        break;
      }
      case 13: {
        libsched_cycle_options options = LIBSCHED_CYCLE_OPTIONS_INIT;
        options.ties = b % 4;  // 3 is unknown
        options.sampling = b % 8 > 3;
        options.seed = b;
        libsched_cycle_outcome outcome = LIBSCHED_CYCLE_OUTCOME_INIT;
        rc = libsched_run_cycle(evaluator, state, pod, &options, &outcome, status, &error);
        if (rc != LIBSCHED_OK || outcome.node == nullptr) break;
        rc = libsched_evaluator_assume(evaluator, state, pod, outcome.row, status, &error);
        break;
      }
      case 14: rc = libsched_evaluator_forget(evaluator, state, pod, &error); break;
      default: {
        libsched_cycle_state* copy = nullptr;
        if (libsched_cycle_state_clone(state, &copy, nullptr) != LIBSCHED_OK) std::abort();
        libsched_cycle_state_unref(state);
        state = copy;
      }
    }
    if ((rc == LIBSCHED_OK) != (error == nullptr)) std::abort();
    if (rc != LIBSCHED_OK) {
      if (libsched_error_code(error) != rc || libsched_error_message(error).len == 0) std::abort();
      if (counts(cluster).nodes != before.nodes || counts(cluster).pods != before.pods)
        std::abort();
    }
    libsched_error_unref(error);
  }
  libsched_pod_unref(pod);
  libsched_cluster_unref(cluster);
  libsched_cycle_state_unref(state);
  libsched_status_unref(status);
  libsched_framework_unref(framework);
  libsched_evaluator_unref(evaluator);
  libsched_snapshot_unref(snapshot);
  return 0;
}
