// Plugin: the interface of a scheduling plugin inside the library. Each point has an interface of
// its own, as upstream's; a plugin overrides the functions of the points that it is registered for.
//
// Plugins are immutable and shared by threads; data of a pod is in its PluginData.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "libsched/base/result.hpp"
#include "libsched/config/accounting.hpp"
#include "libsched/config/config.hpp"
#include "libsched/framework/gives_facts.hpp"
#include "libsched/framework/keeps_answers.hpp"
#include "libsched/framework/points/bind.hpp"
#include "libsched/framework/points/group.hpp"
#include "libsched/framework/points/queue.hpp"
#include "libsched/framework/points/score.hpp"

namespace libsched {

class Plugin : public QueueSortPlugin,
               public PreEnqueuePlugin,
               public PreFilterPlugin,
               public FilterPlugin,
               public PostFilterPlugin,
               public PreScorePlugin,
               public ScorePlugin,
               public ReservePlugin,
               public PermitPlugin,
               public PreBindPlugin,
               public BindPlugin,
               public PostBindPlugin,
               public PlacementFeasiblePlugin,
               public PlacementGeneratePlugin,
               public PlacementScorePlugin,
               public PodGroupPostFilterPlugin,
               public EnqueueExtensions,
               public SignPlugin,
               public KeepsAnswers,
               public GivesFacts {
 public:
  virtual ~Plugin() = default;

  // Upstream's Name(); "": the name under which the plugin is registered.
  virtual Str instance_name() const { return {}; }

  // Whether the plugin passes by pods that have a node and whose resize is deferred (gate
  // InPlacePodVerticalScalingSchedulerPreemption): as if PreFilter had said Skip.
  virtual bool passes_deferred_resizes() const { return false; }

  // Whether on_event() is called for objects that are added, changed or removed.
  virtual bool subscribes() const { return false; }
  virtual void on_event(Services&, const View&, const ObjectChange&) const {}
  // For plugins with a state of their own that follows a cluster's forks.
  virtual void forked(const View&) const {}
  virtual void reverted(const View&) const {}
  virtual void committed(const View&) const {}

  // Whether several threads may call the plugin at once, and whether it must run on the thread that
  // called the library.
  enum class Threading : uint8_t { kConcurrent, kSerialised, kCallerThread };
  virtual Threading threading() const { return Threading::kConcurrent; }
  // Called on each thread of the library's own, around its calls; not for plugins of the caller's
  // thread.
  virtual void thread_attach() const {}
  virtual void thread_detach() const {}
  // Whether the plugin is foreign code, which may have side effects and thus observes the order of
  // calls.
  virtual bool foreign() const { return false; }
};

struct FactoryCall {
  const PluginArgs* args;  // null: no pluginConfig entry
  const FeatureGates& gates;
  Behaviours behaviours = {};  // of the release that the framework follows
  PodAccounting accounting() const { return accounting_of(gates, behaviours); }
};
using PluginFactory = std::function<Result<std::unique_ptr<Plugin>>(const FactoryCall&)>;

// The plugins that a framework may use. The layer above adds the in-tree plugins
// (plugins/in_tree.hpp); the framework knows no plugin by name.
class Registry final : public RefCounted {
 public:
  struct Item {
    PointMask points = 0;
    PluginFactory factory;  // empty: known, but without code at the points of this version
    bool in_tree = false;
  };
  Result<void> add(Str name, Item item);
  const Item* find(Str name) const;
  const std::map<std::string, Item, std::less<>>& items() const { return items_; }
  // Adds the plugin to every profile at MultiPoint, unless some profile names it, as add() does for
  // plugins that are not in the tree. If it is there already, it gets the weight.
  Result<void> enable(Str name, int32_t weight);
  const std::vector<EnabledPlugin>& enabled() const { return enabled_; }
  Ref<Registry> copy() const;

 private:
  std::map<std::string, Item, std::less<>> items_;
  std::vector<EnabledPlugin> enabled_;
};
using RegistryRef = Ref<const Registry>;

}  // namespace libsched
