// Cluster: its beginning and end, forks, snapshots and clones.
#include "libsched/cluster/cluster.hpp"

#include <utility>

#include "libsched/cluster/change_errors.hpp"

namespace libsched {

// Here, so that the members' are compiled once.
Snapshot::Snapshot(State* state) : state_(*state, State::Publish()) {}
Snapshot::~Snapshot() = default;
Cluster::Cluster(NodeOrder order) : state_(order), journal_(&state_) {}
Cluster::~Cluster() = default;

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
  journal_.revert();
  --forks_;
  if (!observers_.empty()) tell_reverted();
  return {};
}

Ref<Cluster> Cluster::clone() const {
  Ref<Cluster> copy = make_ref<Cluster>(state_.order_mode());
  copy->state_ = state_;
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

// A snapshot shows the cluster as a cycle would find it that began now.
void Cluster::make_snapshot() {
  finish_unread();
  Ref<Snapshot> made;
  journal_.mark();
  try {
    renew();
    made = make_ref<Snapshot>(&state_);
  } catch (...) {
    journal_.revert();
    throw;
  }
  // For plugins that run on this cluster the cycle has already begun.
  judged() ? journal_.revert() : journal_.commit();
  snapshot_ = std::move(made);
  snapshot_version_ = state_.version();
}

void Cluster::renew() {
  finish_unread();
  const bool reorder = state_.order_membership() != state_.membership() || state_.lists_anew();
  View::Order order;
  bool listed = false;
  if (reorder) order = state_.make_order(&listed);
  journal_.refresh(reorder ? &order : nullptr, listed);
}

}  // namespace libsched
