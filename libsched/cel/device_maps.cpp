// The variable `device`: maps that are looked up in a Device and are built only when an expression
// wants all of one.
#include <algorithm>

#include "libsched/cel/lib/semver.hpp"
#include "libsched/cel/machine.hpp"

namespace libsched::cel {
namespace {

constexpr Str kFields[] = {"driver", "allowMultipleAllocations", "attributes", "capacity"};

struct Name {
  Str domain, id;
};

Name split(Str name, Str driver) {
  const size_t slash = name.find('/');
  if (slash == Str::npos) return {driver, name};
  return {name.substr(0, slash), name.substr(slash + 1)};
}

bool is_named(Str name, Str domain, Str id, Str driver) {
  if (name.size() == domain.size() + 1 + id.size())
    return name[domain.size()] == '/' && name.starts_with(domain) && name.ends_with(id) &&
           domain.find('/') == Str::npos;
  return name.size() == id.size() && name == id && domain == driver && name.find('/') == Str::npos;
}

Value domains(uint8_t flags) { return Value::of_text(ValueKind::kDomains, {}, flags); }

bool is_visible(Attribute::Kind kind, bool lists) {
  return kind != Attribute::Kind::kNone && (lists || kind < Attribute::Kind::kInts);
}

}  // namespace

std::string Machine::check_attributes() {
  const Span<Attribute> attributes = device_->attributes;
  size_t versions = 0;
  for (const Attribute& a : attributes)
    versions += a.kind == Attribute::Kind::kVersion ? 1 : a.texts.size();
  Semver* const parsed = versions == 0 ? nullptr : memory_.make_array<Semver>(attributes.size());
  const auto bad = [](const Attribute& a, Str what, const std::string& why) {
    return "attribute " + std::string(a.name) + ": " + std::string(what) + why;
  };
  for (size_t i = 0; i < attributes.size(); ++i) {
    const Attribute& a = attributes[i];
    if (!is_visible(a.kind, lists_)) return bad(a, "unsupported attribute value", {});
    if (a.kind == Attribute::Kind::kVersion) {
      const auto version = parse_semver(a.text);
      if (!version.ok()) return bad(a, "parse semantic version: ", version.error().message);
      parsed[i] = *version;
    }
    if (a.kind != Attribute::Kind::kVersions) continue;
    for (const Str text : a.texts) {
      const auto version = parse_semver(text);
      if (!version.ok()) return bad(a, "parse semantic version: ", version.error().message);
    }
  }
  versions_ = {parsed, versions == 0 ? 0 : attributes.size()};
  return {};
}

Value Machine::attribute(size_t i) {
  const Attribute& a = device_->attributes[i];
  const auto version = [](const Semver* v) {
    Value out = Value::of_text(ValueKind::kSemver, {});
    out.semver = v;
    return out;
  };
  switch (a.kind) {
    case Attribute::Kind::kInt: return Value::of(a.number);
    case Attribute::Kind::kBool: return Value::boolean(a.number != 0);
    case Attribute::Kind::kString: return Value::string(a.text);
    case Attribute::Kind::kVersion: return version(&versions_[i]);
    default: break;
  }
  List* const list = new_list(a.numbers.size() + a.texts.size());
  if (list == nullptr) return stop_value();
  for (const int64_t n : a.numbers)
    list->items[list->size++] =
        a.kind == Attribute::Kind::kInts ? Value::of(n) : Value::boolean(n != 0);
  for (const Str text : a.texts)
    list->items[list->size++] = a.kind == Attribute::Kind::kStrings
                                    ? Value::string(text)
                                    : version(memory_.make(*parse_semver(text)));
  return Value::of_list(list);
}

Value Machine::capacity(size_t i) {
  const Capacity& c = device_->capacity[i];
  Value out = Value::of_text(ValueKind::kQuantity, {});
  out.quantity = memory_.make(QuantityValue{c.value, c.written});
  return out;
}

std::optional<Value> Machine::look_up(const Value& map, const Value& key) {
  if (map.kind == ValueKind::kMap) {
    const Value* const found = find(map.map, key);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }
  const bool is_text = key.kind == ValueKind::kString;
  const Str name = is_text ? key.text() : Str();
  const bool of_capacity = (map.flags & Value::kCapacity) != 0;
  switch (map.kind) {
    case ValueKind::kDevice:
      if (!is_text) return std::nullopt;
      if (name == kFields[0]) return Value::string(device_->driver);
      if (name == kFields[1]) return Value::boolean(device_->allow_multiple_allocations);
      if (name == kFields[2]) return domains(0);
      if (name == kFields[3]) return domains(Value::kCapacity);
      return std::nullopt;
    case ValueKind::kDomains: {
      // An unknown domain is an empty map, which is what a lookup in it finds.
      const Value domain = Value::of_text(ValueKind::kDomain, name, map.flags & Value::kCapacity);
      if ((map.flags & Value::kPlain) == 0) {
        if (is_text) return domain;
        static Map empty;
        return Value::of_map(&empty);
      }
      const auto any = [&](const auto& all) {
        return std::any_of(all.begin(), all.end(), [&](const auto& x) {
          return split(x.name, device_->driver).domain == name;
        });
      };
      if (!is_text) return std::nullopt;
      const bool exists = of_capacity ? any(device_->capacity) : any(device_->attributes);
      return exists ? std::optional(domain) : std::nullopt;
    }
    default: break;
  }
  if (!is_text) return std::nullopt;
  const Str driver = device_->driver;
  if (of_capacity) {
    for (size_t i = 0; i < device_->capacity.size(); ++i)
      if (is_named(device_->capacity[i].name, map.text(), name, driver)) return capacity(i);
  } else {
    for (size_t i = 0; i < device_->attributes.size(); ++i)
      if (is_named(device_->attributes[i].name, map.text(), name, driver)) return attribute(i);
  }
  return std::nullopt;
}

Map* Machine::whole(const Value& v) {
  if (v.kind == ValueKind::kMap) return v.map;
  const bool of_capacity = (v.flags & Value::kCapacity) != 0;
  if (v.kind == ValueKind::kDevice) {
    Map* const map = new_map(std::size(kFields));
    for (const Str field : kFields)
      if (map == nullptr || !put(map, Value::string(field), *look_up(v, Value::string(field))))
        return nullptr;
    return map;
  }
  const Span<Attribute> attributes = of_capacity ? Span<Attribute>() : device_->attributes;
  const Span<Capacity> capacities = of_capacity ? device_->capacity : Span<Capacity>();
  const size_t count = attributes.size() + capacities.size();
  Map* const map = new_map(count);
  if (map == nullptr) return nullptr;
  for (size_t i = 0; i < count; ++i) {
    const Name name = split(of_capacity ? capacities[i].name : attributes[i].name, device_->driver);
    if (v.kind == ValueKind::kDomain && name.domain != v.text()) continue;
    const bool added =
        v.kind == ValueKind::kDomain
            ? put(map, Value::string(name.id), of_capacity ? capacity(i) : attribute(i))
            : put(map, Value::string(name.domain),
                  Value::of_text(ValueKind::kDomain, name.domain, v.flags & Value::kCapacity));
    if (!added) return nullptr;
  }
  return map;
}

}  // namespace libsched::cel
