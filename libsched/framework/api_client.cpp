// What a status patch changes; MemoryApi: requests in a list.
#include "libsched/framework/api_client.hpp"

#include <algorithm>
#include <utility>

#include "libsched/cluster/change_errors.hpp"
#include "libsched/cluster/transaction.hpp"

namespace libsched {

std::optional<PodStatusPatch::Condition> condition_change(const Pod& pod,
                                                          PodStatusPatch::Condition wanted) {
  for (const PodCondition& has : pod.status.conditions) {
    if (has.type != wanted.type) continue;
    if (has.status == wanted.status && has.reason == wanted.reason && has.message == wanted.message)
      return std::nullopt;
    if (has.status == wanted.status) wanted.status.clear();
    if (has.reason == wanted.reason) wanted.reason.clear();
    if (has.message == wanted.message) wanted.message.clear();
    break;
  }
  return wanted;
}

Result<Ref<const ResourceClaim>> ApiClient::create_claim(const ResourceClaim& claim, Str) {
  return Error{Rc::kUnsupported,
               "the API client cannot create the ResourceClaim of extended resources in " +
                   std::string(claim.meta.ns)};
}

Result<void> ApiClient::delete_object(StoredKind kind, Str ns, Str name) {
  return Error{Rc::kUnsupported, "the API client cannot delete " +
                                     std::string(stored_kind_name(kind)) + " " +
                                     object_key(ns, name)};
}

ApiRequest ApiRequest::bind(const Pod& pod, Str node) {
  ApiRequest out{ApiVerb::kBind, pod.meta};
  out.node = node;
  out.pod = &pod;
  return out;
}

ApiRequest ApiRequest::delete_pod(const Pod& pod) {
  ApiRequest out{ApiVerb::kDeletePod, pod.meta};
  out.pod = &pod;
  return out;
}

ApiRequest ApiRequest::patch_pod_status(const Pod& pod, const PodStatusPatch& patch) {
  ApiRequest out{ApiVerb::kPatchPodStatus, pod.meta};
  out.patch = &patch;
  out.pod = &pod;
  return out;
}

ApiRequest ApiRequest::update_object(StoredKind kind, const ObjectRef& object, Str patch) {
  ApiRequest out{ApiVerb::kUpdateObject, object->meta, kind};
  out.object = &object;
  out.text = patch;
  return out;
}

ApiRequest ApiRequest::create_claim(const ResourceClaim& claim, Str generate_name,
                                    Ref<const ResourceClaim>* created) {
  ApiRequest out{ApiVerb::kUpdateObject, claim.meta, StoredKind::kResourceClaim};
  out.claim = &claim;
  out.text = generate_name;
  out.created = created;
  return out;
}

ApiRequest ApiRequest::delete_object(StoredKind kind, const ObjectMeta& about) {
  return {ApiVerb::kUpdateObject, about, kind};
}

Result<void> ApiRequest::make(ApiClient& client) const {
  switch (verb) {
    case ApiVerb::kBind: return client.bind(*pod, node);
    case ApiVerb::kDeletePod: return client.delete_pod(*pod);
    case ApiVerb::kPatchPodStatus: return client.patch_pod_status(*pod, *patch);
    case ApiVerb::kUpdateObject: break;
  }
  if (object != nullptr) return client.update_object(kind, *object, text);
  if (claim == nullptr) return client.delete_object(kind, about.ns, about.name);
  Result<Ref<const ResourceClaim>> made = client.create_claim(*claim, text);
  if (!made.ok()) return std::move(made.error());
  *created = std::move(*made);
  return {};
}

void MemoryApi::keep(Request request) {
  const std::lock_guard guard(mutex_);
  requests_.push_back(std::move(request));
}

Result<void> MemoryApi::bind(const Pod& pod, Str node) {
  Request r;
  r.verb = Verb::kBind;
  r.pod = PodRef::share(&pod);
  r.node = std::string(node);
  keep(std::move(r));
  return {};
}

Result<void> MemoryApi::delete_pod(const Pod& pod) {
  Request r;
  r.verb = Verb::kDeletePod;
  r.pod = PodRef::share(&pod);
  keep(std::move(r));
  return {};
}

Result<void> MemoryApi::patch_pod_status(const Pod& pod, const PodStatusPatch& patch) {
  Request r;
  r.verb = Verb::kPatchPodStatus;
  r.pod = PodRef::share(&pod);
  r.patch = patch;
  keep(std::move(r));
  return {};
}

Result<void> MemoryApi::update_object(StoredKind kind, const ObjectRef& object, Str patch) {
  Request r;
  r.verb = Verb::kUpdateObject;
  r.kind = kind;
  r.object = object;
  r.object_patch = std::string(patch);
  keep(std::move(r));
  return {};
}

Result<Ref<const ResourceClaim>> MemoryApi::create_claim(const ResourceClaim& claim,
                                                         Str generate_name) {
  Request r;
  const Ref<ResourceClaim> made = copy_resource_claim(claim);
  {
    const std::lock_guard guard(mutex_);
    name_claim(*made, std::string(generate_name) + std::to_string(++created_));
  }
  r.verb = Verb::kCreateObject;
  r.kind = StoredKind::kResourceClaim;
  r.object = ObjectRef(made);
  keep(std::move(r));
  return Ref<const ResourceClaim>(made);
}

Result<void> MemoryApi::delete_object(StoredKind kind, Str ns, Str name) {
  Request r;
  r.verb = Verb::kDeleteObject;
  r.kind = kind;
  r.object_ns = std::string(ns);
  r.name = std::string(name);
  keep(std::move(r));
  return {};
}

void MemoryApi::event(const Pod& pod, Str type, Str reason, Str action, Str note) {
  Request r;
  r.verb = Verb::kEvent;
  r.pod = PodRef::share(&pod);
  r.type = std::string(type);
  r.reason = std::string(reason);
  r.action = std::string(action);
  r.note = std::string(note);
  keep(std::move(r));
}

std::vector<MemoryApi::Request> MemoryApi::requests() const {
  const std::lock_guard guard(mutex_);
  return requests_;
}

void MemoryApi::clear() {
  const std::lock_guard guard(mutex_);
  requests_.clear();
}

Result<void> MemoryApi::deliver(Cluster& cluster) {
  std::vector<Request> all = requests();
  Cluster::Transaction change(&cluster);  // out of memory: nothing is delivered, all is kept
  size_t done = 0;
  Result<void> out;
  for (; done < all.size() && out.ok(); ++done) {
    const Request& r = all[done];
    if (r.verb == Verb::kBind)
      out = cluster.update_pod(copy_pod(*r.pod, r.node), r.node);
    else if (r.verb == Verb::kUpdateObject || r.verb == Verb::kCreateObject)
      out = cluster.put_object(r.kind, r.object);
    else if (r.verb == Verb::kDeleteObject &&
             cluster.view().objects().entry(r.kind, r.object_ns, r.name) != nullptr)
      out = cluster.remove_object(r.kind, r.object_ns, r.name);
    else if (r.verb == Verb::kDeletePod &&
             cluster.view().find_pod(r.pod->meta.ns, r.pod->meta.name) != kNoId)
      out = cluster.remove_pod(r.pod->meta.ns, r.pod->meta.name);
    if (!out.ok()) break;
  }
  {  // Not while plugins are notified: they may append requests.
    const std::lock_guard guard(mutex_);
    const size_t gone = std::min(done, requests_.size());
    requests_.erase(requests_.begin(), requests_.begin() + static_cast<std::ptrdiff_t>(gone));
  }
  if (done != 0) change.commit();
  return out;
}

}  // namespace libsched
