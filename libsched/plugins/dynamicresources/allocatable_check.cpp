// See allocatable_check.hpp.
#include "libsched/plugins/dynamicresources/allocatable_check.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "libsched/objects/pod_requests.hpp"
#include "libsched/objects/quantity_sums.hpp"

namespace libsched {
namespace {

bool is_huge_pages(Str resource) { return resource.starts_with("hugepages-"); }

Status unresolvable(std::string why) { return Status::unresolvable(std::move(why)); }

std::string insufficient(Str what, Str resource) {
  return "pod level " + std::string(what) + " for " + std::string(resource) +
         " is insufficient to cover ";
}

// Pod-level requests stand for those of all containers and of the devices.
Status check_requests(const Pod& pod, PodRequestOptions how) {
  for (const NamedQuantity& asked : pod.spec.pod_requests) {
    int64_t parts = 0, whole = 0;
    how.pod_level = false;
    pod_request_values(pod, how, {&asked.name, 1}, &parts);
    how.pod_level = true;
    pod_request_values(pod, how, {&asked.name, 1}, &whole);
    if (parts > whole)
      return unresolvable(insufficient("request", asked.name) +
                          "the aggregated container and node-allocatable DRA requests");
  }
  return Status();
}

// The sum of the containers' limits of a resource, as of requests.
Quantity total_limit(const Pod& pod, Str resource) {
  const auto limit = [&](const Container& c) {
    const Quantity* const q = find_quantity(c.limits, resource);
    return q == nullptr ? Quantity() : *q;
  };
  Quantity total, sidecars, needed;
  for (const Container& c : pod.spec.containers) total.add(limit(c));
  for (const Container& c : pod.spec.init_containers) {
    Quantity own = limit(c);
    own.add(sidecars);
    if (own.compare(needed) > 0) needed = own;
    if (!c.always_restarts) continue;
    total.add(limit(c));
    sidecars.add(limit(c));
  }
  return needed.compare(total) > 0 ? needed : total;
}

// A pod-level limit of huge pages covers all containers, another one each container by itself, both
// with what devices take.
Status check_limits(const Pod& pod, const std::vector<ClaimTake>& takes,
                    Span<AllocatableClaim> taken) {
  for (const NamedQuantity& allowed : pod.spec.pod_limits) {
    if (!is_huge_pages(allowed.name)) continue;
    Quantity total = total_limit(pod, allowed.name);
    for (const AllocatableClaim& c : taken)
      for (const NamedQuantity& q : c.mapped)
        if (q.name == allowed.name) total.add(q.quantity);
    if (total.compare(allowed.quantity) > 0)
      return unresolvable(insufficient("limit", allowed.name) +
                          "the aggregated container and node-allocatable DRA limits");
  }
  for (const Container& c : pod.spec.containers)
    for (const NamedQuantity& limit : c.limits) {
      const Quantity* const allowed = find_quantity(pod.spec.pod_limits, limit.name);
      if (allowed == nullptr || is_huge_pages(limit.name)) continue;
      Quantity total = limit.quantity;
      for (const ClaimTake& take : takes)
        if (std::find(take.containers.begin(), take.containers.end(), c.name) !=
            take.containers.end())
          total.add(take.of_container(limit.name));
      if (total.compare(*allowed) > 0)
        return unresolvable(insufficient("limit", limit.name) +
                            "the limit and DRA overhead for container " + std::string(c.name));
    }
  return Status();
}

Status check_room(const Resources& needed, const NodeView& node) {
  Status out;
  const auto check = [&](Str resource, int64_t amount) {
    if (amount <= node.left(resource)) return;
    const bool never = amount > node.allocatable(resource);
    if (out.reasons.empty()) out.code = Code::kUnschedulable;
    if (never) out.code = Code::kUnschedulableAndUnresolvable;
    out.reasons.push_back("Insufficient " + std::string(resource));
  };
  if (needed.milli_cpu > 0) check("cpu", needed.milli_cpu);
  if (needed.memory > 0) check("memory", needed.memory);
  if (needed.ephemeral_storage > 0) check("ephemeral-storage", needed.ephemeral_storage);
  for (const ScalarAmount& s : needed.scalars)
    if (is_huge_pages(s.name)) check(s.name, s.value);
  return out;
}

}  // namespace

Status check_takes(const Pod& pod, const std::vector<ClaimTake>& takes,
                   Span<AllocatableClaim> taken, const NodeView& node,
                   const AllocatableRules& rules) {
  if (!rules.overheads)
    for (const ClaimTake& take : takes)
      if (take.containers.empty())
        return unresolvable("claim " + std::string(take.claim->meta.name) +
                            ": node-allocatable resource claim not referenced by any container "
                            "within the pod");
  const Ref<Pod> copy = copy_pod(pod, pod.spec.node_name);
  copy->status.allocatable_claims = taken;
  const PodRequestOptions how{
      .pod_level = rules.pod_level,
      .allocatable = rules.overheads ? AllocatableClaims::kMapped : AllocatableClaims::kResources};
  const bool nothing = rules.overheads && takes.empty();
  if (rules.pod_level && pod.spec.resources_present && !nothing) {
    if (Status s = check_requests(*copy, how); !s.success()) return s;
    if (rules.overheads)
      if (Status s = check_limits(pod, takes, taken); !s.success()) return s;
  }
  return check_room(pod_requests(*copy, how, copy->arena), node);
}

Status check_sharing(const Pod& pod, const ResourceClaim& claim, const NodeView& node) {
  std::set<Str> users;
  for (size_t i = 0; i < node.pod_count(); ++i) {
    const Pod& other = node.pod(i);
    if (other.meta.ns != pod.meta.ns) continue;
    for (const AllocatableClaim& c : other.status.allocatable_claims)
      if (c.claim == claim.meta.name) users.insert(other.meta.uid);
  }
  const std::string what = "node allocatable resource claim " + std::string(claim.meta.name);
  if (users.size() > 1) return unresolvable(what + " shared by multiple pods");
  if (users.size() == 1 && !users.contains(pod.meta.uid))
    return unresolvable(what + " is already used by another pod");
  return Status();
}

bool has_mapped_device(const ClaimAllocation& allocation, const AllocatedDevices& devices) {
  return std::any_of(allocation.results.begin(), allocation.results.end(),
                     [&](const AllocatedDevice& d) {
                       const Device* const found = devices.find(d);
                       return found != nullptr &&
                              std::any_of(found->allocatable.begin(), found->allocatable.end(),
                                          [](const AllocatableUse& use) { return use.mapped; });
                     });
}

}  // namespace libsched
