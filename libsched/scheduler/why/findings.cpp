// See findings.hpp.
#include "libsched/scheduler/why/findings.hpp"

#include "libsched/cluster/node_view.hpp"
#include "libsched/objects/storage.hpp"

namespace libsched {

std::vector<Beyond> beyond_all(const View& view, const Pod& pod) {
  std::vector<Beyond> out;
  const auto ask = [&](Str resource, int64_t requested) {
    Beyond b{std::string(resource), requested, 0, {}};
    if (requested <= 0 || view.objects().device_class_of(resource) != nullptr) return;
    for (uint32_t r = 0; r < view.row_count(); ++r) {
      if (view.node(r) == nullptr) continue;
      const int64_t has = NodeView(view, r).allocatable(resource);
      const std::string& name = view.row(r).name;
      if (has > b.largest || (has == b.largest && !b.node.empty() && name < b.node)) {
        b.largest = has;
        b.node = name;
      }
    }
    if (requested > b.largest) out.push_back(std::move(b));
  };
  const Resources& asked = pod.requests;
  ask("cpu", asked.milli_cpu);
  ask("memory", asked.memory);
  ask("ephemeral-storage", asked.ephemeral_storage);
  for (const ScalarAmount& s : asked.scalars) ask(s.name, s.value);
  return out;
}

std::vector<std::string> unbound_claims(const View& view, const Pod& pod) {
  std::vector<std::string> out;
  for (const Str name : pod.claim_names) {
    const auto* claim = view.objects().find<PersistentVolumeClaim>(pod.meta.ns, name);
    if (claim == nullptr || !claim->volume_name.empty() ||
        find_annotation(claim->meta, kSelectedNodeAnnotation) != nullptr)
      continue;
    const auto* made_by = view.objects().find<StorageClass>(claim->storage_class());
    if (made_by != nullptr && made_by->binding_mode == Str("WaitForFirstConsumer"))
      out.push_back(std::string(pod.meta.ns).append("/").append(name));
  }
  return out;
}

std::vector<NodeLacks> failing_nodes(const Decision& d, size_t most) {
  std::vector<NodeLacks> out;
  const Decision::Details& details = d.details();
  for (size_t i = 0; i < d.node_count && out.size() < most; ++i) {
    const Status& status = d.status(i);
    if (status.code != Code::kError) continue;
    NodeLacks& node = out.emplace_back(NodeLacks{std::string(d.node(i)), {}, 0});
    node.lacks.push_back({std::string(status.plugin), status,
                          i < details.facts.size() ? details.facts[i] : Facts()});
  }
  return out;
}

}  // namespace libsched
