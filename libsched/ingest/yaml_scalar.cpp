// Scalar resolution: the first character decides which types are tried, in upstream's order.
//
// Numbers follow Go's parsers, since their quirks decide types: "010" is eight, "08" a float,
// "1_000" a thousand, "0b-1" minus one, and 1e400 stays a string.
#include "libsched/ingest/yaml_scalar.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "libsched/base/ascii.hpp"
#include "libsched/base/base64.hpp"
#include "libsched/base/go_float.hpp"
#include "libsched/base/quote.hpp"

namespace libsched {
namespace {

constexpr Str kTagPrefix = "tag:yaml.org,2002:";

char lower(char c) { return static_cast<char>(c | 0x20); }

// The type suggested by the first character: 'M' a word of the table below, 'D' or 'S' a number,
// '.' a fraction or a word, 'N' the empty text; 0 a string.
char hint_of(Str text) {
  if (text.empty()) return 'N';
  switch (text[0]) {
    case '+':
    case '-': return 'S';
    case '.': return '.';
    case 'y':
    case 'Y':
    case 'n':
    case 'N':
    case 't':
    case 'T':
    case 'f':
    case 'F':
    case 'o':
    case 'O':
    case '~': return 'M';
    default: return is_digit(text[0]) ? 'D' : '\0';
  }
}

// Matches all-lower, Capitalised and ALL CAPS spellings of a lower-case word.
bool is_word(Str text, Str word) {
  if (text.size() != word.size()) return false;
  if (text == word) return true;
  const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; };
  if (text[0] != upper(word[0])) return false;
  if (text.substr(1) == word.substr(1)) return true;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] != upper(word[i])) return false;
  }
  return true;
}

bool is_infinity(Str text) { return text == ".inf" || text == ".Inf" || text == ".INF"; }

bool resolve_word(Str text, YamlScalar* out) {
  using Kind = YamlScalar::Kind;
  if (text.size() > 5) return false;
  for (const Str word : {"y", "yes", "true", "on"}) {
    if (!is_word(text, word)) continue;
    out->kind = Kind::kBool;
    out->boolean = true;
    return true;
  }
  for (const Str word : {"n", "no", "false", "off"}) {
    if (!is_word(text, word)) continue;
    out->kind = Kind::kBool;
    out->boolean = false;
    return true;
  }
  if (text.empty() || text == "~" || is_word(text, "null")) {
    out->kind = Kind::kNull;
    return true;
  }
  const bool minus = text[0] == '-';
  if (text == ".nan" || text == ".NaN" || text == ".NAN") {
    out->floating = std::numeric_limits<double>::quiet_NaN();
  } else if (is_infinity(text) || ((minus || text[0] == '+') && is_infinity(text.substr(1)))) {
    out->floating = std::numeric_limits<double>::infinity() * (minus ? -1 : 1);
  } else {
    return false;
  }
  out->kind = Kind::kFloat;
  return true;
}

// Digits of a base, all of them, at least one; nullopt also when 64 bits are too few.
std::optional<uint64_t> read_digits(Str digits, uint64_t base) {
  if (digits.empty()) return std::nullopt;
  uint64_t v = 0;
  for (const char c : digits) {
    uint64_t d = 99;
    if (is_digit(c)) d = static_cast<uint64_t>(c - '0');
    if (lower(c) >= 'a' && lower(c) <= 'f') d = static_cast<uint64_t>(lower(c) - 'a') + 10;
    if (d >= base) return std::nullopt;
    if (__builtin_mul_overflow(v, base, &v)) return std::nullopt;
    if (__builtin_add_overflow(v, d, &v)) return std::nullopt;
  }
  return v;
}

bool set_integer(bool negative, bool has_sign, std::optional<uint64_t> magnitude, YamlScalar* out) {
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  if (!magnitude) return false;
  if (*magnitude > kMax + negative) {
    if (has_sign) return false;
    out->kind = YamlScalar::Kind::kUint;
    out->natural = *magnitude;
    return true;
  }
  out->kind = YamlScalar::Kind::kInt;
  out->integer = static_cast<int64_t>(negative ? -*magnitude : *magnitude);
  return true;
}

// Go's ParseInt and ParseUint with base 0: 0x, 0o, 0b, and a leading zero for octal.
bool resolve_integer(Str text, YamlScalar* out) {
  const bool negative = text[0] == '-', has_sign = negative || text[0] == '+';
  Str digits = text.substr(has_sign ? 1 : 0);
  uint64_t base = 10;
  if (digits.size() > 1 && digits[0] == '0') {
    const char letter = lower(digits[1]);
    base = letter == 'x' ? 16 : letter == 'b' ? 2 : 8;
    const bool prefixed = letter == 'x' || letter == 'b' || letter == 'o';
    digits.remove_prefix(prefixed ? 2 : 1);
  }
  if (set_integer(negative, has_sign, read_digits(digits, base), out)) return true;
  if (!text.starts_with("0b")) return false;
  // Upstream's second try at binary takes a sign behind the prefix.
  Str rest = text.substr(2);
  if (rest.empty() || (rest[0] != '-' && rest[0] != '+')) return false;
  return set_integer(rest[0] == '-', true, read_digits(rest.substr(1), 2), out);
}

// [+-]? ( .digits | digits [. digits*] ) ( [eE] [+-]? digits )?
bool looks_like_float(Str text) {
  size_t i = 0;
  const auto digits = [&] {
    const size_t from = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i - from;
  };
  const auto sign = [&] {
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  };
  sign();
  const size_t whole = digits();
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (digits() == 0 && whole == 0) return false;
  } else if (whole == 0) {
    return false;
  }
  if (i < text.size() && lower(text[i]) == 'e') {
    ++i;
    sign();
    if (digits() == 0) return false;
  }
  return i == text.size();
}

// False when too large. Too small is zero, as for Go.
bool resolve_float(Str text, YamlScalar* out) {
  const char* first = text.data();
  const char* const last = first + text.size();
  const bool negative = *first == '-';
  if (*first == '+') ++first;
  double v = 0;
  const auto [end, error] = std::from_chars(first, last, v);
  if (error == std::errc::result_out_of_range) {
    // Whether the first non-zero digit stands before 10^0 or after it tells large from small.
    int64_t place = 0;
    bool point = false, found = false;
    const char* p = first + negative;
    for (; p < last && lower(*p) != 'e'; ++p) {
      if (*p == '.') {
        point = true;
      } else if (found ? !point : *p == '0' && point) {
        place += found ? 1 : -1;
      } else if (*p != '0') {
        found = true;
      }
    }
    int64_t exponent = 0;
    const bool minus = p + 1 < last && p[1] == '-';
    for (; p < last; ++p) {
      if (is_digit(*p) && exponent < 1000000000) exponent = exponent * 10 + (*p - '0');
    }
    if (place + (minus ? -exponent : exponent) > 0) return false;
    v = negative ? -0.0 : 0.0;
  } else if (error != std::errc() || end != last) {
    return false;
  }
  out->kind = YamlScalar::Kind::kFloat;
  out->floating = v;
  return true;
}

// Removes the underscores that Go allows between digits of a float; false for others.
bool strip_underscores(Str text, std::string* out) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      out->push_back(text[i]);
    } else if (i == 0 || !is_digit(text[i - 1]) || i + 1 == text.size() || !is_digit(text[i + 1])) {
      return false;
    }
  }
  return true;
}

// Tells whether an explicit !!timestamp is valid: Y-M-D alone, with a time after "T", "t" and a
// zone, or with a time after a space.
bool is_timestamp(Str text) {
  size_t i = 0;
  const auto number = [&](size_t least, size_t most) {
    int v = 0;
    size_t n = 0;
    for (; n < most && i < text.size() && is_digit(text[i]); ++n) v = v * 10 + (text[i++] - '0');
    return n < least ? -1 : v;
  };
  const auto take = [&](char c) { return i < text.size() && text[i] == c ? (++i, true) : false; };
  const int year = number(4, 4);
  if (year < 0 || !take('-')) return false;
  const int month = number(1, 2);
  if (month < 1 || month > 12 || !take('-')) return false;
  const int day = number(1, 2);
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  const int days = month == 2 ? 28 + leap : 30 + ((month + month / 8) & 1);
  if (day < 1 || day > days) return false;
  if (i == text.size()) return true;
  const bool zoned = take('T') || take('t');
  if (!zoned && !take(' ')) return false;
  const int hour = number(1, 2);
  if (hour < 0 || hour > 23 || !take(':')) return false;
  const int minute = number(1, 2);
  if (minute < 0 || minute > 59 || !take(':')) return false;
  const int second = number(1, 2);
  if (second < 0 || second > 59) return false;
  if (i + 1 < text.size() && (text[i] == '.' || text[i] == ',') && is_digit(text[i + 1])) {
    for (++i; i < text.size() && is_digit(text[i]);) ++i;
  }
  if (!zoned) return i == text.size();
  if (take('Z')) return i == text.size();
  if (!take('+') && !take('-')) return false;
  const int zone_hour = number(2, 2);
  if (zone_hour < 0 || zone_hour > 24 || !take(':')) return false;
  const int zone_minute = number(2, 2);
  return zone_minute >= 0 && zone_minute <= 60 && i == text.size();
}

void resolve_plain(Str text, bool timestamp, YamlScalar* out, bool* is_time) {
  out->kind = YamlScalar::Kind::kString;
  out->text = text;
  const char hint = hint_of(text);
  if (hint == '\0' || resolve_word(text, out) || hint == 'M') return;
  if (hint == '.') {
    std::string plain;
    if (strip_underscores(text, &plain) && looks_like_float(plain)) resolve_float(plain, out);
    return;
  }
  if (timestamp && is_timestamp(text)) {
    *is_time = true;
    return;
  }
  std::string stripped;
  Str plain = text;
  if (text.find('_') != Str::npos) {
    std::remove_copy(text.begin(), text.end(), std::back_inserter(stripped), '_');
    plain = stripped;
  }
  if (resolve_integer(plain, out)) return;
  if (looks_like_float(plain)) resolve_float(plain, out);
}

Str tag_of(YamlScalar::Kind kind) {
  using Kind = YamlScalar::Kind;
  switch (kind) {
    case Kind::kNull: return "null";
    case Kind::kBool: return "bool";
    case Kind::kInt:
    case Kind::kUint: return "int";
    case Kind::kFloat: return "float";
    default: return "str";
  }
}

}  // namespace

bool resolve_yaml_scalar(Str tag, bool implicit, Str text, YamlScalar* out, std::string* error) {
  using Kind = YamlScalar::Kind;
  out->kind = Kind::kString;
  out->text = text;
  if (tag.empty() && !implicit) return true;
  Str want;
  if (!tag.empty()) {
    if (!tag.starts_with(kTagPrefix)) return true;
    want = tag.substr(kTagPrefix.size());
    if (want == "binary") {
      out->kind = Kind::kBinary;
      out->binary.clear();
      if (decode_base64(text, out->binary) == Str::npos) return true;
      *error = "!!binary value contains invalid base64 data";
      return false;
    }
    static constexpr Str kTyped[] = {"bool", "int", "float", "null", "timestamp"};
    // !!str, and tags upstream leaves alone.
    if (std::find(std::begin(kTyped), std::end(kTyped), want) == std::end(kTyped)) return true;
  }
  bool is_time = false;
  resolve_plain(text, want.empty() || want == "timestamp", out, &is_time);
  const Str got = is_time ? Str("timestamp") : tag_of(out->kind);
  if (want.empty() || want == got) return true;
  if (want == "float" && out->kind == Kind::kInt) {
    out->kind = Kind::kFloat;
    out->floating = static_cast<double>(out->integer);
    return true;
  }
  *error = "cannot decode !!" + std::string(got) + " `" + std::string(text) + "` as a !!" +
           std::string(want);
  return false;
}

bool append_json(const YamlScalar& scalar, std::string* out) {
  using Kind = YamlScalar::Kind;
  switch (scalar.kind) {
    case Kind::kNull: out->append("null"); break;
    case Kind::kBool: out->append(scalar.boolean ? "true" : "false"); break;
    case Kind::kInt: out->append(std::to_string(scalar.integer)); break;
    case Kind::kUint: out->append(std::to_string(scalar.natural)); break;
    case Kind::kString: append_json_text(*out, scalar.text); break;
    case Kind::kBinary: out->append(json_quote(scalar.binary)); break;
    case Kind::kFloat:
      if (!std::isfinite(scalar.floating)) return false;
      out->append(json_float(scalar.floating));
  }
  return true;
}

bool append_json_key(const YamlScalar& scalar, std::string* out) {
  using Kind = YamlScalar::Kind;
  switch (scalar.kind) {
    case Kind::kNull:
    case Kind::kUint: return false;
    case Kind::kString: append_json_text(*out, scalar.text); return true;
    case Kind::kBinary: out->append(json_quote(scalar.binary)); return true;
    case Kind::kFloat: {
      // Keys go through float32, as upstream's do.
      const auto narrow = static_cast<float>(scalar.floating);
      out->push_back('"');
      if (std::isnan(narrow)) {
        out->append(".nan");
      } else if (std::isinf(narrow)) {
        out->append(narrow < 0 ? "-.inf" : ".inf");
      } else {
        out->append(go_float(narrow));
      }
      out->push_back('"');
      return true;
    }
    default:
      out->push_back('"');
      append_json(scalar, out);
      out->push_back('"');
      return true;
  }
}

}  // namespace libsched
