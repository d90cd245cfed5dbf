// Extenders that misbehave, and the call that asks them about several pods.
#include "documents.hpp"
#include "hostile.hpp"
#include "special.hpp"

namespace fuzz {
namespace {

using Pod = const libsched_pod;
using Answer = const libsched_extender_answer;

// Concurrent extenders behave well: their calls come in any order.
constexpr bool kAnywhere = true;

libsched_str some_name(Slot& s, const libsched_node* const* nodes, size_t count) {
  static constexpr libsched_str kNames[] = {{"nowhere", 7}, {"", 0}, {"\xff", 1}};
  const size_t i = s.choose().below(count + 1);
  return i < count ? libsched_node_name(nodes[i]) : s.choose().of(kNames);
}

template <bool anywhere>
libsched_code filter(void*, Pod* pod, const libsched_node* const* nodes, size_t count,
                     Answer* answer, libsched_status* status) {
  Slot s({lent(pod), lent(status)}, anywhere);
  for (size_t i = 0; i < count; ++i) {
    switch (s.active() ? s.choose().below(12) : 5) {
      case 0: answer->reject(answer->context, some_name(s, nodes, count), {"no", 2}, false); break;
      case 1: answer->reject(answer->context, libsched_node_name(nodes[i]), {"no", 2}, true); break;
      case 2: answer->keep_node(answer->context, i, nodes[i]); break;
      case 3: answer->keep_node(answer->context, i, nodes[s.choose().below(count)]); break;
      case 4: answer->keep(answer->context, s.choose().below(count + 2)); break;
      default: answer->keep(answer->context, i); break;
    }
  }
  return s.answer(status);
}

template <bool anywhere>
libsched_code prioritize(void*, Pod* pod, const libsched_node* const* nodes, size_t count,
                         Answer* answer, libsched_status* status) {
  Slot s({lent(pod), lent(status)}, anywhere);
  for (size_t i = 0; i < count && s.active(); ++i) {
    const int64_t score = s.choose().one_in(9) ? static_cast<int64_t>(s.choose().next())
                                               : static_cast<int64_t>(s.choose().below(11));
    answer->score(answer->context, some_name(s, nodes, count), score);
  }
  return s.answer(status);
}

libsched_code process_preemption(void*, Pod* pod, const libsched_extender_candidate* candidates,
                                 size_t count, Answer* answer, libsched_status* status) {
  Slot s({lent(pod), lent(status)});
  for (size_t i = 0; i < count; ++i) {
    const libsched_extender_candidate& c = candidates[i];
    std::vector<libsched_str> uids;
    for (size_t k = 0; k < c.victim_count; ++k)
      if (!s.active() || !s.choose().one_in(4)) uids.push_back(libsched_pod_uid(c.victims[k]));
    if (s.active() && s.choose().one_in(9)) uids.push_back({"ghost", 5});
    if (s.active() && s.choose().one_in(9)) continue;
    const bool elsewhere = s.active() && s.choose().one_in(12);
    answer->victims(answer->context, elsewhere ? libsched_str{"nowhere", 7} : c.node, uids.data(),
                    uids.size(), c.budget_violations);
  }
  return s.answer(status);
}

libsched_code bind(void*, Pod* pod, libsched_str node, libsched_status* status) {
  Slot s({lent(pod), lent(status)}, kAnywhere);
  if (node.ptr == nullptr) fail("an extender is asked to bind to no node");
  return s.answer(status);
}

void destroy(void* data) { world().destroyed(data); }

}  // namespace

libsched_extender_functions hostile_extender(Turn& t) {
  static constexpr libsched_str kResources[] = {{"cpu", 3}, {"example.com/gpu", 15}};
  libsched_extender_functions f = LIBSCHED_EXTENDER_FUNCTIONS_INIT;
  f.name = LIBSCHED_STR("an extender");
  f.destroy = destroy;
  f.concurrent = t.choose.one_in(3);
  f.ignorable = t.choose.one_in(3);
  f.reads_pods = t.choose.one_in(6);
  f.reads_nodes = t.choose.one_in(6);
  f.weight = t.choose.one_in(3) ? make_number(t.choose) : 1;
  if (t.choose.one_in(4)) f.managed_resources = kResources;
  if (f.managed_resources != nullptr) f.managed_resource_count = 1 + t.choose.below(2);
  if (!t.choose.one_in(4)) f.filter = f.concurrent ? filter<true> : filter<false>;
  if (!t.choose.one_in(4)) f.prioritize = f.concurrent ? prioritize<true> : prioritize<false>;
  if (t.choose.one_in(2)) f.process_preemption = process_preemption;
  if (t.choose.one_in(3)) f.bind = bind;
  if (f.concurrent) world().parallel = true;
  world().hostile = true;
  return f;
}

void call_libsched_extender_create(Turn& t) {
  Out<libsched_extender> out(t, "out");
  Fault error(t, "error");
  libsched_extender_functions f = hostile_extender(t);
  if (t.choose.one_in(16)) f.managed_resource_count = f.managed_resources == nullptr;
  t.begin("libsched_extender_create", Changes::kNothing, out, error);
  const libsched_rc rc =
      libsched_extender_create(&f, world().pass("the data of an extender"), out.get(), error.get());
  t.end_fallible(rc, out, error);
}

void call_libsched_check_pods_fit(Turn& t) {
  In<libsched_evaluator> evaluator(t, "evaluator", kExclusive);
  Count counted(t);
  Handles<const libsched_pod> pods(t, "pods", counted);
  Options<libsched_check_options> options(t, "options");
  Fault error(t, "error");
  std::vector<libsched_decision*> made(counted.get());
  t.begin("libsched_check_pods_fit", Changes::kNothing, evaluator, pods, options, error);
  const libsched_rc rc = libsched_check_pods_fit(evaluator.get(), pods.get(), counted.get(),
                                                 options.get(), made.data(), error.get());
  t.end_fallible(rc, evaluator, pods, options, error);
  for (libsched_decision* decision : made) {
    if ((decision != nullptr) != (rc == LIBSCHED_OK)) t.wrong("made a decision for some pods");
    t.adopt(decision);
  }
}

}  // namespace fuzz
