// The kinds of resource.k8s.io, as documents of version v1 (DeviceTaintRule: v1beta2).
#include "libsched/ingest/write/parts.hpp"
#include "libsched/objects/device_class.hpp"
#include "libsched/objects/resource_claim.hpp"
#include "libsched/objects/resource_slice.hpp"

namespace libsched {
namespace {

void write_amounts_if(JsonText& json, Str name, AmountList list) {
  if (list.empty()) return;
  json.object(name, [&] {
    for (const NamedAmount& item : list) json.field(item.name, item.amount.text());
  });
}

void write_selectors(JsonText& json, Span<DeviceSelector> selectors) {
  json.objects_if("selectors", selectors, [&](const DeviceSelector& s) {
    if (s.cel) json.object("cel", [&] { json.field("expression", s.expression); });
  });
}

void write_configurations(JsonText& json, Span<DeviceConfiguration> all) {
  json.objects_if("config", all, [&](const DeviceConfiguration& c) {
    json.field_if("source", c.source);
    json.strings_if("requests", c.requests);
    if (!c.opaque) return;
    json.object("opaque", [&] {
      json.field("driver", c.driver);
      if (c.parameters.empty()) return;
      json.key("parameters");
      json.raw(c.parameters);
    });
  });
}

void write_tolerations(JsonText& json, Span<DeviceToleration> tolerations) {
  json.objects_if("tolerations", tolerations, [&](const DeviceToleration& t) {
    json.field_if("key", t.key);
    json.field_if("operator", t.op);
    json.field_if("value", t.value);
    json.field_if("effect", t.effect);
    json.number_if("tolerationSeconds", t.seconds);
  });
}

void write_taint(JsonText& json, const DeviceTaint& t) {
  json.object([&] {
    json.field("key", t.key);
    json.field_if("value", t.value);
    json.field("effect", t.effect);
    write_time_if(json, "timeAdded", t.added);
  });
}

void write_requirement(JsonText& json, const DeviceRequirement& r) {
  json.field_if("name", r.name);
  json.field("deviceClassName", r.device_class);
  write_selectors(json, r.selectors);
  json.field_if("allocationMode", r.allocation_mode);
  json.number_if("count", r.count);
  json.true_if("adminAccess", r.admin_access);
  write_tolerations(json, r.tolerations);
  if (r.has_capacity)
    json.object("capacity", [&] { write_amounts_if(json, "requests", r.capacity); });
}

void write_claim_spec(JsonText& json, const ResourceClaimSpec& spec) {
  json.object("spec", [&] {
    json.object("devices", [&] {
      const auto request = [&](const DeviceRequest& r) {
        json.object([&] {
          json.field("name", r.name);
          if (r.exact) json.object("exactly", [&] { write_requirement(json, r.exactly); });
          json.objects_if("firstAvailable", r.first_available,
                          [&](const DeviceRequirement& a) { write_requirement(json, a); });
        });
      };
      if (spec.requests_present) json.list("requests", spec.requests, request);
      json.objects_if("constraints", spec.constraints, [&](const DeviceConstraint& c) {
        json.strings_if("requests", c.requests);
        json.field_if("matchAttribute", c.match_attribute);
        json.field_if("distinctAttribute", c.distinct_attribute);
      });
      write_configurations(json, spec.config);
    });
  });
}

void write_allocation(JsonText& json, const ClaimAllocation& allocation) {
  json.object("allocation", [&] {
    json.object("devices", [&] {
      json.objects_if("results", allocation.results, [&](const AllocatedDevice& d) {
        json.field("request", d.request);
        json.field("driver", d.driver);
        json.field("pool", d.pool);
        json.field("device", d.device);
        if (d.admin_access) {
          json.boolean("adminAccess", *d.admin_access);
        }
        write_tolerations(json, d.tolerations);
        json.strings_if("bindingConditions", d.binding_conditions);
        json.strings_if("bindingFailureConditions", d.binding_failure_conditions);
        json.field_if("shareID", d.share_id);
        write_amounts_if(json, "consumedCapacity", d.consumed_capacity);
        json.strings_if("skipNodeOperations", d.skip_node_operations);
      });
      write_configurations(json, allocation.config);
    });
    write_node_selector(json, "nodeSelector", allocation.node_selector);
    write_time_if(json, "allocationTimestamp", allocation.timestamp);
  });
}

void write_raw_if(JsonText& json, Str name, Str text) {
  if (text.empty()) return;
  json.key(name);
  json.raw(text);
}

void write_reserved_for_if(JsonText& json, const ResourceClaim& claim) {
  json.objects_if("reservedFor", claim.reserved_for, [&](const ClaimConsumer& c) {
    json.field_if("apiGroup", c.api_group);
    json.field("resource", c.resource);
    json.field("name", c.name);
    json.field("uid", c.uid);
  });
}

void write_status(JsonText& json, const ResourceClaim& claim) {
  json.object([&] {
    if (claim.allocation) write_allocation(json, *claim.allocation);
    write_reserved_for_if(json, claim);
    json.objects_if("devices", claim.devices, [&](const AllocatedDeviceStatus& d) {
      json.field("driver", d.driver);
      json.field("pool", d.pool);
      json.field("device", d.device);
      json.field_if("shareID", d.share_id);
      json.objects("conditions", d.conditions, [&](const AllocatedDeviceStatus::Condition& c) {
        json.field("type", c.type);
        json.field("status", c.status);
        json.number_if("observedGeneration", c.observed_generation);
        write_time_if(json, "lastTransitionTime", c.last_transition);
        json.field("reason", c.reason);
        json.field("message", c.message);
      });
      write_raw_if(json, "data", d.data);
      write_raw_if(json, "networkData", d.network_data);
    });
  });
}

void write_fields(JsonText& json, const ResourceClaim& claim) {
  write_claim_spec(json, claim.spec);
  json.key("status");
  write_status(json, claim);
}

void write_fields(JsonText& json, const ResourceClaimTemplate& made) {
  json.object("spec", [&] {
    json.object("metadata", [&] {
      if (!made.claim_labels.empty()) json.labels("labels", made.claim_labels);
      if (made.claim_annotations.empty()) return;
      json.object("annotations", [&] {
        for (const KeyValue& a : made.claim_annotations) json.field(a.key, a.value);
      });
    });
    write_claim_spec(json, made.spec);
  });
}

void write_counters(JsonText& json, Str set, const DeviceCounters& counters) {
  json.object([&] {
    json.field(set, counters.set);
    json.object("counters", [&] {
      for (const NamedQuantity& c : counters.counters)
        json.object(c.name, [&] { json.field("value", c.quantity.to_string()); });
    });
    json.strings_if("compatibilityGroups", counters.compatibility_groups);
  });
}

void write_attribute(JsonText& json, const DeviceAttribute& a) {
  json.object(a.name, [&] {
    json.number_if("int", a.number);
    if (a.boolean) {
      json.boolean("bool", *a.boolean);
    }
    json.field_if("string", a.text);
    json.field_if("version", a.version);
    if (a.numbers_present) json.list("ints", a.numbers, [&](int64_t n) { json.number(n); });
    if (a.booleans_present)
      json.list("bools", a.booleans, [&](int64_t b) { json.boolean(b != 0); });
    if (a.texts_present) json.list("strings", a.texts, [&](Str s) { json.string(s); });
    if (a.versions_present) json.list("versions", a.versions, [&](Str s) { json.string(s); });
  });
}

void write_capacity(JsonText& json, const DeviceCapacity& c) {
  const auto amount = [&](Str name, const std::optional<Amount>& a) {
    if (a) json.field(name, a->text());
  };
  json.object(c.name, [&] {
    json.field("value", c.value.written.empty() ? c.value.text() : std::string(c.value.written));
    if (!c.has_policy) return;
    json.object("requestPolicy", [&] {
      amount("default", c.policy.default_value);
      json.list_if("validValues", c.policy.valid_values,
                   [&](const Amount& a) { json.string(a.text()); });
      if (!c.policy.has_range) return;
      json.object("validRange", [&] {
        amount("min", c.policy.min);
        amount("max", c.policy.max);
        amount("step", c.policy.step);
      });
    });
  });
}

void write_allocatable_uses(JsonText& json, const Device& d) {
  const auto amount = [&](Str name, const std::optional<Amount>& a) {
    if (a) json.field(name, a->text());
  };
  if (!d.mappings.empty())
    json.object("nodeAllocatableResourceMappings", [&] {
      for (const AllocatableUse& use : d.mappings)
        json.object(use.resource, [&] {
          json.field_if("capacityKey", use.capacity);
          amount("allocationMultiplier", use.per_unit);
        });
    });
  if (d.allocatable.empty()) return;
  json.object("nodeAllocatableResources", [&] {
    for (const AllocatableUse& use : d.allocatable)
      json.object(use.resource, [&] {
        if (use.mapped)
          json.object("mapping", [&] {
            json.field_if("capacityKey", use.capacity);
            amount("capacityMultiplier", use.per_unit);
            amount("deviceMultiplier", use.per_device);
          });
        if (!use.per_pod && !use.per_container) return;
        json.object("overhead", [&] {
          amount("perPod", use.per_pod);
          amount("perContainer", use.per_container);
        });
      });
  });
}

void write_device(JsonText& json, const Device& d) {
  json.object([&] {
    json.field("name", d.name);
    if (!d.attributes.empty())
      json.object("attributes", [&] {
        for (const DeviceAttribute& a : d.attributes) write_attribute(json, a);
      });
    if (!d.capacity.empty())
      json.object("capacity", [&] {
        for (const DeviceCapacity& c : d.capacity) write_capacity(json, c);
      });
    json.list_if("consumesCounters", d.consumes,
                 [&](const DeviceCounters& c) { write_counters(json, "counterSet", c); });
    json.field_if("nodeName", d.node_name);
    write_node_selector(json, "nodeSelector", d.node_selector);
    json.true_if("allNodes", d.all_nodes);
    json.list_if("taints", d.taints, [&](const DeviceTaint& t) { write_taint(json, t); });
    json.true_if("bindsToNode", d.binds_to_node);
    json.strings_if("bindingConditions", d.binding_conditions);
    json.strings_if("bindingFailureConditions", d.binding_failure_conditions);
    json.true_if("allowMultipleAllocations", d.allow_multiple_allocations);
    write_allocatable_uses(json, d);
  });
}

void write_fields(JsonText& json, const ResourceSlice& slice) {
  json.object("spec", [&] {
    json.field("driver", slice.driver);
    json.object("pool", [&] {
      json.field("name", slice.pool);
      json.number("generation", slice.generation);
      json.number("resourceSliceCount", slice.slice_count);
    });
    json.field_if("nodeName", slice.node_name);
    write_node_selector(json, "nodeSelector", slice.node_selector);
    json.true_if("allNodes", slice.all_nodes);
    json.true_if("perDeviceNodeSelection", slice.per_device_node_selection);
    json.list_if("devices", slice.devices, [&](const Device& d) { write_device(json, d); });
    json.list_if("sharedCounters", slice.shared_counters,
                 [&](const DeviceCounters& c) { write_counters(json, "name", c); });
  });
}

void write_fields(JsonText& json, const DeviceTaintRule& rule) {
  json.object("spec", [&] {
    if (rule.has_selector)
      json.object("deviceSelector", [&] {
        json.field_if("driver", rule.driver);
        json.field_if("pool", rule.pool);
        json.field_if("device", rule.device);
      });
    json.key("taint");
    write_taint(json, rule.taint);
  });
}

void write_fields(JsonText& json, const DeviceClass& device_class) {
  json.object("spec", [&] {
    write_selectors(json, device_class.selectors);
    write_configurations(json, device_class.config);
    json.field_if("extendedResourceName", device_class.extended_resource_name);
  });
}

template <typename T>
void write_as(JsonText& json, const Object& object, Span<Str> finalizers = {},
              Str generate_name = {}) {
  constexpr StoredKind kKind = T::kStoredKind;
  json.object([&] {
    write_head(
        json,
        kKind == StoredKind::kDeviceTaintRule ? "resource.k8s.io/v1beta2" : "resource.k8s.io/v1",
        stored_kind_name(kKind), object.meta, {}, finalizers, generate_name);
    write_fields(json, static_cast<const T&>(object));
  });
}

}  // namespace

void write_resource_object(JsonText& json, StoredKind kind, const Object& o) {
  switch (kind) {
    case StoredKind::kResourceClaim:
      return write_as<ResourceClaim>(json, o, static_cast<const ResourceClaim&>(o).finalizers);
    case StoredKind::kResourceClaimTemplate: return write_as<ResourceClaimTemplate>(json, o);
    case StoredKind::kResourceSlice: return write_as<ResourceSlice>(json, o);
    case StoredKind::kDeviceTaintRule: return write_as<DeviceTaintRule>(json, o);
    default: return write_as<DeviceClass>(json, o);
  }
}

void write_new_claim(JsonText& json, const ResourceClaim& claim, Str generate_name) {
  write_as<ResourceClaim>(json, claim, claim.finalizers, generate_name);
}

void write_claim_status(JsonText& json, const ResourceClaim& claim) { write_status(json, claim); }

void write_allocation_or_null(JsonText& json, const ResourceClaim& claim) {
  if (claim.allocation) return write_allocation(json, *claim.allocation);
  json.key("allocation");
  json.null();
}

void write_reserved_for_or_null(JsonText& json, const ResourceClaim& claim) {
  if (!claim.reserved_for.empty()) return write_reserved_for_if(json, claim);
  json.key("reservedFor");
  json.null();
}

}  // namespace libsched
