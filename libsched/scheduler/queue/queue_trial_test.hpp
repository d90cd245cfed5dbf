// QueueTrial: a scheduling queue over fake plugins and a virtual clock, for the tests of this
// folder.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "libsched/run/fake_plugin_test.hpp"
#include "libsched/scheduler/queue/queue.hpp"

namespace libsched {

inline constexpr int64_t kMs = 1'000'000;
inline constexpr int64_t kBegin = 1000 * kSecondNs + 300 * kMs;

// `more` is YAML flow: "uid: u, labels: {a: b}" of the metadata, and "priority: 5" of the spec.
inline PodRef queue_pod(const std::string& name, int priority = 0, const std::string& meta = "",
                        const std::string& spec = "", const std::string& status = "") {
  const Result<PodRef> pod = parse_pod(
      "metadata: {namespace: d, name: " + name + (meta.empty() ? ", uid: " + name : ", " + meta) +
          "}\nspec: {schedulerName: fakes, priority: " + std::to_string(priority) +
          (spec.empty() ? "" : ", " + spec) + "}\nstatus: {" + status + "}",
      {});
  REQUIRE_MESSAGE(pod.ok(), pod.error().text());
  return *pod;
}

// Registers events for which the fake has no hint.
inline Fake rejector(const std::string& name, std::vector<ClusterEvent> events) {
  Fake fake{name};
  fake.filter = [](const FilterCall&, const Node&) { return Status(); };
  fake.events = [events]() -> Result<std::vector<ClusterEventWithHint>> {
    std::vector<ClusterEventWithHint> out;
    for (const ClusterEvent& e : events) out.push_back({e, false});
    return out;
  };
  return fake;
}
inline Fake hinting(const std::string& name, const ClusterEvent& event,
                    std::function<Result<QueueingHint>(const Pod&, const ObjectChange&)> hint) {
  Fake fake = rejector(name, {});
  fake.events = [event]() -> Result<std::vector<ClusterEventWithHint>> {
    return std::vector<ClusterEventWithHint>{{event, true}};
  };
  fake.hint = [hint](size_t, const Pod& pod, const ObjectChange& change) {
    return hint(pod, change);
  };
  return fake;
}
// Gates the pods whose names are in `names`.
inline Fake gate(const std::string& name, const std::shared_ptr<std::vector<std::string>>& names,
                 std::vector<ClusterEvent> events = {}) {
  Fake fake = rejector(name, std::move(events));
  fake.pre_enqueue = [names](const Pod& pod) {
    for (const std::string& n : *names)
      if (n == pod.meta.name) return Status(Code::kUnschedulableAndUnresolvable, "gated");
    return Status();
  };
  return fake;
}

struct QueueTrial {
  explicit QueueTrial(std::vector<Fake> given, const std::string& gates = "",
                      const QueueOptions& options = {}, Release release = kDefaultRelease)
      : fakes(std::move(given)) {
    Fake sort{"Sort"};
    sort.less = [](const QueuedPod& a, const QueuedPod& b) {
      return a.pod.priority() != b.pod.priority() ? a.pod.priority() > b.pod.priority()
                                                  : a.timestamp_ns < b.timestamp_ns;
    };
    fakes.push_back(sort);
    std::string config =
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n"
        "- schedulerName: fakes\n  plugins:\n    multiPoint:\n      disabled: [{name: '*'}]\n"
        "      enabled: [{name: DefaultBinder}";
    for (const Fake& fake : fakes) config += ", {name: " + fake.name + "}";
    const Result<ConfigRef> parsed = parse_config(config + "]\n");
    REQUIRE_MESSAGE(parsed.ok(), parsed.error().text());
    const Result<FeatureGates> on = FeatureGates::parse(gates, release);
    REQUIRE_MESSAGE(on.ok(), on.error().text());
    const Result<FrameworkRef> framework =
        Framework::create(*parsed, "", fake_registry(fakes), *on, release);
    REQUIRE_MESSAGE(framework.ok(), framework.error().text());
    evaluator = make_ref<Evaluator>(*framework, cluster);
    REQUIRE(evaluator->use(services).ok());
    Evaluator* const profiles[] = {evaluator.get()};
    Result<SchedulingQueueRef> made = SchedulingQueue::create(profiles, options);
    REQUIRE_MESSAGE(made.ok(), made.error().text());
    queue = std::move(*made);
  }

  void add(const PodRef& pod) {
    REQUIRE(queue->add(pod).ok());
    tick();
  }
  void update(const PodRef& before, const PodRef& after) {
    REQUIRE(queue->update(before, after).ok());
    tick();
  }
  QueuedPodRef pop() {
    Result<QueuedPodRef> pod = queue->pop();
    REQUIRE(pod.ok());
    tick();
    return *pod;
  }
  void fail(const QueuedPodRef& pod, std::vector<Str> unschedulable,
            std::vector<Str> pending = {}) {
    const Result<void> done = queue->add_unschedulable(*pod, pod->pod, {unschedulable, pending});
    REQUIRE_MESSAGE(done.ok(), done.error().text());
    tick();
  }
  // Adds a pod that is rejected right away.
  QueuedPodRef rejected(const PodRef& pod, std::vector<Str> unschedulable,
                        std::vector<Str> pending = {}) {
    add(pod);
    Result<QueuedPodRef> popped = queue->pop_specific(*pod);
    REQUIRE(popped.ok());
    fail(*popped, std::move(unschedulable), std::move(pending));
    return *popped;
  }
  void move(const std::string& resource, ActionType actions, const ObjectChange& change = {},
            const SchedulingQueue::PodCheck& check = {}) {
    REQUIRE(queue->move_all({resource, actions, {}, change}, check).ok());
    tick();
  }
  // Time differs from step to step, so that no two pods have the same timestamp.
  void tick() { clock->advance_to(clock->now_ns() + 1000); }
  void pass(int64_t ms) { clock->advance_to(clock->now_ns() + ms * kMs); }
  void flush_backoff() { REQUIRE(queue->flush_backoff().ok()); }
  void flush_unschedulable() { REQUIRE(queue->flush_unschedulable().ok()); }

  // "a b | c | d | e (e)": active, backoff, error backoff, unschedulable; gated in brackets.
  std::string show() const {
    std::string out = names(queue->active()) + "|" + names(queue->backing_off()) + "|" +
                      names(queue->backing_off_after_errors()) + "|";
    for (const QueuedPodInfo* p : queue->unschedulable(false))
      out += (p->gated() ? " (" : " ") + std::string(p->pod->meta.name) + (p->gated() ? ")" : "");
    return out;
  }
  // "a b NodeAdd": pods and events.
  std::string flying() const {
    std::string out;
    queue->in_flight().for_each([&](const InFlight::Entry& e) {
      out += (out.empty() ? "" : " ") +
             (e.pod ? std::string(e.pod->meta.name) : queue->metrics().event_label(e.event->label));
    });
    return out;
  }
  // "A B": the pod's rejectors.
  std::string rejectors(const QueuedPodInfo& pod) const {
    std::string out;
    pod.rejectors().for_each(
        [&](PluginId id) { out += (out.empty() ? "" : " ") + queue->plugins().name(id); });
    return out;
  }
  uint64_t incoming(QueuePart part, const std::string& event) const {
    const QueueMetrics& m = queue->metrics();
    for (uint32_t i = 0; i < m.events(); ++i)
      if (m.event_label(i) == event) return m.incoming(part, i);
    return 0;
  }
  int64_t blamed(const std::string& plugin) const {
    return queue->metrics().blamed(queue->plugins().find(plugin), 0);
  }

  std::vector<Fake> fakes;  // before the evaluator: plugins refer to them
  Ref<Cluster> cluster = make_ref<Cluster>();
  Ref<VirtualClock> clock = make_ref<VirtualClock>(kBegin);
  Ref<Services> services = make_ref<Services>(clock);
  Ref<Evaluator> evaluator;
  SchedulingQueueRef queue;

 private:
  static std::string names(const std::vector<QueuedPodInfo*>& pods) {
    std::string out;
    for (const QueuedPodInfo* p : pods) out += std::string(p->pod->meta.name) + " ";
    return out;
  }
};

inline const std::string kNoPop = "SchedulerPopFromBackoffQ=false";

}  // namespace libsched
