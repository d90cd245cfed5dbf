// VolumeBinding: lets pods pass that have no volume it would look at; any other pod is an error,
// since its Filter is not there yet. Mirrors the Skip condition of upstream's
// plugins/volumebinding.
#include <algorithm>

#include "libsched/plugins/in_tree.hpp"

namespace libsched {
namespace {

class VolumeBinding final : public Plugin {
 public:
  Result<Status> pre_filter(const PreFilterCall& call, PreFilterResult*) const override {
    const auto& volumes = call.pod.spec.volumes;
    const auto it = std::find_if(volumes.begin(), volumes.end(),
                                 [](const Volume& v) { return concerns(v.kind); });
    if (it == volumes.end()) return Status(Code::kSkip);
    return needs_plugin(call.pod, "VolumeBinding", "for volume \"" + std::string(it->name) + "\"");
  }

 private:
  static bool concerns(VolumeKind kind) {
    switch (kind) {
      case VolumeKind::kPersistentVolumeClaim:
      case VolumeKind::kEphemeral: return true;
      default: return false;
    }
  }
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_volume_binding(const FactoryCall&) {
  return std::unique_ptr<Plugin>(std::make_unique<VolumeBinding>());
}

}  // namespace libsched
