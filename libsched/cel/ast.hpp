// The syntax tree of an expression, in an arena. Macros are expanded in it: what upstream calls a
// comprehension is a kFold. The checker writes types and overloads into it.
#pragma once

#include <cstdint>

#include "libsched/base/arena.hpp"
#include "libsched/cel/type.hpp"

namespace libsched::cel {

struct Overload;

enum class ExprKind : uint8_t {
  kError,  // stands where the parser has reported an error
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kIdent,
  kSelect,  // args[0].name; test_only: has()
  kCall,    // name(args...); is_member: args[0] is the receiver
  kList,
  kMap,     // args: key, value, key, value, ...
  kStruct,  // name{fields[i]: args[i]}
  kFold,
};

struct Expr;

// The parts of a kFold. `variable2` is "" in folds over one variable.
struct Fold {
  Str variable;
  Str variable2;
  Str accumulator;
  Expr* range = nullptr;
  Expr* init = nullptr;
  Expr* condition = nullptr;
  Expr* step = nullptr;
  Expr* result = nullptr;
};

struct Expr {
  ExprKind kind = ExprKind::kError;
  bool test_only = false;
  bool is_member = false;
  uint16_t depth = 0;   // of the syntax below, as upstream counts it
  uint32_t offset = 0;  // in bytes of the source
  Str name;             // identifier, field, function, type; the bytes of kString and kBytes
  union {
    int64_t int_value = 0;  // kInt; kBool: 0 or 1
    uint64_t uint_value;
    double double_value;
  };
  Span<Expr*> args;
  Span<uint8_t> optional;        // per element or entry; empty if none is
  Span<Str> fields;              // of kStruct
  Span<uint32_t> entry_offsets;  // of kMap and kStruct: where the colons are
  Fold* fold = nullptr;

  // Of the checker:
  const Type* type = nullptr;
  Span<const Overload*> overloads;   // the candidates of a call
  const Type* type_value = nullptr;  // the identifier is the name of this type
  uint32_t slot = 0;                 // the identifier's variable: 0 is device, others are numbered
};

}  // namespace libsched::cel
