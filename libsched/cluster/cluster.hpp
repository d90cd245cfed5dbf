// Cluster: one mutable state with a journal; Snapshot: the state at one moment.
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
#include "libsched/cluster/view.hpp"
#include "libsched/objects/object_set.hpp"

namespace libsched {

class ResourceClaim;

class Snapshot final : public RefCounted {
 public:
  explicit Snapshot(State* state);
  ~Snapshot() override;
  const View& view() const { return state_; }

 private:
  State state_;
};
using SnapshotRef = Ref<const Snapshot>;

class Cluster final : public RefCounted {
 public:
  explicit Cluster(NodeOrder order = NodeOrder::kUpstream);
  ~Cluster() override;

  const View& view() const { return state_; }
  class Transaction;  // transaction.hpp

  // Applies all parts in order, or none; returns the number of objects added, changed or removed.
  // Observers are notified after the last part. Works inside forks.
  Result<size_t> apply(const Change* parts, size_t n);
  Result<size_t> apply(const ObjectSet& objects);  // a single part

  Result<void> add_nodes(const Node* const* nodes, size_t n);  // all are new
  Result<void> update_node(const NodeRef& node);               // new or replaced
  Result<void> remove_node(Str name);
  // If nodes[i] is empty or `node_names` is null, a pod goes to its own nodeName.
  Result<void> add_pods(const Pod* const* pods, const Str* node_names, size_t n);
  Result<void> update_pod(const PodRef& pod, Str node_name);
  Result<void> remove_pod(Str ns, Str name);  // from its node, or from those nominated to one

  // Adds or replaces any object but a pod or node, including its assumed version.
  Result<void> put_object(StoredKind kind, const ObjectRef& object);
  Result<void> remove_object(StoredKind kind, Str ns, Str name);
  // Puts a changed copy over the API's object, for all queries, until restore_object(), a new
  // version from the API, or the removal. As in upstream's assume caches, the object must exist and
  // must not be newer than the copy. A claim for extended resources need not exist; it stands in
  // until the API server has one with an allocation for the pod.
  Result<void> assume_object(StoredKind kind, const ObjectRef& object);
  // Does nothing if nothing is assumed or the object no longer exists.
  Result<void> restore_object(StoredKind kind, Str ns, Str name);
  // As in upstream's cache, an assumed pod counts as running on the node until it is confirmed
  // (apply, update_pod) or forgotten. Assuming a stored pod is kExists; forgetting a pod that was
  // not assumed is kState; forgetting an unknown pod does nothing. `node_name` empty: the pod's own
  // nodeName. `start`, if given, replaces status.startTime.
  Result<void> assume(const Pod& pod, Str node_name, Time start = {});
  // The same on the row of an existing node, as a part of the caller's change. Without `start`, a
  // pod without nodeName is kept as it is, and View::as_bound() makes the copy with nodeName.
  Result<void> assume(Transaction* change, const Pod& pod, uint32_t row, Time start = {});
  Result<void> may_forget(Str ns, Str name) const;
  Result<void> forget(Str ns, Str name);

  // Changes by row and slot, for callers that keep ids of their own. A pod of these may be unnamed
  // (Pod::unnamed). A row has a node, and a slot a pod.
  Result<uint32_t> add_node(const NodeRef& node);                // a new one; its row
  Result<void> replace_node(uint32_t row, const NodeRef& node);  // of the same name; pods stay
  Result<void> remove_node(uint32_t row);                        // that has no pods
  Result<uint32_t> place_pod(const PodRef& pod, uint32_t row);   // its slot
  Result<void> place_pods(Span<const Pod*> pods, const uint32_t* rows, uint32_t* slots);
  Result<void> take_pod(uint32_t slot);

  // Counts all pods so from now on, those that are there and those that come. Their slots may
  // change.
  Result<void> account_as(const PodAccounting& accounting);

  size_t fork_depth() const { return forks_; }
  Result<void> fork();
  Result<void> commit();
  Result<void> revert();

  Ref<Cluster> clone() const;
  // The same object until something changes; otherwise its cost is that of the changes since the
  // last one (the first one's, that of the cluster). It shares memory with those before and after
  // it, and any thread may read and drop it; this is called by the writer.
  SnapshotRef snapshot();
  // Does what upstream does at the start of a cycle: updates the order list for added and removed
  // nodes, and counts anew on how many nodes the images of changed nodes are.
  void refresh() {
    if (state_.order_membership() != state_.membership() || state_.images().stale_count() != 0 ||
        state_.lists_anew())
      renew();
  }
  // Whether plugins are running on this cluster: for them the cycle has begun, and only their
  // caller may refresh.
  bool judged() const { return judging_ != 0; }

  // Registers an answer that reads this state when it is finished: the next change finishes it
  // first. If that runs out of memory, the change fails without effect. Inside a change it is
  // finished at once.
  void finish_before_change(const std::shared_ptr<Unread>& answer) {
    if (transactions_ != 0) return answer->finish();
    unread_.add(answer);
  }

  // Observers are held weakly and identified by `key`. Returns null once an observer has expired.
  std::shared_ptr<ClusterObserver> observer(const void* key) const;
  void observe(const void* key, const std::shared_ptr<ClusterObserver>& observer);

  // Exists while plugins run on this cluster: changes by them are kMisuse.
  class Judging {
   public:
    explicit Judging(Cluster* cluster) : cluster_(cluster) {  // null: a snapshot
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
  // Exists while the plugins that run on this cluster read it no more, and wait: others may change
  // it.
  class Released {
   public:
    explicit Released(Cluster* cluster)
        : cluster_(cluster), judging_(std::exchange(cluster->judging_, 0)) {}
    ~Released() { cluster_->judging_ += judging_; }
    Released(const Released&) = delete;
    Released& operator=(const Released&) = delete;

   private:
    Cluster* cluster_;
    int judging_;
  };

 private:
  void renew();  // the work of refresh()
  void make_snapshot();
  void finish_unread() {
    if (!unread_.empty()) unread_.finish();
  }
  Result<void> may_assume(const Pod& pod) const;
  void put_assumed(PodRef pod, uint32_t row);
  // The name of a node, which may be borrowed from a pod that is replaced.
  struct NodeName {
    Str name;
    uint64_t hash = 0;
    uint32_t guess = kNoId;  // which row it may be
  };
  template <typename PodAt, typename NodeAt>
  class FetchAhead;
  uint32_t row_for(Str name);
  uint32_t row_for(const NodeName& node);
  void release_row_if_empty(uint32_t r);
  void place_node(const NodeRef& node, uint32_t r);  // its row
  void drop_pod(uint32_t s);
  // The steps of changes (apply.cpp), each in a transaction that undoes failed steps.
  enum class Refusal : uint8_t { kNone, kExists, kNotFound, kNoNodeName, kNoRoom };
  Refusal put(Transaction* change, StoredKind kind, const ObjectRef& object, PutMode mode);
  Refusal put(Transaction* change, NodeRef node, PutMode mode);
  void drop_stand_in(const ResourceClaim& claim);
  Refusal put(Transaction* change, PodRef pod, const NodeName& node, PutMode mode);
  Refusal put_new(Transaction* change, PodRef pod, const NodeName& node);
  void put_waiting(PodRef pod, PutMode mode);
  Result<void> put_all(Transaction* change, const PutObjects& part);
  Refusal remove(Transaction* change, Str node);
  Refusal remove(Transaction* change, Str ns, Str pod);
  Refusal remove(Transaction* change, StoredKind kind, Str ns, Str name);
  static Result<void> result(Refusal refusal, Str kind, Str ns, Str name);
  // Runs all of steps(Transaction*), or nothing; `objects` gets the number added, changed or
  // removed.
  template <typename F>
  Result<void> change(F&& steps, size_t* objects = nullptr);
  // observer.cpp. Notifying does not fail: an observer that runs out of memory misses the event.
  bool watched() const { return !observers_.empty() && forks_ == 0; }
  template <typename F>
  void tell(F&& f) noexcept;
  void tell_changes() noexcept;
  void tell_forked() noexcept;
  void tell_reverted() noexcept;
  void tell_committed() noexcept;
  // Checks that the columns suffice for one more node or pod.
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
