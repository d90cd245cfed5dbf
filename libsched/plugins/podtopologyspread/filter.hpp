// DoNotSchedule constraints: the counts of PreFilter, and the verdicts on rows by them.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "libsched/framework/facts.hpp"
#include "libsched/plugins/podtopologyspread/constraints.hpp"

namespace libsched {

// With so few domains their postings are cheaper than the rows one by one.
inline constexpr size_t kFewDomains = 64;

// A constraint with its counts.
struct HardConstraint {
  SpreadConstraint constraint;
  TopologyRef column;
  CountsRef counts;  // both empty if the selector counts no pod
  SumsRef sums;
  std::vector<uint64_t> eligible;  // rows that count
  bool self = false;               // whether the pod matches its own selector
  uint64_t version = 0;            // of the counts
  // A domain with more pods than this is full: maxSkew + the smallest count - self.
  int64_t most = 0;
  // After a change(), `sums` no longer follow from `counts`, and the smallest count is upstream's,
  // which tracks two domains only. It may be too big if pods of several domains were changed.
  bool changed = false;
  struct Path {
    int32_t domain = TopologyColumn::kNone;
    int64_t pods = std::numeric_limits<int32_t>::max();
  };
  std::array<Path, 2> paths;  // set once changed; the first is the smaller

  void recount();
  // Counts that a pod that the selector matches comes to (1) or leaves (-1) an eligible row.
  void change(const View& view, uint32_t row, int32_t delta);
  // The smallest count of a domain, as it decides: 0 with fewer domains than minDomains.
  int64_t smallest() const { return most - constraint.max_skew + (self ? 1 : 0); }
  int64_t pods_in(int32_t domain) const {
    return sums ? sums->sum[static_cast<size_t>(domain)] : 0;
  }

 private:
  void begin_changes(const View& view);
  void follow(int32_t domain, int64_t pods);
};

struct HardConstraints final : PluginData {
  std::vector<HardConstraint> list;
  bool shared = false;  // constraints of one key have common sums, which are never renewed
  std::vector<Tables::Known> known;  // the counts and sums of each constraint
  // Of each constraint, the rows that it accepts and, unless each row is its own domain, the full
  // domains. Only data that is renewed has it: others judge once.
  struct Judged {
    std::vector<uint64_t> accepted;
    std::vector<char> full;
    std::vector<uint32_t> changed;  // scratch
  };
  std::vector<Judged> judged;
  std::vector<Tables::Values> values;  // scratch of renew_hard()

  std::shared_ptr<PluginData> clone() const override;  // which has no `judged`
  bool release() override;
};

// See KeepsAnswers::renew().
Plugin::Renewed renew_hard(const View& view, std::span<const uint32_t> rows, HardConstraints* data,
                           std::vector<uint32_t>* hit);

// Counts that `other` comes to (1) or leaves (-1) the row. As upstream, and unlike in PreFilter, a
// terminating pod counts, and a selector without requirements matches.
void change_hard(const View& view, const Pod& pod, const Pod& other, uint32_t row, int32_t delta,
                 HardConstraints* data);

// Rejects the rows of the set that are in full domains or in no domain.
void judge(const View& view, const HardConstraint& c, const RowSet& set);
// The same for all constraints.
void judge_hard(const Call& call, const HardConstraints& data, const RowSet& set);

// Counts for all constraints together, because a node counts only if it has all keys. Ends early,
// with an incomplete result, once the limits of `state` are exceeded.
std::shared_ptr<HardConstraints> count_hard(const SpreadSettings& settings,
                                            const PreFilterCall& call,
                                            std::vector<SpreadConstraint> constraints);

// Returns only the code.
Code hard_code(const HardConstraints& data, uint32_t row);
Status hard_status(const HardConstraints& data, uint32_t row);
// The facts of all constraints that keep the row from the pod, the first one's reason for each.
void add_hard_facts(const FilterCall& call, const SpreadSettings& settings,
                    const HardConstraints& data, uint32_t row, Str reason, Facts* facts);

}  // namespace libsched
