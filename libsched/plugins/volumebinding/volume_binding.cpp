// VolumeBinding: a node must have, or be able to get, the volumes of the pod's claims; Reserve
// assumes the volumes that it would bind or have made. Mirrors upstream's plugins/volumebinding.
#include "libsched/base/quote.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/plugins/volumebinding/pod_volumes.hpp"
#include "libsched/plugins/volumes/claims.hpp"

namespace libsched {
namespace {

// Shared with its copies, as upstream's.
struct Volumes final : PluginData {
  std::shared_ptr<const PodVolumes> found;
  std::shared_ptr<std::vector<StoredObject>> reserved =
      std::make_shared<std::vector<StoredObject>>();
  std::shared_ptr<PluginData> clone() const override { return std::make_shared<Volumes>(*this); }
};

bool is_fully_bound(const PersistentVolumeClaim& claim) {
  return !claim.volume_name.empty() &&
         find_annotation(claim.meta, kBindCompletedAnnotation) != nullptr;
}

Status unresolvable(std::string why) {
  return Status(Code::kUnschedulableAndUnresolvable, std::move(why));
}

// Upstream's podHasPVCs: all claims are there and can be used. Skip: there are none.
Status find_claims(const View& view, const Pod& pod,
                   std::vector<const PersistentVolumeClaim*>* claims) {
  std::string scratch;
  for (const Volume& v : pod.spec.volumes) {
    if (!has_claim(v)) continue;
    const bool ephemeral = v.kind == VolumeKind::kEphemeral;
    const Str name = claim_name(pod, v, &scratch);
    const auto* claim = view.objects().find<PersistentVolumeClaim>(pod.meta.ns, name);
    if (claim == nullptr)
      return unresolvable(ephemeral ? "waiting for ephemeral volume controller to create the "
                                      "persistentvolumeclaim " +
                                          go_quote(name)
                                    : not_found_error(StoredKind::kPersistentVolumeClaim, name));
    if (claim->phase == "Lost")
      return unresolvable("persistentvolumeclaim " + go_quote(name) +
                          " bound to non-existent persistentvolume " +
                          go_quote(claim->volume_name));
    if (claim->meta.terminating())
      return unresolvable("persistentvolumeclaim " + go_quote(name) + " is being deleted");
    if (ephemeral && !claim_is_of_pod(*claim, pod))
      return unresolvable(not_owner_error(*claim, pod));
    claims->push_back(claim);
  }
  return claims->empty() ? Status(Code::kSkip) : Status();
}

// Upstream's GetPodVolumeClaims.
Status sort_claims(const View& view, const std::vector<const PersistentVolumeClaim*>& claims,
                   PodClaims* out) {
  bool immediate = false;
  for (const PersistentVolumeClaim* claim : claims) {
    if (is_fully_bound(*claim)) {
      out->bound.push_back(PersistentVolumeClaimRef::share(claim));
      continue;
    }
    const Str class_name = claim->storage_class();
    const auto* storage_class =
        class_name.empty() ? nullptr : view.objects().find<StorageClass>(class_name);
    if (storage_class != nullptr && !storage_class->binding_mode)
      return Status(Code::kError,
                    "VolumeBindingMode not set for StorageClass " + go_quote(class_name));
    if (storage_class != nullptr && *storage_class->binding_mode == "WaitForFirstConsumer" &&
        claim->volume_name.empty()) {
      out->delayed.push_back(PersistentVolumeClaimRef::share(claim));
    } else {
      immediate = true;
    }
  }
  return immediate ? unresolvable("pod has unbound immediate PersistentVolumeClaims") : Status();
}

// The volume as upstream's GetBindVolumeToClaim binds it to the claim; null: it is already.
Ref<PersistentVolume> bound_volume(const PodVolumes::Binding& b) {
  const ObjectMeta& claim = b.claim->meta;
  const std::optional<ClaimRef>& ref = b.volume->claim_ref;
  const bool named = ref && ref->name == claim.name && ref->ns == claim.ns;
  const bool bound = named && (ref->uid.empty() || ref->uid == claim.uid);
  const bool annotate =
      !bound && find_annotation(b.volume->meta, kBoundByControllerAnnotation) == nullptr;
  if (named && ref->uid == claim.uid && !annotate) return {};
  Ref<PersistentVolume> copy = copy_volume(*b.volume);
  Arena& arena = copy->arena;
  copy->claim_ref = ClaimRef{arena.copy(claim.ns), arena.copy(claim.name), arena.copy(claim.uid)};
  if (annotate) set_annotation(*copy, kBoundByControllerAnnotation, "yes");
  return copy;
}

class VolumeBinding final : public Plugin {
 public:
  Result<Status> pre_filter(const PreFilterCall& call, PreFilterResult*) const override {
    std::vector<const PersistentVolumeClaim*> claims;
    Status status = find_claims(call.view, call.pod, &claims);
    if (!status.success()) return status;
    PodClaims sorted;
    status = sort_claims(call.view, claims, &sorted);
    if (!status.success()) return status;
    auto data = std::make_shared<Volumes>();
    data->view_version = call.view.version();
    data->found = std::make_shared<const PodVolumes>(call.view, std::move(sorted));
    *call.data = std::move(data);
    return status;
  }

  void filter(const FilterCall& call, const RowSet& set) const override {
    if (call.data == nullptr) {
      set.for_each([&](uint32_t row) { set.reject_with_error(row); });
      return;
    }
    const PodVolumes& found = *static_cast<const Volumes&>(*call.data).found;
    for (size_t w = 0; w < set.words; ++w) {
      set.errors[w] |= set.alive[w] & found.failed()[set.first_word + w];
      set.alive[w] &= found.fits()[set.first_word + w];
    }
  }

  Status filter_status(const FilterCall& call, uint32_t row) const override {
    if (call.data == nullptr) return Status(Code::kError, "not found");
    return static_cast<const Volumes&>(*call.data).found->status(row);
  }

  // Scores only with the feature gate StorageCapacityScoring.
  Status pre_score(const PreScoreCall&, std::shared_ptr<PluginData>*) const override {
    return Status(Code::kSkip);
  }

  Status reserve(const ReserveCall& call) const override {
    const auto* volumes = static_cast<const Volumes*>(call.filter_data);
    if (volumes == nullptr || all_bound(call.cluster.view(), call.pod)) return Status();
    const PodVolumes& found = *volumes->found;
    const size_t word = call.row / 64;
    if (word >= found.fits().size() || (found.fits()[word] >> (call.row % 64) & 1) == 0)
      return Status();
    const auto assume = [&](StoredKind kind, const ObjectRef& object) {
      const Result<void> done = call.cluster.assume_object(kind, object);
      if (done.ok()) {
        volumes->reserved->push_back({kind, object});
        return Status();
      }
      unreserve(call);
      return Status(Code::kError, done.error().message);
    };
    for (const PodVolumes::Binding& b : found.bindings(call.row)) {
      const Ref<PersistentVolume> changed = bound_volume(b);
      if (!changed) {
        volumes->reserved->push_back({StoredKind::kPersistentVolume, ObjectRef::share(b.volume)});
        continue;
      }
      if (Status s = assume(StoredKind::kPersistentVolume, ObjectRef(changed)); !s.success())
        return s;
    }
    const std::string node = call.cluster.view().row(call.row).name;
    for (const PersistentVolumeClaim* claim : found.provisions(call.row)) {
      const Ref<PersistentVolumeClaim> changed = copy_claim(*claim);
      set_annotation(*changed, kSelectedNodeAnnotation, node);
      if (Status s = assume(StoredKind::kPersistentVolumeClaim, ObjectRef(changed)); !s.success())
        return s;
    }
    return Status();
  }

  void unreserve(const ReserveCall& call) const override {
    const auto* volumes = static_cast<const Volumes*>(call.filter_data);
    if (volumes == nullptr) return;
    for (const StoredObject& o : *volumes->reserved) {
      const ObjectMeta& meta = o.object->meta;
      const ObjectStore::Entry* there =
          call.cluster.view().objects().entry(o.kind, meta.ns, meta.name);
      // A newer one from the API has taken the place of what was assumed.
      if (there == nullptr || there->latest->meta.resource_version != meta.resource_version)
        continue;
      static_cast<void>(call.cluster.restore_object(o.kind, meta.ns, meta.name));
    }
    volumes->reserved->clear();
  }

 private:
  static bool all_bound(const View& view, const Pod& pod) {
    std::string scratch;
    for (const Volume& v : pod.spec.volumes) {
      if (!has_claim(v)) continue;
      const Str name = claim_name(pod, v, &scratch);
      const auto* claim = view.objects().find<PersistentVolumeClaim>(pod.meta.ns, name);
      if (claim == nullptr || !is_fully_bound(*claim)) return false;
      if (v.kind == VolumeKind::kEphemeral && !claim_is_of_pod(*claim, pod)) return false;
    }
    return true;
  }
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_volume_binding(const FactoryCall&) {
  return std::unique_ptr<Plugin>(std::make_unique<VolumeBinding>());
}

}  // namespace libsched
