// DeferredPodScheduling: a pod whose resize is deferred stays on its node, which must allow other
// pods to be preempted for that. The pod is never bound: the kubelet resizes it once there is room.
// Mirrors upstream's plugins/deferredpodscheduling. It is a default plugin with gate
// InPlacePodVerticalScalingSchedulerPreemption alone.
#include "libsched/config/deferred_resize.hpp"
#include "libsched/plugins/hints.hpp"
#include "libsched/plugins/in_tree.hpp"

namespace libsched {
namespace {

constexpr Str kOtherNode = "pod assigned to different node";
constexpr Str kDisabled = "node had resize preemption disabled";

bool disables(const Node& node) { return !node.no_resize_preemption.empty(); }

class DeferredPodScheduling final : public Plugin {
 public:
  explicit DeferredPodScheduling(bool enabled) : enabled_(enabled) {}

  Result<Status> pre_filter(const PreFilterCall& call, PreFilterResult*) const override {
    return Status(concerns(call.pod) ? Code::kSuccess : Code::kSkip);
  }

  void filter(const FilterCall& call, const RowSet& set) const override {
    if (!concerns(call.pod)) return;
    set.for_each([&](uint32_t row) {
      if (why_not(call, row) != nullptr) set.reject(row);
    });
  }
  void filter_status(const FilterCall& call, uint32_t row, Status* out) const override {
    out->set(Code::kUnschedulableAndUnresolvable, std::string(*why_not(call, row)));
  }

  Dependencies depends_on(const View&, const Pod&) const override {
    return {.filter = {.row = kDetailsChanged}, .score = {}};
  }

  Status permit(const BindingCall& call, int64_t*) const override {
    if (!concerns(call.pod)) return {};
    return Status(Code::kUnschedulableAndUnresolvable,
                  "pod resize fits, waiting for Kubelet actuation");
  }

  bool registers_events() const override { return true; }
  Result<std::vector<ClusterEventWithHint>> events_to_register() const override {
    return std::vector<ClusterEventWithHint>{hinted(kNodeEvents, kUpdateNodePreemptionPolicy),
                                             hinted(kNodeEvents, kAdd)};
  }
  Result<QueueingHint> hint(size_t index, const View&, const Pod& pod,
                            const ObjectChange& change) const override {
    if (!concerns(pod)) return QueueingHint::kQueueSkip;
    const Node* const before = object_of<Node>(change.before);
    const Node* const after = object_of<Node>(change.after);
    if (after == nullptr || (index == 0 && before == nullptr)) return no_object(change);
    return queue_if(pod.spec.node_name == after->meta.name && !disables(*after) &&
                    (index == 1 || disables(*before)));
  }

 private:
  bool concerns(const Pod& pod) const { return enabled_ && resize_deferred(pod); }
  static const Str* why_not(const FilterCall& call, uint32_t row) {
    const Node& node = *call.view.node(row);
    const Str wanted = call.pod.spec.node_name;
    if (!wanted.empty() && wanted != node.meta.name) return &kOtherNode;
    return disables(node) ? &kDisabled : nullptr;
  }

  bool enabled_;
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_deferred_pod_scheduling(const FactoryCall& call) {
  return std::unique_ptr<Plugin>(std::make_unique<DeferredPodScheduling>(
      call.gates.enabled(Gate::kInPlacePodVerticalScalingSchedulerPreemption)));
}

}  // namespace libsched
