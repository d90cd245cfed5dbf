// When a plugin that fails is left alone, and until when.
#include "net/src/remote/breaker.hpp"

#include <utility>

namespace libsched::remote {

Breaker::State Breaker::state(int64_t now_ns, Real real) const {
  if (failures_ < kFailures) return State::kClosed;
  // A clock may be another one than before, and behind it.
  const bool over = now_ns - since_ns_ >= kPauseNs || now_ns < since_ns_ ||
                    real - since_ >= std::chrono::nanoseconds(kPauseNs);
  return over ? State::kTrial : State::kOpen;
}

void Breaker::failed(int64_t now_ns, Real real, std::string cause) {
  if (failures_ < kFailures) ++failures_;
  since_ns_ = now_ns;
  since_ = real;
  cause_ = std::move(cause);
}

std::string Breaker::refusal() const {
  return "not asked after " + std::to_string(kFailures) +
         " failures in a row, of which the last was: " + cause_;
}

}  // namespace libsched::remote
