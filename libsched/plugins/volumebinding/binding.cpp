// The requests, and upstream's checkBindings: polls once a second until all claims are bound, the
// binding is undone, or the time is up.
#include "libsched/plugins/volumebinding/binding.hpp"

#include <algorithm>
#include <limits>

#include "libsched/base/quote.hpp"
#include "libsched/cluster/change_errors.hpp"
#include "libsched/objects/volume_fit.hpp"
#include "libsched/plugins/volumes/claims.hpp"
#include "libsched/plugins/volumes/csi_translation.hpp"

namespace libsched {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

std::string member(Str key, Str value) { return json_quote(key) + ":" + json_quote(value); }

std::string annotation_patch(Str key, Str value) {
  return "\"metadata\":{\"annotations\":{" + member(key, value) + "}}";
}

// The state of the API's objects at one poll.
struct Progress {
  bool done = false;
  std::string error;
};

class Watch {
 public:
  Watch(const BindingCall& call, const Reservation& reservation)
      : call_(call), reservation_(reservation), watch_(*reservation.watch) {
    pod_there_ = pod_is_there();
    for (const Reservation::Item& i : reservation.items) before_.push_back(api_object(i));
  }

  Progress look() const {
    const NodeRef node = watch_.node(call_.node);
    if (!node)
      return failed("failed to get node " + go_quote(call_.node) + ": node " +
                    go_quote(call_.node) + " not found");
    if (pod_is_gone())
      return failed("pod does not exist any more: pod " + go_quote(call_.pod.meta.name) +
                    " not found");
    for (size_t i = 0; i < reservation_.items.size(); ++i) {
      const Reservation::Item& item = reservation_.items[i];
      Progress p = item.kind == StoredKind::kPersistentVolume ? look_at_volume(i, *node)
                                                              : look_at_claim(i, *node);
      if (!p.done) return p;
    }
    return {true, {}};
  }

 private:
  static Progress failed(std::string error) { return {false, std::move(error)}; }
  bool pod_is_there() const {
    return static_cast<bool>(watch_.pod(call_.pod.meta.ns, call_.pod.meta.name));
  }
  // A scheduler knows all pods; without one only a pod that was in the cluster can leave it.
  bool pod_is_gone() const {
    if (const PodLister* const pods = call_.services.pods; pods != nullptr)
      return pods->find_pod(call_.pod.meta.ns, call_.pod.meta.name) == nullptr;
    return pod_there_ && !pod_is_there();
  }
  ObjectRef api_object(const Reservation::Item& item) const {
    return watch_.find(item.kind, item.object->meta.ns, item.object->meta.name);
  }
  // Whether the request has been answered; an assumed object does not reflect the API's.
  bool is_new(size_t i, const ObjectRef& now) const {
    return reservation_.items[i].patch == "{}" || !(now == before_[i]);
  }

  Progress look_at_volume(size_t i, const Node& node) const {
    const ObjectRef now = api_object(reservation_.items[i]);
    const Str name = reservation_.items[i].object->meta.name;
    if (!now)
      return failed("failed to check binding: persistentvolumes " + go_quote(name) + " not found");
    const ClaimRef& wanted =
        *static_cast<const PersistentVolume&>(*reservation_.items[i].object).claim_ref;
    const auto claim = watch_.find<PersistentVolumeClaim>(wanted.ns, wanted.name);
    if (!claim)
      return failed("failed to check binding: persistentvolumeclaims " +
                    go_quote(std::string(wanted.ns) + "/" + std::string(wanted.name)) +
                    " not found");
    if (!is_new(i, now)) return {};
    const auto& pv = static_cast<const PersistentVolume&>(*now);
    if (std::string e = place_error(pv, node, true); !e.empty()) return failed(std::move(e));
    if (!pv.claim_ref || pv.claim_ref->uid.empty())
      return failed("ClaimRef got reset for pv " + go_quote(name));
    return {is_fully_bound(*claim), {}};
  }

  Progress look_at_claim(size_t i, const Node& node) const {
    const ObjectRef now = api_object(reservation_.items[i]);
    const ObjectMeta& meta = reservation_.items[i].object->meta;
    if (!now)
      return failed("failed to check provisioning pvc: persistentvolumeclaims " +
                    go_quote(object_key(meta.ns, meta.name)) + " not found");
    if (!is_new(i, now)) return {};
    if (now->meta.annotations.empty())
      return failed("selectedNode annotation reset for PVC " + go_quote(meta.name));
    const Str* selected = find_annotation(now->meta, kSelectedNodeAnnotation);
    if (selected == nullptr || *selected != call_.node)
      return failed("provisioning failed for PVC " + go_quote(meta.name));
    const auto& claim = static_cast<const PersistentVolumeClaim&>(*now);
    if (!claim.volume_name.empty()) {
      const auto pv = watch_.find<PersistentVolume>({}, claim.volume_name);
      if (!pv) return {};  // it may still appear
      std::string e = place_error(*pv, node, false);
      if (!e.empty()) return failed(std::move(e));
    }
    return {is_fully_bound(claim), {}};
  }

  bool is_migrated(const MigratedPlugin& plugin) const {
    const auto node = watch_.find<CsiNode>({}, call_.node);
    const Str* list = node ? find_annotation(node->meta, kMigratedPluginsAnnotation) : nullptr;
    if (!plugin.on || list == nullptr || list->empty()) return false;
    for (size_t begin = 0; begin <= list->size();) {
      const size_t end = std::min(list->find(',', begin), list->size());
      if (list->substr(begin, end - begin) == plugin.in_tree) return true;
      begin = end + 1;
    }
    return false;
  }

  // Why the volume cannot be used on the node; "" if it can.
  std::string place_error(const PersistentVolume& pv, const Node& node, bool wrap) const {
    const MigratedPlugin* plugin = migrated_plugin(pv.in_tree.kind);
    if (plugin != nullptr && !is_migrated(*plugin)) plugin = nullptr;
    if (plugin != nullptr) {
      const CsiHandle handle = translated_handle(pv);
      if (!handle.error.empty())
        return (wrap ? "failed to translate pv to csi: " : "") +
               ("could not translate pv: " + handle.error);
    }
    if (volume_matches(node, pv, plugin)) return {};
    const std::string invalid = node_selector_error(pv.node_affinity);
    return "pv " + go_quote(pv.meta.name) + " node affinity doesn't match node " +
           go_quote(call_.node) + ": " +
           (invalid.empty() ? "no matching NodeSelectorTerms" : invalid);
  }

  const BindingCall& call_;
  const Reservation& reservation_;
  const ObjectWatch& watch_;
  bool pod_there_;
  std::vector<ObjectRef> before_;
};

int64_t later(int64_t now_ns, int64_t seconds) {
  const int64_t most = (std::numeric_limits<int64_t>::max() - now_ns) / kSecond;
  return now_ns + std::min(seconds, most) * kSecond;
}

}  // namespace

// Upstream's GetBindVolumeToClaim; changes nothing if the volume is already bound to the claim.
Reservation::Item bind_to_claim(const PersistentVolume& volume,
                                const PersistentVolumeClaim& claim) {
  const ObjectMeta& meta = claim.meta;
  const std::optional<ClaimRef>& ref = volume.claim_ref;
  const bool named = ref && ref->name == meta.name && ref->ns == meta.ns;
  const bool bound = named && (ref->uid.empty() || ref->uid == meta.uid);
  const bool annotate =
      !bound && find_annotation(volume.meta, kBoundByControllerAnnotation) == nullptr;
  if (named && ref->uid == meta.uid && !annotate)
    return {StoredKind::kPersistentVolume, ObjectRef::share(&volume), "{}"};
  const Ref<PersistentVolume> copy = copy_volume(volume);
  Arena& arena = copy->arena;
  copy->claim_ref = ClaimRef{arena.copy(meta.ns), arena.copy(meta.name), arena.copy(meta.uid)};
  std::string patch = "{";
  if (annotate) {
    set_annotation(*copy, kBoundByControllerAnnotation, "yes");
    patch += annotation_patch(kBoundByControllerAnnotation, "yes") + ",";
  }
  patch += "\"spec\":{\"claimRef\":{" + member("kind", "PersistentVolumeClaim") + "," +
           member("namespace", meta.ns) + "," + member("name", meta.name) + "," +
           member("uid", meta.uid) + "," + member("apiVersion", "v1");
  if (!meta.resource_version.empty())
    patch += "," + member("resourceVersion", meta.resource_version);
  return {StoredKind::kPersistentVolume, ObjectRef(copy), patch + "}}}"};
}

Reservation::Item select_node(const PersistentVolumeClaim& claim, Str node) {
  const Ref<PersistentVolumeClaim> copy = copy_claim(claim);
  set_annotation(*copy, kSelectedNodeAnnotation, node);
  return {StoredKind::kPersistentVolumeClaim, ObjectRef(copy),
          "{" + annotation_patch(kSelectedNodeAnnotation, node) + "}"};
}

void watch_binding(Cluster& cluster, const Pod& pod, Str node, Reservation* reservation) {
  reservation->watch = ObjectWatch::on(cluster);
  reservation->watch->add_node(node);
  reservation->watch->add(StoredKind::kCsiNode, {}, node);
  reservation->watch->add_pod(pod.meta.ns, pod.meta.name);
}

void add_item(Reservation::Item item, Reservation* reservation) {
  const ObjectMeta& meta = item.object->meta;
  reservation->watch->add(item.kind, meta.ns, meta.name);
  if (item.kind == StoredKind::kPersistentVolume) {
    const ClaimRef& claim = *static_cast<const PersistentVolume&>(*item.object).claim_ref;
    reservation->watch->add(StoredKind::kPersistentVolumeClaim, claim.ns, claim.name);
  }
  reservation->items.push_back(std::move(item));
}

Steps<Status> bind_volumes(const BindingCall& call, const Reservation& reservation,
                           int64_t timeout_seconds) {
  if (!reservation.made)
    co_return Status::from_error("failed to get cached bindings for pod " +
                                 go_quote(pod_key(call.pod)));
  const Watch watch(call, reservation);
  // Requests are not taken back if a later request fails; Unreserve forgets the rest.
  for (const Reservation::Item& i : reservation.items) {
    const Result<void> done =
        co_await call.services.api().request(ApiRequest::update_object(i.kind, i.object, i.patch));
    if (!done.ok()) co_return Status::from_error(done.error().message);
  }
  if (call.services.api().unattended()) co_return Status();
  Clock& clock = call.services.clock();
  const int64_t deadline = later(clock.now_ns(), timeout_seconds);
  while (true) {
    const int64_t next = std::min(later(clock.now_ns(), 1), deadline);
    const auto cancelled = [&] {
      return !call.services.pods_in_pre_bind().cancelled(call.pod.meta.uid).empty();
    };
    // Upstream also polls once a second.
    while (clock.now_ns() < next && !cancelled()) co_await call.services.tasks().until(clock, next);
    if (cancelled()) co_return Status::from_error("binding volumes: context canceled");
    if (clock.now_ns() >= deadline)
      co_return Status::from_error("binding volumes: context deadline exceeded");
    Progress p = watch.look();
    if (!p.error.empty()) co_return Status::from_error("binding volumes: " + std::move(p.error));
    if (p.done) co_return Status();
  }
}

}  // namespace libsched
