// The extension points from PostFilter on.
#include "handles.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

using AtNode = Result<Status> (Evaluator::*)(CycleState&, const Pod&, Str);

// Runs an extension point that sees a pod and its node, and returns a status.
libsched_rc run_at(AtNode point, libsched_evaluator* evaluator, libsched_cycle_state* state,
                   const libsched_pod* pod, libsched_str node, libsched_status* status,
                   libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, evaluator, state, pod, status);
  return guarded(error, [&]() -> Result<void> {
    return unwrap(status)->take(
        (unwrap(evaluator)->*point)(*unwrap(state), *unwrap(pod), in(node)));
  });
}

// The same for extension points without a result.
using SilentAtNode = Result<void> (Evaluator::*)(CycleState&, const Pod&, Str);
libsched_rc run_silently(SilentAtNode point, libsched_evaluator* evaluator,
                         libsched_cycle_state* state, const libsched_pod* pod, libsched_str node,
                         libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, evaluator, state, pod);
  return guarded(
      error, [&] { return (unwrap(evaluator)->*point)(*unwrap(state), *unwrap(pod), in(node)); });
}

// The node of a nomination that is lent to the caller; it lives as long as the state.
struct LentNode final : StateValue {
  explicit LentNode(std::string n) : name(std::move(n)) {}
  std::shared_ptr<StateValue> clone(std::shared_ptr<StateValue> self) const override {
    return self;
  }
  void* get() const override { return nullptr; }
  bool clones_anywhere() const override { return true; }
  std::string name;
};
constexpr Str kLentNode("\0nomination", 11);  // plugin keys do not begin with NUL

}  // namespace

extern "C" {

libsched_rc libsched_node_statuses_create(libsched_node_statuses** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, result);
  return hand_over(error, result, [&] { return new NodeStatuses(); });
}
libsched_rc libsched_node_statuses_set(libsched_node_statuses* statuses, uint32_t row,
                                       const libsched_status* status, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, statuses, status);
  return guarded(error, [&]() -> Result<void> {
    if (unwrap(status)->out_of_memory) throw std::bad_alloc();
    unwrap(statuses)->set(row, unwrap(status)->status);
    return {};
  });
}
libsched_rc libsched_node_statuses_set_absent(libsched_node_statuses* statuses,
                                              const libsched_status* status,
                                              libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, statuses, status);
  return guarded(error, [&]() -> Result<void> {
    if (unwrap(status)->out_of_memory) throw std::bad_alloc();
    Status copy = unwrap(status)->status;
    unwrap(statuses)->absent = std::move(copy);
    return {};
  });
}
libsched_code libsched_node_statuses_code(const libsched_node_statuses* statuses, uint32_t row) {
  return !live(statuses) ? LIBSCHED_CODE_ERROR
                         : static_cast<libsched_code>(unwrap(statuses)->at(row).code);
}
void libsched_node_statuses_get(const libsched_node_statuses* statuses, uint32_t row,
                                libsched_status* status) {
  if (!live(statuses) || !live(status)) return;
  unwrap(status)->assign(Status());
  unwrap(status)->write([&](Status& s) { s = unwrap(statuses)->at(row); });
}

libsched_rc libsched_run_post_filter_plugins(libsched_evaluator* evaluator,
                                             libsched_cycle_state* state, const libsched_pod* pod,
                                             const libsched_node_statuses* statuses,
                                             libsched_nomination* nomination,
                                             libsched_status* status, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, evaluator, state, pod, status);
  LIBSCHED_REQUIRE_HANDLES(error, statuses);
  return guarded(error, [&]() -> Result<void> {
    if (nomination != nullptr) LIBSCHED_TRY(writable_struct(nomination, "libsched_nomination"));
    std::optional<Nomination> wish;
    Result<Status> ran =
        unwrap(evaluator)->run_post_filter(*unwrap(state), *unwrap(pod), *unwrap(statuses), &wish);
    if (!ran.ok()) return std::move(ran.error());
    if (nomination != nullptr) {
      libsched_nomination result = LIBSCHED_NOMINATION_INIT;
      if (wish) {
        auto lent = std::make_shared<LentNode>(std::move(wish->node));
        result.mode = wish->override_node ? LIBSCHED_NOMINATION_OVERRIDE : LIBSCHED_NOMINATION_NOOP;
        result.node = out(lent->name);
        unwrap(state)->write(kLentNode, std::move(lent));
      }
      write_struct(nomination, result);
    }
    unwrap(status)->assign(std::move(*ran));
    return {};
  });
}

libsched_rc libsched_run_reserve_plugins_reserve(libsched_evaluator* evaluator,
                                                 libsched_cycle_state* state,
                                                 const libsched_pod* pod, libsched_str node,
                                                 libsched_status* status, libsched_error** error) {
  return run_at(&Evaluator::run_reserve, evaluator, state, pod, node, status, error);
}
libsched_rc libsched_run_reserve_plugins_unreserve(libsched_evaluator* evaluator,
                                                   libsched_cycle_state* state,
                                                   const libsched_pod* pod, libsched_str node,
                                                   libsched_error** error) {
  return run_silently(&Evaluator::run_unreserve, evaluator, state, pod, node, error);
}

libsched_rc libsched_run_permit_plugins(libsched_evaluator* evaluator, libsched_cycle_state* state,
                                        const libsched_pod* pod, libsched_str node,
                                        libsched_permit_wait* waits, size_t capacity, size_t* count,
                                        libsched_status* status, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, evaluator, state, pod, status);
  LIBSCHED_REQUIRE(error, waits != nullptr || capacity == 0);
  return guarded(error, [&]() -> Result<void> {
    std::vector<PermitWait> asked;
    Result<Status> ran =
        unwrap(evaluator)->run_permit(*unwrap(state), *unwrap(pod), in(node), &asked);
    if (!ran.ok()) return std::move(ran.error());
    const auto& plugins = unwrap(evaluator)->framework().plugins();
    for (size_t i = 0; i < asked.size() && i < capacity; ++i) {
      libsched_str name = out(Str());
      for (const Framework::Instance& p : plugins)
        if (p.name == asked[i].plugin) name = out(p.name);
      waits[i] = {name, asked[i].timeout_ns};
    }
    if (count != nullptr) *count = asked.size();
    unwrap(status)->assign(std::move(*ran));
    return {};
  });
}

libsched_rc libsched_wait_on_permit(libsched_evaluator* evaluator, const libsched_pod* pod,
                                    libsched_status* status, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, evaluator, pod, status);
  return guarded(error, [&]() -> Result<void> {
    return unwrap(status)->take(unwrap(evaluator)->wait_on_permit(*unwrap(pod)));
  });
}

libsched_rc libsched_run_pre_bind_pre_flights(libsched_evaluator* evaluator,
                                              libsched_cycle_state* state, const libsched_pod* pod,
                                              libsched_str node, libsched_status* status,
                                              libsched_error** error) {
  return run_at(&Evaluator::run_pre_bind_pre_flights, evaluator, state, pod, node, status, error);
}
libsched_rc libsched_run_pre_bind_plugins(libsched_evaluator* evaluator,
                                          libsched_cycle_state* state, const libsched_pod* pod,
                                          libsched_str node, libsched_status* status,
                                          libsched_error** error) {
  return run_at(&Evaluator::run_pre_bind, evaluator, state, pod, node, status, error);
}
libsched_rc libsched_run_bind_plugins(libsched_evaluator* evaluator, libsched_cycle_state* state,
                                      const libsched_pod* pod, libsched_str node,
                                      libsched_status* status, libsched_error** error) {
  return run_at(&Evaluator::run_bind, evaluator, state, pod, node, status, error);
}
libsched_rc libsched_run_post_bind_plugins(libsched_evaluator* evaluator,
                                           libsched_cycle_state* state, const libsched_pod* pod,
                                           libsched_str node, libsched_error** error) {
  return run_silently(&Evaluator::run_post_bind, evaluator, state, pod, node, error);
}

libsched_rc libsched_sign_pod(libsched_evaluator* evaluator, const libsched_pod* pod,
                              libsched_text** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, evaluator, pod, result);
  return guarded(error, [&]() -> Result<void> {
    LIBSCHED_TRY(unwrap(evaluator)->may_ask());
    *result = own(new Text(unwrap(evaluator)->sign_pod(*unwrap(pod))));
    return {};
  });
}

}  // extern "C"
