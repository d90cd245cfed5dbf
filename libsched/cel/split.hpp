// The parts of an expression that can be asked one by one, so that users see why a device does not
// match.
#pragma once

#include <string>
#include <vector>

#include "libsched/base/arena.hpp"

namespace libsched::cel {

// At most so many parts; the last of a level holds the rest of a longer chain.
inline constexpr size_t kMostConjuncts = 128;

// An operand of the outermost `&&`.
struct Conjunct {
  std::string text;     // as it is written
  std::string program;  // the same within the bindings that it stands in
  // What the operand compares or calls a method of, and the same within bindings; "" if it has no
  // such thing.
  std::string subject, subject_program;
};

// The operands of the outermost `&&`, through parentheses and into the body of cel.bind(). An
// expression that is no chain is its own only operand. The expression must compile.
std::vector<Conjunct> split_conjuncts(Str expression);

}  // namespace libsched::cel
