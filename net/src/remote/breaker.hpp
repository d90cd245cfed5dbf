// Breaker: after 5 failures in a row a plugin is left alone for 10 seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace libsched::remote {

class Breaker {
 public:
  static constexpr int kFailures = 5;
  static constexpr int64_t kPauseNs = 10'000'000'000;

  // Times are those of the services' clock, and of the machine's clock, which ends the pause if the
  // former stands still.
  using Real = std::chrono::steady_clock::time_point;

  enum class State { kClosed, kOpen, kTrial };
  // kTrial: the pause is over, and the next question decides.
  State state(int64_t now_ns, Real real) const;
  void succeeded() { failures_ = 0; }
  void failed(int64_t now_ns, Real real, std::string cause);
  // "not asked after 5 failures in a row, of which the last was: ..."
  std::string refusal() const;

 private:
  int failures_ = 0;
  int64_t since_ns_ = 0;
  Real since_{};
  std::string cause_;
};

}  // namespace libsched::remote
