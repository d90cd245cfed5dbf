// Crew: work on several threads is taken in order, and ends where one thread would have ended.
#include "libsched/run/crew.hpp"

#include <set>
#include <stdexcept>
#include <thread>

#include "libsched/framework/foreign_call.hpp"
#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::crew_test {

TEST_CASE("threads of a crew give what one thread gives, in its order") {
  const FakeWorld w({});
  for (const uint32_t size : {1, 2, 3, 8})
    for (const size_t last : {0, 1, 57, 99, 1000}) {
      const Crew crew(w.evaluator.framework(), size);
      std::vector<size_t> taken;
      std::atomic<size_t> worked{0};
      crew.in_order(
          100,
          [&](size_t i) {
            ++worked;
            if (i % 3 == 0) std::this_thread::yield();
            return std::make_unique<size_t>(i * i);
          },
          [&](size_t i, std::unique_ptr<size_t> result) {
            CHECK(*result == i * i);
            taken.push_back(i);
            return i != last;
          });
      std::vector<size_t> expected;
      for (size_t i = 0; i <= std::min<size_t>(last, 99); ++i) expected.push_back(i);
      CHECK(taken == expected);
      CHECK(worked >= expected.size());
      if (size == 1) CHECK(worked == expected.size());
    }
  Crew(w.evaluator.framework(), 4)
      .in_order(0, [](size_t) { return 1; }, [](size_t, int) { return true; });
}

TEST_CASE("an exception on any thread of a crew reaches the caller") {
  const FakeWorld w({});
  for (const uint32_t size : {1, 4}) {
    size_t taken = 0;
    CHECK_THROWS_AS(Crew(w.evaluator.framework(), size)
                        .in_order(
                            50,
                            [](size_t i) {
                              if (i == 20) throw std::runtime_error("no");
                              return i;
                            },
                            [&](size_t, size_t) { return ++taken != 0; }),
                    std::runtime_error);
    CHECK(taken <= 20);
  }
}

TEST_CASE("all threads of a crew run at once, and each but the caller's is new") {
  const FakeWorld w({});
  std::atomic<int> inside{0}, callers{0};
  std::mutex mutex;
  std::set<std::thread::id> ids;
  Crew(w.evaluator.framework(), 3).run([&](bool caller) {
    ++inside;
    while (inside < 3) std::this_thread::yield();
    if (caller) ++callers;
    const std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
  });
  CHECK(ids.size() == 3);
  CHECK(ids.count(std::this_thread::get_id()) == 1);
  CHECK(callers == 1);
}

TEST_CASE("threads are not used with plugins or values of the caller's thread") {
  using Threading = Plugin::Threading;
  const auto size = [](Threading threading, const std::function<void(FakeWorld&)>& prepare = {}) {
    Fake f = pre_filter_says("F", Status());
    f.threading = threading;
    FakeWorld w({f});
    REQUIRE(w.evaluator.set_parallelism(5).ok());
    if (prepare) prepare(w);
    const DryRunScope scope(w.evaluator, *w.state);
    // An evaluator that is trying nodes may not judge more, nor be told to use other threads.
    CHECK(w.evaluator.set_parallelism(1).error().rc == Rc::kMisuse);
    return scope.crew().size();
  };
  struct Value final : StateValue {
    explicit Value(bool a) : anywhere(a) {}
    std::shared_ptr<StateValue> clone(std::shared_ptr<StateValue> self) const override {
      return self;
    }
    void* get() const override { return nullptr; }
    bool clones_anywhere() const override { return anywhere; }
    bool anywhere;
  };
  CHECK(size(Threading::kConcurrent) == 5);
  CHECK(size(Threading::kSerialised) == 5);
  CHECK(size(Threading::kCallerThread) == 1);
  for (const bool anywhere : {false, true})
    CHECK(size(Threading::kConcurrent, [&](FakeWorld& w) {
            w.state->write("fine", std::make_shared<Value>(true));
            w.state->write("this", std::make_shared<Value>(anywhere));
          }) == (anywhere ? 5 : 1));
  CHECK(size(Threading::kConcurrent,
             [](FakeWorld& w) { REQUIRE(w.evaluator.set_parallelism(1).ok()); }) == 1);
  {
    const ForeignCall inside(Threading::kConcurrent);
    CHECK(ForeignCall::anywhere());
    CHECK(size(Threading::kConcurrent) == 1);
    {
      const ForeignCall deeper(Threading::kCallerThread);
      CHECK_FALSE(ForeignCall::anywhere());
    }
    CHECK(ForeignCall::anywhere());
  }
  CHECK_FALSE(ForeignCall::inside());
  FakeWorld w({});
  CHECK(w.evaluator.set_parallelism(0).error().message ==
        "parallelism is a number from 1 to 1024, not 0");
  CHECK(w.evaluator.parallelism() == 1);
}

}  // namespace libsched::crew_test
