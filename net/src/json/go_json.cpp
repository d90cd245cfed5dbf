// The states and texts of Go's JSON scanner.
#include "net/src/json/go_json.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "libsched/base/quote.hpp"

namespace libsched {

namespace {

constexpr size_t kMaxDepth = 10000;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Go's quoteChar: a byte counts as the character of its number.
std::string quoted_char(char c) {
  if (c == '\'') return R"('\'')";
  if (c == '"') return R"('"')";
  const auto byte = static_cast<unsigned char>(c);
  std::string text;
  if (byte < 0x80) {
    text = std::string(1, c);
  } else {
    text = {static_cast<char>(0xc0 | (byte >> 6)), static_cast<char>(0x80 | (byte & 0x3f))};
  }
  text = go_quote(text);
  return "'" + text.substr(1, text.size() - 2) + "'";
}

// The bytes of a string that need no attention.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> out{};
  for (size_t c = 0x20; c < out.size(); ++c) out[c] = c != '"' && c != '\\';
  return out;
}();

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Result<std::string_view> first_value() {
    space();
    if (at_ == text_.size()) return Error{Rc::kIo, "EOF", {}, {}};
    const size_t begin = at_;
    if (!value()) return std::move(error_);
    return text_.substr(begin, at_ - begin);
  }

 private:
  bool fail(const std::string& where) {
    if (at_ >= text_.size()) {
      error_ = {Rc::kIo, "unexpected EOF", {}, {}};
    } else {
      error_ = {Rc::kInvalid, "invalid character " + quoted_char(text_[at_]) + " " + where, {}, {}};
    }
    return false;
  }
  void space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  bool at(char c) const { return at_ < text_.size() && text_[at_] == c; }

  // Iterative: an extender decides how deep its answer is.
  bool value() {
    std::vector<char> open;
    for (;;) {
      space();
      if (at('{') || at('[')) {
        const char kind = text_[at_++];
        open.push_back(kind);
        if (open.size() > kMaxDepth) {
          error_ = {Rc::kLimit, "exceeded max depth", {}, {}};
          return false;
        }
        space();
        if (kind == '{') {
          if (at('}')) {
            ++at_;
            open.pop_back();
          } else if (!key()) {
            return false;
          } else {
            continue;
          }
        } else if (at(']')) {
          ++at_;
          open.pop_back();
        } else {
          continue;
        }
      } else if (!scalar()) {
        return false;
      }
      // After a value.
      for (;;) {
        if (open.empty()) return true;
        space();
        const bool object = open.back() == '{';
        if (at(',')) {
          ++at_;
          space();
          if (object && !key()) return false;
          break;
        }
        if (!at(object ? '}' : ']'))
          return fail(object ? "after object key:value pair" : "after array element");
        ++at_;
        open.pop_back();
      }
    }
  }
  bool key() {
    if (!at('"')) return fail("looking for beginning of object key string");
    if (!string()) return false;
    space();
    if (!at(':')) return fail("after object key");
    ++at_;
    return true;
  }
  bool scalar() {
    if (at('"')) return string();
    if (at('t')) return literal("true");
    if (at('f')) return literal("false");
    if (at('n')) return literal("null");
    if (at('-') || (at_ < text_.size() && is_digit(text_[at_]))) return number();
    return fail("looking for beginning of value");
  }
  bool literal(const char* word) {
    ++at_;
    for (const char* c = word + 1; *c != '\0'; ++c, ++at_)
      if (!at(*c)) return fail("in literal " + std::string(word) + " (expecting '" + *c + "')");
    return true;
  }
  bool string() {
    for (++at_;; ++at_) {
      while (at_ < text_.size() && kPlain[static_cast<unsigned char>(text_[at_])]) ++at_;
      if (at_ >= text_.size()) return fail("");
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (c != '\\') return fail("in string literal");
      ++at_;
      if (at('u')) {
        for (int i = 0; i < 4; ++i) {
          ++at_;
          if (at_ >= text_.size() || !std::isxdigit(static_cast<unsigned char>(text_[at_])))
            return fail("in \\u hexadecimal character escape");
        }
      } else if (at_ >= text_.size() ||
                 std::string_view("\"\\/bfnrt").find(text_[at_]) == std::string_view::npos) {
        return fail("in string escape code");
      }
    }
  }
  bool digits(const char* where) {
    if (at_ >= text_.size() || !is_digit(text_[at_])) return fail(where);
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    return true;
  }
  bool number() {
    if (at('-')) ++at_;
    if (at('0')) {
      ++at_;
    } else if (!digits("in numeric literal")) {
      return false;
    }
    if (at('.')) {
      ++at_;
      if (!digits("after decimal point in numeric literal")) return false;
    }
    if (at('e') || at('E')) {
      ++at_;
      if (at('+') || at('-')) ++at_;
      if (!digits("in exponent of numeric literal")) return false;
    }
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  Error error_;
};

void append_utf8(std::string* out, uint32_t c) {
  if (c < 0x80) {
    *out += static_cast<char>(c);
  } else if (c < 0x800) {
    *out += static_cast<char>(0xc0 | (c >> 6));
    *out += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    *out += static_cast<char>(0xe0 | (c >> 12));
    *out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    *out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    *out += static_cast<char>(0xf0 | (c >> 18));
    *out += static_cast<char>(0x80 | ((c >> 12) & 0x3f));
    *out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
    *out += static_cast<char>(0x80 | (c & 0x3f));
  }
}

// The length of the UTF-8 sequence at the beginning of a text; 0: it is none.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto follows = [&](size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const unsigned low = first == 0xe0 ? 0xa0 : 0x80, high = first == 0xed ? 0x9f : 0xbf;
    return follows(1, low, high) && follows(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const unsigned low = first == 0xf0 ? 0x90 : 0x80, high = first == 0xf4 ? 0x8f : 0xbf;
    return follows(1, low, high) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

uint32_t hex4(std::string_view text) {
  uint32_t out = 0;
  for (const char c : text.substr(0, 4)) {
    const int digit =
        is_digit(c) ? c - '0' : std::tolower(static_cast<unsigned char>(c)) - 'a' + 10;
    out = out * 16 + static_cast<uint32_t>(digit);
  }
  return out;
}

constexpr std::array<bool, 256> kStructural = [] {
  std::array<bool, 256> out{};
  for (const char c : {'"', '{', '}', '[', ']'}) out[static_cast<unsigned char>(c)] = true;
  return out;
}();

// The place behind a string that begins at `begin`, of a checked text.
size_t end_of_string(std::string_view text, size_t begin) {
  for (size_t end = begin;;) {
    end = text.find('"', end + 1);
    size_t slashes = 0;
    while (text[end - 1 - slashes] == '\\') ++slashes;
    if (slashes % 2 == 0) return end + 1;
  }
}

}  // namespace

Result<std::string_view> go_value(std::string_view text) { return Scanner(text).first_value(); }

JsonKind json_kind(std::string_view value) {
  switch (value[0]) {
    case 'n': return JsonKind::kNull;
    case 't':
    case 'f': return JsonKind::kBool;
    case '"': return JsonKind::kString;
    case '[': return JsonKind::kArray;
    case '{': return JsonKind::kObject;
    default: return JsonKind::kNumber;
  }
}

const char* json_kind_name(JsonKind kind) {
  switch (kind) {
    case JsonKind::kNull: return "null";
    case JsonKind::kBool: return "bool";
    case JsonKind::kNumber: return "number";
    case JsonKind::kString: return "string";
    case JsonKind::kArray: return "array";
    case JsonKind::kObject: return "object";
  }
  return "";
}

std::string json_string(std::string_view value) {
  constexpr uint32_t kReplacement = 0xfffd;
  const std::string_view text = value.substr(1, value.size() - 2);
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      const size_t length = utf8_length(text.substr(i));
      if (length == 0) {
        append_utf8(&out, kReplacement);
        ++i;
      } else {
        out.append(text.substr(i, length));
        i += length;
      }
      continue;
    }
    const char escaped = text[i + 1];
    i += 2;
    switch (escaped) {
      case 'b': out += '\b'; break;
      case 'f': out += '\f'; break;
      case 'n': out += '\n'; break;
      case 'r': out += '\r'; break;
      case 't': out += '\t'; break;
      case 'u': {
        uint32_t c = hex4(text.substr(i));
        i += 4;
        if (c >= 0xd800 && c < 0xe000) {
          const bool pair = c < 0xdc00 && text.substr(i).starts_with("\\u");
          const uint32_t low = pair ? hex4(text.substr(i + 2)) : 0;
          if (low >= 0xdc00 && low < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
            i += 6;
          } else {
            c = kReplacement;
          }
        }
        append_utf8(&out, c);
        break;
      }
      default: out += escaped;
    }
  }
  return out;
}

std::string json_without_space(std::string_view value) {
  std::string out;
  for (size_t i = 0; i < value.size();) {
    if (value[i] == '"') {
      const size_t end = end_of_string(value, i);
      out += json_quote(json_string(value.substr(i, end - i)));
      i = end;
    } else {
      if (!is_space(value[i])) out += value[i];
      ++i;
    }
  }
  return out;
}

bool is_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const size_t length = utf8_length(text.substr(i));
    if (length == 0) return false;
    i += length;
  }
  return true;
}

void JsonWalk::skip_space() {
  while (is_space(text_[at_])) ++at_;
}

size_t JsonWalk::end_of_value() const {
  size_t i = at_;
  if (text_[i] == '"') return end_of_string(text_, i);
  if (text_[i] != '{' && text_[i] != '[') {
    while (text_[i] != ',' && text_[i] != '}' && text_[i] != ']' && text_[i] != ':' &&
           !is_space(text_[i]))
      ++i;
    return i;
  }
  for (size_t depth = 0;;) {
    while (!kStructural[static_cast<unsigned char>(text_[i])]) ++i;
    const char c = text_[i];
    if (c == '"') {
      i = end_of_string(text_, i);
      continue;
    }
    ++i;
    if (c == '{' || c == '[') {
      ++depth;
    } else if (--depth == 0) {
      return i;
    }
  }
}

bool JsonWalk::next() {
  skip_space();
  if (text_[at_] == ',') {
    ++at_;
    skip_space();
  }
  if (text_[at_] == '}' || text_[at_] == ']') return false;
  if (object_) {
    const size_t end = end_of_value();
    key = text_.substr(at_, end - at_);
    at_ = end;
    skip_space();
    ++at_;  // the colon
    skip_space();
  }
  const size_t end = end_of_value();
  value = text_.substr(at_, end - at_);
  at_ = end;
  return true;
}

bool go_names(std::string_view key, std::string_view name) {
  const auto same = [](std::string_view a, std::string_view b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
             return std::tolower(static_cast<unsigned char>(x)) ==
                    std::tolower(static_cast<unsigned char>(y));
           });
  };
  if (key.find('\\') == std::string_view::npos) return same(key.substr(1, key.size() - 2), name);
  return same(json_string(key), name);
}

}  // namespace libsched
