// PreFilter, its extensions, and Filter.
#include <algorithm>

#include "net/src/remote/slots.hpp"

namespace libsched::remote {
namespace {

libsched_code pre_filter(void* self, libsched_cycle_state* state, const libsched_pod* pod,
                         libsched_prefilter_result* result, libsched_status* status) {
  Question question = question_of(Point::kPreFilter, pod);
  return guarded(status, [&] {
    const libsched_view* const view = libsched_cycle_state_view(state);
    size_t count = 0;
    const uint32_t* const order = libsched_view_order(view, &count);
    question.view = view;
    question.rows = order;
    question.count = count;
    return ask_for_code(instance_of(self), question, state, status, LIBSCHED_CODE_SKIP,
                        [&](const Question&, Answer& answer) -> Result<libsched_code> {
                          auto code = read_status(answer.said, "", status);
                          if (!code) return code;
                          if (answer.said.find("nodeNames").empty()) return code;
                          auto left = read_texts(answer.said, "nodeNames", count + kMostEntries);
                          if (!left) return left.error();
                          std::vector<libsched_str> names;
                          for (const std::string& name : *left) names.push_back(str_of(name));
                          libsched_prefilter_result_set_nodes(result, names.data(), names.size());
                          return code;
                        });
  });
}

libsched_code change(Point point, void* self, libsched_cycle_state* state, const libsched_pod* pod,
                     const libsched_pod* other, const libsched_node_info* node,
                     libsched_status* status) {
  Question question = question_of(point, pod);
  const uint32_t row = libsched_node_info_row(node);
  question.other = other;
  question.view = libsched_cycle_state_view(state);
  question.rows = &row;
  question.count = 1;
  question.copy = node;
  return ask_for_status(instance_of(self), question, state, status);
}
libsched_code add_pod(void* self, libsched_cycle_state* state, const libsched_pod* pod,
                      const libsched_pod* other, const libsched_node_info* node,
                      libsched_status* status) {
  return change(Point::kAddPod, self, state, pod, other, node, status);
}
libsched_code remove_pod(void* self, libsched_cycle_state* state, const libsched_pod* pod,
                         const libsched_pod* other, const libsched_node_info* node,
                         libsched_status* status) {
  return change(Point::kRemovePod, self, state, pod, other, node, status);
}

libsched_code filter_copy(void* self, const libsched_cycle_state* state, const libsched_pod* pod,
                          const libsched_node_info* node, libsched_status* status) {
  Instance& instance = instance_of(self);
  Question question = question_of(Point::kFilter, pod);
  const uint32_t row = libsched_node_info_row(node);
  question.view = libsched_cycle_state_view(state);
  question.rows = &row;
  question.count = 1;
  question.copy = node;
  return ask_for_code(
      instance, question, state, status, LIBSCHED_CODE_SUCCESS,
      [&](const Question& asked, Answer& answer) -> Result<libsched_code> {
        auto whole = read_status(answer.said, "", status);
        if (!whole || *whole != LIBSCHED_CODE_SUCCESS) return whole;
        libsched_code code = LIBSCHED_CODE_SUCCESS;
        if (!answer.codes.empty()) code = answer.codes[0];
        libsched_status_set(status, code);
        const size_t reason = answer.reasons.empty() ? 0 : answer.reasons[0];
        if (code != LIBSCHED_CODE_SUCCESS && reason < instance.description().reasons.size())
          libsched_status_add_reason(status, str_of(instance.description().reasons[reason]));
        LIBSCHED_TRY(for_each_rejected(asked, answer, status,
                                       [&](size_t, libsched_code said) { code = said; }));
        return code;
      });
}

libsched_code filter_batch(void* self, const libsched_cycle_state* state, const libsched_pod* pod,
                           const libsched_node_set* nodes, int8_t* codes, uint16_t* reasons,
                           libsched_status* status) {
  Question question = question_of(Point::kFilter, pod);
  ask_about(nodes, &question);
  return ask_for_code(
      instance_of(self), question, state, status, LIBSCHED_CODE_SUCCESS,
      [&](const Question& asked, Answer& answer) -> Result<libsched_code> {
        auto whole = read_status(answer.said, "", status);
        if (!whole) return whole;
        if (*whole != LIBSCHED_CODE_SUCCESS) {
          if (*whole != LIBSCHED_CODE_ERROR) return invalid("code", "only Error is of all nodes");
          return whole;
        }
        LIBSCHED_TRY(for_each_rejected(asked, answer, status, [&](size_t at, libsched_code) {
          libsched_node_set_answer(nodes, at, status);
        }));
        libsched_status_set(status, LIBSCHED_CODE_SUCCESS);
        std::copy(answer.codes.begin(), answer.codes.end(), codes);
        std::copy(answer.reasons.begin(), answer.reasons.end(), reasons);
        return whole;
      });
}

}  // namespace

void set_filter_slots(const Description& description, libsched_plugin* slots) {
  if (description.has(Point::kPreFilter)) slots->pre_filter = pre_filter;
  if (description.has(Point::kAddPod)) slots->add_pod = add_pod;
  if (description.has(Point::kRemovePod)) slots->remove_pod = remove_pod;
  if (!description.has(Point::kFilter)) return;
  slots->filter = filter_copy;
  slots->filter_batch = filter_batch;
}

}  // namespace libsched::remote
