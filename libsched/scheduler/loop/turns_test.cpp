// Turns: the order of tasks, and what tasks and the owner may wait for.
#include "libsched/scheduler/loop/turns.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <mutex>
#include <new>
#include <set>
#include <thread>

namespace libsched::turns_test {

using Names = std::vector<std::string>;
constexpr int64_t kStart = 1'000'000;

struct World {
  Ref<VirtualClock> clock = make_ref<VirtualClock>(kStart);
  int caught_up = 0;
  Ref<Turns> turns = make_ref<Turns>(clock, [this] { ++caught_up; });
  Names log;
  bool blocks = false;  // tasks are calls that block, instead of being suspended
  std::deque<std::function<Steps<>()>> begun;

  void start(std::function<Steps<>()> task) {
    begun.push_back(std::move(task));
    turns->start(work(begun.back()));
  }
  Steps<> work(const std::function<Steps<>()>& task) {
    auto call = [&] { task().now(); };
    if (blocks)
      co_await turns->apart(call);
    else
      co_await task();
  }
  Steps<> turn(const char* what, std::string name, Tasks::Rank rank = Tasks::Rank::kBind) {
    ObjectMeta about;
    about.ns = "d";
    about.name = name;
    co_await turns->turn(rank, what, about);
    log.push_back(name + " " + what);
  }
  Steps<> sleep(int64_t ns) {
    const int64_t end = clock->now_ns() + ns;
    while (clock->now_ns() < end) co_await turns->until(*clock, end);
  }
  void run() {
    turns->run_ready();
    while (turns->waiting()) {
      turns->tick();
      turns->next();
    }
  }
};

// Runs a test with tasks that are suspended, and with tasks that block.
template <typename F>
void both(F&& test) {
  for (const bool blocks : {false, true}) {
    CAPTURE(blocks);
    World w;
    w.blocks = blocks;
    test(w);
  }
}

TEST_CASE("Turns come by object, rank and action, whichever task asked first") {
  both([](World& w) {
    for (const char* name : {"c", "a", "b"})
      w.start([&w, name]() -> Steps<> {
        co_await w.turn("bind", name);
        co_await w.turn("bind returns", name);
      });
    w.start([&] { return w.turn("patchStatus", "a", Tasks::Rank::kPatchStatus); });
    w.start([&] { return w.turn("evict", "c", Tasks::Rank::kPlugin); });
    CHECK(w.log.empty());
    w.run();
    CHECK(w.log == Names{"a bind", "a bind returns", "a patchStatus", "b bind", "b bind returns",
                         "c evict", "c bind", "c bind returns"});
    CHECK(w.turns->idle());
    CHECK(w.clock->now_ns() == kStart + 8 * Turns::kTurnNs);
    CHECK(w.caught_up >= 8);
  });
}

TEST_CASE("The owner's turn comes in the same order, after tasks that are first") {
  both([](World& w) {
    w.start([&] { return w.turn("bind", "a"); });
    w.start([&] { return w.turn("bind", "z"); });
    w.turn("bind", "m").now();
    CHECK(w.log == Names{"a bind", "m bind"});
    w.run();
    CHECK(w.log.back() == "z bind");
    w.turn("bind", "x").now();  // with no task it comes at once, and takes its time
    CHECK(w.clock->now_ns() == kStart + 4 * Turns::kTurnNs);
  });
}

TEST_CASE("Sleeping tasks wake when the clock has come so far, and the owner's sleep moves it") {
  both([](World& w) {
    w.start([&]() -> Steps<> {
      co_await w.sleep(500'000);
      w.log.push_back("late");
    });
    w.start([&]() -> Steps<> {
      co_await w.sleep(200'000);
      w.log.push_back("early");
    });
    w.turns->run_ready();
    CHECK(w.turns->next_wake() == kStart + 200'000);
    CHECK(w.log.empty());
    w.sleep(300'000).now();
    CHECK(w.log == Names{"early"});
    CHECK(w.clock->now_ns() == kStart + 300'000);
    w.clock->advance_to(kStart + 500'000);
    w.turns->run_ready();
    CHECK(w.log == Names{"early", "late"});
  });
}

TEST_CASE("A task that holds when the turns end lets the others end") {
  both([](World& w) {
    bool slept = false, turned = false;
    w.start([&]() -> Steps<> {
      co_await w.sleep(100'000);
      while (!slept || !turned) co_await w.turns->hold();
      w.log.push_back("held");
    });
    w.start([&]() -> Steps<> {
      co_await w.sleep(200'000);
      slept = true;
    });
    w.start([&]() -> Steps<> {
      co_await w.turn("bind", "a");
      turned = true;
    });
    w.turns->run_ready();
    CHECK_FALSE(slept);
    w.turns->end();
    CHECK(w.turns->idle());
    CHECK(w.log.back() == "held");
  });
}

TEST_CASE("What becomes due by the time of a turn comes before it") {
  both([](World& w) {
    w.start([&]() -> Steps<> {
      co_await w.sleep(Turns::kTurnNs);
      co_await w.turn("bind", "a");
    });
    w.turn("bind", "b").now();  // the owner's
    CHECK(w.log == Names{"a bind", "b bind"});
    CHECK(w.clock->now_ns() == kStart + 2 * Turns::kTurnNs);
    w.log.clear();
    // Also while the owner sleeps.
    w.start([&] { return w.turn("bind", "d"); });
    w.start([&]() -> Steps<> {
      co_await w.sleep(Turns::kTurnNs);
      co_await w.turn("bind", "c");
    });
    w.sleep(5 * Turns::kTurnNs).now();
    CHECK(w.log == Names{"c bind", "d bind"});
  });
}

TEST_CASE("A task waits until another has done something") {
  both([](World& w) {
    bool done = false;
    w.start([&]() -> Steps<> {
      co_await w.turns->wait_for(done);
      w.log.emplace_back("waited");
    });
    w.start([&]() -> Steps<> {
      co_await w.turn("bind", "a");
      done = true;
    });
    w.turns->run_ready();
    CHECK(w.log.empty());
    w.run();
    CHECK(w.log == Names{"a bind", "waited"});
    CHECK(w.turns->idle());
  });
}

TEST_CASE("What a task throws reaches the owner, and the other tasks go on") {
  both([](World& w) {
    w.start([]() -> Steps<> {
      throw std::bad_alloc();
      co_return;
    });
    w.start([&]() -> Steps<> {
      w.log.push_back("other");
      co_return;
    });
    CHECK_THROWS_AS(w.turns->run_ready(), std::bad_alloc);
    w.turns->run_ready();
    CHECK(w.log == Names{"other"});
    CHECK(w.turns->idle());
  });
}

TEST_CASE("At the end no task waits any more") {
  both([](World& w) {
    w.start([&]() -> Steps<> {
      co_await w.turn("bind", "a");
      co_await w.sleep(1'000'000'000);
      co_await w.turn("bind returns", "a");
    });
    w.turns->run_ready();
    CHECK(w.turns->waiting());
    w.turns->end();
    CHECK(w.log == Names{"a bind", "a bind returns"});
    CHECK(w.turns->idle());
    CHECK_FALSE(w.clock->has_sleeper());
  });
}

TEST_CASE("Any number of tasks sleeps on the owner's thread") {
  World w;
  std::set<std::thread::id> threads;
  for (int i = 0; i < 10'000; ++i)
    w.start([&, i]() -> Steps<> {
      co_await w.sleep(1000 * (i % 7));
      threads.insert(std::this_thread::get_id());
    });
  w.turns->run_ready();
  w.sleep(7000).now();
  CHECK(w.turns->idle());
  CHECK(threads == std::set{std::this_thread::get_id()});
}

TEST_CASE("Calls that block wait for a thread if there are too many, and none is lost") {
  World w;
  w.blocks = true;
  constexpr size_t kCalls = 3 * Turns::kMaxThreads + 1;
  std::set<std::thread::id> threads;
  for (size_t i = 0; i < kCalls; ++i)
    w.start([&]() -> Steps<> {
      threads.insert(std::this_thread::get_id());
      co_await w.sleep(1'000'000);
      w.log.push_back("slept");
    });
  w.turns->run_ready();
  CHECK(threads.size() == Turns::kMaxThreads);
  // One that is made first has a thread all the same.
  REQUIRE(w.turns->reserve_thread());
  bool first = false;
  const auto urgent = [&]() -> Steps<> {
    auto call = [&] { first = true; };
    co_await w.turns->first_apart(call);
  };
  w.turns->start(urgent());
  w.turns->run_ready();
  CHECK(first);
  w.sleep(4'000'000).now();
  CHECK(w.log.size() == kCalls);
  CHECK(w.turns->idle());
}

TEST_CASE("Two schedulers' turns are apart, also where one runs in a task of the other") {
  both([](World& w) {
    World inner;
    w.start([&]() -> Steps<> {
      inner.start([&] { return inner.turn("bind", "a"); });
      inner.turn("bind", "b").now();
      inner.sleep(1000).now();
      co_await w.turn("bind", "outer");
    });
    w.run();
    CHECK(inner.log == Names{"a bind", "b bind"});
    CHECK(w.log == Names{"outer bind"});
    CHECK(w.clock->now_ns() == kStart + Turns::kTurnNs);
  });
}

}  // namespace libsched::turns_test
