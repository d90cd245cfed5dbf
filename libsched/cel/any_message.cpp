// Messages are read as Go's library does: of a field that comes twice the last value stays, parts
// of JSON values are merged, and a field of another number or wire type is passed over.
#include "libsched/cel/any_message.hpp"

#include <bit>

#include "libsched/base/little_endian.hpp"
#include "libsched/base/utf8.hpp"
#include "libsched/base/wire.hpp"
#include "libsched/cel/messages.hpp"

namespace libsched::cel {
namespace {

double double_of(Str bytes) { return std::bit_cast<double>(little_endian<uint64_t>(bytes)); }

float float_of(Str bytes) { return std::bit_cast<float>(little_endian<uint32_t>(bytes)); }

// Each function is false about bytes that are no such message, and after a stop.
class Decoder {
 public:
  explicit Decoder(Machine& m) : m_(m) {}

  bool message(Str name, Str bytes, Value* out);

 private:
  template <typename F>
  bool each(Str bytes, F&& field);
  bool text(Str bytes, Value* out);
  bool wrapper(Str name, Str bytes, Value* out);
  bool time(bool is_duration, Str bytes, Value* out);
  bool json(Str bytes, Value* out);
  bool object(Str bytes, Map* out);
  bool list(Str bytes, List* out);
  bool any(Str bytes, Value* out);

  Machine& m_;
};

// Calls field(f) for all fields; false ends the message.
template <typename F>
bool Decoder::each(Str bytes, F&& field) {
  WireReader reader(bytes);
  WireField f;
  if (!m_.enter()) return false;
  bool ok = true;
  while (ok && reader.next(f)) ok = m_.spend(8) && field(f);
  m_.leave();
  return ok && reader.problem().empty();
}

bool Decoder::text(Str bytes, Value* out) {
  if (!valid_utf8(bytes)) return false;
  *out = m_.string(bytes);
  return !m_.stopped();
}

bool Decoder::wrapper(Str name, Str bytes, Value* out) {
  const bool is_text = name == "String", is_bytes = name == "Bytes";
  const bool is_double = name == "Double", is_float = name == "Float";
  WireField::Type wanted = WireField::kVarint;
  if (is_text || is_bytes) wanted = WireField::kBytes;
  if (is_double) wanted = WireField::kFixed64;
  if (is_float) wanted = WireField::kFixed32;
  const auto number = [&](uint64_t n) {
    if (name == "Bool") return Value::boolean(n != 0);
    if (name == "Int32") return Value::of(static_cast<int32_t>(n));
    if (name == "Int64") return Value::of(static_cast<int64_t>(n));
    return Value::of_uint(name == "UInt32" ? static_cast<uint32_t>(n) : n);
  };
  if (is_text) {
    *out = Value::string("");
  } else if (is_bytes) {
    *out = Value::of_text(ValueKind::kBytes, "");
  } else {
    *out = is_double || is_float ? Value::of_double(0) : number(0);
  }
  return each(bytes, [&](const WireField& f) {
    if (f.number != 1 || f.type != wanted) return true;
    if (is_text) return text(f.bytes, out);
    if (is_bytes) {
      *out = m_.text(ValueKind::kBytes, f.bytes);
      return !m_.stopped();
    }
    *out = is_double  ? Value::of_double(double_of(f.bytes))
           : is_float ? Value::of_double(static_cast<double>(float_of(f.bytes)))
                      : number(f.varint);
    return true;
  });
}

bool Decoder::time(bool is_duration, Str bytes, Value* out) {
  int64_t seconds = 0;
  int32_t nanos = 0;
  const bool ok = each(bytes, [&](const WireField& f) {
    if (f.type != WireField::kVarint) return true;
    if (f.number == 1) seconds = static_cast<int64_t>(f.varint);
    if (f.number == 2) nanos = static_cast<int32_t>(f.varint);
    return true;
  });
  if (ok) *out = make_time(m_, is_duration, seconds, nanos);
  return ok;
}

// A google.protobuf.Value, whose parts are added to `out`.
bool Decoder::json(Str bytes, Value* out) {
  return each(bytes, [&](const WireField& f) {
    const auto is = [&](uint32_t number, WireField::Type type) {
      return f.number == number && f.type == type;
    };
    if (is(1, WireField::kVarint)) *out = {};
    if (is(2, WireField::kFixed64)) *out = Value::of_double(double_of(f.bytes));
    if (is(3, WireField::kBytes)) return text(f.bytes, out);
    if (is(4, WireField::kVarint)) *out = Value::boolean(f.varint != 0);
    if (is(5, WireField::kBytes)) {
      Map* const map = out->kind == ValueKind::kMap ? out->map : m_.new_map(0);
      if (map == nullptr) return false;
      *out = Value::of_map(map);
      return object(f.bytes, map);
    }
    if (is(6, WireField::kBytes)) {
      List* const all = out->kind == ValueKind::kList ? out->list : m_.new_list(0);
      if (all == nullptr) return false;
      *out = Value::of_list(all);
      return list(f.bytes, all);
    }
    return true;
  });
}

bool Decoder::object(Str bytes, Map* out) {
  return each(bytes, [&](const WireField& f) {
    if (f.number != 1 || f.type != WireField::kBytes) return true;
    Value key = Value::string(""), value;
    const bool ok = each(f.bytes, [&](const WireField& part) {
      if (part.type != WireField::kBytes) return true;
      if (part.number == 1) return text(part.bytes, &key);
      return part.number != 2 || json(part.bytes, &value);
    });
    return ok && m_.put(out, key, value);
  });
}

bool Decoder::list(Str bytes, List* out) {
  return each(bytes, [&](const WireField& f) {
    if (f.number != 1 || f.type != WireField::kBytes) return true;
    Value element;
    return json(f.bytes, &element) && m_.append(out, element);
  });
}

bool Decoder::any(Str bytes, Value* out) {
  Str url, content;
  const bool ok = each(bytes, [&](const WireField& f) {
    if (f.type != WireField::kBytes) return true;
    if (f.number == 2) content = f.bytes;
    if (f.number != 1) return true;
    url = f.bytes;
    return valid_utf8(url);
  });
  return ok && message(url, content, out);
}

bool Decoder::message(Str name, Str bytes, Value* out) {
  constexpr Str kPackage = "google.protobuf.", kWrapper = "Value";
  if (const size_t slash = name.rfind('/'); slash != Str::npos) name = name.substr(slash + 1);
  if (find_message(name) == nullptr || !name.starts_with(kPackage)) return false;
  name = name.substr(kPackage.size());
  if (name == "Any") return any(bytes, out);
  if (name == "Empty") {
    *out = Value::of_integer(ValueKind::kEmpty, 0);
    return each(bytes, [](const WireField&) { return true; });
  }
  if (name == "Duration" || name == "Timestamp") return time(name == "Duration", bytes, out);
  if (name == "Struct") {
    Map* const map = m_.new_map(0);
    if (map != nullptr) *out = Value::of_map(map);
    return map != nullptr && object(bytes, map);
  }
  if (name == "ListValue") {
    List* const all = m_.new_list(0);
    if (all != nullptr) *out = Value::of_list(all);
    return all != nullptr && list(bytes, all);
  }
  if (name == kWrapper) {
    *out = {};
    return json(bytes, out);
  }
  return wrapper(name.substr(0, name.size() - kWrapper.size()), bytes, out);
}

}  // namespace

Value value_of_any(Machine& m, Str type_url, Str bytes) {
  Value out;
  if (Decoder(m).message(type_url, bytes, &out)) return m.stopped() ? m.stop_value() : out;
  if (m.stopped()) return m.stop_value();
  return Value::error("unsupported conversion to ref.Val: (*dynamicpb.Message)");
}

}  // namespace libsched::cel
