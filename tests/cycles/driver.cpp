// Driver: the steps, and how time passes between them.
#include "driver.hpp"

#include <algorithm>

#include "metrics.hpp"
#include "scene.hpp"
#include "view.hpp"

namespace libsched::cycles {
namespace {

constexpr int64_t kTenth = 100'000'000;
constexpr size_t kMaxTurns = 2000;  // at one time: more are a livelock

// The ends of grace periods, which happen only between steps and at full tenths of a second.
class Gate final : public TimeSource {
 public:
  explicit Gate(TimeSource& source) : source_(source) {}
  std::optional<int64_t> next_due() const override {
    return open ? source_.next_due() : std::nullopt;
  }
  bool run_due(int64_t now_ns) override { return open && source_.run_due(now_ns); }
  bool open = true;

 private:
  TimeSource& source_;
};

class Driver final : public SchedulerObserver {
 public:
  explicit Driver(const Json& c);
  ~Driver() override;
  Json run(const Json& script);
  Json metrics() const { return metrics_of(scheduler_->metrics_text()); }

  void popped(const QueuedPodInfo& p) override {
    cycles_.push_back(
        {{"at", now() - kStart}, {"pod", key_of(p.pod->meta)}, {"info", view_->info(p)}});
  }

 private:
  int64_t now() const { return clock_->now_ns(); }
  void tick() { clock_->advance_to(now() + Turns::kTurnNs); }
  void settle(bool hold) { must(scheduler_->settle(hold, kMaxTurns)); }
  void advance(int64_t by);

  Ref<VirtualClock> clock_ = make_ref<VirtualClock>(kFirstStep);
  Scene scene_;
  Gate gate_{*scene_.server()};
  Versions versions_;
  SchedulerRef scheduler_;
  std::unique_ptr<StateView> view_;
  Json cycles_ = Json::array();
};

Driver::Driver(const Json& c) : scene_(c, clock_) {
  SchedulerOptions options;
  options.observer = std::shared_ptr<SchedulerObserver>(std::shared_ptr<void>(), this);
  scheduler_ = scene_.scheduler(options);
  view_ = std::make_unique<StateView>(*scheduler_, *scene_.server(), versions_, kStart);
  scene_.server()->watch(&versions_);
  scene_.server()->watch(scheduler_.get());
  scheduler_->add(&gate_);
  for (const Json& object : member(c, "objects", Json::array())) {
    must(scene_.documents().create(object));
    settle(true);
    tick();
  }
  must(scheduler_->start());
}

Driver::~Driver() {
  if (scheduler_) scene_.server()->unwatch(scheduler_.get());
  scene_.server()->unwatch(&versions_);
}

// Looks at every full tenth of a second, and whenever a call begins to wait.
void Driver::advance(int64_t by) {
  const int64_t end = (now() + by) / kTenth * kTenth;
  settle(false);
  while (now() < end) {
    const int64_t tenth = (now() / kTenth + 1) * kTenth;
    gate_.open = false;
    for (bool acted = false; !acted && now() < tenth;) {
      const int64_t due = scheduler_->next_due().value_or(tenth);
      clock_->advance_to(due <= now() ? tenth : std::min(due, tenth));
      acted = !scheduler_->settle(true, 1).ok();
    }
    gate_.open = true;
    settle(false);
  }
}

Json Driver::run(const Json& script) {
  Json steps = Json::array();
  Json all = Json::array({{{"do", "start"}}});
  for (const Json& s : script) all.push_back(s);
  for (const Json& s : all) {
    Json result = {{"do", s.at("do")}};
    tick();
    must(scheduler_->queue().run_due());  // timers come before what a script does at the same moment
    if (s.at("do") == "advance") {
      settle(false);
      advance(duration(member<std::string>(s, "by", "")));
    } else {
      scene_.step(s, *scheduler_, result);
    }
    settle(member(s, "hold", false));
    result["now"] = now() - kStart;
    const auto put = [&](const char* key, Json value) {
      if (!value.empty()) result[key] = std::move(value);
    };
    put("cycles", std::exchange(cycles_, Json::array()));
    put("calls", scene_.world().take_calls());
    put("api", scene_.recorder().take_calls());
    put("events", scene_.recorder().take_events());
    view_->describe(result);
    steps.push_back(std::move(result));
  }
  return steps;
}

}  // namespace

Json run_case(const Json& c) {
  Driver driver(c);
  Json out = Json::object();
  if (const auto name = member<std::string>(c, "name", ""); !name.empty()) out["name"] = name;
  out["steps"] = driver.run(member(c, "script", Json::array()));
  if (member(c, "metrics", false)) out["metrics"] = driver.metrics();
  return out;
}

}  // namespace libsched::cycles
