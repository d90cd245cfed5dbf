// The extension points of the scheduling framework, in the order in which upstream's framework
// walks over them (the order decides which of several configuration errors is reported).
#pragma once

#include <cstdint>
#include <optional>

#include "libsched/config/release.hpp"

namespace libsched {

enum class ExtensionPoint : uint8_t {
  kPreFilter,
  kFilter,
  kPostFilter,
  kReserve,
  kPreScore,
  kScore,
  kPreBind,
  kBind,
  kPostBind,
  kPermit,
  kPreEnqueue,
  kQueueSort,
  kPlacementGenerate,
  kPlacementScore,
  kPodGroupPostFilter,
};
inline constexpr int kExtensionPointCount = 15;

// A set of extension points, such as those that a plugin implements.
using PointMask = uint32_t;
constexpr PointMask point_bit(ExtensionPoint p) { return PointMask{1} << static_cast<uint32_t>(p); }

Str point_field(ExtensionPoint p);      // as in the configuration: "preFilter"
Str point_interface(ExtensionPoint p);  // as in error texts: "PreFilterPlugin"
std::optional<ExtensionPoint> point_by_field(Str field);
ReleaseRange point_releases(ExtensionPoint p);  // that have it

}  // namespace libsched
