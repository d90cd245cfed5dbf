// The actions of hostile slots at any extension point; slots.cpp has the slots.
#include "hostile.hpp"

#include "documents.hpp"

namespace fuzz {
namespace {

// Calls that a plugin may be tempted to make.
constexpr const char* kTempting[] = {
    "libsched_cluster_fork",
    "libsched_cluster_revert",
    "libsched_cluster_commit",
    "libsched_cluster_add_pods",
    "libsched_cluster_update_pod",
    "libsched_cluster_remove_node",
    "libsched_cluster_apply",
    "libsched_cluster_apply_changes",
    "libsched_cluster_refresh",
    "libsched_cluster_snapshot",
    "libsched_run_pre_filter_plugins",
    "libsched_run_filter_plugins",
    "libsched_filter_nodes",
    "libsched_first_fit",
    "libsched_schedule_one",
    "libsched_scheduling_bind",
    "libsched_writer_queue_apply",
    "libsched_queue_add",
    "libsched_queue_pop",
    "libsched_queue_move_all",
    "libsched_queue_list",
    "libsched_check_pod_fits",
    "libsched_run_cycle",
    "libsched_run_score_plugins",
    "libsched_run_pre_score_plugins",
    "libsched_evaluator_assume",
    "libsched_evaluator_forget",
    "libsched_evaluator_set_parallelism",
    "libsched_evaluator_keep_classes",
    "libsched_evaluator_set_services",
    "libsched_cycle_state_write",
    "libsched_cycle_state_delete",
    "libsched_cycle_state_clone",
    "libsched_run_post_filter_plugins",
    "libsched_memory_api_deliver",
    "libsched_sign_pod",
    "libsched_run_pre_filter_extension_add_pod",
};

void release_something_lent(Choices& choose) {
  Pools& pools = world().pools;
  if (!world().alone) return;  // the reference may be another thread's
  const Pools::Lent l = choose.of(pools.lent);
  const Entry* e = pools.find(l.handle);
  // With several references it is unknown which one is released. A slot may release references that
  // slots took.
  if (e != nullptr && (e->refs > 1 || e->refs_of_slots != 0)) return;
  trace(world().depth, std::string("the slot releases the lent ") + name_of(l.kind));
  if (l.kind < Kind::kOwned) unref(l.kind, l.handle);
}

}  // namespace

Slot::Slot(std::initializer_list<Pools::Lent> lent, bool anywhere)
    : active_(has_world() && !(anywhere && world().parallel)) {
  if (!active_) return;
  World& w = world();
  ++w.depth;
  before_ = w.pools.lent.size();
  for (const Pools::Lent& l : lent) {
    if (l.handle == nullptr) continue;
    w.pools.lent.push_back(l);
    if (l.kind != Kind::cycle_state) continue;
    const auto* state = static_cast<const libsched_cycle_state*>(l.handle);
    if (libsched_evaluator* e = libsched_cycle_state_evaluator(state)) {
      w.pools.lent.push_back(fuzz::lent(e));
      if (libsched_services* s = libsched_evaluator_services(e))
        w.pools.lent.push_back(fuzz::lent(s));
    }
    if (const libsched_view* v = libsched_cycle_state_view(state))
      w.pools.lent.push_back(fuzz::lent(v));
  }
}

Slot::~Slot() {
  if (!active_) return;
  World& w = world();
  while (w.pools.lent.size() > before_) {
    const Pools::Lent l = w.pools.lent.back();
    w.pools.lent.pop_back();
    if (w.pools.find(l.handle) == nullptr) w.pools.note_stale(l.kind, l.handle);
  }
  --w.depth;
}

void Slot::mischief() {
  if (!active_) return;
  World& w = world();
  switch (choose().below(14)) {
    case 0:
    case 1:
      if (w.depth > 3) return;
      for (size_t n = 1 + choose().below(2); n != 0; --n)
        any_call(Choices(choose().next()), w.depth);
      return;
    case 2:
    case 3:
      if (w.depth > 3) return;
      call_at(place_of(choose().of(kTempting)), Choices(choose().next()), w.depth);
      return;
    case 4:
      if (w.pools.lent.size() > before_) release_something_lent(choose());
      return;
    default: return;
  }
}

libsched_code Slot::answer(libsched_status* status) {
  if (!active_) return LIBSCHED_CODE_SUCCESS;
  mischief();
  if (choose().one_in(3)) {
    const std::string text = make_text(choose(), Words::kAny);
    switch (choose().below(5)) {
      case 0: libsched_status_set(status, static_cast<libsched_code>(choose().below(9)) - 1); break;
      case 1: libsched_status_set_error(status, {text.data(), text.size()}); break;
      case 2: libsched_status_set_plugin(status, {text.data(), text.size()}); break;
      default: libsched_status_add_reason(status, {text.data(), text.size()}); break;
    }
  }
  constexpr libsched_code kNonsense[] = {7, -1, INT32_MAX, INT32_MIN, 100};
  switch (choose().below(24)) {
    case 0: return choose().of(kNonsense);
    case 1:
    case 2:
    case 3:
    case 4: return static_cast<libsched_code>(choose().below(7));
    default: return LIBSCHED_CODE_SUCCESS;
  }
}

// --- the API client ---

namespace {

libsched_code client_bind(void*, const libsched_pod* pod, libsched_str, libsched_status* status) {
  Slot s({lent(pod), lent(status)}, true);
  return s.answer(status);
}
libsched_code client_delete(void*, const libsched_pod* pod, libsched_status* status) {
  Slot s({lent(pod), lent(status)}, true);
  return s.answer(status);
}
libsched_code client_patch(void*, const libsched_pod* pod, libsched_str, libsched_status* status) {
  Slot s({lent(pod), lent(status)}, true);
  return s.answer(status);
}
libsched_code client_object(void*, libsched_str, libsched_str, libsched_str, libsched_str,
                            libsched_status* status) {
  Slot s({lent(status)}, true);
  return s.answer(status);
}
libsched_code client_create(void*, libsched_str, libsched_str namespace_, libsched_str,
                            libsched_objects** created, libsched_status* status) {
  Slot s({lent(status)}, true);
  const std::string made =
      "{\"apiVersion\": \"resource.k8s.io/v1\", \"kind\": \"ResourceClaim\", \"metadata\": "
      "{\"name\": \"made\", \"uid\": \"made\", \"namespace\": \"" +
      std::string(namespace_.ptr, namespace_.len) + "\"}}";
  const libsched_str document = {made.data(), made.size()};
  libsched_objects_parse(document, nullptr, created, nullptr);
  return s.answer(status);
}
libsched_code client_delete_object(void*, libsched_str, libsched_str, libsched_str,
                                   libsched_status* status) {
  Slot s({lent(status)}, true);
  return s.answer(status);
}
void client_event(void*, const libsched_pod* pod, libsched_str, libsched_str, libsched_str,
                  libsched_str) {
  Slot s({lent(pod)}, true);
  s.mischief();
}
void client_destroy(void* data) { world().destroyed(data); }

}  // namespace

const libsched_api_client* hostile_client(Turn& t) {
  static const libsched_api_client kAll = {sizeof(libsched_api_client),
                                           0,
                                           client_bind,
                                           client_delete,
                                           client_patch,
                                           client_object,
                                           client_event,
                                           client_destroy,
                                           client_create,
                                           client_delete_object};
  static const libsched_api_client kSome = {sizeof(libsched_api_client),
                                            0,
                                            client_bind,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            nullptr,
                                            client_destroy,
                                            nullptr,
                                            client_delete_object};
  world().hostile = true;
  return t.choose.one_in(3) ? &kSome : &kAll;
}

void* client_data() { return world().pass("the data of an API client", false); }

}  // namespace fuzz
