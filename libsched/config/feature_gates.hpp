// FeatureGates: the settings of a release's feature gates.
//
// Every gate that kube-scheduler accepts is known with its default. Parsing applies
// upstream's rules (unknown and locked gates, dependencies, AllAlpha and AllBeta) with its texts;
// require_supported() then refuses unsupported settings. It is a plain value that can be copied.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"
#include "libsched/config/release.hpp"

namespace libsched {

// The gates that the scheduler's own code reads, in the order of their table.
enum class Gate : uint16_t {
  kCompositePodGroup,
  kDRAAdminAccess,
  kDRAConsumableCapacity,
  kDRADeviceBindingConditions,
  kDRADeviceTaintRules,
  kDRADeviceTaints,
  kDRAExtendedResource,
  kDRAFractionalCapacityRange,
  kDRAListTypeAttributes,
  kDRANodeAllocatableResources,
  kDRAPartitionableDevices,
  kDRAPrioritizedList,
  kDRAResourceClaimDeviceStatus,
  kDRASchedulerFilterTimeout,
  kDRAWorkloadResourceClaims,
  kDynamicResourceAllocation,
  kGangScheduling,
  kGenericWorkload,
  kInPlacePodLevelResourcesVerticalScaling,
  kInPlacePodVerticalScaling,
  kInPlacePodVerticalScalingSchedulerPreemption,
  kMatchLabelKeysInPodTopologySpread,
  kNodeDeclaredFeatures,
  kNodeInclusionPolicyInPodTopologySpread,
  kNominatedNodeNameForExpectation,
  kOpportunisticBatching,
  kPodGroupPreemptionPolicy,
  kPodLevelResources,
  kSchedulerAsyncAPICalls,
  kSchedulerAsyncPreemption,
  kSchedulerPopFromBackoffQ,
  kSchedulerQueueingHints,
  kSidecarContainers,
  kStorageCapacityScoring,
  kTaintTolerationComparisonOperators,
  kTopologyAwareWorkloadScheduling,
  kVolumeAttributesClass,
  kVolumeCapacityPriority,
  kVolumeLimitScaling,
  kWorkloadAwarePreemption,
  kCount,
};

enum class GateStage : uint8_t { kAlpha, kBeta, kGa, kDeprecated };

enum class GateSupport : uint8_t {
  kSupported,    // libsched follows both settings
  kNoEffect,     // no decision of libsched depends on it
  kDefaultOnly,  // libsched implements the default; the other value is an error
};

struct GateInfo {
  Str name;
  GateStage stage = GateStage::kAlpha;
  bool known = false;  // false: the release does not have the gate, which cannot be set
  bool default_on = false;
  bool locked = false;  // cannot be set to anything but the default
  GateSupport support = GateSupport::kNoEffect;
};

// The gates of all releases as they are in this one: first those of enum Gate in its order, then
// the others by name.
Span<GateInfo> known_gates(Release release = kDefaultRelease);

// At least as many as there are in all releases.
inline constexpr size_t kMostGates = 384;

class FeatureGates {
 public:
  FeatureGates() : FeatureGates(kDefaultRelease) {}
  explicit FeatureGates(Release release);  // its defaults

  // "A=true,B=false" as kube-scheduler's --feature-gates takes it; "" gives the defaults.
  static Result<FeatureGates> parse(Str text, Release release = kDefaultRelease);
  // The same from name and value; a later entry for the same name wins.
  static Result<FeatureGates> from_map(const std::vector<std::pair<std::string, bool>>& gates,
                                       Release release = kDefaultRelease);

  Release release() const { return release_; }

  bool enabled(Gate g) const { return get(static_cast<size_t>(g)); }
  // By name; an unknown name gives upstream's error "unrecognized feature gate: X".
  Result<bool> enabled(Str name) const;

  // An Rc::kUnsupported error naming every gate that is set to a value libsched does not implement.
  Result<void> require_supported() const;

  // "A=true,B=false": the gates that differ from their default, by name.
  std::string to_string() const;

  friend bool operator==(const FeatureGates&, const FeatureGates&) = default;

 private:
  bool get(size_t i) const { return (bits_[i / 64] >> (i % 64) & 1) != 0; }
  void put(size_t i, bool on) {
    bits_[i / 64] = (bits_[i / 64] & ~(uint64_t{1} << (i % 64))) | uint64_t{on} << (i % 64);
  }

  Release release_;
  std::array<uint64_t, kMostGates / 64> bits_{};
};

}  // namespace libsched
