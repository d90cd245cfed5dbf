// Walks through checked values, and decodes their strings.
#include "libsched/base/go_json.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "libsched/base/ascii.hpp"
#include "libsched/base/json_scanner.hpp"
#include "libsched/base/quote.hpp"
#include "libsched/base/utf8.hpp"

namespace libsched {

namespace {

constexpr size_t kMaxDepth = 10000;

uint32_t hex4(std::string_view text, size_t at) {
  uint32_t out = 0;
  for (const char c : text.substr(at, 4)) out = out << 4 | static_cast<uint32_t>(hex_digit(c));
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

Result<std::string_view> go_value(std::string_view text) {
  JsonScanner scanner(text, kMaxDepth);
  scanner.skip_space();
  const size_t begin = scanner.position();
  if (begin == text.size()) return Error{Rc::kIo, "EOF"};
  if (scanner.read()) return text.substr(begin, scanner.position() - begin);
  const JsonFault& fault = *scanner.fault();
  if (fault.too_deep) return Error{Rc::kLimit, "exceeded max depth"};
  if (fault.at == text.size()) return Error{Rc::kIo, "unexpected EOF"};
  return invalid({}, fault.message(latin1(text[fault.at])));
}

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

uint32_t read_json_escape(std::string_view text, size_t& at) {
  const char escaped = text[at + 1];
  at += 2;
  switch (escaped) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'u': break;
    default: return static_cast<unsigned char>(escaped);
  }
  const uint32_t rune = hex4(text, at);
  at += 4;
  if (rune < 0xd800 || rune >= 0xe000) return rune;
  const bool pair = rune < 0xdc00 && text.substr(at).starts_with("\\u");
  const uint32_t low = pair ? hex4(text, at + 2) : 0;
  if (low < 0xdc00 || low >= 0xe000) return kReplacementRune;
  at += 6;
  return 0x10000 + ((rune - 0xd800) << 10) + (low - 0xdc00);
}

std::string json_string(std::string_view value) {
  const std::string_view text = value.substr(1, value.size() - 2);
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '\\') {
      append_utf8(out, read_json_escape(text, i));
    } else if (const size_t length = utf8_length(text, i); length == 0) {
      append_utf8(out, kReplacementRune);
      ++i;
    } else {
      out.append(text, i, length);
      i += length;
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

std::string compact_json(std::string_view json) {
  std::string out;
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (!in_string && is_space(c)) continue;
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
      append_utf8(out, kReplacementRune);
    else
      out += json.substr(i, size), i += size - 1;
    if (in_string && c == '\\' && i + 1 < json.size()) out += json[++i];
  }
  return out;
}

void JsonWalk::pass_space() {
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
  pass_space();
  if (text_[at_] == ',') {
    ++at_;
    pass_space();
  }
  if (text_[at_] == '}' || text_[at_] == ']') return false;
  if (object_) {
    const size_t end = end_of_value();
    key = text_.substr(at_, end - at_);
    at_ = end;
    pass_space();
    ++at_;  // the colon
    pass_space();
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
