// ClaimApi: an API server that has nothing but ResourceClaims, and the scheduler's cache of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libsched/framework/api_client.hpp"
#include "libsched/objects/resource_claim.hpp"
#include "world.hpp"

namespace libsched::cycles {

// What PreBind and PostFilter write reaches the cluster at once, or with deliver() if plugins are
// just judging. Versions of claims are counted, and stale updates are conflicts.
class ClaimApi final : public ApiClient {
 public:
  explicit ClaimApi(Ref<Cluster> cluster) : cluster_(std::move(cluster)) {}

  // Gives all claims of the cluster their first version.
  void start();
  void deliver();
  // The claims that have changed since the last call, in the form of the oracle.
  Json changes();
  // The extendedResourceClaimStatus that was patched since the last call; null: none.
  Json take_extended() { return std::exchange(extended_, Json()); }
  // The nodeAllocatableResourceClaimStatuses that were patched since the last call; null: none.
  Json take_allocatable() { return std::exchange(allocatable_, Json()); }
  // The numbers of random identifiers of shares, in the order of their appearance.
  using Shares = std::map<std::string, std::string>;
  static Json allocation(const Json& status, Shares& shares);
  static Json document(const ResourceClaim& claim);

  Result<void> bind(const Pod&, Str) override { return {}; }
  Result<void> delete_pod(const Pod&) override { return {}; }
  Result<void> patch_pod_status(const Pod& pod, const PodStatusPatch& patch) override;
  Result<ResourceClaimRef> create_claim(const ResourceClaim& claim, Str generate_name) override;
  Result<void> delete_object(StoredKind kind, Str ns, Str name) override;
  Result<void> update_object(StoredKind kind, const ObjectRef& object, Str patch) override;
  void event(const Pod&, Str, Str, Str, Str) override {}
  bool keeps_events() const override { return false; }

 private:
  void put(const ResourceClaim& claim);

  Ref<Cluster> cluster_;
  std::map<std::string, ResourceClaimRef> claims_;
  std::vector<ResourceClaimRef> waiting_;
  std::vector<std::pair<std::string, std::string>> gone_;
  Json extended_, allocatable_;
  std::map<std::string, std::string> seen_;
  Shares shares_;
  int version_ = 1000;
};

}  // namespace libsched::cycles
