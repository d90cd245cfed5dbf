// Cluster: changes of pods and objects that are assumed until the API server confirms them.
#include <optional>
#include <string>

#include "libsched/cluster/change_errors.hpp"
#include "libsched/cluster/transaction.hpp"
#include "libsched/objects/resource_claim.hpp"

namespace libsched {

Result<void> Cluster::assume_object(StoredKind kind, const ObjectRef& object) {
  if (judging_ != 0) return may_not_change();
  const ObjectMeta& meta = object->meta;
  const ObjectStore::Entry* entry = state_.objects().entry(kind, meta.ns, meta.name);
  if (entry == nullptr) {
    // The API server does not have the claim of a pod's extended resources yet.
    if (kind != StoredKind::kResourceClaim || !meta.name.starts_with(kExtendedClaimName))
      return not_found(stored_kind_name(kind), object_key(meta.ns, meta.name));
    Transaction change(this);
    journal_.put_object(kind, meta.ns, meta.name, {ObjectRef(), object});
    change.commit();
    return {};
  }
  // Objects that were never in an API server have no version.
  const std::optional<int64_t> have = parse_int64(entry->latest->meta.resource_version);
  const std::optional<int64_t> offered = parse_int64(meta.resource_version);
  if (have && offered && *offered < *have)
    return Error{Rc::kState, std::string(stored_kind_name(kind)) + " \"" +
                                 object_key(meta.ns, meta.name) +
                                 "\" is out of sync (stored: " + std::to_string(*have) +
                                 ", assume: " + std::to_string(*offered) + ")"};
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

namespace {

PodRef bound_copy(const Pod& pod, Str node, Time start) {
  const Ref<Pod> copy = copy_pod(pod, node);
  if (start.present) copy->status.start_time = start;
  return copy;
}

}  // namespace

Result<void> Cluster::assume(const Pod& pod, Str node_name, Time start) {
  const Str node = node_name.empty() ? pod.spec.node_name : node_name;
  if (judging_ != 0) return may_not_change();
  if (node.empty()) return no_node_name("pod", pod_key(pod));
  LIBSCHED_TRY(may_assume(pod));
  PodRef copy = state_.accounted(bound_copy(pod, node, start));
  Transaction change(this);
  put_assumed(std::move(copy), row_for(node));
  change.commit();
  return {};
}

Result<void> Cluster::assume(Transaction*, const Pod& pod, uint32_t row, Time start) {
  if (judging_ != 0) return may_not_change();
  LIBSCHED_TRY(may_assume(pod));
  // Most pods that are placed so are what-ifs, which nobody looks at.
  const bool waits = pod.class_id != 0 || pod.spec.node_name.empty();
  const bool as_it_is = waits && !start.present && !pod.unnamed;
  PodRef placed =
      as_it_is ? PodRef::share(&pod) : bound_copy(pod, state_.node(row)->meta.name, start);
  put_assumed(state_.accounted(std::move(placed)), row);
  return {};
}

Result<void> Cluster::may_assume(const Pod& pod) const {
  if (!has_room(AccountedPod(pod, state_.accounting())->occupied))
    return too_many_resources("pod", pod_key(pod));
  if (state_.find_pod(pod.meta) != kNoId)
    return Error{Rc::kExists, "pod " + std::string(pod.meta.uid) + "(" + pod_key(pod) +
                                  ") is in the cache, so can't be assumed"};
  return {};
}

void Cluster::put_assumed(PodRef pod, uint32_t row) { journal_.add_pod(std::move(pod), row, true); }

Result<void> Cluster::may_forget(Str ns, Str name) const {
  const uint32_t s = state_.find_pod(ns, name);
  if (s == kNoId || state_.slot(s).assumed) return {};
  const Pod& pod = *state_.slot(s).pod;
  return Error{Rc::kState, "pod " + std::string(pod.meta.uid) + "(" + pod_key(pod) +
                               ") wasn't assumed so cannot be forgotten"};
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

}  // namespace libsched
