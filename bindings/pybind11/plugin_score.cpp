// Slots of Python plugins from PreScore to NormalizeScore.
#include <cstring>

#include "plugin.hpp"

namespace libsched {
namespace {

libsched_code pre_score(void* instance, libsched_cycle_state* state, const libsched_pod* pod,
                        const libsched_node_set* nodes, libsched_status* status) {
  return run_slot(instance, Method::kPreScore, status, [&](const Instance&, PyObject* method) {
    const LentState lent(state);
    const LentNodes set(nodes);
    return status_from(call(method, lent, python_pod(pod), set), Method::kPreScore, status);
  });
}

constexpr int64_t kMostScore = 100;  // upstream's MaxNodeScore; the least is 0

// Upstream fails the whole point for a final score out of range. The exception names the node.
void check_score(int64_t score, const libsched_node_info* node) {
  if ((score >= 0 && score <= kMostScore) || ScoresAsStatus::on()) return;
  const std::string name(to_view(libsched_node_name(libsched_node_info_node(node))));
  throw py::value_error("the score " + std::to_string(score) + " of node \"" + name +
                        "\" is not between 0 and " + std::to_string(kMostScore));
}
void check_scores(const int64_t* scores, const libsched_node_set* nodes) {
  const size_t count = libsched_node_set_count(nodes);
  for (size_t i = 0; i < count; ++i) {
    if (scores[i] < 0 || scores[i] > kMostScore) {
      check_score(scores[i], libsched_node_set_at(nodes, i));
    }
  }
}
// Tells whether the result of Score is final.
bool is_final(const Instance& self) { return !has(*self.plugin, Method::kNormalizeScore); }

// Score returns a number, a status, or both as a tuple.
libsched_code score(void* instance, const libsched_cycle_state* state, const libsched_pod* pod,
                    const libsched_node_info* node, int64_t* score, libsched_status* status) {
  return run_slot(instance, Method::kScore, status, [&](const Instance& self, PyObject* method) {
    const LentState lent(state);
    const LentInfo info(node);
    const py::object result = call(method, lent, python_pod(pod), info);
    if (PyTuple_Check(result.ptr()) && PyTuple_GET_SIZE(result.ptr()) == 2) {
      *score = score_from(PyTuple_GET_ITEM(result.ptr(), 0));
      const libsched_code code =
          status_from(PyTuple_GET_ITEM(result.ptr(), 1), Method::kScore, status);
      if (code == LIBSCHED_CODE_SUCCESS && is_final(self)) check_score(*score, node);
      return code;
    }
    if (py::hasattr(result, "reasons")) return status_from(result, status);
    *score = score_from(result);
    if (is_final(self)) check_score(*score, node);
    return libsched_code{LIBSCHED_CODE_SUCCESS};
  });
}

libsched_code score_batch(void* instance, const libsched_cycle_state* state,
                          const libsched_pod* pod, const libsched_node_set* nodes, int64_t* scores,
                          libsched_status* status) {
  return run_slot(instance, Method::kScoreBatch, status,
                  [&](const Instance& self, PyObject* method) {
                    const LentState lent(state);
                    const LentNodes set(nodes);
                    const py::object result = call(method, lent, python_pod(pod), set);
                    if (py::hasattr(result, "reasons")) return status_from(result, status);
                    scores_from(result, libsched_node_set_count(nodes), scores);
                    if (is_final(self)) check_scores(scores, nodes);
                    return libsched_code{LIBSCHED_CODE_SUCCESS};
                  });
}

// NormalizeScore gets the scores as a copy to change in place; it may also return other scores.
libsched_code normalize_score(void* instance, const libsched_cycle_state* state,
                              const libsched_pod* pod, const libsched_node_set* nodes,
                              int64_t* scores, libsched_status* status) {
  return run_slot(
      instance, Method::kNormalizeScore, status, [&](const Instance&, PyObject* method) {
        const LentState lent(state);
        const LentNodes set(nodes);
        const size_t count = libsched_node_set_count(nodes);
        const auto bytes = py::reinterpret_steal<py::object>(
            PyByteArray_FromStringAndSize(reinterpret_cast<const char*>(scores),
                                          static_cast<Py_ssize_t>(count * sizeof(int64_t))));
        if (!bytes) throw py::error_already_set();
        const py::object array = call(Wrappers::get().scores, bytes);
        const py::object result = call(method, lent, python_pod(pod), set, array);
        libsched_code code = LIBSCHED_CODE_SUCCESS;
        py::object given = array;
        if (is_status(result)) {
          code = status_from(result, Method::kNormalizeScore, status);
        } else {
          given = result;
        }
        scores_from(given, count, scores);
        if (code == LIBSCHED_CODE_SUCCESS) check_scores(scores, nodes);
        return code;
      });
}

}  // namespace

void set_score_slots(const PythonPlugin& plugin, libsched_plugin* slots) {
  if (has(plugin, Method::kPreScore)) slots->pre_score = pre_score;
  if (has(plugin, Method::kScore)) slots->score = score;
  if (has(plugin, Method::kScoreBatch)) slots->score_batch = score_batch;
  if (has(plugin, Method::kNormalizeScore)) slots->normalize_score = normalize_score;
}

}  // namespace libsched
