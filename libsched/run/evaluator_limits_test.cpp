// Limits: where a call ends by the caller's flag or deadline, and that it has changed nothing then.
#include <thread>

#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::evaluator_limits_test {

constexpr int64_t kNow = 1'000;

// A world whose fakes advance the clock; every deadline is 100 ns away.
struct Timed {
  explicit Timed(std::vector<Fake> fakes) : w(std::move(fakes)) {
    CHECK(w.evaluator.use(make_ref<Services>(clock)).ok());
  }
  Limits limits() const { return {nullptr, kNow + 100}; }
  Result<Ref<const Decision>> check(bool score = true, bool post_filter = true) {
    return w.evaluator.check(*w.state, *w.pod, "", {false, score, limits(), post_filter});
  }
  Result<CycleOutcome> cycle() {
    CycleOptions options;
    options.limits = limits();
    options.sampling = options.post_filter = true;
    return w.evaluator.run_cycle(*w.state, *w.pod, options);
  }
  Ref<VirtualClock> clock = make_ref<VirtualClock>(kNow);
  FakeWorld w;
};

// Rc::kOk, or the error of the call.
template <typename T>
Rc rc_of(const Result<T>& ran) {
  return ran.ok() ? Rc::kOk : ran.error().rc;
}

// A plugin at every point, which lets `slow` pass at the point of that name.
struct Slow {
  std::string point;
  int64_t slow = 0;
  bool fits = true;
  std::string log;
  Ref<VirtualClock> clock;

  Status at(const std::string& here) {
    log += here + " ";
    if (here == point) clock->advance_to(clock->now_ns() + slow);
    return {};
  }
  std::vector<Fake> fakes() {
    Fake f;
    f.name = "Slow";
    f.pre_filter = [this](const PreFilterCall&, PreFilterResult*) -> Result<Status> {
      return at("pre_filter");
    };
    f.filter = [this](const FilterCall&, const Node& node) {
      if (node.meta.name == "n1") at("filter");
      return fits ? Status() : Status(Code::kUnschedulable, "no");
    };
    f.pre_score = [this](const PreScoreCall&) { return at("pre_score"); };
    f.score = [this](const Node& node, int64_t* score) {
      *score = 1;
      return node.meta.name == "n1" ? at("score") : Status();
    };
    f.normalize = [this](const ScoreSet&, int64_t*) { return at("normalize"); };
    f.post_filter = [this](const PostFilterCall&, std::optional<Nomination>*) {
      at("post_filter");
      return Status(Code::kUnschedulable, "no room");
    };
    Fake second = f;
    second.name = "Second";
    return {f, second};
  }
};

TEST_CASE("a deadline that passes inside of a plugin ends the call after it") {
  const std::map<std::string, std::string> asked = {
      {"pre_filter", "pre_filter "},
      {"filter", "pre_filter pre_filter filter "},
      {"pre_score", "pre_filter pre_filter filter filter pre_score "},
      {"score", "pre_filter pre_filter filter filter pre_score pre_score score "},
      {"normalize",
       "pre_filter pre_filter filter filter pre_score pre_score score score normalize "}};
  for (const auto& [point, log] : asked)
    for (const bool whole : {false, true}) {
      CAPTURE(point);
      Slow slow{point, 100, true, {}, {}};
      Timed t(slow.fakes());
      slow.clock = t.clock;
      if (whole) {
        t.w.evaluator.set_next_start(1);
        const Result<CycleOutcome> ran = t.cycle();
        CHECK(rc_of(ran) == Rc::kDeadline);
        CHECK(t.w.evaluator.next_start() == 1);
      } else {
        const Result<Ref<const Decision>> ran = t.check();
        REQUIRE(rc_of(ran) == Rc::kDeadline);
        CHECK(ran.error().message == "deadline exceeded");
      }
      CHECK(slow.log == log);
      CHECK(PluginScope::call_of(*t.w.state) == nullptr);
      // As if nothing had happened: the same again, with enough time.
      slow.point = "";
      CHECK(t.w.evaluator.check(*t.w.state, *t.w.pod, "", {false, true, {}, false}).ok());
    }
}

TEST_CASE("one nanosecond less is in time; a deadline of now has passed, and no plugin runs") {
  Slow slow{"normalize", 49, true, {}, {}};  // twice
  Timed t(slow.fakes());
  slow.clock = t.clock;
  CHECK(rc_of(t.check()) == Rc::kOk);
  CHECK(t.clock->now_ns() == kNow + 98);
  slow.log.clear();
  t.clock->advance_to(kNow + 100);
  CHECK(rc_of(t.check()) == Rc::kDeadline);
  CHECK(rc_of(t.cycle()) == Rc::kDeadline);
  CHECK(slow.log.empty());
}

TEST_CASE("PreFilter that did not finish counts as not run") {
  Slow slow{"pre_filter", 100, true, {}, {}};
  Timed t(slow.fakes());
  slow.clock = t.clock;
  CHECK(rc_of(t.check()) == Rc::kDeadline);
  std::vector<uint64_t> bits(2);
  CHECK(rc_of(t.w.evaluator.filter_nodes(*t.w.state, *t.w.pod, {}, bits.data(), 2)) == Rc::kState);
}

TEST_CASE("PostFilter: a deadline counts between plugins, but not after the last") {
  for (const bool whole : {false, true}) {
    Slow slow{"post_filter", 100, false, {}, {}};
    Timed t(slow.fakes());
    slow.clock = t.clock;
    CHECK((whole ? rc_of(t.cycle()) : rc_of(t.check())) == Rc::kDeadline);
    CHECK(slow.log.ends_with("filter post_filter "));
    // The last plugin may have made room: its result is kept.
    Slow late{"post_filter", 50, false, {}, {}};
    Timed u(late.fakes());
    late.clock = u.clock;
    CHECK((whole ? rc_of(u.cycle()) : rc_of(u.check())) == Rc::kOk);
    CHECK(u.clock->now_ns() == kNow + 100);
  }
}

TEST_CASE("the flag counts before the deadline, and the first reason is kept") {
  std::atomic<bool> cancel = true;
  const Ref<VirtualClock> clock = make_ref<VirtualClock>(kNow);
  const LimitWatch both({&cancel, kNow}, *clock);
  CHECK_FALSE(both.found());
  CHECK(both.exceeded());
  cancel = false;
  CHECK(both.exceeded());
  CHECK(both.error().rc == Rc::kCancelled);
  const LimitWatch time({&cancel, kNow + 1}, *clock);
  CHECK_FALSE(time.exceeded());
  clock->advance_to(kNow + 1);
  CHECK(time.exceeded());
  cancel = true;
  CHECK(time.error().rc == Rc::kDeadline);
}

TEST_CASE(
    "nodes that yield to nominated pods are judged one by one, and so is the time looked at") {
  int asked = 0;
  Ref<VirtualClock> clock;
  Fake f;
  f.name = "Ticks";
  f.filter = [&](const FilterCall&, const Node&) {
    ++asked;
    clock->advance_to(clock->now_ns() + 40);
    return Status();
  };
  Timed t({f});
  clock = t.clock;
  for (const char* node : {"n1", "n2", "n3"}) {
    Result<PodRef> o = parse_pod(
        "metadata: {name: " + std::string(node) + ", namespace: x, uid: " + std::string(node) + "}",
        {});
    REQUIRE(o.ok());
    t.w.evaluator.services().nominator().add(*o, Nomination{true, node});
  }
  CHECK(rc_of(t.check(false)) == Rc::kDeadline);
  CHECK(asked == 4);  // two nodes, with and without the pods
}

TEST_CASE("deadlines by the machine's clock, and by a clock that another thread moves") {
  Slow slow{"", 0, true, {}, {}};
  Timed t(slow.fakes());
  slow.clock = t.clock;
  const Ref<SystemClock> clock = make_ref<SystemClock>();
  CHECK(t.w.evaluator.use(make_ref<Services>(clock)).ok());
  const auto check = [&](int64_t deadline) {
    return rc_of(
        t.w.evaluator.check(*t.w.state, *t.w.pod, "", {false, true, {nullptr, deadline}, false}));
  };
  CHECK(check(clock->now_ns() - 1) == Rc::kDeadline);
  CHECK(check(clock->now_ns() + 3'600'000'000'000) == Rc::kOk);
  CHECK(check(-1) == Rc::kDeadline);

  std::atomic<bool> inside{false};
  Fake waits;
  waits.name = "Waits";
  const Ref<VirtualClock> still = make_ref<VirtualClock>(kNow);
  waits.filter = [&](const FilterCall&, const Node&) {
    inside = true;
    while (still->now_ns() == kNow) std::this_thread::yield();
    return Status();
  };
  Timed u({waits});
  CHECK(u.w.evaluator.use(make_ref<Services>(still)).ok());
  std::thread mover([&] {
    while (!inside) std::this_thread::yield();
    still->advance_to(kNow + 100);
  });
  CHECK(rc_of(u.check(false)) == Rc::kDeadline);
  mover.join();
}

TEST_CASE("a deadline may use another clock than plugins and waiting pods") {
  Timed t({});
  const Ref<VirtualClock> still = make_ref<VirtualClock>(kNow);
  const Ref<VirtualClock> other = make_ref<VirtualClock>(5);
  CHECK(t.w.evaluator.use(make_ref<Services>(still, Ref<ApiClient>(), other)).ok());
  CHECK(&t.w.evaluator.services().clock() == still.get());
  const auto check = [&](int64_t deadline) {
    return rc_of(
        t.w.evaluator.check(*t.w.state, *t.w.pod, "", {false, true, {nullptr, deadline}, false}));
  };
  CHECK(check(6) == Rc::kOk);
  other->advance_to(6);
  CHECK(check(6) == Rc::kDeadline);
  CHECK(check(7) == Rc::kOk);
}

}  // namespace libsched::evaluator_limits_test
