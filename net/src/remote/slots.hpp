// The slots of a plugin in another process, by group of extension points.
#pragma once

#include <libsched.h>

#include <new>
#include <string>

#include "net/src/remote/instance.hpp"
#include "net/src/remote/text.hpp"

namespace libsched::remote {

void set_filter_slots(const Description& description, libsched_plugin* slots);
void set_score_slots(const Description& description, libsched_plugin* slots);
void set_binding_slots(const Description& description, libsched_plugin* slots);
void set_queue_slots(const Description& description, libsched_plugin* slots);

inline Instance& instance_of(void* instance) { return *static_cast<Instance*>(instance); }

// A question of a point about a pod.
inline Question question_of(Point point, const libsched_pod* pod) {
  Question question;
  question.point = point;
  question.pod = pod;
  return question;
}
inline void ask_about(const libsched_node_set* nodes, Question* question) {
  question->view = libsched_node_set_view(nodes);
  question->rows = libsched_node_set_rows(nodes);
  question->count = libsched_node_set_count(nodes);
}
inline void add_name(Question* question, const char* key, libsched_str name) {
  append_key(&question->members, key);
  append_json_text(question->members, view_of(name));
}

inline libsched_code fail(libsched_status* status, std::string_view why) {
  libsched_status_set(status, LIBSCHED_CODE_ERROR);
  libsched_status_add_reason(status, str_of(why));
  return LIBSCHED_CODE_ERROR;
}

// Runs the body of a slot. Out of memory becomes an Error.
template <typename F>
libsched_code guarded(libsched_status* status, F&& body) {
  try {
    return body();
  } catch (const std::exception& error) {
    return fail(status, error.what());
  }
}

// Asks, and returns the code that was read; a failure is an Error, or `ignored` of an ignorable
// plugin.
template <typename Read>
libsched_code ask_for_code(Instance& instance, const Question& question,
                           const libsched_cycle_state* state, libsched_status* status,
                           libsched_code ignored, Read&& read) {
  return guarded(status, [&] {
    Result<libsched_code> code = instance.ask(question, state, read);
    if (code.ok()) return *code;
    if (!instance.ignorable() || code.error().rc == Rc::kNoMemory)
      return fail(status, code.error().message);
    libsched_status_set(status, ignored);
    return ignored;
  });
}

// The same for points whose answer is a status alone.
inline libsched_code ask_for_status(Instance& instance, const Question& question,
                                    const libsched_cycle_state* state, libsched_status* status,
                                    libsched_code ignored = LIBSCHED_CODE_SUCCESS) {
  return ask_for_code(
      instance, question, state, status, ignored,
      [&](const Question&, Answer& answer) { return read_status(answer.said, "", status); });
}

}  // namespace libsched::remote
