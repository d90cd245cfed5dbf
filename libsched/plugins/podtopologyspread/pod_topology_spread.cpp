// PodTopologySpread: lets pods pass without a DoNotSchedule constraint, their own or of the
// profile; any other pod is an error, since counting is not there yet. Mirrors the Skip condition
// of upstream's plugins/podtopologyspread.
#include <algorithm>

#include "libsched/plugins/in_tree.hpp"

namespace libsched {
namespace {

bool is_hard(const TopologySpreadConstraint& c) { return c.when_unsatisfiable == "DoNotSchedule"; }

class PodTopologySpread final : public Plugin {
 public:
  // System defaults are all ScheduleAnyway.
  explicit PodTopologySpread(bool hard_defaults) : hard_defaults_(hard_defaults) {}

  Result<Status> pre_filter(const PreFilterCall& call, PreFilterResult*) const override {
    const auto& own = call.pod.spec.spread;
    if (std::any_of(own.begin(), own.end(), is_hard))
      return needs_plugin(call.pod, "PodTopologySpread",
                          "it has DoNotSchedule topology spread constraints");
    if (own.empty() && hard_defaults_ && has_selector(call))
      return needs_plugin(call.pod, "PodTopologySpread",
                          "the profile has DoNotSchedule default constraints");
    return Status(Code::kSkip);
  }

 private:
  // Default constraints apply only to pods of a service or of a known controller that selects
  // something.
  static bool has_selector(const PreFilterCall& call) {
    const ObjectMeta& pod = call.pod.meta;
    const ObjectStore& objects = call.view.objects();
    bool found = false;
    objects.for_each_in<Service>(pod.ns, [&](const Service& s) {
      found = !s.selector.empty() && selector_matches({true, s.selector, {}}, pod.labels);
      return found;
    });
    if (found) return true;
    const auto owner = std::find_if(pod.owners.begin(), pod.owners.end(),
                                    [](const OwnerReference& o) { return o.controller; });
    if (owner == pod.owners.end()) return false;
    const Controller* controller = nullptr;
    if (owner->api_version == "v1" && owner->kind == "ReplicationController") {
      controller = objects.find_controller(StoredKind::kReplicationController, pod.ns, owner->name);
    } else if (owner->api_version == "apps/v1" && owner->kind == "ReplicaSet") {
      controller = objects.find_controller(StoredKind::kReplicaSet, pod.ns, owner->name);
    } else if (owner->api_version == "apps/v1" && owner->kind == "StatefulSet") {
      controller = objects.find_controller(StoredKind::kStatefulSet, pod.ns, owner->name);
    }
    return controller != nullptr && !controller->selector.empty() &&
           label_selector_error(controller->selector).empty();
  }

  bool hard_defaults_;
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_pod_topology_spread(const FactoryCall& call) {
  const auto* args =
      call.args == nullptr ? nullptr : std::get_if<PodTopologySpreadArgs>(&call.args->value);
  const bool hard =
      args != nullptr && args->defaulting_type == "List" &&
      std::any_of(args->default_constraints.begin(), args->default_constraints.end(), is_hard);
  return std::unique_ptr<Plugin>(std::make_unique<PodTopologySpread>(hard));
}

}  // namespace libsched
