// ApiServer: an API server in memory, as far as a scheduler sees one: objects, watches, the
// subresources that a scheduler writes, graceful deletion, and faults.
//
// ResourceClaims have a uid, and a resourceVersion that rises with each change. A change of an
// older version, or of another uid, is refused as a conflict (kExists). One that is deleted stays
// until its last finalizer goes.
//
// Any thread may use it. Each change reaches all watches before the call returns, in the order of
// the changes. It is an ApiClient for a scheduler, and for other clients as well. A call that fails
// changes nothing, but the creation or update of many objects that runs out of memory may have done
// some of them. Errors have the API server's texts.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libsched/base/clock.hpp"
#include "libsched/base/mutex.hpp"
#include "libsched/framework/api_client.hpp"
#include "libsched/framework/time_source.hpp"
#include "libsched/framework/watch.hpp"
#include "libsched/objects/object_set.hpp"
#include "libsched/scheduler/api_memory/claim_controller.hpp"
#include "libsched/scheduler/api_memory/faults.hpp"
#include "libsched/scheduler/api_memory/store.hpp"
#include "libsched/scheduler/api_memory/volume_controller.hpp"

namespace libsched {

struct ApiServerOptions {
  // A deleted pod that has a node leaves so much later, and is terminating meanwhile. 0: at once.
  int64_t grace_ns = 0;
  bool keep_calls = false;   // for take_calls()
  bool keep_events = false;  // for take_events()
  RandomFaults faults;
  // A controller binds claims and makes volumes, while a scheduler on the server runs. Claims
  // without uid get one. Its actions are reported with the server's lock held.
  std::optional<VolumeOptions> volumes;
  // A controller takes ResourceClaims back once their pods are gone (claim_controller.hpp), while a
  // scheduler on the server runs.
  bool release_claims = false;
};

// A write call of a scheduler.
struct ApiCall {
  int64_t at_ns = 0;  // when it had its effect
  ApiVerb verb = ApiVerb::kBind;
  std::string key;       // "namespace/name", or the name of an object without namespace
  std::string node;      // kBind
  PodStatusPatch patch;  // kPatchPodStatus
  std::string error;     // "": it succeeded
};

// An event that was recorded about a pod, or by the volume controller about a claim.
struct ApiEvent {
  int64_t at_ns = 0;
  std::string key, type, reason, action, note;
  bool about_claim = false;
};

class ApiServer final : public ApiClient, public TimeSource {
 public:
  ApiServer(Ref<Clock> clock, const ApiServerOptions& options);
  ~ApiServer() override;
  const Ref<Clock>& clock() const { return clock_; }

  // The sink gets all present objects as added, then every change, until unwatch(). Not owned.
  void watch(WatchSink* sink);
  void unwatch(WatchSink* sink);

  // --- clients; errors: kExists, kNotFound ---
  Result<void> create(const ObjectSet& objects);  // all or none; workloads are left out
  Result<void> create(const PodRef& pod);
  Result<void> create(const NodeRef& node);
  Result<void> create(StoredKind kind, const ObjectRef& object);
  // Replaces objects by new versions. Of a set all or none; workloads are left out.
  Result<void> update(const ObjectSet& objects);
  Result<void> update(const PodRef& pod);
  Result<void> update(const NodeRef& node);
  Result<void> update(StoredKind kind, const ObjectRef& object);
  Result<void> remove_pod(Str ns, Str name);  // as delete_pod(), without faults
  Result<void> remove_node(Str name);
  Result<void> remove_object(StoredKind kind, Str ns, Str name);
  // Binds a pod as another scheduler would. Errors: those of bind().
  Result<void> assign(Str ns, Str name, Str node);
  // The pod has run to its end and is removed.
  Result<void> finish_pod(Str ns, Str name);

  // --- the scheduler's calls ---
  int64_t begin(const ApiRequest& request) override;
  bool may_wait() const override;
  // Errors: kNotFound; kExists: a conflict, as the Binding subresource has them (another uid, the
  // pod is being deleted or has a node already).
  Result<void> bind(const Pod& pod, Str node) override;
  Result<void> delete_pod(const Pod& pod) override;
  Result<void> patch_pod_status(const Pod& pod, const PodStatusPatch& patch) override;
  Result<void> update_object(StoredKind kind, const ObjectRef& object, Str patch) override;
  Result<Ref<const ResourceClaim>> create_claim(const ResourceClaim& claim,
                                                Str generate_name) override;
  Result<void> delete_object(StoredKind kind, Str ns, Str name) override;
  void event(const Pod& pod, Str type, Str reason, Str action, Str note) override;
  bool keeps_events() const override { return options_.keep_events; }

  // --- the ends of grace periods, and the controllers ---
  std::optional<int64_t> next_due() const override;
  bool run_due(int64_t now_ns) override;

  void add_fault(ApiFault fault);
  void clear_faults();
  // Since the last time.
  std::vector<ApiCall> take_calls();
  std::vector<ApiEvent> take_events();
  // For a caller that may fail to use them: copies, and taking away the first n.
  std::vector<ApiCall> calls() const;
  std::vector<ApiEvent> events() const;
  void drop_calls(size_t n);
  void drop_events(size_t n);

  PodRef pod(Str ns, Str name) const;  // null: there is none
  NodeRef node(Str name) const;        // likewise
  std::vector<PodRef> pods() const;    // in the order of their creation
  std::vector<NodeRef> nodes() const;
  ObjectRef object(StoredKind kind, Str ns, Str name) const;  // null: there is none
  uint64_t version() const;  // the number of changes: upstream's resourceVersion of the latest

 private:
  class Volumes;
  class Claims;
  struct Leaving {
    int64_t at_ns;
    std::string ns, name, uid;
  };
  using Verb = WatchEvent::Verb;

  Result<void> put(Verb verb, const ObjectSet& objects);
  // All with the lock held.
  Result<void> check(const ObjectSet& objects, bool there) const;
  void put_pod(Verb verb, const PodRef& pod);
  void put_node(Verb verb, const NodeRef& node);
  void put_object(Verb verb, StoredKind kind, const ObjectRef& object);
  std::string uid_of_claim(const Object* before);
  ObjectRef kept_object(StoredKind kind, const ObjectRef& given, const Object* before);
  void take_object(StoredKind kind, const ObjectRef& object);
  Result<void> may_update(StoredKind kind, const Object& given) const;
  Result<void> delete_object_now(StoredKind kind, Str ns, Str name);
  void take_pod(const Pod& pod);
  void tell(const WatchEvent& event);
  Result<const Pod*> known(Str ns, Str name) const;
  Result<void> bind_now(Str ns, Str name, Str uid, Str node);
  Result<void> delete_now(Str ns, Str name);
  // A call of the scheduler: its fault, else its effect, and its entry in the list.
  template <typename F>
  Result<void> serve(ApiCall call, const ObjectMeta& about, Str resource, F&& effect);

  const Ref<Clock> clock_;
  const ApiServerOptions options_;
  mutable Mutex mutex_;
  Store<Pod> pods_;
  Store<Node> nodes_;
  std::array<Store<Object>, kStoredKinds> objects_;
  std::vector<WatchSink*> sinks_;
  std::deque<Leaving> leaving_;  // in the order of their times
  Faults faults_;
  std::atomic<bool> faultless_;  // as Faults::none()
  std::vector<ApiCall> calls_;
  std::vector<ApiEvent> events_;
  uint64_t version_ = 0;
  uint64_t uids_ = 0;                 // given to claims
  std::unique_ptr<Volumes> volumes_;  // null: no controller
  std::unique_ptr<Claims> claims_;    // likewise
};

}  // namespace libsched
