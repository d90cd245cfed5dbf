// Sim: a cluster for questions that are asked again and again, on contents of a catalog.
//
// Pods are unnamed, but for those whose claims name them, and nodes are rows; ids add a generation
// to a row's or slot's number, so that one that is gone is recognised. Every change happens
// completely or not at all. A revert restores ids and the order of nodes. For one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libsched/run/evaluator.hpp"
#include "libsched/scheduler/sim/catalog.hpp"
#include "libsched/scheduler/sim/verdict_texts.hpp"

namespace libsched {

// How far a pod came. The numbers are part of the C API.
enum class SimStage : uint8_t {
  kPassed = 0,
  kPreFilterRejected = 1,
  kPreFilterExcluded = 2,
  kFilterRejected = 3,
  kNoNode = 4,
};
struct SimVerdict {
  SimStage stage = SimStage::kPassed;
  Code code = Code::kSuccess;
  uint32_t texts = 0;  // Sim::texts(); 0: there are none

  bool passed() const { return stage == SimStage::kPassed; }
};

// A search begins behind the place of the last hit.
struct SimRing {
  size_t last = 0, offset = 0;
};
struct SimQuery {
  bool skip_unschedulable = false;
  bool place = false;  // of first(): put the pod there
  size_t start = 0, count = 0;
  SimRing* ring = nullptr;  // null: `start`
  Span<uint64_t> order;     // ids of nodes
  bool order_given = false;
  Span<uint64_t> accept;  // bitmap over the indexes of ids
  bool accept_given = false;
  Span<uint64_t> without;  // ids of pods that are not there for this question
  Span<uint64_t> plugins;  // bitmap over Framework::plugins(): those that are asked
  bool plugins_given = false;
  Limits limits;
};
struct SimHit {
  uint64_t node = 0;  // 0: none
  uint64_t pod = 0;
  size_t position = 0;
};
struct SimPlaceOptions {
  bool stop_at_failure = false;
  bool retry_failed = false;
  // Pods of higher priority come first. Of one priority those whose hint takes them come first,
  // though its node is unschedulable; a failure ends this priority alone. A pod is passed over only
  // if it has a controller, no DaemonSet, besides content that has failed.
  bool as_autoscaler = false;
  const uint64_t* hints = nullptr;
};
struct SimPlaced {
  size_t placed = 0;
  bool ended = false;  // by the limits
};

struct SimGroup {
  uint64_t pod = 0;
  size_t count = 0;
};
enum class SimStop : uint32_t { kNone = 0, kNodes = 1, kDeadline = 2, kPermit = 3 };
struct SimPackOptions {
  bool keep_order = false, existing_too = false;
  Str prefix;
  size_t max_nodes = 0;  // 0: any number
  Span<uint64_t> node_pods;
  Str objects_of;  // new nodes get copies of the objects of the node of this name; empty: of none
  bool (*permit)(void*) = nullptr;
  void* user_data = nullptr;
  SimRing* ring = nullptr;
  Limits limits;
};
struct SimPacking {
  static constexpr int32_t kNone = -1, kOnOther = -2;

  std::vector<uint64_t> nodes;
  std::vector<int32_t> on_node;   // by pod, in the order of the groups as they were given
  std::vector<uint64_t> pod_ids;  // likewise; 0: none
  size_t placed = 0;
  SimStop stop = SimStop::kNone;
};

struct SimRemoveOptions {
  bool keep = false;
  bool as_autoscaler = false;  // as in SimPlaceOptions
  uint64_t ghost = 0;
  const uint64_t* hints = nullptr;
};

class Sim final : public RefCounted {
 public:
  // Errors: kLimit (255 plugins or more).
  static Result<Ref<Sim>> create(FrameworkRef framework, Ref<Catalog> catalog);

  // --- changes (sim.cpp). Errors: kStale, kExists, kInvalid, kLimit ---
  struct Reset {
    Span<uint64_t> nodes;
    const Str* names = nullptr;  // of each node
    Span<uint64_t> pods;
    const uint32_t* on_node = nullptr;  // of each pod: index of a node
    uint64_t* node_ids = nullptr;
    uint64_t* pod_ids = nullptr;
    const ObjectSet* objects = nullptr;  // other objects of these are put, too
  };
  Result<void> reset(const Reset& to);
  Result<void> load(const ObjectSet& objects);
  Result<void> add_nodes(uint64_t like, Span<Str> names, uint64_t* ids);
  Result<void> remove_node(uint64_t node);
  Result<void> replace_node(uint64_t node, uint64_t like);
  Result<void> add_pods(Span<uint64_t> pods, const uint64_t* nodes, uint64_t* ids);
  Result<void> remove_pods(Span<uint64_t> ids);
  // The same, and takes back what their placing has taken: claims lose the pod and their devices.
  Result<void> unplace_pods(Span<uint64_t> ids);
  Result<void> put_objects(const ObjectSet& objects);
  Result<void> reset_objects(const ObjectSet& objects);  // the others are removed
  Result<void> remove_object(StoredKind kind, Str ns, Str name);
  Result<void> fork();
  Result<void> commit();
  Result<void> revert();
  size_t fork_depth() const { return marks_.size(); }

  // --- reading ---
  const View& view() const { return cluster_->view(); }
  const Framework& framework() const { return evaluator_->framework(); }
  const VerdictTexts& texts() const { return texts_; }
  Span<uint32_t> order() const { return order_; }  // rows
  bool has_node(uint64_t id) const {
    return generation_of(id) != 0 && index_of(id) < nodes_.size() &&
           nodes_[index_of(id)].generation == generation_of(id);
  }
  bool has_pod(uint64_t id) const {
    return generation_of(id) != 0 && index_of(id) < pods_.size() &&
           pods_[index_of(id)].generation == generation_of(id);
  }
  uint64_t node_id(uint32_t row) const { return make_id(row, nodes_[row].generation); }
  uint64_t pod_id(uint32_t slot) const { return make_id(slot, pods_[slot].generation); }
  uint64_t node_ref(uint64_t id) const { return has_node(id) ? nodes_[index_of(id)].ref : 0; }
  uint64_t pod_ref(uint64_t id) const { return has_pod(id) ? pods_[index_of(id)].ref : 0; }
  uint64_t pod_node(uint64_t id) const {
    return has_pod(id) ? node_id(view().slot(index_of(id)).row) : 0;
  }
  uint64_t find_node(Str name) const {
    const uint32_t row = view().find_node(name);
    return row == kNoId ? 0 : node_id(row);
  }
  size_t position(uint64_t id) const;  // SIZE_MAX: a stale id

  // --- questions (questions.cpp). Errors: kStale, kUnsupported, those of limits ---
  Result<SimVerdict> check(uint64_t pod, uint64_t node, const SimQuery& query);
  Result<SimHit> first(uint64_t pod, const SimQuery& query, SimVerdict* verdict);
  // At least view().word_count() words; returns how many nodes pass.
  Result<size_t> feasible(uint64_t pod, const SimQuery& query, uint64_t* bits, size_t words);
  // pods.size() * nodes.size() numbers: 0, or 1 + the index of the plugin that rejects first.
  Result<void> check_many(Span<uint64_t> pods, Span<uint64_t> nodes, const SimQuery& query,
                          uint8_t* out);
  // How many copies of the pod, at most `max`, fit on each node while there are none on others.
  Result<void> copies(uint64_t pod, Span<uint64_t> nodes, size_t max, const SimQuery& query,
                      size_t* out);
  Result<Ref<const Decision>> explain(uint64_t pod, uint64_t node);  // 0: all nodes
  // --- many placements (place_many.cpp, removal.cpp, bin_pack.cpp) ---
  Result<SimPlaced> place_many(Span<uint64_t> pods, const SimQuery& query,
                               const SimPlaceOptions& options, SimHit* hits);
  Result<bool> remove(uint64_t node, Span<uint64_t> move, const SimQuery& query,
                      const SimRemoveOptions& options, SimHit* hits);
  // Leaves a fork open. The result is valid until the next call.
  Result<const SimPacking*> bin_pack(Span<SimGroup> groups, uint64_t like,
                                     const SimPackOptions& options);

 private:
  Sim(FrameworkRef framework, Ref<Catalog> catalog);

  struct NodeEntry {
    uint32_t generation = 0;  // 0: there is no node
    uint64_t ref = 0;
  };
  struct PodEntry {
    uint32_t generation = 0;  // 0: there is no pod
    uint32_t moved_in = 0;    // the latest call of remove() that was given it
    uint64_t ref = 0;
  };
  enum class Kind : uint8_t { kNodeAdded, kNodeRemoved, kNodeReplaced, kPodsAdded, kPodRemoved };
  struct Undo {
    Kind kind;
    uint32_t index, generation = 0;
    // kNodeRemoved: its place in order_; kPodsAdded: how many there are, from `index` on.
    uint32_t number = 0;
    uint64_t ref = 0;
  };
  class Change;

  // What is known of a pod's content in the present state.
  struct Known {
    Ref<const PodContent> content;
    uint64_t ref = 0;
    Ref<CycleState> state;
    uint64_t version = 0;      // of the view for which the state and pre_filter hold; 0: of none
    ChangeLog::Cursor cursor;  // in the log of that version
    Status pre_filter;
    ChangeKinds concerns = kAllChanges;  // see PreFiltered
    uint64_t failed_in = 0;              // the latest call in which it found no node
    // In that call of bin_pack(): the version of the view in which no node took it, and its size.
    uint64_t failed_at = 0;
    uint64_t sized_in = 0;
    double size = 0;

    const Pod& pod() const { return *content->pod; }
    // No two have one at a time, so that none share data that is renewed. It is that of the index,
    // so that what is kept by class does not grow with the contents that come and go.
    uint64_t class_number() const { return uint64_t{index_of(ref)} + 1; }
  };

  // Steps of changes, inside of a Change.
  Result<uint32_t> put_node(const Ref<const NodeContent>& like, uint64_t ref, Str name);
  Result<void> drop_node(uint32_t row);  // with its pods
  Result<void> change_node(uint32_t row, const Ref<const NodeContent>& like, uint64_t ref);
  Result<uint32_t> put_pod(const PodRef& pod, uint64_t ref, uint32_t row);
  // Puts a pod onto a row that has just taken it; claims get their devices. Errors: kPlugin too.
  Result<uint32_t> place_pod(Known* known, uint32_t row);
  std::string extended_claim_name(uint32_t slot) const;
  Result<void> rename_extended_claim(const Pod& pod, uint32_t slot);
  Result<void> drop_pods(Span<uint64_t> ids, bool unplace);
  // Pods of these references, number i onto row_of(i); an error about a reference names its index.
  // They come in pieces, so that the lists below stay small however many pods a change has. An
  // error leaves the pieces before it in place, for the caller's Change to undo.
  template <typename RowOf>
  Result<void> put_pods(Span<uint64_t> refs, uint64_t* ids, RowOf row_of);
  Result<void> drop_pod(uint32_t slot);
  void undo_to(size_t mark) noexcept;
  size_t place_of(uint32_t row) const;  // in order_

  Result<Ref<const NodeContent>> node_content(uint64_t ref) const;
  Result<Known*> know(uint64_t ref);
  void forget(std::unique_ptr<Known>* known);
  void forget_unasked();
  // The same once so much has become known since that it pays. For the beginning of a call alone:
  // it invalidates what know() has returned.
  void forget_unasked_if_many() {
    constexpr size_t kMany = 4096;
    if (made_ >= kMany && ForeignCall::depth() == 0) [[unlikely]]  // else a plugin is asked
      forget_unasked();
  }
  // Null: it is not known yet, or its content is forgotten.
  Known* find_known(uint64_t ref) const {
    const uint32_t index = index_of(ref);
    if (index >= known_.size() || !catalog_->pods().has(ref)) return nullptr;
    Known* const known = known_[index].get();
    return known != nullptr && known->ref == ref ? known : nullptr;
  }
  // Asks with the rest of the query while the pods that it leaves out are gone.
  template <typename Ask>
  auto without(const SimQuery& query, Ask ask) -> decltype(ask(query));
  // Asks with the rest of the query while plugins are left out.
  template <typename Ask>
  auto of_plugins(const SimQuery& query, Ask ask) -> decltype(ask(query));
  bool stands(Known* known) const;
  Result<void> ready(Known* known, const Limits& limits);
  Result<SimVerdict> judge(Known* known, uint32_t row, Status* status);
  Result<SimVerdict> ask(Known* known, uint32_t row, const Limits& limits);
  // What a query means in the present state; `rows` holds a given order.
  Result<SearchOptions> search_of(const SimQuery& query, std::vector<uint32_t>* rows) const;
  Result<SimHit> find(Known* known, SearchOptions search, SimRing* ring, bool place);
  // Places pods in a Change, and leaves their places in hits_. `besides`: a row that takes none
  // (kNoId: any may).
  Result<SimPlaced> place_all(Span<uint64_t> pods, const SimQuery& query,
                              const SimPlaceOptions& options, uint32_t besides);
  struct Placing;
  Result<void> place_by_hint(Placing& placing, Known* known, uint64_t node, SimHit* hit);
  bool passed_over(const Placing& placing, const Known& known) const;
  Result<void> place_anywhere(Placing& placing, Known* known, SimHit* hit);
  template <typename Step>
  Result<bool> place_one(Placing& placing, uint64_t pod, bool hinted, Step step);
  class Packer;

  Ref<Catalog> catalog_;
  Ref<Cluster> cluster_;
  Ref<Evaluator> evaluator_;
  std::vector<NodeEntry> nodes_;  // by row
  std::vector<PodEntry> pods_;    // by slot
  uint32_t next_generation_ = first_generation();
  std::vector<uint32_t> order_;              // rows, as they were added
  mutable std::vector<uint32_t> positions_;  // by row, of order_
  mutable bool positions_hold_ = true;
  std::vector<Undo> undo_;
  std::vector<size_t> marks_;                  // of forks, in undo_
  std::vector<std::unique_ptr<Known>> known_;  // by the index of the reference
  size_t made_ = 0;                            // since forget_unasked()
  uint64_t forgot_at_ = 0;                     // the version of the view then
  // Stands in for known_ while plugins are left out: nothing is kept for another question.
  std::vector<std::unique_ptr<Known>> known_apart_;
  std::vector<bool> left_out_;  // by plugin
  bool leaves_out_ = false;
  uint32_t asked_at_ = 0;  // the depth of foreign calls of such a question
  uint64_t calls_ = 0;     // of place_many() and bin_pack()
  uint32_t removals_ = 0;  // calls of remove()
  VerdictTexts texts_;
  std::vector<const Pod*> pods_put_;  // of a piece of put_pods()
  std::vector<uint32_t> rows_put_;
  std::vector<uint32_t> slots_put_;
  std::vector<SimHit> hits_;      // of place_all()
  std::vector<uint32_t> rows_;    // of a given order
  std::vector<uint64_t> accept_;  // of a search that leaves out rows
  SimPacking packing_;
};

}  // namespace libsched
