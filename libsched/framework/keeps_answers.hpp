// KeepsAnswers: what a plugin may offer to the memory of classes (kept/), so that the next pod of a
// class does not ask it about every node. Without it a plugin is asked each time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libsched/framework/call.hpp"
#include "libsched/framework/cycle_state.hpp"
#include "libsched/framework/dependencies.hpp"
#include "libsched/framework/scoring.hpp"

namespace libsched {

// All scores of the next pod of a class (KeepsAnswers::rescore).
struct RescoreCall : Call {
  const Pod& pod;
  const ScoreSet& set;  // without `errors`
  PluginData* data;     // PreScore's; may be null
  // Both null: the plugin does not score the pod.
  int32_t* scratch;  // for 64 * set.words numbers
  uint8_t* scores;   // by row, as many
};

class KeepsAnswers {
 public:
  // The changes that affect the answers about this pod: those at PreFilter and Filter, and at
  // PreScore and Score. Applies to any copy of the pod of the same class, as long as no node has a
  // change that the declaration names in `any`. Without a declaration: any change.
  virtual Dependencies depends_on(const View&, const Pod&) const {
    return Dependencies::everything();
  }

  // Brings the data of pre_filter() up to date for another pod of the class. Since the data was
  // made or renewed, only pods have come to or left these rows; the data may be released
  // (PluginData::release). Returns whose verdicts may differ from those before: of no row, of some
  // of these rows, which are added to `hit`, or of any; or that PreFilter has to be asked.
  enum class Renewed : uint8_t { kNo, kSame, kRows, kAll };
  virtual Renewed renew(const Call&, const Pod&, std::span<const uint32_t>, PluginData*,
                        std::vector<uint32_t>* /*hit*/) const {
    return Renewed::kNo;
  }

  // PreScore, Score and NormalizeScore in one, for another pod of the class. Since PreScore's data
  // was made or this was called last, only pods have come to or left nodes, and other nodes may
  // have become feasible; the data may be released (PluginData::release). Brings the data up to
  // date. Returns that all scores are as before, that it has written them for every row of the set,
  // or that PreScore has to be asked. A plugin that can do this has no uniform scores. Without
  // `scores`: whether PreScore would skip the pod (kSame).
  enum class Rescored : uint8_t { kNo, kSame, kAll };
  virtual Rescored rescore(const RescoreCall&) const { return Rescored::kNo; }

 protected:
  ~KeepsAnswers() = default;
};

}  // namespace libsched
