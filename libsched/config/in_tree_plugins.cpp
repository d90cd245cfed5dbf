// The plugins of kube-scheduler and the extension points that each implements. With this table a
// configuration can be checked without building a framework.
#include <algorithm>

#include "libsched/config/expand.hpp"

namespace libsched {
namespace {

constexpr PointMask mask(std::initializer_list<ExtensionPoint> points) {
  PointMask m = 0;
  for (const ExtensionPoint p : points) m |= point_bit(p);
  return m;
}

using P = ExtensionPoint;
using R = Release;
constexpr ReleaseRange since(R release) { return {release, kNewestRelease}; }
constexpr ReleaseRange until(R release) { return {kOldestRelease, release}; }

constexpr PointMask kDevices =
    mask({P::kPreEnqueue, P::kPreFilter, P::kFilter, P::kPostFilter, P::kReserve, P::kPreBind});

// By name. Those of volumes of one kind ended with 1.31.
constexpr InTreePlugin kPlugins[] = {
    {"AzureDiskLimits", mask({P::kPreFilter, P::kFilter}), until(R::k1_31)},
    {"CinderLimits", mask({P::kPreFilter, P::kFilter}), until(R::k1_31)},
    {"DefaultBinder", mask({P::kBind})},
    {"DefaultPreemption", mask({P::kPostFilter}), until(R::k1_31)},
    {"DefaultPreemption", mask({P::kPostFilter, P::kPreEnqueue}), {R::k1_32, R::k1_36}},
    {"DefaultPreemption", mask({P::kPostFilter, P::kPreEnqueue, P::kPodGroupPostFilter}),
     since(R::k1_37)},
    {"DeferredPodScheduling", mask({P::kPreFilter, P::kFilter, P::kPermit}), since(R::k1_37)},
    {"DynamicResources", kDevices | mask({P::kPreScore, P::kPostBind}), until(R::k1_31)},
    {"DynamicResources", kDevices, {R::k1_32, R::k1_34}},
    {"DynamicResources", kDevices | mask({P::kScore}), {R::k1_35, R::k1_36}},
    {"DynamicResources", kDevices | mask({P::kScore, P::kPodGroupPostFilter}), since(R::k1_37)},
    {"EBSLimits", mask({P::kPreFilter, P::kFilter}), until(R::k1_31)},
    {"GCEPDLimits", mask({P::kPreFilter, P::kFilter}), until(R::k1_31)},
    {"GangScheduling", mask({P::kPreEnqueue, P::kPermit, P::kReserve}), {R::k1_35, R::k1_35}},
    {"GangScheduling", mask({P::kPreEnqueue, P::kPermit}), since(R::k1_36)},
    {"ImageLocality", mask({P::kScore})},
    {"InterPodAffinity", mask({P::kPreFilter, P::kFilter, P::kPreScore, P::kScore})},
    {"NodeAffinity", mask({P::kPreFilter, P::kFilter, P::kPreScore, P::kScore})},
    {"NodeDeclaredFeatures", mask({P::kPreFilter, P::kFilter}), since(R::k1_35)},
    {"NodeName", mask({P::kFilter}), until(R::k1_36)},
    {"NodeName", mask({P::kPreFilter, P::kFilter}), since(R::k1_37)},
    {"NodePorts", mask({P::kPreFilter, P::kFilter})},
    {"NodeResourcesBalancedAllocation", mask({P::kPreScore, P::kScore})},
    {"NodeResourcesFit", mask({P::kPreFilter, P::kFilter, P::kPreScore, P::kScore}),
     until(R::k1_35)},
    {"NodeResourcesFit",
     mask({P::kPreFilter, P::kFilter, P::kPreScore, P::kScore, P::kPlacementScore}),
     since(R::k1_36)},
    {"NodeUnschedulable", mask({P::kFilter}), until(R::k1_36)},
    {"NodeUnschedulable", mask({P::kPreFilter, P::kFilter}), since(R::k1_37)},
    {"NodeVolumeLimits", mask({P::kPreFilter, P::kFilter})},
    {"PodGroupPodsCount", mask({P::kPlacementScore}), since(R::k1_36)},
    {"PodTopologySpread", mask({P::kPreFilter, P::kFilter, P::kPreScore, P::kScore})},
    {"PrioritySort", mask({P::kQueueSort})},
    {"SchedulingGates", mask({P::kPreEnqueue})},
    {"TaintToleration", mask({P::kFilter, P::kPreScore, P::kScore}), until(R::k1_36)},
    {"TaintToleration", mask({P::kPreFilter, P::kFilter, P::kPreScore, P::kScore}),
     since(R::k1_37)},
    {"TopologyPlacementGenerator", mask({P::kPlacementGenerate}), since(R::k1_36)},
    {"VolumeBinding",
     mask({P::kPreFilter, P::kFilter, P::kReserve, P::kPreBind, P::kPreScore, P::kScore})},
    {"VolumeRestrictions", mask({P::kPreFilter, P::kFilter})},
    {"VolumeZone", mask({P::kPreFilter, P::kFilter})},
};

}  // namespace

Span<InTreePlugin> in_tree_plugins() { return kPlugins; }

std::optional<PointMask> in_tree_points(Str plugin, Release release) {
  const auto* end = std::end(kPlugins);
  const auto* it = std::lower_bound(std::begin(kPlugins), end, plugin,
                                    [](const InTreePlugin& p, Str name) { return p.name < name; });
  for (; it != end && it->name == plugin; ++it)
    if (it->releases.has(release)) return it->points;
  return std::nullopt;
}

PluginCatalog in_tree_catalog(Release release) {
  return [release](Str plugin) { return in_tree_points(plugin, release); };
}

}  // namespace libsched
