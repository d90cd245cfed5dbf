// VolumeZone: a node with zone or region labels must have those of the volumes that the pod's
// claims are bound to. Mirrors upstream's plugins/volumezone.
#include <algorithm>
#include <array>

#include "libsched/base/quote.hpp"
#include "libsched/plugins/hints.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/plugins/signature/signature.hpp"
#include "libsched/plugins/volumes/claims.hpp"
#include "libsched/plugins/volumes/csi_translation.hpp"

namespace libsched {
namespace {

constexpr std::array<Str, 4> kKeys = {kBetaZoneLabel, kBetaRegionLabel, kZoneLabel, kRegionLabel};

constexpr Str kDelayed = "WaitForFirstConsumer";

// The volumes' demands, as rows of one version of the view.
struct Zones final : PluginData {
  Status status;               // Success or Skip, else the reason why `rows` is unset
  std::vector<uint64_t> rows;  // that fit
  std::shared_ptr<PluginData> clone() const override { return std::make_shared<Zones>(*this); }
};

using Words = std::vector<uint64_t>;

void add_key_rows(const View& view, Str key, Words* rows) {
  const uint32_t id = view.labels().find_key(key, hash_str(key));
  if (id != kNoId) view.labels().key(id).rows.or_into(0, rows->size(), rows->data());
}

void add_pair_rows(const View& view, Str key, Str value, Words* rows) {
  const uint32_t id = view.labels().find_pair(key, value, label_pair_hash(hash_str(key), value));
  if (id != kNoId) view.labels().pair(id).rows.or_into(0, rows->size(), rows->data());
}

// The values of a volume's zone label, "a__b"; empty if a value is empty: the label is then
// ignored.
std::vector<Str> zones_of(Str label) {
  std::vector<Str> out = split_zone_label(label);
  for (Str& zone : out) {
    zone = trim_space(zone);
    if (zone.empty()) return {};
  }
  return out;
}

// The values of each key in a volume's labels, in any order and without duplicates.
std::array<std::vector<Str>, kKeys.size()> topology_of(const ObjectMeta& volume) {
  std::array<std::vector<Str>, kKeys.size()> out;
  for (size_t i = 0; i < kKeys.size(); ++i) {
    const Label* label = find_label(volume.labels, kKeys[i]);
    if (label == nullptr) continue;
    out[i] = zones_of(label->value);
    std::sort(out[i].begin(), out[i].end());
    out[i].erase(std::unique(out[i].begin(), out[i].end()), out[i].end());
  }
  return out;
}

class VolumeZone final : public Plugin {
 public:
  bool passes_deferred_resizes() const override { return true; }

  Result<Status> pre_filter(const PreFilterCall& call, PreFilterResult*) const override {
    if (call.pod.spec.volumes.empty()) return Status(Code::kSkip);
    std::shared_ptr<Zones> zones = judge(call, call.pod);
    Status status = zones->status;
    if (status.success()) *call.data = std::move(zones);
    return status;
  }

  // Upstream's Filter computes it if PreFilter did not run.
  std::shared_ptr<PluginData> prepare(const Call& call, const Pod& pod) const override {
    return judge(call, pod);
  }

  void filter(const FilterCall& call, const RowSet& set) const override {
    const Zones& zones = static_cast<const Zones&>(*call.data);
    if (zones.status.success()) {
      set.keep([&](size_t w) { return zones.rows[w]; });
    } else if (zones.status.code != Code::kSkip) {
      set.for_each([&](uint32_t row) {
        if (zones.status.rejected()) {
          set.reject(row);
        } else {
          set.reject_with_error(row);
        }
      });
    }
  }

  void filter_status(const FilterCall& call, uint32_t, Status* out) const override {
    const Zones& zones = static_cast<const Zones&>(*call.data);
    if (zones.status.success())
      return out->set(Code::kUnschedulableAndUnresolvable, "node(s) had no available volume zone");
    *out = zones.status;
  }

  uint64_t reason_key(const FilterCall&, uint32_t) const override { return 0; }

  void pod_facts(const Call& call, const Pod& pod, const Status& status,
                 Facts* facts) const override {
    add_unbound(call.view, pod, &facts->add(status.reasons[0]));
  }

  void node_facts(const FilterCall& call, uint32_t row, const Status& status,
                  Facts* facts) const override {
    if (!static_cast<const Zones&>(*call.data).status.success())
      return add_unbound(call.view, call.pod, &facts->add(status.reasons[0]));
    const ObjectStore& objects = call.view.objects();
    const Labels labels = call.view.node(row)->meta.labels;
    for (const Volume& v : call.pod.spec.volumes) {
      if (v.kind != VolumeKind::kPersistentVolumeClaim) continue;
      const auto* claim = objects.find<PersistentVolumeClaim>(call.pod.meta.ns, v.id);
      if (claim == nullptr || claim->volume_name.empty()) continue;
      const auto* pv = objects.find<PersistentVolume>(claim->volume_name);
      if (pv == nullptr) continue;
      for (const Str key : kKeys) {
        const Label* wanted = find_label(pv->meta.labels, key);
        if (wanted == nullptr) continue;
        const std::vector<Str> values = zones_of(wanted->value);
        const Label* has = find_label(labels, key);
        if (has == nullptr) has = find_label(labels, ga_of(key));
        if (values.empty() ||
            (has != nullptr && std::find(values.begin(), values.end(), has->value) != values.end()))
          continue;
        Fact& fact = facts->add(status.reasons[0]);
        fact.key("claim", claim->meta.ns, claim->meta.name)
            .text("persistentVolume", pv->meta.name)
            .text("key", key)
            .texts("values", values);
        if (has != nullptr) fact.text("found", has->value);
      }
    }
  }

  Dependencies depends_on(const View&, const Pod& pod) const override {
    if (pod.claim_names.empty()) return {};
    return {.filter = {.row = kLabelsChanged,
                       .any = object_changed(StoredKind::kPersistentVolumeClaim) |
                              object_changed(StoredKind::kPersistentVolume) |
                              object_changed(StoredKind::kStorageClass)},
            .score = {}};
  }

  bool signs() const override { return true; }
  Status sign(const View&, const Pod& pod, std::vector<SignFragment>* out) const override {
    out->push_back(sign_fragment(kSignVolumes, signed_volumes(pod)));
    return {};
  }

  bool registers_events() const override { return true; }
  Result<std::vector<ClusterEventWithHint>> events_to_register() const override {
    return std::vector<ClusterEventWithHint>{
        hinted(kStorageClassEvents, kAdd), always(kNodeEvents, kAdd | kUpdateNodeLabel),
        hinted(kClaimEvents, kAdd | kUpdate), hinted(kVolumeEvents, kAdd | kUpdate)};
  }
  Result<QueueingHint> hint(size_t index, const View&, const Pod& pod,
                            const ObjectChange& change) const override {
    if (index == 1) return QueueingHint::kQueue;
    if (!change.after) return no_object(change);
    if (index == 0)
      return queue_if(object_of<StorageClass>(change.after)->binding_mode ==
                      Str("WaitForFirstConsumer"));
    if (index == 2)
      return queue_if(names_claim(pod, *object_of<PersistentVolumeClaim>(change.after)));
    return queue_if(!change.before ||
                    topology_of(change.before->meta) != topology_of(change.after->meta));
  }

 private:
  static std::shared_ptr<Zones> judge(const Call& call, const Pod& pod) {
    const View& view = call.view;
    auto zones = std::make_shared<Zones>();
    zones->view_version = view.version();
    std::vector<const PersistentVolume*> volumes;
    zones->status = bound_volumes(view, pod, &volumes);
    if (!zones->status.success()) return zones;
    zones->rows.assign(view.word_count(), ~uint64_t{0});
    bool demands = false;
    for (const PersistentVolume* pv : volumes) {
      if (call.exceeded()) return zones;
      for (const Str key : kKeys)
        if (const Label* label = find_label(pv->meta.labels, key)) {
          const std::vector<Str> values = zones_of(label->value);
          if (values.empty()) continue;
          demands = true;
          demand(view, key, values, &zones->rows);
        }
    }
    if (!demands) {
      zones->status = Status(Code::kSkip);
      return zones;
    }
    Words labelled(zones->rows.size());
    for (const Str key : kKeys) add_key_rows(view, key, &labelled);
    for (size_t w = 0; w < labelled.size(); ++w) zones->rows[w] |= ~labelled[w];
    return zones;
  }

  static Str ga_of(Str key) {
    return key == kBetaZoneLabel ? kZoneLabel : key == kBetaRegionLabel ? kRegionLabel : key;
  }

  // The claim at which bound_volumes() stops.
  static void add_unbound(const View& view, const Pod& pod, Fact* fact) {
    const ObjectStore& objects = view.objects();
    for (const Volume& v : pod.spec.volumes) {
      if (v.kind != VolumeKind::kPersistentVolumeClaim) continue;
      const auto* claim =
          v.id.empty() ? nullptr : objects.find<PersistentVolumeClaim>(pod.meta.ns, v.id);
      if (claim == nullptr) {
        fact->text("volume", v.name);
        if (!v.id.empty()) fact->key("claim", pod.meta.ns, v.id).flag("exists", false);
        return;
      }
      const auto* storage_class = objects.find<StorageClass>(claim->storage_class());
      if (claim->volume_name.empty()
              ? storage_class != nullptr && storage_class->binding_mode == kDelayed
              : objects.find<PersistentVolume>(claim->volume_name) != nullptr)
        continue;
      fact->text("volume", v.name);
      add_claim(*claim, fact);
      if (storage_class != nullptr && storage_class->binding_mode)
        fact->text("volumeBindingMode", *storage_class->binding_mode);
      return;
    }
  }

  // rows &= rows with one of the values under the key or, if they lack it, under its GA key.
  static void demand(const View& view, Str key, const std::vector<Str>& values, Words* rows) {
    Words fit(rows->size());
    const Str ga = ga_of(key);
    if (ga != key) {
      for (const Str value : values) add_pair_rows(view, ga, value, &fit);
      Words keyed(rows->size());
      add_key_rows(view, key, &keyed);
      for (size_t w = 0; w < fit.size(); ++w) fit[w] &= ~keyed[w];
    }
    for (const Str value : values) add_pair_rows(view, key, value, &fit);
    for (size_t w = 0; w < fit.size(); ++w) (*rows)[w] &= fit[w];
  }

  static Status bound_volumes(const View& view, const Pod& pod,
                              std::vector<const PersistentVolume*>* out) {
    const ObjectStore& objects = view.objects();
    for (const Volume& v : pod.spec.volumes) {
      if (v.kind != VolumeKind::kPersistentVolumeClaim) continue;
      if (v.id.empty()) return Status::unresolvable("PersistentVolumeClaim had no name");
      const auto* claim = objects.find<PersistentVolumeClaim>(pod.meta.ns, v.id);
      if (claim == nullptr)
        return Status::unresolvable(not_found_error(StoredKind::kPersistentVolumeClaim, v.id));
      if (claim->volume_name.empty()) {
        const Str class_name = claim->storage_class();
        if (class_name.empty())
          return Status::unresolvable("PersistentVolumeClaim had no pv name and storageClass name");
        const auto* storage_class = objects.find<StorageClass>(class_name);
        if (storage_class == nullptr)
          return Status::unresolvable(not_found_error(StoredKind::kStorageClass, class_name));
        if (!storage_class->binding_mode)
          return Status::unresolvable("VolumeBindingMode not set for StorageClass " +
                                      go_quote(class_name));
        if (*storage_class->binding_mode == kDelayed) continue;
        return Status::unresolvable("PersistentVolume had no name");
      }
      const auto* pv = objects.find<PersistentVolume>(claim->volume_name);
      if (pv == nullptr)
        return Status::unresolvable(
            not_found_error(StoredKind::kPersistentVolume, claim->volume_name));
      out->push_back(pv);
    }
    return Status();
  }
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_volume_zone(const FactoryCall&) {
  return std::unique_ptr<Plugin>(std::make_unique<VolumeZone>());
}

}  // namespace libsched
