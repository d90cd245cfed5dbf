// Cluster::Transaction: one change of a cluster, which happens completely or not at all.
//
// Unless it is committed, its destructor undoes all changes made through the journal meanwhile,
// both after an error and when memory runs out, because undoing does not allocate. Transactions
// nest; the observers are notified when the outermost one is committed.
#pragma once

#include "libsched/cluster/cluster.hpp"

namespace libsched {

class Cluster::Transaction {
 public:
  explicit Transaction(Cluster* cluster) : cluster_(cluster), news_(cluster->news_.size()) {
    cluster->finish_unread();
    cluster->journal_.mark();
    ++cluster->transactions_;
  }
  ~Transaction() {
    if (cluster_ == nullptr) return;
    cluster_->journal_.revert();
    cluster_->news_.erase(cluster_->news_.begin() + static_cast<ptrdiff_t>(news_),
                          cluster_->news_.end());
    --cluster_->transactions_;
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  // Records that an object is added, changed or removed, to notify the observers unless a fork is
  // open.
  void note(Str resource, const Object* before, const Object* after) {
    if (cluster_->watched()) [[unlikely]]
      cluster_->news_.push_back({resource, ObjectRef::share(before), ObjectRef::share(after)});
    ++objects_;
  }
  // The same for a pod of the cluster.
  void note_pod(uint32_t slot, const Object* after) {
    const View& view = cluster_->state_;
    const Pod& before = *view.slot(slot).pod;
    note("Pod", cluster_->watched() ? &view.as_bound(before) : &before, after);
  }
  size_t objects() const { return objects_; }  // how many have been noted
  // Whether anything has changed.
  bool changed() const { return cluster_->journal_.changed(); }
  // Keeps the changes and gives the state a new version.
  void commit() noexcept {
    Cluster& c = *std::exchange(cluster_, nullptr);
    c.journal_.commit();
    --c.transactions_;
    c.state_.touch();
    if (c.transactions_ == 0 && !c.news_.empty()) c.tell_changes();
  }

 private:
  Cluster* cluster_;  // null: committed
  size_t news_;       // of the enclosing transactions
  size_t objects_ = 0;
};

}  // namespace libsched
