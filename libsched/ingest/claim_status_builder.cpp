// The status of ResourceClaims: allocated devices, consumers, and what drivers report.
#include "libsched/ingest/object_builder.hpp"

namespace libsched {
namespace {

constexpr KeyTable kStatus("allocation", "reservedFor", "deallocationRequested", "devices");
constexpr KeyTable kAllocation("devices", "nodeSelector", "controller", "allocationTimestamp");
constexpr KeyTable kDevices("results", "config");
constexpr KeyTable kResult("request", "driver", "pool", "device", "adminAccess", "tolerations",
                           "bindingConditions", "bindingFailureConditions", "shareID",
                           "consumedCapacity", "skipNodeOperations");
constexpr KeyTable kConfig("source", "requests", "opaque");
constexpr KeyTable kConsumer("apiGroup", "resource", "name", "uid");
constexpr KeyTable kDeviceStatus("driver", "pool", "device", "shareID", "conditions", "data",
                                 "networkData");
constexpr KeyTable kCondition("type", "status", "observedGeneration", "lastTransitionTime",
                              "reason", "message");

}  // namespace

bool ObjectBuilder::allocated_device(AllocatedDevice& d) {
  return object(kResult, [&](int field) {
    switch (field) {
      case kResult["request"]: return string(d.request);
      case kResult["driver"]: return string(d.driver);
      case kResult["pool"]: return string(d.pool);
      case kResult["device"]: return string(d.device);
      case kResult["adminAccess"]: return optional_boolean(d.admin_access);
      case kResult["tolerations"]: return device_tolerations(d.tolerations);
      case kResult["bindingConditions"]: return string_list(d.binding_conditions);
      case kResult["bindingFailureConditions"]: return string_list(d.binding_failure_conditions);
      case kResult["shareID"]: return optional_string(d.share_id);
      case kResult["consumedCapacity"]: return amount_list(d.consumed_capacity);
      default: return string_list(d.skip_node_operations);
    }
  });
}

bool ObjectBuilder::claim_allocation(std::optional<ClaimAllocation>& out) {
  if (reader_.is_null()) return null();
  ClaimAllocation& allocation = out.emplace();
  return object(kAllocation, [&](int field) {
    switch (field) {
      case kAllocation["devices"]:
        return object(kDevices, [&](int part) {
          if (part == kDevices["results"])
            return list(allocation.results,
                        [&](AllocatedDevice& d) { return allocated_device(d); });
          return list(allocation.config, [&](DeviceConfiguration& config) {
            return object(kConfig, [&](int c) {
              if (c == kConfig["source"]) return string(config.source);
              return c == kConfig["requests"] ? string_list(config.requests)
                                              : opaque_configuration(config);
            });
          });
        });
      case kAllocation["nodeSelector"]: return node_selector(allocation.node_selector);
      case kAllocation["allocationTimestamp"]: return time(allocation.timestamp);
      default: return skip();
    }
  });
}

bool ObjectBuilder::allocated_device_status(AllocatedDeviceStatus& d) {
  return object(kDeviceStatus, [&](int field) {
    switch (field) {
      case kDeviceStatus["driver"]: return string(d.driver);
      case kDeviceStatus["pool"]: return string(d.pool);
      case kDeviceStatus["device"]: return string(d.device);
      case kDeviceStatus["shareID"]: return optional_string(d.share_id);
      case kDeviceStatus["data"]: return raw_json(d.data);
      case kDeviceStatus["networkData"]: return raw_json(d.network_data);
      default:
        return list(d.conditions, [&](AllocatedDeviceStatus::Condition& c) {
          return object(kCondition, [&](int part) {
            switch (part) {
              case kCondition["type"]: return string(c.type);
              case kCondition["status"]: return string(c.status);
              case kCondition["observedGeneration"]: return int64(c.observed_generation);
              case kCondition["lastTransitionTime"]: return time(c.last_transition);
              case kCondition["reason"]: return string(c.reason);
              default: return string(c.message);
            }
          });
        });
    }
  });
}

bool ObjectBuilder::resource_claim_status(ResourceClaim& claim) {
  return object(kStatus, [&](int field) {
    switch (field) {
      case kStatus["allocation"]: return claim_allocation(claim.allocation);
      case kStatus["reservedFor"]:
        return list(claim.reserved_for, [&](ClaimConsumer& consumer) {
          return object(kConsumer, [&](int part) {
            switch (part) {
              case kConsumer["apiGroup"]: return string(consumer.api_group);
              case kConsumer["resource"]: return string(consumer.resource);
              case kConsumer["name"]: return string(consumer.name);
              default: return string(consumer.uid);
            }
          });
        });
      case kStatus["devices"]:
        return list(claim.devices,
                    [&](AllocatedDeviceStatus& d) { return allocated_device_status(d); });
      default: return skip();
    }
  });
}

}  // namespace libsched
