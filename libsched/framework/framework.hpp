// Framework: a profile and the instances of its plugins, as upstream's NewFramework. Immutable and
// shared.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libsched/config/accounting.hpp"
#include "libsched/config/expand.hpp"
#include "libsched/framework/extender.hpp"
#include "libsched/framework/plugin.hpp"

namespace libsched {

struct FrameworkOptions {
  // Upstream takes exactly one QueueSort plugin. With this a profile may have several: where a
  // plugin puts neither pod before the other, the next plugin decides.
  bool several_queue_sorts = false;
  // Leaves out plugins that the profile enables and the registry does not have: skipped() names
  // them.
  bool skip_unknown_plugins = false;
  // Asked in this order, but those that are ignorable come last. A configuration with extenders
  // needs as many here; one without may have some, too.
  std::vector<ExtenderRef> extenders = {};
};

class Framework final : public RefCounted {
 public:
  struct Instance {
    std::string name;                // the plugin's name in statuses and sets
    std::unique_ptr<Plugin> plugin;  // null: no code to run in this version
    std::string registered;          // its name in the registry and the profile
    PointMask points = 0;            // implemented in this release
  };

  // An empty `profile` selects the only profile. Errors: kNotFound, upstream's construction errors,
  // kUnsupported.
  static Result<Ref<const Framework>> create(const ConfigRef& config, Str profile,
                                             const RegistryRef& registry, const FeatureGates& gates,
                                             Release release = kDefaultRelease,
                                             const FrameworkOptions& options = {});

  const std::string& profile() const { return expanded_.scheduler_name; }
  const ExpandedProfile& expanded() const { return expanded_; }
  // Whether a scheduler with the framework's configuration schedules pods of this schedulerName: it
  // has a profile for each.
  bool schedules(Str scheduler_name) const {
    return config_->bare_profile || config_->profile(scheduler_name) != nullptr;
  }
  // The plugins left out by FrameworkOptions::skip_unknown_plugins, by name.
  const std::vector<std::string>& skipped() const { return skipped_; }
  const std::vector<Instance>& plugins() const { return plugins_; }
  // The plugins with the name of plugin i, including i: upstream's sets of plugins hold names.
  Span<uint32_t> namesakes(uint32_t i) const { return namesakes_[i]; }
  // The points that plugin i implements, wherever the profile enables it.
  PointMask implemented(uint32_t i) const { return plugins_[i].points; }
  // The registered names of the plugins whose factories ran, sorted.
  std::vector<std::string> initialized() const;
  // Indexes into plugins(), in the order of the point.
  const std::vector<uint32_t>& at(ExtensionPoint p) const {
    return points_[static_cast<size_t>(p)];
  }
  bool runs_at(ExtensionPoint p, uint32_t plugin) const {
    return std::find(at(p).begin(), at(p).end(), plugin) != at(p).end();
  }
  // Whether a Reserve plugin has anything to do with this data of a cycle, by plugin.
  bool has_to_reserve(std::span<const CycleState::Entry> entries) const;
  // The order of the queue by the profile's QueueSort plugins.
  bool queue_less(const QueuedPod& a, const QueuedPod& b) const;
  const Behaviours& behaviours() const { return behaviours_; }
  const FeatureGates& gates() const { return gates_; }
  // What counts of pods, also of those that a cluster has.
  const PodAccounting& accounting() const { return accounting_; }
  // The plugins whose parts form a pod's signature; empty if pods of this profile are not signed
  // (gate OpportunisticBatching; every PreFilter, Filter, PreScore and Score plugin must sign).
  bool signs() const { return signs_; }
  const std::vector<uint32_t>& signers() const { return signers_; }
  // Those that are not ignorable first.
  const std::vector<ExtenderRef>& extenders() const { return extenders_; }
  bool any_extender_filters() const { return any_extender(&Extender::Traits::filters); }
  bool any_extender_prioritizes() const { return any_extender(&Extender::Traits::prioritizes); }
  // Parallel to at(kScore).
  const std::vector<int64_t>& score_weights() const { return score_weights_; }
  // Whether no weight is negative and every sum of weighted scores fits 32 bits.
  bool narrow_scores() const { return narrow_scores_; }
  // percentageOfNodesToScore: the profile's, else the configuration's; 0: depends on the number of
  // nodes.
  int32_t percentage_of_nodes_to_score() const { return percentage_of_nodes_to_score_; }

 private:
  Framework() = default;
  void find_signers(const FeatureGates& gates);
  bool any_extender(bool Extender::Traits::* does) const {
    for (const ExtenderRef& e : extenders_)
      if (e->traits().*does) return true;
    return false;
  }

  ConfigRef config_;
  RegistryRef registry_;
  ExpandedProfile expanded_;
  std::vector<std::string> skipped_;
  std::vector<Instance> plugins_;
  std::vector<std::vector<uint32_t>> namesakes_;
  std::array<std::vector<uint32_t>, kExtensionPointCount> points_;
  Behaviours behaviours_;
  FeatureGates gates_;
  PodAccounting accounting_;
  std::vector<ExtenderRef> extenders_;
  bool signs_ = false;
  std::vector<uint32_t> signers_;
  std::vector<int64_t> score_weights_;
  bool narrow_scores_ = false;
  int32_t percentage_of_nodes_to_score_ = 0;
};
using FrameworkRef = Ref<const Framework>;

}  // namespace libsched
