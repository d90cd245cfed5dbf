// Tokens of an expression.
#pragma once

#include <cstdint>
#include <string>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"

namespace libsched::cel {

enum class Tok : uint8_t {
  kEnd,
  kError,
  kIdent,
  kEscapedIdent,  // in back quotes
  kInt,
  kUint,
  kFloat,
  kString,
  kBytes,
  kTrue,
  kFalse,
  kNull,
  kIn,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kAnd,
  kOr,
  kOpenBracket,
  kCloseBracket,
  kOpenBrace,
  kCloseBrace,
  kOpenParen,
  kCloseParen,
  kDot,
  kComma,
  kMinus,
  kNot,
  kQuestion,
  kColon,
  kPlus,
  kStar,
  kSlash,
  kPercent,
};

struct Token {
  Tok kind = Tok::kEnd;
  uint32_t offset = 0;
  Str text;
};

class Lexer {
 public:
  explicit Lexer(Str source) : source_(source) {}
  Token next();

 private:
  void skip_space();
  Token number(size_t start);
  Token quoted(size_t start, size_t quote, bool raw, bool bytes);
  Token make(Tok kind, size_t start, size_t end);

  Str source_;
  size_t at_ = 0;
};

// The value of a string or bytes literal, with its prefix and quotes.
Result<std::string> unescape(Str literal, bool bytes);

}  // namespace libsched::cel
