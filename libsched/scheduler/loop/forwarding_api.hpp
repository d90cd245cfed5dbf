// ForwardingApi: an API client that hands every call on to another one.
#pragma once

#include <utility>

#include "libsched/framework/api_client.hpp"

namespace libsched {

// Nothing happens around a call.
struct Plainly {
  int enter() const { return 0; }
};

// What Around::enter() returns lives as long as a call. request() makes its call by the other
// functions.
template <typename Around = Plainly>
class ForwardingApi : public ApiClient {
 public:
  explicit ForwardingApi(Ref<ApiClient> api, Around around = {})
      : api_(std::move(api)), around_(std::move(around)) {}

  int64_t begin(const ApiRequest& request) override { return api_->begin(request); }
  bool may_wait() const override { return api_->may_wait(); }
  bool keeps_events() const override { return api_->keeps_events(); }
  bool unattended() const override { return api_->unattended(); }
  Result<void> bind(const Pod& pod, Str node) override {
    [[maybe_unused]] const auto inside = around_.enter();
    return api_->bind(pod, node);
  }
  Result<void> delete_pod(const Pod& pod) override {
    [[maybe_unused]] const auto inside = around_.enter();
    return api_->delete_pod(pod);
  }
  Result<void> patch_pod_status(const Pod& pod, const PodStatusPatch& patch) override {
    [[maybe_unused]] const auto inside = around_.enter();
    return api_->patch_pod_status(pod, patch);
  }
  Result<void> update_object(StoredKind kind, const ObjectRef& object, Str patch) override {
    [[maybe_unused]] const auto inside = around_.enter();
    return api_->update_object(kind, object, patch);
  }
  Result<Ref<const ResourceClaim>> create_claim(const ResourceClaim& claim,
                                                Str generate_name) override {
    [[maybe_unused]] const auto inside = around_.enter();
    return api_->create_claim(claim, generate_name);
  }
  Result<void> delete_object(StoredKind kind, Str ns, Str name) override {
    [[maybe_unused]] const auto inside = around_.enter();
    return api_->delete_object(kind, ns, name);
  }
  void event(const Pod& pod, Str type, Str reason, Str action, Str note) override {
    [[maybe_unused]] const auto inside = around_.enter();
    api_->event(pod, type, reason, action, note);
  }

 protected:
  ApiClient& api() { return *api_; }

 private:
  Ref<ApiClient> api_;
  Around around_;
};

}  // namespace libsched
