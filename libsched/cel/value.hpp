// Values of expressions: 16 bytes each; what does not fit is in a Memory or in the device.
#pragma once

#include <cstdint>
#include <string>

#include "libsched/base/arena.hpp"
#include "libsched/base/quantity.hpp"
#include "libsched/cel/lib/cidr.hpp"
#include "libsched/cel/lib/ip.hpp"
#include "libsched/cel/lib/semver.hpp"
#include "libsched/cel/lib/timestamp.hpp"

namespace libsched::cel {

enum class ValueKind : uint8_t {
  kError,  // text: the message
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kDuration,  // in nanoseconds
  kTimestamp,
  kList,
  kMap,
  kType,  // text: the name
  kOptional,
  kEmpty,  // google.protobuf.Empty
  kQuantity,
  kSemver,
  kUrl,
  kIp,
  kCidr,
  kFormat,
  // Maps that are looked up in the device and become a kMap when somebody wants all of it.
  kDevice,
  kDomains,  // device.attributes or device.capacity: of any key there is at least an empty map
  kDomain,   // the attributes or capacities of the domain `text`
};

struct List;
struct Map;
struct UrlValue;
struct Value;

struct QuantityValue {
  Quantity value;
  Str written;  // the text whose suffix decides how the value is printed
};

struct Value {
  ValueKind kind = ValueKind::kNull;
  // kQuantity: made by add() or sub(), which upstream tells from others in comparisons.
  // kDomains and kDomain: of capacities. kDomains with kPlain: upstream has taken it out of an
  // optional value, where the default for unknown keys is lost.
  uint8_t flags = 0;
  uint32_t size = 0;  // of text
  union {
    int64_t integer = 0;  // kInt, kDuration, kFormat; kBool: 0 or 1
    uint64_t uinteger;
    double number;
    const char* data;
    const Timestamp* timestamp;
    List* list;
    Map* map;
    const Value* inner;  // kOptional: nullptr is none
    const QuantityValue* quantity;
    const Semver* semver;
    const UrlValue* url;
    const Ip* ip;
    const Cidr* cidr;
  };

  static constexpr uint8_t kPointer = 1;
  static constexpr uint8_t kCapacity = 1;
  static constexpr uint8_t kPlain = 2;

  // Of the texts that the value holds.
  size_t text_bytes() const;
  Str text() const { return {data, size}; }
  bool is_error() const { return kind == ValueKind::kError; }
  bool is(ValueKind k) const { return kind == k; }
  bool is_true() const { return kind == ValueKind::kBool && integer != 0; }
  bool is_false() const { return kind == ValueKind::kBool && integer == 0; }
  bool is_map() const { return kind == ValueKind::kMap || kind >= ValueKind::kDevice; }

  static Value of_text(ValueKind kind, Str s, uint8_t flags = 0) {
    Value v;
    v.kind = kind;
    v.flags = flags;
    v.size = static_cast<uint32_t>(s.size());
    v.data = s.data();
    return v;
  }
  static Value error(Str literal) { return of_text(ValueKind::kError, literal); }
  static Value boolean(bool b) { return of_integer(ValueKind::kBool, b ? 1 : 0); }
  static Value of_integer(ValueKind kind, int64_t i) {
    Value v;
    v.kind = kind;
    v.integer = i;
    return v;
  }
  static Value of(int64_t i) { return of_integer(ValueKind::kInt, i); }
  static Value of_uint(uint64_t u) {
    Value v;
    v.kind = ValueKind::kUint;
    v.uinteger = u;
    return v;
  }
  static Value of_double(double d) {
    Value v;
    v.kind = ValueKind::kDouble;
    v.number = d;
    return v;
  }
  static Value string(Str s) { return of_text(ValueKind::kString, s); }
  static Value of_list(List* l) {
    Value v;
    v.kind = ValueKind::kList;
    v.list = l;
    return v;
  }
  static Value of_map(Map* m) {
    Value v;
    v.kind = ValueKind::kMap;
    v.map = m;
    return v;
  }
  static Value optional(const Value* inner) {
    Value v;
    v.kind = ValueKind::kOptional;
    v.inner = inner;
    return v;
  }
};
static_assert(sizeof(Value) == 16);

struct List {
  Value* items = nullptr;
  uint32_t size = 0;
  uint32_t capacity = 0;
  // Upstream's accumulators: `+` appends to the left list itself.
  bool is_mutable = false;
  // Made by `+`: upstream's comparison of such a list reports the errors of its elements.
  bool is_sum = false;
};

// Entries in the order of insertion, found by a hash table once there are many.
struct Map {
  Value* keys = nullptr;
  Value* values = nullptr;
  uint32_t size = 0;
  uint32_t capacity = 0;
  uint32_t* slots = nullptr;  // index + 1 of an entry; 0: free
  uint32_t slot_count = 0;    // a power of two
  bool is_mutable = false;
};

struct UrlValue {
  Str source;  // as given to url()
  Str text;
  Str scheme;
  Str host;
  Str hostname;
  Str port;
  Str escaped_path;
};

inline const Value kNoValue = Value::optional(nullptr);

// Of the type at run time, such as "google.protobuf.Duration".
Str type_name(const Value& v);
// Of upstream's Go type, for texts that show it: "types.Int".
Str go_type_name(const Value& v);

}  // namespace libsched::cel
