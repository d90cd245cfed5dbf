// VolumeBinding: a node must have, or be able to get, the volumes of the pod's claims; Reserve
// assumes the volumes to bind or provision, PreBind has them bound. Mirrors upstream's
// plugins/volumebinding.
#include <atomic>

#include "libsched/base/quote.hpp"
#include "libsched/config/selector_texts.hpp"
#include "libsched/objects/volume_fit.hpp"
#include "libsched/plugins/hints.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/plugins/own_entry.hpp"
#include "libsched/plugins/signature/signature.hpp"
#include "libsched/plugins/volumebinding/binding.hpp"
#include "libsched/plugins/volumebinding/capacity_score.hpp"
#include "libsched/plugins/volumebinding/facts.hpp"
#include "libsched/plugins/volumebinding/pod_volumes.hpp"
#include "libsched/plugins/volumebinding/requeue.hpp"
#include "libsched/plugins/volumes/claims.hpp"

namespace libsched {
namespace {

// Shared with its copies, as upstream's.
struct Volumes final : PluginData {
  std::shared_ptr<const PodVolumes> found;
  std::shared_ptr<Reservation> reserved = std::make_shared<Reservation>();
  // With gate VolumeCapacityPriority: whether a node has been found that passes Filter with volumes
  // that exist.
  std::shared_ptr<std::atomic<bool>> any_static;

  bool fit(uint32_t row) const {
    const size_t word = row / 64;
    return row != kNoId && word < found->fits().size() &&
           (found->fits()[word] >> (row % 64) & 1) != 0;
  }
  std::shared_ptr<PluginData> clone() const override { return std::make_shared<Volumes>(*this); }
};

// Upstream's podHasPVCs: Success if all claims exist and can be used, Skip if the pod has none.
Status find_claims(const View& view, const Pod& pod,
                   std::vector<const PersistentVolumeClaim*>* claims) {
  std::string scratch;
  for (const Volume& v : pod.spec.volumes) {
    if (!has_claim(v)) continue;
    const bool ephemeral = v.kind == VolumeKind::kEphemeral;
    const Str name = claim_name(pod, v, &scratch);
    const auto* claim = view.objects().find<PersistentVolumeClaim>(pod.meta.ns, name);
    if (claim == nullptr)
      return Status::unresolvable(ephemeral
                                      ? "waiting for ephemeral volume controller to create the "
                                        "persistentvolumeclaim " +
                                            go_quote(name)
                                      : not_found_error(StoredKind::kPersistentVolumeClaim, name));
    if (claim->phase == "Lost")
      return Status::unresolvable("persistentvolumeclaim " + go_quote(name) +
                                  " bound to non-existent persistentvolume " +
                                  go_quote(claim->volume_name));
    if (claim->meta.terminating())
      return Status::unresolvable("persistentvolumeclaim " + go_quote(name) + " is being deleted");
    if (ephemeral && !claim_is_of_pod(*claim, pod))
      return Status::unresolvable(not_owner_error(*claim, pod));
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
  return immediate ? Status::unresolvable("pod has unbound immediate PersistentVolumeClaims")
                   : Status();
}

class VolumeBinding final : public Plugin {
 public:
  // Without a shape the plugin does not score.
  VolumeBinding(int64_t timeout_seconds, std::optional<ScoreShape> shape, const FactoryCall& call)
      : timeout_seconds_(timeout_seconds),
        shape_(std::move(shape)),
        static_only_(call.gates.enabled(Gate::kVolumeCapacityPriority)),
        settings_{.attributes_classes = call.gates.enabled(Gate::kVolumeAttributesClass),
                  .texts = selector_texts(call.behaviours)},
        missing_(call.behaviours.older_volume_texts ? "no pod volumes found for node "
                                                    : "no pod volume found for node ") {
    if (call.behaviours.volume_conflict_text)
      settings_.node_conflict = "node(s) had volume node affinity conflict";
  }

  bool passes_deferred_resizes() const override { return true; }

  Result<Status> pre_filter(const PreFilterCall& call, PreFilterResult*) const override {
    if (call.pod.spec.volumes.empty()) return Status(Code::kSkip);
    std::vector<const PersistentVolumeClaim*> claims;
    Status status = find_claims(call.view, call.pod, &claims);
    if (!status.success()) return status;
    PodClaims sorted;
    status = sort_claims(call.view, claims, &sorted);
    if (!status.success()) return status;
    auto data = std::make_shared<Volumes>();
    data->view_version = call.view.version();
    data->found = std::make_shared<const PodVolumes>(call.view, std::move(sorted), settings_, call);
    if (static_only_) data->any_static = std::make_shared<std::atomic<bool>>(false);
    *call.data = std::move(data);
    return status;
  }

  void filter(const FilterCall& call, const RowSet& set) const override {
    if (call.data == nullptr) {
      set.for_each([&](uint32_t row) { set.reject_with_error(row); });
      return;
    }
    const auto& volumes = static_cast<const Volumes&>(*call.data);
    const PodVolumes& found = *volumes.found;
    for (size_t w = 0; w < set.words; ++w) {
      const uint64_t failed = set.alive[w] & found.failed()[set.first_word + w];
      if (failed != 0)
        call.services.metrics().volume_stage_failed(VolumeStage::kPredicate,
                                                    static_cast<uint64_t>(count_bits(failed)));
      set.errors[w] |= failed;
      set.alive[w] &= found.fits()[set.first_word + w];
    }
    if (volumes.any_static != nullptr)
      set.for_each([&](uint32_t row) {
        if (!*volumes.any_static && !found.bindings(row).empty()) *volumes.any_static = true;
      });
  }

  void filter_status(const FilterCall& call, uint32_t row, Status* out) const override {
    if (call.data == nullptr) return out->set(Code::kError, "not found");
    *out = static_cast<const Volumes&>(*call.data).found->status(row);
  }

  uint64_t reason_key(const FilterCall& call, uint32_t row) const override {
    if (call.data == nullptr) return 0;
    return static_cast<const Volumes&>(*call.data).found->reasons(row).value_or(kNoReasonKey);
  }

  void pod_facts(const Call& call, const Pod& pod, const Status& status,
                 Facts* facts) const override {
    add_unusable_claims(call.view, pod, status.reasons[0], facts);
  }

  void node_facts(const FilterCall& call, uint32_t row, const Status&,
                  Facts* facts) const override {
    static_cast<const Volumes&>(*call.data).found->facts(call.view, row, facts);
  }

  Status pre_score(const PreScoreCall& call, std::shared_ptr<PluginData>*) const override {
    if (!shape_) return Status(Code::kSkip);
    if (left_out_of_pre_filter(call.state, *this)) return Status::from_error("not found");
    if (!static_only_) return {};
    const CycleState::Entry* const entry = own_entry(call.state, *this);
    const auto* const volumes =
        entry == nullptr ? nullptr : static_cast<const Volumes*>(entry->data.get());
    return Status(volumes != nullptr && *volumes->any_static ? Code::kSuccess : Code::kSkip);
  }

  // Filter is what finds volumes.
  Scored score(const ScoreCall& call, const ScoreSet& set, int64_t* scores) const override {
    if (!shape_) return {true, 0};
    if (call.filter_data == nullptr) {
      if (left_out_of_pre_filter(call.state, *this))
        set.for_each([&](uint32_t row) { set.fail(row); });
      return {true, 0};
    }
    if (left_out_of_filter(call.state, *this)) return {true, 0};
    const PodVolumes& found = *static_cast<const Volumes&>(*call.filter_data).found;
    return score_capacity(call, found, *shape_, static_only_, set, scores);
  }

  Status score_status(const ScoreCall&, uint32_t) const override {
    return Status::from_error("not found");
  }

  bool has_to_reserve(const PluginData* data) const override { return data != nullptr; }
  Status reserve(const ReserveCall& call) const override {
    const auto* volumes = static_cast<const Volumes*>(call.filter_data);
    if (volumes == nullptr)
      return left_out_of_pre_filter(call.state, *this) ? Status::from_error("not found") : Status();
    Reservation& reserved = *volumes->reserved;
    reserved.made = true;
    reserved.all_bound = !volumes->fit(call.row) || all_bound(call.cluster.view(), call.pod);
    if (reserved.all_bound) return Status();
    const std::string node = call.cluster.view().row(call.row).name;
    watch_binding(call.cluster, call.pod, node, &reserved);
    const auto assume = [&](Reservation::Item item) {
      if (item.patch != "{}") {
        const Result<void> done = call.cluster.assume_object(item.kind, item.object);
        if (!done.ok()) {
          unreserve(call).now();
          call.services.metrics().volume_stage_failed(VolumeStage::kAssume);
          return Status::from_error(done.error().message);
        }
      }
      add_item(std::move(item), &reserved);
      return Status();
    };
    for (const PodVolumes::Binding& b : volumes->found->bindings(call.row))
      if (Status s = assume(bind_to_claim(*b.volume, *b.claim)); !s.success()) return s;
    for (const PersistentVolumeClaim* claim : volumes->found->provisions(call.row))
      if (Status s = assume(select_node(*claim, node)); !s.success()) return s;
    return Status();
  }

  Steps<> unreserve(const ReserveCall& call) const override {
    const auto* volumes = static_cast<const Volumes*>(call.filter_data);
    if (volumes == nullptr) return {};
    for (const Reservation::Item& o : volumes->reserved->items) {
      const ObjectMeta& meta = o.object->meta;
      const ObjectStore::Entry* there =
          call.cluster.view().objects().entry(o.kind, meta.ns, meta.name);
      // A newer object from the API has replaced the assumed one.
      if (there == nullptr || there->latest->meta.resource_version != meta.resource_version)
        continue;
      static_cast<void>(call.cluster.restore_object(o.kind, meta.ns, meta.name));
    }
    volumes->reserved->items.clear();
    return {};
  }

  Status pre_bind_pre_flight(const BindingCall& call, bool* allow_parallel) const override {
    *allow_parallel = true;
    if (call.entry.skip_filter) return Status(Code::kSkip);
    const auto* volumes = static_cast<Volumes*>(call.entry.data.get());
    if (volumes == nullptr) return Status::from_error("not found");
    if (volumes->reserved->all_bound) return Status(Code::kSkip);
    return volumes->fit(call.row) ? Status() : no_volume(call);
  }

  Steps<Status> pre_bind(const BindingCall& call) const override {
    bool ignored = false;
    Status status = pre_bind_pre_flight(call, &ignored);
    if (status.code == Code::kSkip) co_return Status();
    if (!status.success()) co_return status;
    const auto& volumes = static_cast<const Volumes&>(*call.entry.data);
    Status done = co_await bind_volumes(call, *volumes.reserved, timeout_seconds_);
    if (!done.success()) call.services.metrics().volume_stage_failed(VolumeStage::kBind);
    co_return done;
  }

  Dependencies depends_on(const View&, const Pod& pod) const override {
    const auto& volumes = pod.spec.volumes;
    if (std::none_of(volumes.begin(), volumes.end(), [](const Volume& v) { return has_claim(v); }))
      return {};
    Reads reads{.row = kLabelsChanged};
    for (const StoredKind kind : {StoredKind::kPersistentVolumeClaim, StoredKind::kPersistentVolume,
                                  StoredKind::kStorageClass, StoredKind::kCsiNode,
                                  StoredKind::kCsiDriver, StoredKind::kCsiStorageCapacity})
      reads.any |= object_changed(kind);
    return {reads, shape_ ? reads : Reads()};
  }

  bool signs() const override { return true; }
  Status sign(const View&, const Pod& pod, std::vector<SignFragment>* out) const override {
    out->push_back(sign_fragment(kSignVolumes, signed_volumes(pod)));
    return {};
  }

  bool registers_events() const override { return true; }
  Result<std::vector<ClusterEventWithHint>> events_to_register() const override {
    return std::vector<ClusterEventWithHint>{hinted(kStorageClassEvents, kAdd | kUpdate),
                                             hinted(kClaimEvents, kAdd | kUpdate),
                                             always(kVolumeEvents, kAdd | kUpdate),
                                             always(kNodeEvents, kAdd | kUpdateNodeLabel),
                                             hinted(kCsiNodeEvents, kAdd | kUpdate),
                                             hinted(kCsiDriverEvents, kUpdate),
                                             hinted(kCsiStorageCapacityEvents, kAdd | kUpdate)};
  }
  Result<QueueingHint> hint(size_t, const View&, const Pod& pod,
                            const ObjectChange& change) const override {
    return hint_of_volumes(pod, change);
  }

 private:
  Status no_volume(const BindingCall& call) const {
    return Status::from_error(missing_ + go_quote(call.node));
  }
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

  int64_t timeout_seconds_;
  std::optional<ScoreShape> shape_;
  bool static_only_;  // only volumes that exist are scored
  PodVolumesSettings settings_;
  const char* missing_;  // begins the error of a node without volumes
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_volume_binding(const FactoryCall& call) {
  const auto* args =
      call.args == nullptr ? nullptr : std::get_if<VolumeBindingArgs>(&call.args->value);
  std::optional<ScoreShape> shape;
  const auto shape_or = [&](std::vector<UtilizationShapePoint> usual) {
    shape.emplace(args != nullptr && args->shape ? *args->shape : std::move(usual));
  };
  if (call.gates.enabled(Gate::kStorageCapacityScoring)) shape_or({{0, 10}, {100, 0}});
  if (call.gates.enabled(Gate::kVolumeCapacityPriority)) shape_or({{0, 0}, {100, 10}});
  return std::unique_ptr<Plugin>(std::make_unique<VolumeBinding>(
      args == nullptr ? 600 : args->bind_timeout_seconds, std::move(shape), call));
}

}  // namespace libsched
