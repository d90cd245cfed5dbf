// What libsched implements of each feature gate, and the gates of one release.
#include "libsched/config/feature_gate_table.hpp"

#include <algorithm>

namespace libsched {
namespace {

// The letters stand for 1.31 to 1.37, see GateSupports. A release in which the gate is an early
// stage of a feature, or has other effects than in 1.36, has the default alone.
constexpr GateSupports kSupports[] = {
    // In the order of enum Gate.
    {"CompositePodGroup", "------y"},
    {"DRAAdminAccess", "-uuuuuu"},
    {"DRAConsumableCapacity", "---uuyy"},
    {"DRADeviceBindingConditions", "---uuyy"},
    {"DRADeviceTaintRules", "----uyy"},
    {"DRADeviceTaints", "--uuuyy"},
    {"DRAExtendedResource", "---uuyy"},
    {"DRAFractionalCapacityRange", "------y"},
    {"DRAListTypeAttributes", "-----yy"},
    {"DRANodeAllocatableResources", "-----yy"},
    {"DRAPartitionableDevices", "--uuuyy"},
    {"DRAPrioritizedList", "--uyyyy"},
    {"DRAResourceClaimDeviceStatus", "-uuyyyy"},
    {"DRASchedulerFilterTimeout", "---yyyy"},
    {"DRAWorkloadResourceClaims", "-----yy"},
    {"DynamicResourceAllocation", "uuuyuuu"},
    {"GangScheduling", "----uy-"},
    {"GenericWorkload", "----uyy"},
    {"InPlacePodLevelResourcesVerticalScaling", "----uuu"},
    {"InPlacePodVerticalScaling", "uuuuuuu"},
    {"InPlacePodVerticalScalingSchedulerPreemption", "------y"},
    {"MatchLabelKeysInPodTopologySpread", "yyyyyyy"},
    {"NodeDeclaredFeatures", "----yuu"},
    {"NodeInclusionPolicyInPodTopologySpread", "yyuuuuu"},
    {"NominatedNodeNameForExpectation", "---uyyy"},
    {"OpportunisticBatching", "----nnn"},
    {"PodGroupPreemptionPolicy", "------y"},
    {"PodLevelResources", "-uuuuuu"},
    {"SchedulerAsyncAPICalls", "---uyyy"},
    {"SchedulerAsyncPreemption", "-uuyyyy"},
    {"SchedulerPopFromBackoffQ", "--yyyyy"},
    {"SchedulerQueueingHints", "uuuuuu-"},
    {"SidecarContainers", "uuuuuu-"},
    {"StorageCapacityScoring", "--yyyyy"},
    {"TaintTolerationComparisonOperators", "----yyy"},
    {"TopologyAwareWorkloadScheduling", "-----yy"},
    {"VolumeAttributesClass", "uuuuuuu"},
    {"VolumeCapacityPriority", "yy-----"},
    {"VolumeLimitScaling", "----yyy"},
    {"WorkloadAwarePreemption", "-----y-"},
    // The others.
    {"CSIMigrationPortworx", "uuuuu--"},
    {"DRAControlPlaneController", "u------"},
    {"DRADerivedAttributes", "------u"},
    {"DRADeviceCompatibilityGroups", "------u"},
    {"DRAOptionalNodeOperations", "------u"},
    {"InterPodAffinityHostnameFastPath", "------u"},
    {"SchedulerPreQueueingHints", "------n"},
};
static_assert(std::size(kSupports) >= static_cast<size_t>(Gate::kCount));

GateSupport support_of(char letter) {
  return letter == 'y'   ? GateSupport::kSupported
         : letter == 'u' ? GateSupport::kDefaultOnly
                         : GateSupport::kNoEffect;
}

GateInfo info(const GateHistory& history, Release release) {
  GateInfo out{history.name};
  const auto at = static_cast<size_t>(release);
  const char letter = history.letters[at];
  switch (letter) {
    case '-': {
      const size_t last = history.letters.find_last_not_of('-', at);
      out.default_on = last != Str::npos && history.letters[last] == 'L';
      return out;
    }
    case 'a':
    case 'A': out.stage = GateStage::kAlpha; break;
    case 'b':
    case 'B': out.stage = GateStage::kBeta; break;
    case 'd':
    case 'D':
    case 'x':
    case 'X': out.stage = GateStage::kDeprecated; break;
    default: out.stage = GateStage::kGa;
  }
  out.known = true;
  out.default_on = 'A' <= letter && letter <= 'Z';
  out.locked = Str("lLxX").find(letter) != Str::npos;
  return out;
}

}  // namespace

Span<GateSupports> gate_supports() { return kSupports; }

std::vector<GateInfo> gates_in(Span<GateHistory> histories, Span<GateSupports> supports,
                               size_t enumerated, Release release) {
  std::vector<GateInfo> out(enumerated);
  for (const GateHistory& history : histories) {
    GateInfo gate = info(history, release);
    size_t i = 0;
    while (i < supports.size() && supports[i].name != history.name) ++i;
    if (i < supports.size())
      gate.support = support_of(supports[i].letters[static_cast<size_t>(release)]);
    if (i < enumerated)
      out[i] = gate;
    else
      out.push_back(gate);
  }
  return out;
}

}  // namespace libsched
