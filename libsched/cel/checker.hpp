// The type checker: finds the types, overloads and variables of a syntax tree and writes them into
// it.
#pragma once

#include "libsched/base/arena.hpp"
#include "libsched/cel/ast.hpp"
#include "libsched/cel/issues.hpp"

namespace libsched::cel {

// Adds upstream's errors to `issues`. `list_attributes`: attributes of devices have type dyn, not
// any. Returns how many variables there are: slot 0 is the device, each fold has three of its own.
uint32_t check(Expr* e, Arena& arena, bool list_attributes, Issues& issues);

}  // namespace libsched::cel
