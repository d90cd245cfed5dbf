// Turns: the order of tasks, and what the owner may wait for.
#include "libsched/scheduler/loop/turns.hpp"

#include <doctest/doctest.h>

#include <mutex>
#include <new>

namespace libsched::turns_test {

using Names = std::vector<std::string>;
constexpr int64_t kStart = 1'000'000;

struct World {
  Ref<VirtualClock> clock = make_ref<VirtualClock>(kStart);
  int caught_up = 0;
  Ref<Turns> turns = make_ref<Turns>(clock, [this] { ++caught_up; });
  Names log;

  void turn(const char* what, const std::string& name, Tasks::Rank rank = Tasks::Rank::kBind) {
    ObjectMeta about;
    about.ns = "d";
    about.name = name;
    turns->turn(rank, what, about);
    log.push_back(name + " " + what);
  }
  void sleep(int64_t ns) {
    const int64_t end = clock->now_ns() + ns;
    Mutex mutex;
    Signal never;
    for (std::unique_lock lock(mutex); clock->now_ns() < end;) clock->wait(never, lock, end);
  }
  void run() {
    turns->run_ready();
    while (turns->waiting()) {
      turns->tick();
      turns->next();
    }
  }
};

TEST_CASE("Turns come by object, rank and action, whichever task asked first") {
  World w;
  for (const char* name : {"c", "a", "b"})
    w.turns->start([&w, name] {
      w.turn("bind", name);
      w.turn("bind returns", name);
    });
  w.turns->start([&] { w.turn("patchStatus", "a", Tasks::Rank::kPatchStatus); });
  w.turns->start([&] { w.turn("evict", "c", Tasks::Rank::kPlugin); });
  CHECK(w.log.empty());
  w.run();
  CHECK(w.log == Names{"a bind", "a bind returns", "a patchStatus", "b bind", "b bind returns",
                       "c evict", "c bind", "c bind returns"});
  CHECK(w.turns->idle());
  CHECK(w.clock->now_ns() == kStart + 8 * Turns::kTurnNs);
  CHECK(w.caught_up >= 8);
}

TEST_CASE("The owner's turn comes in the same order, after tasks that are first") {
  World w;
  w.turns->start([&] { w.turn("bind", "a"); });
  w.turns->start([&] { w.turn("bind", "z"); });
  w.turn("bind", "m");
  CHECK(w.log == Names{"a bind", "m bind"});
  w.run();
  CHECK(w.log.back() == "z bind");
  w.turn("bind", "x");  // with no task it comes at once, and takes its time
  CHECK(w.clock->now_ns() == kStart + 4 * Turns::kTurnNs);
}

TEST_CASE("Sleeping tasks wake when the clock has come so far, and the owner's sleep moves it") {
  World w;
  w.turns->start([&] {
    w.sleep(500'000);
    w.log.push_back("late");
  });
  w.turns->start([&] {
    w.sleep(200'000);
    w.log.push_back("early");
  });
  w.turns->run_ready();
  CHECK(w.turns->next_wake() == kStart + 200'000);
  CHECK(w.log.empty());
  w.sleep(300'000);
  CHECK(w.log == Names{"early"});
  CHECK(w.clock->now_ns() == kStart + 300'000);
  w.clock->advance_to(kStart + 500'000);
  w.turns->run_ready();
  CHECK(w.log == Names{"early", "late"});
}

TEST_CASE("A task that holds when the turns end lets the others end") {
  World w;
  bool slept = false, turned = false;
  w.turns->start([&] {
    w.sleep(100'000);
    while (!slept || !turned) w.turns->hold();
    w.log.push_back("held");
  });
  w.turns->start([&] {
    w.sleep(200'000);
    slept = true;
  });
  w.turns->start([&] {
    w.turn("bind", "a");
    turned = true;
  });
  w.turns->run_ready();
  CHECK_FALSE(slept);
  w.turns->end();
  CHECK(w.turns->idle());
  CHECK(w.log.back() == "held");
}

TEST_CASE("What becomes due by the time of a turn comes before it") {
  World w;
  w.turns->start([&] {
    w.sleep(Turns::kTurnNs);
    w.turn("bind", "a");
  });
  w.turn("bind", "b");  // the owner's
  CHECK(w.log == Names{"a bind", "b bind"});
  CHECK(w.clock->now_ns() == kStart + 2 * Turns::kTurnNs);
  w.log.clear();
  // Also while the owner sleeps.
  w.turns->start([&] { w.turn("bind", "d"); });
  w.turns->start([&] {
    w.sleep(Turns::kTurnNs);
    w.turn("bind", "c");
  });
  w.sleep(5 * Turns::kTurnNs);
  CHECK(w.log == Names{"c bind", "d bind"});
}

TEST_CASE("A task waits until another has done something") {
  World w;
  bool done = false;
  w.turns->start([&] {
    w.turns->wait_for(done);
    w.log.emplace_back("waited");
  });
  w.turns->start([&] {
    w.turn("bind", "a");
    done = true;
  });
  w.turns->run_ready();
  CHECK(w.log.empty());
  w.run();
  CHECK(w.log == Names{"a bind", "waited"});
  CHECK(w.turns->idle());
}

TEST_CASE("What a task throws reaches the owner, and the other tasks go on") {
  World w;
  w.turns->start([] { throw std::bad_alloc(); });
  w.turns->start([&] { w.log.push_back("other"); });
  CHECK_THROWS_AS(w.turns->run_ready(), std::bad_alloc);
  w.turns->run_ready();
  CHECK(w.log == Names{"other"});
  CHECK(w.turns->idle());
}

TEST_CASE("At the end no task waits any more") {
  World w;
  w.turns->start([&] {
    w.turn("bind", "a");
    w.sleep(1'000'000'000);
    w.turn("bind returns", "a");
  });
  w.turns->run_ready();
  CHECK(w.turns->waiting());
  w.turns->end();
  CHECK(w.log == Names{"a bind", "a bind returns"});
  CHECK(w.turns->idle());
  CHECK_FALSE(w.clock->has_sleeper());
}

}  // namespace libsched::turns_test
