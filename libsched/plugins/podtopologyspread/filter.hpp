// DoNotSchedule constraints: what PreFilter counts, and judging rows by it.
#pragma once

#include <array>
#include <limits>
#include <vector>

#include "libsched/plugins/podtopologyspread/constraints.hpp"

namespace libsched {

// One constraint, counted.
struct HardConstraint {
  SpreadConstraint constraint;
  TopologyRef column;
  CountsRef counts;  // both empty if the selector counts no pod
  SumsRef sums;
  std::vector<uint64_t> eligible;  // rows that count
  bool self = false;               // the pod matches its own selector
  // A domain with more pods than this has no room: maxSkew + the smallest count - self.
  int64_t most = 0;
  // After a change(): `sums` are no longer those of `counts`, and the smallest count is upstream's,
  // which follows two domains only. Where pods of several domains were changed it may be too big.
  bool changed = false;
  struct Path {
    int32_t domain = TopologyColumn::kNone;
    int64_t pods = std::numeric_limits<int32_t>::max();
  };
  std::array<Path, 2> paths;  // once changed; the first is the smaller

  void recount();
  // A pod that the selector matches comes to (1) or leaves (-1) an eligible row.
  void change(const View& view, uint32_t row, int32_t delta);
  int64_t pods_in(int32_t domain) const {
    return sums ? sums->sum[static_cast<size_t>(domain)] : 0;
  }

 private:
  void begin_changes(const View& view);
  void follow(int32_t domain, int64_t pods);
};

struct HardConstraints final : PluginData {
  std::vector<HardConstraint> list;

  std::shared_ptr<PluginData> clone() const override {
    return std::make_shared<HardConstraints>(*this);
  }
};

// `other` comes to (1) or leaves (-1) the row. Unlike when PreFilter counts, a terminating pod
// counts, and a selector without requirements matches (as upstream's).
void change_hard(const View& view, const Pod& pod, const Pod& other, uint32_t row, int32_t delta,
                 HardConstraints* data);

// Of the rows of the set, those in full domains or without a domain are rejected.
void judge(const View& view, const HardConstraint& c, const RowSet& set);

// Counts for the constraints, none of which may be skipped: a node counts if it has all keys. Ends
// early, with less than all, once the limits of `state` are exceeded.
std::shared_ptr<HardConstraints> count_hard(const SpreadSettings& settings,
                                            const PreFilterCall& call,
                                            std::vector<SpreadConstraint> constraints);

// The code alone.
Code hard_code(const HardConstraints& data, uint32_t row);
Status hard_status(const HardConstraints& data, uint32_t row);

}  // namespace libsched
