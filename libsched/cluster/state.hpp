// State: the rows, columns and indexes of one cluster, and the elementary changes to them.
//
// Every elementary change has an exact inverse, which the journal (cluster.hpp) uses: an undo
// restores rows, ids, the order of a node's pods and the order of nodes. A copy belongs to another
// writer. The State of a snapshot is made by Publish, at the cost of the changes since the previous
// one, and is read-only. Many threads may call const members.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "libsched/base/bitmap.hpp"
#include "libsched/base/handle_mark.hpp"
#include "libsched/base/id_pool.hpp"
#include "libsched/cluster/change_log.hpp"
#include "libsched/cluster/claim_uses.hpp"
#include "libsched/cluster/columns.hpp"
#include "libsched/cluster/existing_terms.hpp"
#include "libsched/cluster/images.hpp"
#include "libsched/cluster/label_index.hpp"
#include "libsched/cluster/node_tree.hpp"
#include "libsched/cluster/object_store.hpp"
#include "libsched/cluster/tables.hpp"
#include "libsched/cluster/taint_sets.hpp"
#include "libsched/cluster/volume_use.hpp"
#include "libsched/objects/node.hpp"

namespace libsched {

enum class NodeOrder : uint8_t { kUpstream, kInsertion };

class State : public HandleMark {
 public:
  // A host port in use. The strings belong to the pod that uses it.
  struct UsedPort {
    PodRef owner;
    HostPort port;
  };
  struct Row {
    NodeRef node;  // null: hidden, because the node does not exist (yet)
    std::string name;
    uint64_t name_hash = 0;
    std::vector<uint32_t> pods;    // slots, in upstream's order
    std::vector<uint32_t> labels;  // pair ids, in the order of the node's labels
    std::vector<UsedPort> ports;   // a set, as upstream's HostPortInfo
    uint32_t taint_set = kNoId;
    VolumeUse volumes;
    std::string zone;  // its zone in the node tree
    bool used = false;
  };
  struct Slot {
    PodRef pod;
    uint32_t row = kNoId;
    uint32_t position = 0;  // in the row's pods
    bool assumed = false;   // placed here without the API server's confirmation

    void fetch_for_copy() const { prefetch_to_write(pod.get()); }
  };

  // The list of nodes that a cycle walks, as of the last refresh.
  struct Order {
    std::vector<uint32_t> rows;
    std::vector<NodeRef> nodes;  // the rows' nodes at that time, for their names
    uint64_t membership = 0;     // State::membership() at that time
    uint64_t name_set = 0;       // State::name_set() at that time
  };

  explicit State(NodeOrder order = NodeOrder::kUpstream) : order_mode_(order) {}
  // What a snapshot of `from` shows. It shares with `from`, and with those that were made before
  // and after it, the chunks that are equal (base/mirrored.hpp); `from` keeps its arrays and what
  // it has shared. If memory runs out, nothing that can be read of `from` has changed.
  struct Publish {};
  State(State& from, Publish);

  // --- reading ---
  size_t row_count() const { return rows_.size(); }
  size_t word_count() const { return words_for(row_count()); }
  const Row& row(uint32_t r) const { return rows_[r]; }
  const Node* node(uint32_t r) const { return r < row_count() ? rows_[r].node.get() : nullptr; }
  uint32_t find_row(Str name) const { return find_row(name, hash_str(name)); }
  uint32_t find_row(Str name, uint64_t hash) const {
    return row_ids_.find(hash, [&](uint32_t r) { return rows_[r].name == name; });
  }
  // The row of an existing node, or kNoId.
  uint32_t find_node(Str name) const {
    const uint32_t r = find_row(name);
    return r != kNoId && rows_[r].node ? r : kNoId;
  }
  const Slot& slot(uint32_t s) const { return slots_[s]; }
  size_t slot_count() const { return slots_.size(); }  // some may have no pod
  uint32_t find_pod(Str ns, Str name) const {
    return find_pod(ns, name, object_key_hash(ns, name));
  }
  uint32_t find_pod(Str ns, Str name, uint64_t hash) const {
    return pod_ids_.find(hash, [&](uint32_t s) {
      return slots_[s].pod->meta.name == name && slots_[s].pod->meta.ns == ns;
    });
  }
  size_t node_count() const { return tree_.size(); }
  size_t pod_count() const { return pod_ids_.size(); }

  const Bitmap& live() const { return *live_; }                    // rows with a node
  const Bitmap& unschedulable() const { return *unschedulable_; }  // spec.unschedulable
  const Bitmap& rows_with_ports() const { return *with_ports_; }
  const Columns& columns() const { return columns_; }
  const LabelIndex& labels() const { return labels_; }
  const TaintSets& taint_sets() const { return taints_; }
  const Images& images() const { return images_; }
  Images& images() { return images_; }  // for the journal
  const Tables& tables() const { return tables_; }
  const ExistingTerms& existing_terms() const { return existing_terms_; }
  const std::vector<uint32_t>& order() const { return order_->rows; }  // as of the last refresh
  NodeOrder order_mode() const { return order_mode_; }
  const ObjectStore& objects() const { return objects_; }
  const Namespace* find_namespace(Str name) const { return objects_.find<Namespace>(name); }
  // Whether a pod on an existing node uses the PersistentVolumeClaim.
  bool claim_in_use(Str ns, Str name) const { return claim_uses(ns, name) != 0; }
  uint32_t claim_uses(Str ns, Str name) const { return claim_uses_.count(ns, name); }
  // Kinds of applied objects that upstream's plugins read, but no plugin of this version does.
  const std::set<std::string, std::less<>>& unread_kinds() const { return unread_kinds_; }

  // Changed rows since a cursor, for caches that follow this view.
  const ChangeLog& log() const { return log_; }
  // Identify this state and its set of nodes: equal numbers mean equal contents. A revert restores
  // the old numbers; no other change does.
  uint64_t version() const { return version_; }
  uint64_t membership() const { return membership_; }
  // Identifies the ids of labels, taint sets and resources: in two views with the same number they
  // have the same meaning, because the latest change of any of them drew a unique number.
  uint64_t ids_epoch() const {
    return std::max({labels_.epoch(), taints_.epoch(), columns_.epoch()});
  }

  // Prefetching, because in a large cluster the data of a pod is scattered over memory. Call these
  // in this order, each some pods after the previous one.
  void fetch_pod(const Pod& pod) const {
    prefetch_to_write(&pod);  // its references
    prefetch(&pod.meta.key_hash);
    prefetch(&pod.meta.name);
    prefetch(&pod.spec.node_name);
    prefetch(&pod.occupied);
    prefetch(&pod.status.phase);
  }
  void fetch_name(Str name) const { prefetch(name.data()); }
  void fetch_ids(uint64_t row_hash, uint64_t pod_hash) const {
    row_ids_.prefetch(row_hash);
    pod_ids_.prefetch(pod_hash);
  }
  void fetch_row(uint64_t row_hash) const {
    if (const uint32_t r = row_ids_.guess(row_hash); r != kNoId) fetch(r);
  }
  void fetch_row_pods(uint64_t row_hash) const {
    if (const uint32_t r = row_ids_.guess(row_hash); r != kNoId)
      prefetch_to_write(rows_[r].pods.data() + rows_[r].pods.size());
  }
  // Before the slot's pod is removed.
  void fetch_slot(uint32_t s) const {
    if (!slots_[s].pod) return;
    pod_ids_.prefetch(slots_[s].pod->meta.key_hash);
    fetch(slots_[s].row);
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
  NodeTree::Place tree_remove(uint32_t r) noexcept;
  void undo_tree_add(uint32_t r, const NodeTree::Place& place) noexcept;
  void undo_tree_remove(uint32_t r, std::string zone, NodeTree::Place place) noexcept;
  // Before as many pods come, to grow once. No promise: acquire_slot() makes room, too.
  void expect_pods(size_t pods) {
    slots_.reserve(pods);
    pod_ids_.reserve(pods);
  }
  uint32_t acquire_slot(PodRef pod, bool* from_tail);
  PodRef release_slot(uint32_t s) noexcept;
  void undo_acquire_slot(uint32_t s, bool from_tail) noexcept;
  void undo_release_slot(uint32_t s, PodRef pod) noexcept;
  bool attach_pod(uint32_t s, uint32_t r);
  bool detach_pod(uint32_t s);
  void undo_attach_pod(uint32_t s, bool touched) noexcept;
  void undo_detach_pod(uint32_t s, uint32_t r, uint32_t position, bool touched) noexcept;
  bool set_assumed(uint32_t s, bool assumed) {
    return std::exchange(slots_.edit(s).assumed, assumed);
  }
  void reserve_ports();  // for replace_ports()
  std::vector<UsedPort> replace_ports(uint32_t r, std::vector<UsedPort> ports) noexcept;
  ObjectStore& objects() { return objects_; }
  ChangeLog& log() { return log_; }
  Order replace_order(Order order) noexcept {
    return std::exchange(order_.edit(), std::move(order));
  }
  // The kind as it is kept; null if it was kept already.
  const std::string* add_unread_kind(Str kind) {
    const auto [at, fresh] = unread_kinds_.emplace(kind);
    return fresh ? &*at : nullptr;
  }
  void remove_unread_kind(const std::string& kind) noexcept { unread_kinds_.erase(kind); }
  // The list after a refresh: a new one only if a name was added or removed since the last refresh.
  // A node that was removed and added again, or moved to another zone, keeps its place, as in
  // upstream.
  Order make_order() const;
  uint64_t order_membership() const { return order_->membership; }
  // Reclaims unused ids that were assigned after this latest_id(), if there are many. 0: all unused
  // ids.
  void collect_ids(uint64_t since) noexcept;
  // Grows with every assigned id. (ids_epoch() covers only ids that plugins keep.)
  uint64_t latest_id() const {
    return std::max(
        {ids_epoch(), images_.latest(), claim_uses_.latest(), existing_terms_.latest()});
  }
  size_t id_count() const {
    return labels_.size() + taints_.size() + images_.size() + claim_uses_.size();
  }
  void touch() { version_ = ++stamp_; }
  void restore_stamps(uint64_t version, uint64_t membership) {
    version_ = version;
    membership_ = membership;
  }

 private:
  void link_node(uint32_t r, NodeRef node, uint32_t taint_set) noexcept;
  void link_pod(uint32_t s, uint32_t r) noexcept;
  void unlink_pod(uint32_t s) noexcept;
  bool same_names(std::vector<uint32_t>* rows) const;
  void fetch(uint32_t r) const {
    const Row& row = rows_[r];
    prefetch_to_write(&row);
    prefetch_to_write(reinterpret_cast<const char*>(&row) + 64);
    columns_.fetch(r);
  }

  IdPool<Row, 4> rows_;
  IdPool<Slot, 32> slots_;
  IdTable row_ids_, pod_ids_;
  Whole<Bitmap> live_, unschedulable_, with_ports_;
  Columns columns_;
  LabelIndex labels_;
  TaintSets taints_;
  Images images_;
  Tables tables_;
  ExistingTerms existing_terms_;
  NodeTree tree_;
  Whole<Order> order_;
  uint64_t name_set_ = 0;  // of the nodes' names: the sum of their mixed hashes
  ObjectStore objects_;
  ClaimUses claim_uses_;
  std::set<std::string, std::less<>> unread_kinds_;
  ChangeLog log_;
  size_t collect_at_ = 0;  // the number of ids at which a fork tries again
  NodeOrder order_mode_;
  uint64_t stamp_ = 1;
  uint64_t version_ = 1;
  uint64_t membership_ = 0;
};

}  // namespace libsched
