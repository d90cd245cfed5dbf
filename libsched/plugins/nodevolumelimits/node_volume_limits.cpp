// NodeVolumeLimits: lets pods pass that have no volume it would look at; any other pod is an error,
// since its Filter is not there yet. Mirrors the Skip condition of upstream's
// plugins/nodevolumelimits.
#include <algorithm>

#include "libsched/plugins/in_tree.hpp"

namespace libsched {
namespace {

class NodeVolumeLimits final : public Plugin {
 public:
  Result<Status> pre_filter(const PreFilterCall& call, PreFilterResult*) const override {
    const auto& volumes = call.pod.spec.volumes;
    const auto it = std::find_if(volumes.begin(), volumes.end(),
                                 [](const Volume& v) { return concerns(v.kind); });
    if (it == volumes.end()) return Status(Code::kSkip);
    return needs_plugin(call.pod, "NodeVolumeLimits",
                        "for volume \"" + std::string(it->name) + "\"");
  }

 private:
  static bool concerns(VolumeKind kind) {
    switch (kind) {
      case VolumeKind::kPersistentVolumeClaim:
      case VolumeKind::kEphemeral:
      case VolumeKind::kGcePersistentDisk:
      case VolumeKind::kAwsElasticBlockStore:
      case VolumeKind::kAzureDisk:
      case VolumeKind::kAzureFile:
      case VolumeKind::kCinder:
      case VolumeKind::kVsphere:
      case VolumeKind::kPortworx: return true;
      default: return false;
    }
  }
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_node_volume_limits(const FactoryCall&) {
  return std::unique_ptr<Plugin>(std::make_unique<NodeVolumeLimits>());
}

}  // namespace libsched
