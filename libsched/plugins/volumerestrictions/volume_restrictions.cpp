// VolumeRestrictions: pods of a node do not mount disks that they must not share, and a claim with
// access mode ReadWriteOncePod belongs to one pod. Mirrors upstream's plugins/volumerestrictions.
#include <algorithm>
#include <set>

#include "libsched/framework/facts.hpp"
#include "libsched/plugins/hints.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/plugins/signature/signature.hpp"
#include "libsched/plugins/volumes/claims.hpp"

namespace libsched {
namespace {

struct Claims final : PluginData {
  // The pod's ReadWriteOncePod claims, sorted and unique; they point into the pod.
  std::vector<Str> once;
  int64_t conflicts = 0;  // number of them in use; may become negative when pods join and leave
  std::shared_ptr<PluginData> clone() const override { return std::make_shared<Claims>(*this); }
};

bool is_disk(VolumeKind kind) {
  return kind == VolumeKind::kGcePersistentDisk || kind == VolumeKind::kAwsElasticBlockStore ||
         kind == VolumeKind::kRbd || kind == VolumeKind::kIscsi;
}

bool share_monitor(Span<Str> a, Span<Str> b) {
  return std::any_of(a.begin(), a.end(),
                     [&](Str m) { return std::find(b.begin(), b.end(), m) != b.end(); });
}

// Whether two pods of a node must not both have these volumes.
bool conflict(const Volume& a, const Volume& b) {
  if (a.kind != b.kind || a.id != b.id) return false;
  switch (a.kind) {
    case VolumeKind::kAwsElasticBlockStore: return true;
    case VolumeKind::kGcePersistentDisk:
    case VolumeKind::kIscsi: return !(a.read_only && b.read_only);
    case VolumeKind::kRbd:
      return a.pool == b.pool && !(a.read_only && b.read_only) &&
             share_monitor(a.monitors, b.monitors);
    default: return false;
  }
}

// The disks of a pod, by name.
class Disks {
 public:
  explicit Disks(const Pod& pod) {
    for (const Volume& v : pod.spec.volumes)
      if (is_disk(v.kind)) disks_.push_back(&v);
    std::sort(disks_.begin(), disks_.end(), before);
  }
  bool empty() const { return disks_.empty(); }
  // Calls f(volume of the pod, volume of the other) for each pair in conflict.
  template <typename F>
  void for_each_conflict(const Pod& other, F&& f) const {
    for (const Volume* v : disks_)
      for (const Volume& there : other.spec.volumes)
        if (conflict(*v, there)) f(*v, there);
  }
  bool conflict_with(const Pod& other) const {
    return std::any_of(
        other.spec.volumes.begin(), other.spec.volumes.end(), [&](const Volume& there) {
          if (!is_disk(there.kind)) return false;
          const auto [begin, end] = std::equal_range(disks_.begin(), disks_.end(), &there, before);
          return std::any_of(begin, end, [&](const Volume* v) { return conflict(*v, there); });
        });
  }

 private:
  static bool before(const Volume* a, const Volume* b) {
    return a->kind != b->kind ? a->kind < b->kind : a->id < b->id;
  }

  std::vector<const Volume*> disks_;
};

class VolumeRestrictions final : public Plugin {
 public:
  explicit VolumeRestrictions(const Behaviours& b)
      : in_use_(b.older_volume_texts
                    ? "node has pod using PersistentVolumeClaim with the same name and "
                      "ReadWriteOncePod access mode"
                    : "node(s) unavailable due to PersistentVolumeClaim with "
                      "ReadWriteOncePod access mode already in-use by another pod"),
        pod_events_(b) {}

  bool passes_deferred_resizes() const override { return true; }

  Result<Status> pre_filter(const PreFilterCall& call, PreFilterResult*) const override {
    const View& view = call.view;
    const Pod& pod = call.pod;
    if (pod.spec.volumes.empty()) return Status(Code::kSkip);
    auto data = std::make_shared<Claims>();
    size_t step = 0;
    for (const Volume& v : pod.spec.volumes) {
      if (call.exceeded(step++)) return Status();
      if (v.kind != VolumeKind::kPersistentVolumeClaim) continue;
      const auto* claim = view.objects().find<PersistentVolumeClaim>(pod.meta.ns, v.id);
      if (claim == nullptr)
        return Status(Code::kUnschedulableAndUnresolvable,
                      not_found_error(StoredKind::kPersistentVolumeClaim, v.id));
      if (has_access_mode(claim->access_modes, "ReadWriteOncePod")) data->once.push_back(v.id);
    }
    std::sort(data->once.begin(), data->once.end());
    data->once.erase(std::unique(data->once.begin(), data->once.end()), data->once.end());
    data->conflicts = std::count_if(data->once.begin(), data->once.end(),
                                    [&](Str name) { return view.claim_in_use(pod.meta.ns, name); });
    if (data->conflicts == 0 && !has_disk(pod)) return Status(Code::kSkip);
    data->view_version = view.version();
    *call.data = std::move(data);
    return Status();
  }

  bool extends() const override { return true; }
  Status add_pod(const PodChange& call) const override { return change(call, 1); }
  Status remove_pod(const PodChange& call) const override { return change(call, -1); }

  void filter(const FilterCall& call, const RowSet& set) const override {
    const auto* claims = static_cast<const Claims*>(call.data);
    const Disks disks(call.pod);
    bool ended = false;
    if (!disks.empty())
      set.for_each([&](uint32_t row) {
        ended = ended || call.exceeded();
        if (!ended && disk_conflict(call, disks, row)) set.reject(row);
      });
    if (claims == nullptr) {
      set.for_each([&](uint32_t row) { set.reject_with_error(row); });
    } else if (claims->conflicts > 0) {
      set.reject_all();
    }
  }

  void filter_status(const FilterCall& call, uint32_t row, Status* out) const override {
    if (disk_conflict(call, Disks(call.pod), row))
      return out->set(Code::kUnschedulable, "node(s) had no available disk");
    if (call.data == nullptr) {
      *out = not_pre_filtered();
      return;
    }
    out->set(Code::kUnschedulable, in_use_);
  }

  void pod_facts(const Call& call, const Pod& pod, const Status& status,
                 Facts* facts) const override {
    for (const Volume& v : pod.spec.volumes)
      if (v.kind == VolumeKind::kPersistentVolumeClaim &&
          call.view.objects().find<PersistentVolumeClaim>(pod.meta.ns, v.id) == nullptr) {
        facts->add(status.reasons[0])
            .text("volume", v.name)
            .key("claim", pod.meta.ns, v.id)
            .flag("exists", false);
        return;
      }
  }

  void node_facts(const FilterCall& call, uint32_t row, const Status& status,
                  Facts* facts) const override {
    const Disks disks(call.pod);
    if (disk_conflict(call, disks, row)) {
      call.node(row).any_pod([&](const Pod& there) {
        disks.for_each_conflict(there, [&](const Volume& mine, const Volume& other) {
          facts->add(status.reasons[0])
              .text("volume", mine.name)
              .text("disk", mine.id)
              .flag("readOnly", mine.read_only)
              .pod(there.meta)
              .flag("podReadOnly", other.read_only);
        });
        return false;
      });
      return;
    }
    for (const Str claim : static_cast<const Claims&>(*call.data).once)
      add_claim_in_use(call, claim, row, status, facts);
  }

  Dependencies depends_on(const View& view, const Pod& pod) const override {
    Reads reads;
    for (const Volume& v : pod.spec.volumes) {
      if (is_disk(v.kind)) reads.row = kPodsChanged;
      if (v.kind != VolumeKind::kPersistentVolumeClaim) continue;
      reads.any |= object_changed(StoredKind::kPersistentVolumeClaim);
      const auto* claim = view.objects().find<PersistentVolumeClaim>(pod.meta.ns, v.id);
      if (claim != nullptr && has_access_mode(claim->access_modes, "ReadWriteOncePod"))
        reads.any |= kVolumesChanged;
    }
    return {reads, {}};
  }

  bool signs() const override { return true; }
  Status sign(const View&, const Pod& pod, std::vector<SignFragment>* out) const override {
    out->push_back(sign_fragment(kSignVolumes, signed_volumes(pod)));
    return {};
  }

  bool registers_events() const override { return true; }
  Result<std::vector<ClusterEventWithHint>> events_to_register() const override {
    return std::vector<ClusterEventWithHint>{hinted(pod_events_.assigned(), kDelete),
                                             always(kNodeEvents, kAdd), hinted(kClaimEvents, kAdd)};
  }
  Result<QueueingHint> hint(size_t index, const View&, const Pod& pod,
                            const ObjectChange& change) const override {
    if (index == 1) return QueueingHint::kQueue;
    if (!(index == 0 ? change.before : change.after)) return no_object(change);
    if (index == 2)
      return queue_if(names_claim(pod, *object_of<PersistentVolumeClaim>(change.after)));
    const Pod& gone = *object_of<Pod>(change.before);
    if (gone.meta.ns != pod.meta.ns) return QueueingHint::kQueueSkip;
    if (Disks(pod).conflict_with(gone)) return QueueingHint::kQueue;
    std::set<Str> claims;
    for (const Volume& was : gone.spec.volumes)
      if (was.kind == VolumeKind::kPersistentVolumeClaim) claims.insert(was.id);
    return queue_if(
        std::any_of(pod.spec.volumes.begin(), pod.spec.volumes.end(), [&](const Volume& v) {
          return v.kind == VolumeKind::kPersistentVolumeClaim && claims.contains(v.id);
        }));
  }

 private:
  static Status not_pre_filtered() {
    return Status(Code::kError, "cannot read \"PreFilterVolumeRestrictions\" from cycleState");
  }

  // As upstream: by the claims' names, regardless of the pod's namespace, and each volume counts.
  static Status change(const PodChange& call, int64_t delta) {
    if (call.data == nullptr) return not_pre_filtered();
    Claims& claims = static_cast<Claims&>(*call.data);
    for (const Volume& v : call.other.spec.volumes)
      if (v.kind == VolumeKind::kPersistentVolumeClaim &&
          std::binary_search(claims.once.begin(), claims.once.end(), v.id))
        claims.conflicts += delta;
    return {};
  }

  // A pod that uses the claim, if there is one: on the node, where a nominated pod may be, or else
  // anywhere.
  static void add_claim_in_use(const FilterCall& call, Str claim, uint32_t row,
                               const Status& status, Facts* facts) {
    const View& view = call.view;
    const Str ns = call.pod.meta.ns;
    const auto add = [&](const Pod& user, Str node) {
      const Span<Str> names = user.claim_names;
      if (user.meta.ns != ns || std::find(names.begin(), names.end(), claim) == names.end())
        return false;
      facts->add(status.reasons[0]).key("claim", ns, claim).pod(user.meta).text("node", node);
      return true;
    };
    const NodeView node = call.node(row);
    if (node.any_pod([&](const Pod& p) { return add(p, node.name()); })) return;
    if (!view.claim_in_use(ns, claim)) return;
    for (uint32_t s = 0; s < view.slot_count(); ++s) {
      const View::Slot& slot = view.slot(s);
      if (slot.pod && slot.row != kNoId && view.node(slot.row) != nullptr &&
          add(*slot.pod, view.row(slot.row).name))
        return;
    }
  }

  static bool has_disk(const Pod& pod) {
    return std::any_of(pod.spec.volumes.begin(), pod.spec.volumes.end(),
                       [](const Volume& v) { return is_disk(v.kind); });
  }

  static bool disk_conflict(const FilterCall& call, const Disks& disks, uint32_t row) {
    return call.node(row).any_pod([&](const Pod& there) { return disks.conflict_with(there); });
  }

  const char* in_use_;  // the reason where another pod uses a claim
  PodEvents pod_events_;
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_volume_restrictions(const FactoryCall& call) {
  return std::unique_ptr<Plugin>(std::make_unique<VolumeRestrictions>(call.behaviours));
}

}  // namespace libsched
