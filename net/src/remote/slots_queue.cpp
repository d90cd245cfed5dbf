// PreEnqueue, QueueSort by keys, events with their hints, and SignPod.
#include "net/src/remote/slots.hpp"

namespace libsched::remote {
namespace {

libsched_code pre_enqueue(void* self, const libsched_pod* pod, libsched_status* status) {
  return ask_for_status(instance_of(self), question_of(Point::kPreEnqueue, pod), nullptr, status);
}

// A plugin gives each pod a key, because to ask about each pair of pods would take too long. Pods
// with equal keys are in the order in which they came.
bool less(void* self, const libsched_pod* a, int64_t a_since_ns, const libsched_pod* b,
          int64_t b_since_ns) {
  try {
    const auto first = instance_of(self).queue_key(a);
    const auto second = instance_of(self).queue_key(b);
    return *first == *second ? a_since_ns < b_since_ns : *first < *second;
  } catch (const std::exception&) {
    return a_since_ns < b_since_ns;
  }
}

libsched_code events_to_register(void* self, libsched_events* events, libsched_status*) {
  for (const RegisteredEvent& event : instance_of(self).description().events)
    libsched_events_add(events, str_of(event.resource), event.actions, event.hint);
  return LIBSCHED_CODE_SUCCESS;
}

// The document of one side of a change, if the library has it.
void append_side(std::string* out, const char* key, const libsched_object_change* change,
                 bool after) {
  libsched_str raw{};
  if (libsched_object_change_raw(change, after, &raw, nullptr) == LIBSCHED_OK) {
    append_key(out, key);
    *out += view_of(raw);
    return;
  }
  const libsched_pod* const pod = libsched_object_change_pod(change, after);
  const libsched_node* const node = libsched_object_change_node(change, after);
  if (pod == nullptr && node == nullptr) return;
  auto document = pod != nullptr ? document_of(pod) : document_of(node);
  if (!document) return;
  append_key(out, key);
  *out += *document;
}

libsched_code queueing_hint(void* self, size_t index, const libsched_pod* pod,
                            const libsched_object_change* change, bool* queue,
                            libsched_status* status) {
  return guarded(status, [&] {
    Question question = question_of(Point::kQueueingHint, pod);
    std::string& members = question.members;
    append_key(&members, "event");
    append_number(&members, static_cast<int64_t>(index));
    members += ",\"change\":{\"resource\":";
    append_json_text(members, view_of(libsched_object_change_resource(change)));
    append_key(&members, "namespace");
    append_json_text(members, view_of(libsched_object_change_namespace(change)));
    append_key(&members, "name");
    append_json_text(members, view_of(libsched_object_change_name(change)));
    append_key(&members, "actions");
    append_actions(&members, libsched_object_change_actions(change));
    append_side(&members, "before", change, false);
    append_side(&members, "after", change, true);
    members.push_back('}');
    return ask_for_code(instance_of(self), question, nullptr, status, LIBSCHED_CODE_SUCCESS,
                        [&](const Question&, Answer& answer) -> Result<libsched_code> {
                          auto wanted = read_flag(answer.said, "queue", true);
                          if (!wanted) return wanted.error();
                          *queue = *wanted;
                          return read_status(answer.said, "", status);
                        });
  });
}

// The keys of a value stay in the plugin's order.
Result<void> read_fragments(const Said& said, libsched_signature* signature) {
  const std::string_view parts = said.find("fragments");
  if (parts.empty()) return {};
  if (!is_object(parts)) return invalid("fragments", "expected an object");
  size_t count = 0;
  for (JsonWalk walk(parts); walk.next();) {
    if (++count > kMostEntries)
      return invalid("fragments", "more than " + std::to_string(kMostEntries));
    libsched_signature_add(signature, str_of(json_string(walk.key)),
                           str_of(json_without_space(walk.value)));
  }
  return {};
}

libsched_code sign(void* self, const libsched_pod* pod, libsched_signature* signature,
                   libsched_status* status) {
  // A pod that an ignorable plugin did not sign cannot be signed.
  return ask_for_code(instance_of(self), question_of(Point::kSign, pod), nullptr, status,
                      LIBSCHED_CODE_UNSCHEDULABLE,
                      [&](const Question&, Answer& answer) -> Result<libsched_code> {
                        LIBSCHED_TRY(read_fragments(answer.said, signature));
                        return read_status(answer.said, "", status);
                      });
}

}  // namespace

void set_queue_slots(const Description& description, libsched_plugin* slots) {
  if (description.has(Point::kPreEnqueue)) slots->pre_enqueue = pre_enqueue;
  if (description.has(Point::kQueueSort)) slots->less = less;
  if (description.has(Point::kSign)) slots->sign = sign;
  if (description.has_events) slots->events_to_register = events_to_register;
  if (description.has(Point::kQueueingHint)) slots->queueing_hint = queueing_hint;
}

}  // namespace libsched::remote
