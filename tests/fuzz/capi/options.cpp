// Random fields of every struct of options. A new struct without a fill() here does not link.
#include "arguments.hpp"
#include "hostile.hpp"

namespace fuzz {
namespace {

// A cancel handle of the pool, set or not.
const libsched_cancel* cancel_handle(Turn& t) {
  const Entry* e = t.choose.one_in(6) ? world().pools.any(t.choose, Kind::cancel, true) : nullptr;
  return e == nullptr ? nullptr : static_cast<const libsched_cancel*>(e->handle);
}
int64_t deadline(Turn& t) { return t.choose.one_in(12) ? make_number(t.choose) : 0; }
// Ends a call after a number of polls; without data it never does.
bool interrupt_after(void* data) {
  auto* const left = static_cast<uint64_t*>(data);
  return left != nullptr && (*left == 0 || --*left == 0);
}
bool rarely(Turn& t) { return t.choose.one_in(40); }

}  // namespace

template <>
void fill(Turn& t, libsched_cluster_options& o) {
  o.node_order = rarely(t) ? 7 : static_cast<uint32_t>(t.choose.below(2));
}

template <>
void fill(Turn& t, libsched_parse_options& o) {
  o.format = rarely(t) ? 9 : t.choose.one_in(8) ? static_cast<uint32_t>(t.choose.below(4)) : 0;
  o.defaults = t.choose.one_in(2);
  o.strict = t.choose.one_in(8);
  o.keep_raw = t.choose.one_in(4);
  o.validate = t.choose.one_in(4);
  o.max_bytes = t.choose.one_in(16) ? t.choose.below(2000) : 0;
  o.max_depth = t.choose.one_in(16) ? static_cast<uint32_t>(t.choose.below(20)) : 0;
  o.max_decompressed_bytes = t.choose.one_in(16) ? t.choose.below(2000) : 0;
  if (t.choose.one_in(4)) {
    static thread_local uint64_t left = 0;
    left = t.choose.below(40);
    o.interrupt = interrupt_after;
    if (t.choose.one_in(4)) o.interrupt_data = &left;
  }
  o.keep_annotations = t.choose.one_in(3);
  o.reserved[1] = rarely(t);
  const Entry* e = t.choose.one_in(8) ? world().pools.any(t.choose, Kind::objects, true) : nullptr;
  o.classes = e == nullptr ? nullptr : static_cast<const libsched_objects*>(e->handle);
}

static libsched_str gates_for(Turn& t) {
  static constexpr const char* kGates[] = {
      "",    "DynamicResourceAllocation=false",         "NoSuchGate=true", "A",
      "=,=", "GenericWorkload=true,GangScheduling=true"};
  return libsched_str_from(t.choose.of(kGates));
}

static libsched_str semantics_for(Turn& t) {
  static constexpr const char* kSemantics[] = {"", "1.36", "1.31", "1.37", "1.99"};
  return libsched_str_from(t.choose.of(kSemantics));
}

template <>
void fill(Turn& t, libsched_config_options& o) {
  o.several_queue_sorts = t.choose.one_in(2);
  o.profile = t.choose.one_in(4);
  if (t.choose.one_in(6)) o.feature_gates = gates_for(t);
  if (t.choose.one_in(6)) o.semantics = semantics_for(t);
  o.reserved[0] = rarely(t);
}

template <>
void fill(Turn& t, libsched_assume_options& o) {
  o.started = t.choose.one_in(3);
  o.reserved[2] = rarely(t);
  o.start_ns = make_number(t.choose);
}

template <>
void fill(Turn& t, libsched_framework_options& o) {
  o.several_queue_sorts = t.choose.one_in(4);
  o.skip_unknown_plugins = t.choose.one_in(4);
  o.reserved[1] = rarely(t);
  if (t.choose.one_in(6)) o.feature_gates = gates_for(t);
  if (t.choose.one_in(6)) o.semantics = semantics_for(t);
  if (!t.choose.one_in(5)) return;
  static thread_local const libsched_extender* rooms[16][2];  // calls are not nested so deeply
  static thread_local size_t room = 0;
  const libsched_extender** const list = rooms[room++ % 16];
  o.extender_count = t.choose.below(3);
  for (size_t i = 0; i < o.extender_count; ++i) {
    const Entry* e = world().pools.any(t.choose, Kind::extender, true);
    if (e == nullptr || t.choose.one_in(3)) e = make(t, Kind::extender);
    list[i] = e == nullptr ? nullptr : static_cast<const libsched_extender*>(e->handle);
  }
  o.extenders = t.choose.one_in(40) ? nullptr : list;
}

template <>
void fill(Turn& t, libsched_evaluator_options& o) {
  const Entry* e = t.choose.one_in(2) ? world().pools.any(t.choose, Kind::snapshot, true) : nullptr;
  o.snapshot = e == nullptr ? nullptr : static_cast<const libsched_snapshot*>(e->handle);
  o.reserved = rarely(t);
}

template <>
void fill(Turn& t, libsched_run_filter_options& o) {
  o.by_row = t.choose.one_in(2);
  o.row = static_cast<uint32_t>(make_number(t.choose));
  o.nominated = t.choose.one_in(4);
  o.reserved[5] = rarely(t);
}

template <>
void fill(Turn& t, libsched_filter_options& o) {
  static const uint64_t accept[] = {0x55, ~uint64_t{0}, 0};
  o.limit = t.choose.one_in(3) ? static_cast<uint32_t>(t.choose.below(4)) : 0;
  if (t.choose.one_in(6)) {
    o.accept = accept;
    o.accept_words = t.choose.below(std::size(accept) + 1);
  }
  o.start = t.choose.one_in(3) ? static_cast<size_t>(make_number(t.choose)) : 0;
  o.cancel = cancel_handle(t);
  o.deadline_ns = deadline(t);
}

template <>
void fill(Turn& t, libsched_check_options& o) {
  o.judge_excluded = t.choose.one_in(3);
  o.score = t.choose.one_in(2);
  o.post_filter = t.choose.one_in(4);
  o.facts = t.choose.one_in(2);
  const Entry* e =
      t.choose.one_in(4) ? world().pools.any(t.choose, Kind::cycle_state, false) : nullptr;
  o.state = e == nullptr ? nullptr : static_cast<libsched_cycle_state*>(e->handle);
  o.cancel = cancel_handle(t);
  o.deadline_ns = deadline(t);
  o.extender_calls = t.choose.one_in(40) ? 1025 : static_cast<uint32_t>(t.choose.below(5));
  o.reserved = rarely(t);
}

template <>
void fill(Turn& t, libsched_cycle_options& o) {
  o.ties = rarely(t) ? 5 : static_cast<uint32_t>(t.choose.below(3));
  o.sampling = t.choose.one_in(3);
  o.fit_error = t.choose.one_in(3);
  o.reserved[5] = rarely(t);
  o.seed = t.choose.next();
  o.cancel = cancel_handle(t);
  o.deadline_ns = deadline(t);
}

template <>
void fill(Turn& t, libsched_services_options& o) {
  o.random_preemption = t.choose.one_in(3);
  o.reserved[0] = rarely(t);
  o.seed = t.choose.next();
  const Entry* e = t.choose.one_in(3) ? world().pools.any(t.choose, Kind::clock, true) : nullptr;
  if (e != nullptr && libsched_clock_advance_to(static_cast<libsched_clock*>(e->handle), INT64_MIN,
                                                nullptr) == LIBSCHED_OK)  // else waits are real
    o.clock = static_cast<libsched_clock*>(e->handle);
  const Entry* d = t.choose.one_in(3) ? world().pools.any(t.choose, Kind::clock, true) : nullptr;
  if (d != nullptr) o.deadline_clock = static_cast<libsched_clock*>(d->handle);
  if (t.choose.one_in(3)) o.preemption_offset = static_cast<uint64_t>(make_number(t.choose));
  const Entry* m =
      t.choose.one_in(6) ? world().pools.any(t.choose, Kind::memory_api, true) : nullptr;
  if (m != nullptr) o.memory_api = static_cast<libsched_memory_api*>(m->handle);
  if (t.choose.one_in(3)) {
    o.api = hostile_client(t);
    o.api_user_data = client_data();
  }
}

template <>
void fill(Turn& t, libsched_nomination& o) {
  static constexpr const char* kNodes[] = {"n0", "n1", "", "nowhere"};
  o.mode = rarely(t) ? 9 : static_cast<uint32_t>(t.choose.below(3));
  o.node = libsched_str_from(t.choose.of(kNodes));
}

template <>
void fill(Turn& t, libsched_rejection& o) {
  static const libsched_str names[] = {LIBSCHED_STR("NodeResourcesFit"), LIBSCHED_STR("P0"),
                                       LIBSCHED_STR("NodeAffinity"), LIBSCHED_STR("")};
  if (t.choose.below(4) != 0) {
    o.unschedulable = names;
    o.unschedulable_count = t.choose.below(std::size(names) + 1);
  }
  if (t.choose.one_in(4)) {
    o.pending = names;
    o.pending_count = t.choose.below(std::size(names) + 1);
  }
  if (rarely(t)) o.pending_count = o.pending == nullptr ? 3 : o.pending_count;
  o.reserved = rarely(t) ? 1 : 0;
}

template <>
void fill(Turn& t, libsched_queue_event& o) {
  static constexpr const char* kResources[] = {
      "Node", "AssignedPod", "UnschedulablePod", "*", "PersistentVolumeClaim", "x", ""};
  static constexpr int64_t kActions[] = {1, 2, 8191, 8188, 16, 256, 0, -1};
  const auto some = [&](Kind kind, uint32_t in) -> const void* {
    const Entry* e = t.choose.one_in(in) ? world().pools.any(t.choose, kind, true) : nullptr;
    return e == nullptr ? nullptr : e->handle;
  };
  o.check = rarely(t) ? 7 : static_cast<uint32_t>(t.choose.below(3));
  o.resource = libsched_str_from(t.choose.of(kResources));
  o.actions = t.choose.of(kActions);
  if (t.choose.one_in(4)) o.label = libsched_str_from("Something");
  o.old_pod = static_cast<const libsched_pod*>(some(Kind::pod, 4));
  o.new_pod = static_cast<const libsched_pod*>(some(Kind::pod, 4));
  if (o.old_pod == nullptr && o.new_pod == nullptr) {
    o.old_node = static_cast<const libsched_node*>(some(Kind::node, 3));
    o.new_node = static_cast<const libsched_node*>(some(Kind::node, 3));
  }
  o.old_object = static_cast<const libsched_objects*>(some(Kind::objects, 8));
  o.new_object = static_cast<const libsched_objects*>(some(Kind::objects, 8));
  o.max_priority = static_cast<int32_t>(t.choose.below(20)) - 5;
  o.reserved = rarely(t) ? 1 : 0;
  o.except = static_cast<const libsched_pod*>(some(Kind::pod, 2));
}

template <>
void fill(Turn& t, libsched_api_server_options& o) {
  const Entry* e = t.choose.one_in(2) ? world().pools.any(t.choose, Kind::clock, true) : nullptr;
  if (e != nullptr) o.clock = static_cast<libsched_clock*>(e->handle);
  o.keep_calls = t.choose.one_in(2);
  o.keep_events = t.choose.one_in(2);
  o.bind_volumes = t.choose.one_in(2);
  o.release_claims = t.choose.one_in(2);
  o.provision_ns = o.bind_volumes && t.choose.one_in(3) ? make_number(t.choose) : 0;
  o.grace_ns = t.choose.one_in(3) ? make_number(t.choose) : 0;
  o.fault_seed = t.choose.next();
  o.fault_rate = t.choose.one_in(4) ? 0.3 : rarely(t) ? 7 : 0;
  o.slow_rate = t.choose.one_in(4) ? 0.3 : 0;
  o.most_slow_ns = t.choose.one_in(4) ? make_number(t.choose) : 0;
}

template <>
void fill(Turn& t, libsched_api_fault& o) {
  static constexpr const char* kVerbs[] = {
      "", "bind", "deletePod", "patchPodStatus", "patchObject", "eat"};
  static constexpr const char* kErrors[] = {"", "conflict", "timeout", "\xff"};
  o.times = static_cast<uint32_t>(t.choose.below(3));
  o.verb = libsched_str_from(t.choose.of(kVerbs));
  o.error = libsched_str_from(t.choose.of(kErrors));
  if (t.choose.one_in(3)) o.key = libsched_str_from("default/p0");
  if (t.choose.one_in(3)) o.slow_ns = make_number(t.choose);
}

}  // namespace fuzz
