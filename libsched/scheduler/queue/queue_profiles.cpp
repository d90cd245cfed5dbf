// QueueProfiles: upstream's preEnqueuePluginMap, queueingHintMap and pluginToEventsMap.
#include "libsched/scheduler/queue/queue_profiles.hpp"

#include <algorithm>

#include "libsched/base/quote.hpp"

namespace libsched {
namespace {

std::vector<Str> queue_sorts(const Framework& framework) {
  std::vector<Str> names;
  for (const uint32_t i : framework.at(ExtensionPoint::kQueueSort))
    names.push_back(framework.plugins()[i].name);
  return names;
}

}  // namespace

Result<QueueProfiles::Profile> QueueProfiles::profile_of(const FrameworkRef& framework,
                                                         PluginNames* names) {
  Profile out{framework, {}, {}};
  for (const uint32_t i : framework->at(ExtensionPoint::kPreEnqueue)) {
    const Framework::Instance& instance = framework->plugins()[i];
    if (!instance.plugin) continue;
    const Result<PluginId> name = names->id(instance.name);
    if (!name.ok()) return name.error();
    const auto same = std::find_if(out.gates.begin(), out.gates.end(),
                                   [&](const Gate& g) { return g.name == *name; });
    if (same == out.gates.end())
      out.gates.push_back({*name, instance.plugin.get()});
    else
      same->plugin = instance.plugin.get();  // upstream's map keeps the last plugin of a name
  }
  const Result<EventMap> events = event_map(*framework);
  if (!events.ok()) return events.error();
  for (const EventRegistration& r : events->registrations) {
    const Result<PluginId> name = names->id(r.name);
    if (!name.ok()) return name.error();
    const Plugin* plugin =
        r.plugin == kNoId ? nullptr : framework->plugins()[r.plugin].plugin.get();
    out.registrations.push_back({r.event, {*name, plugin, r.has_hint, r.hint}});
  }
  return out;
}

Result<QueueProfiles> QueueProfiles::create(Span<Evaluator*> profiles, PluginNames* names,
                                            QueueMetrics* metrics) {
  QueueProfiles out;
  out.times_ = std::make_unique<QueueTimes>(profiles[0]->services().clock_ref());
  for (const Evaluator* e : profiles) {
    const Framework& framework = e->framework();
    metrics->scheduler(framework.profile());
    Result<Profile> made = profile_of(FrameworkRef::share(&framework), names);
    if (!made.ok()) return std::move(made.error());
    out.profiles_.push_back(std::move(*made));
    if (queue_sorts(framework) != queue_sorts(out.first()))
      return Error{Rc::kInvalid, "the profiles " + go_quote(out.first().profile()) + " and " +
                                     go_quote(framework.profile()) +
                                     " have different queueSort plugins"};
  }
  return out;
}

const EventPlan& QueueProfiles::plan(Str resource, ActionType actions, Str label,
                                     QueueMetrics* metrics) {
  if (const auto it = plans_.find({resource, actions, label}); it != plans_.end())
    return *it->second;
  auto plan = std::make_unique<EventPlan>();
  plan->event = {std::string(resource), actions, std::string(label)};
  plan->label = metrics->event(plan->event.label());
  plan->wildcard = resource == "*" && actions == kAllActions;
  plan->of_interest = plan->wildcard;
  for (const Profile& profile : profiles_) {
    EventPlan::Profile& asked = plan->profiles.emplace_back();
    for (const Registration& r : profile.registrations) {
      if (!matches(r.event, plan->event)) continue;
      plan->of_interest = true;
      plan->gates.add(r.ask.name);
      asked.plugins.add(r.ask.name);
      asked.asks.push_back(r.ask);
      if (r.ask.has_hint) asked.asks.back().times = &times_->hints({r.ask.name, plan->label});
    }
  }
  const Key key{plan->event.resource, actions, plan->event.custom_label};
  return *plans_.emplace(key, std::move(plan)).first->second;
}

PluginId QueueProfiles::ask_gates(const Call& call, const Pod& pod, uint32_t scheduler,
                                  PluginId gating) const {
  QueueTimes::Gates& times = times_->gates(scheduler);
  const int64_t began = times_->now_ns();
  PluginId out = kNoPlugin;
  if (scheduler < profiles_.size()) {
    const std::vector<Gate>& gates = profiles_[scheduler].gates;
    const bool timed = times_->times_gates();
    const auto closed = [&](const Gate& g) {
      if (!timed && !g.plugin->may_hold_back(pod)) return false;
      const int64_t asked = timed ? times_->now_ns() : 0;
      const Code code = g.plugin->pre_enqueue(call, pod).code;
      if (timed) times_->gate(g.name, code).observe_alone(to_seconds(times_->now_ns() - asked));
      if (code == Code::kSuccess) return false;
      out = g.name;
      return true;
    };
    const auto was_closed = [&](const Gate& g) { return g.name == gating && closed(g); };
    const auto is_closed = [&](const Gate& g) { return g.name != gating && closed(g); };
    static_cast<void>(std::any_of(gates.begin(), gates.end(), was_closed) ||
                      std::any_of(gates.begin(), gates.end(), is_closed));
  }
  times.observe_alone(to_seconds(times_->now_ns() - began));
  return out;
}

Requeueing QueueProfiles::worth_requeueing(const Pod& pod, uint32_t scheduler,
                                           const RejectorSet& unschedulable,
                                           const RejectorSet& pending, const EventPlan& plan,
                                           const View& view, const ObjectChange& change) const {
  const RejectorSet rejectors = unschedulable | pending;
  if (rejectors.empty()) return Requeueing::kAfterBackoff;
  if (plan.wildcard) {
    if (!change.after) return Requeueing::kAfterBackoff;
    // Such an event concerns its pod alone.
    const bool mine =
        change.resource == "Pod" && same_pod(static_cast<const Pod&>(*change.after), pod);
    return mine ? Requeueing::kAfterBackoff : Requeueing::kSkip;
  }
  if (scheduler >= profiles_.size()) return Requeueing::kAfterBackoff;
  const EventPlan::Profile& asked = plan.profiles[scheduler];
  if (!asked.plugins.meets(rejectors)) return Requeueing::kSkip;
  Requeueing out = Requeueing::kSkip;
  for (const EventPlan::Ask& ask : asked.asks) {
    if (!rejectors.has(ask.name)) continue;
    if (out == Requeueing::kAfterBackoff && !pending.has(ask.name)) continue;  // knows no better
    if (ask.has_hint) {
      const int64_t began = times_->now_ns();
      const Result<QueueingHint> hint = ask.plugin->hint(ask.hint, view, pod, change);
      const HintResult result = !hint.ok()                          ? HintResult::kError
                                : *hint == QueueingHint::kQueueSkip ? HintResult::kQueueSkip
                                                                    : HintResult::kQueue;
      (*ask.times)[static_cast<size_t>(result)].observe_alone(to_seconds(times_->now_ns() - began));
      if (hint.ok() && *hint == QueueingHint::kQueueSkip) continue;  // an Error counts as Queue
    }
    if (pending.has(ask.name)) return Requeueing::kImmediately;
    if (pending.empty()) return Requeueing::kAfterBackoff;
    out = Requeueing::kAfterBackoff;
  }
  return out;
}

}  // namespace libsched
