// The type checker: finds the types, overloads and variables of a syntax tree and writes them into
// it.
#pragma once

#include "libsched/base/arena.hpp"
#include "libsched/cel/ast.hpp"
#include "libsched/cel/cel.hpp"
#include "libsched/cel/issues.hpp"

namespace libsched::cel {

// Adds upstream's errors to `issues`. Returns how many variables there are: slot 0 is the device,
// each fold has three of its own.
uint32_t check(Expr* e, Arena& arena, const Options& options, Issues& issues);

}  // namespace libsched::cel
