// Journal: what has been changed since a mark, as inverse operations on a State.
//
// fork = mark, revert = undo to the mark, commit = drop the mark. An entry is 16 bytes plus what it
// must give back (a node, a pod, an order list), kept on stacks of its kind. Costs nothing while
// no mark is open.
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
  void commit();
  void revert();
  // Takes ids back that nobody uses, but none that was there when the last mark was made: whatever
  // is undone, ids are what they were. Commit and revert do so by themselves.
  void collect_ids() { state_->collect_ids(marks_.empty() ? 0 : marks_.back().ids_epoch); }

  // The changes of State, recorded while a mark is open.
  uint32_t acquire_row(Str name, uint64_t hash);
  void release_row(uint32_t r);
  void attach_node(uint32_t r, NodeRef node);
  void detach_node(uint32_t r);
  void tree_add(uint32_t r);
  void tree_remove(uint32_t r);
  uint32_t add_pod(PodRef pod, uint32_t r);  // its slot
  void remove_pod(uint32_t s);
  // ObjectStore::replace: puts, assumes, restores, or (null) erases.
  void put_object(StoredKind kind, Str ns, Str name, ObjectStore::Entry entry);
  void set_assumed(uint32_t s, bool assumed);
  void set_order(State::Order order);
  void freeze_images();  // of the rows that are stale

 private:
  enum class Kind : uint32_t {
    kAcquireRow,
    kReleaseRow,
    kAttachNode,
    kDetachNode,
    kTreeAdd,
    kTreeRemove,
    kAddPod,
    kRemovePod,
    kPorts,
    kObject,
    kAssumed,
    kOrder,
    kImages,
  };
  struct Op {
    Kind kind;
    uint32_t a = 0, b = 0, c = 0;
  };
  struct Mark {
    size_t ops;
    uint64_t version, membership, ids_epoch;
    size_t stale;  // where in stale_ the rows begin whose images were stale
  };
  struct NamedRow {
    std::string name;
    uint64_t hash;
  };
  struct TreeChange {
    std::string zone;
    NodeTree::Place place;
  };

  struct ObjectChange {
    ObjectRef named;  // has the namespace and name
    ObjectStore::Entry old;
    uint64_t stamp;
  };

  bool recording() const { return !marks_.empty(); }
  void undo(const Op& op);
  void clear();

  State* state_;
  std::vector<Mark> marks_;
  std::vector<Op> ops_;
  std::vector<NodeRef> nodes_;
  std::vector<PodRef> pods_;
  std::vector<NamedRow> rows_;
  std::vector<TreeChange> trees_;
  std::vector<std::vector<State::UsedPort>> ports_;
  std::vector<ObjectChange> objects_;
  std::vector<State::Order> orders_;
  std::vector<std::vector<Images::Saved>> images_;
  std::vector<uint32_t> image_numbers_;
  std::vector<uint64_t> stale_;
};

}  // namespace libsched
