// RuntimeClasses and LimitRanges.
#include "libsched/ingest/object_builder.hpp"

namespace libsched {
namespace {

constexpr KeyTable kRuntimeClass("apiVersion", "kind", "metadata", "handler", "overhead",
                                 "scheduling");
constexpr KeyTable kAlphaClass("apiVersion", "kind", "metadata", "spec");
constexpr KeyTable kAlphaSpec("runtimeHandler", "overhead", "scheduling");
constexpr KeyTable kOverhead("podFixed");
constexpr KeyTable kScheduling("nodeSelector", "tolerations");
constexpr KeyTable kLimitRange("apiVersion", "kind", "metadata", "spec");
constexpr KeyTable kLimits("limits");
constexpr KeyTable kItem("type", "max", "min", "default", "defaultRequest", "maxLimitRequestRatio");

}  // namespace

// `field` is one of kRuntimeClass.
bool ObjectBuilder::runtime_class_field(RuntimeClass& made, int field) {
  switch (field) {
    case kRuntimeClass["handler"]: return string(made.handler);
    case kRuntimeClass["overhead"]:
      made.has_overhead = !reader_.is_null();
      return object(kOverhead, [&](int) { return resource_list(made.overhead); });
    case kRuntimeClass["scheduling"]:
      made.has_scheduling = !reader_.is_null();
      return object(kScheduling, [&](int part) {
        if (part == kScheduling["nodeSelector"]) return labels(made.node_selector);
        return list(made.tolerations, [&](Toleration& t) { return toleration(t); });
      });
    default: return skip();
  }
}

bool ObjectBuilder::runtime_class(RuntimeClass& made, const TypeNames& type) {
  if (!type.api_version.ends_with("/v1alpha1"))
    return object(kRuntimeClass, [&](int field) {
      switch (field) {
        case kRuntimeClass["apiVersion"]: return type_field(type.api_version);
        case kRuntimeClass["kind"]: return type_field(type.kind);
        case kRuntimeClass["metadata"]: return metadata(made.meta);
        default: return runtime_class_field(made, field);
      }
    });
  return object(kAlphaClass, [&](int field) {
    switch (field) {
      case kAlphaClass["apiVersion"]: return type_field(type.api_version);
      case kAlphaClass["kind"]: return type_field(type.kind);
      case kAlphaClass["metadata"]: return metadata(made.meta);
      default:
        return object(kAlphaSpec, [&](int part) {
          switch (part) {
            case kAlphaSpec["overhead"]:
              return runtime_class_field(made, kRuntimeClass["overhead"]);
            case kAlphaSpec["scheduling"]:
              return runtime_class_field(made, kRuntimeClass["scheduling"]);
            default: return runtime_class_field(made, kRuntimeClass["handler"]);
          }
        });
    }
  });
}

bool ObjectBuilder::limit_range_item(LimitRangeItem& item) {
  return object(kItem, [&](int field) {
    switch (field) {
      case kItem["type"]: return string(item.type);
      case kItem["max"]: return resource_list(item.max);
      case kItem["min"]: return resource_list(item.min);
      case kItem["default"]: return resource_list(item.defaults);
      case kItem["defaultRequest"]: return resource_list(item.default_requests);
      default: return resource_list(item.max_limit_request_ratio);
    }
  });
}

bool ObjectBuilder::limit_range(LimitRange& range, const TypeNames& type) {
  return object(kLimitRange, [&](int field) {
    switch (field) {
      case kLimitRange["apiVersion"]: return type_field(type.api_version);
      case kLimitRange["kind"]: return type_field(type.kind);
      case kLimitRange["metadata"]: return metadata(range.meta);
      default:
        return object(kLimits, [&](int) {
          return list(range.limits, [&](LimitRangeItem& item) { return limit_range_item(item); });
        });
    }
  });
}

}  // namespace libsched
