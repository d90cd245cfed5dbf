// TurningApi: an API client for the tasks of a scheduler. In virtual time its calls wait for their
// turn, so that they reach the API server in an order that does not depend on chance. On another
// clock they give the scheduler's baton up, so that they overlap.
#pragma once

#include "libsched/base/clock.hpp"
#include "libsched/framework/api_client.hpp"
#include "libsched/framework/tasks.hpp"
#include "libsched/scheduler/baton.hpp"

namespace libsched {

// Each call takes a turn before its effect and another before it returns: by then the scheduler has
// seen what the call has caused.
class TurningApi final : public ApiClient {
 public:
  // `baton` belongs to the tasks, and is null in virtual time.
  TurningApi(Ref<ApiClient> api, Ref<Tasks> tasks, Ref<Clock> clock, Baton* baton)
      : api_(std::move(api)), tasks_(std::move(tasks)), clock_(std::move(clock)), baton_(baton) {}

  int64_t begin(const ApiRequest& request) override { return api_->begin(request); }
  bool may_wait() const override { return api_->may_wait(); }
  bool unattended() const override { return api_->unattended(); }
  Steps<Result<void>> request(ApiRequest request) override;
  // The same, for callers that wait for the result.
  Result<void> bind(const Pod& pod, Str node) override {
    return request(ApiRequest::bind(pod, node)).now();
  }
  Result<void> delete_pod(const Pod& pod) override {
    return request(ApiRequest::delete_pod(pod)).now();
  }
  Result<void> patch_pod_status(const Pod& pod, const PodStatusPatch& patch) override {
    return request(ApiRequest::patch_pod_status(pod, patch)).now();
  }
  Result<void> update_object(StoredKind kind, const ObjectRef& object, Str patch) override {
    return request(ApiRequest::update_object(kind, object, patch)).now();
  }
  Result<Ref<const ResourceClaim>> create_claim(const ResourceClaim& claim,
                                                Str generate_name) override;
  Result<void> delete_object(StoredKind kind, Str ns, Str name) override;
  bool keeps_events() const override { return api_->keeps_events(); }
  void event(const Pod& pod, Str type, Str reason, Str action, Str note) override {
    const Baton::Away away(baton_);
    api_->event(pod, type, reason, action, note);
  }

 private:
  Ref<ApiClient> api_;
  Ref<Tasks> tasks_;
  Ref<Clock> clock_;
  Baton* baton_;
};

}  // namespace libsched
