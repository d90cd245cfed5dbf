// The parser: precedence climbing over the tokens. The first syntax error ends it; errors of
// literals, reserved words and macros do not.
#include "libsched/cel/parser.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "libsched/base/ascii.hpp"
#include "libsched/cel/lexer.hpp"
#include "libsched/cel/lib/numbers.hpp"

namespace libsched::cel {
namespace {

constexpr int kMostDepth = 250;
constexpr size_t kMostBytes = 5 << 20;  // of trees; macros that copy their receivers double it

bool is_reserved(Str name) {
  static constexpr std::array<Str, 17> kReserved = {
      "as",  "break", "const",   "continue",  "else",   "for", "function", "if",   "import",
      "let", "loop",  "package", "namespace", "return", "var", "void",     "while"};
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

struct Operator {
  Str name;
  int level = 0;  // 0: none. 1: relations, 2: sums, 3: products
};

Operator operator_of(Tok kind) {
  switch (kind) {
    case Tok::kLess: return {"_<_", 1};
    case Tok::kLessEqual: return {"_<=_", 1};
    case Tok::kGreater: return {"_>_", 1};
    case Tok::kGreaterEqual: return {"_>=_", 1};
    case Tok::kEqual: return {"_==_", 1};
    case Tok::kNotEqual: return {"_!=_", 1};
    case Tok::kIn: return {"@in", 1};
    case Tok::kPlus: return {"_+_", 2};
    case Tok::kMinus: return {"_-_", 2};
    case Tok::kStar: return {"_*_", 3};
    case Tok::kSlash: return {"_/_", 3};
    case Tok::kPercent: return {"_%_", 3};
    default: return {};
  }
}

class Parser {
 public:
  Parser(Str source, Arena& arena, Issues& issues, const Dialect& dialect)
      : lexer_(source), arena_(arena), issues_(issues), takes_quotes_(dialect.cel_go_29) {
    token_ = lexer_.next();
  }

  Expr* run() {
    Expr* const e = expr();
    if (!failed_ && token_.kind != Tok::kEnd) syntax_error();
    if (failed_) return nullptr;
    if (e->depth > kMostDepth) {
      issues_.add(Issues::kNowhere, "max recursion depth exceeded");
      return nullptr;
    }
    return issues_.empty() ? e : nullptr;
  }

 private:
  void advance() {
    if (!failed_) token_ = lexer_.next();
  }
  bool accept(Tok kind) {
    if (failed_ || token_.kind != kind) return false;
    advance();
    return true;
  }
  void expect(Tok kind) {
    if (!accept(kind)) syntax_error();
  }
  Expr* syntax_error() {
    if (!failed_) {
      failed_ = true;
      const std::string found =
          token_.kind == Tok::kEnd ? "<EOF>" : std::string(token_.text.substr(0, 40));
      issues_.add(token_.offset, "Syntax error: mismatched input '" + found + "'");
    }
    token_.kind = Tok::kEnd;
    return ExprFactory(arena_, token_.offset, 0).node(ExprKind::kError);
  }

  Expr* node(ExprKind kind, uint32_t offset) { return ExprFactory(arena_, offset, 0).node(kind); }
  Expr* report(uint32_t offset, std::string message) {
    issues_.add(offset, std::move(message));
    return node(ExprKind::kError, offset);
  }

  Expr* call(Str name, bool is_member, uint32_t offset, const std::vector<Expr*>& args, int more) {
    int depth = 0;
    for (const Expr* arg : args) depth = std::max<int>(depth, arg->depth);
    depth = std::min(depth + more, kMostDepth + 1);
    if (depth > kMostDepth) {  // nothing is expanded or copied any more
      Expr* const e = node(ExprKind::kError, offset);
      e->depth = static_cast<uint16_t>(depth);
      return e;
    }
    if (arena_.bytes() > kMostBytes) {
      if (!failed_) issues_.add(Issues::kNowhere, "the expression needs too much memory");
      failed_ = true;
      return node(ExprKind::kError, offset);
    }
    ExprFactory make(arena_, offset, static_cast<uint16_t>(depth));
    const Span<Expr*> all = arena_.copy(args);
    Expr* e = expand_macro(name, is_member, all, make, issues_);
    if (e == nullptr) {
      e = make.node(ExprKind::kCall);
      e->name = name;
      e->is_member = is_member;
      e->args = all;
    }
    e->depth = static_cast<uint16_t>(depth);
    return e;
  }

  Expr* expr() {
    if (++level_ > kMostDepth && !failed_) {
      failed_ = true;
      token_.kind = Tok::kEnd;
      issues_.add(Issues::kNowhere, "expression recursion limit exceeded: 250");
    }
    Expr* e = failed_ ? node(ExprKind::kError, 0) : conditional();
    --level_;
    return e;
  }

  Expr* conditional() {
    Expr* const condition = logic(false);
    const uint32_t offset = token_.offset;
    if (!accept(Tok::kQuestion)) return condition;
    Expr* const yes = logic(false);
    expect(Tok::kColon);
    Expr* const no = expr();
    return call("_?_:_", false, offset, {condition, yes, no}, 1);
  }

  // A chain of && (or of || over those) becomes a balanced tree.
  Expr* logic(bool is_and) {
    std::vector<Expr*> terms = {is_and ? binary(1) : logic(true)};
    std::vector<uint32_t> offsets;
    while (token_.kind == (is_and ? Tok::kAnd : Tok::kOr) && !failed_) {
      offsets.push_back(token_.offset);
      advance();
      terms.push_back(is_and ? binary(1) : logic(true));
    }
    if (offsets.empty()) return terms[0];
    return balanced(is_and ? "_&&_" : "_||_", terms, offsets, 0, offsets.size() - 1);
  }
  Expr* balanced(Str name, const std::vector<Expr*>& terms, const std::vector<uint32_t>& offsets,
                 size_t low, size_t high) {
    const size_t middle = (low + high + 1) / 2;
    Expr* const left =
        middle == low ? terms[middle] : balanced(name, terms, offsets, low, middle - 1);
    Expr* const right =
        middle == high ? terms[middle + 1] : balanced(name, terms, offsets, middle + 1, high);
    return call(name, false, offsets[middle], {left, right}, 0);
  }

  Expr* binary(int level) {
    Expr* left = level == 3 ? unary() : binary(level + 1);
    for (;;) {
      const Operator op = operator_of(token_.kind);
      if (failed_ || op.level != level) return left;
      const uint32_t offset = token_.offset;
      advance();
      Expr* const right = level == 3 ? unary() : binary(level + 1);
      left = call(op.name, false, offset, {left, right}, 1);
    }
  }

  Expr* unary() {
    const Tok kind = token_.kind;
    if (kind != Tok::kNot && kind != Tok::kMinus) return member();
    const Token first = token_;
    size_t count = 0;
    while (accept(kind)) ++count;
    const auto is_number = [](Tok k) { return k == Tok::kInt || k == Tok::kFloat; };
    if (kind == Tok::kMinus && count == 1 && is_number(token_.kind)) return member(&first);
    const Token sign = token_;
    const bool is_negative =
        kind == Tok::kNot && sign.kind == Tok::kMinus && is_number(Lexer(lexer_).next().kind);
    if (is_negative) advance();
    Expr* const operand = member(is_negative ? &sign : nullptr);
    if (count % 2 == 0) return operand;
    return call(kind == Tok::kNot ? "!_" : "-_", false, first.offset, {operand}, 0);
  }

  std::vector<Expr*> arguments(Expr* receiver) {
    std::vector<Expr*> args;
    if (receiver != nullptr) args.push_back(receiver);
    if (accept(Tok::kCloseParen)) return args;
    do args.push_back(expr());
    while (accept(Tok::kComma));
    expect(Tok::kCloseParen);
    return args;
  }

  // The name of a field. What is in back quotes is a name in newer dialects, an error in others.
  Token field() {
    Token id = token_;
    if (id.kind == Tok::kEscapedIdent && takes_quotes_)
      id.text = id.text.substr(1, id.text.size() - 2);
    else if (id.kind == Tok::kEscapedIdent)
      report(id.offset, "unsupported syntax: '`'");
    else if (id.kind != Tok::kIdent)
      syntax_error();
    advance();
    return id;
  }

  Expr* member(const Token* sign = nullptr) {
    Expr* e = primary(sign);
    for (;;) {
      const uint32_t offset = token_.offset;
      if (accept(Tok::kDot)) {
        const bool optional = accept(Tok::kQuestion);
        const bool is_escaped = token_.kind == Tok::kEscapedIdent;
        const Token id = field();
        if (failed_) return node(ExprKind::kError, id.offset);
        const uint32_t open = token_.offset;
        if (!is_escaped && !optional && accept(Tok::kOpenParen)) {
          e = call(id.text, true, open, arguments(e), 1);
          continue;
        }
        if (optional) {
          Expr* const field = node(ExprKind::kString, id.offset);
          field->name = id.text;
          const int depth = std::min(e->depth + 1, kMostDepth + 1);
          ExprFactory make(arena_, offset, static_cast<uint16_t>(depth));
          e = make.call("_?._", {e, field});
        } else {
          Expr* const select = node(ExprKind::kSelect, offset);
          select->name = id.text;
          select->args = arena_.copy(&e, 1);
          select->depth = static_cast<uint16_t>(std::min(e->depth + 1, kMostDepth + 1));
          e = select;
        }
      } else if (accept(Tok::kOpenBracket)) {
        const bool optional = accept(Tok::kQuestion);
        Expr* const index = expr();
        expect(Tok::kCloseBracket);
        e = call(optional ? "_[?_]" : "_[_]", false, offset, {e, index}, 1);
      } else {
        return e;
      }
      if (failed_) return e;
    }
  }

  Expr* primary(const Token* sign) {
    const Token t = token_;
    switch (t.kind) {
      case Tok::kDot:
      case Tok::kIdent: return name();
      case Tok::kOpenParen: {
        advance();
        Expr* const e = expr();
        expect(Tok::kCloseParen);
        return e;
      }
      case Tok::kOpenBracket: return list();
      case Tok::kOpenBrace: return map();
      case Tok::kInt:
      case Tok::kUint:
      case Tok::kFloat: advance(); return number(t, sign);
      case Tok::kString:
      case Tok::kBytes: {
        advance();
        auto text = unescape(t.text, t.kind == Tok::kBytes);
        if (!text.ok()) return report(t.offset, text.error().message);
        Expr* const e =
            node(t.kind == Tok::kBytes ? ExprKind::kBytes : ExprKind::kString, t.offset);
        e->name = arena_.copy(Str(*text));
        return e;
      }
      case Tok::kTrue:
      case Tok::kFalse: {
        advance();
        return ExprFactory(arena_, t.offset, 0).boolean(t.kind == Tok::kTrue);
      }
      case Tok::kNull: advance(); return node(ExprKind::kNull, t.offset);
      default: return syntax_error();
    }
  }

  Expr* number(const Token& t, const Token* sign) {
    const uint32_t offset = sign != nullptr ? sign->offset : t.offset;
    if (t.kind == Tok::kFloat) {
      const auto value = parse_double((sign != nullptr ? "-" : "") + std::string(t.text));
      if (!value) return report(offset, "invalid double literal");
      Expr* const e = node(ExprKind::kDouble, offset);
      e->double_value = *value;
      return e;
    }
    Str digits = t.text;
    if (t.kind == Tok::kUint) digits.remove_suffix(1);
    const bool is_hex = digits.starts_with("0x");
    if (is_hex) digits.remove_prefix(2);
    uint64_t value = 0;
    bool fits = true;
    for (const char c : digits) {
      const auto digit = static_cast<unsigned>(hex_digit(c));
      const __uint128_t next = static_cast<__uint128_t>(value) * (is_hex ? 16 : 10) + digit;
      if (next > UINT64_MAX) fits = false;
      value = static_cast<uint64_t>(next);
    }
    if (t.kind == Tok::kUint) {
      if (!fits) return report(offset, "invalid uint literal");
      Expr* const e = node(ExprKind::kUint, offset);
      e->uint_value = value;
      return e;
    }
    const uint64_t most = sign != nullptr ? uint64_t{1} << 63 : (uint64_t{1} << 63) - 1;
    if (!fits || value > most) return report(offset, "invalid int literal");
    return ExprFactory(arena_, offset, 0)
        .integer(static_cast<int64_t>(sign != nullptr ? 0 - value : value));
  }

  // An identifier, a call or a message, with or without a leading dot.
  Expr* name() {
    const uint32_t start = token_.offset;
    const bool dot = accept(Tok::kDot);
    const Token id = token_;
    if (!accept(Tok::kIdent)) return syntax_error();
    std::string text = (dot ? "." : "") + std::string(id.text);
    if (Lexer ahead = lexer_; is_message(ahead)) return message(text);
    const uint32_t open = token_.offset;
    const bool is_call = accept(Tok::kOpenParen);
    std::vector<Expr*> args;
    if (is_call) args = arguments(nullptr);
    if (is_reserved(id.text)) return report(start, "reserved identifier: " + std::string(id.text));
    if (is_call) return call(arena_.copy(Str(text)), false, open, args, 0);
    Expr* const e = node(ExprKind::kIdent, id.offset);
    e->name = arena_.copy(Str(text));
    return e;
  }

  // Tells whether (".", identifier)* and "{" follow.
  bool is_message(Lexer& ahead) const {
    Token t = token_;
    while (t.kind == Tok::kDot) {
      if (ahead.next().kind != Tok::kIdent) return false;
      t = ahead.next();
    }
    return t.kind == Tok::kOpenBrace && !failed_;
  }

  Expr* message(std::string text) {
    while (accept(Tok::kDot)) {
      text += '.' + std::string(token_.text);
      advance();
    }
    Expr* const e = node(ExprKind::kStruct, token_.offset);
    e->name = arena_.copy(Str(text));
    advance();
    std::vector<Expr*> values;
    std::vector<Str> fields;
    std::vector<uint8_t> optional;
    std::vector<uint32_t> offsets;
    while (token_.kind != Tok::kCloseBrace && !failed_) {
      if (fields.empty() && accept(Tok::kComma)) break;
      optional.push_back(accept(Tok::kQuestion));
      fields.push_back(arena_.copy(field().text));
      if (failed_) return e;
      offsets.push_back(token_.offset);
      expect(Tok::kColon);
      values.push_back(expr());
      if (!accept(Tok::kComma)) break;
    }
    expect(Tok::kCloseBrace);
    return finish(e, values, optional, offsets, fields);
  }

  Expr* finish(Expr* e, const std::vector<Expr*>& args, const std::vector<uint8_t>& optional,
               const std::vector<uint32_t>& offsets, const std::vector<Str>& fields) {
    e->args = arena_.copy(args);
    e->fields = arena_.copy(fields);
    if (std::find(optional.begin(), optional.end(), 1) != optional.end())
      e->optional = arena_.copy(optional);
    e->entry_offsets = arena_.copy(offsets);
    for (const Expr* arg : args) e->depth = std::max(e->depth, arg->depth);
    return e;
  }

  Expr* list() {
    Expr* const e = node(ExprKind::kList, token_.offset);
    advance();
    std::vector<Expr*> elements;
    std::vector<uint8_t> optional;
    while (token_.kind != Tok::kCloseBracket && !failed_) {
      if (elements.empty() && accept(Tok::kComma)) break;
      optional.push_back(accept(Tok::kQuestion));
      elements.push_back(expr());
      if (!accept(Tok::kComma)) break;
    }
    expect(Tok::kCloseBracket);
    return finish(e, elements, optional, {}, {});
  }

  Expr* map() {
    Expr* const e = node(ExprKind::kMap, token_.offset);
    advance();
    std::vector<Expr*> entries;
    std::vector<uint8_t> optional;
    std::vector<uint32_t> offsets;
    while (token_.kind != Tok::kCloseBrace && !failed_) {
      if (entries.empty() && accept(Tok::kComma)) break;
      optional.push_back(accept(Tok::kQuestion));
      entries.push_back(expr());
      offsets.push_back(token_.offset);
      expect(Tok::kColon);
      entries.push_back(expr());
      if (!accept(Tok::kComma)) break;
    }
    expect(Tok::kCloseBrace);
    return finish(e, entries, optional, offsets, {});
  }

  Lexer lexer_;
  Token token_;
  Arena& arena_;
  Issues& issues_;
  int level_ = 0;
  bool failed_ = false;
  const bool takes_quotes_;
};

}  // namespace

Expr* parse(Str source, Arena& arena, Issues& issues, const Dialect& dialect) {
  size_t code_points = 0;
  for (const char c : source) code_points += (static_cast<uint8_t>(c) & 0xC0) != 0x80;
  if (code_points > kMostCodePoints) {
    issues.add(Issues::kNowhere, "expression code point size exceeds limit: size: " +
                                     std::to_string(code_points) + ", limit 100000");
    return nullptr;
  }
  return Parser(source, arena, issues, dialect).run();
}

}  // namespace libsched::cel
