// World: the rules, and the plugins that ask them.
#include "world.hpp"

#include <algorithm>
#include <cctype>
#include <mutex>

#include "libsched/plugins/in_tree.hpp"

namespace libsched::cycles {
namespace {

const std::map<std::string, Code>& codes() {
  static const std::map<std::string, Code> kCodes = {
      {"Success", Code::kSuccess},
      {"Error", Code::kError},
      {"Unschedulable", Code::kUnschedulable},
      {"UnschedulableAndUnresolvable", Code::kUnschedulableAndUnresolvable},
      {"Wait", Code::kWait},
      {"Skip", Code::kSkip},
      {"Pending", Code::kPending}};
  return kCodes;
}

ActionType action_of(const std::string& name) {
  static const std::map<std::string, ActionType> kActions = {
      {"Add", kAdd},
      {"Delete", kDelete},
      {"Update", kUpdate},
      {"All", kAllActions},
      {"UpdateNodeAllocatable", kUpdateNodeAllocatable},
      {"UpdateNodeLabel", kUpdateNodeLabel},
      {"UpdateNodeTaint", kUpdateNodeTaint},
      {"UpdateNodeCondition", kUpdateNodeCondition},
      {"UpdateNodeAnnotation", kUpdateNodeAnnotation},
      {"UpdateNodeDeclaredFeature", kUpdateNodeDeclaredFeature},
      {"UpdatePodLabel", kUpdatePodLabel},
      {"UpdatePodScaleDown", kUpdatePodScaleDown},
      {"UpdatePodToleration", kUpdatePodToleration},
      {"UpdatePodSchedulingGatesEliminated", kUpdatePodSchedulingGatesEliminated},
      {"UpdatePodGeneratedResourceClaim", kUpdatePodGeneratedResourceClaim},
      {"UpdatePodScaleUp", kUpdatePodScaleUp},
      {"UpdateNodePreemptionPolicy", kUpdateNodePreemptionPolicy}};
  return kActions.at(name);
}

constexpr const char* kPoints[] = {"preEnqueue", "preFilter", "filter", "postFilter",
                                   "score",      "reserve",   "permit", "preBindPreFlight",
                                   "preBind"};

Status status_of(const World::Rule& rule) {
  const std::string code = rule.text("code");
  if (code.empty()) return {};
  Status s(codes().at(code));
  s.reasons = member<std::vector<std::string>>(rule.json, "reasons", {});
  if (const std::string error = rule.text("error"); !error.empty()) s.set_error(error);
  return s;
}

}  // namespace

int64_t duration(const std::string& text) {
  const std::map<std::string, double> units = {{"ns", 1},  {"us", 1e3}, {"ms", 1e6},
                                               {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
  const bool negative = !text.empty() && text[0] == '-';
  int64_t total = 0;
  for (size_t i = negative ? 1 : 0; i < text.size();) {
    size_t used = 0;
    const double number = std::stod(text.substr(i), &used);
    i += used;
    size_t end = i;
    while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end])) != 0) ++end;
    const auto unit = units.find(text.substr(i, end - i));
    if (unit == units.end()) return 0;
    total += static_cast<int64_t>(number * unit->second);
    i = end;
  }
  return negative ? -total : total;
}

std::string key_of(const ObjectMeta& meta) {
  return std::string(meta.ns) + "/" + std::string(meta.name);
}

World::Rules World::rules_of(const Json& list) {
  Rules out;
  if (list.is_array())
    for (const Json& rule : list) out.push_back({rule});
  return out;
}

World::Rule World::pick(Rules& rules, Str pod, Str node, Str object) {
  const std::lock_guard lock(mutex_);
  const auto fits = [](const Rule& r, const char* key, Str wanted) {
    const std::string text = r.text(key);
    return text.empty() || text == wanted;
  };
  for (Rule& r : rules) {
    if (!fits(r, "pod", pod) || !fits(r, "node", node) || !fits(r, "object", object)) continue;
    if (const int times = member(r.json, "times", 0); times != 0 && r.used >= times) continue;
    ++r.used;
    return r;
  }
  return {};
}

class World::FakePlugin final : public Plugin {
 public:
  FakePlugin(World& world, Spec& spec) : world_(world), spec_(spec) {}
  bool foreign() const override { return true; }

  Status pre_enqueue(const Call&, const Pod& pod) const override {
    return status_of(rule("preEnqueue", pod));
  }
  Result<Status> pre_filter(const PreFilterCall& call, PreFilterResult*) const override {
    return note("preFilter", call.pod, {}, status_of(rule("preFilter", call.pod)));
  }
  void filter(const FilterCall& call, const RowSet& set) const override {
    set.for_each([&](uint32_t row) {
      const Status s = verdict(call, row);
      if (s.success()) return;
      s.rejected() ? set.reject(row) : set.reject_with_error(row);
    });
  }
  void filter_status(const FilterCall& call, uint32_t row, Status* out) const override {
    *out = verdict(call, row);
  }
  Status post_filter(const PostFilterCall& call, std::optional<Nomination>* out) const override {
    const Rule r = rule("postFilter", call.pod);
    const Status s = r.text("code").empty() ? Status(Code::kUnschedulable) : status_of(r);
    if (const auto n = r.json.find("nominated"); n != r.json.end() && n->is_object())
      *out = Nomination{member<std::string>(*n, "mode", "") == "override",
                        member<std::string>(*n, "node", "")};
    return note("postFilter", call.pod, {}, s);
  }
  Scored score(const ScoreCall& call, const ScoreSet& set, int64_t* scores) const override {
    set.for_each([&](uint32_t row) {
      const Rule r = rule("score", call.pod, call.view.row(row).name);
      scores[row] = member<int64_t>(r.json, "score", 0);
      if (!status_of(r).success()) set.fail(row);
    });
    return {};
  }
  Status score_status(const ScoreCall& call, uint32_t row) const override {
    return status_of(rule("score", call.pod, call.view.row(row).name));
  }
  Status reserve(const ReserveCall& call) const override {
    const Rule r = rule("reserve", call.pod, call.node);
    activate(call.state, r);
    return note("reserve", call.pod, call.node, status_of(r));
  }
  Steps<> unreserve(const ReserveCall& call) const override {
    note("unreserve", call.pod, call.node, {});
    const std::string gang = gang_of(call.pod);
    if (gang.empty()) return {};
    for (const auto& mate : mates(gang)) mate->reject(name(), "gang " + gang + " is broken");
    return {};
  }
  Status permit(const BindingCall& call, int64_t* timeout_ns) const override {
    const Rule r = rule("permit", call.pod, call.node);
    activate(call.state, r);
    Status s = status_of(r);
    *timeout_ns = duration(r.text("timeout"));
    const std::string gang = r.text("code").empty() ? gang_of(call.pod) : "";
    if (!gang.empty()) {
      const auto waiting = mates(gang);
      const Json& g = spec_.json["gang"];
      if (static_cast<int>(waiting.size()) + 1 < member(g.at("sizes"), gang.c_str(), 0)) {
        s = Status(Code::kWait);
        *timeout_ns = duration(member<std::string>(g, "timeout", ""));
      } else {
        for (const auto& mate : waiting) mate->allow(name());
      }
    }
    return note("permit", call.pod, call.node, s);
  }
  Status pre_bind_pre_flight(const BindingCall& call, bool*) const override {
    const Rule r = rule("preBindPreFlight", call.pod, call.node);
    const Status s = member(r.json, "skip", false) ? Status(Code::kSkip) : status_of(r);
    return note("preBindPreFlight", call.pod, call.node, s);
  }
  Steps<Status> pre_bind(const BindingCall& call) const override {
    const Rule r = rule("preBind", call.pod, call.node);
    activate(call.state, r);
    const Status answer = status_of(r);
    if (const int64_t ns = duration(r.text("sleep")); ns > 0) {
      Clock& clock = call.services.clock();
      const int64_t end = clock.now_ns() + ns;
      Mutex mutex;
      Signal never;
      for (std::unique_lock lock(mutex); clock.now_ns() < end;) {
        if (const std::string why = call.services.pods_in_pre_bind().cancelled(call.pod.meta.uid);
            !why.empty())
          return note("preBind", call.pod, call.node, Status::from_error(why));
        clock.wait(never, lock, end);
      }
    }
    return note("preBind", call.pod, call.node, answer);
  }
  void post_bind(const BindingCall& call) const override {
    note("postBind", call.pod, call.node, {});
  }

  bool registers_events() const override { return spec_.json.contains("events"); }
  Result<std::vector<ClusterEventWithHint>> events_to_register() const override {
    std::vector<ClusterEventWithHint> out;
    const Json& events = spec_.json["events"];
    for (size_t i = 0; i < events.size(); ++i) {
      ClusterEventWithHint e;
      e.event.resource = member<std::string>(events[i], "resource", "");
      for (const Json& action : member(events[i], "actions", Json::array()))
        e.event.actions |= action_of(action.get<std::string>());
      e.has_hint = spec_.hints[i] != nullptr;
      out.push_back(e);
    }
    return out;
  }
  Result<QueueingHint> hint(size_t index, const View&, const Pod& pod,
                            const ObjectChange& change) const override {
    const ObjectRef& object = change.before ? change.before : change.after;
    const Rule r =
        world_.pick(*spec_.hints[index], pod.meta.name, {}, object ? object->meta.name : Str());
    if (const std::string error = r.text("error"); !error.empty())
      return Error{Rc::kInternal, error};
    return r.text("hint") == "Queue" ? QueueingHint::kQueue : QueueingHint::kQueueSkip;
  }

 private:
  std::string name() const { return spec_.json["name"].get<std::string>(); }
  Rule rule(const char* point, const Pod& pod, Str node = {}) const {
    return world_.pick(spec_.rules.at(point), pod.meta.name, node, {});
  }
  Status verdict(const FilterCall& call, uint32_t row) const {
    return status_of(rule("filter", call.pod, call.node(row).name()));
  }
  Status note(const char* point, const Pod& pod, Str node, Status s) const {
    std::string line = name() + "." + point;
    if (!node.empty()) line += " " + std::string(node);
    if (!s.success()) line += ": " + std::string(code_name(s.code));
    const std::lock_guard lock(world_.mutex_);
    world_.calls_[key_of(pod.meta)].push_back(std::move(line));
    return s;
  }
  void activate(CycleState& state, const Rule& r) const {
    for (const std::string& key : member<std::vector<std::string>>(r.json, "activate", {}))
      if (const PodRef pod = world_.find_(key)) state.activate(pod);
  }
  std::string gang_of(const Pod& pod) const {
    const auto g = spec_.json.find("gang");
    if (g == spec_.json.end() || !g->is_object()) return "";
    const Label* const label = find_label(pod.meta.labels, member<std::string>(*g, "label", ""));
    return label == nullptr ? "" : std::string(label->value);
  }
  std::vector<std::shared_ptr<WaitingPod>> mates(const std::string& gang) const {
    std::vector<std::shared_ptr<WaitingPod>> out;
    for (const auto& w : world_.services->waiting_pods().all())
      if (gang_of(w->pod()) == gang) out.push_back(w);
    return out;
  }

  World& world_;
  Spec& spec_;
};

World::World(const Json& plugins, std::function<PodRef(const std::string&)> find)
    : find_(std::move(find)) {
  if (!plugins.is_array()) return;
  for (const Json& json : plugins) {
    auto spec = std::make_unique<Spec>();
    spec->json = json;
    const Json all_rules = member(json, "rules", Json::object());
    for (const char* point : kPoints) spec->rules[point];
    for (const auto& [point, rules] : all_rules.items()) spec->rules[point] = rules_of(rules);
    for (const Json& event : member(json, "events", Json::array())) {
      const auto hint = event.find("hint");
      const bool has = hint != event.end() && !hint->is_null();
      spec->hints.push_back(has ? std::make_unique<Rules>(rules_of(*hint)) : nullptr);
    }
    specs_[json.at("name").get<std::string>()] = std::move(spec);
  }
}

RegistryRef World::registry() const {
  const Ref<Registry> registry = in_tree_registry()->copy();
  PointMask points = 0;
  for (const ExtensionPoint p :
       {ExtensionPoint::kPreEnqueue, ExtensionPoint::kPreFilter, ExtensionPoint::kFilter,
        ExtensionPoint::kPostFilter, ExtensionPoint::kScore, ExtensionPoint::kReserve,
        ExtensionPoint::kPermit, ExtensionPoint::kPreBind, ExtensionPoint::kPostBind})
    points |= point_bit(p);
  for (const auto& [name, spec] : specs_) {
    World* const self = const_cast<World*>(this);
    const Result<void> added = registry->add(
        name, {points,
               [self, s = spec.get()](const FactoryCall&) -> Result<std::unique_ptr<Plugin>> {
                 return std::unique_ptr<Plugin>(new FakePlugin(*self, *s));
               },
               false});
    if (!added.ok()) throw std::runtime_error(added.error().text());
  }
  return registry;
}

void World::set_rules(const std::string& plugin, const std::string& point, const Json& rules) {
  const std::lock_guard lock(mutex_);
  specs_.at(plugin)->rules[point] = rules_of(rules);
}

}  // namespace libsched::cycles
