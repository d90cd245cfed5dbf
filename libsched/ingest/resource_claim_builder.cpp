// ResourceClaims and ResourceClaimTemplates: what they ask for. In v1beta1 the fields of `exactly`
// stand on the request itself.
#include "libsched/ingest/object_builder.hpp"

namespace libsched {
namespace {

constexpr KeyTable kObject("apiVersion", "kind", "metadata", "spec", "status");
constexpr KeyTable kTemplateSpec("metadata", "spec");
constexpr KeyTable kSpec("devices");
constexpr KeyTable kDevices("requests", "constraints", "config");
constexpr KeyTable kRequest("name", "exactly", "firstAvailable");
// Of all that ask for devices; alternatives know no adminAccess.
constexpr KeyTable kRequirement("name", "deviceClassName", "selectors", "allocationMode", "count",
                                "adminAccess", "tolerations", "capacity", "firstAvailable",
                                "derivedAttributes");
constexpr KeyTable kExactly("deviceClassName", "selectors", "allocationMode", "count",
                            "adminAccess", "tolerations", "capacity", "derivedAttributes");
constexpr KeyTable kAlternative("name", "deviceClassName", "selectors", "allocationMode", "count",
                                "tolerations", "capacity", "derivedAttributes");
constexpr KeyTable kCapacity("requests");
constexpr KeyTable kConstraint("requests", "matchAttribute", "distinctAttribute");
constexpr KeyTable kConfig("requests", "opaque");

bool is_flat(Str api_version) { return api_version == "resource.k8s.io/v1beta1"; }

bool asks(const DeviceRequirement& r) {
  return !r.device_class.empty() || r.selectors.data() != nullptr || !r.allocation_mode.empty() ||
         r.count != 0 || r.tolerations.data() != nullptr || r.has_capacity;
}

}  // namespace

// `field` is one of kRequirement.
bool ObjectBuilder::requirement_field(DeviceRequirement& r, int field) {
  switch (field) {
    case kRequirement["name"]: return string(r.name);
    case kRequirement["deviceClassName"]: return string(r.device_class);
    case kRequirement["selectors"]: return device_selectors(r.selectors);
    case kRequirement["allocationMode"]: return string(r.allocation_mode);
    case kRequirement["count"]: return int64(r.count);
    case kRequirement["adminAccess"]: return boolean(r.admin_access);
    case kRequirement["tolerations"]: return device_tolerations(r.tolerations);
    case kRequirement["derivedAttributes"]: return skip();
    default:
      r.has_capacity = !reader_.is_null();
      return object(kCapacity, [&](int) { return amount_list(r.capacity); });
  }
}

bool ObjectBuilder::device_requirement(DeviceRequirement& r, bool alternative) {
  const auto read = [&](const auto& table) {
    return object(table, [&](int field) {
      return requirement_field(r, kRequirement.find(table.names()[static_cast<size_t>(field)]));
    });
  };
  if (!(alternative ? read(kAlternative) : read(kExactly))) return false;
  if (options_.defaults) set_requirement_defaults(r);
  return true;
}

void ObjectBuilder::set_requirement_defaults(DeviceRequirement& r) {
  if (r.allocation_mode.empty()) r.allocation_mode = "ExactCount";
  if (r.allocation_mode == "ExactCount" && r.count == 0) r.count = 1;
}

bool ObjectBuilder::device_request(DeviceRequest& request, bool flat) {
  const auto alternatives = [&] {
    return list(request.first_available,
                [&](DeviceRequirement& r) { return device_requirement(r, /*alternative=*/true); });
  };
  if (!flat) {
    return object(kRequest, [&](int field) {
      switch (field) {
        case kRequest["name"]: return string(request.name);
        case kRequest["exactly"]:
          request.exact = !reader_.is_null();
          if (!request.exact) return null();
          return device_requirement(request.exactly, /*alternative=*/false);
        default: return alternatives();
      }
    });
  }
  bool admin = false;
  const bool ok = object(kRequirement, [&](int field) {
    if (field == kRequirement["name"]) return string(request.name);
    if (field == kRequirement["firstAvailable"]) return alternatives();
    if (field == kRequirement["adminAccess"]) admin = !reader_.is_null();
    return requirement_field(request.exactly, field);
  });
  if (options_.defaults && request.first_available.empty())
    set_requirement_defaults(request.exactly);
  request.exact = admin || asks(request.exactly);
  return ok;
}

bool ObjectBuilder::device_constraint(DeviceConstraint& c) {
  return object(kConstraint, [&](int field) {
    switch (field) {
      case kConstraint["requests"]: return string_list(c.requests);
      case kConstraint["matchAttribute"]: return optional_string(c.match_attribute);
      default: return optional_string(c.distinct_attribute);
    }
  });
}

bool ObjectBuilder::resource_claim_spec(ResourceClaimSpec& spec, bool flat) {
  return object(kSpec, [&](int) {
    return object(kDevices, [&](int field) {
      switch (field) {
        case kDevices["requests"]:
          return present_list(spec.requests, spec.requests_present,
                              [&](DeviceRequest& r) { return device_request(r, flat); });
        case kDevices["constraints"]:
          return list(spec.constraints, [&](DeviceConstraint& c) { return device_constraint(c); });
        default:
          return list(spec.config, [&](DeviceConfiguration& config) {
            return object(kConfig, [&](int part) {
              return part == kConfig["requests"] ? string_list(config.requests)
                                                 : opaque_configuration(config);
            });
          });
      }
    });
  });
}

bool ObjectBuilder::resource_claim(ResourceClaim& claim, const TypeNames& type) {
  finalizers_ = &claim.finalizers;
  return object(kObject, [&](int field) {
    switch (field) {
      case kObject["apiVersion"]: return type_field(type.api_version);
      case kObject["kind"]: return type_field(type.kind);
      case kObject["metadata"]: return metadata(claim.meta);
      case kObject["spec"]: return resource_claim_spec(claim.spec, is_flat(type.api_version));
      default: return resource_claim_status(claim);
    }
  });
}

bool ObjectBuilder::resource_claim_template(ResourceClaimTemplate& made, const TypeNames& type) {
  return object(kObject, [&](int field) {
    switch (field) {
      case kObject["apiVersion"]: return type_field(type.api_version);
      case kObject["kind"]: return type_field(type.kind);
      case kObject["metadata"]: return metadata(made.meta);
      case kObject["spec"]:
        return object(kTemplateSpec, [&](int part) {
          if (part == kTemplateSpec["spec"])
            return resource_claim_spec(made.spec, is_flat(type.api_version));
          // The claims' own annotations are kept.
          const bool kept = std::exchange(keep_annotations_, true);
          ObjectMeta claims;
          const bool ok = metadata(claims);
          keep_annotations_ = kept;
          made.claim_labels = claims.labels;
          made.claim_annotations = claims.annotations;
          return ok;
        });
      default: return skip();
    }
  });
}

}  // namespace libsched
