// Calls with arguments of their own.
#include "special.hpp"

#include "arguments.hpp"
#include "hostile.hpp"

namespace fuzz {
namespace {

void* clone_value(void*) { return world().pass("a cloned value of a state"); }
void destroy_value(void* data) { world().destroyed(data); }

}  // namespace

void call_libsched_registry_add(Turn& t) {
  static constexpr const char* kNames[] = {"Hostile0", "Hostile1", "Hostile2", "NodeName",
                                           "Hostile"};
  In<libsched_registry> registry(t, "registry", kExclusive);
  Fault error(t, "error");
  const bool thrower = t.choose.one_in(5);
  const char* name = thrower ? "Thrower" : t.choose.of(kNames);
  t.begin("libsched_registry_add", Changes::kNothing, registry, error);
  libsched_rc rc = LIBSCHED_OK;
  if (thrower) {
    rc = add_thrower(registry.get(), error.get());
  } else {
    const libsched_plugin plugin = hostile_plugin(t, name);
    // Where the size is not set, nobody knows whether there is a destroy.
    void* const data = world().pass("the data of a plugin", plugin.struct_size != 0);
    rc = libsched_registry_add(registry.get(), &plugin, data, error.get());
  }
  if (rc == LIBSCHED_OK && t.choose.below(8) != 0)
    libsched_registry_enable(registry.get(), libsched_str_from(name), 0, nullptr);
  t.end_fallible(rc, registry, error);
}

void call_libsched_cycle_state_write(Turn& t) {
  In<libsched_cycle_state> state(t, "state", kExclusive);
  String key(t, "key", Words::kKey);
  Fault error(t, "error");
  const bool clones = t.choose.one_in(2);
  t.begin("libsched_cycle_state_write", Changes::kNothing, state, key, error);
  const libsched_rc rc =
      libsched_cycle_state_write(state.get(), key.get(), world().pass("a value of a state"),
                                 clones ? clone_value : nullptr, destroy_value, error.get());
  t.end_fallible(rc, state, key, error);
}

void call_libsched_cycle_state_read(Turn& t) {
  In<const libsched_cycle_state> state(t, "state", kConst);
  String key(t, "key", Words::kKey);
  t.begin("libsched_cycle_state_read", Changes::kNothing, state, key);
  void* const value = libsched_cycle_state_read(state.get(), key.get());
  t.end_value<const void*>(value, nullptr, state, key);
  if (value != nullptr && static_cast<World::Passed*>(value)->times != 0)
    t.wrong("gave a value that was destroyed");
}

void call_libsched_evaluator_set_parallelism(Turn& t) {
  static constexpr uint32_t kThreads[] = {0, 1, 1, 1, 1, 1, 2, 1025, UINT32_MAX};
  In<libsched_evaluator> evaluator(t, "evaluator", kExclusive);
  const uint32_t threads = t.choose.of(kThreads);
  Fault error(t, "error");
  t.begin("libsched_evaluator_set_parallelism", Changes::kNothing, evaluator, error);
  const libsched_rc rc = libsched_evaluator_set_parallelism(evaluator.get(), threads, error.get());
  t.end_fallible(rc, evaluator, error);
  if (rc == LIBSCHED_OK && threads > 1) world().parallel = true;
}

}  // namespace fuzz
