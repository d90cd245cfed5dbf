// Evaluator: Filter with the pods that are nominated to a node. A node is judged as if those of the
// same or a higher priority ran there, and, if it passes, once more as it is.
#include <algorithm>

#include "libsched/framework/evaluator.hpp"

namespace libsched {
namespace {

bool must_yield_to(const Pod& pod, const Pod& nominated) {
  return nominated.priority() >= pod.priority() && !same_pod(nominated, pod);
}

bool must_yield(const Pod& pod, const std::vector<PodRef>& nominated) {
  return std::any_of(nominated.begin(), nominated.end(),
                     [&](const PodRef& p) { return must_yield_to(pod, *p); });
}

}  // namespace

// Marks in nominated_ the rows where the pod has to yield to somebody. False: there is none.
bool Evaluator::mark_nominated(const Pod& pod) {
  const Nominator& nominator = services_->nominator();
  if (nominator.empty()) return false;
  bool any = false;
  for (const auto& [node, pods] : nominator.all()) {
    if (!must_yield(pod, pods)) continue;
    const uint32_t r = view().find_node(node);
    if (r == kNoId) continue;
    if (!any) nominated_.assign(view().word_count(), 0);
    any = true;
    nominated_[r / 64] |= uint64_t{1} << (r % 64);
  }
  return any;
}

// Judges the rows of `set` that mark_nominated() has marked, one by one; the others must have been
// taken out. `rejected` is told the status of those that do not pass.
Result<void> Evaluator::judge_nominated(
    CycleState& state, const Pod& pod, const RowSet& set,
    const std::function<void(uint32_t, Status)>& rejected) const {
  Status status;
  Result<void> out;
  set.for_each([&](uint32_t row) {
    if (!out.ok() || !(out = go_on(state)).ok()) return;
    out = run_filter_with_nominated(state, pod, row, &status);
    if (!out.ok() || status.success()) return;
    if (status.rejected()) {
      set.reject(row);
    } else {
      set.reject_with_error(row);
    }
    if (rejected) rejected(row, status);
  });
  return out.ok() ? go_on(state) : out;
}

Result<void> Evaluator::run_filter_with_nominated(CycleState& state, const Pod& pod, uint32_t row,
                                                  Status* status) const {
  return filter_twice(state, pod, row, nullptr, status);
}

Result<void> Evaluator::run_filter_with_nominated(CycleState& state, const Pod& pod,
                                                  const NodeOverlay& node, Status* status) const {
  return filter_twice(state, pod, node.row(), &node, status);
}

Result<void> Evaluator::filter_twice(CycleState& state, const Pod& pod, uint32_t row,
                                     const NodeOverlay* node, Status* status) const {
  const std::vector<PodRef>& there = services_->nominator().on(view().row(row).name);
  if (!must_yield(pod, there)) return run_filter(state, pod, row, node, status);
  const std::vector<PodRef> nominated = there;  // a plugin may change the list
  NodeOverlay crowded = node != nullptr ? *node : NodeOverlay(view(), row);
  const Ref<CycleState> changed = state.clone();
  for (const PodRef& p : nominated) {
    if (!must_yield_to(pod, *p)) continue;
    crowded.add(p);
    Result<Status> added = run_add_pod(*changed, pod, *p, crowded);
    if (!added.ok()) return std::move(added.error());
    if (!added->success()) {
      *status = std::move(*added);
      return {};
    }
  }
  LIBSCHED_TRY(run_filter(*changed, pod, crowded, status));
  return status->success() ? run_filter(state, pod, row, node, status) : Result<void>();
}

}  // namespace libsched
