// Unification: what type variables stand for, as upstream's checker works it out.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "libsched/base/arena.hpp"
#include "libsched/cel/type.hpp"

namespace libsched::cel {

class Unifier {
 public:
  explicit Unifier(Arena& arena) : arena_(arena) {}

  const Type* new_variable();
  // Whether `from` can be assigned to `to`. What was learned about variables is kept only on
  // success.
  bool assignable(const Type* from, const Type* to);
  bool assignable(Span<const Type*> from, Span<const Type*> to);
  // Replaces the variables that have a substitution, the others by dyn if `to_dyn`.
  const Type* substitute(const Type* t, bool to_dyn);
  // A copy of an overload's type whose variable i is first + i.
  const Type* renumbered(const Type* t, const std::vector<const Type*>& variables);
  bool exact(const Type* a, const Type* b) { return is_exact(a, b, steps_); }
  static const Type* most_general(const Type* a, const Type* b, int64_t& steps);
  const Type* most_general(const Type* a, const Type* b) { return most_general(a, b, steps_); }
  // Types that grow with each step of an expression would take exponential time.
  bool exhausted() const { return steps_ < 0; }

 private:
  const Type* find(const Type* t) const {
    return t->kind == TypeKind::kParam ? values_[t->variable] : nullptr;
  }
  void set(const Type* variable, const Type* value);
  bool assign(const Type* from, const Type* to);
  bool assign_lists(Span<const Type*> from, Span<const Type*> to);
  struct Substitution {
    bool valid;
    bool known;
  };
  Substitution substitutes(const Type* t, const Type* variable);
  bool absent(const Type* t, const Type* within);

  Arena& arena_;
  std::vector<const Type*> values_;
  std::vector<std::pair<uint32_t, const Type*>> undo_;
  int64_t steps_ = 2'000'000;
};

}  // namespace libsched::cel
