// The check of literal formats: "%d".format(["a"]) is refused when it is compiled.
#pragma once

#include "libsched/cel/ast.hpp"
#include "libsched/cel/issues.hpp"

namespace libsched::cel {

// Of one call of format(), whose types are known. Calls with other than literals are fine.
void check_format_call(const Expr* call, Issues& issues);

}  // namespace libsched::cel
