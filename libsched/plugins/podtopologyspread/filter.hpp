// DoNotSchedule constraints: what PreFilter counts, and judging rows by it.
#pragma once

#include <vector>

#include "libsched/plugins/podtopologyspread/constraints.hpp"

namespace libsched {

// One constraint, counted. `sums` may be edited for a state of its own (pods added or removed in a
// what-if): then judge() must be told to `recount`.
struct HardConstraint {
  SpreadConstraint constraint;
  TopologyRef column;
  CountsRef counts;  // both empty if the selector counts no pod
  SumsRef sums;
  std::vector<uint64_t> eligible;  // rows that count
  bool self = false;               // the pod matches its own selector
  // A domain with more pods than this has no room: maxSkew + the smallest count - self.
  int64_t most = 0;

  void recount();
  int64_t pods_in(int32_t domain) const {
    return sums ? sums->sum[static_cast<size_t>(domain)] : 0;
  }
};

struct HardConstraints final : PluginData {
  std::vector<HardConstraint> list;

  std::shared_ptr<PluginData> clone() const override {
    return std::make_shared<HardConstraints>(*this);
  }
};

// Of the rows of the set, those in full domains or without a domain are rejected.
void judge(const View& view, const HardConstraint& c, const RowSet& set);

// Counts for the constraints, none of which may be skipped: a node counts if it has all keys.
std::shared_ptr<HardConstraints> count_hard(const SpreadSettings& settings, const View& view,
                                            const Pod& pod,
                                            std::vector<SpreadConstraint> constraints);

Status hard_status(const HardConstraints& data, uint32_t row);

}  // namespace libsched
