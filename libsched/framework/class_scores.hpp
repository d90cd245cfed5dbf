// ClassScores: what the Score plugins give the nodes for the pods of a class, as of a place in the
// view's change log, and the best of them by blocks of 64 rows.
//
// Kept are the weighted sum of the plugins that do not normalise, the raw scores of those that do,
// and the totals. A node is scored when it is feasible and its scores are not there, so only nodes
// that changed, or became feasible, are scored again. Totals stand as long as the range of the
// feasible nodes' raw scores stays what it is (Plugin::normalizes_by_range). After a change of k
// rows the best node is found by looking through the blocks of these rows and the best of the
// others.
//
// The object holds numbers alone; ScorePass::score_kept() asks the plugins.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libsched/base/line_vector.hpp"
#include "libsched/framework/class_verdicts.hpp"
#include "libsched/framework/node_places.hpp"

namespace libsched {

class ClassScores {
 public:
  // Forgets what the changes concern.
  void follow(const LoggedChanges& changes);
  size_t bytes() const;

  // --- for ScorePass ---
  // Whether these plugins, by their place among the Score plugins, were asked last time, too, and
  // nothing has changed since that concerns all nodes. If not, begin() notes what they read.
  bool follows(std::span<const uint32_t> asked) const;
  void begin(const Framework& framework, const View& view, const Pod& pod,
             std::span<const uint32_t> asked);
  bool useful() const { return useful_; }  // scores of these plugins can be kept
  // Nothing is kept until begin(): an answer is of no use, or work stops half-way.
  void forget() { declared_ = false; }

  // While rows are scored again the object counts as forgotten.
  void open(size_t words);
  void close() { declared_ = true; }
  // Writes the rows of `set` without scores to `out`, and returns their number.
  size_t missing(std::span<const uint64_t> set, std::vector<uint64_t>* out) const;
  // Sets the raw scores of a plugin that normalises, for the rows of `set`. Returns false if they
  // are too large.
  bool take_raw(uint32_t plugin, const ScoreSet& set, const Scored& scored, const int64_t* column);
  // `sums` (null: zero everywhere) and `constant` of the plugins that do not.
  void take_sums(const ScoreSet& set, const int64_t* sums, int64_t constant);

  // A plugin that normalises, and its raw scores.
  struct Raw {
    uint32_t plugin = 0;
    bool uniform = true, known = false;  // every row has `value`; which is known
    int64_t value = 0;
    std::vector<int32_t> scores;  // unless `uniform`
    // Of the latest set: the range, and rows at its ends; kNoId: not known.
    int32_t min = 0, max = 0;
    uint32_t min_row = kNoId, max_row = kNoId;
  };
  std::span<const Raw> raws() const { return raws_; }
  bool varied() const;  // a plugin that normalises gives different scores
  // Replaces the set. `scored` has the rows that have just got scores, and gets the rows that are
  // new in the set.
  void take_set(const ScoreSet& set, std::vector<uint64_t>* scored);
  // The rows of the set whose totals do not stand, and for each plugin that gives different scores
  // those at the ends of its range; 0: all totals stand.
  size_t unsummed(std::vector<uint64_t>* out) const;
  // The totals of these rows are what take_sums() said plus `normalized`.
  void take_totals(const std::vector<uint64_t>& rows, const int64_t* normalized);

  // The totals of every row of the set, without the part that is the same for all.
  const int32_t* totals() const { return varied() ? totals_.data() : sums_.data(); }
  struct Best {
    int32_t total = 0;
    size_t ties = 0;
    uint32_t first = kNoId;  // of these in the heap that is ranked, its rank
  };
  Best best(const ScoreSet& set, const NodePlaces& places);
  // The first of the best rows in upstream's heap over the set, which has no other order than the
  // view's.
  uint32_t first_in_heap(const ScoreSet& set, const Best& best, const NodePlaces& places);

 private:
  void look_through(size_t word, const uint32_t* ranks);
  bool range_stands(const Raw& raw, std::span<const uint64_t> scored) const;
  void widen_range(Raw* raw, std::span<const uint64_t> rows) const;
  void number(const NodePlaces& places);
  void rank_set(const NodePlaces& places);

  bool declared_ = false, useful_ = false;
  Reads reads_;  // of all plugins that are asked
  std::vector<uint32_t> asked_;
  std::vector<Raw> raws_;

  std::vector<uint64_t> scored_;       // rows whose raw scores stand
  std::vector<uint64_t> summed_;       // rows whose totals_ stand
  std::vector<uint64_t> set_;          // the latest set
  LineVector<int32_t> sums_, totals_;  // totals_: only if varied()

  std::vector<uint64_t> stale_;  // words, as bits, whose blocks are to be looked through
  std::vector<int32_t> block_best_;
  std::vector<uint32_t> block_ties_, block_first_;
  uint64_t ranked_ = 0;  // the order of the nodes that block_first_ is about
  // The heap over the set, once this has stayed the same for a while: by row, and by rank.
  size_t same_set_ = 0;
  bool own_ranks_ = false;
  std::vector<uint32_t> set_ranks_, set_by_rank_;

  uint64_t order_ = 0;            // 0: set_at_ is not made
  std::vector<uint64_t> set_at_;  // places of the set in this order
  std::vector<uint32_t> before_;  // how many of them are before each word
};

}  // namespace libsched
