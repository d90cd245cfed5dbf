// Facts of VolumeBinding: the claims that PreFilter refuses, and the claims and volumes that keep a
// node from the pod, found in the order in which PodVolumes found them.
#include "libsched/plugins/volumebinding/facts.hpp"

#include "libsched/objects/volume_fit.hpp"
#include "libsched/plugins/selector_facts.hpp"
#include "libsched/plugins/volumebinding/binding.hpp"
#include "libsched/plugins/volumebinding/pod_volumes.hpp"
#include "libsched/plugins/volumebinding/provisioning.hpp"
#include "libsched/plugins/volumes/claims.hpp"
#include "libsched/plugins/volumes/csi_translation.hpp"

namespace libsched {
namespace {

const StorageClass* class_of(const View& view, const PersistentVolumeClaim& claim) {
  const Str name = claim.storage_class();
  return name.empty() ? nullptr : view.objects().find<StorageClass>(name);
}

}  // namespace

void add_unusable_claims(const View& view, const Pod& pod, Str reason, Facts* facts) {
  std::string scratch;
  std::vector<std::pair<const Volume*, const PersistentVolumeClaim*>> claims;
  for (const Volume& v : pod.spec.volumes) {
    if (!has_claim(v)) continue;
    const Str name = claim_name(pod, v, &scratch);
    const auto* claim = view.objects().find<PersistentVolumeClaim>(pod.meta.ns, name);
    if (claim == nullptr) return add_missing_claim(view, pod, &facts->add(reason));
    const bool foreign = v.kind == VolumeKind::kEphemeral && !claim_is_of_pod(*claim, pod);
    if (claim->phase != "Lost" && !claim->meta.terminating() && !foreign) {
      claims.emplace_back(&v, claim);
      continue;
    }
    Fact& fact = facts->add(reason).text("volume", v.name);
    add_claim(*claim, &fact);
    fact.flag("deleting", claim->meta.terminating());
    if (v.kind == VolumeKind::kEphemeral) fact.flag("ownedByPod", !foreign);
    return;
  }
  for (const auto& [volume, claim] : claims) {
    const StorageClass* storage_class = class_of(view, *claim);
    const bool delayed =
        storage_class != nullptr && storage_class->binding_mode == Str("WaitForFirstConsumer");
    if (is_fully_bound(*claim) || (delayed && claim->volume_name.empty())) continue;
    Fact& fact = facts->add(reason).text("volume", volume->name);
    add_claim(*claim, &fact);
    if (storage_class != nullptr && storage_class->binding_mode)
      fact.text("volumeBindingMode", *storage_class->binding_mode);
  }
}

// A bound volume that is missing, or that the node can't reach. False: it is fine.
bool PodVolumes::add_bound_fact(const View& view, const PersistentVolumeClaim& claim, uint32_t row,
                                Facts* out) const {
  const auto* pv = view.objects().find<PersistentVolume>(claim.volume_name);
  Fact begun;
  begun.key("claim", claim.meta.ns, claim.meta.name).text("persistentVolume", claim.volume_name);
  if (pv == nullptr) {
    begun.reason = kMissing;
    out->add(begun).flag("exists", false);
    return true;
  }
  begun.reason = kNodeConflict;
  const MigratedPlugin* plugin = migrated_plugin(pv->in_tree.kind);
  const auto* csi_node = view.objects().find<CsiNode>(view.row(row).name);
  const bool migrated = plugin != nullptr && plugin->on && csi_node != nullptr &&
                        has_migrated(*csi_node, plugin->in_tree);
  const NodeMatch match =
      migrated ? translated_volume_match(view, *pv, *plugin) : volume_match(view, *pv);
  if (match.matches(view, row)) return false;
  if (migrated) begun.text("migratedTo", plugin->driver);
  const size_t before = out->list().size();
  // As volume_match(), without the node's name.
  if (pv->node_affinity.present)
    add_unmatched(pv->node_affinity, view.node(row)->meta.labels, {}, begun, out);
  if (out->list().size() == before) out->add(begun);
  return true;
}

// An unbound claim that gets no volume on the node. False: one can be made.
bool PodVolumes::add_unbound_fact(const View& view, const PersistentVolumeClaim& claim,
                                  size_t volumes, uint32_t row, Facts* out) const {
  const Provisioning p(view, claim);
  const auto has = [&](const Words& rows) { return (rows[row / 64] >> (row % 64) & 1) != 0; };
  if (has(p.possible) && has(p.enough)) return false;
  const StorageClass* storage_class = class_of(view, claim);
  Fact& fact = out->add(Str(has(p.possible) ? kNoSpace : kBindConflict));
  add_claim(claim, &fact);
  if (claim.request) fact.number("requested", claim.request->value());
  if (storage_class != nullptr) fact.text("provisioner", storage_class->provisioner);
  if (!has(p.possible)) {
    fact.number("persistentVolumes", static_cast<int64_t>(volumes));
  } else if (const auto most = largest_volume(view, claim.storage_class(), row)) {
    fact.number("largest", *most);
  }
  return true;
}

void PodVolumes::facts(const View& view, uint32_t row, Facts* out) const {
  for (const PersistentVolumeClaimRef& claim : claims_.bound)
    if (add_bound_fact(view, *claim, row, out)) break;
  for (const PersistentVolumeClaimRef& claim : selected_) {
    const Str selected = *find_annotation(claim->meta, kSelectedNodeAnnotation);
    if (selected == view.row(row).name) continue;
    Fact& fact = out->add(Str(kBindConflict));
    add_claim(*claim, &fact);
    fact.text("selectedNode", selected);
    return;
  }
  for (const PersistentVolumeClaimRef& claim : selected_)
    if (add_unbound_fact(view, *claim, 0, row, out)) return;
  for (const Search& s : searches_)
    if (row < s.chosen.size() && s.chosen[row] == kNoId &&
        add_unbound_fact(view, *s.claim, s.volumes, row, out))
      return;
}

}  // namespace libsched
