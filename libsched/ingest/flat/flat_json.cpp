// The walk over records; the table alone says what a field is.
#include "libsched/ingest/flat/flat_json.hpp"

#include "libsched/base/little_endian.hpp"
#include "libsched/base/quote.hpp"
#include "libsched/ingest/json_pieces.hpp"

namespace libsched {
namespace {

constexpr uint8_t kWireInt = 1, kWireBytes = 2;

int64_t number_of(Str bytes) { return static_cast<int64_t>(little_endian<uint64_t>(bytes)); }

uint8_t wire_of(FlatKind kind) {
  return kind == FlatKind::kInt || kind == FlatKind::kBool || kind == FlatKind::kTime ? kWireInt
                                                                                      : kWireBytes;
}

}  // namespace

size_t flat_length(Str bytes, size_t at) { return little_endian<uint32_t>(bytes, at); }

void FlatJson::begin(Str kind, size_t size) {
  out_.reserve(size);
  out_.append(R"({"apiVersion":"v1","kind":")").append(kind).push_back('"');
}

bool FlatJson::record(int type, Str content, Str identity) {
  if (!fields(type, content, identity)) return false;
  out_.push_back('}');
  return true;
}

Error FlatJson::error() const {
  std::string path;
  for (const Str name : path_) {
    if (name.empty()) continue;
    if (!path.empty()) path.push_back('.');
    path.append(name);
  }
  return invalid(std::move(path), message_);
}

bool FlatJson::fail(std::string message) {
  message_ = std::move(message);
  return false;
}

void FlatJson::key(Str name) {
  if (out_.back() != '{') out_.push_back(',');
  text(name);
  out_.push_back(':');
}

// Of the table, so it needs no escape.
void FlatJson::field_name(Str name) {
  out_.append(out_.back() != '{' ? ",\"" : "\"").append(name).append("\":", 2);
}

// UTF-8 is checked by the JSON reader.
void FlatJson::text(Str s) { append_json_text(out_, s, plain_start(s)); }

// RFC 3339 in UTC; the days are counted in the civil calendar.
bool FlatJson::time(int64_t seconds) {
  constexpr int64_t kDay = 86400, kFirst = -62135596800, kLast = 253402300799;
  if (seconds < kFirst || seconds > kLast) return fail("a time outside of the years 1 to 9999");
  const int64_t since = seconds - kFirst;  // of the year 1
  const int64_t second = since % kDay;
  // Years begin in March here, so that a leap day is the last day of its year.
  const int64_t days = since / kDay + 306;
  const int64_t era = days / 146097, of_era = days % 146097;
  const int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const int64_t day = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month = (5 * day + 2) / 153;
  const int64_t year = era * 400 + year_of_era + (month >= 10 ? 1 : 0);
  append_date_time(out_, static_cast<int>(year),
                   static_cast<int>(month < 10 ? month + 3 : month - 9),
                   static_cast<int>(day - (153 * month + 2) / 5 + 1), static_cast<int>(second));
  out_ += "Z\"";
  return true;
}

bool FlatJson::taken(Str& rest, Str& text) {
  if (rest.size() < 4) return fail("truncated: a length of 4 bytes is missing");
  const size_t n = flat_length(rest, 0);
  if (n > rest.size() - 4) {
    return fail("truncated: " + std::to_string(n) + " bytes announced, " +
                std::to_string(rest.size() - 4) + " left");
  }
  text = rest.substr(4, n);
  rest.remove_prefix(4 + n);
  return true;
}

bool FlatJson::next(Str& rest, uint8_t last, Value& value) {
  value.present = false;
  if (rest.empty()) return true;
  if (rest.size() < 2) return fail("truncated within a field");
  value.number = static_cast<uint8_t>(rest[0]);
  value.wire = static_cast<uint8_t>(rest[1]);
  if (value.number <= last) {
    return fail("field " + std::to_string(value.number) + " follows field " + std::to_string(last) +
                ": fields ascend");
  }
  rest.remove_prefix(2);
  value.present = true;
  if (value.wire == kWireBytes) return taken(rest, value.bytes);
  if (value.wire != kWireInt) {
    return fail("field " + std::to_string(value.number) + " has the unknown type " +
                std::to_string(value.wire));
  }
  if (rest.size() < 8) return fail("truncated within a number");
  value.bytes = rest.substr(0, 8);
  rest.remove_prefix(8);
  return true;
}

// Both parts ascend, so they are merged as sorted lists are.
bool FlatJson::fields(int type, Str first, Str second) {
  const std::span<const FlatField> table = flat_fields(type);
  size_t at = 0;
  Value a, b;
  if (!next(first, 0, a) || !next(second, 0, b)) return false;
  while (a.present || b.present) {
    const uint8_t number = !b.present || (a.present && a.number < b.number) ? a.number : b.number;
    const bool of_a = a.present && a.number == number, of_b = b.present && b.number == number;
    while (at < table.size() && table[at].number < number) ++at;
    if (at < table.size() && table[at].number == number) {
      path_.push_back(table[at].name);
      if (!field(table[at], of_a ? a : Value(), of_b ? b : Value())) return false;
      path_.pop_back();
    }
    if (of_a && !next(first, number, a)) return false;
    if (of_b && !next(second, number, b)) return false;
  }
  return true;
}

bool FlatJson::field(const FlatField& f, const Value& first, const Value& second) {
  const uint8_t wire = wire_of(f.kind);
  if ((first.present && first.wire != wire) || (second.present && second.wire != wire)) {
    return fail("the field has a wrong type");
  }
  if (f.kind == FlatKind::kInline) return fields(f.record, first.bytes, second.bytes);
  const bool merged = f.kind == FlatKind::kRecord || f.kind == FlatKind::kMap;
  if (!merged && first.present && second.present) return fail("the field is in both parts");
  const Str bytes = first.present ? first.bytes : second.bytes;
  field_name(f.name);
  switch (f.kind) {
    case FlatKind::kInt: out_.append(std::to_string(number_of(bytes))); return true;
    case FlatKind::kBool: {
      const int64_t value = number_of(bytes);
      if (value != 0 && value != 1) return fail("a boolean is 0 or 1");
      out_.append(value != 0 ? "true" : "false");
      return true;
    }
    case FlatKind::kTime: return time(number_of(bytes));
    case FlatKind::kText: text(bytes); return true;
    case FlatKind::kMap:
      out_.push_back('{');
      if (!entries(first.bytes) || !entries(second.bytes)) return false;
      out_.push_back('}');
      return true;
    case FlatKind::kRecord:
      out_.push_back('{');
      if (!fields(f.record, first.bytes, second.bytes)) return false;
      out_.push_back('}');
      return true;
    default: return items(f, bytes);
  }
}

bool FlatJson::entries(Str map) {
  while (!map.empty()) {
    Str name, value;
    if (!taken(map, name) || !taken(map, value)) return false;
    key(name);
    text(value);
  }
  return true;
}

bool FlatJson::items(const FlatField& f, Str list) {
  char before = '[';
  while (!list.empty()) {
    Str item;
    if (!taken(list, item)) return false;
    out_.push_back(before);
    before = ',';
    if (f.kind == FlatKind::kTexts) {
      text(item);
      continue;
    }
    out_.push_back('{');
    if (!fields(f.record, item, {})) return false;
    out_.push_back('}');
  }
  if (before == '[') out_.push_back('[');
  out_.push_back(']');
  return true;
}

}  // namespace libsched
