// State: a View with the elementary changes to it.
//
// Every elementary change has an exact inverse, which the journal (cluster.hpp) uses: an undo
// restores rows, ids, the order of a node's pods and the order of nodes. A copy belongs to another
// writer. The State of a snapshot is made by Publish, at the cost of the changes since the previous
// one, and is read-only. Many threads may call const members.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libsched/cluster/view.hpp"

namespace libsched {

// Draws numbers that no other object of this class draws, so that equal versions of two views mean
// equal contents, too. A copy draws its own.
class StateNumbers {
 public:
  StateNumbers() = default;
  StateNumbers(const StateNumbers&) noexcept {}
  StateNumbers& operator=(const StateNumbers&) noexcept { return *this; }

  uint64_t draw() noexcept {
    if (next_ == end_) [[unlikely]]
      take_block();
    return next_++;
  }

 private:
  void take_block() noexcept;

  uint64_t next_ = 0, end_ = 0;
};

class State final : public View {
 public:
  explicit State(NodeOrder order = NodeOrder::kUpstream) : View(order) {}
  // What a snapshot of `from` shows. It shares with `from`, and with those that were made before
  // and after it, the chunks that are equal (base/mirrored.hpp); `from` keeps its arrays and what
  // it has shared. If memory runs out, nothing that can be read of `from` has changed.
  using View::Publish;
  State(State& from, Publish publish) : View(from, publish) {}

  // Prefetching, because in a large cluster the data of a pod is scattered over memory. Call these
  // in this order, each some pods after the previous one.
  void fetch_pod(const Pod& pod) const {
    prefetch_to_write(&pod);  // its references
    prefetch(&pod.meta.key_hash);
    prefetch(&pod.meta.name);
    prefetch(&pod.plain);
    prefetch(&pod.occupied);
    prefetch(&pod.occupied_nonzero);
    prefetch(&pod.spec.node_name);
  }
  void fetch_name(Str name) const { prefetch(name.data()); }
  void fetch_ids(uint64_t row_hash, uint64_t pod_hash) const {
    row_ids_.prefetch(row_hash);
    pod_ids_.prefetch(pod_hash);
  }
  // Returns the row that may have the name with this hash, or kNoId.
  uint32_t fetch_row(uint64_t row_hash) const {
    const uint32_t r = row_ids_.guess(row_hash);
    if (r == kNoId) return r;
    fetch(r);
    prefetch(&rows_[r].name);
    return r;
  }
  void fetch_row_pods(uint32_t r) const {
    if (r < rows_.size()) prefetch_to_write(rows_[r].pods.data() + rows_[r].pods.size());
  }
  // As fetch_row(), by row.
  void fetch_row_at(uint32_t r) const { fetch(r); }
  // Before the slot's pod is removed.
  void fetch_slot(uint32_t s) const {
    const Slot& slot = slots_[s];
    if (!slot.pod) return;
    if (!slot.pod->unnamed) pod_ids_.prefetch(slot.pod->meta.key_hash);
    fetch(slot.row);
  }

  // --- elementary changes; the journal calls them in pairs ---
  // A change that allocates happens completely or, if memory runs out, not at all. noexcept
  // functions do not allocate: memory that a row, a pod or an object once needed is kept until
  // collect_ids() reclaims it.
  uint32_t acquire_row(Str name, uint64_t hash, bool* from_tail);
  void release_row(uint32_t r) noexcept;
  void undo_acquire_row(uint32_t r, bool from_tail) noexcept;
  void undo_release_row(uint32_t r, std::string name, uint64_t hash) noexcept;
  // Attaching and detaching return whether they made the row's images stale.
  bool attach_node(uint32_t r, NodeRef node);
  NodeRef detach_node(uint32_t r) noexcept;
  void undo_attach_node(uint32_t r, bool touched) noexcept;
  void undo_detach_node(uint32_t r, NodeRef node) noexcept;
  NodeTree::Place tree_add(uint32_t r);
  NodeTree::Removed tree_remove(uint32_t r) noexcept;
  void undo_tree_add(uint32_t r, const NodeTree::Place& place) noexcept;
  void undo_tree_remove(uint32_t r, std::string zone, NodeTree::Removed removed) noexcept;
  // Before as many pods come, to grow once. No promise: add_pod() makes room, too.
  void expect_pods(size_t pods) {
    slots_.reserve(pods);
    pod_ids_.reserve(pods);
  }
  struct Added {
    uint32_t slot;
    bool from_tail, touched;  // the slot is new; the row's images became stale
  };
  Added add_pod(PodRef&& pod, uint32_t r, bool assumed);
  void undo_add_pod(const Added& added) noexcept;
  PodRef release_slot(uint32_t s) noexcept;  // after detach_pod()
  void undo_release_slot(uint32_t s, PodRef pod) noexcept;
  bool detach_pod(uint32_t s);
  void undo_detach_pod(uint32_t s, uint32_t r, uint32_t position, bool touched) noexcept;
  bool set_assumed(uint32_t s, bool assumed) {
    return std::exchange(slots_.edit(s).assumed, assumed);
  }
  // Before the ports of a pod that is on the row come, so many at most, or go.
  void reserve_ports(uint32_t r, size_t more);
  // The numbers of ports that have come or gone (UsedPorts).
  uint32_t add_ports(uint32_t r, const PodRef& pod) noexcept;
  uint32_t remove_ports(uint32_t r, const Pod& pod,
                        std::vector<UsedPorts::Removed>* removed) noexcept;
  void undo_add_ports(uint32_t r, uint32_t added) noexcept;
  void undo_remove_port(uint32_t r, UsedPorts::Removed removed) noexcept;
  using View::images;
  Images& images() { return images_; }
  using View::objects;
  ObjectStore& objects() { return objects_; }
  using View::nominated;
  NominatedPods& nominated() { return nominated_.edit(); }
  using View::log;
  ChangeLog& log() { return log_; }
  Order replace_order(Order order) noexcept {
    return std::exchange(order_.edit(), std::move(order));
  }
  // The list after a refresh: a new one only if a name was added or removed since the last refresh.
  // A node that was removed and added again, or moved to another zone, keeps its place, as in
  // upstream.
  // Without a change of names, it is also made anew if lists_anew().
  Order make_order(bool* listed);
  // The node of the row leaves, or (-1) that is undone: with it goes what its pods use.
  void lose_claims(uint32_t r, int by) noexcept;
  using View::claim_sums;
  ObjectUses& claim_sums() { return claim_uses_; }
  // Reclaims unused ids that were assigned after this latest_id(), if there are many. 0: all unused
  // ids.
  void collect_ids(uint64_t since) noexcept;
  // Grows with every assigned id. (ids_epoch() covers only ids that plugins keep.)
  uint64_t latest_id() const {
    return std::max({ids_epoch(), images_.latest(), claim_uses_.latest(), group_uses_.latest(),
                     existing_terms_.latest()});
  }
  void set_accounting(const PodAccounting& accounting) noexcept {
    accounting_ = accounting;
    accounts_otherwise_ = accounting != PodAccounting();
  }
  void touch() { version_ = numbers_.draw(); }
  void restore_stamps(uint64_t version, uint64_t membership) {
    version_ = version;
    membership_ = membership;
  }

 private:
  void link_node(uint32_t r, NodeRef node, uint32_t taint_set) noexcept;
  void move_claims(const Pod& pod, bool there) noexcept;
  void prepare_pod(uint32_t s, const Pod& pod, uint32_t r);
  void link_pod(uint32_t s, Slot& slot, uint32_t r, Row& row) noexcept;
  void link_parts(uint32_t s, const Pod& pod, uint32_t r, Row& row) noexcept;
  void unlink_pod(uint32_t s, const Slot& slot) noexcept;
  void unlink_parts(uint32_t s, const Pod& pod, uint32_t r, Row& row) noexcept;
  bool same_names(std::vector<uint32_t>* rows) const;
  void note_ports(uint32_t r) noexcept;
  void fetch(uint32_t r) const {
    const Row& row = rows_[r];
    prefetch_to_write(&row);
    columns_.fetch(r);
  }

  uint32_t latest_node_ = kNoId;  // the row that got a node last
  size_t collect_at_ = 0;         // the number of ids at which a fork tries again
  StateNumbers numbers_;
};

}  // namespace libsched
