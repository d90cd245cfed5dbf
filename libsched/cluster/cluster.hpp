// Cluster: one mutable state with a journal; Snapshot: what it was, for ever.
//
// A cluster belongs to one writer thread. Every call either happens whole or changes nothing.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "libsched/base/result.hpp"
#include "libsched/cluster/change.hpp"
#include "libsched/cluster/journal.hpp"
#include "libsched/cluster/observer.hpp"
#include "libsched/cluster/state.hpp"
#include "libsched/cluster/unread.hpp"
#include "libsched/objects/object_set.hpp"

namespace libsched {

// What every query reads: a cluster's state or a snapshot's.
using View = State;

class Snapshot final : public RefCounted {
 public:
  explicit Snapshot(State* state) : state_(*state, State::Publish()) {}
  const View& view() const { return state_; }

 private:
  State state_;
};
using SnapshotRef = Ref<const Snapshot>;

class Cluster final : public RefCounted {
 public:
  explicit Cluster(NodeOrder order = NodeOrder::kUpstream) : state_(order), journal_(&state_) {}

  const View& view() const { return state_; }

  // All parts in their order, or none; returns how many objects came, changed or went. Whoever
  // listens hears of it once all of it stands. Also inside forks.
  Result<size_t> apply(const Change* parts, size_t n);
  Result<size_t> apply(const ObjectSet& objects);  // one part

  Result<void> add_nodes(const Node* const* nodes, size_t n);  // all are new
  Result<void> update_node(const NodeRef& node);               // new or replaced
  Result<void> remove_node(Str name);
  // nodes[i] may be empty: then the pod's own nodeName. `node_names` null: all of them.
  Result<void> add_pods(const Pod* const* pods, const Str* node_names, size_t n);
  Result<void> update_pod(const PodRef& pod, Str node_name);
  Result<void> remove_pod(Str ns, Str name);

  // Any object but a pod or node, new or replaced; also what was assumed of it is replaced.
  Result<void> put_object(StoredKind kind, const ObjectRef& object);
  Result<void> remove_object(StoredKind kind, Str ns, Str name);
  // Puts a changed copy over the API's object, for all queries, until restore_object(), a new
  // version from the API, or the removal. As upstream's assume caches: the object must be there,
  // and not newer than the copy.
  Result<void> assume_object(StoredKind kind, const ObjectRef& object);
  // Nothing happens if nothing is assumed, or the object has gone.
  Result<void> restore_object(StoredKind kind, Str ns, Str name);
  // Upstream's cache: an assumed pod counts as if it ran on the node until the API server's word
  // comes (apply, update_pod) or it is forgotten. Assuming a stored pod is kExists; forgetting one
  // that was not assumed is kState, an unknown one nothing.
  // `node_name` empty: the pod's own nodeName. `start` given: as if its status.startTime were that.
  Result<void> assume(const Pod& pod, Str node_name, Time start = {});
  Result<void> may_forget(Str ns, Str name) const;
  Result<void> forget(Str ns, Str name);

  size_t fork_depth() const { return forks_; }
  Result<void> fork();
  Result<void> commit();
  Result<void> revert();

  Ref<Cluster> clone() const;
  // The same object as long as nothing changes; else its cost is that of the changes since the last
  // one (the first one's, that of the cluster). It shares memory with those before and after it,
  // and any thread may read and drop it; this is called by the writer.
  SnapshotRef snapshot();
  // What upstream does when a cycle begins: the order list follows the nodes that came or went, and
  // changed nodes learn on how many nodes their images are.
  void refresh() {
    if (state_.order_membership() != state_.membership() || state_.images().stale_count() != 0)
      renew();
  }
  // Whether plugins are being asked about this cluster: for them the cycle has begun, and only
  // their caller may refresh.
  bool judged() const { return judging_ != 0; }

  class Transaction;  // transaction.hpp

  // `answer` reads this state when it is finished: from now on the first change finishes it before
  // anything happens. If that runs out of memory, the change fails and nothing has changed. Inside
  // of a change it is finished at once.
  void finish_before_change(const std::shared_ptr<Unread>& answer) {
    if (transactions_ != 0) return answer->finish();
    unread_.add(answer);
  }

  // Those who listen are kept by others; `key` says what one is for. Null: there is none any more.
  std::shared_ptr<ClusterObserver> observer(const void* key) const;
  void observe(const void* key, const std::shared_ptr<ClusterObserver>& observer);

  // Stands while plugins are asked about this cluster: changes that they try are kMisuse.
  class Judging {
   public:
    explicit Judging(Cluster* cluster) : cluster_(cluster) {  // null: a snapshot is asked
      if (cluster_ != nullptr) ++cluster_->judging_;
    }
    ~Judging() {
      if (cluster_ != nullptr) --cluster_->judging_;
    }
    Judging(const Judging&) = delete;
    Judging& operator=(const Judging&) = delete;

   private:
    Cluster* cluster_;
  };

 private:
  void renew();  // what refresh() finds to do
  void make_snapshot();
  void finish_unread() {
    if (!unread_.empty()) unread_.finish();
  }
  uint32_t row_for(Str name) { return row_for(name, hash_str(name)); }
  uint32_t row_for(Str name, uint64_t hash);
  void release_row_if_empty(uint32_t r);
  void place_node(const NodeRef& node);
  void drop_pod(uint32_t s);
  // The steps of changes (apply.cpp), each in a transaction that undoes what a failed one has done.
  enum class Refusal : uint8_t { kNone, kExists, kNotFound, kNoNodeName, kNoRoom };
  Refusal put(Transaction* change, StoredKind kind, const ObjectRef& object, PutMode mode);
  Refusal put(Transaction* change, NodeRef node, PutMode mode);
  // `node_hash` is that of `node_name`, which may be lent by the pod that is replaced.
  Refusal put(Transaction* change, PodRef pod, Str node_name, uint64_t node_hash, PutMode mode);
  Result<void> put_all(Transaction* change, const PutObjects& part);
  Refusal remove(Transaction* change, Str node);
  Refusal remove(Transaction* change, Str ns, Str pod);
  Refusal remove(Transaction* change, StoredKind kind, Str ns, Str name);
  static Result<void> result(Refusal refusal, Str kind, Str ns, Str name);
  // All of steps(Transaction*), or nothing; `objects` gets how many came, changed or went.
  template <typename F>
  Result<void> change(F&& steps, size_t* objects = nullptr);
  // observer.cpp. Telling does not fail: an observer that runs out of memory misses what it is
  // told.
  bool watched() const { return !observers_.empty() && forks_ == 0; }
  template <typename F>
  void tell(F&& f) noexcept;
  void tell_changes() noexcept;
  void tell_forked() noexcept;
  void tell_reverted() noexcept;
  void tell_committed() noexcept;
  // Whether the columns suffice for one more node or pod.
  bool has_room(const Resources& resources) const {
    return resources.scalars.empty() || Columns::Room(state_.columns()).add(resources);
  }

  State state_;
  Journal journal_;
  SnapshotRef snapshot_;
  uint64_t snapshot_version_ = 0;
  int judging_ = 0;
  size_t forks_ = 0, transactions_ = 0;  // open ones: the marks of the journal
  std::vector<std::pair<const void*, std::weak_ptr<ClusterObserver>>> observers_;
  std::vector<ObjectChange> news_;  // of the open transactions
  UnreadAnswers unread_;
};

}  // namespace libsched
