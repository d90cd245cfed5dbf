// DynamicResources: a node must have, or be able to get, the devices of the pod's ResourceClaims.
// Mirrors upstream's plugins/dynamicresources.
#include <algorithm>

#include "libsched/base/quote.hpp"
#include "libsched/cluster/change_errors.hpp"
#include "libsched/config/deferred_resize.hpp"
#include "libsched/config/selector_options.hpp"
#include "libsched/framework/facts.hpp"
#include "libsched/objects/pod_parts.hpp"
#include "libsched/plugins/dynamicresources/claim_binding.hpp"
#include "libsched/plugins/dynamicresources/claim_writes.hpp"
#include "libsched/plugins/dynamicresources/pod_claims.hpp"
#include "libsched/plugins/hints.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/plugins/own_entry.hpp"
#include "libsched/plugins/signature/signature.hpp"

namespace libsched {
namespace {

struct Settings {
  bool enabled = true, extended_resources = true, prioritized_list = true;
  bool silent_post_filter = false;  // see Behaviours
  bool resizes = false;             // gate InPlacePodVerticalScalingSchedulerPreemption
  bool topology_aware = false;      // gate TopologyAwareWorkloadScheduling
  PodEvents pod_events{Behaviours()};
  ClaimOptions claims;
};

// Success if the class of a request exists.
Status check_class(const View& view, Str device_class, const std::string& request) {
  if (device_class.empty())
    return Status::from_error("request " + request + ": unsupported request type");
  if (view.objects().find<DeviceClass>(device_class) == nullptr)
    return Status::unresolvable("request " + request + ": device class " +
                                std::string(device_class) + " does not exist");
  return Status();
}

class DynamicResources final : public Plugin {
 public:
  explicit DynamicResources(const Settings& settings)
      : settings_(settings),
        states_(settings.claims.features, settings.claims.selectors.takes_lists(),
                [this] { return selectors(); }),
        programs_(settings.claims.selectors) {}

  bool may_hold_back(const Pod& pod) const override { return (pod.parts & pod_part::kClaims) != 0; }
  Status pre_enqueue(const Call& call, const Pod& pod) const override {
    if (!settings_.enabled || pod.spec.resource_claims.empty()) return {};
    const auto claims = claims_of(call.view, pod, settings_.claims.groups);
    return claims.ok() ? Status() : Status::unresolvable(claims.error().message);
  }

  bool passes_deferred_resizes() const override { return true; }

  Result<Status> pre_filter(const PreFilterCall& call, PreFilterResult*) const override {
    if (!settings_.enabled) return Status(Code::kSkip);
    const Pod& pod = call.pod;
    PendingClaims* const group = PendingClaims::of(call.state);
    Result<std::vector<ResourceClaimRef>> found =
        claims_of(call.view, pod, settings_.claims.groups);
    std::vector<ExtendedResource> resources;
    if (found.ok() && settings_.extended_resources && asks_scalars(pod.requests))
      resources = extended_resources_of(call.view, pod);
    if (found.ok() && found->empty() && resources.empty()) return Status(Code::kSkip);
    // PostFilter learns from this that PreFilter ran.
    const auto data = std::make_shared<ClaimsOfCycle>();
    data->view_version = call.view.version();
    *call.data = data;
    if (group != nullptr) group->put_pod(pod.meta.uid, data);
    if (!found.ok()) return Status::unresolvable(found.error().message);
    std::vector<PodGroupRef> groups;  // by entry of the pod
    if (settings_.claims.groups) {
      Result<std::vector<PodGroupRef>> all = groups_of_entries(
          call.view, pod, settings_.claims.features.behaviours.groups_of_snapshot);
      if (!all.ok()) return Status::unresolvable(all.error().message);
      groups = std::move(*all);
    }
    std::vector<ClaimData::Claim> claims;
    bool allocates = false;
    for (ResourceClaimRef& c : *found) {
      PendingClaimRef pending = group == nullptr ? nullptr : group->find(c->meta.uid);
      if (pending && c->in_flight) {
        const ObjectStore::Entry* const entry =
            call.view.objects().entry(StoredKind::kResourceClaim, c->meta.ns, c->meta.name);
        claims.push_back(
            {ResourceClaimRef::share(static_cast<const ResourceClaim*>(entry->api.get())),
             /*extended=*/false, std::move(pending)});
        allocates = true;
        continue;
      }
      if (Status s = check(call.view, *c, &allocates); !s.success()) return s;
      claims.push_back({std::move(c)});
    }
    if (!resources.empty()) {
      claims.push_back({extended_claim_of(call.view, pod), /*extended=*/true});
      const ResourceClaim& claim = *claims.back().object;
      if (claim.allocation) {
        const std::string error = node_selector_error(claim.allocation->node_selector);
        if (!error.empty()) return Status::from_error(error);
      }
      allocates |= !claim.allocation;
    }
    // Upstream counts claims as if each entry had one.
    for (size_t i = 0; i < claims.size() && i < groups.size(); ++i) claims[i].group = groups[i];
    data->data = std::make_shared<ClaimData>(
        PodRef::share(&pod), std::move(claims), std::move(resources),
        allocates || settings_.claims.allocatable.on ? states_.of(call.view) : nullptr, states_,
        settings_.claims, call.view);
    data->reserved = std::make_shared<ClaimReservation>();
    return Status();
  }

  // Without PreFilter's data nothing is known of the pod's claims.
  void filter(const FilterCall& call, const RowSet& set) const override {
    if (!settings_.enabled || (call.data == nullptr && skipped(call.state))) return;
    if (call.data == nullptr) {
      set.for_each([&](uint32_t row) { set.reject_with_error(row); });
      return;
    }
    const std::shared_ptr<ClaimData>& known = static_cast<const ClaimsOfCycle&>(*call.data).data;
    if (!known) return;  // PreFilter has rejected the pod
    const std::function<bool()> expired = [&] { return call.exceeded(); };
    ClaimData::Judge judge(*known, call.services.clock(), expired);
    set.for_each([&](uint32_t row) {
      if (call.exceeded()) return;
      switch (judge.of(call.node(row))) {
        case ClaimData::Answer::kUnknown:
        case ClaimData::Answer::kFits: return;
        case ClaimData::Answer::kImpossible:
        case ClaimData::Answer::kInvalidPools: return set.reject(row);
        case ClaimData::Answer::kOther: break;
      }
      judge.status_of(row).rejected() ? set.reject(row) : set.reject_with_error(row);
    });
  }

  void filter_status(const FilterCall& call, uint32_t row, Status* out) const override {
    if (call.data == nullptr) {
      *out = Status::from_error("not found");
      return;
    }
    ClaimData& data = *static_cast<const ClaimsOfCycle&>(*call.data).data;
    *out =
        data.verdict(call.node(row), call.services.clock(), [&] { return call.exceeded(); }).status;
  }

  bool explains_errors() const override { return true; }
  void pod_facts(const Call& call, const Pod& pod, const Status& status,
                 Facts* facts) const override {
    for (const std::string& reason : status.reasons) {
      if (status.rejected())
        for (const PodResourceClaim& entry : pod.spec.resource_claims)
          add_entry(call.view, pod, entry, &facts->add(reason));
      if (const auto claims = claims_of(call.view, pod, settings_.claims.groups); claims.ok())
        for (const ResourceClaimRef& claim : *claims) add_classes(call.view, *claim, reason, facts);
    }
  }

  void node_facts(const FilterCall& call, uint32_t row, const Status& status,
                  Facts* facts) const override {
    const auto* const claims = static_cast<const ClaimsOfCycle*>(call.data);
    if (claims == nullptr || !claims->data) return;
    ClaimData& data = *claims->data;
    const ClaimData::Verdict& verdict =
        data.verdict(call.node(row), call.services.clock(), [&] { return call.exceeded(); });
    if (status.code == Code::kError)
      data.explain_error(call.view, call.node(row), verdict, status.reasons[0], facts);
    else if (status.reasons == verdict.status.reasons)
      data.explain(
          call.view, call.node(row), call.services.clock(), verdict,
          [&] { return call.exceeded(); }, facts);
  }

  bool lists_gains() const override { return true; }
  void gain_facts(const FilterCall& call, uint32_t row, Facts* facts) const override {
    const auto* const claims = static_cast<const ClaimsOfCycle*>(call.data);
    if (claims == nullptr || !claims->data) return;
    if (const ClaimData::Verdict* verdict = claims->data->known(call.node(row)))
      claims->data->list_devices(*verdict, facts);
  }

  Status post_filter(const PostFilterCall& call, std::optional<Nomination>*) const override {
    if (call.question) return Status(Code::kSkip);
    if (settings_.resizes && resize_deferred(call.pod)) return Status(Code::kUnschedulable);
    if (!settings_.enabled) return nothing_to_do("plugin disabled");
    const ClaimsOfCycle* const claims = data_of(call.state);
    if (claims == nullptr && !skipped(call.state)) return Status::from_error("not found");
    if (claims == nullptr || !claims->data) return nothing_to_do("no new claims to deallocate");
    const std::optional<Status> freed = free_claims(call.services, call.pod, *claims);
    if (freed) return *freed;
    if (settings_.claims.groups && !settings_.claims.features.behaviours.groups_of_snapshot &&
        !call.pod.spec.scheduling_group.empty())
      if (Status s = unreserve_group(call, call.pod); !s.success()) return s;
    return nothing_to_do("still not schedulable");
  }
  // The same for each pod of the group, and for the group's own claims if a pod has none to free.
  Result<Status> pod_group_post_filter(const GroupPostFilterCall& call,
                                       std::vector<GroupNomination>*) const override {
    // Upstream does not do it for a group of groups, or one that has to be placed in one domain.
    if (!settings_.enabled || call.group.composite ||
        (settings_.topology_aware && !call.group.topology_key.empty()))
      return Status(Code::kUnschedulable);
    const PendingClaims* const cycle = PendingClaims::found(call.cycle);
    if (cycle == nullptr) return Status::from_error("not found");
    bool stuck = false;
    for (const PodRef& pod : call.pods) {
      const std::shared_ptr<PluginData> data = cycle->of_pod(pod->meta.uid);
      const auto* const claims = static_cast<const ClaimsOfCycle*>(data.get());
      if (claims == nullptr || !claims->data) continue;
      const std::optional<Status> freed = free_claims(call.services, *pod, *claims);
      if (freed && freed->code == Code::kError) return *freed;
      stuck |= !freed;
    }
    if (stuck && settings_.claims.groups)
      if (Status s = free_group_claims(call, *cycle); !s.success()) return s;
    return Status(Code::kUnschedulable, "deallocation and deletion of ResourceClaims completed");
  }
  // Gives up an allocation that no node can use. No value: the pod has none.
  std::optional<Status> free_claims(Services& services, const Pod& pod,
                                    const ClaimsOfCycle& cycle) const {
    // Upstream takes one of them by chance.
    for (const uint32_t i : cycle.data->unavailable()) {
      if (cycle.data->claims()[i].extended) continue;
      const ResourceClaim& claim = *cycle.data->claims()[i].object;
      const bool free = claim.reserved_for.empty() || (claim.reserved_for.size() == 1 &&
                                                       claim.reserved_for[0].uid == pod.meta.uid);
      if (free) return deallocate(services, claim);
    }
    // A claim of an earlier cycle cannot be allocated again.
    if (const ClaimData::Claim& last = cycle.data->claims().back();
        last.extended && last.object->meta.name != kExtendedClaimName) {
      Status deleted;
      services.tasks().outside_cycle([&] { deleted = delete_claim(services, *last.object).now(); });
      if (!deleted.success()) return deleted;
      return Status(Code::kUnschedulable, "deletion of ResourceClaim completed");
    }
    return std::nullopt;
  }

  // Gives up an allocation of the group that no node can use, or takes the group from those for
  // which one of its claims is reserved. Success: there is nothing to do.
  Status free_group_claims(const GroupPostFilterCall& call, const PendingClaims& cycle) const {
    const Str name = call.group.meta.name;
    if (call.services.pod_groups().state(call.view, call.group.meta.ns, name).scheduled > 0)
      return Status();
    for (const PodRef& pod : call.pods) {
      const std::shared_ptr<PluginData> data = cycle.of_pod(pod->meta.uid);
      const auto* const claims = static_cast<const ClaimsOfCycle*>(data.get());
      if (claims == nullptr || !claims->data) continue;
      for (const uint32_t i : claims->data->unavailable()) {
        const ResourceClaim& claim = *claims->data->claims()[i].object;
        const bool free =
            claim.reserved_for.empty() ||
            (claim.reserved_for.size() == 1 && claim.reserved_for[0].uid == call.group.meta.uid);
        if (!free) continue;
        Status done = deallocate(call.services, claim);
        if (done.code == Code::kError) return done;
        return Status(Code::kUnschedulable, "deallocation of PodGroup ResourceClaim completed");
      }
    }
    return unreserve_group(call, *call.pods[0]);
  }

  // Nodes that give the pod alternatives it prefers score higher.
  Scored score(const ScoreCall& call, const ScoreSet& set, int64_t* scores) const override {
    const auto* const claims = static_cast<const ClaimsOfCycle*>(call.filter_data);
    if (misses_allocations(claims)) {
      set.for_each([&](uint32_t row) {
        scores[row] = 0;  // where Filter has allocated nothing
        if (claims->data->judged(row)) set.fail(row);
      });
      return {};
    }
    if (!settings_.enabled || !settings_.prioritized_list) return {true, 0};
    if (claims == nullptr && left_out_of_pre_filter(call.state, *this)) {
      set.for_each([&](uint32_t row) { set.fail(row); });
      return {};
    }
    if (claims == nullptr || !claims->data || !claims->data->has_alternatives()) return {true, 0};
    // Claims that are all allocated count where their devices take something of the node.
    const bool allocates = claims->data->allocates();
    if (!allocates && !settings_.claims.allocatable.on) return {true, 0};
    set.for_each([&](uint32_t row) {
      scores[row] = allocates || claims->data->taken(row) ? claims->data->score(row) : 0;
    });
    return {};
  }
  Status score_status(const ScoreCall& call, uint32_t) const override {
    const auto* const claims = static_cast<const ClaimsOfCycle*>(call.filter_data);
    if (!misses_allocations(claims)) return Status::from_error("not found");
    return Status::from_error("number of allocations " +
                              std::to_string(claims->data->to_allocate_count()) +
                              " is smaller than number of claims");
  }
  bool normalizes() const override { return true; }
  Status normalize(const ScoreCall&, const ScoreSet& set, int64_t* scores) const override {
    if (settings_.enabled) default_normalize(set, false, scores);
    return {};
  }
  int64_t normalize_uniform(const ScoreCall&, int64_t score) const override {
    return settings_.enabled ? default_normalize_uniform(score, false) : score;
  }

  bool has_to_reserve(const PluginData* data) const override { return data != nullptr; }
  Status reserve(const ReserveCall& call) const override {
    const auto* const claims = static_cast<const ClaimsOfCycle*>(call.filter_data);
    if (settings_.enabled && claims == nullptr && left_out_of_pre_filter(call.state, *this))
      return Status::from_error("not found");
    if (claims == nullptr || !claims->data) return Status();
    return reserve_claims(call, *claims, settings_.claims);
  }
  Steps<> unreserve(const ReserveCall& call) const override {
    const auto* const claims = static_cast<const ClaimsOfCycle*>(call.filter_data);
    if (claims == nullptr || !claims->data) return {};
    return unreserve_claims(call, *claims);
  }

  Status pre_bind_pre_flight(const BindingCall& call, bool* allow_parallel) const override {
    *allow_parallel = true;
    if (!settings_.enabled || call.entry.skip_filter) return Status(Code::kSkip);
    return call.entry.data ? Status() : Status::from_error("not found");
  }
  Steps<Status> pre_bind(const BindingCall& call) const override {
    if (!settings_.enabled || call.entry.skip_filter) return Status();
    if (call.entry.data == nullptr) return Status::from_error("not found");
    const auto& claims = static_cast<const ClaimsOfCycle&>(*call.entry.data);
    if (!claims.data) return Status();
    return bind_claims(call, claims, settings_.claims);
  }

  // Pods with claims compete for devices, and their answers depend on time and on the nodes that
  // were asked before: they are never kept.
  Dependencies depends_on(const View& view, const Pod& pod) const override {
    if (!settings_.enabled) return {};
    if (!pod.spec.resource_claims.empty()) return Dependencies::everything();
    if (!settings_.extended_resources || !asks_scalars(pod.requests)) return {};
    if (!extended_resources_of(view, pod).empty()) return Dependencies::everything();
    return {.filter = {.any = object_changed(StoredKind::kDeviceClass)}, .score = {}};
  }

  bool signs() const override { return true; }
  Status sign(const View&, const Pod& pod, std::vector<SignFragment>*) const override {
    if (pod.spec.resource_claims.empty()) return {};
    return Status(Code::kUnschedulable, "pods with dra resource claims are not signable");
  }

  bool registers_events() const override { return true; }
  Result<std::vector<ClusterEventWithHint>> events_to_register() const override {
    return std::vector<ClusterEventWithHint>{
        always(kNodeEvents, kAdd | kUpdateNodeLabel | kUpdateNodeAllocatable),
        hinted(kResourceClaimEvents,
               settings_.pod_events.told_apart() ? kAdd | kUpdate | kDelete : kAdd | kUpdate),
        hinted(settings_.pod_events.own(), kUpdatePodGeneratedResourceClaim),
        always(kDeviceClassEvents, kAdd | kUpdate), always(kResourceSliceEvents, kAdd | kUpdate)};
  }
  Result<QueueingHint> hint(size_t index, const View& view, const Pod& pod,
                            const ObjectChange& change) const override {
    if (index != 1 && index != 2) return QueueingHint::kQueue;
    if (index == 1 && !change.after && change.before && settings_.pod_events.told_apart())
      return queue_if(object_of<ResourceClaim>(change.before)->allocation.has_value());
    if (!change.after) return no_object(change);
    if (index == 1) return hint_of_claim(view, pod, change);
    const Pod& after = *object_of<Pod>(change.after);
    return queue_if(settings_.pod_events.about(pod, after) &&
                    claims_of(view, after, settings_.claims.groups).ok());
  }

 private:
  // For Behaviours::score_needs_all_claims.
  bool misses_allocations(const ClaimsOfCycle* claims) const {
    return settings_.claims.features.behaviours.score_needs_all_claims && claims != nullptr &&
           claims->data && claims->data->allocates() && claims->data->has_allocated();
  }

  // Lets go of the claims of a group of which no pod has a node, so that other devices can be found
  // for them. Success: there is none.
  static Status unreserve_group(const Call& call, const Pod& pod) {
    const Str name = pod.spec.scheduling_group;
    if (call.services.pod_groups().state(call.view, pod.meta.ns, name).scheduled > 0)
      return Status();
    const auto* const group = call.view.objects().find<PodGroup>(pod.meta.ns, name);
    if (group == nullptr)
      return Status::from_error("podgroup.scheduling.k8s.io " + go_quote(name) + " not found");
    const Result<std::vector<ResourceClaimRef>> claims = claims_of_group(call.view, *group);
    if (!claims.ok()) return Status::from_error(claims.error().message);
    for (const ResourceClaimRef& claim : *claims) {
      if (!claim->allocation || !is_reserved(*claim, pod, true)) continue;
      Result<void> done = {};
      call.services.tasks().outside_cycle(
          [&] { done = release_consumer(call.services, *claim, group->meta.uid).now(); });
      if (done.ok()) return Status::unresolvable("ResourceClaim unreserved for PodGroup");
    }
    return Status();
  }

  Status nothing_to_do(const char* why) const {
    return settings_.silent_post_filter ? Status(Code::kUnschedulable)
                                        : Status(Code::kUnschedulable, why);
  }

  // Makes the programs of selectors, which share their memory.
  SelectorCompiler selectors() const {
    const auto scratch = std::make_shared<cel::Scratch>();
    return [this, scratch](Str expression) -> Result<DeviceMatcher> {
      Result<Ref<const cel::Program>> program = programs_.get(expression);
      if (!program.ok()) return program.error();
      if (settings_.claims.features.stable_allocator())  // it does not tell which are shared
        return DeviceMatcher([program = *program, scratch](cel::Device device) {
          device.allow_multiple_allocations = false;
          return program->match(device, *scratch);
        });
      return DeviceMatcher([program = *program, scratch](const cel::Device& device) {
        return program->match(device, *scratch);
      });
    };
  }

  // Whether the claim may be asked for; notes if it has to be allocated.
  Status check(const View& view, const ResourceClaim& claim, bool* allocates) const {
    const std::string key = object_key(claim.meta.ns, claim.meta.name);
    if (claim.in_flight)
      return Status::unresolvable("resource claim " + key +
                                  " is in the process of being allocated");
    if (claim.allocation) {
      const std::string error = node_selector_error(claim.allocation->node_selector);
      return error.empty() ? Status() : Status::from_error(error);
    }
    *allocates = true;
    for (const DeviceRequest& r : claim.spec.requests) {
      const std::string name(r.name);
      if (r.exact) {
        if (Status s = check_class(view, r.exactly.device_class, name); !s.success()) return s;
      } else if (!r.first_available.empty() && !settings_.prioritized_list) {
        return Status::unresolvable(
            "resource claim " + key + ", request " + name +
            ": has subrequests, but the DRAPrioritizedList feature is disabled");
      } else if (!r.first_available.empty()) {
        for (const DeviceRequirement& a : r.first_available)
          if (Status s = check_class(view, a.device_class, name + "/" + std::string(a.name));
              !s.success())
            return s;
      } else {
        return Status::unresolvable("resource claim " + key + ", request " + name +
                                    ": unknown request type");
      }
    }
    return Status();
  }

  static void add_entry(const View& view, const Pod& pod, const PodResourceClaim& entry,
                        Fact* fact) {
    fact->text("entry", entry.name);
    if (!entry.claim_name.empty()) {
      fact->key("resourceClaim", pod.meta.ns, entry.claim_name);
      fact->flag("exists",
                 view.objects().find<ResourceClaim>(pod.meta.ns, entry.claim_name) != nullptr);
    }
    if (!entry.template_name.empty()) fact->text("template", entry.template_name);
  }

  // The requests of a claim that waits for devices whose class is not named, or is not there.
  static void add_classes(const View& view, const ResourceClaim& claim, Str reason, Facts* facts) {
    if (claim.allocation) return;
    const auto add = [&](const DeviceRequirement& what, const std::string& request) {
      const bool named = !what.device_class.empty();
      if (named && view.objects().find<DeviceClass>(what.device_class) != nullptr) return;
      Fact& fact = facts->add(reason)
                       .key("resourceClaim", claim.meta.ns, claim.meta.name)
                       .text("request", request)
                       .text("problem", named ? "class missing" : "no class");
      if (named) fact.text("deviceClass", what.device_class);
    };
    for (const DeviceRequest& r : claim.spec.requests) {
      const std::string name(r.name);
      if (r.first_available.empty()) add(r.exactly, name);
      for (const DeviceRequirement& a : r.first_available) add(a, name + "/" + std::string(a.name));
    }
  }

  // A claim that lost its allocation may help any pod with claims, another change only its own.
  QueueingHint hint_of_claim(const View& view, const Pod& pod, const ObjectChange& change) const {
    const auto claims = claims_of(view, pod, settings_.claims.groups);
    if (!claims.ok()) return QueueingHint::kQueueSkip;
    const ResourceClaim& after = *object_of<ResourceClaim>(change.after);
    const ResourceClaim* const before =
        change.before ? object_of<ResourceClaim>(change.before) : nullptr;
    if (before != nullptr && before->allocation && !after.allocation) return QueueingHint::kQueue;
    for (const ResourceClaimRef& c : *claims)
      if (c->meta.uid == after.meta.uid && c->meta.name == after.meta.name)
        return queue_if(before == nullptr || !same_status(*before, after));
    return QueueingHint::kQueueSkip;
  }

  bool skipped(const CycleState& state) const {
    const CycleState::Entry* const entry = own_entry(state, *this);
    return entry != nullptr && entry->skip_filter;
  }
  const ClaimsOfCycle* data_of(const CycleState& state) const {
    const CycleState::Entry* const entry = own_entry(state, *this);
    return entry == nullptr ? nullptr : static_cast<const ClaimsOfCycle*>(entry->data.get());
  }

  Settings settings_;
  mutable DeviceStates states_;
  mutable cel::Programs programs_;
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_dynamic_resources(const FactoryCall& call) {
  const auto* const args =
      call.args == nullptr ? nullptr : std::get_if<DynamicResourcesArgs>(&call.args->value);
  const auto on = [&](Gate gate) { return call.gates.enabled(gate); };
  Settings s;
  s.enabled = on(Gate::kDynamicResourceAllocation);
  s.silent_post_filter = call.behaviours.silent_post_filter;
  s.resizes = call.gates.enabled(Gate::kInPlacePodVerticalScalingSchedulerPreemption);
  s.topology_aware = call.gates.enabled(Gate::kTopologyAwareWorkloadScheduling);
  s.pod_events = PodEvents(call.behaviours);
  s.extended_resources = on(Gate::kDRAExtendedResource);
  s.prioritized_list = on(Gate::kDRAPrioritizedList);
  DeviceFeatures& f = s.claims.features;
  f.admin_access = on(Gate::kDRAAdminAccess);
  f.prioritized_list = s.prioritized_list;
  f.partitionable = on(Gate::kDRAPartitionableDevices);
  f.taints = on(Gate::kDRADeviceTaints);
  f.taint_rules = on(Gate::kDRADeviceTaintRules);
  f.binding_conditions =
      on(Gate::kDRADeviceBindingConditions) && on(Gate::kDRAResourceClaimDeviceStatus);
  f.consumable_capacity = on(Gate::kDRAConsumableCapacity);
  f.fractional_ranges = on(Gate::kDRAFractionalCapacityRange);
  f.behaviours = call.behaviours;
  f.experimental_allocator =
      call.behaviours.device_status_allocator && on(Gate::kDRAResourceClaimDeviceStatus);
  constexpr int64_t kSecond = 1'000'000'000;
  s.claims.binding_timeout_ns = 600 * kSecond;
  if (args != nullptr && args->binding_timeout_ns)
    s.claims.binding_timeout_ns = *args->binding_timeout_ns;
  if (on(Gate::kDRASchedulerFilterTimeout))
    s.claims.filter_timeout_ns =
        args == nullptr ? 10 * kSecond : args->filter_timeout_ns.value_or(0);
  s.claims.groups = on(Gate::kDRAWorkloadResourceClaims);
  s.claims.allocatable = {on(Gate::kDRANodeAllocatableResources),
                          call.behaviours.allocatable_overheads, on(Gate::kPodLevelResources)};
  s.claims.selectors = selector_options(call.behaviours, on(Gate::kDRAListTypeAttributes));
  return std::unique_ptr<Plugin>(std::make_unique<DynamicResources>(s));
}

}  // namespace libsched
