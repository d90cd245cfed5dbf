// Cluster: adding, changing and removing objects. Every change consists of the steps below in one
// transaction: the first step that fails undoes the earlier ones.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "libsched/cluster/change_errors.hpp"
#include "libsched/cluster/node_changes.hpp"
#include "libsched/cluster/transaction.hpp"
#include "libsched/objects/resource_claim.hpp"

namespace libsched {
namespace {

// Whether this object or document is stored already. The bytes of documents are not kept, so they
// are compared by a 64-bit hash. It is keyed by the process's secret: colliding documents cannot be
// chosen, and other documents collide with a probability of 2^-63.
bool same_object(const Object& stored, const Object& offered) {
  if (&stored == &offered) return true;
  return stored.content_hash != 0 && stored.content_hash == offered.content_hash &&
         stored.meta.uid == offered.meta.uid;
}

// Adds the changes that a change of the row's node implies: with other labels its pods may enter or
// leave a domain.
ChangeKinds with_pods(const View& state, uint32_t r, ChangeKinds changes) {
  const View::Row& row = state.row(r);
  if (row.pods.empty() || (changes & (kNodeChanged | kLabelsChanged)) == 0) return changes;
  return changes | kPodsChanged | (row.volumes.driver_volumes != 0 ? kVolumesChanged : 0) |
         (state.existing_terms().size() != 0 ? kTermsChanged : 0);
}

}  // namespace

// Brings what putting pods onto nodes touches into the cache, each some pods before its turn: in a
// large cluster it lies scattered over memory.
template <typename PodAt, typename NodeAt>
class Cluster::FetchAhead {
 public:
  // pod_at(i) returns pod i of n, and node_at(i) the name of its node.
  FetchAhead(const State& state, size_t n, PodAt pod_at, NodeAt node_at)
      : state_(state), n_(n), pod_at_(pod_at), node_at_(node_at) {
    for (size_t i = 0; i < std::min(n, kNames); ++i) fetch_name(i);
    for (size_t i = 0; i < std::min(n, kIds); ++i) fetch_ids(i);
    for (size_t i = 0; i < std::min(n, kRows); ++i) fetch_row(i);
  }

  // Returns the node of the next pod. It is called once for each pod in turn, before the pod is
  // put, and its result is valid until the next call.
  const NodeName& next() {
    const size_t i = at_++;
    if (i + kPods < n_) [[likely]] {
      state_.fetch_pod(pod_at_(i + kPods));
      fetch_name(i + kNames);
      fetch_ids(i + kIds);
      fetch_row(i + kRows);
      fetch_row_pods(i + kTails);
    } else {
      if (i + kNames < n_) fetch_name(i + kNames);
      if (i + kIds < n_) fetch_ids(i + kIds);
      if (i + kRows < n_) fetch_row(i + kRows);
      if (i + kTails < n_) fetch_row_pods(i + kTails);
    }
    return at(i);
  }

 private:
  static constexpr size_t kRing = 32, kPods = 38, kNames = 31, kIds = 24, kRows = 16, kTails = 8;

  NodeName& at(size_t i) { return ring_[i % kRing]; }
  void fetch_name(size_t i) {
    at(i).name = node_at_(i);
    state_.fetch_name(at(i).name);
  }
  void fetch_ids(size_t i) {
    at(i).hash = hash_str(at(i).name);
    state_.fetch_ids(at(i).hash, pod_at_(i).meta.key_hash);
  }
  void fetch_row(size_t i) { at(i).guess = state_.fetch_row(at(i).hash); }
  void fetch_row_pods(size_t i) { state_.fetch_row_pods(at(i).guess); }

  const State& state_;
  const size_t n_;
  PodAt pod_at_;
  NodeAt node_at_;
  size_t at_ = 0;
  std::array<NodeName, kRing> ring_;  // made and not used yet: pod i's at i % kRing
};

inline uint32_t Cluster::row_for(const NodeName& node) {
  const uint32_t g = node.guess;
  if (g < state_.row_count() && state_.row(g).used && same_text(state_.row(g).name, node.name))
    return g;
  const uint32_t r = state_.find_row(node.name, node.hash);
  return r != kNoId ? r : journal_.acquire_row(node.name, node.hash);
}

uint32_t Cluster::row_for(Str name) { return row_for(NodeName{name, hash_str(name)}); }

void Cluster::release_row_if_empty(uint32_t r) {
  const View::Row& row = state_.row(r);
  if (!row.node && row.pods.empty()) journal_.release_row(r);
}

void Cluster::place_node(const NodeRef& node, uint32_t r) {
  if (!state_.row(r).node) {
    journal_.attach_node(r, node, with_pods(state_, r, kNodeChanges));
    journal_.tree_add(r);
    return;
  }
  const std::string old_zone = state_.row(r).zone;
  const ChangeKinds changes = with_pods(state_, r, node_changes(*state_.node(r), *node));
  journal_.detach_node(r, changes);
  journal_.attach_node(r, node, changes);
  // In another zone the node has another place in the tree, but as in upstream the order list
  // changes only with the next node that is added or removed.
  if (state_.order_mode() == NodeOrder::kUpstream && node->zone_key != old_zone) {
    journal_.tree_remove(r);
    journal_.tree_add(r);
  }
}

void Cluster::drop_pod(uint32_t s) {
  const uint32_t r = state_.slot(s).row;
  journal_.remove_pod(s);
  release_row_if_empty(r);
}

template <typename F>
Result<void> Cluster::change(F&& steps, size_t* objects) {
  if (judging_ != 0) return may_not_change();
  Transaction change(this);
  Result<void> done = steps(&change);
  if (!done.ok()) return done;
  if (objects != nullptr) *objects = change.objects();
  if (change.changed()) change.commit();
  return done;
}

inline Result<void> Cluster::result(Refusal refusal, Str kind, Str ns, Str name) {
  switch (refusal) {
    case Refusal::kNone: return {};
    case Refusal::kExists: return exists(kind, object_key(ns, name));
    case Refusal::kNotFound: return not_found(kind, object_key(ns, name));
    case Refusal::kNoNodeName: return no_node_name(kind, object_key(ns, name));
    case Refusal::kNoRoom: return too_many_resources(kind, object_key(ns, name));
  }
  return {};
}

// --- the steps ---

Cluster::Refusal Cluster::put(Transaction* change, StoredKind kind, const ObjectRef& object,
                              PutMode mode) {
  const ObjectMeta& meta = object->meta;
  const ObjectStore::Entry* stored = state_.objects().entry(kind, meta.ns, meta.name);
  if (stored != nullptr) {
    if (mode == PutMode::kNew) return Refusal::kExists;
    if (mode == PutMode::kMissing) return Refusal::kNone;
    if (mode == PutMode::kApply && same_object(*stored->api, *object)) return Refusal::kNone;
  }
  change->note(event_resource(kind), stored == nullptr ? nullptr : stored->api.get(), object.get());
  journal_.put_object(kind, meta.ns, meta.name, {object, object});
  if (kind == StoredKind::kResourceClaim) drop_stand_in(static_cast<const ResourceClaim&>(*object));
  return Refusal::kNone;
}

// The allocated claim of a pod's extended resources comes in place of the assumed one.
void Cluster::drop_stand_in(const ResourceClaim& claim) {
  if (!claim.allocation || find_annotation(claim.meta, kExtendedClaimAnnotation) == nullptr) return;
  for (const OwnerReference& o : claim.meta.owners) {
    if (!o.controller || !is_extended_claim_of(claim, o.name, o.uid)) continue;
    const std::string name = assumed_extended_name(o.name);
    if (state_.objects().entry(StoredKind::kResourceClaim, claim.meta.ns, name) != nullptr)
      journal_.put_object(StoredKind::kResourceClaim, claim.meta.ns, name, {});
  }
}

Cluster::Refusal Cluster::put(Transaction* change, NodeRef node, PutMode mode) {
  const Str name = node->meta.name;
  const uint64_t hash = hash_str(name);
  const uint32_t r = state_.find_row(name, hash);
  const Node* const there = state_.node(r);
  if (there != nullptr) {
    if (mode == PutMode::kNew) return Refusal::kExists;
    if (mode == PutMode::kMissing) return Refusal::kNone;
    if (mode == PutMode::kApply && same_object(*there, *node)) return Refusal::kNone;
  }
  if (!has_room(node->allocatable)) return Refusal::kNoRoom;
  change->note("Node", there, node.get());
  place_node(node, r != kNoId ? r : journal_.acquire_row(name, hash));
  return Refusal::kNone;
}

Cluster::Refusal Cluster::put(Transaction* change, PodRef pod, const NodeName& node, PutMode mode) {
  pod = state_.accounted(std::move(pod));
  const Str node_name = node.name;
  const uint32_t s = state_.find_pod(pod->meta);
  const bool there = s != kNoId;
  if (there && mode == PutMode::kMissing) return Refusal::kNone;
  const bool as_told = mode == PutMode::kUpdate || mode == PutMode::kNew;
  if (as_told ? node_name.empty() : node_name.empty() || pod->terminated()) {
    if (as_told) return Refusal::kNoNodeName;
    if (there) {
      change->note_pod(s, nullptr);
      drop_pod(s);
    }
    put_waiting(std::move(pod), mode);
    return Refusal::kNone;
  }
  if (there && mode == PutMode::kNew) return Refusal::kExists;
  if (there && mode == PutMode::kApply) {
    const View::Slot& slot = state_.slot(s);
    if (!slot.assumed && same_object(*slot.pod, *pod) && state_.row(slot.row).name == node_name)
      return Refusal::kNone;
  }
  if (!there) return put_new(change, std::move(pod), node);
  if (!has_room(pod->occupied)) return Refusal::kNoRoom;
  change->note_pod(s, pod.get());
  const uint32_t r = row_for(node);
  const uint32_t old = state_.slot(s).row;
  journal_.remove_pod(s);
  if (old != r) release_row_if_empty(old);
  journal_.add_pod(std::move(pod), r);
  return Refusal::kNone;
}

// Keeps a pod that is on no node if the API server has nominated it to one.
void Cluster::put_waiting(PodRef pod, PutMode mode) {
  if (const Pod* const before = view().nominated().find(pod->meta); before != nullptr) {
    if (mode == PutMode::kMissing || same_object(*before, *pod)) return;
    journal_.withdraw(*before);
  }
  if (pod->spec.node_name.empty() && !pod->status.nominated_node_name.empty() && !pod->terminated())
    journal_.nominate(std::move(pod));
}

// Puts a pod whose name no pod has.
inline Cluster::Refusal Cluster::put_new(Transaction* change, PodRef pod, const NodeName& node) {
  if (!has_room(pod->occupied)) return Refusal::kNoRoom;
  change->note("Pod", nullptr, pod.get());
  const uint32_t r = row_for(node);
  journal_.add_pod(std::move(pod), r);
  return Refusal::kNone;
}

Cluster::Refusal Cluster::remove(Transaction* change, Str node) {
  const uint32_t r = state_.find_node(node);
  if (r == kNoId) return Refusal::kNotFound;
  change->note("Node", state_.node(r), nullptr);
  journal_.tree_remove(r);
  if (state_.row(r).volumes.claiming_pods != 0) journal_.lose_claims(r);
  journal_.detach_node(r, with_pods(state_, r, kNodeChanges));
  release_row_if_empty(r);
  return Refusal::kNone;
}

Cluster::Refusal Cluster::remove(Transaction* change, Str ns, Str pod) {
  const uint32_t s = state_.find_pod(ns, pod);
  if (s == kNoId) {
    const Pod* const nominated = view().nominated().find(ns, pod);
    if (nominated == nullptr) return Refusal::kNotFound;
    journal_.withdraw(*nominated);
    return Refusal::kNone;
  }
  change->note_pod(s, nullptr);
  drop_pod(s);
  return Refusal::kNone;
}

Cluster::Refusal Cluster::remove(Transaction* change, StoredKind kind, Str ns, Str name) {
  const ObjectStore::Entry* stored = state_.objects().entry(kind, ns, name);
  if (stored == nullptr) return Refusal::kNotFound;
  change->note(event_resource(kind), stored->api.get(), nullptr);
  journal_.put_object(kind, ns, name, {});
  return Refusal::kNone;
}

Result<void> Cluster::put_all(Transaction* change, const PutObjects& part) {
  const ObjectSet& set = *part.set;
  const auto put_object = [&](StoredKind kind, const ObjectRef& o) {
    const Refusal refusal = put(change, kind, o, part.mode);
    return result(refusal, stored_kind_name(kind), o->meta.ns, o->meta.name);
  };
  for (const NamespaceRef& ns : set.namespaces)
    LIBSCHED_TRY(put_object(StoredKind::kNamespace, ns));
  for (const PriorityClassRef& c : set.priority_classes)
    LIBSCHED_TRY(put_object(StoredKind::kPriorityClass, c));
  // The first DeviceClasses are a list, which an API server sorts; their order matters.
  std::vector<const StoredObject*> classes;
  const bool first_classes = state_.objects().count(StoredKind::kDeviceClass) == 0;
  for (const StoredObject& o : set.stored) {
    if (first_classes && o.kind == StoredKind::kDeviceClass)
      classes.push_back(&o);
    else
      LIBSCHED_TRY(put_object(o.kind, o.object));
  }
  std::stable_sort(classes.begin(), classes.end(),
                   [](const StoredObject* a, const StoredObject* b) {
                     return a->object->meta.name < b->object->meta.name;
                   });
  for (const StoredObject* o : classes) LIBSCHED_TRY(put_object(o->kind, o->object));
  if (part.nodes)
    for (const NodeRef& n : set.nodes)
      LIBSCHED_TRY(result(put(change, n, part.mode), "node", {}, n->meta.name));
  if (part.pods) {
    // Some may be there already.
    if (set.pods.size() > state_.pod_count())
      state_.expect_pods(set.pods.size() - state_.pod_count());
    FetchAhead ahead(
        state_, set.pods.size(), [&](size_t i) -> const Pod& { return *set.pods[i]; },
        [&](size_t i) -> Str { return set.pods[i]->spec.node_name; });
    for (const PodRef& p : set.pods) {
      const Refusal refusal = put(change, p, ahead.next(), part.mode);
      LIBSCHED_TRY(result(refusal, "pod", p->meta.ns, p->meta.name));
    }
  }
  return {};
}

// --- the changes ---

namespace {

Str node_of(const Pod& pod, Str given) { return given.empty() ? pod.spec.node_name : given; }

template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace

Result<size_t> Cluster::apply(const Change* parts, size_t n) {
  size_t objects = 0;
  const auto steps = [&](Transaction* change) -> Result<void> {
    const Overloaded step = {
        [&](const PutObjects& p) { return put_all(change, p); },
        [&](const PutNode& p) {
          return result(put(change, p.node, p.mode), "node", {}, p.node->meta.name);
        },
        [&](const PutPod& p) {
          const Str node = node_of(*p.pod, p.node_name);
          const ObjectMeta& meta = p.pod->meta;
          return result(put(change, p.pod, {node, hash_str(node)}, p.mode), "pod", meta.ns,
                        meta.name);
        },
        [&](const RemoveNode& p) { return result(remove(change, p.name), "node", {}, p.name); },
        [&](const RemovePod& p) {
          return result(remove(change, p.ns, p.name), "pod", p.ns, p.name);
        },
        [&](const RemoveObject& p) {
          return result(remove(change, p.kind, p.ns, p.name), stored_kind_name(p.kind), p.ns,
                        p.name);
        },
    };
    for (size_t i = 0; i < n; ++i) LIBSCHED_TRY(std::visit(step, parts[i]));
    return {};
  };
  LIBSCHED_TRY(change(steps, &objects));
  return objects;
}

Result<size_t> Cluster::apply(const ObjectSet& objects) {
  const Change part = PutObjects{&objects};
  return apply(&part, 1);
}

Result<void> Cluster::add_nodes(const Node* const* nodes, size_t n) {
  return change([&](Transaction* change) -> Result<void> {
    for (size_t i = 0; i < n; ++i)
      LIBSCHED_TRY(result(put(change, NodeRef::share(nodes[i]), PutMode::kNew), "node", {},
                          nodes[i]->meta.name));
    return {};
  });
}

Result<void> Cluster::update_node(const NodeRef& node) {
  return change([&](Transaction* change) {
    return result(put(change, node, PutMode::kUpdate), "node", {}, node->meta.name);
  });
}

Result<void> Cluster::remove_node(Str name) {
  return change(
      [&](Transaction* change) { return result(remove(change, name), "node", {}, name); });
}

Result<void> Cluster::add_pods(const Pod* const* pods, const Str* node_names, size_t n) {
  const auto node_at = [&](size_t i) {
    return node_of(*pods[i], node_names == nullptr ? Str() : node_names[i]);
  };
  return change([&](Transaction* change) -> Result<void> {
    FetchAhead ahead(state_, n, [&](size_t i) -> const Pod& { return *pods[i]; }, node_at);
    for (size_t i = 0; i < n; ++i) {
      const NodeName& node = ahead.next();
      const Refusal refusal = node.name.empty() ? Refusal::kNoNodeName
                              : state_.find_pod(pods[i]->meta) != kNoId
                                  ? Refusal::kExists
                                  : put_new(change, PodRef::share(pods[i]), node);
      if (refusal != Refusal::kNone)
        return result(refusal, "pod", pods[i]->meta.ns, pods[i]->meta.name);
    }
    return {};
  });
}

Result<void> Cluster::update_pod(const PodRef& pod, Str node_name) {
  return change([&](Transaction* change) {
    const Str node = node_of(*pod, node_name);
    return result(put(change, pod, {node, hash_str(node)}, PutMode::kUpdate), "pod", pod->meta.ns,
                  pod->meta.name);
  });
}

Result<void> Cluster::remove_pod(Str ns, Str name) {
  return change(
      [&](Transaction* change) { return result(remove(change, ns, name), "pod", ns, name); });
}

Result<void> Cluster::put_object(StoredKind kind, const ObjectRef& object) {
  return change([&](Transaction* change) {
    return result(put(change, kind, object, PutMode::kUpdate), stored_kind_name(kind),
                  object->meta.ns, object->meta.name);
  });
}

Result<void> Cluster::remove_object(StoredKind kind, Str ns, Str name) {
  return change([&](Transaction* change) {
    return result(remove(change, kind, ns, name), stored_kind_name(kind), ns, name);
  });
}

}  // namespace libsched
