// Tables: counts of existing pods that State keeps up to date, for spread and (anti-)affinity.
//
// For each pod, make a CountKey (namespaces resolved to names, selectors present and valid), then
// query
//   CountsRef counts = view.tables().counts(view, key);       // pods per row
//   TopologyRef zone = view.tables().topology(view, "zone");  // domain per row, -1: none
//   SumsRef sums = view.tables().sums(counts, zone, eligible);  // pods per domain
// The first query of each reads all pods or rows; afterwards every change and every undo updates
// them. Returned values never change: a later change copies them first, so release them soon. Sums
// are meaningful only together with a column of the same stamp.
//
// Threads: any number of threads may query a snapshot; only its writer may query a cluster. A
// snapshot has all values of the cluster, and shares those that have not changed since the previous
// snapshot. Above the limit of bytes the least recently used ones are dropped.
#pragma once

#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libsched/base/mutex.hpp"
#include "libsched/cluster/count_table.hpp"
#include "libsched/cluster/cow.hpp"
#include "libsched/cluster/pod_label_sets.hpp"
#include "libsched/cluster/rule_index.hpp"
#include "libsched/cluster/topology_column.hpp"

namespace libsched {

class View;

using CountsRef = Cow<CountTable>;
using TopologyRef = Cow<TopologyColumn>;
using SumsRef = Cow<DomainSums>;

class Tables {
 public:
  static constexpr size_t kDefaultLimit = size_t{64} << 20;

  Tables() = default;
  Tables(const Tables& o);
  Tables& operator=(const Tables& o);
  // A snapshot's, which no change follows.
  struct Publish {};
  Tables(Tables& o, Publish);

  // --- queries ---
  TopologyRef topology(const View& state, Str key) const;
  CountsRef counts(const View& state, const CountKey& key) const;
  // Counts that a query has returned, and sums of them.
  struct Known {
    uint32_t place = kNoId;         // of the counts; kNoId: there are none
    uint64_t serial = 0, sums = 0;  // of the counts and the sums; 0: no sums are wanted
  };
  struct Values {
    CountsRef counts;
    SumsRef sums;  // empty, too, if they are not kept any more
  };
  // Sets out[i] to the values of known[i] as they are now. Returns false if some of the counts are
  // not kept any more. In a snapshot any thread may call it; in a cluster only the writer, and
  // while no other thread asks for it, so that nothing needs to be locked.
  bool current(std::span<const Known> known, Values* out) const;
  // Sums over the rows of `eligible` (whole words; rows without a domain are ignored).
  SumsRef sums(const CountsRef& counts, const TopologyRef& topology, Span<uint64_t> eligible) const;
  void set_limit(size_t bytes) const;
  size_t bytes() const;         // of the kept values
  size_t count_tables() const;  // the number of kept tables
  // The total number of checks whether a table counts a changed pod.
  uint64_t judged() const { return judged_; }

  // Before the pod is put on the row: brings into the cache what counting it changes. For the
  // cluster's writer; does nothing in a snapshot.
  void fetch(const Pod& pod, uint32_t row) const {
    if (!follows_ || !counting_) return;
    const std::vector<uint32_t>* const tables = sets_.known_tables(pod);
    if (tables == nullptr) return;
    for (const uint32_t i : *tables) {
      prefetch_to_write(&tables_[i].counts->rows[row]);
      for (const Sums& s : tables_[i].sums) {
        const TopologyRef& column = topologies_[s.topology].column;
        if (!column || column->stamp != s.sums->stamp) continue;
        if (const int32_t d = column->domain[row]; d != TopologyColumn::kNone)
          prefetch_to_write(&s.sums->sum[static_cast<size_t>(d)]);
      }
    }
  }

  // --- called by State ---
  // None of these fails: values that run out of memory are dropped and made again for the next
  // query.
  void reserve_rows(size_t capacity) noexcept {
    if (topologies_in_use_ || counting_) or_drop([&] { add_rows(capacity); });
  }
  // Called after the row gets the node's labels, and before it loses them.
  void attach_node(uint32_t row, Labels labels, const LabelIndex& index) noexcept {
    if (topologies_in_use_) or_drop([&] { add_node(row, labels, index); });
  }
  void detach_node(uint32_t row, Labels labels) noexcept {
    if (topologies_in_use_) or_drop([&] { remove_node(row, labels); });
  }
  void attach_pod(uint32_t slot, const Pod& pod, uint32_t row) noexcept {
    if (counting_) or_drop([&] { add_pod(slot, pod, row); });
  }
  void detach_pod(uint32_t slot, uint32_t row) noexcept {
    if (counting_) or_drop([&] { remove_pod(slot, row); });
  }

 private:
  static constexpr size_t kSumsPerTable = 8;

  struct Topology {
    TopologyRef column;  // empty: a free place
    uint64_t used = 0;
    TopologyRef mirror = {};  // for snapshots: as of the latest one
    bool own = true;
  };
  struct Sums {
    SumsRef sums;
    uint32_t topology = 0;  // place in topologies_
    uint64_t used = 0;
    SumsRef mirror = {};   // for snapshots: as of the latest one
    bool changed = false;  // since then
    bool own = true;
  };
  // The parts of a table that never change.
  struct Asked {
    Asked(const CountKey& key, std::string t, uint64_t h)
        : rule(key), text(std::move(t)), hash(h) {}

    CountRule rule;
    std::string text;
    uint64_t hash;
    RuleIndex::Places places = {};  // in index_
  };
  struct Table {
    std::shared_ptr<const Asked> asked;  // null: a free place
    CountsRef counts;
    std::vector<Sums> sums = {};
    uint64_t used = 0;
    CountsRef mirror = {};  // for snapshots: as of the latest one
    bool own = true;

    size_t bytes() const;
  };

  // For what is about to be handed out. A snapshot has it in common with others until then (`own`
  // is false): they would wait for each other to count references.
  template <typename Value>
  static auto lend(Value& value, bool& own) {
    if (!own) value = Value(*value);
    own = true;
    return value;
  }
  // After running out of memory, partial values are dropped with all others.
  template <typename F>
  void or_drop(F&& f) noexcept {
    try {
      f();
    } catch (const std::bad_alloc&) {
      drop();
    }
  }
  template <typename F>
  auto or_drop_and_throw(F&& f) const {
    try {
      return f();
    } catch (const std::bad_alloc&) {
      drop();
      throw;
    }
  }
  void drop() const noexcept;
  void add_rows(size_t capacity);
  void add_node(uint32_t row, Labels labels, const LabelIndex& index);
  void remove_node(uint32_t row, Labels labels);
  template <typename F>
  void for_each_topology(Labels labels, F&& f);
  void add_pod(uint32_t slot, const Pod& pod, uint32_t row);
  void remove_pod(uint32_t slot, uint32_t row);
  void count(const std::vector<uint32_t>& tables, uint32_t row, int32_t delta);

  // Call with the mutex held.
  uint32_t find_topology(Str key) const { return find_topology(key, hash_str(key)); }
  uint32_t find_topology(Str key, uint64_t hash) const;
  void track(const View& state) const;
  uint32_t make_table(const View& state, const CountKey& key, std::string text,
                      uint64_t hash) const;
  void shrink(const Table* keep_table, const Topology* keep_topology) const;

  // Filled while other threads read the state: guarded by mutex_ in queries but current(), and by
  // the rule that no thread queries while the writer changes the state.
  mutable Mutex mutex_;
  mutable std::vector<Topology> topologies_;
  mutable std::vector<Table> tables_;
  mutable std::vector<uint32_t> free_topologies_, free_tables_;
  mutable IdTable topology_ids_, table_ids_;
  mutable RuleIndex index_;
  mutable size_t bytes_ = 0;  // of topologies_ and tables_
  uint64_t judged_ = 0;
  mutable PodLabelSets sets_;
  mutable bool topologies_in_use_ = false;
  mutable bool counting_ = false;  // sets_ knows all pods
  bool follows_ = true;            // changes; false: a snapshot's
  mutable size_t limit_ = kDefaultLimit;
  mutable uint64_t clock_ = 0;
};

}  // namespace libsched
