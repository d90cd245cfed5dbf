// The slots of hostile plugins.
#include <vector>

#include "documents.hpp"
#include "hostile.hpp"

namespace fuzz {
namespace {

using State = libsched_cycle_state;
using Pod = const libsched_pod;
using Info = const libsched_node_info;
using Set = const libsched_node_set;
using Status = libsched_status;
using Code = libsched_code;

constexpr libsched_str kReasons[] = {{"too noisy", 9}, {"\xff", 1}, {"", 0}};

Code create(void*, libsched_str, void** instance, Status* status) {
  Slot s({lent(status)});
  const Code code = s.answer(status);
  // An unknown code is a failure as well, after which no release follows.
  *instance = world().pass("an instance", code == LIBSCHED_CODE_SUCCESS);
  return code;
}
void release(void*, void* instance) { world().destroyed(instance); }
void destroy(void* data) { world().destroyed(data); }

Code pre_filter(void*, State* state, Pod* pod, libsched_prefilter_result* result, Status* status) {
  Slot s({lent(state), lent(pod), lent(result), lent(status)});
  if (s.active() && s.choose().one_in(6)) {
    static constexpr libsched_str kNames[] = {{"n0", 2}, {"n1", 2}, {"nowhere", 7}, {"n0", 2}};
    libsched_prefilter_result_set_nodes(result, kNames, s.choose().below(5));
  }
  return s.answer(status);
}
Code filter(void*, const State* state, Pod* pod, Info* node, Status* status) {
  Slot s({lent(state), lent(pod), lent(node), lent(status)}, true);
  return s.answer(status);
}
Code filter_batch(void*, const State* state, Pod* pod, Set* nodes, int8_t* codes, uint16_t* reasons,
                  Status* status) {
  Slot s({lent(state), lent(pod), lent(nodes), lent(status)}, true);
  const size_t count = libsched_node_set_count(nodes);
  for (size_t i = 0; s.active() && i < count; ++i) {
    if (!s.choose().one_in(4)) continue;
    codes[i] = static_cast<int8_t>(s.choose().one_in(6) ? s.choose().next() : 2);
    reasons[i] =
        static_cast<uint16_t>(s.choose().one_in(6) ? s.choose().next() : s.choose().below(3));
  }
  if (s.active() && s.choose().one_in(4))
    libsched_node_info_node(libsched_node_set_at(nodes, s.choose().below(count + 1)));
  if (s.active() && s.choose().one_in(4)) {
    libsched_status_set(status, static_cast<Code>(s.choose().below(8)));
    libsched_status_add_reason(status, kReasons[s.choose().below(3)]);
    libsched_node_set_answer(nodes, s.choose().below(count + 1), status);
    libsched_status_set(status, LIBSCHED_CODE_SUCCESS);
  }
  return s.answer(status);
}
Code pre_score(void*, State* state, Pod* pod, Set* nodes, Status* status) {
  Slot s({lent(state), lent(pod), lent(nodes), lent(status)});
  return s.answer(status);
}
int64_t some_score(Slot& s) {
  return s.choose().one_in(20) ? static_cast<int64_t>(s.choose().next())
                               : static_cast<int64_t>(s.choose().below(101));
}
Code score(void*, const State* state, Pod* pod, Info* node, int64_t* out, Status* status) {
  Slot s({lent(state), lent(pod), lent(node), lent(status)});
  *out = some_score(s);
  return s.answer(status);
}
Code score_batch(void*, const State* state, Pod* pod, Set* nodes, int64_t* scores, Status* status) {
  Slot s({lent(state), lent(pod), lent(nodes), lent(status)});
  for (size_t i = 0; i < libsched_node_set_count(nodes); ++i) scores[i] = some_score(s);
  return s.answer(status);
}
Code normalize_score(void*, const State* state, Pod* pod, Set* nodes, int64_t* scores,
                     Status* status) {
  Slot s({lent(state), lent(pod), lent(nodes), lent(status)});
  for (size_t i = 0; i < libsched_node_set_count(nodes); ++i)
    if (s.choose().one_in(3)) scores[i] = some_score(s);
  return s.answer(status);
}
Code reserve(void*, State* state, Pod* pod, uint32_t, libsched_str, Status* status) {
  Slot s({lent(state), lent(pod), lent(status)});
  return s.answer(status);
}
void unreserve(void*, State* state, Pod* pod, uint32_t, libsched_str) {
  Slot s({lent(state), lent(pod)});
  s.mischief();
}
libsched_str instance_name(void*) { return LIBSCHED_STR("Named"); }
bool less(void*, Pod* a, int64_t, Pod* b, int64_t) {
  Slot s({lent(a), lent(b)});
  s.mischief();
  return s.active() && s.choose().one_in(2);
}
Code pre_enqueue(void*, Pod* pod, Status* status) {
  Slot s({lent(pod), lent(status)});
  return s.answer(status);
}
Code add_pod(void*, State* state, Pod* pod, Pod* other, Info* node, Status* status) {
  Slot s({lent(state), lent(pod), lent(other), lent(node), lent(status)}, true);
  return s.answer(status);
}
Code post_filter(void*, State* state, Pod* pod, const libsched_node_statuses* statuses,
                 libsched_nomination* nomination, Status* status) {
  Slot s({lent(state), lent(pod), lent(statuses), lent(status)});
  if (s.active() && s.choose().one_in(2)) {
    static const char room[] = {'n', '1'};  // without a NUL
    nomination->mode = s.choose().one_in(6) ? 77 : static_cast<uint32_t>(s.choose().below(3));
    nomination->node = {room, s.choose().below(3)};
    if (s.choose().one_in(16)) nomination->struct_size = static_cast<uint32_t>(s.choose().next());
  }
  return s.answer(status);
}
Code permit(void*, State* state, Pod* pod, libsched_str, int64_t* timeout_ns, Status* status) {
  Slot s({lent(state), lent(pod), lent(status)});
  *timeout_ns = s.choose().one_in(3) ? static_cast<int64_t>(s.choose().next())
                                     : static_cast<int64_t>(s.choose().below(1000));
  return s.answer(status);
}
Code pre_bind_pre_flight(void*, State* state, Pod* pod, libsched_str, bool* parallel,
                         Status* status) {
  Slot s({lent(state), lent(pod), lent(status)});
  *parallel = s.choose().one_in(2);
  return s.answer(status);
}
Code pre_bind(void*, State* state, Pod* pod, libsched_str, Status* status) {
  Slot s({lent(state), lent(pod), lent(status)}, true);
  return s.answer(status);
}
Code bind(void*, State* state, Pod* pod, libsched_str, Status* status) {
  Slot s({lent(state), lent(pod), lent(status)});
  return s.answer(status);
}
void post_bind(void*, State* state, Pod* pod, libsched_str) {
  Slot s({lent(state), lent(pod)});
  s.mischief();
}
Code sign(void*, Pod* pod, libsched_signature* signature, Status* status) {
  Slot s({lent(pod), lent(signature), lent(status)});
  const std::string key = make_text(s.choose(), Words::kKey),
                    json = make_text(s.choose(), Words::kAny);
  libsched_signature_add(signature, {key.data(), key.size()}, {json.data(), json.size()});
  return s.answer(status);
}
Code events_to_register(void*, libsched_events* events, Status* status) {
  Slot s({lent(events), lent(status)});
  static constexpr libsched_str kResources[] = {
      {"Pod", 3}, {"Node", 4}, {"*", 1}, {"", 0}, {"\xff", 1}};
  for (size_t n = s.choose().below(4); n != 0; --n)
    libsched_events_add(events, s.choose().of(kResources), static_cast<int64_t>(s.choose().next()),
                        s.choose().one_in(2));
  return s.answer(status);
}
Code queueing_hint(void*, size_t, Pod* pod, const libsched_object_change* change, bool* queue,
                   Status* status) {
  Slot s({lent(pod), lent(change), lent(status)});
  *queue = s.choose().one_in(2);
  return s.answer(status);
}
void on_event(void*, libsched_services* services, const libsched_view* view,
              const libsched_object_change* change) {
  Slot s({lent(services), lent(view), lent(change)});
  s.mischief();
}
void forked(void*, const libsched_view* view) {
  Slot s({lent(view)});
  s.mischief();
}

}  // namespace

libsched_plugin hostile_plugin(Turn& t, const char* name) {
  world().hostile = true;
  libsched_plugin p = LIBSCHED_PLUGIN_INIT;
  p.name = libsched_str_from(name);
  p.flags = static_cast<uint32_t>(t.choose.below(3));
  p.reasons = kReasons;
  p.reason_count = std::size(kReasons);
  p.destroy = destroy;
  Choices& c = t.choose;
  if (c.one_in(2)) p.create = create, p.release = release;
  if (c.one_in(3)) p.pre_filter = pre_filter;
  if (p.pre_filter != nullptr && c.one_in(2)) p.add_pod = p.remove_pod = add_pod;
  if (c.one_in(3)) p.filter = filter;
  if (c.one_in(5)) p.filter_batch = filter_batch;
  if (c.one_in(3)) p.score = score;
  if (c.one_in(5)) p.score_batch = score_batch;
  if (p.score != nullptr || p.score_batch != nullptr) {
    if (c.one_in(2)) p.pre_score = pre_score;
    if (c.one_in(2)) p.normalize_score = normalize_score;
  }
  if (c.one_in(3)) p.reserve = reserve, p.unreserve = unreserve;
  if (c.one_in(8)) p.instance_name = instance_name;
  if (c.one_in(16)) p.less = less;
  if (c.one_in(4)) p.pre_enqueue = pre_enqueue;
  if (c.one_in(4)) p.post_filter = post_filter;
  if (c.one_in(4)) p.permit = permit;
  if (c.one_in(4)) p.pre_bind = pre_bind;
  if (p.pre_bind != nullptr && c.one_in(2)) p.pre_bind_pre_flight = pre_bind_pre_flight;
  if (c.one_in(4)) p.bind = bind;
  if (c.one_in(4)) p.post_bind = post_bind;
  if (c.one_in(4)) p.sign = sign;
  if (c.one_in(4)) p.events_to_register = events_to_register;
  if (p.events_to_register != nullptr && c.one_in(2)) p.queueing_hint = queueing_hint;
  if (c.one_in(4)) p.on_event = on_event;
  if (c.one_in(5)) p.forked = p.reverted = p.committed = forked;
  switch (c.below(40)) {  // structs that must be refused
    case 0: p.struct_size = 0; break;
    case 1: p.abi_version = 99; break;
    case 2: p.flags = 0x80; break;
    case 3: p.normalize_score = normalize_score; break;
    case 4: p.add_pod = add_pod; break;
    case 5: p.name = {nullptr, 0}; break;
    default: break;
  }
  return p;
}

}  // namespace fuzz
