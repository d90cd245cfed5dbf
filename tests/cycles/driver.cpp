// Driver: the steps, and how time passes between them.
#include "driver.hpp"

#include <algorithm>

#include "libsched/config/config.hpp"

namespace libsched::cycles {
namespace {

constexpr int64_t kStart = 946'684'800'000'000'000;  // 2000-01-01
constexpr int64_t kTenth = 100'000'000;
constexpr size_t kMaxTurns = 2000;  // at one time: more are a livelock

void must(const Result<void>& done) {
  if (!done.ok()) throw BadCase(done.error().text());
}

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

  void popped(const QueuedPodInfo& p) override {
    cycles_.push_back(
        {{"at", now() - kStart}, {"pod", key_of(p.pod->meta)}, {"info", view_->info(p)}});
  }

 private:
  int64_t now() const { return clock_->now_ns(); }
  void tick() { clock_->advance_to(now() + Turns::kTurnNs); }
  void settle(bool hold) { must(scheduler_->settle(hold, kMaxTurns)); }
  void advance(int64_t by);
  void decide(const Json& step, Json& result);
  void step(const Json& step, Json& result);

  Ref<VirtualClock> clock_ = make_ref<VirtualClock>(kStart + 1'300'000'000);
  Ref<ApiServer> server_;
  std::unique_ptr<Documents> documents_;
  std::unique_ptr<World> world_;
  Ref<Recorder> recorder_;
  std::unique_ptr<Gate> gate_;
  Versions versions_;
  SchedulerRef scheduler_;
  std::unique_ptr<StateView> view_;
  Json cycles_ = Json::array();
};

Driver::Driver(const Json& c) {
  const Json options = member(c, "options", Json::object());
  ApiServerOptions api;
  api.grace_ns = duration(member<std::string>(options, "grace", ""));
  server_ = make_ref<ApiServer>(clock_, api);
  documents_ = std::make_unique<Documents>(server_, kStart);
  world_ =
      std::make_unique<World>(member(c, "plugins", Json::array()), [this](const std::string& key) {
        const auto [ns, name] = split_key(key);
        return server_->pod(ns, name);
      });
  recorder_ = make_ref<Recorder>(server_, clock_, kStart,
                                 [this](StoredKind kind, const ObjectMeta& meta, Str patch) {
                                   documents_->updated(kind, meta, patch);
                                 });
  gate_ = std::make_unique<Gate>(*server_);

  std::vector<std::pair<std::string, bool>> wanted;
  const Json gates_json = member(c, "gates", Json::object());
  for (const auto& [name, on] : gates_json.items()) wanted.emplace_back(name, on.get<bool>());
  const Result<FeatureGates> gates = FeatureGates::from_map(wanted);
  if (!gates.ok()) throw BadCase(gates.error().text());
  must(gates->require_supported());
  const Json config_json = member(c, "config", Json());
  ConfigOptions config_options;
  config_options.gates = *gates;
  const Result<ConfigRef> config =
      parse_config(config_json.is_null()     ? ""
                   : config_json.is_string() ? config_json.get<std::string>()
                                             : config_json.dump(),
                   config_options);
  if (!config.ok()) throw BadCase(config.error().text());
  std::vector<FrameworkRef> frameworks;
  for (const Profile& p : (*config)->profiles) {
    Result<FrameworkRef> made =
        Framework::create(*config, p.scheduler_name, world_->registry(), *gates);
    if (!made.ok()) throw BadCase(made.error().text());
    frameworks.push_back(std::move(*made));
  }
  SchedulerOptions scheduling;
  scheduling.queue.initial_backoff_ns = (*config)->pod_initial_backoff_seconds * 1'000'000'000;
  scheduling.queue.max_backoff_ns = (*config)->pod_max_backoff_seconds * 1'000'000'000;
  if (const auto text = member<std::string>(options, "maxInUnschedulable", ""); !text.empty())
    scheduling.queue.max_in_unschedulable_ns = duration(text);
  scheduling.observer = std::shared_ptr<SchedulerObserver>(std::shared_ptr<void>(), this);
  Result<SchedulerRef> made =
      Scheduler::create(frameworks, make_ref<Cluster>(), clock_, recorder_, scheduling);
  if (!made.ok()) throw BadCase(made.error().text());
  scheduler_ = std::move(*made);
  world_->services = scheduler_->services().get();
  view_ = std::make_unique<StateView>(*scheduler_, *server_, versions_, kStart);
  server_->watch(&versions_);
  server_->watch(scheduler_.get());
  scheduler_->add(gate_.get());
  for (const Json& object : member(c, "objects", Json::array())) {
    must(documents_->create(object));
    settle(true);
    tick();
  }
  must(scheduler_->start());
}

Driver::~Driver() {
  if (scheduler_) server_->unwatch(scheduler_.get());
  server_->unwatch(&versions_);
}

// Looks at every full tenth of a second, and whenever a call begins to wait.
void Driver::advance(int64_t by) {
  const int64_t end = (now() + by) / kTenth * kTenth;
  settle(false);
  while (now() < end) {
    const int64_t tenth = (now() / kTenth + 1) * kTenth;
    gate_->open = false;
    for (bool acted = false; !acted && now() < tenth;) {
      const int64_t due = scheduler_->next_due().value_or(tenth);
      clock_->advance_to(due <= now() ? tenth : std::min(due, tenth));
      acted = !scheduler_->settle(true, 1).ok();
    }
    gate_->open = true;
    settle(false);
  }
}

void Driver::decide(const Json& step, Json& result) {
  const auto name = step.at("name").get<std::string>();
  const auto plugin = member<std::string>(step, "plugin", "");
  bool found = false;
  for (const auto& waiting : scheduler_->services()->waiting_pods().all()) {
    if (key_of(waiting->pod().meta) != name) continue;
    found = true;
    step.at("do") == "allow" ? waiting->allow(plugin)
                             : void(waiting->reject(plugin, "rejected by the script"));
  }
  if (!found) result["error"] = "not waiting";
}

void Driver::step(const Json& s, Json& result) {
  const auto text = [&](const char* key) { return member<std::string>(s, key, ""); };
  const auto tell = [&](const Result<void>& done) {
    if (!done.ok()) result["error"] = done.error().message;
  };
  const std::string what = text("do");
  if (what == "start") return;
  if (what == "create") return must(documents_->create(s.at("object")));
  if (what == "patch") return tell(documents_->patch(text("kind"), text("name"), s.at("patch")));
  if (what == "delete") return tell(documents_->remove(text("kind"), text("name")));
  if (what == "assign")
    return tell(
        documents_->assign(text("name"), member<std::string>(s.at("object"), "nodeName", "")));
  if (what == "bindClaims") return must(documents_->bind_claims());
  if (what == "fault") return recorder_->add_fault(s.at("fault"));
  if (what == "clearFaults") return recorder_->clear_faults();
  if (what == "rules")
    return world_->set_rules(text("plugin"), text("point"), member(s, "rules", Json::array()));
  if (what == "allow" || what == "reject") return decide(s, result);
  if (what != "advance") throw BadCase("unknown step " + what);
  settle(false);
  advance(duration(text("by")));
}

Json Driver::run(const Json& script) {
  Json steps = Json::array();
  Json all = Json::array({{{"do", "start"}}});
  for (const Json& s : script) all.push_back(s);
  for (const Json& s : all) {
    Json result = {{"do", s.at("do")}};
    tick();
    step(s, result);
    settle(member(s, "hold", false));
    result["now"] = now() - kStart;
    const auto put = [&](const char* key, Json value) {
      if (!value.empty()) result[key] = std::move(value);
    };
    put("cycles", std::exchange(cycles_, Json::array()));
    put("calls", world_->take_calls());
    put("api", recorder_->take_calls());
    put("events", recorder_->take_events());
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
  return out;
}

}  // namespace libsched::cycles
