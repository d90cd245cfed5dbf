// See object_variants.hpp.
#include "libsched/scheduler/why/object_variants.hpp"

#include <algorithm>
#include <set>

#include "libsched/objects/pod_claims.hpp"
#include "libsched/objects/resource_slice.hpp"
#include "libsched/objects/storage.hpp"
#include "libsched/scheduler/control_plane/node_lifecycle.hpp"

namespace libsched {
namespace {

constexpr size_t kMostTaints = 64, kMostCordoned = 64;

std::string key_of(const ObjectMeta& meta) {
  return std::string(meta.ns).append("/").append(meta.name);
}

// --- the node that was selected for a claim ---

void without_selected_node(const View& view, const Pod& pod, std::vector<ObjectVariant>* out) {
  for (const Volume& v : pod.spec.volumes) {
    if (v.kind != VolumeKind::kPersistentVolumeClaim && v.kind != VolumeKind::kEphemeral) continue;
    const std::string name = v.kind == VolumeKind::kEphemeral
                                 ? std::string(pod.meta.name).append("-").append(v.name)
                                 : std::string(v.id);
    const auto* claim = view.objects().find<PersistentVolumeClaim>(pod.meta.ns, name);
    if (claim == nullptr || !claim->volume_name.empty()) continue;
    const Str* node = find_annotation(claim->meta, kSelectedNodeAnnotation);
    if (node == nullptr) continue;
    const Ref<PersistentVolumeClaim> changed = copy_claim(*claim);
    remove_annotation(*changed, kSelectedNodeAnnotation);
    ObjectVariant& made = out->emplace_back();
    made.suggestion.kind = SuggestionKind::kSelectedNode;
    made.suggestion.subject = key_of(claim->meta);
    made.suggestion.text = "remove the annotation " + std::string(kSelectedNodeAnnotation) + "=" +
                           std::string(*node) + " of the claim " + made.suggestion.subject;
    if (view.find_node(*node) == kNoId)
      made.suggestion.text += " (" + std::string(*node) + " is not in the cluster)";
    made.objects.emplace_back(StoredKind::kPersistentVolumeClaim, changed);
  }
}

// --- taints of devices ---

// The pod's claims that still wait for devices.
std::vector<const ResourceClaim*> waiting_claims(const View& view, const Pod& pod) {
  std::vector<const ResourceClaim*> out;
  for (const PodResourceClaim& entry : pod.spec.resource_claims) {
    Str name = entry.claim_name;
    if (is_from_template(entry))
      for (const ResourceClaimStatus& s : pod.status.resource_claims)
        if (s.name == entry.name) name = s.claim_name;
    if (name.empty()) continue;
    const auto* claim = view.objects().find<ResourceClaim>(pod.meta.ns, name);
    if (claim != nullptr && !claim->allocation) out.push_back(claim);
  }
  return out;
}

// The claim with one toleration more in each request.
Ref<ResourceClaim> tolerating(const ResourceClaim& claim, const DeviceTaint& taint) {
  Ref<ResourceClaim> out = copy_resource_claim(claim);
  Arena& arena = out->arena;
  const auto add = [&](DeviceRequirement* what) {
    std::vector<DeviceToleration> list(what->tolerations.begin(), what->tolerations.end());
    DeviceToleration& t = list.emplace_back();
    t.key = arena.copy(taint.key);
    t.op = "Equal";
    t.value = arena.copy(taint.value);
    t.effect = arena.copy(taint.effect);
    what->tolerations = arena.copy(list);
  };
  std::vector<DeviceRequest> requests(out->spec.requests.begin(), out->spec.requests.end());
  for (DeviceRequest& r : requests) {
    if (r.exact) add(&r.exactly);
    std::vector<DeviceRequirement> alternatives(r.first_available.begin(), r.first_available.end());
    for (DeviceRequirement& a : alternatives) add(&a);
    r.first_available = arena.copy(alternatives);
  }
  out->spec.requests = arena.copy(requests);
  return out;
}

std::string taint_text(const DeviceTaint& t) {
  std::string out(t.key);
  if (!t.value.empty()) out.append("=").append(t.value);
  return out.append(":").append(t.effect);
}

void tolerating_devices(const View& view, const Pod& pod, std::vector<ObjectVariant>* out) {
  const std::vector<const ResourceClaim*> claims = waiting_claims(view, pod);
  if (claims.empty()) return;
  std::set<std::string> seen;
  const auto offer = [&](const DeviceTaint& taint) {
    if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") return;
    const std::string subject = taint_text(taint);
    if (seen.size() == kMostTaints || !seen.insert(subject).second) return;
    ObjectVariant& made = out->emplace_back();
    made.suggestion.kind = SuggestionKind::kTolerateDevice;
    made.suggestion.subject = subject;
    made.suggestion.text = "tolerate the device taint " + subject + " in the claim";
    if (claims.size() > 1) made.suggestion.text += "s";
    for (const ResourceClaim* claim : claims) {
      made.suggestion.text += (claim == claims[0] ? " " : ", ") + key_of(claim->meta);
      made.objects.emplace_back(StoredKind::kResourceClaim, tolerating(*claim, taint));
    }
  };
  view.objects().for_each<ResourceSlice>([&](const ResourceSlice& slice) {
    for (const Device& d : slice.devices)
      for (const DeviceTaint& t : d.taints) offer(t);
  });
  view.objects().for_each<DeviceTaintRule>([&](const DeviceTaintRule& rule) { offer(rule.taint); });
}

}  // namespace

std::vector<ObjectVariant> object_variants(const View& view, const Pod& pod,
                                           const Rejections& rejections) {
  std::vector<ObjectVariant> out;
  if (rejections.of("VolumeBinding") != nullptr) without_selected_node(view, pod, &out);
  if (rejections.of("DynamicResources") != nullptr) tolerating_devices(view, pod, &out);
  return out;
}

std::vector<ObjectVariant> uncordoned_nodes(const View& view, const Rejections& rejections) {
  std::vector<ObjectVariant> out;
  std::vector<uint64_t> rows(view.word_count());
  for (const char* plugin : {"NodeUnschedulable", "TaintToleration"})
    if (const auto* by = rejections.of(plugin))
      for (size_t w = 0; w < rows.size(); ++w) rows[w] |= by->rows[w];
  for (uint32_t row = 0; row < view.row_count() && out.size() < kMostCordoned; ++row) {
    const Node* const there = view.node(row);
    if (there == nullptr || !has_bit(rows, row) || !there->unschedulable) continue;
    const Node& node = *there;
    ObjectVariant& made = out.emplace_back();
    made.suggestion.kind = SuggestionKind::kUncordon;
    made.suggestion.subject = std::string(node.meta.name);
    made.suggestion.text = "uncordon " + made.suggestion.subject;
    made.suggestion.edit = made.suggestion.text;
    made.node = uncordoned(node);
  }
  return out;
}

}  // namespace libsched
