// Cluster: changes that happen whole or not at all, each a transaction on the journal, and the
// snapshots and clones that are made of a state.
#include "libsched/cluster/cluster.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "libsched/cluster/transaction.hpp"

namespace libsched {
namespace {

__attribute__((cold)) Error may_not_change() {
  return {Rc::kMisuse, "a plugin may not change the cluster that it is asked about", {}, {}};
}

__attribute__((cold)) Error exists(const char* kind, Str key) {
  return {
      Rc::kExists, std::string(kind) + " \"" + std::string(key) + "\" is there already", {}, {}};
}

Error not_found(const char* kind, Str key) {
  return {Rc::kNotFound,
          std::string(kind) + " \"" + std::string(key) + "\" is not in the cluster",
          {},
          {}};
}

Error no_fork() { return {Rc::kState, "no fork is open", {}, {}}; }

std::string object_key(Str ns, Str name) {
  return (ns.empty() ? "" : std::string(ns) + "/") + std::string(name);
}
std::string pod_key(const Pod& pod) { return object_key(pod.meta.ns, pod.meta.name); }

__attribute__((cold)) Error no_node_name(const Pod& pod) {
  return {Rc::kInvalid, "pod \"" + pod_key(pod) + "\" has no nodeName, and none was given", {}, {}};
}

Error no_object(StoredKind kind, Str ns, Str name) {
  return not_found(std::string(stored_kind_name(kind)).c_str(), object_key(ns, name));
}

__attribute__((cold)) Error too_many_resources(Str what, Str name) {
  return {Rc::kLimit,
          std::string(what) + " \"" + std::string(name) + "\": more than " +
              std::to_string(Columns::kMaxResources) + " different resources in one cluster",
          {},
          {}};
}

// The very document that is stored already.
bool same_document(const Object& stored, const Object& offered) {
  return stored.content_hash != 0 && stored.content_hash == offered.content_hash &&
         stored.meta.uid == offered.meta.uid;
}

}  // namespace

uint32_t Cluster::row_for(Str name, uint64_t hash) {
  const uint32_t r = state_.find_row(name, hash);
  return r != kNoId ? r : journal_.acquire_row(name, hash);
}

void Cluster::release_row_if_empty(uint32_t r) {
  const State::Row& row = state_.row(r);
  if (!row.node && row.pods.empty()) journal_.release_row(r);
}

void Cluster::place_node(const NodeRef& node) {
  const uint32_t r = row_for(node->meta.name);
  if (!state_.row(r).node) {
    journal_.attach_node(r, node);
    journal_.tree_add(r);
    return;
  }
  const std::string old_zone = state_.row(r).zone;
  journal_.detach_node(r);
  journal_.attach_node(r, node);
  // Another zone: another place in the tree, but the order list changes only with the next node
  // that comes or goes, as upstream's.
  if (state_.order_mode() == NodeOrder::kUpstream && zone_key(node->meta.labels) != old_zone) {
    journal_.tree_remove(r);
    journal_.tree_add(r);
  }
}

void Cluster::place_pod(PodRef pod, uint32_t r) { journal_.add_pod(std::move(pod), r); }

void Cluster::drop_pod(uint32_t s) {
  const uint32_t r = state_.slot(s).row;
  journal_.remove_pod(s);
  release_row_if_empty(r);
}

Result<void> Cluster::apply(const ObjectSet& objects) {
  if (judging_ != 0) return may_not_change();
  if (forks_ != 0)
    return Error{Rc::kState,
                 "apply is not possible while a fork is open: commit or revert it first",
                 {},
                 {}};
  Columns::Room room(state_.columns());
  for (const NodeRef& n : objects.nodes)
    if (!room.add(n->allocatable)) return too_many_resources("node", n->meta.name);
  for (const PodRef& p : objects.pods)
    if (!room.add(p->occupied)) return too_many_resources("pod", p->meta.name);
  Transaction change(this);
  bool any = false;
  const auto put = [&](StoredKind kind, const ObjectRef& object) {
    const ObjectMeta& meta = object->meta;
    const ObjectStore::Entry* stored = state_.objects().entry(kind, meta.ns, meta.name);
    if (stored != nullptr && same_document(*stored->api, *object)) return;
    change.note(event_resource(kind), stored == nullptr ? nullptr : stored->api.get(),
                object.get());
    journal_.put_object(kind, meta.ns, meta.name, {object, object});
    any = true;
  };
  for (const NamespaceRef& ns : objects.namespaces) put(StoredKind::kNamespace, ns);
  for (const PriorityClassRef& c : objects.priority_classes) put(StoredKind::kPriorityClass, c);
  for (const StoredObject& o : objects.stored) put(o.kind, o.object);
  for (const NodeRef& n : objects.nodes) {
    const uint32_t r = state_.find_node(n->meta.name);
    if (r != kNoId && same_document(*state_.node(r), *n)) continue;
    change.note("Node", state_.node(r), n.get());
    place_node(n);
    any = true;
  }
  for (const PodRef& p : objects.pods) {
    const uint32_t s = state_.find_pod(p->meta.ns, p->meta.name, p->meta.key_hash);
    const bool stored = !p->spec.node_name.empty() && !p->terminated();
    if (s != kNoId) {
      const State::Slot& slot = state_.slot(s);
      if (stored && same_document(*slot.pod, *p) && state_.row(slot.row).name == p->spec.node_name)
        continue;
      change.note("Pod", slot.pod.get(), stored ? p.get() : nullptr);
      drop_pod(s);
      any = true;
    } else if (stored) {
      change.note("Pod", nullptr, p.get());
    }
    if (!stored) continue;
    place_pod(p, row_for(p->spec.node_name));
    any = true;
  }
  for (const SkippedKind& k : objects.skipped)
    if (!k.needed_by.empty()) {
      bool fresh = false;
      journal_.add_unread_kind(k.kind, &fresh);
      any = any || fresh;
    }
  if (any) change.commit();
  return {};
}

Result<void> Cluster::add_nodes(const Node* const* nodes, size_t n) {
  if (judging_ != 0) return may_not_change();
  Transaction change(this);
  for (size_t i = 0; i < n; ++i) {
    const Str name = nodes[i]->meta.name;
    if (!has_room(nodes[i]->allocatable)) return too_many_resources("node", name);
    if (state_.find_node(name) != kNoId) return exists("node", name);
    change.note("Node", nullptr, nodes[i]);
    place_node(NodeRef::share(nodes[i]));
  }
  change.commit();
  return {};
}

Result<void> Cluster::update_node(const NodeRef& node) {
  if (judging_ != 0) return may_not_change();
  if (!has_room(node->allocatable)) return too_many_resources("node", node->meta.name);
  Transaction change(this);
  if (watched()) change.note("Node", state_.node(state_.find_node(node->meta.name)), node.get());
  place_node(node);
  change.commit();
  return {};
}

Result<void> Cluster::remove_node(Str name) {
  if (judging_ != 0) return may_not_change();
  const uint32_t r = state_.find_node(name);
  if (r == kNoId) return not_found("node", name);
  Transaction change(this);
  change.note("Node", state_.node(r), nullptr);
  journal_.tree_remove(r);
  journal_.detach_node(r);
  release_row_if_empty(r);
  change.commit();
  return {};
}

Result<void> Cluster::add_pods(const Pod* const* pods, const Str* node_names, size_t n) {
  if (judging_ != 0) return may_not_change();
  Transaction change(this);
  const auto node_of = [&](size_t i) {
    return node_names != nullptr && !node_names[i].empty() ? node_names[i]
                                                           : pods[i]->spec.node_name;
  };
  // The hashes of the nodes' names that have been made and not used yet: pod i's at i % kRing.
  constexpr size_t kRing = 32, kPods = 31, kIds = 24, kRows = 16, kTails = 8;
  std::array<uint64_t, kRing> hashes;
  const auto fetch_ahead = [&](size_t i) {
    if (i + kPods < n) state_.fetch_pod(*pods[i + kPods]);
    if (i + kIds < n) {
      const uint64_t hash = hashes[(i + kIds) % kRing] = hash_str(node_of(i + kIds));
      state_.fetch_ids(hash, pods[i + kIds]->meta.key_hash);
    }
    if (i + kRows < n) state_.fetch_row(hashes[(i + kRows) % kRing]);
    if (i + kTails < n) state_.fetch_row_pods(hashes[(i + kTails) % kRing]);
  };
  for (size_t i = 0; i < std::min(n, kIds); ++i) {
    hashes[i] = hash_str(node_of(i));
    state_.fetch_ids(hashes[i], pods[i]->meta.key_hash);
  }
  for (size_t i = 0; i < std::min(n, kRows); ++i) state_.fetch_row(hashes[i]);
  for (size_t i = 0; i < n; ++i) {
    fetch_ahead(i);
    const Pod& pod = *pods[i];
    const Str node = node_of(i);
    if (!has_room(pod.occupied)) return too_many_resources("pod", pod.meta.name);
    if (node.empty()) return no_node_name(pod);
    if (state_.find_pod(pod.meta.ns, pod.meta.name, pod.meta.key_hash) != kNoId)
      return exists("pod", pod_key(pod));
    change.note("Pod", nullptr, &pod);
    place_pod(PodRef::share(&pod), row_for(node, hashes[i % kRing]));
  }
  change.commit();
  return {};
}

Result<void> Cluster::update_pod(const PodRef& pod, Str node_name) {
  if (judging_ != 0) return may_not_change();
  const Str node = node_name.empty() ? pod->spec.node_name : node_name;
  if (node.empty()) return no_node_name(*pod);
  if (!has_room(pod->occupied)) return too_many_resources("pod", pod->meta.name);
  const uint32_t s = state_.find_pod(pod->meta.ns, pod->meta.name, pod->meta.key_hash);
  Transaction change(this);
  const uint32_t r = row_for(node);  // first: `node_name` may be lent by the pod that is replaced
  change.note("Pod", s == kNoId ? nullptr : state_.slot(s).pod.get(), pod.get());
  if (s != kNoId) {
    const uint32_t old = state_.slot(s).row;
    journal_.remove_pod(s);
    if (old != r) release_row_if_empty(old);
  }
  place_pod(pod, r);
  change.commit();
  return {};
}

Result<void> Cluster::remove_pod(Str ns, Str name) {
  if (judging_ != 0) return may_not_change();
  const uint32_t s = state_.find_pod(ns, name);
  if (s == kNoId) return not_found("pod", std::string(ns) + "/" + std::string(name));
  Transaction change(this);
  change.note("Pod", state_.slot(s).pod.get(), nullptr);
  drop_pod(s);
  change.commit();
  return {};
}

Result<void> Cluster::put_object(StoredKind kind, const ObjectRef& object) {
  if (judging_ != 0) return may_not_change();
  const ObjectStore::Entry* stored =
      state_.objects().entry(kind, object->meta.ns, object->meta.name);
  Transaction change(this);
  change.note(event_resource(kind), stored == nullptr ? nullptr : stored->api.get(), object.get());
  journal_.put_object(kind, object->meta.ns, object->meta.name, {object, object});
  change.commit();
  return {};
}

Result<size_t> Cluster::put_objects(const ObjectSet& objects, bool only_new) {
  if (judging_ != 0) return may_not_change();
  Transaction change(this);
  size_t count = 0;
  const auto put = [&](StoredKind kind, const ObjectRef& object) {
    const ObjectMeta& meta = object->meta;
    if (only_new && state_.objects().entry(kind, meta.ns, meta.name) != nullptr)
      return Result<void>();
    ++count;
    return put_object(kind, object);
  };
  for (const NamespaceRef& ns : objects.namespaces) LIBSCHED_TRY(put(StoredKind::kNamespace, ns));
  for (const PriorityClassRef& c : objects.priority_classes)
    LIBSCHED_TRY(put(StoredKind::kPriorityClass, c));
  for (const StoredObject& o : objects.stored) LIBSCHED_TRY(put(o.kind, o.object));
  if (count != 0) change.commit();
  return count;
}

Result<void> Cluster::remove_object(StoredKind kind, Str ns, Str name) {
  if (judging_ != 0) return may_not_change();
  const ObjectStore::Entry* stored = state_.objects().entry(kind, ns, name);
  if (stored == nullptr) return no_object(kind, ns, name);
  Transaction change(this);
  change.note(event_resource(kind), stored->api.get(), nullptr);
  journal_.put_object(kind, ns, name, {});
  change.commit();
  return {};
}

Result<void> Cluster::assume_object(StoredKind kind, const ObjectRef& object) {
  if (judging_ != 0) return may_not_change();
  const ObjectMeta& meta = object->meta;
  const ObjectStore::Entry* entry = state_.objects().entry(kind, meta.ns, meta.name);
  if (entry == nullptr) return no_object(kind, meta.ns, meta.name);
  // Objects that never were in an API server have no version.
  const std::optional<int64_t> have = parse_int64(entry->latest->meta.resource_version);
  const std::optional<int64_t> offered = parse_int64(meta.resource_version);
  if (have && offered && *offered < *have)
    return Error{Rc::kState,
                 std::string(stored_kind_name(kind)) + " \"" + object_key(meta.ns, meta.name) +
                     "\" is out of sync (stored: " + std::to_string(*have) +
                     ", assume: " + std::to_string(*offered) + ")",
                 {},
                 {}};
  Transaction change(this);
  journal_.put_object(kind, meta.ns, meta.name, {entry->api, object});
  change.commit();
  return {};
}

Result<void> Cluster::restore_object(StoredKind kind, Str ns, Str name) {
  if (judging_ != 0) return may_not_change();
  const ObjectStore::Entry* entry = state_.objects().entry(kind, ns, name);
  if (entry == nullptr || !entry->assumed()) return {};
  Transaction change(this);
  journal_.put_object(kind, ns, name, {entry->api, entry->api});
  change.commit();
  return {};
}

Result<void> Cluster::assume(const Pod& pod, Str node_name, Time start) {
  if (judging_ != 0) return may_not_change();
  if (!has_room(pod.occupied)) return too_many_resources("pod", pod.meta.name);
  if (state_.find_pod(pod.meta.ns, pod.meta.name, pod.meta.key_hash) != kNoId)
    return Error{Rc::kExists,
                 "pod " + std::string(pod.meta.uid) + "(" + pod_key(pod) +
                     ") is in the cache, so can't be assumed",
                 {},
                 {}};
  const Ref<Pod> copy = copy_pod(pod, pod.meta.name, pod.meta.ns, pod.meta.uid, node_name);
  if (start.present) copy->status.start_time = start;
  Transaction change(this);
  const uint32_t s = journal_.add_pod(copy, row_for(node_name));
  journal_.set_assumed(s, true);
  change.commit();
  return {};
}

Result<void> Cluster::may_forget(Str ns, Str name) const {
  const uint32_t s = state_.find_pod(ns, name);
  if (s == kNoId || state_.slot(s).assumed) return {};
  const Pod& pod = *state_.slot(s).pod;
  return Error{Rc::kState,
               "pod " + std::string(pod.meta.uid) + "(" + pod_key(pod) +
                   ") wasn't assumed so cannot be forgotten",
               {},
               {}};
}

Result<void> Cluster::forget(Str ns, Str name) {
  if (judging_ != 0) return may_not_change();
  LIBSCHED_TRY(may_forget(ns, name));
  const uint32_t s = state_.find_pod(ns, name);
  if (s == kNoId) return {};
  Transaction change(this);
  drop_pod(s);
  change.commit();
  return {};
}

Result<void> Cluster::fork() {
  if (judging_ != 0) return may_not_change();
  journal_.mark();
  ++forks_;
  if (!observers_.empty()) tell_forked();
  return {};
}

Result<void> Cluster::commit() {
  if (judging_ != 0) return may_not_change();
  if (forks_ == 0) return no_fork();
  finish_unread();
  journal_.commit();
  --forks_;
  if (!observers_.empty()) tell_committed();
  return {};
}

Result<void> Cluster::revert() {
  if (judging_ != 0) return may_not_change();
  if (forks_ == 0) return no_fork();
  finish_unread();
  if (copied_) {
    state_.own_terms();
    copied_ = false;
  }
  journal_.revert();
  --forks_;
  if (!observers_.empty()) tell_reverted();
  return {};
}

Ref<Cluster> Cluster::clone() const {
  Ref<Cluster> copy = make_ref<Cluster>(state_.order_mode());
  copy->state_ = state_;
  copy->copied_ = copied_ = true;
  return copy;
}

SnapshotRef Cluster::snapshot() {
  if (snapshot_ && snapshot_version_ == state_.version()) {
    refresh();
  } else {
    make_snapshot();
  }
  return snapshot_;
}

void Cluster::make_snapshot() {
  finish_unread();
  Ref<Snapshot> made = make_ref<Snapshot>(state_);
  copied_ = true;
  const bool reorder = state_.order_membership() != state_.membership();
  State::Order order, copy;
  if (reorder) copy = order = state_.make_order();
  journal_.refresh(reorder ? &order : nullptr);
  Journal(&made->state_).refresh(reorder ? &copy : nullptr);  // without a mark: cannot fail
  snapshot_ = std::move(made);
  snapshot_version_ = state_.version();
}

void Cluster::renew(bool reorder) {
  finish_unread();
  State::Order order;
  if (reorder) order = state_.make_order();
  journal_.refresh(reorder ? &order : nullptr);
}

}  // namespace libsched
