// The overloads of all functions, as the checker and the evaluator need them.
#pragma once

#include <cstdint>

#include "libsched/base/arena.hpp"
#include "libsched/cel/dialect.hpp"
#include "libsched/cel/type.hpp"

namespace libsched::cel {

struct Function;

// One overload. Type variables in it are numbered from 0; the checker replaces them.
struct Overload {
  Str id;
  bool is_member = false;
  uint16_t variables = 0;  // how many type variables it has
  uint16_t index = 0;      // in overloads()
  Span<const Type*> args;
  const Type* result = nullptr;
  const Function* function = nullptr;
};

struct Function {
  Str name;
  Span<const Overload*> overloads;  // in upstream's order, of all dialects
};

bool is_declared(const Overload& overload, const Dialect& dialect);

// nullptr if there is none of this name in any dialect. The table is made at the first use and
// never changes.
const Function* find_function(Str name);
Span<Overload> all_overloads();

}  // namespace libsched::cel
