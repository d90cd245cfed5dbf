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

// By name.
constexpr InTreePlugin kPlugins[] = {
    {"DefaultBinder", mask({P::kBind})},
    {"DefaultPreemption", mask({P::kPostFilter, P::kPreEnqueue})},
    {"DynamicResources", mask({P::kPreEnqueue, P::kPreFilter, P::kFilter, P::kPostFilter, P::kScore,
                               P::kReserve, P::kPreBind})},
    {"GangScheduling", mask({P::kPreEnqueue, P::kPermit})},
    {"ImageLocality", mask({P::kScore})},
    {"InterPodAffinity", mask({P::kPreFilter, P::kFilter, P::kPreScore, P::kScore})},
    {"NodeAffinity", mask({P::kPreFilter, P::kFilter, P::kPreScore, P::kScore})},
    {"NodeDeclaredFeatures", mask({P::kPreFilter, P::kFilter})},
    {"NodeName", mask({P::kFilter})},
    {"NodePorts", mask({P::kPreFilter, P::kFilter})},
    {"NodeResourcesBalancedAllocation", mask({P::kPreScore, P::kScore})},
    {"NodeResourcesFit",
     mask({P::kPreFilter, P::kFilter, P::kPreScore, P::kScore, P::kPlacementScore})},
    {"NodeUnschedulable", mask({P::kFilter})},
    {"NodeVolumeLimits", mask({P::kPreFilter, P::kFilter})},
    {"PodGroupPodsCount", mask({P::kPlacementScore})},
    {"PodTopologySpread", mask({P::kPreFilter, P::kFilter, P::kPreScore, P::kScore})},
    {"PrioritySort", mask({P::kQueueSort})},
    {"SchedulingGates", mask({P::kPreEnqueue})},
    {"TaintToleration", mask({P::kFilter, P::kPreScore, P::kScore})},
    {"TopologyPlacementGenerator", mask({P::kPlacementGenerate})},
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

std::optional<PointMask> in_tree_catalog(Str plugin) {
  return in_tree_points(plugin, kDefaultRelease);
}

}  // namespace libsched
