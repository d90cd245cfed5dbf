// ObservedApi: the scheduler's API client in a simulation. It forwards to the API server and
// records bindings and preemptions. Events are not kept.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "libsched/framework/api_client.hpp"

namespace libsched {

class ObservedApi final : public ApiClient {
 public:
  // Both are called after the API server has accepted the call, on the thread that makes it.
  using Bound = std::function<void(const Pod&, Str node)>;
  // `by` is the preemptor's uid.
  using Preempted = std::function<void(const Pod& victim, Str by)>;

  // `unattended`: no controller binds volumes.
  ObservedApi(Ref<ApiClient> api, bool unattended, Bound bound, Preempted preempted)
      : api_(std::move(api)),
        unattended_(unattended),
        bound_(std::move(bound)),
        preempted_(std::move(preempted)) {}

  int64_t begin(const ApiRequest& request) override { return api_->begin(request); }
  bool may_wait() const override { return api_->may_wait(); }
  bool unattended() const override { return unattended_; }
  Result<void> bind(const Pod& pod, Str node) override {
    LIBSCHED_TRY(api_->bind(pod, node));
    bound_(pod, node);
    return {};
  }
  Result<void> delete_pod(const Pod& pod) override { return api_->delete_pod(pod); }
  Result<void> patch_pod_status(const Pod& pod, const PodStatusPatch& patch) override {
    return api_->patch_pod_status(pod, patch);
  }
  Result<void> update_object(StoredKind kind, const ObjectRef& object, Str patch) override {
    return api_->update_object(kind, object, patch);
  }
  Result<Ref<const ResourceClaim>> create_claim(const ResourceClaim& claim,
                                                Str generate_name) override {
    return api_->create_claim(claim, generate_name);
  }
  Result<void> delete_object(StoredKind kind, Str ns, Str name) override {
    return api_->delete_object(kind, ns, name);
  }
  void event(const Pod& pod, Str, Str reason, Str, Str note) override {
    // DefaultPreemption's event about a victim that it has deleted. A victim that was only assumed
    // goes back to the queue: that is said in brackets at the end.
    constexpr Str kBegin = "Preempted by pod ", kEnd = " on node ";
    if (reason != "Preempted" || !note.starts_with(kBegin) || note.ends_with(").")) return;
    const Str by = note.substr(kBegin.size());
    preempted_(pod, by.substr(0, by.find(kEnd)));
  }

 private:
  Ref<ApiClient> api_;
  bool unattended_;
  Bound bound_;
  Preempted preempted_;
};

}  // namespace libsched
