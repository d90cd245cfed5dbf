// See volume_controller.hpp.
#include "libsched/scheduler/api_memory/volume_controller.hpp"

#include <algorithm>
#include <utility>

#include "libsched/base/later.hpp"
#include "libsched/base/quote.hpp"
#include "libsched/objects/ephemeral_claims.hpp"
#include "libsched/objects/volume_fit.hpp"
#include "libsched/scheduler/api_memory/volume_topology.hpp"
#include "libsched/scheduler/control_plane/claims.hpp"

namespace libsched {
namespace {

constexpr Str kNoProvisioner = "kubernetes.io/no-provisioner";
constexpr Str kProvisionedByAnnotation = "pv.kubernetes.io/provisioned-by";

bool waits_for_consumer(const StorageClass* cls) {
  return cls != nullptr && cls->binding_mode && *cls->binding_mode == "WaitForFirstConsumer";
}

// Why a claim cannot have the volume that it names; "" if it can.
const char* mismatch(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  if (volume.capacity.value_or(Quantity()).compare(claim.request.value_or(Quantity())) < 0)
    return "requested PV is too small";
  if (volume.storage_class() != claim.storage_class()) return "storageClassName does not match";
  if (volume.volume_attributes_class.value_or(Str()) !=
      claim.volume_attributes_class.value_or(Str()))
    return "volumeAttributesClassName does not match";
  if (volume_mode_or_default(volume.volume_mode) != volume_mode_or_default(claim.volume_mode))
    return "incompatible volumeMode";
  return has_access_modes(volume, claim) ? "" : "incompatible accessMode";
}

Ref<PersistentVolume> in_phase(const PersistentVolume& volume, Str phase) {
  Ref<PersistentVolume> copy = copy_volume(volume);
  copy->phase = copy->arena.copy(phase);
  return copy;
}

// One term with one requirement for each label.
void set_topology(PersistentVolume& volume, const std::vector<Label>& labels) {
  if (labels.empty()) return;
  Arena& arena = volume.arena;
  std::vector<Requirement> requirements;
  for (const Label& label : labels) {
    const Label mine = make_label(arena.copy(label.key), arena.copy(label.value));
    Requirement r;
    r.key = mine.key;
    r.key_hash = mine.key_hash;
    r.op = SelectorOp::kIn;
    r.op_text = "In";
    r.values = arena.copy(&mine.value, 1);
    r.values_present = true;
    r.valid = requirement_error(r).empty();
    requirements.push_back(r);
  }
  const NodeSelectorTerm term{arena.copy(requirements), {}};
  volume.has_node_affinity = true;
  volume.node_affinity.present = true;
  volume.node_affinity.terms = arena.copy(&term, 1);
}

}  // namespace

void VolumeController::note(const WatchEvent& event) {
  if (event.kind == WatchEvent::Kind::kNode && event.after) wake_ = true;
  if (event.kind == WatchEvent::Kind::kPod) note_pod(event);
  if (event.kind != WatchEvent::Kind::kStored) return;
  const ObjectMeta& meta = (event.after ? event.after : event.before)->meta;
  switch (event.stored) {
    case StoredKind::kStorageClass:
    case StoredKind::kCsiNode: wake_ = true; return;
    case StoredKind::kPersistentVolume: {
      const std::string name(meta.name);
      if (event.after) {
        const auto& volume = static_cast<const PersistentVolume&>(*event.after);
        if (const std::optional<ClaimRef>& ref = volume.claim_ref; ref) {
          naming_[Key(ref->ns, ref->name)].insert(name);
        } else {
          open_[std::string(volume.storage_class())].insert(name);
          wake_ = true;
        }
      }
      changes_.push_back({Of::kVolume, {"", name}});
      return;
    }
    case StoredKind::kPersistentVolumeClaim: {
      const Key key(meta.ns, meta.name);
      changes_.push_back({Of::kClaim, key});
      if (event.after) return;
      const auto& gone = static_cast<const PersistentVolumeClaim&>(*event.before);
      if (!gone.volume_name.empty())
        changes_.push_back({Of::kVolume, {"", std::string(gone.volume_name)}});
      if (const auto named = naming_.find(key); named != naming_.end())
        for (const std::string& volume : named->second)
          changes_.push_back({Of::kVolume, {"", volume}});
      return;
    }
    default: return;
  }
}

void VolumeController::note_pod(const WatchEvent& event) {
  const Pod& pod = static_cast<const Pod&>(*(event.after ? event.after : event.before));
  if (pod.spec.volumes.empty() || !has_ephemeral_volumes(pod)) return;
  if (event.after && event.verb != WatchEvent::Verb::kAdded) return;
  if (event.after) {
    if (options_.ephemeral_claims) changes_.push_back({Of::kPod, Key(pod.meta.ns, pod.meta.name)});
    return;
  }
  for (const Volume& v : pod.spec.volumes)
    if (v.kind == VolumeKind::kEphemeral)
      changes_.push_back({Of::kOrphan, Key(pod.meta.ns, ephemeral_claim_name(pod, v))});
}

// Claims that wait for other objects are looked at after what has changed.
void VolumeController::wake_stuck() {
  if (!wake_ || !changes_.empty()) return;
  for (const Key& key : stuck_) changes_.push_back({Of::kClaim, key});
  wake_ = false;
}

std::optional<int64_t> VolumeController::next_due() const {
  if (!changes_.empty() || (wake_ && !stuck_.empty())) return 0;
  return orders_.empty() ? std::optional<int64_t>() : orders_.front().at_ns;
}

bool VolumeController::run_due(int64_t now_ns) {
  for (bool any = false;; any = true) {
    wake_stuck();
    bool changed = false;
    if (!changes_.empty()) {
      const Change change = changes_.front();
      changed = look_at(change, now_ns);
      changes_.pop_front();
    } else if (!orders_.empty() && orders_.front().at_ns <= now_ns) {
      const Key key = orders_.front().claim;
      changed = look_at_claim(key, true, now_ns);
      ordered_.erase(key);
      orders_.pop_front();
    } else {
      return any;
    }
    if (changed) return true;
  }
}

bool VolumeController::look_at(const Change& change, int64_t now_ns) {
  switch (change.of) {
    case Of::kVolume: return look_at_volume(change.key.second, now_ns);
    case Of::kClaim: return look_at_claim(change.key, false, now_ns);
    case Of::kPod: return look_at_pod(change.key);
    case Of::kOrphan: return look_at_orphan(change.key);
  }
  return false;
}

// Upstream's ephemeral volume controller. Returns whether it has made a claim.
bool VolumeController::look_at_pod(const Key& key) {
  const Pod* const found = objects_.pod(key.first, key.second);
  if (found == nullptr || found->meta.terminating()) return false;
  const PodRef pod = PodRef::share(found);
  bool made = false;
  for (const Volume& v : pod->spec.volumes) {
    if (v.kind != VolumeKind::kEphemeral) continue;
    if (objects_.claim(key.first, ephemeral_claim_name(*pod, v)) != nullptr) continue;
    const Result<Ref<PersistentVolumeClaim>> claim = ephemeral_claim(*pod, v);
    if (!claim.ok()) continue;  // the API server refuses it
    objects_.default_class().complete(**claim);
    objects_.put(*claim);
    made = true;
  }
  return made;
}

// The garbage collector. Returns whether it has taken the claim away.
bool VolumeController::look_at_orphan(const Key& key) {
  const PersistentVolumeClaim* const found = objects_.claim(key.first, key.second);
  if (found == nullptr) return false;
  const PersistentVolumeClaimRef claim = PersistentVolumeClaimRef::share(found);
  for (const OwnerReference& owner : claim->meta.owners) {
    if (!owner.controller || owner.kind != "Pod") continue;
    const Pod* const pod = objects_.pod(key.first, owner.name);
    if (pod != nullptr && pod->meta.uid == owner.uid) return false;
    objects_.remove(*claim);
    return true;
  }
  return false;
}

// Upstream's syncVolume.
bool VolumeController::look_at_volume(Str name, int64_t now_ns) {
  // It lives on while it is replaced.
  const PersistentVolumeRef volume = PersistentVolumeRef::share(objects_.volume(name));
  if (!volume || volume->meta.terminating()) return false;
  const std::optional<ClaimRef>& ref = volume->claim_ref;
  if (!ref || ref->uid.empty()) {
    const bool available = volume->phase == "Available";
    if (!available) objects_.put(in_phase(*volume, "Available"));
    return (ref && look_at_claim(Key(ref->ns, ref->name), false, now_ns)) || !available;
  }
  const PersistentVolumeClaim* const claim = objects_.claim(ref->ns, ref->name);
  if (claim == nullptr || claim->meta.uid != ref->uid) {
    if (volume->phase == "Released" || volume->phase == "Failed") return false;
    objects_.put(in_phase(*volume, "Released"));
    return true;
  }
  if (claim->volume_name.empty() || claim->volume_name == name)
    return look_at_claim(Key(ref->ns, ref->name), false, now_ns);
  // The claim has another volume.
  if (find_annotation(volume->meta, kBoundByControllerAnnotation) == nullptr) return false;
  const Ref<PersistentVolume> copy = in_phase(*volume, "Available");
  remove_annotation(*copy, kBoundByControllerAnnotation);
  copy->claim_ref.reset();
  objects_.put(copy);
  return true;
}

// Upstream's syncUnboundClaim. `made`: the time to make a volume is over.
bool VolumeController::look_at_claim(const Key& key, bool made, int64_t now_ns) {
  const PersistentVolumeClaim* const found = objects_.claim(key.first, key.second);
  if (found == nullptr || found->meta.terminating()) {
    stuck_.erase(key);
    return false;
  }
  // It lives on while it is replaced.
  const PersistentVolumeClaimRef shared = PersistentVolumeClaimRef::share(found);
  const PersistentVolumeClaim& claim = *shared;
  if (is_fully_bound(claim)) {
    stuck_.erase(key);
    const PersistentVolume* const volume = objects_.volume(claim.volume_name);
    const bool loose = volume != nullptr &&
                       (volume->claim_ref ? volume->phase != "Bound" && is_bound_to(*volume, claim)
                                          : !volume->meta.terminating());
    return loose && bind(*volume, claim);
  }
  const Str class_name = claim.storage_class();
  if (!claim.volume_name.empty()) {
    const PersistentVolume* const volume = objects_.volume(claim.volume_name);
    if (volume == nullptr || (volume->claim_ref && !is_bound_to(*volume, claim)))
      return stuck(claim, {}, {}, {});
    const char* const wrong = volume->claim_ref ? "" : mismatch(*volume, claim);
    if (*wrong == '\0') return bind(*volume, claim);
    return stuck(claim, "Warning", "VolumeMismatch",
                 "Cannot bind to requested volume " + go_quote(claim.volume_name) + ": " + wrong);
  }
  const StorageClass* const cls = class_name.empty() ? nullptr : objects_.storage_class(class_name);
  const bool delayed = waits_for_consumer(cls);
  if (const Match match = find_volume(claim, delayed); match.volume != nullptr)
    return bind(*match.volume, claim);
  if (delayed && find_annotation(claim.meta, kSelectedNodeAnnotation) == nullptr) {
    stuck_.erase(key);
    return false;
  }
  if (class_name.empty())
    return stuck(claim, "Normal", "FailedBinding",
                 "no persistent volumes available for this claim and no storage class is set");
  if (cls == nullptr)
    return stuck(claim, "Warning", "ProvisioningFailed",
                 "storageclass.storage.k8s.io " + go_quote(class_name) + " not found");
  return provision(claim, *cls, made, now_ns);
}

// Upstream's findByClaim: volumes with fewer access modes go first, then those that name the claim,
// then smaller ones.
VolumeController::Match VolumeController::find_volume(const PersistentVolumeClaim& claim,
                                                      bool delayed) {
  Match best;
  const auto consider = [&](const PersistentVolume& volume, bool by_name) {
    const size_t modes = volume.access_modes.size();
    if (best.volume != nullptr) {
      if (modes > best.modes) return;
      if (modes == best.modes && best.by_name) return;
      if (modes == best.modes && !by_name &&
          volume.capacity.value_or(Quantity())
                  .compare(best.volume->capacity.value_or(Quantity())) >= 0)
        return;
    }
    best = {&volume, by_name, modes};
  };
  // Calls f for each possible volume of `names`, and drops names whose volume is gone or changed.
  const auto each = [&](std::set<std::string>& names, auto&& right, auto&& f) {
    for (auto name = names.begin(); name != names.end();) {
      const PersistentVolume* const volume = objects_.volume(*name);
      if (volume == nullptr || !right(*volume)) {
        name = names.erase(name);
        continue;
      }
      if (is_possible(*volume, claim)) f(*volume);
      ++name;
    }
  };
  const Key key(claim.meta.ns, claim.meta.name);
  if (const auto named = naming_.find(key); named != naming_.end()) {
    each(
        named->second,
        [&](const PersistentVolume& v) {
          return v.claim_ref && v.claim_ref->ns == key.first && v.claim_ref->name == key.second;
        },
        [&](const PersistentVolume& v) {
          if (has_access_modes(v, claim)) consider(v, true);
        });
    if (named->second.empty()) naming_.erase(named);
  }
  if (delayed) return best;
  const std::string cls(claim.storage_class());
  if (const auto open = open_.find(cls); open != open_.end()) {
    each(
        open->second,
        [&](const PersistentVolume& v) { return !v.claim_ref && v.storage_class() == cls; },
        [&](const PersistentVolume& v) {
          if (is_available(v, claim)) consider(v, false);
        });
    if (open->second.empty()) open_.erase(open);
  }
  return best;
}

bool VolumeController::provision(const PersistentVolumeClaim& claim, const StorageClass& cls,
                                 bool made, int64_t now_ns) {
  const auto failed = [&](const std::string& note) {
    return stuck(claim, "Warning", "ProvisioningFailed", note);
  };
  if (cls.provisioner.empty() || cls.provisioner == kNoProvisioner)
    return failed("no volume plugin matched name: " + std::string(cls.provisioner));
  const Key key(claim.meta.ns, claim.meta.name);
  std::optional<VolumeTopology> topology;
  if (const Str* selected = find_annotation(claim.meta, kSelectedNodeAnnotation);
      selected != nullptr) {
    const Node* const node = objects_.node(*selected);
    if (node != nullptr) topology = topology_of(objects_, cls, *node);
    if (!topology) {  // the scheduler is to select another one
      const Ref<PersistentVolumeClaim> copy = copy_claim(claim);
      remove_annotation(*copy, kSelectedNodeAnnotation);
      objects_.put(copy);
      return true;
    }
  } else {
    topology = spread_topology(objects_, cls, claim.meta.name);
    if (!topology) return failed("no node is in the allowed topologies of the storage class");
  }
  if (options_.provision_ns > 0 && !made) {
    stuck_.erase(key);
    if (!ordered_.insert(key).second) return false;
    try {
      orders_.push_back({later_ns(now_ns, options_.provision_ns), key});
    } catch (...) {
      ordered_.erase(key);
      throw;
    }
    return false;
  }
  const std::string name = "pvc-" + std::string(claim.meta.uid);
  if (objects_.volume(name) != nullptr)
    return failed("persistentvolumes " + go_quote(name) + " already exists");
  make_volume(claim, cls, *topology, name);
  const PersistentVolume* const volume = objects_.volume(name);
  VolumeAction action;
  action.kind = VolumeAction::Kind::kProvisioned;
  action.volume = name;
  action.type = "Normal";
  action.reason = "ProvisioningSucceeded";
  const std::string note = "Successfully provisioned volume " + name;
  action.note = note;
  report(action, claim);
  return bind(*volume, claim);
}

void VolumeController::make_volume(const PersistentVolumeClaim& claim, const StorageClass& cls,
                                   const std::vector<Label>& topology, const std::string& name) {
  const Ref<PersistentVolume> volume = make_ref<PersistentVolume>();
  Arena& arena = volume->arena;
  volume->meta.name = arena.copy(name);
  volume->meta.key_hash = object_key_hash({}, volume->meta.name);
  set_annotation(*volume, kProvisionedByAnnotation, cls.provisioner);
  volume->capacity = claim.request;
  std::vector<Str> modes;
  for (const Str mode : claim.access_modes) modes.push_back(arena.copy(mode));
  volume->access_modes = arena.copy(modes);
  if (claim.volume_mode) volume->volume_mode = arena.copy(*claim.volume_mode);
  if (claim.volume_attributes_class)
    volume->volume_attributes_class = arena.copy(*claim.volume_attributes_class);
  volume->storage_class_name = arena.copy(claim.storage_class());
  volume->claim_ref =
      ClaimRef{arena.copy(claim.meta.ns), arena.copy(claim.meta.name), arena.copy(claim.meta.uid)};
  set_topology(*volume, topology);
  volume->source.kind = VolumeKind::kCsi;
  volume->source.driver = arena.copy(cls.provisioner);
  volume->source.id = volume->meta.name;
  volume->phase = "Bound";
  objects_.put(volume);
}

// Upstream's bind: first the volume, then the claim. Returns true, because something changes.
bool VolumeController::bind(const PersistentVolume& given, const PersistentVolumeClaim& claim) {
  const PersistentVolumeRef volume = PersistentVolumeRef::share(&given);
  const ObjectMeta& meta = claim.meta;
  const std::optional<ClaimRef>& ref = volume->claim_ref;
  const bool complete = ref && ref->name == meta.name && ref->ns == meta.ns && ref->uid == meta.uid;
  if (!complete || volume->phase != "Bound") {
    const Ref<PersistentVolume> copy = in_phase(*volume, "Bound");
    Arena& arena = copy->arena;
    copy->claim_ref = ClaimRef{arena.copy(meta.ns), arena.copy(meta.name), arena.copy(meta.uid)};
    // By hand only if the user has named the claim.
    if (!ref) set_annotation(*copy, kBoundByControllerAnnotation, "yes");
    objects_.put(copy);
  }
  if (!is_fully_bound(claim) || claim.phase != "Bound") {
    const Ref<PersistentVolumeClaim> copy = copy_claim(claim);
    if (claim.volume_name.empty()) {
      copy->volume_name = copy->arena.copy(volume->meta.name);
      set_annotation(*copy, kBoundByControllerAnnotation, "yes");
    }
    set_annotation(*copy, kBindCompletedAnnotation, "yes");
    copy->phase = copy->arena.copy("Bound");
    objects_.put(copy);
    VolumeAction action;
    action.volume = volume->meta.name;
    report(action, claim);
  }
  stuck_.erase(Key(meta.ns, meta.name));
  return true;
}

// Reports once that the claim cannot go on. Returns false, since no object has changed.
bool VolumeController::stuck(const PersistentVolumeClaim& claim, Str type, Str reason,
                             const std::string& note) {
  if (!stuck_.insert(Key(claim.meta.ns, claim.meta.name)).second || type.empty()) return false;
  VolumeAction action;
  action.kind = VolumeAction::Kind::kFailed;
  action.type = type;
  action.reason = reason;
  action.note = note;
  report(action, claim);
  return false;
}

void VolumeController::report(VolumeAction action, const PersistentVolumeClaim& claim) const {
  if (!options_.on_action) return;
  action.ns = claim.meta.ns;
  action.claim = claim.meta.name;
  action.storage_class = claim.storage_class();
  if (const Str* node = find_annotation(claim.meta, kSelectedNodeAnnotation); node != nullptr)
    action.node = *node;
  options_.on_action(action);
}

}  // namespace libsched
