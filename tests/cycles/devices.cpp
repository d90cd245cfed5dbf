// Mode dra: one cycle after the other, as far as PreBind.
#include "devices.hpp"

#include <algorithm>
#include <map>

#include "claim_api.hpp"
#include "libsched/base/bitmap.hpp"
#include "libsched/ingest/ingest.hpp"
#include "libsched/plugins/dynamicresources/claim_data.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/run/evaluator.hpp"
#include "scene.hpp"

namespace libsched::cycles {
namespace {

constexpr Str kPlugin = "DynamicResources";
constexpr Str kClassKey = "DeviceClass/";
constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kNow = 1'790'000'000 * kSecond;          // in 2026
constexpr int64_t kAssumedFrom = 4'102'444'800 * kSecond;  // 2100

// Waiting takes no time that a later pod could notice.
class ReturningClock final : public Clock {
 public:
  int64_t now_ns() const override { return now_; }
  void wait(Signal&, std::unique_lock<Mutex>&, int64_t deadline_ns) override {
    now_ = std::max(now_, deadline_ns);
  }
  void go_back() { now_ = kNow; }

 private:
  int64_t now_ = kNow;
};

Json json_of(const Status& s) {
  Json out = {{"code", code_name(s.code)}};
  if (!s.plugin.empty()) out["plugin"] = s.plugin;
  std::vector<std::string> reasons = s.reasons;
  std::sort(reasons.begin(), reasons.end());
  if (!reasons.empty()) out["reasons"] = reasons;
  return out;
}

// An object of a case with what an API server gives each: a namespace, a uid and a version.
Json completed(Json object, const std::string& kind) {
  Json& meta = object["metadata"];
  const bool scoped = !cluster_scoped(kind);
  if (scoped && member<std::string>(meta, "namespace", "").empty()) meta["namespace"] = "default";
  const std::string name = member<std::string>(meta, "name", "");
  if (member<std::string>(meta, "uid", "").empty())
    meta["uid"] =
        kind + "/" + (scoped ? meta["namespace"].get<std::string>() + "/" : std::string()) + name;
  return object;
}

ObjectSet parsed(const Json& objects, const char* key, bool defaults) {
  Json list = {{"apiVersion", "v1"}, {"kind", "List"}, {"items", Json::array()}};
  for (Json object : objects) {
    if (!object.contains("kind")) {
      object["apiVersion"] = "v1";
      object["kind"] = "Pod";
    }
    list["items"].push_back(completed(object, object["kind"].get<std::string>()));
  }
  ParseOptions options;
  options.defaults = defaults;
  Result<ObjectSet> set = parse_objects(list.dump(), options);
  if (!set.ok()) throw BadCase(std::string(key) + ": " + set.error().text());
  return std::move(*set);
}

class Devices {
 public:
  explicit Devices(const Json& c);
  Json run();

 private:
  struct Env {
    FrameworkRef framework;
    std::unique_ptr<Evaluator> evaluator;
    size_t plugin = 0;
  };
  // DeviceClasses that go and come before a pod.
  struct Change {
    size_t before = 0;
    std::vector<std::string> gone;
    std::vector<StoredObject> there;
  };
  void make_changes(size_t before);
  Json pod(const PodRef& pod, std::string* stop);
  bool filter(Env& env, CycleState& state, const Pod& pod, Json& r, std::vector<std::string>* fit);
  bool score(Env& env, CycleState& state, const Pod& pod, const std::vector<std::string>& fit,
             Json& r, std::string* best);
  void post_filter(Env& env, CycleState& state, const Pod& pod, Json& r, std::string* stop);
  void bind(Env& env, const Ref<CycleState>& state, const Pod& pod, const std::string& node,
            Json& r);
  static const CycleState::Entry& entry(const Env& env, const CycleState& state) {
    return state.entries()[env.plugin];
  }
  static const ClaimsOfCycle* data(const Env& env, const CycleState& state) {
    return static_cast<const ClaimsOfCycle*>(entry(env, state).data.get());
  }
  const Plugin& plugin(const Env& env) const {
    return *env.framework->plugins()[env.plugin].plugin;
  }
  uint32_t row(const std::string& node) const { return cluster_->view().find_node(node); }

  Ref<Cluster> cluster_ = make_ref<Cluster>();
  Ref<ReturningClock> clock_ = make_ref<ReturningClock>();
  Ref<ClaimApi> api_ = make_ref<ClaimApi>(cluster_);
  Ref<Services> services_ = make_ref<Services>(clock_, api_, clock_);
  std::map<std::string, Env> profiles_;
  ObjectSet pods_;
  std::vector<Change> changes_;
  int assumed_ = 0;
};

Devices::Devices(const Json& c) {
  const Configured configured(c, in_tree_registry());
  const bool defaults = member(c, "defaults", false);
  const auto objects = [&](const char* key) {
    return parsed(member(c, key, Json::array()), key, defaults);
  };
  const Result<size_t> applied = cluster_->apply(objects("objects"));
  if (!applied.ok()) throw BadCase(applied.error().text());
  api_->start();
  pods_ = objects("pods");
  for (const PodRef& pod : pods_.pods) services_->pod_groups().put(pod).keep();
  for (const Json& change : member(c, "changes", Json::array())) {
    Change& made = changes_.emplace_back();
    made.before = change.at("before").get<size_t>();
    for (const Json& key : member(change, "delete", Json::array())) {
      const auto text = key.get<std::string>();
      if (!text.starts_with(kClassKey)) throw BadCase("delete: no DeviceClass");
      made.gone.push_back(text.substr(kClassKey.size()));
    }
    for (const Json& object : member(change, "apply", Json::array()))
      for (const StoredObject& o : parsed(Json::array({object}), "apply", defaults).stored)
        made.there.push_back(o);
  }
  for (const FrameworkRef& framework : configured.frameworks) {
    Env env;
    env.framework = framework;
    env.evaluator = std::make_unique<Evaluator>(framework, cluster_);
    must(env.evaluator->use(services_));
    const auto& plugins = env.framework->plugins();
    while (env.plugin < plugins.size() && plugins[env.plugin].name != kPlugin) ++env.plugin;
    if (env.plugin == plugins.size()) throw BadCase("profile without DynamicResources");
    profiles_.emplace(framework->profile(), std::move(env));
  }
}

// False after an Error.
bool Devices::filter(Env& env, CycleState& state, const Pod& pod, Json& r,
                     std::vector<std::string>* fit) {
  const bool skipped = entry(env, state).skip_filter;
  const View& view = cluster_->view();
  std::vector<std::string> names;
  view.live().for_each(
      [&](size_t i) { names.emplace_back(view.row(static_cast<uint32_t>(i)).name); });
  std::sort(names.begin(), names.end());
  std::string error;
  for (const std::string& name : names) {
    Status status;
    must(env.evaluator->run_filter_with_nominated(state, pod, row(name), &status));
    Json n = json_of(status);
    n["node"] = name;
    if (!skipped) {
      const NodeView node(view, row(name));
      const ClaimData::Verdict& own =
          data(env, state)->data->verdict(node, *clock_, [] { return false; });
      if (own.status.code != status.code || (!status.plugin.empty() && status.plugin != kPlugin))
        n["dra"] = json_of(own.status);
      if (own.status.success() && own.extended.claim) {
        const Json spec = ClaimApi::document(*own.extended.claim)["spec"];
        Json& extended = n["extended"] = {{"requests", nullptr}, {"mappings", nullptr}};
        if (own.extended.claim->spec.requests_present)
          extended["requests"] = spec["devices"]["requests"];
        for (const PodStatusPatch::ExtendedClaim::Mapping& m : own.extended.mappings)
          extended["mappings"].push_back({{"containerName", m.container},
                                          {"resourceName", m.resource},
                                          {"requestName", m.request}});
      }
      if (own.taken) n["allocatable"] = Json::parse(own.taken->json);
      ClaimApi::Shares shares;
      for (const NewAllocationRef& a : own.allocations) {
        const Ref<ResourceClaim> claim = make_ref<ResourceClaim>(256);
        claim->allocation = a->allocation;
        n["allocations"].push_back(
            ClaimApi::allocation(ClaimApi::document(*claim)["status"]["allocation"], shares));
      }
    }
    r["nodes"].push_back(n);
    if (!state.pre_filter().allows(name)) continue;
    if (status.code == Code::kError) {
      if (error.empty()) error = status.message();
    } else if (status.success()) {
      fit->push_back(name);
    }
  }
  if (!error.empty()) r["error"] = error;
  return error.empty();
}

bool Devices::score(Env& env, CycleState& state, const Pod& pod,
                    const std::vector<std::string>& fit, Json& r, std::string* best) {
  const View& view = cluster_->view();
  std::vector<uint64_t> bits(view.word_count());
  for (const std::string& name : fit) bits[row(name) / 64] |= uint64_t{1} << (row(name) % 64);
  const auto failed = [&](const Result<Status>& s) {
    if (!s.ok()) throw BadCase(s.error().text());
    if (!s->success()) r["scoreError"] = s->message();
    return !s->success();
  };
  if (failed(env.evaluator->run_pre_score(state, pod, bits.data(), bits.size()))) return false;
  std::vector<std::string> skipped;
  for (size_t i = 0; i < state.entries().size(); ++i)
    if (state.entries()[i].skip_score) skipped.push_back(env.framework->plugins()[i].name);
  std::sort(skipped.begin(), skipped.end());
  if (!skipped.empty()) r["skipScore"] = skipped;
  ScoreTable table;
  if (failed(env.evaluator->run_score(state, pod, bits.data(), bits.size(), nullptr, &table)))
    return false;
  std::map<std::string, Json> by_node;
  int64_t highest = std::numeric_limits<int64_t>::min();
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const std::string node(view.row(table.rows[i]).name);
    Json plugins = Json::object();
    for (const ScoreTable::Column& column : table.columns)
      plugins[column.plugin] = {{"raw", column.raw[i]},
                                {"normalized", column.normalized[i]},
                                {"weighted", column.weighted[i]}};
    by_node[node] = {{"node", node}, {"total", table.totals[i]}, {"plugins", plugins}};
    highest = std::max(highest, table.totals[i]);
  }
  for (const auto& [name, json] : by_node) {
    r["scores"].push_back(json);
    if (best->empty() && json["total"] == highest) *best = name;
  }
  return true;
}

void Devices::post_filter(Env& env, CycleState& state, const Pod& pod, Json& r, std::string* stop) {
  Json candidates = Json::array();
  if (const ClaimsOfCycle* const claims = data(env, state); claims != nullptr && claims->data)
    for (const uint32_t i : claims->data->unavailable()) {
      if (claims->data->claims()[i].extended) continue;
      const ResourceClaim& c = *claims->data->claims()[i].object;
      if (c.reserved_for.empty() ||
          (c.reserved_for.size() == 1 && c.reserved_for[0].uid == pod.meta.uid))
        candidates.push_back(key_of(c.meta));
    }
  std::sort(candidates.begin(), candidates.end());
  const NodeStatuses statuses;
  std::optional<Nomination> nomination;
  const PostFilterCall call{
      {cluster_->view(), *services_, nullptr, env.evaluator.get()}, pod, state, statuses};
  const Status s = plugin(env).post_filter(call, &nomination);
  r["postFilter"] = json_of(s);
  if (s.message().starts_with("deallocation")) {
    r["deallocated"] = candidates;
    if (candidates.size() > 1) {
      *stop = "PostFilter picks one of several claims by chance";
      return;
    }
  }
  if (const Json changes = api_->changes(); !changes.empty()) r["claims"] = changes;
}

void Devices::bind(Env& env, const Ref<CycleState>& state, const Pod& pod, const std::string& node,
                   Json& r) {
  ++assumed_;
  const Result<Status> reserved =
      env.evaluator->assume(*state, pod, row(node), {kAssumedFrom + assumed_ * kSecond, true});
  if (!reserved.ok()) throw BadCase(reserved.error().text());
  if (!reserved->success()) {
    r["reserve"] = json_of(*reserved);
  } else {
    const BindingCall call{*services_, pod, *state, entry(env, *state), node, row(node)};
    bool parallel = false;
    Status bound;
    if (plugin(env).pre_bind_pre_flight(call, &parallel).success())
      bound = plugin(env).pre_bind(call).now();
    clock_->go_back();
    if (bound.success()) {
      services_->nominator().remove(pod);
    } else {
      r["preBind"] = json_of(bound);
      must(env.evaluator->forget(*state, pod));
    }
  }
  if (const Json changes = api_->changes(); !changes.empty()) r["claims"] = changes;
  if (const Json extended = api_->take_extended(); !extended.is_null())
    r["extendedResourceClaimStatus"] = extended;
  if (const Json taken = api_->take_allocatable(); !taken.empty())
    r["nodeAllocatableResourceClaimStatuses"] = taken;
}

Json Devices::pod(const PodRef& pod, std::string* stop) {
  Json r = {{"pod", key_of(pod->meta)}};
  const auto known = profiles_.find(std::string(pod->spec.scheduler_name));
  if (known == profiles_.end()) {
    r["error"] = "no such profile";
    return r;
  }
  Env& env = known->second;
  const Call call{cluster_->view(), *services_, nullptr, env.evaluator.get()};
  if (const Status s = plugin(env).pre_enqueue(call, *pod); !s.success())
    r["preEnqueue"] = json_of(s);
  std::vector<SignFragment> fragments;
  if (const Status s = plugin(env).sign(cluster_->view(), *pod, &fragments); !s.success())
    r["sign"] = json_of(s);
  const Ref<CycleState> state = make_ref<CycleState>();
  const Result<Status> pre = env.evaluator->run_pre_filter(*state, *pod);
  if (!pre.ok()) {
    r["error"] = pre.error().text();
    return r;
  }
  r["preFilter"] = json_of(*pre);
  if (entry(env, *state).skip_filter) r["skipped"] = true;
  if (!pre->success() && !pre->rejected()) {
    r["error"] = pre->message();
    return r;
  }
  std::vector<std::string> fit;
  if (pre->success() && !filter(env, *state, *pod, r, &fit)) return r;
  if (fit.empty()) {
    if (!state->skip_all_post_filter()) post_filter(env, *state, *pod, r, stop);
    return r;
  }
  std::string best;
  const bool scored = score(env, *state, *pod, fit, r, &best);
  std::string chosen;
  if (fit.size() == 1)
    chosen = fit[0];
  else if (const std::string nominated(pod->status.nominated_node_name);
           std::find(fit.begin(), fit.end(), nominated) != fit.end())
    chosen = nominated;
  else if (scored)
    chosen = best;
  if (chosen.empty()) return r;
  r["chosen"] = chosen;
  bind(env, state, *pod, chosen, r);
  return r;
}

void Devices::make_changes(size_t before) {
  for (const Change& change : changes_) {
    if (change.before != before) continue;
    for (const std::string& name : change.gone)
      must(cluster_->remove_object(StoredKind::kDeviceClass, "", name));
    for (const StoredObject& o : change.there) {
      if (o.kind != StoredKind::kDeviceClass) throw BadCase("apply: no DeviceClass");
      must(cluster_->put_object(o.kind, o.object));
    }
  }
}

Json Devices::run() {
  Json pods = Json::array();
  std::string stop;
  for (size_t i = 0; i < pods_.pods.size() && stop.empty(); ++i) {
    make_changes(i);
    pods.push_back(pod(pods_.pods[i], &stop));
  }
  Json out = {{"mode", "dra"}, {"pods", pods}};
  if (!stop.empty()) out["stopped"] = stop;
  return out;
}

}  // namespace

Json run_devices(const Json& c) {
  Json out = Devices(c).run();
  if (const auto name = member<std::string>(c, "name", ""); !name.empty()) out["name"] = name;
  return out;
}

}  // namespace libsched::cycles
