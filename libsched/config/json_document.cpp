// A recursive-descent JSON parser that stops where Go's scanner would, with the same errors.
//
// The end of the text reads as one more blank: only if that blank is acceptable is the
// message "unexpected end of JSON input".
#include "libsched/config/json_document.hpp"

#include <algorithm>

#include "libsched/base/quote.hpp"

namespace libsched {
namespace {

constexpr uint32_t kReplacement = 0xfffd;  // for what is no UTF-8

void append_utf8(std::string& out, uint32_t rune) {
  if (rune < 0x80) {
    out += static_cast<char>(rune);
  } else if (rune < 0x800) {
    out += static_cast<char>(0xc0 | rune >> 6);
    out += static_cast<char>(0x80 | (rune & 0x3f));
  } else if (rune < 0x10000) {
    out += static_cast<char>(0xe0 | rune >> 12);
    out += static_cast<char>(0x80 | (rune >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (rune & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | rune >> 18);
    out += static_cast<char>(0x80 | (rune >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (rune >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (rune & 0x3f));
  }
}

// The length of the well-formed UTF-8 sequence at s[i], or 0.
size_t utf8_length(Str s, size_t i) {
  const auto byte = [&](size_t k) { return k < s.size() ? static_cast<unsigned char>(s[k]) : 0U; };
  const unsigned b0 = byte(i);
  if (b0 < 0x80) return 1;
  size_t n = 0;
  unsigned low = 0x80, high = 0xbf;
  if (b0 >= 0xc2 && b0 <= 0xdf)
    n = 2;
  else if (b0 >= 0xe0 && b0 <= 0xef)
    n = 3;
  else if (b0 >= 0xf0 && b0 <= 0xf4)
    n = 4;
  else
    return 0;
  if (b0 == 0xe0) low = 0xa0;
  if (b0 == 0xed) high = 0x9f;
  if (b0 == 0xf0) low = 0x90;
  if (b0 == 0xf4) high = 0x8f;
  for (size_t k = 1; k < n; ++k) {
    if (byte(i + k) < low || byte(i + k) > high) return 0;
    low = 0x80;
    high = 0xbf;
  }
  return n;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

uint32_t hex4(Str s, size_t i) {
  uint32_t v = 0;
  for (size_t k = 0; k < 4; ++k) v = v << 4 | static_cast<uint32_t>(hex_digit(s[i + k]));
  return v;
}

// Decodes the inside of a checked string literal.
std::string unescape(Str s) {
  std::string out;
  out.reserve(s.size());
  for (size_t i = 0; i < s.size();) {
    if (s[i] != '\\') {
      const size_t n = utf8_length(s, i);
      if (n == 0)
        append_utf8(out, kReplacement);
      else
        out.append(s.substr(i, n));
      i += std::max<size_t>(n, 1);
      continue;
    }
    const char c = s[i + 1];
    i += 2;
    if (c == 'u') {
      uint32_t rune = hex4(s, i);
      i += 4;
      if (rune >= 0xd800 && rune <= 0xdfff) {
        const bool pair = rune < 0xdc00 && i + 6 <= s.size() && s[i] == '\\' && s[i + 1] == 'u';
        const uint32_t next = pair ? hex4(s, i + 2) : 0;
        if (next >= 0xdc00 && next <= 0xdfff) {
          rune = 0x10000 + ((rune - 0xd800) << 10) + (next - 0xdc00);
          i += 6;
        } else {
          rune = kReplacement;
        }
      }
      append_utf8(out, rune);
      continue;
    }
    switch (c) {
      case 'b': out += '\b'; break;
      case 'f': out += '\f'; break;
      case 'n': out += '\n'; break;
      case 'r': out += '\r'; break;
      case 't': out += '\t'; break;
      default: out += c; break;  // quote, backslash, slash
    }
  }
  return out;
}

class Parser {
 public:
  explicit Parser(Str text) : text_(text) {}

  Result<JsonValue> document() {
    JsonValue v;
    skip_space();
    if (!value(v, 0)) return std::move(error_);
    skip_space();
    if (pos_ < text_.size()) {
      (void)refuse("after top-level value");
      return std::move(error_);
    }
    return v;
  }

 private:
  bool at_end() const { return pos_ >= text_.size(); }
  char peek() const { return at_end() ? ' ' : text_[pos_]; }
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
  void skip_space() {
    while (!at_end() && is_space(text_[pos_])) ++pos_;
  }

  bool fail(std::string message) {
    error_ = invalid({}, std::move(message));
    return false;
  }
  bool unexpected_end() { return fail("unexpected end of JSON input"); }
  // For states in which a blank is acceptable, the end of the text is just too early.
  bool refuse(Str context) { return at_end() ? unexpected_end() : refuse_char(context); }
  bool refuse_char(Str context) {
    const char c = peek();
    std::string quoted = "'\\''";
    if (c == '"') {
      quoted = "'\"'";
    } else if (c != '\'') {
      std::string rune;
      append_utf8(rune, static_cast<unsigned char>(c));
      const std::string q = go_quote(rune);
      quoted = "'" + q.substr(1, q.size() - 2) + "'";
    }
    return fail("invalid character " + quoted + " " + std::string(context));
  }

  bool value(JsonValue& v, int depth) {
    const size_t start = pos_;
    if (!value_at(v, depth)) return false;
    v.raw = text_.substr(start, pos_ - start);
    return true;
  }

  bool value_at(JsonValue& v, int depth) {
    if (at_end()) return unexpected_end();
    const char c = peek();
    if ((c == '{' || c == '[') && depth >= kMaxJsonDepth) {
      error_ = {
          Rc::kLimit, "nested deeper than " + std::to_string(kMaxJsonDepth) + " levels", {}, {}};
      return false;
    }
    switch (c) {
      case '{': v.kind = JsonValue::Kind::kObject; return object(v, depth);
      case '[': v.kind = JsonValue::Kind::kArray; return array(v, depth);
      case '"': v.kind = JsonValue::Kind::kString; return string(v.text);
      case 't': v.kind = JsonValue::Kind::kBool; return literal("true");
      case 'f': v.kind = JsonValue::Kind::kBool; return literal("false");
      case 'n': v.kind = JsonValue::Kind::kNull; return literal("null");
      default: break;
    }
    if (c != '-' && !is_digit()) return refuse("looking for beginning of value");
    v.kind = JsonValue::Kind::kNumber;
    return number();
  }

  bool object(JsonValue& v, int depth) {
    ++pos_;
    skip_space();
    if (peek() == '}' && !at_end()) {
      ++pos_;
      return true;
    }
    for (;;) {
      if (at_end() || peek() != '"') return refuse("looking for beginning of object key string");
      auto& member = v.members.emplace_back();
      if (!string(member.first)) return false;
      skip_space();
      if (at_end() || peek() != ':') return refuse("after object key");
      ++pos_;
      skip_space();
      if (!value(member.second, depth + 1)) return false;
      skip_space();
      if (!at_end() && peek() == '}') {
        ++pos_;
        return true;
      }
      if (at_end() || peek() != ',') return refuse("after object key:value pair");
      ++pos_;
      skip_space();
    }
  }

  bool array(JsonValue& v, int depth) {
    ++pos_;
    skip_space();
    if (!at_end() && peek() == ']') {
      ++pos_;
      return true;
    }
    for (;;) {
      if (!value(v.items.emplace_back(), depth + 1)) return false;
      skip_space();
      if (!at_end() && peek() == ']') {
        ++pos_;
        return true;
      }
      if (at_end() || peek() != ',') return refuse("after array element");
      ++pos_;
      skip_space();
    }
  }

  bool string(std::string& out) {
    const size_t start = ++pos_;
    for (;;) {
      if (at_end()) return unexpected_end();
      const char c = text_[pos_];
      if (c == '"') break;
      if (static_cast<unsigned char>(c) < 0x20) return refuse("in string literal");
      ++pos_;
      if (c != '\\') continue;
      const char e = peek();
      if (Str("bfnrt\\/\"u").find(e) == Str::npos) return refuse_char("in string escape code");
      ++pos_;
      for (int k = 0; e == 'u' && k < 4; ++k, ++pos_) {
        if (hex_digit(peek()) < 0) return refuse_char("in \\u hexadecimal character escape");
      }
    }
    out = unescape(text_.substr(start, pos_ - start));
    ++pos_;
    return true;
  }

  bool literal(Str word) {
    ++pos_;
    for (size_t k = 1; k < word.size(); ++k, ++pos_) {
      if (peek() == word[k]) continue;
      return refuse_char("in literal " + std::string(word) + " (expecting '" + word[k] + "')");
    }
    return true;
  }

  bool is_digit() const { return peek() >= '0' && peek() <= '9'; }
  void digits() {
    while (is_digit()) ++pos_;
  }

  bool number() {
    if (peek() == '-') ++pos_;
    if (!is_digit()) return refuse_char("in numeric literal");
    if (peek() == '0')
      ++pos_;
    else
      digits();
    if (peek() == '.') {
      ++pos_;
      if (!is_digit()) return refuse_char("after decimal point in numeric literal");
      digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      ++pos_;
      if (peek() == '+' || peek() == '-') ++pos_;
      if (!is_digit()) return refuse_char("in exponent of numeric literal");
      digits();
    }
    return true;
  }

  Str text_;
  size_t pos_ = 0;
  Error error_;
};

}  // namespace

Str JsonValue::kind_name() const {
  switch (kind) {
    case Kind::kNull: return "null";
    case Kind::kBool: return "bool";
    case Kind::kNumber: return "number";
    case Kind::kString: return "string";
    case Kind::kArray: return "array";
    case Kind::kObject: return "object";
  }
  return "";
}

void JsonValue::sort_members() {
  std::stable_sort(members.begin(), members.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& m : members) m.second.sort_members();
  for (auto& i : items) i.sort_members();
}

std::string compact_json(Str json) {
  std::string out;
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (!in_string && (c == ' ' || c == '\t' || c == '\r' || c == '\n')) continue;
    if (c == '"') in_string = !in_string;
    if (c == '<')
      out += "\\u003c";
    else if (c == '>')
      out += "\\u003e";
    else if (c == '&')
      out += "\\u0026";
    else if (json.substr(i, 3) == "\xe2\x80\xa8")
      out += "\\u2028", i += 2;
    else if (json.substr(i, 3) == "\xe2\x80\xa9")
      out += "\\u2029", i += 2;
    else if (const size_t size = utf8_length(json, i); size == 0)
      append_utf8(out, kReplacement);
    else
      out += json.substr(i, size), i += size - 1;
    if (in_string && c == '\\' && i + 1 < json.size()) out += json[++i];
  }
  return out;
}

Result<JsonValue> parse_json_document(Str text) { return Parser(text).document(); }

}  // namespace libsched
