// Comparisons.
#include "libsched/scheduler/compare.hpp"

#include "handles.hpp"
#include "judging_options.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

Result<CompareOptions> compare_options(const libsched_compare_options* given) {
  const Result<libsched_compare_options> o = read_given(given);
  if (!o.ok()) return o.error();
  auto how = judging_options<CompareOptions>(*o);
  how.all = o->all;
  return how;
}

libsched_compared_outcome outcome_of(const std::optional<ComparedOutcome>& o) {
  if (!o) return {false, 0, out(Str()), out(Str()), out(Str()), out(Str())};
  return {true,           static_cast<uint32_t>(o->outcome),
          out(o->node),   out(o->text),
          out(o->plugin), out(o->profile)};
}

}  // namespace

extern "C" {

libsched_rc libsched_comparison_create(libsched_comparison** result, libsched_error** error) {
  LIBSCHED_REQUIRE(error, result != nullptr);
  return hand_over(error, result, [&] { return make_ref<Comparison>(); });
}

libsched_rc libsched_comparison_place(libsched_comparison* comparison, bool after,
                                      libsched_evaluator* const* profiles, size_t profile_count,
                                      const libsched_pod* const* pods, size_t count,
                                      const libsched_compare_options* options,
                                      libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, comparison);
  LIBSCHED_REQUIRE_EACH(error, profiles, profile_count);
  LIBSCHED_REQUIRE_EACH(error, pods, count);
  return guarded(error, [&]() -> Result<void> {
    const Result<CompareOptions> how = compare_options(options);
    if (!how.ok()) return how.error();
    std::vector<Evaluator*> evaluators;
    for (size_t i = 0; i < profile_count; ++i) evaluators.push_back(unwrap(profiles[i]));
    std::vector<PodRef> list;
    for (size_t i = 0; i < count; ++i) list.push_back(PodRef::share(unwrap(pods[i])));
    return unwrap(comparison)
        ->place(after ? CompareSide::kAfter : CompareSide::kBefore, evaluators, list, *how);
  });
}
size_t libsched_comparison_pod_count(const libsched_comparison* comparison) {
  return live(comparison) ? unwrap(comparison)->pods().size() : 0;
}
size_t libsched_comparison_changed_count(const libsched_comparison* comparison) {
  return live(comparison) ? unwrap(comparison)->changed_count() : 0;
}
bool libsched_comparison_pod(const libsched_comparison* comparison, size_t index,
                             libsched_compared_pod* pod) {
  return quietly(false, [&] {
    if (!live(comparison) || index >= unwrap(comparison)->pods().size() || pod == nullptr ||
        !writable_struct(pod, "libsched_compared_pod").ok())
      return false;
    const ComparedPod& p = unwrap(comparison)->pods()[index];
    write_struct(pod, {sizeof(libsched_compared_pod), p.changed(), wrap(p.pod.get()),
                       outcome_of(p.outcome[0]), outcome_of(p.outcome[1])});
    return true;
  });
}

libsched_rc libsched_comparison_use_json(const libsched_comparison* comparison, bool after,
                                         libsched_text** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, comparison, result);
  return hand_over(error, result, [&] {
    const CompareSide side = after ? CompareSide::kAfter : CompareSide::kBefore;
    return unwrap(comparison)->use(side).json();
  });
}

}  // extern "C"
