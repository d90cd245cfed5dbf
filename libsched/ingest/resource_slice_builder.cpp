// ResourceSlices. In v1beta1 the fields of a device stand in `basic`.
#include "libsched/ingest/object_builder.hpp"

namespace libsched {
namespace {

constexpr KeyTable kObject("apiVersion", "kind", "metadata", "spec");
constexpr KeyTable kSpec("driver", "pool", "nodeName", "nodeSelector", "allNodes", "devices",
                         "perDeviceNodeSelection", "sharedCounters", "partitionTypeAttribute",
                         "skipNodeOperations");
constexpr KeyTable kPool("name", "generation", "resourceSliceCount");
// The name first, and the field of v1beta1 that holds the others.
constexpr KeyTable kDevice("name", "attributes", "capacity", "consumesCounters", "nodeName",
                           "nodeSelector", "allNodes", "taints", "bindsToNode", "bindingConditions",
                           "bindingFailureConditions", "allowMultipleAllocations",
                           "nodeAllocatableResourceMappings", "nodeAllocatableResources");
constexpr KeyTable kBasicDevice("name", "basic");
constexpr KeyTable kAttribute("int", "bool", "string", "version", "ints", "bools", "strings",
                              "versions");
constexpr KeyTable kCapacity("value", "requestPolicy");
constexpr KeyTable kPolicy("default", "validValues", "validRange");
constexpr KeyTable kRange("min", "max", "step");
constexpr KeyTable kConsumption("counterSet", "counters", "compatibilityGroups");
constexpr KeyTable kCounterSet("name", "counters");
constexpr KeyTable kCounter("value");
constexpr KeyTable kDeviceMapping("capacityKey", "allocationMultiplier");
constexpr KeyTable kAllocatable("mapping", "overhead");
constexpr KeyTable kMapping("capacityKey", "capacityMultiplier", "deviceMultiplier");
constexpr KeyTable kOverhead("perPod", "perContainer");

}  // namespace

bool ObjectBuilder::device_attribute(DeviceAttribute& a) {
  const auto booleans = [&] {
    a.booleans_present = !reader_.is_null();
    return list(a.booleans, [&](int64_t& value) {
      bool is_true = false;
      if (!boolean(is_true)) return false;
      value = is_true ? 1 : 0;
      return true;
    });
  };
  const auto texts = [&](Span<Str>& out, bool& present) {
    return present_list(out, present, [&](Str& s) { return string(s); });
  };
  return object(kAttribute, [&](int field) {
    switch (field) {
      case kAttribute["int"]:
        if (reader_.is_null()) return null();
        return int64(a.number.emplace());
      case kAttribute["bool"]: return optional_boolean(a.boolean);
      case kAttribute["string"]: return optional_string(a.text);
      case kAttribute["version"]: return optional_string(a.version);
      case kAttribute["ints"]:
        return present_list(a.numbers, a.numbers_present, [&](int64_t& n) { return int64(n); });
      case kAttribute["bools"]: return booleans();
      case kAttribute["strings"]: return texts(a.texts, a.texts_present);
      default: return texts(a.versions, a.versions_present);
    }
  });
}

bool ObjectBuilder::optional_amount(std::optional<Amount>& out) {
  if (reader_.is_null()) return null();
  Amount& amount = out.emplace();
  return quantity(amount, &amount.written);
}

bool ObjectBuilder::amount_list(AmountList& out) {
  return map(out, &NamedAmount::name,
             [&](NamedAmount& item) { return quantity(item.amount, &item.amount.written); });
}

bool ObjectBuilder::capacity_policy(DeviceCapacity& capacity) {
  CapacityPolicy& policy = capacity.policy;
  capacity.has_policy = !reader_.is_null();
  return object(kPolicy, [&](int field) {
    switch (field) {
      case kPolicy["default"]: return optional_amount(policy.default_value);
      case kPolicy["validValues"]:
        return list(policy.valid_values, [&](Amount& a) { return quantity(a, &a.written); });
      default:
        policy.has_range = !reader_.is_null();
        return object(kRange, [&](int part) {
          return optional_amount(part == kRange["min"]   ? policy.min
                                 : part == kRange["max"] ? policy.max
                                                         : policy.step);
        });
    }
  });
}

bool ObjectBuilder::device_capacity(DeviceCapacity& capacity) {
  return object(kCapacity, [&](int field) {
    return field == kCapacity["value"] ? quantity(capacity.value, &capacity.value.written)
                                       : capacity_policy(capacity);
  });
}

bool ObjectBuilder::device_counters(DeviceCounters& counters, bool consumed) {
  const auto read = [&](bool is_set) {
    if (is_set) return string(counters.set);
    return map(counters.counters, &NamedQuantity::name, [&](NamedQuantity& counter) {
      return object(kCounter, [&](int) { return quantity(counter.quantity); });
    });
  };
  if (consumed)
    return object(kConsumption, [&](int field) {
      if (field == kConsumption["compatibilityGroups"])
        return string_list(counters.compatibility_groups);
      return read(field == kConsumption["counterSet"]);
    });
  return object(kCounterSet, [&](int field) { return read(field == kCounterSet["name"]); });
}

bool ObjectBuilder::device_field(Device& device, int field) {
  switch (field) {
    case kDevice["name"]: return string(device.name);
    case kDevice["attributes"]:
      return map(device.attributes, &DeviceAttribute::name,
                 [&](DeviceAttribute& a) { return device_attribute(a); });
    case kDevice["capacity"]:
      return map(device.capacity, &DeviceCapacity::name,
                 [&](DeviceCapacity& c) { return device_capacity(c); });
    case kDevice["consumesCounters"]:
      return list(device.consumes,
                  [&](DeviceCounters& c) { return device_counters(c, /*consumed=*/true); });
    case kDevice["nodeName"]: return string(device.node_name);
    case kDevice["nodeSelector"]: return node_selector(device.node_selector);
    case kDevice["allNodes"]: return boolean(device.all_nodes);
    case kDevice["taints"]:
      return list(device.taints, [&](DeviceTaint& t) { return device_taint(t); });
    case kDevice["bindsToNode"]: return boolean(device.binds_to_node);
    case kDevice["bindingConditions"]: return string_list(device.binding_conditions);
    case kDevice["bindingFailureConditions"]: return string_list(device.binding_failure_conditions);
    case kDevice["allowMultipleAllocations"]: return boolean(device.allow_multiple_allocations);
    case kDevice["nodeAllocatableResourceMappings"]:
      return map(device.mappings, &AllocatableUse::resource,
                 [&](AllocatableUse& use) { return device_mapping(use); });
    default:
      return map(device.allocatable, &AllocatableUse::resource,
                 [&](AllocatableUse& use) { return device_allocatable(use); });
  }
}

bool ObjectBuilder::device_mapping(AllocatableUse& use) {
  use.mapped = true;
  const bool ok = object(kDeviceMapping, [&](int field) {
    return field == kDeviceMapping["capacityKey"] ? string(use.capacity)
                                                  : optional_amount(use.per_unit);
  });
  use.per_device = use.per_unit;
  return ok;
}

bool ObjectBuilder::device_allocatable(AllocatableUse& use) {
  return object(kAllocatable, [&](int field) {
    if (field == kAllocatable["overhead"])
      return object(kOverhead, [&](int part) {
        return optional_amount(part == kOverhead["perPod"] ? use.per_pod : use.per_container);
      });
    use.mapped = !reader_.is_null();
    return object(kMapping, [&](int part) {
      if (part == kMapping["capacityKey"]) return string(use.capacity);
      return optional_amount(part == kMapping["capacityMultiplier"] ? use.per_unit
                                                                    : use.per_device);
    });
  });
}

bool ObjectBuilder::device(Device& device, bool basic) {
  const auto fields = [&](int field) { return device_field(device, field); };
  if (!basic) return object(kDevice, fields);
  return object(kBasicDevice, [&](int field) {
    return field == kBasicDevice["name"] ? string(device.name) : object(kDevice, fields);
  });
}

bool ObjectBuilder::resource_slice_spec(ResourceSlice& slice, bool basic) {
  return object(kSpec, [&](int field) {
    switch (field) {
      case kSpec["driver"]: return string(slice.driver);
      case kSpec["pool"]:
        return object(kPool, [&](int part) {
          if (part == kPool["name"]) return string(slice.pool);
          return int64(part == kPool["generation"] ? slice.generation : slice.slice_count);
        });
      case kSpec["nodeName"]: return string(slice.node_name);
      case kSpec["nodeSelector"]: return node_selector(slice.node_selector);
      case kSpec["allNodes"]: return boolean(slice.all_nodes);
      case kSpec["devices"]:
        return list(slice.devices, [&](Device& d) { return device(d, basic); });
      case kSpec["perDeviceNodeSelection"]: return boolean(slice.per_device_node_selection);
      case kSpec["partitionTypeAttribute"]:
      case kSpec["skipNodeOperations"]: return skip();
      default:
        return list(slice.shared_counters,
                    [&](DeviceCounters& c) { return device_counters(c, /*consumed=*/false); });
    }
  });
}

bool ObjectBuilder::resource_slice(ResourceSlice& slice, const TypeNames& type) {
  return object(kObject, [&](int field) {
    switch (field) {
      case kObject["apiVersion"]: return type_field(type.api_version);
      case kObject["kind"]: return type_field(type.kind);
      case kObject["metadata"]: return metadata(slice.meta);
      default: return resource_slice_spec(slice, type.api_version == "resource.k8s.io/v1beta1");
    }
  });
}

}  // namespace libsched
