// View: the state that queries read, the rows, columns and indexes of a cluster or a snapshot.
//
// Nothing can be changed through a View: its functions are const, and return values or references
// to const objects. Only State (state.hpp) can make, copy or destroy a View; it derives from View
// and adds the changes. A cluster's View shows the cluster's changes; a snapshot's never changes,
// and any number of threads may read it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "libsched/base/bitmap.hpp"
#include "libsched/base/handle_mark.hpp"
#include "libsched/base/id_pool.hpp"
#include "libsched/cluster/bound_pods.hpp"
#include "libsched/cluster/change_log.hpp"
#include "libsched/cluster/columns.hpp"
#include "libsched/cluster/existing_terms.hpp"
#include "libsched/cluster/images.hpp"
#include "libsched/cluster/label_index.hpp"
#include "libsched/cluster/node_tree.hpp"
#include "libsched/cluster/nominated_pods.hpp"
#include "libsched/cluster/object_store.hpp"
#include "libsched/cluster/object_uses.hpp"
#include "libsched/cluster/tables.hpp"
#include "libsched/cluster/taint_sets.hpp"
#include "libsched/cluster/used_ports.hpp"
#include "libsched/cluster/volume_use.hpp"
#include "libsched/objects/node.hpp"
#include "libsched/objects/pod_accounting.hpp"

namespace libsched {

enum class NodeOrder : uint8_t { kUpstream, kInsertion };

class View : public HandleMark {
 public:
  struct alignas(64) Row {
    // What a plain pod that comes or goes needs is in one cache line.
    NodeRef node;                // null: hidden, because the node does not exist (yet)
    std::vector<uint32_t> pods;  // slots, in upstream's order
    uint64_t name_hash = 0;
    VolumeUse volumes;
    uint32_t taint_set = kNoId;
    bool used = false;
    std::string name;
    std::vector<uint32_t> labels;  // pair ids, in the order of the node's labels
    UsedPorts ports;
    std::string zone;  // its zone in the node tree

    void fetch_for_copy() const {
      prefetch_to_write(node.get());
      prefetch(pods.data());
      prefetch(labels.data());
    }
    // For a pod that is placed on the row soon.
    void fetch() const {
      const char* const begin = reinterpret_cast<const char*>(this);
      for (size_t i = 0; i < sizeof(Row); i += 64) prefetch_to_write(begin + i);
    }
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
    uint64_t membership = 0;     // membership() at that time
    uint64_t name_set = 0;       // name_set_ at that time
  };

  size_t row_count() const { return rows_.size(); }
  size_t word_count() const { return words_for(row_count()); }
  const Row& row(uint32_t r) const { return rows_[r]; }
  const Node* node(uint32_t r) const { return r < row_count() ? rows_[r].node.get() : nullptr; }
  uint32_t find_row(Str name) const { return find_row(name, hash_str(name)); }
  uint32_t find_row(Str name, uint64_t hash) const {
    return row_ids_.find(hash, [&](uint32_t r) { return same_text(rows_[r].name, name); });
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
      const ObjectMeta& there = slots_[s].pod->meta;
      return same_text(there.name, name) && same_text(there.ns, ns);
    });
  }
  // The pod of this name and namespace, which are read only if there is one.
  uint32_t find_pod(const ObjectMeta& meta) const {
    return pod_ids_.find(meta.key_hash, [&](uint32_t s) {
      const ObjectMeta& there = slots_[s].pod->meta;
      return same_text(there.name, meta.name) && same_text(there.ns, meta.ns);
    });
  }
  // Brings into the cache what find_pod() of this hash reads first.
  void fetch_pod_key(uint64_t hash) const { pod_ids_.prefetch(hash); }
  // What counts of the pods here, and a pod as it counts here.
  const PodAccounting& accounting() const { return accounting_; }
  PodRef accounted(PodRef pod) const {
    if (!accounts_otherwise_ && !pod->accounted_otherwise) return pod;
    return libsched::accounted(std::move(pod), accounting_);
  }
  // The pod as a reader outside of the library sees it: an assumed pod has the name of its node
  // (see Cluster::assume()). Valid until the view changes.
  const Pod& as_bound(const Pod& pod) const {
    return pod.spec.node_name.empty() && !pod.unnamed ? bound(pod) : pod;
  }
  size_t node_count() const { return tree_.size(); }
  size_t pod_count() const { return slots_.taken(); }

  const Bitmap& live() const { return *live_; }                    // rows with a node
  const Bitmap& unschedulable() const { return *unschedulable_; }  // spec.unschedulable
  const Bitmap& rows_with_ports() const { return *with_ports_; }
  const Columns& columns() const { return columns_; }
  const LabelIndex& labels() const { return labels_; }
  const TaintSets& taint_sets() const { return taints_; }
  const Images& images() const { return images_; }
  const Tables& tables() const { return tables_; }
  const ExistingTerms& existing_terms() const { return existing_terms_; }
  const std::vector<uint32_t>& order() const { return order_->rows; }  // as of the last refresh
  NodeOrder order_mode() const { return order_mode_; }
  const ObjectStore& objects() const { return objects_; }
  const Namespace* find_namespace(Str name) const { return objects_.find<Namespace>(name); }
  // Whether a pod on an existing node uses the PersistentVolumeClaim, as upstream counts it.
  bool claim_in_use(Str ns, Str name) const {
    return accounting_.claims_by_changes ? claim_uses_.sum(ns, name) > 0
                                         : claim_uses(ns, name) != 0;
  }
  uint32_t claim_uses(Str ns, Str name) const { return claim_uses_.count(ns, name); }
  const ObjectUses& claim_sums() const { return claim_uses_; }
  // Whether the next refresh makes the list of nodes anew, although they are the same: upstream
  // does so when it finds a claim in use less than never.
  bool lists_anew() const { return accounting_.claims_by_changes && claim_uses_.any_below_zero(); }
  // The number of pods of a PodGroup that have a node, even if only assumed.
  uint32_t group_size(Str ns, Str name) const { return group_uses_.count(ns, name); }

  // The pods without a node that the API server has nominated to one. They are on no row.
  const NominatedPods& nominated() const { return *nominated_; }

  // Changed rows since a cursor, for caches that follow this view.
  const ChangeLog& log() const { return log_; }
  // Identify this state and its set of nodes: equal numbers mean equal contents, in any two views.
  // A revert restores the old numbers; no other change does.
  uint64_t version() const { return version_; }
  uint64_t membership() const { return membership_; }
  uint64_t order_membership() const { return order_->membership; }  // as of the last refresh
  // Identifies the ids of labels, taint sets and resources: in two views with the same number they
  // have the same meaning, because the latest change of any of them drew a unique number.
  uint64_t ids_epoch() const {
    return std::max({labels_.epoch(), taints_.epoch(), columns_.epoch()});
  }
  // The number of ids, of which some may be unused.
  size_t id_count() const {
    return labels_.size() + taints_.size() + images_.size() + claim_uses_.size() +
           group_uses_.size();
  }

 protected:
  struct Publish {};  // see State
  explicit View(NodeOrder order) : order_mode_(order) {}
  View(View& from, Publish);
  View(const View&) = default;
  View& operator=(const View&) = default;
  ~View() = default;

  const Pod& bound(const Pod& pod) const;

  IdPool<Row, 4> rows_;
  IdPool<Slot, 32> slots_;
  SmallIdTable row_ids_, pod_ids_;
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
  ObjectUses claim_uses_;  // by persistentVolumeClaim volumes of pods on existing nodes
  ObjectUses group_uses_;
  Whole<NominatedPods> nominated_;
  ChangeLog log_;
  PodAccounting accounting_;
  bool accounts_otherwise_ = false;  // than the default
  NodeOrder order_mode_;
  uint64_t version_ = 1;
  uint64_t membership_ = 0;
  BoundPods bound_pods_;
};

}  // namespace libsched
