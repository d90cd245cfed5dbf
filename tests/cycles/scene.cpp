// Scene: making the parts of a case, and the steps of its script that need no time.
#include "scene.hpp"

#include "libsched/config/config.hpp"

namespace libsched::cycles {

void must(const Result<void>& done) {
  if (!done.ok()) throw BadCase(done.error().text());
}

Configured::Configured(const Json& c, const RegistryRef& registry) {
  std::vector<std::pair<std::string, bool>> wanted;
  const Json gates_json = member(c, "gates", Json::object());
  for (const auto& [name, on] : gates_json.items()) wanted.emplace_back(name, on.get<bool>());
  const Result<Release> release = parse_release(member<std::string>(c, "release", ""));
  if (!release.ok()) throw BadCase("release: " + release.error().text());
  const Result<FeatureGates> gates = FeatureGates::from_map(wanted, *release);
  if (!gates.ok()) throw BadCase(gates.error().text());
  must(gates->require_supported());
  const Json config_json = member(c, "config", Json());
  ConfigOptions options;
  options.gates = *gates;
  const Result<ConfigRef> parsed =
      config_json.is_null() ? default_config(options)
                            : parse_config(config_json.is_string() ? config_json.get<std::string>()
                                                                   : config_json.dump(),
                                           options);
  if (!parsed.ok()) throw BadCase(parsed.error().text());
  config = *parsed;
  for (const Profile& p : config->profiles) {
    Result<FrameworkRef> made =
        Framework::create(config, p.scheduler_name, registry, *gates, *release);
    if (!made.ok()) throw BadCase(made.error().text());
    frameworks.push_back(std::move(*made));
  }
}

Scene::Scene(const Json& c, const Ref<Clock>& clock) : clock_(clock) {
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

  Configured made(c, world_->registry());
  frameworks_ = std::move(made.frameworks);
  queue_.initial_backoff_ns = made.config->pod_initial_backoff_seconds * 1'000'000'000;
  queue_.max_backoff_ns = made.config->pod_max_backoff_seconds * 1'000'000'000;
  if (const auto text = member<std::string>(options, "maxInUnschedulable", ""); !text.empty())
    queue_.max_in_unschedulable_ns = duration(text);
}

SchedulerRef Scene::scheduler(SchedulerOptions options) const {
  options.queue = queue_;
  Result<SchedulerRef> made =
      Scheduler::create(frameworks_, make_ref<Cluster>(), clock_, recorder_, options);
  if (!made.ok()) throw BadCase(made.error().text());
  world_->services = (*made)->services().get();
  return std::move(*made);
}

void Scene::decide(const Json& step, Scheduler& scheduler, Json& result) {
  const auto name = step.at("name").get<std::string>();
  const auto plugin = member<std::string>(step, "plugin", "");
  bool found = false;
  for (const auto& waiting : scheduler.services()->waiting_pods().all()) {
    if (key_of(waiting->pod().meta) != name) continue;
    found = true;
    step.at("do") == "allow" ? waiting->allow(plugin)
                             : void(waiting->reject(plugin, "rejected by the script"));
  }
  if (!found) result["error"] = "not waiting";
}

void Scene::step(const Json& s, Scheduler& scheduler, Json& result) {
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
  if (what == "allow" || what == "reject") return decide(s, scheduler, result);
  throw BadCase("unknown step " + what);
}

}  // namespace libsched::cycles
