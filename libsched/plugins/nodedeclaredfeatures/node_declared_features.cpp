// NodeDeclaredFeatures: a node must declare the features that the pod's spec relies on.
// Mirrors upstream's plugins/nodedeclaredfeatures with its feature registry, of which one feature
// can be required of a pod before it is scheduled in 1.35, two in 1.36 and three since 1.37.
#include <algorithm>

#include "libsched/base/quote.hpp"
#include "libsched/framework/facts.hpp"
#include "libsched/plugins/hints.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/plugins/signature/signature.hpp"

namespace libsched {
namespace {

constexpr Str kRestartAll = "RestartAllContainersOnContainerExits";
// Upstream's registry, in its order, and what 1.37 has added to it.
constexpr Str kFeatures[] = {"ExtendWebSocketsToKubelet", "InPlacePodLevelResourcesVerticalScaling",
                             "InPlacePodVerticalScalingInitContainers", kRestartAll,
                             "UserNamespacesHostNetworkSupport"};
constexpr Str kFeaturesOf137[] = {"DRANodeAllocatableResources",
                                  "DRAOptionalNodeOperations",
                                  "ExtendWebSocketsToKubelet",
                                  "InPlacePodLevelResourcesVerticalScaling",
                                  "InPlacePodVerticalScalingInitContainers",
                                  "InPlacePodVerticalScalingMemoryBackedVolumes",
                                  kRestartAll,
                                  "UserNamespacesHostNetworkSupport",
                                  "VolumeBindMountOptions"};

class NodeDeclaredFeatures final : public Plugin {
 public:
  NodeDeclaredFeatures(bool enabled, const Behaviours& b)
      : enabled_(enabled),
        older_(b.older_declared_features),
        mount_options_(b.declares_mount_options),
        pod_events_(b) {}

  bool passes_deferred_resizes() const override { return true; }

  Result<Status> pre_filter(const PreFilterCall& call, PreFilterResult*) const override {
    return !enabled_ || required(call.pod).empty() ? Status(Code::kSkip) : Status();
  }

  void filter(const FilterCall& call, const RowSet& set) const override {
    if (!enabled_) return;
    if (!call.pre_filtered) {
      set.for_each([&](uint32_t row) { set.reject_with_error(row); });
      return;
    }
    const std::vector<Str> features = required(call.pod);
    set.for_each([&](uint32_t row) {
      const Span<Str> declared = call.view.node(row)->declared_features;
      for (const Str f : features)
        if (std::find(declared.begin(), declared.end(), f) == declared.end())
          return set.reject(row);
    });
  }

  void filter_status(const FilterCall& call, uint32_t, Status* out) const override {
    if (!call.pre_filtered)
      return out->set(
          Code::kError,
          "error reading \"PreFilterNodeDeclaredFeatures\" from cycle-state: not found");
    // Of v1.35's registry a pod can only require this one feature.
    out->set(Code::kUnschedulableAndUnresolvable,
             older_ ? "node declared features check failed - unsatisfied requirements: " +
                          std::string(kRestartAll)
                    : "node(s) didn't match Pod's required features");
  }

  uint64_t reason_key(const FilterCall&, uint32_t) const override { return 0; }

  void node_facts(const FilterCall& call, uint32_t row, const Status& status,
                  Facts* facts) const override {
    const Span<Str> declared = call.view.node(row)->declared_features;
    for (const Str f : required(call.pod))
      if (std::find(declared.begin(), declared.end(), f) == declared.end())
        facts->add(status.reasons[0]).text("feature", f).texts("declared", declared);
  }

  Dependencies depends_on(const View&, const Pod& pod) const override {
    if (!enabled_ || required(pod).empty()) return {};
    return {.filter = {.row = kDetailsChanged}, .score = {}};
  }

  bool signs() const override { return true; }
  Status sign(const View&, const Pod& pod, std::vector<SignFragment>* out) const override {
    // Without the gate upstream has no version to infer features for.
    if (!enabled_) return Status::from_error("target version cannot be nil");
    if (older_) {
      out->push_back(sign_fragment(
          kSignFeatures, required(pod).empty() ? "[]" : "[" + json_quote(kRestartAll) + "]"));
      return {};
    }
    const Span<Str> features = mount_options_ ? Span<Str>(kFeaturesOf137) : Span<Str>(kFeatures);
    std::string bits(features.size(), '0');
    for (const Str f : required(pod))
      bits[static_cast<size_t>(std::find(features.begin(), features.end(), f) - features.begin())] =
          '1';
    out->push_back(sign_fragment(kSignFeatures, json_quote(bits)));
    return {};
  }

  bool registers_events() const override { return true; }
  Result<std::vector<ClusterEventWithHint>> events_to_register() const override {
    if (!enabled_) return std::vector<ClusterEventWithHint>();
    return std::vector<ClusterEventWithHint>{hinted(kNodeEvents, kAdd | kUpdateNodeDeclaredFeature),
                                             hinted(pod_events_.own(), kUpdate)};
  }
  Result<QueueingHint> hint(size_t index, const View&, const Pod& pod,
                            const ObjectChange& change) const override {
    if (!change.after || (index == 1 && !change.before)) return no_object(change);
    if (index == 1) {
      const Pod& after = *object_of<Pod>(change.after);
      return queue_if(pod_events_.about(pod, after) &&
                      required(after) != required(*object_of<Pod>(change.before)));
    }
    const Node* before = object_of<Node>(change.before);
    if (before == nullptr) return QueueingHint::kQueue;
    const Span<Str> was = before->declared_features;
    const Span<Str> is = object_of<Node>(change.after)->declared_features;
    return queue_if(!std::equal(was.begin(), was.end(), is.begin(), is.end()));
  }

 private:
  std::vector<Str> required(const Pod& pod) const {
    std::vector<Str> out;
    const auto restarts_all = [](const Container& c) { return c.restarts_all_containers; };
    if (std::any_of(pod.spec.containers.begin(), pod.spec.containers.end(), restarts_all) ||
        std::any_of(pod.spec.init_containers.begin(), pod.spec.init_containers.end(), restarts_all))
      out.push_back(kRestartAll);
    if (!older_ && pod.spec.host_network && pod.spec.host_users && !*pod.spec.host_users)
      out.push_back("UserNamespacesHostNetworkSupport");
    if (mount_options_ && pod.spec.bind_mount_options) out.push_back("VolumeBindMountOptions");
    return out;
  }

  bool enabled_, older_, mount_options_;
  PodEvents pod_events_;
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_node_declared_features(const FactoryCall& call) {
  return std::unique_ptr<Plugin>(std::make_unique<NodeDeclaredFeatures>(
      call.gates.enabled(Gate::kNodeDeclaredFeatures), call.behaviours));
}

}  // namespace libsched
