// NodeVolumeLimits: a node takes at most as many volumes of a CSI driver as its CSINode allows.
// Mirrors upstream's plugins/nodevolumelimits (csi.go).
#include <algorithm>
#include <array>

#include "libsched/framework/facts.hpp"
#include "libsched/plugins/hints.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/plugins/nodevolumelimits/attached_volumes.hpp"
#include "libsched/plugins/signature/signature.hpp"
#include "libsched/plugins/volumes/csi_translation.hpp"

namespace libsched {
namespace {

// The pod's own volumes, by Migrated.
struct NewVolumes final : PluginData {
  struct Variant {
    Status status;
    AttachedVolumes volumes;
  };
  std::array<Variant, 3> variants;
  std::shared_ptr<PluginData> clone() const override { return std::make_shared<NewVolumes>(*this); }
};

enum class Verdict : uint8_t { kFits, kTooMany, kNewFails, kThereFails, kNoDriver };

struct Judgement {
  Verdict verdict = Verdict::kFits;
  Str driver;     // kNoDriver, kTooMany
  Status status;  // kThereFails
  // kTooMany: the numbers of the driver's volumes, and its limit.
  int64_t wanted = 0, there = 0, limit = 0;
};

const CsiNode* csi_node_of(const View& view, uint32_t row) {
  return view.objects().find<CsiNode>(view.row(row).name);
}

bool has_higher_limit(const CsiNode& before, const CsiNode& after) {
  for (const CsiNodeDriver& d : after.drivers) {
    int32_t was = 0;
    for (const CsiNodeDriver& old : before.drivers)  // the last entry of a name counts
      if (old.name == d.name) was = old.count.value_or(0);
    if (d.count.value_or(0) > was) return true;
  }
  return false;
}

bool has_counted_volume(const Pod& pod) {
  return std::any_of(pod.spec.volumes.begin(), pod.spec.volumes.end(), [](const Volume& v) {
    return has_claim(v) || migrated_plugin(v.kind) != nullptr;
  });
}

bool may_free_volumes(const Pod& gone) { return has_node(gone) && has_counted_volume(gone); }

Result<QueueingHint> after_detach(const Pod& pod, const VolumeAttachment& gone) {
  for (const Volume& v : pod.spec.volumes) {
    if (v.kind == VolumeKind::kPersistentVolumeClaim) return QueueingHint::kQueue;
    const MigratedPlugin* plugin = migrated_plugin(v.kind);
    if (plugin == nullptr) continue;
    const CsiHandle handle = translated_handle(v);
    if (!handle.error.empty())
      return Error{Rc::kInvalid, "converting volume(" + std::string(v.name) +
                                     ") from inline to csi: " + handle.error};
    if (plugin->driver == gone.attacher) return QueueingHint::kQueue;
  }
  return QueueingHint::kQueueSkip;
}

class NodeVolumeLimits final : public Plugin {
 public:
  explicit NodeVolumeLimits(const FactoryCall& call)
      : scaling_(call.gates.enabled(Gate::kVolumeLimitScaling)),
        driver_must_be_there_(call.behaviours.driver_must_be_there),
        by_pods_(call.behaviours.limits_by_pods),
        portworx_by_annotation_(call.behaviours.portworx_by_annotation),
        pod_events_(call.behaviours) {}

  bool passes_deferred_resizes() const override { return true; }

  Result<Status> pre_filter(const PreFilterCall& call, PreFilterResult*) const override {
    return has_counted_volume(call.pod) ? Status() : Status(Code::kSkip);
  }

  std::shared_ptr<PluginData> prepare(const Call& call, const Pod& pod) const override {
    const View& view = call.view;
    auto data = std::make_shared<NewVolumes>();
    data->view_version = view.version();
    for (const Migrated migrated : {Migrated::kNone, Migrated::kAllButPortworx, Migrated::kAll}) {
      if (migrated == Migrated::kAllButPortworx && !portworx_by_annotation_) continue;
      NewVolumes::Variant& v = data->variants[static_cast<size_t>(migrated)];
      if (call.exceeded()) return data;
      v.volumes.add_pod(view, pod, migrated, true, &v.status);
    }
    return data;
  }

  void filter(const FilterCall& call, const RowSet& set) const override {
    AttachedVolumes scratch;
    bool ended = false;
    size_t step = 0;
    set.for_each([&](uint32_t row) {
      ended = ended || call.exceeded(step++);
      if (ended) return;
      const Judgement j = judge(call, row, &scratch);
      switch (j.verdict) {
        case Verdict::kFits: return;
        case Verdict::kTooMany:
        case Verdict::kNoDriver: set.reject(row); return;
        case Verdict::kNewFails:
          if (variant(call, row).status.rejected()) {
            set.reject(row);
          } else {
            set.reject_with_error(row);
          }
          return;
        case Verdict::kThereFails: set.reject_with_error(row); return;
      }
    });
  }

  void filter_status(const FilterCall& call, uint32_t row, Status* out) const override {
    AttachedVolumes scratch;
    Judgement j = judge(call, row, &scratch);
    switch (j.verdict) {
      case Verdict::kFits: break;
      case Verdict::kTooMany:
        return out->set(Code::kUnschedulable, "node(s) exceed max volume count");
      case Verdict::kNoDriver:
        return out->set(Code::kUnschedulable,
                        std::string(j.driver) + " CSI driver is not installed on the node");
      case Verdict::kNewFails: *out = variant(call, row).status; return;
      case Verdict::kThereFails: *out = std::move(j.status); return;
    }
    Plugin::filter_status(call, row, out);
  }

  void node_facts(const FilterCall& call, uint32_t row, const Status& status,
                  Facts* facts) const override {
    AttachedVolumes scratch;
    const Judgement j = judge(call, row, &scratch);
    Fact& fact = facts->add(status.reasons[0]);
    if (j.verdict == Verdict::kTooMany) {
      fact.text("driver", j.driver)
          .number("requested", j.wanted)
          .number("attached", j.there)
          .number("limit", j.limit);
    } else if (j.verdict == Verdict::kNoDriver) {
      fact.text("driver", j.driver);
      std::vector<Str> installed;
      if (const CsiNode* node = csi_node_of(call.view, row))
        for (const CsiNodeDriver& d : node->drivers) installed.push_back(d.name);
      fact.texts("installed", installed);
    } else {
      add_missing_claim(call.view, call.pod, &fact);
    }
  }

  Dependencies depends_on(const View&, const Pod& pod) const override {
    if (!has_counted_volume(pod)) return {};
    Reads reads{.row = kVolumesChanged | (by_pods_ ? kAllocatableChanged : 0)};
    for (const StoredKind kind : {StoredKind::kPersistentVolumeClaim, StoredKind::kPersistentVolume,
                                  StoredKind::kStorageClass, StoredKind::kCsiNode,
                                  StoredKind::kCsiDriver, StoredKind::kVolumeAttachment})
      reads.any |= object_changed(kind);
    return {reads, {}};
  }

  bool signs() const override { return true; }
  Status sign(const View&, const Pod& pod, std::vector<SignFragment>* out) const override {
    out->push_back(sign_fragment(kSignVolumes, signed_volumes(pod)));
    return {};
  }

  bool registers_events() const override { return true; }
  Result<std::vector<ClusterEventWithHint>> events_to_register() const override {
    return std::vector<ClusterEventWithHint>{
        always(kCsiNodeEvents, kAdd), hinted(kCsiNodeEvents, kUpdate),
        hinted(pod_events_.assigned(), kDelete), hinted(kClaimEvents, kAdd),
        hinted(kVolumeAttachmentEvents, kDelete)};
  }
  Result<QueueingHint> hint(size_t index, const View&, const Pod& pod,
                            const ObjectChange& change) const override {
    if (index == 0) return QueueingHint::kQueue;
    if (index != 3 && !change.before) return no_object(change);
    if ((index == 1 || index == 3) && !change.after) return no_object(change);
    switch (index) {
      case 1:
        return queue_if(has_higher_limit(*object_of<CsiNode>(change.before),
                                         *object_of<CsiNode>(change.after)));
      case 2: return queue_if(may_free_volumes(*object_of<Pod>(change.before)));
      case 3: return queue_if(uses_claim(pod, *object_of<PersistentVolumeClaim>(change.after)));
      default: return after_detach(pod, *object_of<VolumeAttachment>(change.before));
    }
  }

 private:
  struct Limit {
    Str driver;
    int64_t count;
  };

  // Migration requires a CSINode.
  Migrated migrated_on(const CsiNode* node) const {
    if (node == nullptr) return Migrated::kNone;
    return portworx_by_annotation_ && !has_migrated(*node, kPortworx) ? Migrated::kAllButPortworx
                                                                      : Migrated::kAll;
  }
  const NewVolumes::Variant& variant(const FilterCall& call, uint32_t row) const {
    return static_cast<const NewVolumes&>(*call.data)
        .variants[static_cast<size_t>(migrated_on(csi_node_of(call.view, row)))];
  }

  Judgement judge(const FilterCall& call, uint32_t row, AttachedVolumes* there) const {
    const View& view = call.view;
    const CsiNode* csi_node = csi_node_of(view, row);
    const Migrated migrated = migrated_on(csi_node);
    const NewVolumes::Variant& wanted =
        static_cast<const NewVolumes&>(*call.data).variants[static_cast<size_t>(migrated)];
    if (!wanted.status.success()) return {Verdict::kNewFails, {}, {}};
    if (wanted.volumes.empty()) return {};
    if (scaling_)
      for (const AttachedVolumes::Item& v : wanted.volumes.items())
        if (!installed(view, v.driver, csi_node)) return {Verdict::kNoDriver, v.driver, {}};
    const bool any_limit = csi_node != nullptr &&
                           std::any_of(csi_node->drivers.begin(), csi_node->drivers.end(),
                                       [](const CsiNodeDriver& d) { return d.count.has_value(); });
    std::vector<Limit> of_node;
    if (by_pods_) of_node = limits_of_node(*view.node(row), csi_node, wanted.volumes);
    if (!any_limit && of_node.empty()) return {};

    const NodeView node = call.node(row);
    if (of_node.empty() && surely_fits(node, *csi_node, wanted.volumes)) return {};
    there->clear();
    Status status;
    const bool failed = node.any_pod([&](const Pod& pod) {
      return !pod.spec.volumes.empty() && !there->add_pod(view, pod, migrated, false, &status);
    });
    if (failed) return {Verdict::kThereFails, {}, std::move(status)};
    const size_t of_pods = there->items().size();
    if (!by_pods_) add_attachments(view, row, there);
    const auto judge_by = [&](const Limit& limit) -> Judgement {
      int64_t wanted_count = 0, there_count = 0;
      // Attached volumes count again, except those that pods of this node use.
      for (const AttachedVolumes::Item& v : wanted.volumes.items())
        if (v.driver == limit.driver && !there->contains(v, of_pods)) ++wanted_count;
      if (wanted_count == 0) return {};
      for (const AttachedVolumes::Item& v : there->items())
        if (v.driver == limit.driver) ++there_count;
      if (there_count + wanted_count <= limit.count) return {};
      return {Verdict::kTooMany, limit.driver, {}, wanted_count, there_count, limit.count};
    };
    if (any_limit)
      for (const CsiNodeDriver& d : csi_node->drivers) {
        if (!d.count || is_overridden(*csi_node, d)) continue;
        if (Judgement j = judge_by({d.name, *d.count}); j.verdict != Verdict::kFits) return j;
      }
    for (const Limit& limit : of_node)
      if (Judgement j = judge_by(limit); j.verdict != Verdict::kFits) return j;
    return {};
  }

  // The limits that the node itself has for drivers of these volumes, unless its CSINode has one.
  // (Names of 40 and more characters are hashed there. No kubelet that a supported control plane
  // works with has such resources, so these names have no limit here.)
  static std::vector<Limit> limits_of_node(const Node& node, const CsiNode* csi_node,
                                           const AttachedVolumes& wanted) {
    std::vector<Limit> out;
    for (const ScalarAmount& s : node.allocatable.scalars) {
      if (!s.name.starts_with(kLimitPrefix)) continue;
      const Str driver = s.name.substr(kLimitPrefix.size());
      const auto is_wanted = [&](const AttachedVolumes::Item& v) { return v.driver == driver; };
      const auto limits = [&](const CsiNodeDriver& d) { return d.name == driver && d.count; };
      if (std::none_of(wanted.items().begin(), wanted.items().end(), is_wanted)) continue;
      if (csi_node == nullptr ||
          std::none_of(csi_node->drivers.begin(), csi_node->drivers.end(), limits))
        out.push_back({driver, s.value});
    }
    return out;
  }

  // Whether the limits hold even if all volumes on the node are distinct and of the same driver.
  // This is mostly so, and then the pods need not be examined.
  static bool surely_fits(const NodeView& node, const CsiNode& csi_node,
                          const AttachedVolumes& wanted) {
    const VolumeUse& there = node.volumes();
    if (there.inline_pods != 0) return false;  // they may be an Error
    int64_t most = int64_t{there.driver_volumes} + static_cast<int64_t>(wanted.items().size());
    const ObjectStore& objects = node.view().objects();
    if (objects.count(StoredKind::kVolumeAttachment) != 0)
      objects.for_each_in<VolumeAttachment>(node.name(), [&](const VolumeAttachment&) { ++most; });
    return std::none_of(
        csi_node.drivers.begin(), csi_node.drivers.end(), [&](const CsiNodeDriver& d) {
          return d.count && most > *d.count &&
                 std::any_of(wanted.items().begin(), wanted.items().end(),
                             [&](const AttachedVolumes::Item& v) { return v.driver == d.name; });
        });
  }

  // Of several entries of a driver the last limit counts.
  static bool is_overridden(const CsiNode& node, const CsiNodeDriver& d) {
    for (const CsiNodeDriver* later = &d + 1; later < node.drivers.data() + node.drivers.size();
         ++later)
      if (later->name == d.name && later->count) return true;
    return false;
  }

  static void add_attachments(const View& view, uint32_t row, AttachedVolumes* there) {
    const ObjectStore& objects = view.objects();
    objects.for_each_in<VolumeAttachment>(view.row(row).name, [&](const VolumeAttachment& va) {
      if (va.attacher.empty() || !va.volume_name) return;
      const auto* pv = objects.find<PersistentVolume>(*va.volume_name);
      if (pv != nullptr && pv->source.kind == VolumeKind::kCsi)
        there->add(va.attacher, pv->source.id);
    });
  }

  // A driver that keeps pods away from nodes without it must be among the CSINode's drivers.
  bool installed(const View& view, Str driver, const CsiNode* node) const {
    const auto* d = view.objects().find<CsiDriver>(driver);
    if (d == nullptr || (!driver_must_be_there_ && !d->prevent_pod_scheduling_if_missing))
      return true;
    return node != nullptr && std::any_of(node->drivers.begin(), node->drivers.end(),
                                          [&](const CsiNodeDriver& n) { return n.name == driver; });
  }

  static constexpr Str kPortworx = "kubernetes.io/portworx-volume";
  static constexpr Str kLimitPrefix = "attachable-volumes-csi-";

  bool scaling_;
  // See Behaviours.
  bool driver_must_be_there_, by_pods_, portworx_by_annotation_;
  PodEvents pod_events_;
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_node_volume_limits(const FactoryCall& call) {
  return std::unique_ptr<Plugin>(std::make_unique<NodeVolumeLimits>(call));
}

}  // namespace libsched
