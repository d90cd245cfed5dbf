// Upstream's pickOneNodeForPreemption, up to the choice among equals.
#include "libsched/plugins/defaultpreemption/pick.hpp"

#include <array>
#include <limits>

#include "libsched/plugins/defaultpreemption/victim_units.hpp"

namespace libsched {
namespace {

// The earliest start of the most important victims.
int64_t earliest_start(const std::vector<PodRef>& victims, int64_t now_ns) {
  int64_t earliest = started(*victims[0], now_ns);
  int32_t highest = victims[0]->priority();
  for (const PodRef& p : victims) {
    const int64_t start = started(*p, now_ns);
    if (p->priority() > highest || (p->priority() == highest && start < earliest)) earliest = start;
    highest = std::max(highest, p->priority());
  }
  return earliest;
}

}  // namespace

std::vector<size_t> best_candidates(const std::vector<PreemptionReport::Candidate>& candidates,
                                    int64_t now_ns) {
  using Candidate = PreemptionReport::Candidate;
  using Score = int64_t (*)(const Candidate&, int64_t);
  constexpr std::array<Score, 5> kScores = {
      [](const Candidate& c, int64_t) { return -c.budget_violations; },
      [](const Candidate& c, int64_t) { return -int64_t{c.victims[0]->priority()}; },
      [](const Candidate& c, int64_t) {
        // Shifted, so that a further victim never makes a sum of negative priorities smaller.
        int64_t sum = 0;
        for (const PodRef& p : c.victims) sum += int64_t{p->priority()} + (int64_t{1} << 31);
        return -sum;
      },
      [](const Candidate& c, int64_t) { return -static_cast<int64_t>(c.victims.size()); },
      [](const Candidate& c, int64_t now) { return earliest_start(c.victims, now); },
  };
  std::vector<size_t> left(candidates.size());
  for (size_t i = 0; i < left.size(); ++i) left[i] = i;
  for (const Score score : kScores) {
    if (left.size() < 2) break;
    std::vector<size_t> best;
    int64_t top = std::numeric_limits<int64_t>::min();
    for (const size_t i : left) {
      const int64_t s = score(candidates[i], now_ns);
      if (s > top) best.clear();
      if (s >= top) best.push_back(i);
      top = std::max(top, s);
    }
    left = std::move(best);
  }
  return left;
}

}  // namespace libsched
