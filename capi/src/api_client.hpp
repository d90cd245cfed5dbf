// A libsched_api_client as the framework's ApiClient.
#pragma once

#include "handles.hpp"

namespace libsched::capi {

// {"status": {"conditions": [...], "nominatedNodeName": ...}}: a strategic merge patch, in which
// null removes a nomination.
std::string status_patch_json(const PodStatusPatch& patch);

// The client that options name. Owns its user data from the start, so that destroy() runs exactly
// once on every path.
class ApiOwner {
 public:
  explicit ApiOwner(const libsched_services_options* options) noexcept;
  ~ApiOwner();
  ApiOwner(const ApiOwner&) = delete;
  ApiOwner& operator=(const ApiOwner&) = delete;

  // Returns null if the options name no client. Call it at most once.
  Result<Ref<ApiClient>> client();

 private:
  const libsched_api_client* given_ = nullptr;
  void (*destroy_)(void*) = nullptr;
  void* user_data_ = nullptr;
};

}  // namespace libsched::capi
