// The states and texts of Go's scanner.
#include "libsched/base/json_scanner.hpp"

#include <array>
#include <utility>

#include "libsched/base/ascii.hpp"
#include "libsched/base/quote.hpp"

namespace libsched {
namespace {

// The bytes of a string that need no attention.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> out{};
  for (size_t c = 0x20; c < out.size(); ++c) out[c] = c != '"' && c != '\\';
  return out;
}();

}  // namespace

std::string JsonFault::message(Str character) const {
  std::string quoted = go_quote(character);
  quoted = quoted.substr(1, quoted.size() - 2);
  if (character == "\"") quoted = "\"";
  if (character == "'") quoted = "\\'";
  return "invalid character '" + quoted + "' " + where;
}

bool JsonScanner::fail(std::string where, bool space_fits) {
  fault_ = {at_, std::move(where), space_fits, false};
  return false;
}

void JsonScanner::skip_space() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
}

bool JsonScanner::at_digit() const { return at_ < text_.size() && is_digit(text_[at_]); }

bool JsonScanner::read() {
  std::string brackets;  // that are open
  for (;;) {
    skip_space();
    const bool opens = at('{') || at('[');
    if (opens ? !open(brackets) : !scalar()) return false;
    if (opens && !at(brackets.back() == '{' ? '}' : ']')) {
      if (brackets.back() == '{' && !key()) return false;
    } else if (!close(brackets)) {
      return false;
    } else if (brackets.empty()) {
      return true;
    }
  }
}

bool JsonScanner::open(std::string& brackets) {
  if (brackets.size() == max_depth_) {
    fault_ = {at_, {}, true, true};
    return false;
  }
  brackets += text_[at_++];
  if (!tell(JsonToken::kOpen, at_ - 1)) return false;
  skip_space();
  return true;
}

// After a value, or at the end of an empty one: closes what ends here. Goes on to the next value.
bool JsonScanner::close(std::string& brackets) {
  for (; !brackets.empty(); brackets.pop_back()) {
    skip_space();
    const bool object = brackets.back() == '{';
    if (at(',')) {
      ++at_;
      if (!tell(JsonToken::kComma, at_ - 1)) return false;
      skip_space();
      return !object || key();
    }
    if (!at(object ? '}' : ']'))
      return fail(object ? "after object key:value pair" : "after array element");
    ++at_;
    if (!tell(JsonToken::kClose, at_ - 1)) return false;
  }
  return true;
}

bool JsonScanner::key() {
  const size_t begin = at_;
  if (!at('"')) return fail("looking for beginning of object key string");
  if (!string() || !tell(JsonToken::kKey, begin)) return false;
  skip_space();
  if (!at(':')) return fail("after object key");
  ++at_;
  return true;
}

bool JsonScanner::scalar() {
  const size_t begin = at_;
  bool read = false;
  if (at('"'))
    read = string();
  else if (at('t'))
    read = literal("true");
  else if (at('f'))
    read = literal("false");
  else if (at('n'))
    read = literal("null");
  else if (at('-') || at_digit())
    read = number();
  else
    return fail("looking for beginning of value");
  return read && tell(JsonToken::kScalar, begin);
}

bool JsonScanner::literal(const char* word) {
  ++at_;
  for (const char* c = word + 1; *c != '\0'; ++c, ++at_)
    if (!at(*c))
      return fail("in literal " + std::string(word) + " (expecting '" + *c + "')", false);
  return true;
}

bool JsonScanner::string() {
  for (++at_;; ++at_) {
    while (at_ < text_.size() && kPlain[static_cast<unsigned char>(text_[at_])]) ++at_;
    if (at('"')) {
      ++at_;
      return true;
    }
    if (!at('\\')) return fail("in string literal");
    ++at_;
    if (at('u')) {
      for (int i = 0; i < 4; ++i) {
        ++at_;
        if (at_ >= text_.size() || hex_digit(text_[at_]) < 0)
          return fail("in \\u hexadecimal character escape", false);
      }
    } else if (at_ >= text_.size() || Str("\"\\/bfnrt").find(text_[at_]) == Str::npos) {
      return fail("in string escape code", false);
    }
  }
}

bool JsonScanner::digits(const char* where) {
  if (!at_digit()) return fail(where, false);
  while (at_digit()) ++at_;
  return true;
}

bool JsonScanner::number() {
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

}  // namespace libsched
