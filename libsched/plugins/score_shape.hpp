// ScoreShape: upstream's broken linear function, which turns a utilization in percent into a score.
#pragma once

#include <cstdint>
#include <vector>

#include "libsched/config/plugin_args.hpp"

namespace libsched {

inline constexpr int64_t kMaxUtilization = 100;

class ScoreShape {
 public:
  ScoreShape() = default;
  // By utilization. The points' scores of 0 to 10 stand for 0 to 100.
  explicit ScoreShape(const std::vector<UtilizationShapePoint>& points);

  // 0 without points.
  int64_t at(int64_t utilization) const;
  // The score of a request for a part of the capacity; what exceeds it, or asks for a part of
  // nothing, uses all.
  int64_t of(int64_t requested, int64_t capacity) const;

 private:
  struct Point {
    int64_t utilization, score;
  };
  std::vector<Point> points_;
};

}  // namespace libsched
