// PostFilter, and the points from Reserve to PostBind.
#include <memory>

#include "net/src/remote/slots.hpp"

namespace libsched::remote {
namespace {

struct StatusUnref {
  void operator()(libsched_status* status) const { libsched_status_unref(status); }
};

// {"node": {"code", "plugin", "reasons"}, ...}
void append_statuses(std::string* out, const libsched_view* view,
                     const libsched_node_statuses* statuses) {
  libsched_status* made = nullptr;
  if (libsched_status_create(&made, nullptr) != LIBSCHED_OK) throw std::bad_alloc();
  const std::unique_ptr<libsched_status, StatusUnref> one(made);
  append_key(out, "statuses");
  out->push_back('{');
  size_t count = 0;
  const uint32_t* const order = libsched_view_order(view, &count);
  for (size_t i = 0; i < count; ++i) {
    libsched_node_statuses_get(statuses, order[i], made);
    if (i != 0) out->push_back(',');
    append_json_text(*out, view_of(libsched_node_name(libsched_view_node(view, order[i]))));
    *out += ":{\"code\":\"";
    const char* const code = libsched_code_name(libsched_status_code(made));
    *out += code == nullptr ? "Error" : code;
    *out += "\"";
    if (const auto plugin = view_of(libsched_status_plugin(made)); !plugin.empty()) {
      append_key(out, "plugin");
      append_json_text(*out, plugin);
    }
    append_key(out, "reasons");
    out->push_back('[');
    for (size_t r = 0; r < libsched_status_reason_count(made); ++r) {
      if (r != 0) out->push_back(',');
      append_json_text(*out, view_of(libsched_status_reason(made, r)));
    }
    *out += "]}";
  }
  out->push_back('}');
}

Result<void> read_nomination(const Said& said, Instance& instance,
                             libsched_nomination* nomination) {
  const std::string_view found = said.find("nominated");
  if (found.empty()) return {};
  if (!is_object(found)) return invalid("nominated", "expected an object");
  const Said nominated(found);
  const std::string_view node = nominated.find("node");
  if (!node.empty() && !is_text(node)) return invalid("nominated.node", "expected a text");
  const std::string_view given = nominated.find("mode");
  const std::string mode = is_text(given) ? json_string(given) : std::string();
  if (mode != "override" && mode != "noop")
    return invalid("nominated.mode", "expected \"override\" or \"noop\"");
  instance.nominated = node.empty() ? std::string() : json_string(node);
  nomination->mode = mode == "override" ? LIBSCHED_NOMINATION_OVERRIDE : LIBSCHED_NOMINATION_NOOP;
  nomination->node = str_of(instance.nominated);
  return {};
}

libsched_code post_filter(void* self, libsched_cycle_state* state, const libsched_pod* pod,
                          const libsched_node_statuses* statuses, libsched_nomination* nomination,
                          libsched_status* status) {
  Instance& instance = instance_of(self);
  return guarded(status, [&] {
    Question question = question_of(Point::kPostFilter, pod);
    append_statuses(&question.members, libsched_cycle_state_view(state), statuses);
    return ask_for_code(instance, question, state, status, LIBSCHED_CODE_UNSCHEDULABLE,
                        [&](const Question&, Answer& answer) -> Result<libsched_code> {
                          LIBSCHED_TRY(read_nomination(answer.said, instance, nomination));
                          return read_status(answer.said, "", status);
                        });
  });
}

// Questions about a pod on its way to a node.
Question about(Point point, const libsched_pod* pod, libsched_str node_name) {
  Question question = question_of(point, pod);
  add_name(&question, "nodeName", node_name);
  return question;
}

libsched_code reserve(void* self, libsched_cycle_state* state, const libsched_pod* pod, uint32_t,
                      libsched_str node_name, libsched_status* status) {
  return guarded(status, [&] {
    return ask_for_status(instance_of(self), about(Point::kReserve, pod, node_name), state, status);
  });
}

// For points without an answer.
void tell(Point point, void* self, libsched_cycle_state* state, const libsched_pod* pod,
          libsched_str node_name) {
  try {
    [[maybe_unused]] const auto told =
        instance_of(self).ask(about(point, pod, node_name), state,
                              [](const Question&, Answer&) { return Result<bool>(true); });
  } catch (const std::exception&) {  // these points cannot fail
  }
}
void unreserve(void* self, libsched_cycle_state* state, const libsched_pod* pod, uint32_t,
               libsched_str node_name) {
  tell(Point::kUnreserve, self, state, pod, node_name);
}
void post_bind(void* self, libsched_cycle_state* state, const libsched_pod* pod,
               libsched_str node_name) {
  tell(Point::kPostBind, self, state, pod, node_name);
}

libsched_code permit(void* self, libsched_cycle_state* state, const libsched_pod* pod,
                     libsched_str node_name, int64_t* timeout_ns, libsched_status* status) {
  return guarded(status, [&] {
    return ask_for_code(instance_of(self), about(Point::kPermit, pod, node_name), state, status,
                        LIBSCHED_CODE_SUCCESS,
                        [&](const Question&, Answer& answer) -> Result<libsched_code> {
                          auto timeout = read_number(answer.said, "timeoutNs", 0);
                          if (!timeout) return timeout.error();
                          *timeout_ns = *timeout;
                          return read_status(answer.said, "", status);
                        });
  });
}

libsched_code pre_bind_pre_flight(void* self, libsched_cycle_state* state, const libsched_pod* pod,
                                  libsched_str node_name, bool* allow_parallel,
                                  libsched_status* status) {
  return guarded(status, [&] {
    return ask_for_code(instance_of(self), about(Point::kPreBindPreFlight, pod, node_name), state,
                        status, LIBSCHED_CODE_SUCCESS,
                        [&](const Question&, Answer& answer) -> Result<libsched_code> {
                          auto allowed = read_flag(answer.said, "allowParallel", false);
                          if (!allowed) return allowed.error();
                          *allow_parallel = *allowed;
                          return read_status(answer.said, "", status);
                        });
  });
}

libsched_code pre_bind(void* self, libsched_cycle_state* state, const libsched_pod* pod,
                       libsched_str node_name, libsched_status* status) {
  return guarded(status, [&] {
    return ask_for_status(instance_of(self), about(Point::kPreBind, pod, node_name), state, status);
  });
}

libsched_code bind(void* self, libsched_cycle_state* state, const libsched_pod* pod,
                   libsched_str node_name, libsched_status* status) {
  return guarded(status, [&] {
    return ask_for_status(instance_of(self), about(Point::kBind, pod, node_name), state, status,
                          LIBSCHED_CODE_SKIP);
  });
}

}  // namespace

void set_binding_slots(const Description& description, libsched_plugin* slots) {
  if (description.has(Point::kPostFilter)) slots->post_filter = post_filter;
  if (description.has(Point::kReserve)) slots->reserve = reserve;
  if (description.has(Point::kUnreserve)) slots->unreserve = unreserve;
  if (description.has(Point::kPermit)) slots->permit = permit;
  if (description.has(Point::kPreBindPreFlight)) slots->pre_bind_pre_flight = pre_bind_pre_flight;
  if (description.has(Point::kPreBind)) slots->pre_bind = pre_bind;
  if (description.has(Point::kBind)) slots->bind = bind;
  if (description.has(Point::kPostBind)) slots->post_bind = post_bind;
}

}  // namespace libsched::remote
