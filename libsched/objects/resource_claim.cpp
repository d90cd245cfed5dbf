// ResourceClaims: copies that can be changed.
#include "libsched/objects/resource_claim.hpp"

#include <vector>

namespace libsched {
namespace {

// Copies parts of claims into an arena.
class Copier {
 public:
  explicit Copier(Arena& arena) : arena_(arena) {}

  template <typename... T>
  void all(T&... parts) const {
    (own(parts), ...);
  }

  void own(Str& s) const { s = arena_.copy(s); }
  void own(std::optional<Str>& s) const {
    if (s) own(*s);
  }
  void own(Label& l) const { all(l.key, l.value); }
  void own(KeyValue& a) const { all(a.key, a.value); }
  void own(OwnerReference& o) const { all(o.api_version, o.kind, o.name, o.uid); }
  void own(NamedAmount& a) const { all(a.name, a.amount.written); }
  void own(DeviceSelector& s) const { own(s.expression); }
  void own(DeviceToleration& t) const { all(t.key, t.op, t.value, t.effect); }
  void own(DeviceRequirement& r) const {
    all(r.name, r.device_class, r.selectors, r.allocation_mode);
    all(r.tolerations, r.capacity);
  }
  void own(DeviceRequest& r) const { all(r.name, r.exactly, r.first_available); }
  void own(DeviceConstraint& c) const { all(c.requests, c.match_attribute, c.distinct_attribute); }
  void own(DeviceConfiguration& c) const { all(c.source, c.requests, c.driver, c.parameters); }
  void own(AllocatedDevice& d) const {
    all(d.request, d.driver, d.pool, d.device, d.tolerations);
    all(d.binding_conditions, d.binding_failure_conditions, d.share_id);
    all(d.consumed_capacity, d.skip_node_operations);
  }
  void own(Requirement& r) const { all(r.key, r.op_text, r.values); }
  void own(NodeSelectorTerm& t) const { all(t.match_expressions, t.match_fields); }
  void own(ClaimAllocation& a) const { all(a.results, a.config, a.node_selector.terms); }
  void own(ClaimConsumer& c) const { all(c.api_group, c.resource, c.name, c.uid); }
  void own(AllocatedDeviceStatus::Condition& c) const {
    all(c.type, c.status, c.reason, c.message);
  }
  void own(AllocatedDeviceStatus& d) const {
    all(d.driver, d.pool, d.device, d.share_id, d.conditions, d.data);
    all(d.network_data);
  }

  // An empty list stays as it is: whether it has an address tells what the document has.
  template <typename T>
  void own(Span<T>& list) const {
    if (list.empty()) return;
    std::vector<T> copies(list.begin(), list.end());
    for (T& one : copies) own(one);
    list = arena_.copy(copies);
  }

 private:
  Arena& arena_;
};

}  // namespace

ClaimAllocation copy_allocation(const ClaimAllocation& allocation, Arena& arena) {
  ClaimAllocation copy = allocation;
  Copier(arena).own(copy);
  return copy;
}

std::string assumed_extended_name(Str pod) {
  return std::string(kExtendedClaimName) + " of " + std::string(pod);
}

bool is_extended_claim_of(const ResourceClaim& claim, Str pod_name, Str pod_uid) {
  const Str* const marked = find_annotation(claim.meta, kExtendedClaimAnnotation);
  if (marked == nullptr || *marked != "true") return false;
  for (const OwnerReference& o : claim.meta.owners)
    if (o.controller && o.name == pod_name && o.uid == pod_uid) return true;
  return false;
}

void name_claim(ResourceClaim& claim, Str name) {
  claim.meta.name = claim.arena.copy(name);
  claim.meta.key_hash = object_key_hash(claim.meta.ns, claim.meta.name);
  claim.meta.uid =
      claim.arena.copy("ResourceClaim/" + std::string(claim.meta.ns) + "/" + std::string(name));
  claim.meta.resource_version = {};
}

Ref<ResourceClaim> copy_resource_claim(const ResourceClaim& claim) {
  Ref<ResourceClaim> copy = make_ref<ResourceClaim>();
  const Copier copier(copy->arena);
  ObjectMeta& meta = copy->meta;
  meta = claim.meta;
  for (Str* s : {&meta.name, &meta.ns, &meta.uid, &meta.resource_version}) copier.own(*s);
  copier.own(meta.labels);
  copier.own(meta.annotations);
  copier.own(meta.owners);
  copy->finalizers = claim.finalizers;
  copier.own(copy->finalizers);
  copy->spec = claim.spec;
  copier.own(copy->spec.requests);
  copier.own(copy->spec.constraints);
  copier.own(copy->spec.config);
  copy->allocation = claim.allocation;
  if (copy->allocation) copier.own(*copy->allocation);
  copy->reserved_for = claim.reserved_for;
  copier.own(copy->reserved_for);
  copy->devices = claim.devices;
  copier.own(copy->devices);
  copy->in_flight = claim.in_flight;
  return copy;
}

}  // namespace libsched
