// DynamicResources: lets pods pass that need no device; any other pod is an error, because device
// allocation is not implemented. Mirrors the Skip condition of upstream's plugins/dynamicresources.
#include "libsched/framework/framework.hpp"
#include "libsched/plugins/hints.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/plugins/signature/signature.hpp"

namespace libsched {
namespace {

class DynamicResources final : public Plugin {
 public:
  DynamicResources(bool enabled, bool extended_resources)
      : enabled_(enabled), extended_resources_(extended_resources) {}

  Result<Status> pre_filter(const PreFilterCall& call, PreFilterResult*) const override {
    const Pod& pod = call.pod;
    if (!pod.spec.resource_claims.empty())
      return needs_plugin(pod, "DynamicResources", "it has resource claims");
    if (!extended_resources_) return Status(Code::kSkip);
    for (const ScalarAmount& s : pod.requests.scalars)
      if (s.value != 0 && may_be_device_resource(call.view, s.name))
        return needs_plugin(
            pod, "DynamicResources",
            "it asks for " + std::string(s.name) + ", which a DeviceClass may provide");
    return Status(Code::kSkip);
  }

  // PreFilter skips Filter for every pod that it lets pass: Filter sees only pods of profiles in
  // which PreFilter does not run.
  void filter(const FilterCall& call, const RowSet& set) const override {
    if (!enabled_ || call.pre_filtered) return;
    set.for_each([&](uint32_t row) { set.reject_with_error(row); });
  }
  Status filter_status(const FilterCall&, uint32_t) const override {
    return Status(Code::kError, "not found");
  }

  // A pod that PreFilter lets pass has no claims whose devices could be given back. A question is
  // about room that other pods could make.
  Status post_filter(const PostFilterCall& call, std::optional<Nomination>*) const override {
    if (call.question) return Status(Code::kSkip);
    if (!enabled_) return Status(Code::kUnschedulable, "plugin disabled");
    if (!passed(call.state)) return Status::from_error("not found");
    return Status(Code::kUnschedulable, "no new claims to deallocate");
  }

  Dependencies depends_on(const View&, const Pod& pod) const override {
    if (!extended_resources_ || !asks_scalars(pod.requests)) return {};
    return {.filter = {.any = object_changed(StoredKind::kDeviceClass)}, .score = {}};
  }

  // A pod that PreFilter lets pass has no claims to reserve.
  Status pre_bind_pre_flight(const BindingCall& call, bool* allow_parallel) const override {
    *allow_parallel = true;
    if (!enabled_ || call.entry.skip_filter) return Status(Code::kSkip);
    return Status::from_error("not found");
  }

  bool signs() const override { return true; }
  Status sign(const View&, const Pod& pod, std::vector<SignFragment>*) const override {
    if (pod.spec.resource_claims.empty()) return {};
    return Status(Code::kUnschedulable, "pods with dra resource claims are not signable");
  }

  bool registers_events() const override { return true; }
  Result<std::vector<ClusterEventWithHint>> events_to_register() const override {
    return std::vector<ClusterEventWithHint>{
        always(kNodeEvents, kAdd | kUpdateNodeLabel | kUpdateNodeAllocatable),
        hinted(kResourceClaimEvents, kAdd | kUpdate),
        hinted(kPodEvents, kUpdatePodGeneratedResourceClaim),
        always(kDeviceClassEvents, kAdd | kUpdate), always(kResourceSliceEvents, kAdd | kUpdate)};
  }
  // ResourceClaims are not known yet: a retry too many is better than a forgotten pod.
  Result<QueueingHint> hint(size_t index, const View&, const Pod& pod,
                            const ObjectChange& change) const override {
    if (index != 2) return QueueingHint::kQueue;
    if (!change.after) return no_object(change);
    return queue_if(same_pod(pod, *object_of<Pod>(change.after)));
  }

 private:
  // Whether PreFilter has let the pod pass in this state.
  bool passed(const CycleState& state) const {
    const auto& plugins = static_cast<const Framework&>(*state.framework()).plugins();
    for (size_t i = 0; i < plugins.size(); ++i)
      if (plugins[i].plugin.get() == this) return state.entries()[i].skip_filter;
    return false;
  }

  bool enabled_;
  bool extended_resources_;
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_dynamic_resources(const FactoryCall& call) {
  return std::unique_ptr<Plugin>(
      std::make_unique<DynamicResources>(call.gates.enabled(Gate::kDynamicResourceAllocation),
                                         call.gates.enabled(Gate::kDRAExtendedResource)));
}

}  // namespace libsched
