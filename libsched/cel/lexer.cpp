// Tokens of an expression, and the values of literals in quotes.
#include "libsched/cel/lexer.hpp"

#include <optional>

#include "libsched/base/ascii.hpp"
#include "libsched/base/utf8.hpp"

namespace libsched::cel {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// The length of an escape sequence behind its backslash, 0 if there is none.
size_t escape_length(Str s) {
  if (s.empty()) return 0;
  size_t digits = 0;
  switch (s[0]) {
    case 'a':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
    case 'v':
    case '"':
    case '\'':
    case '\\':
    case '?':
    case '`': return 1;
    case 'x':
    case 'X': digits = 2; break;
    case 'u': digits = 4; break;
    case 'U': digits = 8; break;
    case '0':
    case '1':
    case '2':
    case '3':
      return s.size() > 2 && s[1] >= '0' && s[1] <= '7' && s[2] >= '0' && s[2] <= '7' ? 3 : 0;
    default: return 0;
  }
  if (s.size() <= digits) return 0;
  for (size_t i = 1; i <= digits; ++i)
    if (hex_digit(s[i]) < 0) return 0;
  return 1 + digits;
}

std::optional<uint32_t> named_escape(char c) {
  switch (c) {
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'v': return '\v';
    case '\\':
    case '\'':
    case '"':
    case '`':
    case '?': return static_cast<uint8_t>(c);
    default: return std::nullopt;
  }
}

}  // namespace

Token Lexer::make(Tok kind, size_t start, size_t end) {
  at_ = end;
  return {kind, static_cast<uint32_t>(start), source_.substr(start, end - start)};
}

void Lexer::skip_space() {
  while (at_ < source_.size()) {
    const char c = source_[at_];
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f') {
      ++at_;
    } else if (c == '/' && source_.substr(at_).starts_with("//")) {
      const size_t end = source_.find('\n', at_);
      at_ = end == Str::npos ? source_.size() : end;
    } else {
      return;
    }
  }
}

Token Lexer::number(size_t start) {
  const auto digits = [&](size_t i) {
    while (i < source_.size() && is_digit(source_[i])) ++i;
    return i;
  };
  const auto exponent = [&](size_t i) {
    if (i >= source_.size() || (source_[i] | 0x20) != 'e') return i;
    size_t j = i + 1;
    if (j < source_.size() && (source_[j] == '+' || source_[j] == '-')) ++j;
    const size_t end = digits(j);
    return end > j ? end : i;
  };
  const auto is_u = [&](size_t i) { return i < source_.size() && (source_[i] | 0x20) == 'u'; };
  if (source_[start] == '.') return make(Tok::kFloat, start, exponent(digits(start + 1)));
  if (source_[start] == '0' && start + 2 < source_.size() && source_[start + 1] == 'x' &&
      hex_digit(source_[start + 2]) >= 0) {
    size_t i = start + 2;
    while (i < source_.size() && hex_digit(source_[i]) >= 0) ++i;
    return is_u(i) ? make(Tok::kUint, start, i + 1) : make(Tok::kInt, start, i);
  }
  const size_t whole = digits(start);
  size_t end = whole;
  if (end + 1 < source_.size() && source_[end] == '.' && is_digit(source_[end + 1]))
    end = digits(end + 1);
  end = exponent(end);
  if (end > whole) return make(Tok::kFloat, start, end);
  return is_u(whole) ? make(Tok::kUint, start, whole + 1) : make(Tok::kInt, start, whole);
}

Token Lexer::quoted(size_t start, size_t quote, bool raw, bool bytes) {
  const char q = source_[quote];
  const bool triple =
      source_.size() >= quote + 3 && source_[quote + 1] == q && source_[quote + 2] == q;
  size_t i = quote + (triple ? 3 : 1);
  while (i < source_.size()) {
    const char c = source_[i];
    if (c == q &&
        (!triple || (i + 2 < source_.size() && source_[i + 1] == q && source_[i + 2] == q)))
      return make(bytes ? Tok::kBytes : Tok::kString, start, i + (triple ? 3 : 1));
    if (!triple && (c == '\n' || c == '\r')) break;
    if (c == '\\' && !raw) {
      const size_t n = escape_length(source_.substr(i + 1));
      if (n == 0) break;
      i += n;
    }
    ++i;
  }
  return make(Tok::kError, start, source_.size());
}

Token Lexer::next() {
  skip_space();
  const size_t start = at_;
  if (start >= source_.size()) return make(Tok::kEnd, source_.size(), source_.size());
  const char c = source_[start];
  const char d = start + 1 < source_.size() ? source_[start + 1] : '\0';
  const char e = start + 2 < source_.size() ? source_[start + 2] : '\0';
  const auto is_quote = [](char x) { return x == '"' || x == '\''; };
  if (is_quote(c)) return quoted(start, start, false, false);
  if ((c | 0x20) == 'r' && is_quote(d)) return quoted(start, start + 1, true, false);
  if ((c | 0x20) == 'b' && is_quote(d)) return quoted(start, start + 1, false, true);
  if ((c | 0x20) == 'b' && (d | 0x20) == 'r' && is_quote(e))
    return quoted(start, start + 2, true, true);
  if (is_digit(c) || (c == '.' && is_digit(d))) return number(start);
  if (is_letter(c)) {
    size_t i = start;
    while (i < source_.size() && (is_letter(source_[i]) || is_digit(source_[i]))) ++i;
    const Str text = source_.substr(start, i - start);
    const Tok kind = text == "true"    ? Tok::kTrue
                     : text == "false" ? Tok::kFalse
                     : text == "null"  ? Tok::kNull
                     : text == "in"    ? Tok::kIn
                                       : Tok::kIdent;
    return make(kind, start, i);
  }
  const auto two = [&](Tok kind) { return make(kind, start, start + 2); };
  const auto one = [&](Tok kind) { return make(kind, start, start + 1); };
  switch (c) {
    case '=': return d == '=' ? two(Tok::kEqual) : one(Tok::kError);
    case '!': return d == '=' ? two(Tok::kNotEqual) : one(Tok::kNot);
    case '<': return d == '=' ? two(Tok::kLessEqual) : one(Tok::kLess);
    case '>': return d == '=' ? two(Tok::kGreaterEqual) : one(Tok::kGreater);
    case '&': return d == '&' ? two(Tok::kAnd) : one(Tok::kError);
    case '|': return d == '|' ? two(Tok::kOr) : one(Tok::kError);
    case '[': return one(Tok::kOpenBracket);
    case ']': return one(Tok::kCloseBracket);
    case '{': return one(Tok::kOpenBrace);
    case '}': return one(Tok::kCloseBrace);
    case '(': return one(Tok::kOpenParen);
    case ')': return one(Tok::kCloseParen);
    case '.': return one(Tok::kDot);
    case ',': return one(Tok::kComma);
    case '-': return one(Tok::kMinus);
    case '?': return one(Tok::kQuestion);
    case ':': return one(Tok::kColon);
    case '+': return one(Tok::kPlus);
    case '*': return one(Tok::kStar);
    case '/': return one(Tok::kSlash);
    case '%': return one(Tok::kPercent);
    case '`': {
      size_t i = start + 1;
      while (i < source_.size() && (is_letter(source_[i]) || is_digit(source_[i]) ||
                                    Str(".-/ ").find(source_[i]) != Str::npos))
        ++i;
      if (i > start + 1 && i < source_.size() && source_[i] == '`')
        return make(Tok::kEscapedIdent, start, i + 1);
      return one(Tok::kError);
    }
    default: return one(Tok::kError);
  }
}

Result<std::string> unescape(Str literal, bool bytes) {
  if (bytes) literal.remove_prefix(1);
  const bool raw = (literal[0] | 0x20) == 'r';
  if (raw) literal.remove_prefix(1);
  const bool triple = literal.size() >= 6 && literal[1] == literal[0] && literal[2] == literal[0];
  const size_t n = triple ? 3 : 1;
  literal = literal.substr(n, literal.size() - 2 * n);
  std::string out;
  out.reserve(literal.size());
  for (size_t i = 0; i < literal.size();) {
    const char c = literal[i];
    if (c == '\r') {  // new lines are normalised
      out += '\n';
      i += i + 1 < literal.size() && literal[i + 1] == '\n' ? 2 : 1;
      continue;
    }
    if (c != '\\' || raw) {
      out += c;
      ++i;
      continue;
    }
    const size_t length = escape_length(literal.substr(i + 1));
    const Str escape = literal.substr(i + 1, length);
    i += 1 + length;
    if (length == 0) return invalid({}, "unable to unescape string");
    if (const auto named = named_escape(escape[0])) {
      out += static_cast<char>(*named);
      continue;
    }
    uint32_t value = 0;
    const bool octal = is_digit(escape[0]);
    for (const char digit : escape.substr(octal ? 0 : 1))
      value = value * (octal ? 8 : 16) + static_cast<uint32_t>(hex_digit(digit));
    if (bytes) {
      if ((escape[0] | 0x20) == 'u') return invalid({}, "unable to unescape string");
      out += static_cast<char>(value);
      continue;
    }
    if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
      return invalid({}, "invalid unicode code point");
    append_utf8(out, value);
  }
  return out;
}

}  // namespace libsched::cel
