// A libsched_api_client as the framework's ApiClient.
#pragma once

#include "handles.hpp"

namespace libsched::capi {

// {"status": {"conditions": [...], "nominatedNodeName": ...}}: a strategic merge patch, in which
// null takes a nomination back.
std::string status_patch_json(const PodStatusPatch& patch);

// The client that options name: owns its user data from the first moment on, so that destroy() runs
// exactly once whatever happens.
class ApiOwner {
 public:
  explicit ApiOwner(const libsched_services_options* options) noexcept;
  ~ApiOwner();
  ApiOwner(const ApiOwner&) = delete;
  ApiOwner& operator=(const ApiOwner&) = delete;

  // Null if none was named. At most once.
  Result<Ref<ApiClient>> client();

 private:
  const libsched_api_client* given_ = nullptr;
  void (*destroy_)(void*) = nullptr;
  void* user_data_ = nullptr;
};

}  // namespace libsched::capi
