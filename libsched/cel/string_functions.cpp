// Functions of strings, and regular expressions.
#include "libsched/cel/lib/strings.hpp"

#include "libsched/cel/functions.hpp"
#include "libsched/cel/lib/string_format.hpp"

namespace libsched::cel {
namespace {

// Charges the work on all texts among the arguments.
bool pay(const Call& c) {
  size_t bytes = 0;
  for (const Value& v : c.args)
    if (v.kind == ValueKind::kString) bytes += v.size;
  return c.m.spend(bytes);
}

Value text_result(const Call& c, const Result<std::string>& r) {
  if (r.ok()) return c.m.string(*r);
  return r.error().rc == Rc::kLimit ? c.m.stop(kCostError) : c.m.fail(r.error().message);
}
Value text_result(const Call& c, const Result<int64_t>& r) {
  return r.ok() ? Value::of(*r) : c.m.fail(r.error().message);
}

bool both_texts(const Call& c) {
  return c[0].kind == ValueKind::kString && c[1].kind == ValueKind::kString && pay(c);
}
Value unless_texts(const Call& c) {
  return c.m.stopped() ? c.m.stop_value() : Value::error(kNoOverload);
}

Value contains_text(const Call& c) {
  if (!both_texts(c)) return unless_texts(c);
  return Value::boolean(cel::contains(c.text(0), c.text(1)));
}
Value starts_with(const Call& c) {
  if (!both_texts(c)) return unless_texts(c);
  return Value::boolean(c.text(0).starts_with(c.text(1)));
}
Value ends_with(const Call& c) {
  if (!both_texts(c)) return unless_texts(c);
  return Value::boolean(c.text(0).ends_with(c.text(1)));
}

Value char_at_index(const Call& c) {
  return pay(c) ? text_result(c, char_at(c.text(0), c[1].integer)) : c.m.stop_value();
}
// Where the text "" is found from an offset on: at the offset, which in newer dialects has to be in
// the text or is cut back to its end.
Value place_of_nothing(const Call& c) {
  const int64_t offset = c[2].integer;
  if (!c.m.dialect().cel_go_29) return Value::of(offset);
  if (offset < 0) return c.m.fail("index out of range: ", std::to_string(offset));
  return Value::of(std::min(offset, size_of(c.m, c[0])));
}

Value index_of_text(const Call& c) {
  if (!pay(c)) return c.m.stop_value();
  if (c.args.size() == 3 && c.text(1).empty()) return place_of_nothing(c);
  if (c.args.size() == 3) return text_result(c, index_of(c.text(0), c.text(1), c[2].integer));
  return Value::of(index_of(c.text(0), c.text(1)));
}
Value last_index_of_text(const Call& c) {
  if (!pay(c)) return c.m.stop_value();
  if (c.args.size() == 3 && c.text(1).empty()) return place_of_nothing(c);
  if (c.args.size() == 3) return text_result(c, last_index_of(c.text(0), c.text(1), c[2].integer));
  return Value::of(last_index_of(c.text(0), c.text(1)));
}
Value lower(const Call& c) { return c.m.string(lower_ascii(c.text(0))); }
Value upper(const Call& c) { return c.m.string(upper_ascii(c.text(0))); }
Value trim_text(const Call& c) {
  return pay(c) ? Value::string(trim(c.text(0))) : c.m.stop_value();
}
Value quote_text(const Call& c) { return pay(c) ? c.m.string(quote(c.text(0))) : c.m.stop_value(); }

Value replace_text(const Call& c) {
  if (!pay(c)) return c.m.stop_value();
  const int64_t limit = c.args.size() == 4 ? c[3].integer : -1;
  return text_result(c, replace(c.text(0), c.text(1), c.text(2), limit));
}

Value split_text(const Call& c) {
  if (!pay(c)) return c.m.stop_value();
  const std::vector<Str> parts =
      split(c.text(0), c.text(1), c.args.size() == 3 ? c[2].integer : -1);
  List* const list = c.m.new_list(parts.size());
  if (list == nullptr) return c.m.stop_value();
  for (const Str part : parts) list->items[list->size++] = Value::string(part);
  return Value::of_list(list);
}

Value substring_text(const Call& c) {
  if (!pay(c)) return c.m.stop_value();
  if (c.args.size() == 3) return text_result(c, substring(c.text(0), c[1].integer, c[2].integer));
  return text_result(c, substring(c.text(0), c[1].integer));
}

Value join_texts(const Call& c) {
  const List& list = *c[0].list;
  if (!c.m.spend(list.size)) return c.m.stop_value();
  std::vector<Str> parts;
  for (uint32_t i = 0; i < list.size; ++i) {
    if (list.items[i].kind != ValueKind::kString)
      return c.m.fail("join: invalid input: ", go_text(c.m, list.items[i]));
    parts.push_back(list.items[i].text());
  }
  return text_result(c, join(parts, c.args.size() == 2 ? c.text(1) : Str()));
}

FormatKind format_kind(const Value& v) {
  switch (v.kind) {
    case ValueKind::kNull: return FormatKind::kNull;
    case ValueKind::kBool: return FormatKind::kBool;
    case ValueKind::kInt: return FormatKind::kInt;
    case ValueKind::kUint: return FormatKind::kUint;
    case ValueKind::kDouble: return FormatKind::kDouble;
    case ValueKind::kString: return FormatKind::kString;
    case ValueKind::kBytes: return FormatKind::kBytes;
    case ValueKind::kDuration: return FormatKind::kDuration;
    case ValueKind::kTimestamp: return FormatKind::kTimestamp;
    case ValueKind::kType: return FormatKind::kType;
    case ValueKind::kList: return FormatKind::kList;
    default: return v.is_map() ? FormatKind::kMap : FormatKind::kOther;
  }
}

// Lists and maps of values for string.format().
class ValueSource : public FormatSource {
 public:
  explicit ValueSource(Machine& m) : m_(m) {}

  FormatValue make(const Value& v) const {
    FormatValue out;
    out.kind = format_kind(v);
    out.type_name = type_name(v);
    out.int_value = v.integer;
    out.uint_value = v.uinteger;
    if (v.kind == ValueKind::kDouble) out.double_value = v.number;
    if (v.kind == ValueKind::kTimestamp) out.timestamp = *v.timestamp;
    if (out.kind == FormatKind::kString || out.kind == FormatKind::kBytes ||
        out.kind == FormatKind::kType)
      out.text = v.text();
    if (out.kind == FormatKind::kList) {
      out.owner = v.list;
      out.size = v.list->size;
    }
    if (out.kind == FormatKind::kMap) {
      const Map* const all = m_.whole(v);
      out.owner = all;
      out.size = all == nullptr ? 0 : all->size;
    }
    // Once there was too much work, what is left has nothing in it.
    if (!m_.spend(50 + out.text.size())) {
      out.size = 0;
      out.text = {};
    }
    return out;
  }

  FormatValue element(const FormatValue& list, size_t index) const override {
    return make(static_cast<const List*>(list.owner)->items[index]);
  }
  std::pair<FormatValue, FormatValue> entry(const FormatValue& map, size_t index) const override {
    const Map* const all = static_cast<const Map*>(map.owner);
    return {make(all->keys[index]), make(all->values[index])};
  }

 private:
  Machine& m_;
};

Value format(const Call& c) {
  if (!pay(c)) return c.m.stop_value();
  const ValueSource source(c.m);
  const auto out = format_string(c.text(0), source.make(c[1]), source);
  return c.m.stopped() ? c.m.stop_value() : text_result(c, out);
}

// The compiled pattern, or what the call returns instead.
const Regex* pattern(const Call& c, Value* failed) {
  if (c[0].kind != ValueKind::kString) {
    *failed = Value::error(kNoOverload);
    return nullptr;
  }
  std::string error;
  const Regex* const re = c.regex != nullptr ? c.regex : c.m.regex(c.text(1), &error);
  if (re == nullptr) {
    *failed = c.m.stopped() ? c.m.stop_value() : c.m.fail("Illegal regex: ", error);
    return nullptr;
  }
  if (c.m.spend(c.text(0).size() * re->byte_work() * 2)) return re;
  *failed = c.m.stop_value();
  return nullptr;
}

Value find_text(const Call& c) {
  Value failed;
  const Regex* const re = pattern(c, &failed);
  return re == nullptr ? failed : Value::string(re->find(c.text(0)));
}

Value find_all_texts(const Call& c) {
  Value failed;
  const Regex* const re = pattern(c, &failed);
  if (re == nullptr) return failed;
  const auto parts =
      re->find_all(c.text(0), c.args.size() == 3 ? c[2].integer : -1,
                   [&](size_t bytes) { return c.m.spend(20 + bytes * re->byte_work() / 4); });
  if (c.m.stopped()) return c.m.stop_value();
  List* const list = c.m.new_list(parts.size());
  if (list == nullptr) return c.m.stop_value();
  for (const Str part : parts) list->items[list->size++] = Value::string(part);
  return Value::of_list(list);
}

constexpr NamedBound kStringFunctions[] = {
    {"contains_string", {contains_text, Arity::kBinary, false}},
    {"starts_with_string", {starts_with, Arity::kBinary, false}},
    {"ends_with_string", {ends_with, Arity::kBinary, false}},
    {"string_char_at_int", {char_at_index, Arity::kBinary}},
    {"string_index_of_string", {index_of_text, Arity::kBinary}},
    {"string_index_of_string_int", {index_of_text, Arity::kAny}},
    {"string_last_index_of_string", {last_index_of_text, Arity::kBinary}},
    {"string_last_index_of_string_int", {last_index_of_text, Arity::kAny}},
    {"string_lower_ascii", {lower, Arity::kUnary}},
    {"string_upper_ascii", {upper, Arity::kUnary}},
    {"string_trim", {trim_text, Arity::kUnary}},
    {"strings_quote", {quote_text, Arity::kUnary}},
    {"string_replace_string_string", {replace_text, Arity::kAny}},
    {"string_replace_string_string_int", {replace_text, Arity::kAny}},
    {"string_split_string", {split_text, Arity::kBinary}},
    {"string_split_string_int", {split_text, Arity::kAny}},
    {"string_substring_int", {substring_text, Arity::kBinary}},
    {"string_substring_int_int", {substring_text, Arity::kAny}},
    {"string_format", {format, Arity::kAny}},
    {"list_join", {join_texts, Arity::kUnary}},
    {"list_join_string", {join_texts, Arity::kBinary}},
    {"string_find_string", {find_text, Arity::kBinary}},
    {"string_find_all_string", {find_all_texts, Arity::kBinary}},
    {"string_find_all_string_int", {find_all_texts, Arity::kAny}},
};

}  // namespace

Span<NamedBound> string_functions() { return kStringFunctions; }

}  // namespace libsched::cel
