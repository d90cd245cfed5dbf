// Sim::Change: one change of a simulated cluster, which happens completely or not at all.
#pragma once

#include "libsched/cluster/transaction.hpp"
#include "libsched/scheduler/sim/sim.hpp"

namespace libsched {

// Unless it is committed, its destructor undoes all changes of the cluster and of the ids.
class Sim::Change {
 public:
  explicit Change(Sim* sim)
      : sim_(sim), mark_(sim->undo_.size()), transaction_(sim->cluster_.get()) {}
  ~Change() {
    if (sim_ != nullptr) sim_->undo_to(mark_);
  }
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

  void commit() noexcept {
    Sim& sim = *std::exchange(sim_, nullptr);
    if (transaction_.changed()) transaction_.commit();
    // Only forks and outer changes look back.
    if (sim.marks_.empty() && mark_ == 0) sim.undo_.clear();
  }

 private:
  Sim* sim_;  // null: committed
  size_t mark_;
  Cluster::Transaction transaction_;
};

}  // namespace libsched
