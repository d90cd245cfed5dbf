// See api_server.hpp.
#include "libsched/scheduler/api_memory/api_server.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "libsched/base/later.hpp"
#include "libsched/base/quote.hpp"
#include "libsched/cluster/change_errors.hpp"
#include "libsched/scheduler/api_memory/next_claim.hpp"
#include "libsched/scheduler/api_memory/next_pod.hpp"

namespace libsched {
namespace {

// Returns the name of the kind's resource, as clients write it in paths and errors.
std::string resource_of(StoredKind kind) {
  if (kind == StoredKind::kResourceClaim) return "resourceclaims.resource.k8s.io";
  std::string out(stored_kind_name(kind));
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out + (out.ends_with('s') ? "es" : "s");
}

Error not_found(Str resource, Str name) { return api_error("notFound", resource, name); }
Error exists(Str resource, Str name) {
  return {Rc::kExists, std::string(resource) + " " + go_quote(name) + " already exists"};
}
Error conflict(Str name, const std::string& why) {
  return {Rc::kExists, "Operation cannot be fulfilled on pods " + go_quote(name) + ": " + why};
}

// What a scheduler's patch makes of the object as it is now: the scheduler may know an older one,
// and it patches annotations and the claimRef of a volume.
ObjectRef patched_object(StoredKind kind, const Object& now, const ObjectRef& given) {
  const auto annotate = [&](Object& copy) {
    for (const KeyValue& a : given->meta.annotations) set_annotation(copy, a.key, a.value);
  };
  if (kind == StoredKind::kPersistentVolumeClaim) {
    const Ref<PersistentVolumeClaim> copy =
        copy_claim(static_cast<const PersistentVolumeClaim&>(now));
    annotate(*copy);
    return ObjectRef(copy);
  }
  if (kind != StoredKind::kPersistentVolume) return given;
  const Ref<PersistentVolume> copy = copy_volume(static_cast<const PersistentVolume&>(now));
  annotate(*copy);
  if (const auto& ref = static_cast<const PersistentVolume&>(*given).claim_ref; ref) {
    Arena& arena = copy->arena;
    copy->claim_ref = ClaimRef{arena.copy(ref->ns), arena.copy(ref->name), arena.copy(ref->uid)};
  }
  return ObjectRef(copy);
}

}  // namespace

// The volume controller and the objects that it sees, with the lock held.
class ApiServer::Volumes final : public VolumeObjects {
 public:
  Volumes(ApiServer* server, VolumeOptions options) : s_(*server) {
    if (s_.options_.keep_events)
      options.on_action = [this, next = std::move(options.on_action)](const VolumeAction& a) {
        record(a);
        if (next) next(a);
      };
    controller.emplace(std::move(options), this);
  }

  const PersistentVolumeClaim* claim(Str ns, Str name) const override {
    return find<PersistentVolumeClaim>(ns, name);
  }
  const PersistentVolume* volume(Str name) const override {
    return find<PersistentVolume>({}, name);
  }
  const StorageClass* storage_class(Str name) const override {
    return find<StorageClass>({}, name);
  }
  DefaultClass default_class() const override {
    DefaultClass out;
    for (const ObjectRef& o : s_.objects_[static_cast<size_t>(StoredKind::kStorageClass)].list())
      out.offer(static_cast<const StorageClass&>(*o));
    return out;
  }
  const Pod* pod(Str ns, Str name) const override { return s_.pods_.find(ns, name); }
  const CsiNode* csi_node(Str name) const override { return find<CsiNode>({}, name); }
  const Node* node(Str name) const override { return s_.nodes_.find({}, name); }
  std::vector<NodeRef> nodes() const override { return s_.nodes_.list(); }
  void put(const Ref<PersistentVolume>& volume) override {
    const bool there = this->volume(volume->meta.name) != nullptr;
    s_.put_object(there ? Verb::kModified : Verb::kAdded, StoredKind::kPersistentVolume, volume);
  }
  void put(const Ref<PersistentVolumeClaim>& claim) override {
    const bool there = this->claim(claim->meta.ns, claim->meta.name) != nullptr;
    s_.put_object(there ? Verb::kModified : Verb::kAdded, StoredKind::kPersistentVolumeClaim,
                  claim);
  }
  void remove(const PersistentVolumeClaim& claim) override {
    static_cast<void>(
        s_.delete_object_now(StoredKind::kPersistentVolumeClaim, claim.meta.ns, claim.meta.name));
  }

  std::optional<VolumeController> controller;

 private:
  template <typename T>
  const T* find(Str ns, Str name) const {
    return static_cast<const T*>(s_.objects_[static_cast<size_t>(T::kStoredKind)].find(ns, name));
  }
  void record(const VolumeAction& a) {
    if (a.type.empty()) return;
    s_.events_.push_back({s_.clock_->now_ns(), object_key(a.ns, a.claim), std::string(a.type),
                          std::string(a.reason), "", std::string(a.note), true});
  }

  ApiServer& s_;
};

// Likewise for the controller of ResourceClaims.
class ApiServer::Claims final : public ClaimObjects {
 public:
  explicit Claims(ApiServer* server) : controller(this), s_(*server) {}

  const ResourceClaim* claim(Str ns, Str name) const override {
    return static_cast<const ResourceClaim*>(store().find(ns, name));
  }
  const Pod* pod(Str ns, Str name) const override { return s_.pods_.find(ns, name); }
  void put(const Ref<ResourceClaim>& claim) override {
    s_.put_object(Verb::kModified, StoredKind::kResourceClaim, claim);
  }
  void remove(const ResourceClaim& claim) override {
    static_cast<void>(
        s_.delete_object_now(StoredKind::kResourceClaim, claim.meta.ns, claim.meta.name));
  }

  ClaimController controller;

 private:
  const Store<Object>& store() const {
    return s_.objects_[static_cast<size_t>(StoredKind::kResourceClaim)];
  }

  ApiServer& s_;
};

ApiServer::ApiServer(Ref<Clock> clock, const ApiServerOptions& options)
    : clock_(std::move(clock)),
      options_(options),
      faults_(options.faults),
      faultless_(faults_.none()) {
  if (options_.release_claims) claims_ = std::make_unique<Claims>(this);
  if (options_.volumes) volumes_ = std::make_unique<Volumes>(this, *options_.volumes);
}

ApiServer::~ApiServer() = default;

// --- watches ---

void ApiServer::watch(WatchSink* sink) {
  const std::lock_guard guard(mutex_);
  sinks_.reserve(sinks_.size() + 1);
  for (size_t k = 0; k < kStoredKinds; ++k)
    for (const ObjectRef& o : objects_[k].list())
      sink->deliver({WatchEvent::Kind::kStored, static_cast<StoredKind>(k), Verb::kAdded, {}, o});
  for (const NodeRef& n : nodes_.list())
    sink->deliver({WatchEvent::Kind::kNode, {}, Verb::kAdded, {}, n});
  for (const PodRef& p : pods_.list())
    if (!p->terminated()) sink->deliver({WatchEvent::Kind::kPod, {}, Verb::kAdded, {}, p});
  sinks_.push_back(sink);
}

void ApiServer::unwatch(WatchSink* sink) {
  const std::lock_guard guard(mutex_);
  std::erase(sinks_, sink);
}

void ApiServer::tell(const WatchEvent& event) {
  if (volumes_) volumes_->controller->note(event);
  if (claims_) claims_->controller.note(event);
  for (WatchSink* sink : sinks_) sink->deliver(event);
  ++version_;
}

// --- changes, with the lock held ---
//
// Watches are told first: a watch without memory for the event ends the change before it has
// happened. All that follows cannot fail.

void ApiServer::put_pod(Verb verb, const PodRef& pod) {
  pods_.reserve();
  const PodRef before = PodRef::share(pods_.find(pod->meta.ns, pod->meta.name));
  const bool ended = pod->terminated();
  const bool had_ended = before && before->terminated();
  if (ended && (had_ended || !before)) {
    ++version_;  // no watch sees it
  } else if (ended) {
    tell({WatchEvent::Kind::kPod, {}, Verb::kDeleted, pod, {}});
  } else {
    tell({WatchEvent::Kind::kPod, {}, had_ended ? Verb::kAdded : verb, before, pod});
  }
  pods_.put(pod);
}

void ApiServer::put_node(Verb verb, const NodeRef& node) {
  nodes_.reserve();
  const ObjectRef before = NodeRef::share(nodes_.find(node->meta.ns, node->meta.name));
  tell({WatchEvent::Kind::kNode, {}, verb, before, node});
  nodes_.put(node);
}

// The uid of a claim without one: it tells claims of one name apart.
std::string ApiServer::uid_of_claim(const Object* before) {
  constexpr Str kDigits = "0123456789abcdef";
  if (before != nullptr) return std::string(before->meta.uid);
  std::string uid = "00000000-0000-4000-8000-000000000000";
  ++uids_;
  for (size_t i = 0; i < 12; ++i) uid[uid.size() - 1 - i] = kDigits[uids_ >> (4 * i) & 15];
  return uid;
}

// Returns the object as it is stored. A claim gets a uid if it has none, because the claimRef of
// its volume needs one.
ObjectRef ApiServer::kept_object(StoredKind kind, const ObjectRef& given, const Object* before) {
  const std::string uid(given->meta.uid);
  if (kind == StoredKind::kResourceClaim)
    return ObjectRef(stored_claim(static_cast<const ResourceClaim&>(*given),
                                  static_cast<const ResourceClaim*>(before),
                                  uid.empty() ? uid_of_claim(before) : uid, version_ + 1));
  if (!volumes_ || kind != StoredKind::kPersistentVolumeClaim || !uid.empty()) return given;
  const Ref<PersistentVolumeClaim> copy =
      copy_claim(static_cast<const PersistentVolumeClaim&>(*given));
  copy->meta.uid = copy->arena.copy(uid_of_claim(before));
  return ObjectRef(copy);
}

void ApiServer::put_object(Verb verb, StoredKind kind, const ObjectRef& given) {
  Store<Object>& store = objects_[static_cast<size_t>(kind)];
  store.reserve();
  const ObjectRef before = ObjectRef::share(store.find(given->meta.ns, given->meta.name));
  const ObjectRef object = kept_object(kind, given, before.get());
  if (kind == StoredKind::kResourceClaim && object->meta.terminating() &&
      static_cast<const ResourceClaim&>(*object).finalizers.empty()) {
    take_object(kind, before ? before : object);  // nothing holds it any more
    return;
  }
  tell({WatchEvent::Kind::kStored, kind, verb, before, object});
  store.put(object);
}

void ApiServer::take_object(StoredKind kind, const ObjectRef& object) {
  tell({WatchEvent::Kind::kStored, kind, Verb::kDeleted, object, {}});
  objects_[static_cast<size_t>(kind)].remove(object->meta.ns, object->meta.name);
}

// A claim is changed in the version that it was read in, if that is given.
Result<void> ApiServer::may_update(StoredKind kind, const Object& given) const {
  const ObjectMeta& meta = given.meta;
  const Object* const now = objects_[static_cast<size_t>(kind)].find(meta.ns, meta.name);
  if (now == nullptr) return not_found(resource_of(kind), meta.name);
  if (kind != StoredKind::kResourceClaim) return {};
  return check_precondition(static_cast<const ResourceClaim&>(*now),
                            static_cast<const ResourceClaim&>(given));
}

void ApiServer::take_pod(const Pod& pod) {
  const PodRef before = PodRef::share(&pod);
  if (before->terminated()) {
    ++version_;
  } else {
    tell({WatchEvent::Kind::kPod, {}, Verb::kDeleted, before, {}});
  }
  pods_.remove(before->meta.ns, before->meta.name);
}

Result<const Pod*> ApiServer::known(Str ns, Str name) const {
  const Pod* const pod = pods_.find(ns, name);
  if (pod == nullptr) return not_found("pods", name);
  return pod;
}

Result<void> ApiServer::bind_now(Str ns, Str name, Str uid, Str node) {
  const Result<const Pod*> found = known(ns, name);
  if (!found.ok()) return found.error();
  const Pod& pod = **found;
  if (!uid.empty() && uid != pod.meta.uid)
    return conflict(name, "Precondition failed: UID in precondition: " + std::string(uid) +
                              ", UID in object meta: " + std::string(pod.meta.uid));
  if (pod.meta.terminating())
    return conflict(name,
                    "pod " + std::string(name) + " is being deleted, cannot be assigned to a host");
  if (!pod.spec.node_name.empty())
    return conflict(name, "pod " + std::string(name) + " is already assigned to node " +
                              go_quote(pod.spec.node_name));
  put_pod(Verb::kModified, bound_pod(pod, node));
  return {};
}

Result<void> ApiServer::delete_now(Str ns, Str name) {
  const Result<const Pod*> found = known(ns, name);
  if (!found.ok()) return found.error();
  const Pod& pod = **found;
  if (options_.grace_ns == 0 || pod.spec.node_name.empty() || pod.terminated()) {
    take_pod(pod);
    return {};
  }
  if (pod.meta.terminating()) return {};
  const int64_t end = later_ns(clock_->now_ns(), options_.grace_ns);
  Leaving leaving{end, std::string(ns), std::string(name), std::string(pod.meta.uid)};
  const PodRef next = terminating_pod(pod, end);
  leaving_.push_back(std::move(leaving));
  put_pod(Verb::kModified, next);  // if it fails, run_due() finds a pod that is not terminating
  return {};
}

// --- clients ---

// kExists or kNotFound if not all objects are there, or if any is.
Result<void> ApiServer::check(const ObjectSet& objects, bool there) const {
  const auto one = [&](bool found, const std::string& resource, Str name) -> Result<void> {
    if (found == there) return {};
    return found ? exists(resource, name) : not_found(resource, name);
  };
  const auto stored = [&](StoredKind kind, const ObjectRef& o) -> Result<void> {
    if (there) return may_update(kind, *o);
    const Object* const found = objects_[static_cast<size_t>(kind)].find(o->meta.ns, o->meta.name);
    return one(found != nullptr, resource_of(kind), o->meta.name);
  };
  for (const NamespaceRef& n : objects.namespaces) LIBSCHED_TRY(stored(StoredKind::kNamespace, n));
  for (const PriorityClassRef& c : objects.priority_classes)
    LIBSCHED_TRY(stored(StoredKind::kPriorityClass, c));
  for (const StoredObject& o : objects.stored) LIBSCHED_TRY(stored(o.kind, o.object));
  for (const NodeRef& n : objects.nodes)
    LIBSCHED_TRY(one(nodes_.find({}, n->meta.name) != nullptr, "nodes", n->meta.name));
  for (const PodRef& p : objects.pods)
    LIBSCHED_TRY(one(pods_.find(p->meta.ns, p->meta.name) != nullptr, "pods", p->meta.name));
  return {};
}

Result<void> ApiServer::put(Verb verb, const ObjectSet& objects) {
  const std::lock_guard guard(mutex_);
  LIBSCHED_TRY(check(objects, verb != Verb::kAdded));
  for (const NamespaceRef& n : objects.namespaces) put_object(verb, StoredKind::kNamespace, n);
  for (const PriorityClassRef& c : objects.priority_classes)
    put_object(verb, StoredKind::kPriorityClass, c);
  for (const StoredObject& o : objects.stored) put_object(verb, o.kind, o.object);
  for (const NodeRef& n : objects.nodes) put_node(verb, n);
  for (const PodRef& p : objects.pods) put_pod(verb, p);
  return {};
}

Result<void> ApiServer::create(const ObjectSet& objects) { return put(Verb::kAdded, objects); }
Result<void> ApiServer::update(const ObjectSet& objects) { return put(Verb::kModified, objects); }

Result<void> ApiServer::create(const PodRef& pod) {
  const std::lock_guard guard(mutex_);
  if (pods_.find(pod->meta.ns, pod->meta.name) != nullptr) return exists("pods", pod->meta.name);
  put_pod(Verb::kAdded, pod);
  return {};
}

Result<void> ApiServer::create(const NodeRef& node) {
  const std::lock_guard guard(mutex_);
  if (nodes_.find({}, node->meta.name) != nullptr) return exists("nodes", node->meta.name);
  put_node(Verb::kAdded, node);
  return {};
}

Result<void> ApiServer::create(StoredKind kind, const ObjectRef& object) {
  const std::lock_guard guard(mutex_);
  if (objects_[static_cast<size_t>(kind)].find(object->meta.ns, object->meta.name) != nullptr)
    return exists(resource_of(kind), object->meta.name);
  put_object(Verb::kAdded, kind, object);
  return {};
}

Result<void> ApiServer::update(const PodRef& pod) {
  const std::lock_guard guard(mutex_);
  LIBSCHED_TRY(known(pod->meta.ns, pod->meta.name));
  put_pod(Verb::kModified, pod);
  return {};
}

Result<void> ApiServer::update(const NodeRef& node) {
  const std::lock_guard guard(mutex_);
  if (nodes_.find({}, node->meta.name) == nullptr) return not_found("nodes", node->meta.name);
  put_node(Verb::kModified, node);
  return {};
}

Result<void> ApiServer::update(StoredKind kind, const ObjectRef& object) {
  const std::lock_guard guard(mutex_);
  LIBSCHED_TRY(may_update(kind, *object));
  put_object(Verb::kModified, kind, object);
  return {};
}

Result<void> ApiServer::remove_pod(Str ns, Str name) {
  const std::lock_guard guard(mutex_);
  return delete_now(ns, name);
}

Result<void> ApiServer::remove_node(Str name) {
  const std::lock_guard guard(mutex_);
  const NodeRef node = NodeRef::share(nodes_.find({}, name));
  if (!node) return not_found("nodes", name);
  tell({WatchEvent::Kind::kNode, {}, Verb::kDeleted, node, {}});
  nodes_.remove({}, name);
  return {};
}

Result<void> ApiServer::remove_object(StoredKind kind, Str ns, Str name) {
  const std::lock_guard guard(mutex_);
  return delete_object_now(kind, ns, name);
}

// A claim that a finalizer holds is terminating until the last one goes.
Result<void> ApiServer::delete_object_now(StoredKind kind, Str ns, Str name) {
  const ObjectRef object = ObjectRef::share(objects_[static_cast<size_t>(kind)].find(ns, name));
  if (!object) return not_found(resource_of(kind), name);
  if (kind == StoredKind::kResourceClaim) {
    const auto& claim = static_cast<const ResourceClaim&>(*object);
    if (!claim.finalizers.empty()) {
      if (claim.meta.terminating()) return {};
      Store<Object>& store = objects_[static_cast<size_t>(kind)];
      const ObjectRef next(stored_claim(*terminating_claim(claim, clock_->now_ns()), nullptr,
                                        claim.meta.uid, version_ + 1));
      tell({WatchEvent::Kind::kStored, kind, Verb::kModified, object, next});
      store.put(next);
      return {};
    }
  }
  take_object(kind, object);
  return {};
}

Result<void> ApiServer::assign(Str ns, Str name, Str node) {
  const std::lock_guard guard(mutex_);
  return bind_now(ns, name, {}, node);
}

Result<void> ApiServer::finish_pod(Str ns, Str name) {
  const std::lock_guard guard(mutex_);
  const Result<const Pod*> found = known(ns, name);
  if (!found.ok()) return found.error();
  take_pod(**found);
  return {};
}

// --- the scheduler's calls ---

int64_t ApiServer::begin(const ApiRequest& request) {
  if (faultless_) return 0;
  const std::lock_guard guard(mutex_);
  return faults_.begin(request.verb, object_key(request.about.ns, request.about.name)).slow_ns;
}

bool ApiServer::may_wait() const {
  if (faultless_) return false;
  const std::lock_guard guard(mutex_);
  return faults_.may_be_slow();
}

template <typename F>
Result<void> ApiServer::serve(ApiCall call, const ObjectMeta& about, Str resource, F&& effect) {
  const std::lock_guard guard(mutex_);
  std::string error;
  if (!faultless_) {
    error = faults_.take(call.verb, object_key(about.ns, about.name)).error;
    faultless_ = faults_.none();
  }
  if (options_.keep_calls) {  // a call that has had its effect is kept
    call.at_ns = clock_->now_ns();
    call.key = object_key(about.ns, about.name);
    if (calls_.size() == calls_.capacity()) calls_.reserve(2 * calls_.size() + 8);
  }
  Result<void> done =
      error.empty() ? effect() : Result<void>(api_error(error, resource, about.name));
  if (options_.keep_calls) {
    if (!done.ok()) call.error = done.error().message;
    calls_.push_back(std::move(call));
  }
  return done;
}

Result<void> ApiServer::bind(const Pod& pod, Str node) {
  ApiCall call;
  call.verb = ApiVerb::kBind;
  if (options_.keep_calls) call.node = node;
  return serve(std::move(call), pod.meta, "pods",
               [&] { return bind_now(pod.meta.ns, pod.meta.name, pod.meta.uid, node); });
}

Result<void> ApiServer::delete_pod(const Pod& pod) {
  ApiCall call;
  call.verb = ApiVerb::kDeletePod;
  return serve(std::move(call), pod.meta, "pods",
               [&] { return delete_now(pod.meta.ns, pod.meta.name); });
}

Result<void> ApiServer::patch_pod_status(const Pod& pod, const PodStatusPatch& patch) {
  ApiCall call;
  call.verb = ApiVerb::kPatchPodStatus;
  if (options_.keep_calls) call.patch = patch;
  return serve(std::move(call), pod.meta, "pods", [&]() -> Result<void> {
    const Result<const Pod*> found = known(pod.meta.ns, pod.meta.name);
    if (!found.ok()) return found.error();
    put_pod(Verb::kModified, patched_pod(**found, patch));
    return {};
  });
}

Result<Ref<const ResourceClaim>> ApiServer::create_claim(const ResourceClaim& claim,
                                                         Str generate_name) {
  constexpr StoredKind kKind = StoredKind::kResourceClaim;
  const Ref<ResourceClaim> made = copy_resource_claim(claim);
  Ref<const ResourceClaim> out;
  ApiCall call;
  call.verb = ApiVerb::kUpdateObject;
  LIBSCHED_TRY(serve(std::move(call), claim.meta, resource_of(kKind), [&]() -> Result<void> {
    for (uint64_t n = version_ + 1; out.get() == nullptr; ++n) {
      const std::string name = std::string(generate_name) + std::to_string(n);
      const Store<Object>& there = objects_[static_cast<size_t>(kKind)];
      if (there.find(made->meta.ns, name) != nullptr) continue;
      name_claim(*made, name);
      put_object(Verb::kAdded, kKind, ObjectRef(made));
      out = Ref<const ResourceClaim>::share(
          static_cast<const ResourceClaim*>(there.find(made->meta.ns, name)));
    }
    return {};
  }));
  return out;
}

Result<void> ApiServer::delete_object(StoredKind kind, Str ns, Str name) {
  ObjectMeta about;
  about.ns = ns;
  about.name = name;
  ApiCall call;
  call.verb = ApiVerb::kUpdateObject;
  return serve(std::move(call), about, resource_of(kind),
               [&] { return delete_object_now(kind, ns, name); });
}

Result<void> ApiServer::update_object(StoredKind kind, const ObjectRef& object, Str patch) {
  const std::string resource = resource_of(kind);
  ApiCall call;
  call.verb = ApiVerb::kUpdateObject;
  return serve(std::move(call), object->meta, resource, [&]() -> Result<void> {
    const ObjectMeta& meta = object->meta;
    const Object* const now = objects_[static_cast<size_t>(kind)].find(meta.ns, meta.name);
    if (now == nullptr) return not_found(resource, meta.name);
    if (kind == StoredKind::kResourceClaim) {
      const Result<Ref<ResourceClaim>> claim =
          patched_claim(static_cast<const ResourceClaim&>(*now),
                        static_cast<const ResourceClaim&>(*object), patch);
      if (!claim.ok()) return claim.error();
      put_object(Verb::kModified, kind, ObjectRef(*claim));
      return {};
    }
    put_object(Verb::kModified, kind, patched_object(kind, *now, object));
    return {};
  });
}

void ApiServer::event(const Pod& pod, Str type, Str reason, Str action, Str note) {
  if (!options_.keep_events) return;
  const std::lock_guard guard(mutex_);
  events_.push_back({clock_->now_ns(), object_key(pod.meta.ns, pod.meta.name), std::string(type),
                     std::string(reason), std::string(action), std::string(note), false});
}

// --- the ends of grace periods, and the controllers ---

std::optional<int64_t> ApiServer::next_due() const {
  const std::lock_guard guard(mutex_);
  std::optional<int64_t> next;
  const auto add = [&](std::optional<int64_t> due) {
    if (due && (!next || *due < *next)) next = due;
  };
  if (!leaving_.empty()) add(leaving_.front().at_ns);
  if (volumes_) add(volumes_->controller->next_due());
  if (claims_) add(claims_->controller.next_due());
  return next;
}

bool ApiServer::run_due(int64_t now_ns) {
  const std::lock_guard guard(mutex_);
  if (leaving_.empty() || leaving_.front().at_ns > now_ns)
    return (claims_ && claims_->controller.run_due()) ||
           (volumes_ && volumes_->controller->run_due(now_ns));
  const Leaving& leaving = leaving_.front();
  const Pod* const pod = pods_.find(leaving.ns, leaving.name);
  // It may have gone before, and another may have its name.
  if (pod != nullptr && pod->meta.terminating() && pod->meta.uid == leaving.uid) take_pod(*pod);
  leaving_.pop_front();
  return true;
}

// --- what happened ---

void ApiServer::add_fault(ApiFault fault) {
  const std::lock_guard guard(mutex_);
  faults_.add(std::move(fault));
  faultless_ = false;
}

void ApiServer::clear_faults() {
  const std::lock_guard guard(mutex_);
  faults_.clear();
  faultless_ = faults_.none();
}

std::vector<ApiCall> ApiServer::take_calls() {
  const std::lock_guard guard(mutex_);
  return std::exchange(calls_, {});
}

std::vector<ApiEvent> ApiServer::take_events() {
  const std::lock_guard guard(mutex_);
  return std::exchange(events_, {});
}

std::vector<ApiCall> ApiServer::calls() const {
  const std::lock_guard guard(mutex_);
  return calls_;
}

std::vector<ApiEvent> ApiServer::events() const {
  const std::lock_guard guard(mutex_);
  return events_;
}

void ApiServer::drop_calls(size_t n) {
  const std::lock_guard guard(mutex_);
  calls_.erase(calls_.begin(), calls_.begin() + static_cast<ptrdiff_t>(std::min(n, calls_.size())));
}

void ApiServer::drop_events(size_t n) {
  const std::lock_guard guard(mutex_);
  events_.erase(events_.begin(),
                events_.begin() + static_cast<ptrdiff_t>(std::min(n, events_.size())));
}

PodRef ApiServer::pod(Str ns, Str name) const {
  const std::lock_guard guard(mutex_);
  return PodRef::share(pods_.find(ns, name));
}

NodeRef ApiServer::node(Str name) const {
  const std::lock_guard guard(mutex_);
  return NodeRef::share(nodes_.find({}, name));
}

std::vector<PodRef> ApiServer::pods() const {
  const std::lock_guard guard(mutex_);
  return pods_.list();
}

std::vector<NodeRef> ApiServer::nodes() const {
  const std::lock_guard guard(mutex_);
  return nodes_.list();
}

ObjectRef ApiServer::object(StoredKind kind, Str ns, Str name) const {
  const std::lock_guard guard(mutex_);
  return ObjectRef::share(objects_[static_cast<size_t>(kind)].find(ns, name));
}

uint64_t ApiServer::version() const {
  const std::lock_guard guard(mutex_);
  return version_;
}

}  // namespace libsched
