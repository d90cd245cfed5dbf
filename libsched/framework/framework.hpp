// Framework: one profile with its plugins made, as upstream's NewFramework. Immutable and shared.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libsched/config/expand.hpp"
#include "libsched/framework/plugin.hpp"

namespace libsched {

struct FrameworkOptions {
  // Upstream takes exactly one QueueSort plugin. With this several may stand in a row: where one
  // puts neither pod before the other, the next one decides.
  bool several_queue_sorts = false;
};

class Framework final : public RefCounted {
 public:
  struct Instance {
    std::string name;                // what the plugin calls itself: in statuses and sets
    std::unique_ptr<Plugin> plugin;  // null: nothing to run in this version
    std::string registered;          // what the registry and the profile call it
    PointMask points = 0;            // that it implements in this release
  };

  // `profile` "": the only one. Errors: kNotFound, upstream's construction errors, kUnsupported.
  static Result<Ref<const Framework>> create(const ConfigRef& config, Str profile,
                                             const RegistryRef& registry, const FeatureGates& gates,
                                             Release release = kNewestRelease,
                                             const FrameworkOptions& options = {});

  const std::string& profile() const { return expanded_.scheduler_name; }
  const ExpandedProfile& expanded() const { return expanded_; }
  const std::vector<Instance>& plugins() const { return plugins_; }
  // Those with the same name as plugin i, i among them: upstream's sets of plugins hold names.
  Span<uint32_t> namesakes(uint32_t i) const { return namesakes_[i]; }
  // The points that plugin i implements, wherever the profile enables it.
  PointMask implemented(uint32_t i) const { return plugins_[i].points; }
  // The names under which those plugins are registered whose factories ran, sorted.
  std::vector<std::string> initialized() const;
  // Indexes into plugins(), in the order of the point.
  const std::vector<uint32_t>& at(ExtensionPoint p) const {
    return points_[static_cast<size_t>(p)];
  }
  // The order of the queue, by the profile's QueueSort plugins.
  bool queue_less(const QueuedPod& a, const QueuedPod& b) const;
  const Behaviours& behaviours() const { return behaviours_; }
  const FeatureGates& gates() const { return gates_; }
  // The plugins whose parts make a pod's signature; none if pods of this profile are not signed
  // (gate OpportunisticBatching; every PreFilter, Filter, PreScore and Score plugin must sign).
  bool signs() const { return signs_; }
  const std::vector<uint32_t>& signers() const { return signers_; }
  // Of at(kScore), in its order.
  const std::vector<int64_t>& score_weights() const { return score_weights_; }
  // percentageOfNodesToScore: the profile's, else the configuration's; 0: by the number of nodes.
  int32_t percentage_of_nodes_to_score() const { return percentage_of_nodes_to_score_; }
  std::string plugins_json() const;

 private:
  Framework() = default;
  void find_signers(const FeatureGates& gates);

  ConfigRef config_;
  RegistryRef registry_;
  ExpandedProfile expanded_;
  std::vector<Instance> plugins_;
  std::vector<std::vector<uint32_t>> namesakes_;
  std::array<std::vector<uint32_t>, kExtensionPointCount> points_;
  Behaviours behaviours_;
  FeatureGates gates_;
  bool signs_ = false;
  std::vector<uint32_t> signers_;
  std::vector<int64_t> score_weights_;
  int32_t percentage_of_nodes_to_score_ = 0;
};
using FrameworkRef = Ref<const Framework>;

}  // namespace libsched
