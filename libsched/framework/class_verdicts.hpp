// ClassVerdicts: the nodes that each Filter plugin accepts for the pods of a class, as of a place
// in the view's change log.
//
// The plugins declare what they read (dependencies.hpp). A plugin whose declaration names no change
// since the last time keeps its verdicts, but for the rows that the log names: those are judged
// again. A plugin is kept only from the second time on, so a class that never comes back costs the
// declarations alone. A plugin that declares nothing, or whose answers are Errors, is not kept.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "libsched/base/result.hpp"
#include "libsched/framework/workspace.hpp"

namespace libsched {

// The changes that a log reports since a cursor.
class LoggedChanges {
 public:
  bool known = false;   // false: anything may have changed
  ChangeKinds all = 0;  // of any row, or of none

  // Of the rows of a view of so many words.
  void read(const ChangeLog& log, const ChangeLog::Cursor& since, size_t words);
  // Sets the bits of the rows whose answers may have changed. Returns false, without changing
  // `bits`, if there are no such rows.
  bool hit(const Reads& reads, std::vector<uint64_t>* bits) const;

 private:
  // Rows whose changes are of these kinds, as bits. A pod that is assumed and then confirmed gives
  // two entries of one group: `key` is `kinds` without the confirmation.
  struct Rows {
    ChangeKinds key = 0, kinds = 0;
    std::vector<uint64_t> bits;
  };
  // A few kinds are what occurs between two pods of a class. If more occur, the last of these has
  // all others, which may say too much of a row.
  static constexpr size_t kGroups = 8;

  Rows& group(ChangeKinds key);

  size_t words_ = 0, used_ = 0;
  std::array<Rows, kGroups> groups_;
};

class ClassVerdicts {
 public:
  // Brings the verdicts up to date, and points FilterStep::accepted of the steps that are kept to
  // them; they stay there until the next call. `work` holds the steps of a pass that was made for
  // the pod. After an error or an exception the object must be made anew.
  Result<void> follow(const Framework& framework, const FilterCall& call,
                      const LoggedChanges& changes, Workspace* work);
  // Returns the difference from the plugins' present answers as an Error that names the plugin.
  Result<void> compare(const Framework& framework, const FilterCall& call,
                       std::span<const FilterStep> steps) const;
  size_t bytes() const;

 private:
  struct Kept {
    bool declared = false;  // `reads` holds since the last time
    bool whole = false;     // `accepted` does
    Reads reads;
    std::vector<uint64_t> accepted;
  };

  static Result<bool> judge(const FilterStep& step, const FilterCall& call, Workspace* work,
                            Kept* kept);

  std::vector<Kept> kept_;  // in the order of the Filter plugins
};

}  // namespace libsched
