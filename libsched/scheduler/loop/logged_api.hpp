// LoggedApi: the API client of a scheduler that logs. It hands every request on, and plugins find
// the log by it.
#pragma once

#include "libsched/framework/api_client.hpp"
#include "libsched/framework/log.hpp"

namespace libsched {

class LoggedApi final : public ApiClient, public Logging {
 public:
  LoggedApi(Ref<ApiClient> api, Log log) : api_(std::move(api)), log_(log) {}

  // The logger goes away.
  void end() { log_ = {}; }

  Log log() const override { return log_; }
  int64_t begin(const ApiRequest& request) override { return api_->begin(request); }
  bool may_wait() const override { return api_->may_wait(); }
  bool keeps_events() const override { return api_->keeps_events(); }
  bool unattended() const override { return api_->unattended(); }
  Steps<Result<void>> request(ApiRequest request) override { return api_->request(request); }
  Result<void> bind(const Pod& pod, Str node) override { return api_->bind(pod, node); }
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
  void event(const Pod& pod, Str type, Str reason, Str action, Str note) override {
    api_->event(pod, type, reason, action, note);
  }

 private:
  Ref<ApiClient> api_;
  Log log_;
};

}  // namespace libsched
