// Scheduling: first fit, placing many pods.
#include <algorithm>

#include "libsched/base/prefetch.hpp"
#include "libsched/scheduler/first_fit.hpp"
#include "libsched/scheduler/place.hpp"

#include "handles.hpp"
#include "judging_options.hpp"
#include "placements.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

extern "C" {

libsched_rc libsched_schedule(libsched_evaluator* const* profiles, size_t profile_count,
                              const libsched_pod* const* pods, const size_t* replicas, size_t count,
                              const libsched_schedule_options* options, libsched_placed_fn placed,
                              void* user_data, libsched_error** error) {
  LIBSCHED_REQUIRE_EACH(error, profiles, profile_count);
  LIBSCHED_REQUIRE_EACH(error, pods, count);
  LIBSCHED_REQUIRE(error, placed != nullptr);
  return guarded(error, [&]() -> Result<void> {
    const Result<libsched_schedule_options> o = read_given(options);
    if (!o.ok()) return o.error();
    auto how = judging_options<PlaceOptions>(*o);
    how.stop_at_failure = o->stop_at_failure;
    std::vector<Evaluator*> evaluators;
    for (size_t i = 0; i < profile_count; ++i) evaluators.push_back(unwrap(profiles[i]));
    const Placed tell = [&](const Placement& p) {
      const libsched_placement told = placement_of(p);
      return placed(user_data, &told);
    };
    Result<Placing> placing = Placing::begin(evaluators, how, tell);
    if (!placing.ok()) return std::move(placing.error());
    constexpr size_t kBatch = 256, kAhead = 16;
    // A callback may release pods whose turn has not come.
    std::vector<PodRef> held;
    held.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      if (i + kAhead < count) prefetch_to_write(unwrap(pods[i + kAhead]));  // they lie scattered
      held.push_back(PodRef::share(unwrap(pods[i])));
    }
    // Requests are made in parts, which stay in the cache until their turn.
    std::vector<PlaceRequest> requests;
    requests.reserve(std::min(count, kBatch));
    for (size_t i = 0; i < count; ++i) {
      PlaceRequest request{std::move(held[i]), replicas == nullptr ? 1 : replicas[i], {}};
      if (replicas != nullptr && o->replica != nullptr)
        request.replica = [&o, user_data, i](size_t index) -> Result<PodRef> {
          libsched_pod* const made = o->replica(user_data, i, index);
          if (may_release(made)) return PodRef::adopt(unwrap(made));
          return Error{Rc::kInvalid, "a replica of pods[" + std::to_string(i) + "] is not made"};
        };
      requests.push_back(std::move(request));
      if (requests.size() < kBatch && i + 1 < count) continue;
      const Result<bool> more = placing->place(requests);
      if (!more.ok()) return more.error();
      if (!*more) return {};
      requests.clear();
    }
    return {};
  });
}

libsched_rc libsched_first_fit(libsched_evaluator* evaluator, libsched_cycle_state* state,
                               const libsched_pod* pod, const libsched_filter_options* options,
                               libsched_fit* fit, libsched_status* status, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, evaluator, pod, status);
  LIBSCHED_REQUIRE_HANDLES(error, fit);
  LIBSCHED_ALLOW_HANDLES(error, state);
  return guarded(error, [&]() -> Result<void> {
    Result<FilterOptions> o = filter_options(options);
    if (!o.ok()) return std::move(o.error());
    LIBSCHED_TRY(writable_struct(fit, "libsched_fit"));
    const Lent<CycleState> fresh;
    Result<Fit> found =
        first_fit(*unwrap(evaluator), state == nullptr ? *fresh : *unwrap(state), *unwrap(pod), *o);
    if (!found.ok()) return std::move(found.error());
    libsched_fit result = LIBSCHED_FIT_INIT;
    if (found->row != kNoId) {
      const View& v = unwrap(evaluator)->view();
      result.row = found->row;
      result.node = wrap(v.node(found->row));
      result.node_name = out(v.row(found->row).name);
      result.position = found->position;
    }
    write_struct(fit, result);
    unwrap(status)->status = std::move(found->status);
    return {};
  });
}

}  // extern "C"
