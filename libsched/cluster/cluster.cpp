// Cluster: forks, and the snapshots and clones that are made of a state.
#include "libsched/cluster/cluster.hpp"

#include <utility>

#include "libsched/cluster/change_errors.hpp"

namespace libsched {

Result<void> Cluster::fork() {
  if (judging_ != 0) return may_not_change();
  journal_.mark();
  ++forks_;
  if (!observers_.empty()) tell_forked();
  return {};
}

Result<void> Cluster::commit() {
  if (judging_ != 0) return may_not_change();
  if (forks_ == 0) return no_fork();
  finish_unread();
  journal_.commit();
  --forks_;
  if (!observers_.empty()) tell_committed();
  return {};
}

Result<void> Cluster::revert() {
  if (judging_ != 0) return may_not_change();
  if (forks_ == 0) return no_fork();
  finish_unread();
  if (copied_) {
    state_.own_terms();
    copied_ = false;
  }
  journal_.revert();
  --forks_;
  if (!observers_.empty()) tell_reverted();
  return {};
}

Ref<Cluster> Cluster::clone() const {
  Ref<Cluster> copy = make_ref<Cluster>(state_.order_mode());
  copy->state_ = state_;
  copy->copied_ = copied_ = true;
  return copy;
}

SnapshotRef Cluster::snapshot() {
  if (snapshot_ && snapshot_version_ == state_.version()) {
    if (!judged()) refresh();
  } else {
    make_snapshot();
  }
  return snapshot_;
}

void Cluster::make_snapshot() {
  finish_unread();
  Ref<Snapshot> made = make_ref<Snapshot>(state_);
  copied_ = true;
  const bool reorder = state_.order_membership() != state_.membership();
  State::Order order, copy;
  if (reorder) copy = order = state_.make_order();
  if (!judged()) journal_.refresh(reorder ? &order : nullptr);
  Journal(&made->state_).refresh(reorder ? &copy : nullptr);  // without a mark: cannot fail
  snapshot_ = std::move(made);
  snapshot_version_ = state_.version();
}

void Cluster::renew(bool reorder) {
  finish_unread();
  State::Order order;
  if (reorder) order = state_.make_order();
  journal_.refresh(reorder ? &order : nullptr);
}

}  // namespace libsched
