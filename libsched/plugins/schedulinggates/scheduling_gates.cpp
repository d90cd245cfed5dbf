// SchedulingGates: PreEnqueue holds back a pod that has scheduling gates.
// Mirrors upstream's plugins/schedulinggates.
#include "libsched/framework/facts.hpp"
#include "libsched/objects/pod_parts.hpp"
#include "libsched/plugins/hints.hpp"
#include "libsched/plugins/in_tree.hpp"

namespace libsched {
namespace {

class SchedulingGates final : public Plugin {
 public:
  explicit SchedulingGates(const Behaviours& b) : pod_events_(b) {}

  bool may_hold_back(const Pod& pod) const override { return (pod.parts & pod_part::kGates) != 0; }
  Status pre_enqueue(const Call&, const Pod& pod) const override {
    if (pod.spec.scheduling_gates.empty()) return {};
    const std::vector<std::string> gates(pod.spec.scheduling_gates.begin(),
                                         pod.spec.scheduling_gates.end());
    return Status(Code::kUnschedulableAndUnresolvable,
                  "waiting for scheduling gates: " + go_list(gates));
  }

  void pod_facts(const Call&, const Pod& pod, const Status& status, Facts* facts) const override {
    facts->add(status.reasons[0]).texts("gates", pod.spec.scheduling_gates);
  }

  bool registers_events() const override { return true; }
  Result<std::vector<ClusterEventWithHint>> events_to_register() const override {
    return std::vector<ClusterEventWithHint>{
        hinted(pod_events_.own(), kUpdatePodSchedulingGatesEliminated)};
  }
  Result<QueueingHint> hint(size_t, const View&, const Pod& pod,
                            const ObjectChange& change) const override {
    if (!change.after) return no_object(change);
    return queue_if(pod_events_.about(pod, *object_of<Pod>(change.after)));
  }

 private:
  PodEvents pod_events_;
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_scheduling_gates(const FactoryCall& call) {
  return std::unique_ptr<Plugin>(std::make_unique<SchedulingGates>(call.behaviours));
}

}  // namespace libsched
