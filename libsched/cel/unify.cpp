// Unification of types.
#include "libsched/cel/unify.hpp"

#include <string>

namespace libsched::cel {
namespace {

bool nullable(const Type* t) {
  if (t->is_wrapper) return true;
  switch (t->kind) {
    case TypeKind::kOpaque:
    case TypeKind::kStruct:
    case TypeKind::kAny:
    case TypeKind::kDuration:
    case TypeKind::kTimestamp:
    case TypeKind::kNull: return true;
    default: return false;
  }
}

bool less_specific(const Type* a, const Type* b, int64_t& steps) {
  if (a == b) return true;
  if (--steps < 0) return false;
  if (a->is_dyn() || a->kind == TypeKind::kParam) return true;
  if (b->is_dyn() || b->kind == TypeKind::kParam) return false;
  if (a->kind != b->kind) return false;
  switch (a->kind) {
    case TypeKind::kOpaque:
    case TypeKind::kList:
    case TypeKind::kMap:
      if (a->name != b->name || a->params.size() != b->params.size()) return false;
      for (size_t i = 0; i < a->params.size(); ++i)
        if (!less_specific(a->params[i], b->params[i], steps)) return false;
      return true;
    case TypeKind::kType: return true;
    default: return is_exact(a, b, steps);
  }
}

}  // namespace

const Type* Unifier::most_general(const Type* a, const Type* b, int64_t& steps) {
  return less_specific(a, b, steps) ? a : b;
}

const Type* Unifier::new_variable() {
  Type* const t = arena_.make<Type>();
  t->kind = TypeKind::kParam;
  t->has_params = true;
  t->variable = static_cast<uint32_t>(values_.size());
  t->name = arena_.copy(Str("_var" + std::to_string(values_.size())));
  values_.push_back(nullptr);
  return t;
}

void Unifier::set(const Type* variable, const Type* value) {
  undo_.emplace_back(variable->variable, values_[variable->variable]);
  values_[variable->variable] = value;
}

bool Unifier::absent(const Type* t, const Type* within) {
  if (--steps_ < 0) return false;
  if (!within->has_params) return true;
  if (exact(t, within)) return false;
  if (within->kind == TypeKind::kParam) {
    const Type* const value = find(within);
    return value == nullptr || absent(t, value);
  }
  for (const Type* p : within->params)
    if (!absent(t, p)) return false;
  return true;
}

Unifier::Substitution Unifier::substitutes(const Type* t, const Type* variable) {
  if (exact(t, variable)) return {true, true};
  if (const Type* const value = find(variable)) {
    if (exact(t, value)) return {true, true};
    if (!assign(t, value)) return {false, true};
    const Type* const general = most_general(t, value);
    if (absent(variable, general)) set(variable, general);
    return {true, true};
  }
  if (variable->kind == TypeKind::kParam && absent(variable, t)) {
    set(variable, t);
    return {true, false};
  }
  return {false, false};
}

bool Unifier::assign_lists(Span<const Type*> from, Span<const Type*> to) {
  if (from.size() != to.size()) return false;
  for (size_t i = 0; i < from.size(); ++i)
    if (!assign(from[i], to[i])) return false;
  return true;
}

bool Unifier::assign(const Type* from, const Type* to) {
  if (--steps_ < 0) return false;
  if (to->kind == TypeKind::kParam) {
    const Substitution s = substitutes(from, to);
    if (s.valid) return true;
    if (s.known) return false;
  }
  if (from->kind == TypeKind::kParam) return substitutes(to, from).valid;
  if (from->is_dyn_or_error() || to->is_dyn_or_error()) return true;
  if (from->kind == TypeKind::kNull) return nullable(to);
  if (to->kind == TypeKind::kNull) return nullable(from);
  switch (from->kind) {
    case TypeKind::kType: return to->kind == TypeKind::kType;
    case TypeKind::kOpaque:
    case TypeKind::kList:
    case TypeKind::kMap:
      return from->kind == to->kind && from->name == to->name &&
             assign_lists(from->params, to->params);
    default: return from->kind == to->kind && from->name == to->name;
  }
}

bool Unifier::assignable(Span<const Type*> from, Span<const Type*> to) {
  undo_.clear();
  if (assign_lists(from, to)) return true;
  for (; !undo_.empty(); undo_.pop_back()) values_[undo_.back().first] = undo_.back().second;
  return false;
}

bool Unifier::assignable(const Type* from, const Type* to) {
  return assignable(Span<const Type*>(&from, 1), Span<const Type*>(&to, 1));
}

const Type* Unifier::substitute(const Type* t, bool to_dyn) {
  if (!t->has_params || --steps_ < 0) return t;
  if (const Type* const value = find(t)) return substitute(value, to_dyn);
  if (t->kind == TypeKind::kParam || is_unknown(t)) return to_dyn ? simple_type(TypeKind::kDyn) : t;
  std::vector<const Type*> params;
  for (const Type* p : t->params) params.push_back(substitute(p, to_dyn));
  return make_named_type(arena_, t->kind, t->name, arena_.copy(params));
}

const Type* Unifier::renumbered(const Type* t, const std::vector<const Type*>& variables) {
  if (!t->has_params) return t;
  if (t->kind == TypeKind::kParam) return variables[t->variable];
  std::vector<const Type*> params;
  for (const Type* p : t->params) params.push_back(renumbered(p, variables));
  return make_named_type(arena_, t->kind, t->name, arena_.copy(params));
}

}  // namespace libsched::cel
