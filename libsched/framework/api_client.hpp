// ApiClient: the interface for requests of plugins and the scheduler to the API server, and an
// implementation that only records the requests, for simulations and tests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libsched/base/mutex.hpp"
#include "libsched/base/ref.hpp"
#include "libsched/base/result.hpp"
#include "libsched/base/steps.hpp"
#include "libsched/cluster/cluster.hpp"
#include "libsched/cluster/object_store.hpp"
#include "libsched/objects/allocatable_claims.hpp"
#include "libsched/objects/pod.hpp"
#include "libsched/objects/resource_claim.hpp"

namespace libsched {

// A change of a pod's status; empty fields stay as they are.
struct PodStatusPatch {
  struct Condition {
    std::string type, status, reason, message;
  };
  std::vector<Condition> conditions;
  bool set_nominated_node = false;
  std::string nominated_node;
  // status.extendedResourceClaimStatus: which requests of a claim stand for extended resources.
  struct ExtendedClaim {
    struct Mapping {
      std::string container, resource, request;
    };
    std::string claim;
    std::vector<Mapping> mappings;
  };
  std::optional<ExtendedClaim> extended_claim;
  // status.nodeAllocatableResourceClaimStatuses; null: it stays as it is.
  Ref<const AllocatableClaimList> allocatable_claims;
};

// What has to be patched so that the pod has this condition: its type and the fields that differ.
// No value: the pod has it.
std::optional<PodStatusPatch::Condition> condition_change(const Pod& pod,
                                                          PodStatusPatch::Condition wanted);

enum class ApiVerb : uint8_t { kBind, kDeletePod, kPatchPodStatus, kUpdateObject };

class ApiClient;

// A call that is about to be made; it owns nothing.
struct ApiRequest {
  ApiVerb verb;
  const ObjectMeta& about;
  StoredKind kind{};                      // kUpdateObject
  Str node = {};                          // kBind
  const PodStatusPatch* patch = nullptr;  // kPatchPodStatus
  const Pod* pod = nullptr;               // requests about pods
  const ObjectRef* object = nullptr;      // kUpdateObject: as it will be; null: something else
  Str text = {};                          // the patch; or what the name of a new claim begins with
  const ResourceClaim* claim = nullptr;   // kUpdateObject: one to be created; null: a deletion
  Ref<const ResourceClaim>* created = nullptr;  // where it goes

  static ApiRequest bind(const Pod& pod, Str node);
  static ApiRequest delete_pod(const Pod& pod);
  static ApiRequest patch_pod_status(const Pod& pod, const PodStatusPatch& patch);
  static ApiRequest update_object(StoredKind kind, const ObjectRef& object, Str patch);
  static ApiRequest create_claim(const ResourceClaim& claim, Str generate_name,
                                 Ref<const ResourceClaim>* created);
  static ApiRequest delete_object(StoredKind kind, const ObjectMeta& about);

  // Makes the call.
  Result<void> make(ApiClient& client) const;
};

// Calls may come from any thread. An error's message becomes part of a status' reason.
class ApiClient : public RefCounted {
 public:
  // A scheduler on a virtual clock announces each call, on the thread that makes it, and lets the
  // returned time pass before it makes the call.
  virtual int64_t begin(const ApiRequest&) { return 0; }
  // Whether begin() may return a time: then the scheduler continues with other pods meanwhile.
  virtual bool may_wait() const { return false; }
  // Makes a call; a task is suspended while it waits for it. What the request names outlives that.
  virtual Steps<Result<void>> request(ApiRequest request) { return request.make(*this); }
  virtual Result<void> bind(const Pod& pod, Str node) = 0;
  virtual Result<void> delete_pod(const Pod& pod) = 0;
  virtual Result<void> patch_pod_status(const Pod& pod, const PodStatusPatch& patch) = 0;
  // `patch` is the change as a JSON merge patch, `object` the object with the patch applied.
  // ResourceClaims: a member "status" is a request to the subresource of that name, any other one
  // to the claim itself. An API server refuses the change of an older version (by resourceVersion)
  // with kExists, a conflict.
  virtual Result<void> update_object(StoredKind kind, const ObjectRef& object, Str patch) = 0;
  // Creates a ResourceClaim whose name begins with `generate_name`; the object's own name and uid
  // do not count. Returns the claim as created. Errors: kUnsupported (the client does not create).
  virtual Result<Ref<const ResourceClaim>> create_claim(const ResourceClaim& claim,
                                                        Str generate_name);
  // Errors: kNotFound; kUnsupported (the client does not delete).
  virtual Result<void> delete_object(StoredKind kind, Str ns, Str name);
  // Whether no controller acts on the requests. PreBind then does not wait but takes requests as
  // fulfilled.
  virtual bool unattended() const { return false; }
  // Records an event about the pod; this cannot fail.
  virtual void event(const Pod& pod, Str type, Str reason, Str action, Str note) = 0;
  // False: event() does nothing, and its texts need not be made.
  virtual bool keeps_events() const { return true; }
};

// Records requests in order. deliver() changes a cluster as the API server's answers would.
class MemoryApi final : public ApiClient {
 public:
  enum class Verb : uint8_t {
    kBind,
    kDeletePod,
    kPatchPodStatus,
    kUpdateObject,
    kEvent,
    kCreateObject,
    kDeleteObject
  };
  struct Request {
    Verb verb = Verb::kEvent;
    PodRef pod;        // null with requests about objects
    std::string node;  // kBind
    PodStatusPatch patch;
    StoredKind kind{};
    ObjectRef object;
    std::string object_patch;                // kUpdateObject
    std::string object_ns, name;             // kDeleteObject
    std::string type, reason, action, note;  // kEvent
  };

  Result<void> bind(const Pod& pod, Str node) override;
  Result<void> delete_pod(const Pod& pod) override;
  Result<void> patch_pod_status(const Pod& pod, const PodStatusPatch& patch) override;
  Result<void> update_object(StoredKind kind, const ObjectRef& object, Str patch) override;
  Result<Ref<const ResourceClaim>> create_claim(const ResourceClaim& claim,
                                                Str generate_name) override;
  Result<void> delete_object(StoredKind kind, Str ns, Str name) override;
  void event(const Pod& pod, Str type, Str reason, Str action, Str note) override;

  bool unattended() const override { return true; }

  std::vector<Request> requests() const;
  // Removes the requests and applies them: bound pods run on their nodes, deleted pods leave,
  // objects are replaced; events and status patches change nothing that a plugin reads. Stops at
  // the first error and keeps that request and those after it.
  Result<void> deliver(Cluster& cluster);
  void clear();

 private:
  void keep(Request request);

  mutable Mutex mutex_;
  std::vector<Request> requests_;
  uint64_t created_ = 0;  // claims
};

}  // namespace libsched
