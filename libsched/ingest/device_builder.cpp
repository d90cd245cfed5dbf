// DeviceClasses and DeviceTaintRules, and what they share with claims and slices.
#include "libsched/base/quote.hpp"
#include "libsched/ingest/object_builder.hpp"

namespace libsched {
namespace {

constexpr KeyTable kObject("apiVersion", "kind", "metadata", "spec", "status");
constexpr KeyTable kClassSpec("selectors", "config", "suitableNodes", "extendedResourceName");
constexpr KeyTable kSelector("cel");
constexpr KeyTable kCel("expression");
constexpr KeyTable kClassConfig("opaque");
constexpr KeyTable kOpaque("driver", "parameters");
constexpr KeyTable kToleration("key", "operator", "value", "effect", "tolerationSeconds");
constexpr KeyTable kTaint("key", "value", "effect", "timeAdded");
constexpr KeyTable kRuleSpec("deviceSelector", "taint");
constexpr KeyTable kRuleSelector("driver", "pool", "device", "deviceClassName", "selectors");

}  // namespace

// The next value as it stands in the document; "" for null.
bool ObjectBuilder::raw_json(Str& out) {
  if (reader_.is_null()) return null();
  const char first = reader_.peek();
  if (first == '"') {
    Str text;
    if (!string(text)) return false;
    out = arena_->copy(json_quote(text));
    return true;
  }
  if (first != '{' && first != '[') {
    Str text;
    if (!reader_.scalar(text)) return false;
    out = arena_->copy(text);
    return true;
  }
  const size_t begin = reader_.offset();
  if (!skip()) return false;
  out = arena_->copy(reader_.text().substr(begin, reader_.end_of_last() - begin));
  return true;
}

bool ObjectBuilder::device_selectors(Span<DeviceSelector>& out) {
  return list(out, [&](DeviceSelector& selector) {
    return object(kSelector, [&](int) {
      selector.cel = !reader_.is_null();
      return object(kCel, [&](int) { return string(selector.expression); });
    });
  });
}

// The `opaque` of a configuration.
bool ObjectBuilder::opaque_configuration(DeviceConfiguration& config) {
  config.opaque = !reader_.is_null();
  return object(kOpaque, [&](int field) {
    return field == kOpaque["driver"] ? string(config.driver) : raw_json(config.parameters);
  });
}

bool ObjectBuilder::device_tolerations(Span<DeviceToleration>& out) {
  return list(out, [&](DeviceToleration& t) {
    const bool ok = object(kToleration, [&](int field) {
      switch (field) {
        case kToleration["key"]: return string(t.key);
        case kToleration["operator"]: return string(t.op);
        case kToleration["value"]: return string(t.value);
        case kToleration["effect"]: return string(t.effect);
        default:
          if (reader_.is_null()) return null();
          return int64(t.seconds.emplace());
      }
    });
    if (options_.defaults && t.op.empty()) t.op = "Equal";
    return ok;
  });
}

bool ObjectBuilder::device_taint(DeviceTaint& taint) {
  return object(kTaint, [&](int field) {
    switch (field) {
      case kTaint["key"]: return string(taint.key);
      case kTaint["value"]: return string(taint.value);
      case kTaint["effect"]: return string(taint.effect);
      default: return time(taint.added);
    }
  });
}

bool ObjectBuilder::device_class(DeviceClass& device_class, const TypeNames& type) {
  return object(kObject, [&](int field) {
    switch (field) {
      case kObject["apiVersion"]: return type_field(type.api_version);
      case kObject["kind"]: return type_field(type.kind);
      case kObject["metadata"]: return metadata(device_class.meta);
      case kObject["spec"]:
        return object(kClassSpec, [&](int part) {
          switch (part) {
            case kClassSpec["selectors"]: return device_selectors(device_class.selectors);
            case kClassSpec["config"]:
              return list(device_class.config, [&](DeviceConfiguration& config) {
                return object(kClassConfig, [&](int) { return opaque_configuration(config); });
              });
            case kClassSpec["extendedResourceName"]:
              return optional_string(device_class.extended_resource_name);
            default: return skip();
          }
        });
      default: return skip();
    }
  });
}

// In v1alpha3 a rule could also select by class and by CEL, which the scheduler never read.
bool ObjectBuilder::device_taint_rule(DeviceTaintRule& rule, const TypeNames& type) {
  const auto unsupported = [&](Str field) {
    if (reader_.is_null()) return null();
    return reader_.fail(reader_.offset(),
                        std::string(field) +
                            " of a DeviceTaintRule is not supported: upstream "
                            "dropped it after v1alpha3",
                        {}, Rc::kUnsupported);
  };
  return object(kObject, [&](int field) {
    switch (field) {
      case kObject["apiVersion"]: return type_field(type.api_version);
      case kObject["kind"]: return type_field(type.kind);
      case kObject["metadata"]: return metadata(rule.meta);
      case kObject["spec"]:
        return object(kRuleSpec, [&](int part) {
          if (part == kRuleSpec["taint"]) return device_taint(rule.taint);
          rule.has_selector = !reader_.is_null();
          return object(kRuleSelector, [&](int s) {
            switch (s) {
              case kRuleSelector["driver"]: return optional_string(rule.driver);
              case kRuleSelector["pool"]: return optional_string(rule.pool);
              case kRuleSelector["device"]: return optional_string(rule.device);
              case kRuleSelector["deviceClassName"]: return unsupported("deviceClassName");
              default: return unsupported("selectors");
            }
          });
        });
      default: return skip();
    }
  });
}

}  // namespace libsched
