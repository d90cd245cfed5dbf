// ScoreShape: Go's integer arithmetic.
#include "libsched/plugins/score_shape.hpp"

#include "libsched/base/wrapping.hpp"
#include "libsched/framework/scoring.hpp"

namespace libsched {

ScoreShape::ScoreShape(const std::vector<UtilizationShapePoint>& points) {
  constexpr int64_t kMaxPointScore = 10;
  for (const UtilizationShapePoint& p : points)
    points_.push_back({p.utilization, p.score * (kMaxNodeScore / kMaxPointScore)});
}

int64_t ScoreShape::at(int64_t utilization) const {
  for (size_t i = 0; i < points_.size(); ++i) {
    const Point& p = points_[i];
    if (utilization > p.utilization) continue;
    if (i == 0) return p.score;
    const Point& before = points_[i - 1];
    return before.score + (p.score - before.score) * (utilization - before.utilization) /
                              (p.utilization - before.utilization);
  }
  return points_.empty() ? 0 : points_.back().score;
}

int64_t ScoreShape::of(int64_t requested, int64_t capacity) const {
  if (capacity == 0 || requested > capacity) return at(kMaxUtilization);
  return at(wrapping_div(wrapping_mul(requested, kMaxUtilization), capacity));
}

}  // namespace libsched
