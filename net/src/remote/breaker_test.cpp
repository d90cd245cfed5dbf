// The breaker opens after 5 failures in a row, and closes by either clock.
#include "net/src/remote/breaker.hpp"

#include <doctest/doctest.h>

namespace libsched::breaker_test {

using remote::Breaker;
using State = Breaker::State;

TEST_CASE("five failures in a row open it for ten seconds") {
  Breaker breaker;
  const Breaker::Real real{};
  for (int i = 0; i < 4; ++i) breaker.failed(100, real, "early");
  CHECK(breaker.state(100, real) == State::kClosed);
  breaker.succeeded();
  for (int i = 0; i < 4; ++i) breaker.failed(100, real, "early");
  CHECK(breaker.state(100, real) == State::kClosed);
  breaker.failed(100, real, "the fifth");
  CHECK(breaker.state(100, real) == State::kOpen);
  CHECK(breaker.refusal() ==
        "not asked after 5 failures in a row, of which the last was: the fifth");
  CHECK(breaker.state(100 + Breaker::kPauseNs - 1, real) == State::kOpen);
  CHECK(breaker.state(100 + Breaker::kPauseNs, real) == State::kTrial);
  breaker.failed(100 + Breaker::kPauseNs, real, "again");
  CHECK(breaker.state(100 + Breaker::kPauseNs, real) == State::kOpen);
  breaker.succeeded();
  CHECK(breaker.state(100 + Breaker::kPauseNs, real) == State::kClosed);
}

TEST_CASE("a clock that stands still, or is another one, does not keep it open for ever") {
  Breaker breaker;
  const Breaker::Real real{};
  for (int i = 0; i < 5; ++i) breaker.failed(100, real, "failed");
  CHECK(breaker.state(100, real + std::chrono::seconds(9)) == State::kOpen);
  CHECK(breaker.state(100, real + std::chrono::seconds(10)) == State::kTrial);
  CHECK(breaker.state(99, real) == State::kTrial);
}

}  // namespace libsched::breaker_test
