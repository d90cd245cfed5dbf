// The walk over a format's clauses, and the texts of values by clause.
#include "libsched/cel/lib/string_format.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "libsched/base/ascii.hpp"
#include "libsched/base/go_float.hpp"
#include "libsched/base/quote.hpp"
#include "libsched/base/utf8.hpp"
#include "libsched/cel/lib/duration.hpp"
#include "libsched/cel/lib/number_format.hpp"
#include "libsched/cel/lib/numbers.hpp"
#include "libsched/cel/lib/strings.hpp"

namespace libsched::cel {
namespace {

constexpr int kMostNested = 200;
constexpr int64_t kDefaultPrecision = 6;

Error error(std::string text) { return invalid("", std::move(text)); }
Error with_prefix(const char* prefix, Error why) {
  why.message.insert(0, prefix);
  return why;
}

struct Clause {
  char verb = '\0';
  int64_t precision = kDefaultPrecision;
  size_t length = 0;  // behind the '%'
};

// Parses what follows a '%'; the text is not empty.
Result<Clause> parse_clause(Str s) {
  Clause clause;
  size_t i = 0;
  if (s[0] == '.') {
    for (i = 1; i < s.size() && is_digit(s[i]);) ++i;
    if (i == s.size())
      return error("error while parsing precision: could not find end of precision specifier");
    const Str digits = s.substr(1, i - 1);
    const auto value = parse_int(digits);
    if (!value)
      return error(
          "error while parsing precision: error while converting precision to integer: "
          "strconv.Atoi: parsing " +
          go_quote(digits) + (digits.empty() ? ": invalid syntax" : ": value out of range"));
    clause.precision = *value;
  }
  clause.verb = s[i];
  clause.length = i + 1;
  if (clause.verb == '\0' || Str("sdfebxXo").find(clause.verb) == Str::npos)
    return error("unrecognized formatting clause \"" + latin1(clause.verb) + "\"");
  return clause;
}

// Calls literal(Str) and clause(Clause, argument) in the order of the text. Both return
// Result<void>.
template <typename OnLiteral, typename OnClause>
Result<size_t> walk(Str format, size_t arguments, bool count_first, OnLiteral literal,
                    OnClause on_clause) {
  size_t used = 0;
  for (size_t i = 0; i < format.size();) {
    if (format[i] != '%') {
      const size_t end = std::min(format.find('%', i), format.size());
      LIBSCHED_TRY(literal(format.substr(i, end - i)));
      i = end;
      continue;
    }
    if (format.substr(i).starts_with("%%")) {
      LIBSCHED_TRY(literal(format.substr(i, 1)));
      i += 2;
      continue;
    }
    const bool missing = used >= arguments;
    if (i + 1 == format.size() && !(missing && count_first))
      return error("unexpected end of string");
    if (missing) return error("index " + std::to_string(used) + " out of range");
    auto clause = parse_clause(format.substr(i + 1));
    if (!clause) return with_prefix("could not parse formatting clause: ", clause.error());
    Result<void> done = on_clause(*clause, used);
    if (!done) return with_prefix("error during formatting: ", done.error());
    i += 1 + clause->length;
    ++used;
  }
  return used;
}

std::string hex(Str bytes, bool upper) {
  const char* const digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += digits[static_cast<uint8_t>(c) >> 4];
    text += digits[c & 15];
  }
  return text;
}

class Writer {
 public:
  explicit Writer(const FormatSource& source) : source_(source) {}

  Result<void> literal(Str text) { return append(text); }

  Result<void> clause(const Clause& clause, const FormatValue& value) {
    if (clause.verb == 's') return string(value, 0);
    auto text = number(clause, value);
    if (!text) return std::move(text.error());
    return append(*text);
  }

  std::string take() { return std::move(out_); }

 private:
  Result<void> append(Str text) {
    if (out_.size() + text.size() > kMostBytes)
      return Error{Rc::kLimit, "a text of more than " + std::to_string(kMostBytes) + " bytes"};
    out_ += text;
    return {};
  }

  static Result<std::string> number(const Clause& clause, const FormatValue& value) {
    const int base = clause.verb == 'b' ? 2 : clause.verb == 'o' ? 8 : clause.verb == 'd' ? 10 : 16;
    const bool upper = clause.verb == 'X';
    if (clause.verb == 'f' || clause.verb == 'e') {
      std::optional<double> number;
      if (value.kind == FormatKind::kDouble) number = value.double_value;
      if (value.kind == FormatKind::kString &&
          (value.text == "NaN" || value.text == "Infinity" || value.text == "-Infinity"))
        number = parse_double(value.text);
      if (!number) return error(clause_error(clause.verb, value.type_name));
      return clause.verb == 'f' ? format_fixed(*number, clause.precision)
                                : format_scientific(*number, clause.precision);
    }
    std::string text;
    if (value.kind == FormatKind::kInt)
      text = format_int(value.int_value, base);
    else if (value.kind == FormatKind::kUint)
      text = format_uint(value.uint_value, base);
    else if (base == 2 && value.kind == FormatKind::kBool)
      text = value.int_value != 0 ? "1" : "0";
    else if (base == 16 && (value.kind == FormatKind::kString || value.kind == FormatKind::kBytes))
      text = hex(value.text, upper);
    else
      return error(clause_error(clause.verb, value.type_name));
    return upper ? upper_ascii(text) : text;
  }

  // The text of %s, as it stands in a list or map if `depth` is not 0.
  Result<void> string(const FormatValue& value, int depth) {
    const bool inner = depth > 0;
    switch (value.kind) {
      case FormatKind::kNull: return append("null");
      case FormatKind::kBool: return append(value.int_value != 0 ? "true" : "false");
      case FormatKind::kInt: return append(format_int(value.int_value, 10));
      case FormatKind::kUint: return append(format_uint(value.uint_value, 10));
      case FormatKind::kDouble: return real(value.double_value, inner);
      case FormatKind::kString:
        return append(inner ? go_quote(value.text) : std::string(value.text));
      case FormatKind::kBytes:
        if (!valid_utf8(value.text))
          return error(
              "could not convert argument \"invalid UTF-8 in bytes, cannot convert to string\" to "
              "string");
        return append(inner ? "b" + go_quote(value.text) : std::string(value.text));
      case FormatKind::kDuration:
        return literal_of("duration", format_duration(value.int_value), inner);
      case FormatKind::kTimestamp:
        return literal_of("timestamp", format_timestamp(value.timestamp), inner);
      case FormatKind::kType: return append(value.text);
      case FormatKind::kList: return list(value, depth + 1);
      case FormatKind::kMap: return map(value, depth + 1);
      case FormatKind::kOther: break;
    }
    if (inner) return error("no formatting function for " + std::string(value.type_name));
    return error(clause_error('s', value.type_name));
  }

  Result<void> real(double value, bool inner) {
    if (!inner) return append(go_float(value));
    const std::string text = format_six(value);
    // NaN and the infinities are no literals of CEL.
    return append(text.back() == 'N' || text.back() == 'f' ? go_quote(text) : text);
  }

  Result<void> literal_of(const char* name, const std::string& text, bool inner) {
    return append(inner ? std::string(name) + "(" + go_quote(text) + ")" : text);
  }

  static Result<void> check_depth(int depth) {
    if (depth <= kMostNested) return {};
    return Error{Rc::kLimit, "string.format of lists and maps nested more than " +
                                 std::to_string(kMostNested) + " deep"};
  }

  Result<void> list(const FormatValue& value, int depth) {
    LIBSCHED_TRY(check_depth(depth));
    LIBSCHED_TRY(append("["));
    for (size_t i = 0; i < value.size; ++i) {
      if (i > 0) LIBSCHED_TRY(append(", "));
      LIBSCHED_TRY(string(source_.element(value, i), depth));
    }
    return append("]");
  }

  Result<void> map(const FormatValue& value, int depth) {
    LIBSCHED_TRY(check_depth(depth));
    // All keys are written, so that they can be sorted, before any text of the map is.
    std::vector<std::pair<std::string, FormatValue>> entries;
    for (size_t i = 0; i < value.size; ++i) {
      auto [key, entry] = source_.entry(value, i);
      const bool fits = key.kind == FormatKind::kString || key.kind == FormatKind::kBool ||
                        key.kind == FormatKind::kInt || key.kind == FormatKind::kUint;
      if (!fits)
        return error("no formatting function for map key of type " + std::string(key.type_name));
      Writer text(source_);
      LIBSCHED_TRY(text.string(key, 1));
      entries.emplace_back(text.take(), entry);
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    LIBSCHED_TRY(append("{"));
    for (size_t i = 0; i < entries.size(); ++i) {
      if (i > 0) LIBSCHED_TRY(append(", "));
      LIBSCHED_TRY(append(entries[i].first + ":"));
      LIBSCHED_TRY(string(entries[i].second, depth));
    }
    return append("}");
  }

  const FormatSource& source_;
  std::string out_;
};

}  // namespace

Result<std::string> format_string(Str format, const FormatValue& arguments,
                                  const FormatSource& source) {
  Writer writer(source);
  auto used = walk(
      format, arguments.size, true, [&](Str text) { return writer.literal(text); },
      [&](const Clause& clause, size_t argument) {
        return writer.clause(clause, source.element(arguments, argument));
      });
  if (!used) return std::move(used.error());
  return writer.take();
}

Result<size_t> check_format(Str format, size_t arguments, ClauseCheck& check) {
  return walk(
      format, arguments, false, [](Str) { return Result<void>(); },
      [&](const Clause& clause, size_t argument) -> Result<void> {
        std::string why = check.check(clause.verb, argument);
        if (why.empty()) return {};
        return error(std::move(why));
      });
}

std::string clause_error(char verb, Str type_name) {
  const char* text = "";
  switch (verb) {
    case 's':
      text =
          "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
          "types, durations, and timestamps";
      break;
    case 'd': text = "decimal clause can only be used on integers"; break;
    case 'f': text = "fixed-point clause can only be used on doubles"; break;
    case 'e': text = "scientific clause can only be used on doubles"; break;
    case 'b': text = "only integers and bools can be formatted as binary"; break;
    case 'o': text = "octal clause can only be used on integers"; break;
    default: text = "only integers, byte buffers, and strings can be formatted as hex"; break;
  }
  return std::string(text) + ", was given " + std::string(type_name);
}

}  // namespace libsched::cel
