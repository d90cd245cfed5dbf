// PreScore, Score and NormalizeScore.
#include <algorithm>

#include "net/src/remote/slots.hpp"

namespace libsched::remote {
namespace {

libsched_code pre_score(void* self, libsched_cycle_state* state, const libsched_pod* pod,
                        const libsched_node_set* nodes, libsched_status* status) {
  Question question = question_of(Point::kPreScore, pod);
  ask_about(nodes, &question);
  return ask_for_status(instance_of(self), question, state, status, LIBSCHED_CODE_SKIP);
}

libsched_code ask_scores(Question question, void* self, const libsched_cycle_state* state,
                         const libsched_node_set* nodes, int64_t* scores, libsched_status* status) {
  ask_about(nodes, &question);
  return ask_for_code(
      instance_of(self), question, state, status, LIBSCHED_CODE_SUCCESS,
      [&](const Question& asked, Answer& answer) -> Result<libsched_code> {
        auto code = read_status(answer.said, "", status);
        if (!code || *code != LIBSCHED_CODE_SUCCESS) return code;
        if (asked.point == Point::kScore) {
          bool is_failed = false;
          LIBSCHED_TRY(for_each_rejected(asked, answer, status, [&](size_t at, libsched_code said) {
            is_failed |= said != LIBSCHED_CODE_SUCCESS;
            libsched_node_set_answer(nodes, at, status);
          }));
          libsched_status_set(status, LIBSCHED_CODE_SUCCESS);
          if (is_failed) return code;
        }
        if (answer.scores.size() != asked.count) return invalid("scores", "missing");
        std::copy(answer.scores.begin(), answer.scores.end(), scores);
        return code;
      });
}

libsched_code score_batch(void* self, const libsched_cycle_state* state, const libsched_pod* pod,
                          const libsched_node_set* nodes, int64_t* scores,
                          libsched_status* status) {
  return ask_scores(question_of(Point::kScore, pod), self, state, nodes, scores, status);
}

libsched_code normalize_score(void* self, const libsched_cycle_state* state,
                              const libsched_pod* pod, const libsched_node_set* nodes,
                              int64_t* scores, libsched_status* status) {
  Question question = question_of(Point::kNormalizeScore, pod);
  question.scores = scores;
  return ask_scores(std::move(question), self, state, nodes, scores, status);
}

}  // namespace

void set_score_slots(const Description& description, libsched_plugin* slots) {
  if (description.has(Point::kPreScore)) slots->pre_score = pre_score;
  if (description.has(Point::kScore)) slots->score_batch = score_batch;
  if (description.has(Point::kNormalizeScore)) slots->normalize_score = normalize_score;
}

}  // namespace libsched::remote
