// Journal: the changes since a mark, as inverse operations on a State.
//
// fork = mark, revert = undo to the mark, commit = drop the mark. An entry is 16 bytes plus the
// objects to restore (a node, a pod, an order list), which are kept on a stack per kind. Costs
// nothing while no mark is open.
//
// Room for an entry is made before the change, and each change happens completely or not at all: if
// memory runs out, a revert still finds every change recorded. Reverting does not allocate.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libsched/cluster/state.hpp"

namespace libsched {

class Journal {
 public:
  explicit Journal(State* state) : state_(state) {}
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  size_t depth() const { return marks_.size(); }
  void mark();
  // Whether anything has been changed since the last mark.
  bool changed() const { return ops_.size() != marks_.back().ops; }
  void commit() noexcept;
  void revert() noexcept;

  // The changes of State, recorded while a mark is open.
  uint32_t acquire_row(Str name, uint64_t hash);
  void release_row(uint32_t r);
  // `changes`: the changes of the row's node, for the log.
  void attach_node(uint32_t r, NodeRef node, ChangeKinds changes);
  void detach_node(uint32_t r, ChangeKinds changes);
  void tree_add(uint32_t r);
  void tree_remove(uint32_t r);
  uint32_t add_pod(PodRef&& pod, uint32_t r, bool assumed = false);  // its slot
  void remove_pod(uint32_t s);
  // ObjectStore::replace: puts, assumes, restores, or (null) erases.
  void put_object(StoredKind kind, Str ns, Str name, ObjectStore::Entry entry);
  void set_assumed(uint32_t s, bool assumed);
  // A pending pod that the API server has nominated to a node, and one that is no such pod any
  // more.
  void nominate(PodRef pod);
  void withdraw(const Pod& nominated);
  void set_accounting(const PodAccounting& accounting);
  // The node of the row leaves, and with it what its pods use of claims (ObjectUses::lose()).
  void lose_claims(uint32_t r);
  // Freezes the images of stale rows, and replaces the order list if one is given; `listed`: it was
  // made of the tree. If memory runs out, nothing happens.
  void refresh(View::Order* order, bool listed);

 private:
  enum class Kind : uint8_t {
    kAcquireRow,
    kReleaseRow,
    kAttachNode,
    kDetachNode,
    kTreeAdd,
    kTreeRemove,
    kAddPod,
    kRemovePod,
    kAddPorts,
    kRemovePorts,
    kObject,
    kAssumed,
    kOrder,
    kLostClaims,
    kClaimSums,
    kImages,
    kNominate,
    kWithdraw,
    kAccounting,
  };
  struct Op {
    Kind kind;
    // By operation: from the tail, had images, was assumed, other numbers, alone in its zone.
    bool flag = false;
    bool touched = false;
    uint32_t a = 0, b = 0, c = 0;
  };
  static_assert(sizeof(Op) == 16);
  struct Mark {
    size_t ops;
    uint64_t version, membership, latest_id;
    uint64_t held;  // held_ at the mark
    uint64_t log;   // ChangeLog::mark()
  };
  struct NamedRow {
    std::string name;
    uint64_t hash;
  };
  struct TreeRemoval {
    std::string zone;
    NodeTree::Removed removed;
  };

  struct LostClaim {
    uint32_t id, lost;
  };
  struct ObjectChange {
    ObjectRef named;  // has the namespace and name
    ObjectStore::Replaced old;
    uint64_t stamp;
  };

  bool recording() const { return !marks_.empty(); }
  // Makes room for one entry and its object.
  template <typename... Stack>
  void reserve(Stack&... stacks) {
    if (!recording()) return;
    reserve_more(ops_, 1);
    (reserve_more(stacks, 1), ...);
  }
  void add_ports(uint32_t r, const PodRef& pod);
  void remove_ports(uint32_t r, const Pod& pod);
  void begin_claim_sums() noexcept;
  void undo(const Op& op) noexcept;
  void undo_add_pod(const Op& op) noexcept;
  // Every change and every undo is logged.
  void log(uint32_t row, ChangeKinds changes) {
    if (changes != 0) state_->log().append(row, changes);
  }
  // Reclaims unused ids, except those that existed at the last mark and those that an undo may
  // need, so that an undo restores ids exactly.
  void collect_ids() noexcept;
  void clear() noexcept;

  State* state_;
  std::vector<Mark> marks_;
  uint64_t held_ = 0;  // State::latest_id() at the latest removal of a node or pod
  std::vector<Op> ops_;
  std::vector<NodeRef> nodes_;
  std::vector<PodRef> pods_;
  std::vector<NamedRow> rows_;
  std::vector<TreeRemoval> trees_;
  std::vector<UsedPorts::Removed> ports_;
  std::vector<ObjectChange> objects_;
  std::vector<View::Order> orders_;
  std::vector<std::vector<Images::Saved>> images_;
  std::vector<uint32_t> image_numbers_;
  std::vector<PodAccounting> accountings_;
  std::vector<LostClaim> lost_;
};

}  // namespace libsched
