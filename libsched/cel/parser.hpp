// The parser: source to a syntax tree, macros expanded as upstream's parser does it.
//
// Its recursion is bounded: an expression in parentheses, brackets or arguments has at most 250
// levels, and so has a chain of operators or selections.
#pragma once

#include "libsched/base/arena.hpp"
#include "libsched/cel/ast.hpp"
#include "libsched/cel/dialect.hpp"
#include "libsched/cel/issues.hpp"

namespace libsched::cel {

inline constexpr Str kAccumulator = "__result__";
inline constexpr Str kUnusedVariable = "#unused";
inline constexpr size_t kMostCodePoints = 100'000;

// The tree, or nullptr after an error that is in `issues`.
Expr* parse(Str source, Arena& arena, Issues& issues, const Dialect& dialect = {});

// Makes nodes at one place of the source.
class ExprFactory {
 public:
  ExprFactory(Arena& arena, uint32_t offset, uint16_t depth)
      : arena_(arena), offset_(offset), depth_(depth) {}
  Arena& arena() { return arena_; }
  Expr* node(ExprKind kind);
  Expr* boolean(bool value);
  Expr* integer(int64_t value);
  Expr* ident(Str name);
  Expr* accumulator() { return ident(kAccumulator); }
  Expr* call(Str name, std::initializer_list<Expr*> args, bool is_member = false);
  Expr* list(std::initializer_list<Expr*> elements);
  Expr* fold(const Fold& parts);
  Expr* copy(const Expr* e);

 private:
  Arena& arena_;
  uint32_t offset_;
  uint16_t depth_;
};

// The expansion of a macro call whose receiver, if any, is args[0]; nullptr if it is none. Errors
// go to `issues` and give a kError.
Expr* expand_macro(Str name, bool is_member, Span<Expr*> args, ExprFactory& make, Issues& issues);

}  // namespace libsched::cel
