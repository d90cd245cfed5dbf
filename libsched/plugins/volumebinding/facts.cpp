// Facts of VolumeBinding: the claims that PreFilter refuses, and the claims and volumes that keep a
// node from the pod, found in the order in which PodVolumes found them.
#include "libsched/plugins/volumebinding/facts.hpp"

#include <algorithm>

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

// Why the volume controller, which binds such a claim without regard to pods, has not done so yet.
void add_unbound_problem(const View& view, const PersistentVolumeClaim& claim,
                         const StorageClass* storage_class, Fact* fact) {
  if (!claim.volume_name.empty()) {
    const auto* pv = view.objects().find<PersistentVolume>(claim.volume_name);
    fact->text("problem", pv == nullptr ? "volume missing" : "not bound");
    if (pv != nullptr && pv->claim_ref && !is_bound_to(*pv, claim))
      fact->key("boundTo", pv->claim_ref->ns, pv->claim_ref->name);
  } else if (storage_class == nullptr) {
    fact->text("problem", claim.storage_class().empty() ? "no class" : "class missing");
  } else {
    fact->text("problem", "immediate");
  }
}

// What keeps a volume of the claim's class from the claim on every node, in the order in which
// volume_fit.hpp asks; null: nothing does.
const char* problem_of(const PersistentVolume& pv, const PersistentVolumeClaim& claim) {
  if (is_possible(pv, claim)) {
    if (is_bound_to(pv, claim) || is_available(pv, claim)) return nullptr;
    if (pv.phase != "Available") return "phase";
    return has_access_modes(pv, claim) ? "selector" : "access modes";
  }
  if (pv.claim_ref && !is_bound_to(pv, claim)) return "claimed";
  if (pv.meta.terminating()) return "deleting";
  if (volume_mode_or_default(pv.volume_mode) != volume_mode_or_default(claim.volume_mode))
    return "volume mode";
  if (pv.volume_attributes_class.value_or(Str()) != claim.volume_attributes_class.value_or(Str()))
    return "attributes class";
  return "size";
}

// Volumes by what keeps them from a claim.
class VolumeProblems {
 public:
  void add(const char* problem, const PersistentVolume& pv) {
    auto at = std::find_if(groups_.begin(), groups_.end(),
                           [&](const Group& g) { return Str(g.problem) == problem; });
    if (at == groups_.end()) at = groups_.insert(at, Group{problem, {}});
    at->volumes.push_back(&pv);
  }
  void tell(const Fact& begun, Facts* out) {
    for (Group& g : groups_) {
      std::sort(g.volumes.begin(), g.volumes.end(),
                [](const auto* a, const auto* b) { return a->meta.name < b->meta.name; });
      Fact& fact = out->add(begun).text("problem", g.problem);
      if (Str(g.problem) == "size") {
        int64_t largest = 0;
        for (const PersistentVolume* pv : g.volumes)
          largest = std::max(largest, pv->capacity.value_or(Quantity()).value());
        fact.number("largest", largest);
      }
      std::vector<Str> names;
      std::vector<std::string> claims;
      for (const PersistentVolume* pv : g.volumes) {
        if (names.size() == kMostNames) break;
        names.push_back(pv->meta.name);
        if (Str(g.problem) == "claimed")
          claims.push_back(std::string(pv->claim_ref->ns).append("/").append(pv->claim_ref->name));
      }
      fact.number("count", static_cast<int64_t>(g.volumes.size())).texts("volumes", names);
      if (!claims.empty()) fact.texts("claims", std::vector<Str>(claims.begin(), claims.end()));
    }
  }

 private:
  static constexpr size_t kMostNames = 8;  // of each group so many volumes are named
  struct Group {
    const char* problem;
    std::vector<const PersistentVolume*> volumes;
  };
  std::vector<Group> groups_;
};

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
    add_unbound_problem(view, *claim, storage_class, &fact);
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
  begun.reason = settings_.node_conflict;
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
    add_unmatched(view, pv->node_affinity, view.node(row)->meta.labels, {}, begun, out);
  if (out->list().size() == before) out->add(begun);
  return true;
}

// An unbound claim that gets no volume on the node; without a search it has a selected node. False:
// one can be made.
bool PodVolumes::add_unbound_fact(const View& view, const PersistentVolumeClaim& claim,
                                  const Search* search, uint32_t row, Facts* out) const {
  const Provisioning p(view, claim);
  const auto has = [&](const Words& rows) { return (rows[row / 64] >> (row % 64) & 1) != 0; };
  if (has(p.possible) && has(p.enough)) return false;
  const StorageClass* storage_class = class_of(view, claim);
  const std::string reason = has(p.possible) ? kNoSpace : kBindConflict;
  Fact& fact = out->add(reason);
  add_claim(claim, &fact);
  if (claim.request) fact.number("requested", claim.request->value());
  if (storage_class != nullptr) fact.text("provisioner", storage_class->provisioner);
  if (has(p.possible)) {
    const std::optional<int64_t> most = largest_volume(view, claim.storage_class(), row);
    if (most)
      fact.number("largest", *most);
    else
      fact.text("problem", "no capacity");
    return true;
  }
  const size_t volumes = search == nullptr ? 0 : search->volumes;
  fact.number("persistentVolumes", static_cast<int64_t>(volumes));
  const Fact begun = Fact{reason, {}}.key("claim", claim.meta.ns, claim.meta.name);
  if (search != nullptr) add_volume_facts(view, *search, row, begun, out);
  add_topology_facts(view, claim, row, begun, out);
  return true;
}

// Why each volume of the claim's class is none for it on the node.
void PodVolumes::add_volume_facts(const View& view, const Search& search, uint32_t row,
                                  const Fact& begun, Facts* out) const {
  VolumeProblems problems;
  const auto is = [&](uint32_t c, const PersistentVolume& pv) {
    return c != kNoId && candidates_[c].volume.get() == &pv;
  };
  const auto taken = [&](const PersistentVolume& pv) {
    return std::any_of(searches_.data(), &search, [&](const Search& s) {
      return row < s.chosen.size() && is(s.chosen[row], pv);
    });
  };
  const std::vector<uint32_t>& own = search.prebound;
  const bool reserved = std::any_of(own.begin(), own.end(),
                                    [&](uint32_t c) { return !taken(*candidates_[c].volume); });
  size_t of_class = 0;
  view.objects().for_each_in<PersistentVolume>(
      search.claim->storage_class(), [&](const PersistentVolume& pv) {
        ++of_class;
        const bool listed =
            std::any_of(own.begin(), own.end(), [&](uint32_t c) { return is(c, pv); });
        if (const char* problem = problem_of(pv, *search.claim)) {
          problems.add(problem, pv);
        } else if (taken(pv)) {
          problems.add("taken", pv);
        } else {
          problems.add(reserved && !listed ? "other volume" : "node", pv);
        }
      });
  if (of_class == 0)
    view.objects().for_each<PersistentVolume>(
        [&](const PersistentVolume& pv) { problems.add("class", pv); });
  problems.tell(begun, out);
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
    if (view.find_node(selected) == kNoId) fact.flag("exists", false);
    return;
  }
  for (const PersistentVolumeClaimRef& claim : selected_)
    if (add_unbound_fact(view, *claim, nullptr, row, out)) return;
  for (const Search& s : searches_)
    if (row < s.chosen.size() && s.chosen[row] == kNoId &&
        add_unbound_fact(view, *s.claim, &s, row, out))
      return;
}

}  // namespace libsched
