// Sim: removing a node on trial, its pods placed elsewhere.
#include <algorithm>
#include <utility>
#include <vector>

#include "libsched/scheduler/control_plane/claims.hpp"
#include "libsched/scheduler/sim/change.hpp"
#include "libsched/scheduler/sim/errors.hpp"
#include "libsched/scheduler/sim/sim.hpp"

namespace libsched {

Result<bool> Sim::remove(uint64_t node, Span<uint64_t> move, const SimQuery& query,
                         const SimRemoveOptions& options, SimHit* hits) {
  if (!has_node(node)) return stale_node();
  const uint32_t row = index_of(node);
  Ref<const NodeContent> ghost;
  if (options.ghost != 0) {
    Result<Ref<const NodeContent>> found = node_content(options.ghost);
    if (!found.ok()) return found.error();
    ghost = std::move(*found);
  }
  std::vector<uint64_t> refs;
  refs.reserve(move.size());
  if (++removals_ == 0) {  // numbers of old calls would be taken for new ones
    for (PodEntry& pod : pods_) pod.moved_in = 0;
    removals_ = 1;
  }
  bool twice = false;
  for (size_t i = 0; i < move.size(); ++i) {
    if (!has_pod(move[i])) return at_index("move", i, stale_pod());
    if (view().slot(index_of(move[i])).row != row)
      return at_index("move", i, {Rc::kInvalid, "the pod is not on the node"});
    PodEntry& pod = pods_[index_of(move[i])];
    twice = twice || std::exchange(pod.moved_in, removals_) == removals_;
    refs.push_back(pod.ref);
  }
  if (twice) return Error{Rc::kInvalid, "a pod occurs twice", "move"};
  SimQuery elsewhere = query;
  SimRing ring;
  if (query.ring != nullptr) {  // unless as_autoscaler, it moves only if the answer stays
    ring = *query.ring;
    elsewhere.ring = &ring;
  }
  SimPlaceOptions place;
  place.stop_at_failure = true;
  place.hints = options.hints;
  place.as_autoscaler = options.as_autoscaler;
  Change change(this);
  for (const uint64_t id : move) {
    const Pod& pod = *view().slot(index_of(id)).pod;
    LIBSCHED_TRY(unreserve_claims(*cluster_, pod));
  }
  if (ghost) {
    while (!view().row(row).pods.empty()) LIBSCHED_TRY(drop_pod(view().row(row).pods.back()));
    LIBSCHED_TRY(change_node(row, ghost, options.ghost));
  } else {
    LIBSCHED_TRY(drop_node(row));
  }
  const Result<SimPlaced> placed = place_all(refs, elsewhere, place, ghost ? row : kNoId);
  if (!placed.ok()) return placed.error();
  if (placed->ended) {
    const LimitWatch watch(query.limits, evaluator_->services().deadline_clock());
    LIBSCHED_TRY(watch.exceeded() ? Result<void>(watch.error()) : Result<void>());
    return Error{Rc::kDeadline, "deadline exceeded"};
  }
  const bool all = placed->placed == move.size();
  if (query.ring != nullptr && options.as_autoscaler) *query.ring = ring;
  std::copy(hits_.begin(), hits_.end(), hits);
  if (all && options.keep) {
    if (ghost) LIBSCHED_TRY(drop_node(row));
    change.commit();
    if (query.ring != nullptr) *query.ring = ring;
    return true;
  }
  for (size_t i = 0; i < move.size(); ++i) hits[i].pod = 0;
  return all;
}

}  // namespace libsched
