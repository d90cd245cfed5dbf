// Answers: capacity and drain.
#include "libsched/scheduler/capacity.hpp"
#include "libsched/scheduler/drain.hpp"
#include "libsched/scheduler/why/why.hpp"

#include "handles.hpp"
#include "judging_options.hpp"
#include "placements.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

Result<CapacityOptions> capacity_options(const libsched_capacity_options* given) {
  const Result<libsched_capacity_options> o = read_given(given);
  if (!o.ok()) return o.error();
  auto how = judging_options<CapacityOptions>(*o);
  if (o->max != 0) how.max = o->max;
  return how;
}

Result<DrainOptions> drain_options(const libsched_drain_options* given) {
  const Result<libsched_drain_options> o = read_given(given);
  if (!o.ok()) return o.error();
  auto how = judging_options<DrainOptions>(*o);
  how.force = o->force;
  how.delete_emptydir_data = o->delete_emptydir_data;
  return how;
}

Result<WhyOptions> why_options(const libsched_why_options* given) {
  const Result<libsched_why_options> o = read_given(given);
  if (!o.ok()) return o.error();
  auto how = judging_options<WhyOptions>(*o);
  if (o->max_nodes != 0) how.max_nodes = o->max_nodes;
  if (o->keep_nodes) how.max_nodes = 0;
  if (o->nearest != 0) how.nearest = o->nearest;
  return how;
}

std::vector<Evaluator*> evaluators_of(libsched_evaluator* const* profiles, size_t count) {
  std::vector<Evaluator*> out;
  for (size_t i = 0; i < count; ++i) out.push_back(unwrap(profiles[i]));
  return out;
}

// The capacity behind a handle; null for NULL.
const Capacity* capacity_of(const libsched_capacity* c) {
  return live(c) ? &unwrap(c)->capacity : nullptr;
}

}  // namespace

extern "C" {

libsched_rc libsched_count_capacity(libsched_evaluator* const* profiles, size_t profile_count,
                                    const libsched_pod* const* pods, size_t count,
                                    const libsched_capacity_options* options,
                                    libsched_capacity** result, libsched_error** error) {
  LIBSCHED_REQUIRE_EACH(error, profiles, profile_count);
  LIBSCHED_REQUIRE_EACH(error, pods, count);
  LIBSCHED_REQUIRE(error, result != nullptr);
  return hand_over(error, result, [&]() -> Result<Ref<CapacityObject>> {
    const Result<CapacityOptions> how = capacity_options(options);
    if (!how.ok()) return how.error();
    std::vector<PodRef> templates;
    for (size_t i = 0; i < count; ++i) templates.push_back(PodRef::share(unwrap(pods[i])));
    Result<Capacity> counted = capacity(evaluators_of(profiles, profile_count), templates, *how);
    if (!counted.ok()) return std::move(counted.error());
    return make_ref<CapacityObject>(std::move(*counted));
  });
}

uint32_t libsched_capacity_end(const libsched_capacity* capacity) {
  const Capacity* c = capacity_of(capacity);
  return c == nullptr ? 0 : static_cast<uint32_t>(c->end);
}
size_t libsched_capacity_count(const libsched_capacity* capacity) {
  const Capacity* c = capacity_of(capacity);
  return c == nullptr ? 0 : c->count;
}
size_t libsched_capacity_count_of(const libsched_capacity* capacity, size_t index) {
  const Capacity* c = capacity_of(capacity);
  return c == nullptr || index >= c->of_template.size() ? 0 : c->of_template[index];
}
size_t libsched_capacity_node_count(const libsched_capacity* capacity) {
  const Capacity* c = capacity_of(capacity);
  return c == nullptr ? 0 : c->nodes.size();
}
libsched_str libsched_capacity_node(const libsched_capacity* capacity, size_t index, size_t* pods) {
  const Capacity* c = capacity_of(capacity);
  if (c == nullptr || index >= c->nodes.size()) return out(Str());
  if (pods != nullptr) *pods = c->nodes[index].count;
  return out(c->nodes[index].node);
}
bool libsched_capacity_next(const libsched_capacity* capacity, libsched_placement* placement) {
  return quietly(false, [&] {
    const Capacity* c = capacity_of(capacity);
    if (c == nullptr || c->end != CapacityEnd::kStopped || placement == nullptr ||
        !writable_struct(placement, "libsched_placement").ok())
      return false;
    write_struct(placement, placement_of(c->next));
    return true;
  });
}
const libsched_decision* libsched_capacity_decision(const libsched_capacity* capacity) {
  const Capacity* c = capacity_of(capacity);
  return c == nullptr || !c->decision ? nullptr : wrap(c->decision.get());
}

libsched_rc libsched_drain_nodes(libsched_evaluator* const* profiles, size_t profile_count,
                                 const libsched_str* nodes, size_t count,
                                 const libsched_drain_options* options, libsched_drain** result,
                                 libsched_error** error) {
  LIBSCHED_REQUIRE_EACH(error, profiles, profile_count);
  LIBSCHED_REQUIRE(error, nodes != nullptr || count == 0);
  LIBSCHED_REQUIRE(error, result != nullptr);
  return hand_over(error, result, [&]() -> Result<Ref<DrainObject>> {
    const Result<DrainOptions> how = drain_options(options);
    if (!how.ok()) return how.error();
    const std::vector<Str> names = all_in(nodes, count);
    Result<Drain> drained = drain(evaluators_of(profiles, profile_count), names, *how);
    if (!drained.ok()) return std::move(drained.error());
    return make_ref<DrainObject>(std::move(*drained));
  });
}

bool libsched_drain_complete(const libsched_drain* drain) {
  return live(drain) && unwrap(drain)->drain.complete();
}
size_t libsched_drain_node_count(const libsched_drain* drain) {
  return live(drain) ? unwrap(drain)->drain.nodes.size() : 0;
}
libsched_str libsched_drain_node(const libsched_drain* drain, size_t index) {
  return index < libsched_drain_node_count(drain) ? out(unwrap(drain)->drain.nodes[index])
                                                  : out(Str());
}
size_t libsched_drain_pod_count(const libsched_drain* drain) {
  return live(drain) ? unwrap(drain)->drain.pods.size() : 0;
}
bool libsched_drain_pod(const libsched_drain* drain, size_t index, libsched_drained_pod* pod) {
  return quietly(false, [&] {
    if (!live(drain) || index >= unwrap(drain)->drain.pods.size() || pod == nullptr ||
        !writable_struct(pod, "libsched_drained_pod").ok())
      return false;
    const DrainedPod& p = unwrap(drain)->drain.pods[index];
    write_struct(pod,
                 {sizeof(libsched_drained_pod), static_cast<uint32_t>(p.outcome), wrap(p.pod.get()),
                  out(p.from), out(p.placement.node), out(p.text), out(p.placement.plugin),
                  out(p.budget), p.profile ? out(p.profile->profile()) : out(Str())});
    return true;
  });
}

libsched_rc libsched_why_json(libsched_evaluator* const* profiles, size_t profile_count,
                              const libsched_pod* pod, const libsched_why_options* options,
                              libsched_text** result, libsched_error** error) {
  LIBSCHED_REQUIRE_EACH(error, profiles, profile_count);
  LIBSCHED_REQUIRE_HANDLES(error, pod, result);
  return hand_over(error, result, [&]() -> Result<std::string> {
    const Result<WhyOptions> how = why_options(options);
    if (!how.ok()) return how.error();
    const Result<Why> said =
        why(evaluators_of(profiles, profile_count), PodRef::share(unwrap(pod)), *how);
    if (!said.ok()) return said.error();
    return said->json();
  });
}

}  // extern "C"
