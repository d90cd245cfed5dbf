// Steps: results at once, suspension in the middle, blocking, and what is thrown.
#include "libsched/base/steps.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace libsched::steps_test {

struct Gate {
  Resumable* waits = nullptr;
  int blocked = 0;

  struct Pass {
    Gate& gate;
    bool await_ready() const noexcept { return false; }
    template <typename P>
    bool await_suspend(std::coroutine_handle<P> at) const {
      gate.waits = at.promise().work;
      if (gate.waits == nullptr) return ++gate.blocked == 0;
      gate.waits->at = at;
      return true;
    }
    void await_resume() const noexcept {}
  };
  Pass pass() { return {*this}; }
};

Steps<std::string> known(int n) { return std::to_string(n); }
Steps<std::string> inner(Gate& gate, std::shared_ptr<int> kept) {
  co_await gate.pass();
  co_return std::to_string(*kept);
}
Steps<int> outer(Gate& gate, std::shared_ptr<int> kept) {
  std::string all;
  for (int i = 0; i < 2; ++i) {
    all += co_await known(i);
    all += co_await inner(gate, kept);
  }
  if (all != "0717") throw std::runtime_error(all);
  co_return static_cast<int>(all.size());
}

TEST_CASE("Steps go on where they were suspended, and the result reaches whoever waits") {
  Gate gate;
  Resumable work;
  Steps<int> steps = outer(gate, std::make_shared<int>(7));
  CHECK_FALSE(steps.ended());
  steps.begin(&work);
  for (int i = 0; i < 2; ++i) {
    CHECK_FALSE(steps.ended());
    CHECK(gate.waits == &work);
    work.at.resume();
  }
  CHECK(steps.ended());
  CHECK(steps.take() == 4);
}

TEST_CASE("Without a driver steps block") {
  Gate gate;
  CHECK(outer(gate, std::make_shared<int>(7)).now() == 4);
  CHECK(gate.blocked == 2);
  CHECK(known(5).now() == "5");
}

TEST_CASE("What steps throw reaches whoever waits") {
  Gate gate;
  CHECK_THROWS_AS(outer(gate, std::make_shared<int>(8)).now(), std::runtime_error);
  Resumable work;
  Steps<int> steps = outer(gate, std::make_shared<int>(8));
  steps.begin(&work);
  work.at.resume();
  work.at.resume();
  CHECK(steps.ended());
  CHECK_THROWS_AS(steps.take(), std::runtime_error);
}

TEST_CASE("Steps that are dropped, begun or not, let go of what they hold") {
  Gate gate;
  Resumable work;
  const auto kept = std::make_shared<int>(7);
  {
    const Steps<int> never = outer(gate, kept);
    Steps<int> half = outer(gate, kept);
    half.begin(&work);
    const Steps<int> moved = std::move(half);
    CHECK(kept.use_count() > 2);
  }
  CHECK(kept.use_count() == 1);
}

}  // namespace libsched::steps_test
