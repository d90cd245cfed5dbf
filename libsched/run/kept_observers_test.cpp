// What observers and meters hear of cycles that go on from what is kept of a class.
#include <doctest/doctest.h>

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "libsched/run/kept_world_test.hpp"

namespace libsched::kept_observers_test {

using namespace kept_world_test;  // NOLINT(google-build-using-namespace)

TEST_CASE("observers and meters are told the same by a cycle that goes on and by a whole one") {
  struct Heard final : CycleObserver {
    void hear(const CycleEvent& e) override {
      all += std::to_string(static_cast<int>(e.point)) + (e.ended ? "" : "(") +
             (e.status == nullptr ? "" : std::to_string(static_cast<int>(e.status->code))) + " ";
    }
    std::string all;
  };
  Asked asked;
  const Fake labels = labels_matter(&asked, {kLabels, kOften});
  Fake other = labels;
  other.name = "Other";
  other.filter = [](const FilterCall&, const Node& node) {
    return labelled(node, "worse") ? Status(Code::kUnschedulable, "no") : Status();
  };
  struct Side {
    Side(std::vector<Fake> fakes, ClassMemoryMode mode, bool samples)
        : world(std::move(fakes), mode), sampling(samples) {}
    CycleOutcome run() {
      const Ref<CycleState> state = make_ref<CycleState>();
      state->measure(meter, false);
      CycleOptions how;
      how.observer = &heard;
      how.sampling = sampling;
      Result<CycleOutcome> out = world.evaluator.run_cycle(*state, *world.pod, how);
      REQUIRE_MESSAGE(out.ok(), out.error().text());
      return *out;
    }
    std::string counts() const {
      std::string out;
      for (uint32_t i = 0; i < world.evaluator.framework().plugins().size(); ++i)
        for (const CountedPoint p : {CountedPoint::kPreFilter, CountedPoint::kFilter,
                                     CountedPoint::kPreScore, CountedPoint::kScore})
          out += std::to_string(meter->evaluations(p, i)) + " ";
      return out;
    }
    KeptWorld world;
    bool sampling;  // then filters alone go on
    Heard heard;
    Ref<PluginMeter> meter = make_ref<PluginMeter>(world.evaluator.framework().plugins().size(),
                                                   make_ref<VirtualClock>(0));
  };
  for (const bool sampling : {false, true}) {
    CAPTURE(sampling);
    Side kept({labels, other}, ClassMemoryMode::kAlways, sampling),
        whole({labels, other}, ClassMemoryMode::kOff, sampling);
    const auto both = [&](size_t feasible) {
      CHECK(kept.run().feasible == feasible);
      CHECK(whole.run().feasible == feasible);
      CHECK(kept.heard.all == whole.heard.all);
      CHECK(kept.counts() == whole.counts());
    };
    const auto label = [&](const std::string& node, const std::string& as) {
      kept.world.label(node, as);
      whole.world.label(node, as);
    };
    for (int i = 0; i < 3; ++i) both(3);
    label("n2", "{worse: a}");
    both(2);
    both(2);
    label("n1", "{bad: a}");
    both(1);  // which is not scored
    both(1);
    label("n2", "{}");
    both(2);
    both(2);
    CHECK((kept.world.evaluator.classes().served() >= 4) == !sampling);
    CHECK(whole.world.evaluator.classes().served() == 0);
  }
}

TEST_CASE("a cycle that goes on ends if its observer cancels it") {
  struct Cancels final : CycleObserver {
    explicit Cancels(CyclePoint point) : at(point) {}
    void hear(const CycleEvent& e) override {
      if (e.point == at) cancel = true;
    }
    CyclePoint at;
    std::atomic<bool> cancel{false};
  };
  Asked asked;
  KeptWorld w({labels_matter(&asked, {kLabels, kOften})});
  for (int time = 0; time < 3; ++time) CHECK(w.node() == "n1");
  const uint64_t served = w.evaluator.classes().served();
  for (const CyclePoint at : {CyclePoint::kPreFilter, CyclePoint::kScore}) {
    Cancels observer(at);
    CycleOptions how;
    how.observer = &observer;
    how.limits.cancel = &observer.cancel;
    const Result<CycleOutcome> out = w.run(how);
    REQUIRE(!out.ok());
    CHECK(out.error().rc == Rc::kCancelled);
  }
  CHECK(w.node() == "n1");
  CHECK(w.evaluator.classes().served() > served);
}

TEST_CASE("the time of a cycle that goes on counts as PreFilter's") {
  const Ref<VirtualClock> clock = make_ref<VirtualClock>(0);
  Asked asked;
  Fake fake = labels_matter(&asked, {kLabels, kOften});
  const auto filter = fake.filter;
  fake.filter = [&](const FilterCall& call, const Node& node) {
    clock->advance_to(clock->now_ns() + 5);
    return filter(call, node);
  };
  struct Times final : CycleObserver {
    explicit Times(const Clock& c) : clock(c) {}
    void hear(const CycleEvent& e) override { of[e.point] += (e.ended ? 1 : -1) * clock.now_ns(); }
    const Clock& clock;
    std::map<CyclePoint, int64_t> of;
  };
  for (const ClassMemoryMode mode : {ClassMemoryMode::kOff, ClassMemoryMode::kAlways}) {
    const bool kept = mode == ClassMemoryMode::kAlways;
    KeptWorld w({fake}, mode);
    w.know_labels("{top: a}");
    for (int time = 0; time < 3; ++time) CHECK(w.node() == "n1");
    REQUIRE(w.cluster->update_node(fake_node("n2", "{top: a}")).ok());
    Times times(*clock);
    CycleOptions how;
    how.observer = &times;
    CHECK(w.node(how) == "n2");
    CHECK(times.of[CyclePoint::kPreFilter] == (kept ? 5 : 0));
    CHECK(times.of[CyclePoint::kFilter] == (kept ? 0 : 15));
  }
}

}  // namespace libsched::kept_observers_test
