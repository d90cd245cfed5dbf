// Names of the extension points, and the releases that have them.
#include "libsched/config/extension_point.hpp"

#include <array>

namespace libsched {
namespace {

struct Names {
  Str field, interface;
  ReleaseRange releases = {};
};

// In the order of the enumeration.
constexpr std::array<Names, kExtensionPointCount> kNames = {{
    {"preFilter", "PreFilterPlugin"},
    {"filter", "FilterPlugin"},
    {"postFilter", "PostFilterPlugin"},
    {"reserve", "ReservePlugin"},
    {"preScore", "PreScorePlugin"},
    {"score", "ScorePlugin"},
    {"preBind", "PreBindPlugin"},
    {"bind", "BindPlugin"},
    {"postBind", "PostBindPlugin"},
    {"permit", "PermitPlugin"},
    {"preEnqueue", "PreEnqueuePlugin"},
    {"queueSort", "QueueSortPlugin"},
    {"placementGenerate", "PlacementGeneratePlugin", {Release::k1_36, kNewestRelease}},
    {"placementScore", "PlacementScorePlugin", {Release::k1_36, kNewestRelease}},
    {"podGroupPostFilter", "PodGroupPostFilterPlugin", {Release::k1_37, kNewestRelease}},
}};

}  // namespace

Str point_field(ExtensionPoint p) { return kNames[static_cast<size_t>(p)].field; }
ReleaseRange point_releases(ExtensionPoint p) { return kNames[static_cast<size_t>(p)].releases; }
Str point_interface(ExtensionPoint p) { return kNames[static_cast<size_t>(p)].interface; }

std::optional<ExtensionPoint> point_by_field(Str field) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i].field == field) return static_cast<ExtensionPoint>(i);
  }
  return std::nullopt;
}

}  // namespace libsched
