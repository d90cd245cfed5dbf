// Clauses of a literal format against the types of the elements of a literal list.
#include "libsched/cel/format_check.hpp"

#include <algorithm>
#include <initializer_list>

#include "libsched/cel/lib/string_format.hpp"

namespace libsched::cel {
namespace {

bool is_one_of(const Type* t, std::initializer_list<TypeKind> kinds) {
  return t->kind == TypeKind::kDyn || std::find(kinds.begin(), kinds.end(), t->kind) != kinds.end();
}

// The part of a list or map literal that cannot be written by %s; nullptr if all can.
const Expr* not_text(const Expr* e) {
  if (!is_one_of(e->type,
                 {TypeKind::kList, TypeKind::kMap, TypeKind::kInt, TypeKind::kUint,
                  TypeKind::kDouble, TypeKind::kBool, TypeKind::kString, TypeKind::kTimestamp,
                  TypeKind::kBytes, TypeKind::kDuration, TypeKind::kType, TypeKind::kNull}))
    return e;
  if (e->kind != ExprKind::kList && e->kind != ExprKind::kMap) return nullptr;
  for (const Expr* arg : e->args)
    if (const Expr* const bad = not_text(arg)) return bad;
  return nullptr;
}

class LiteralCheck : public ClauseCheck {
 public:
  explicit LiteralCheck(Span<Expr*> args) : args_(args) {}

  std::string check(char verb, size_t argument) override {
    const Expr* const arg = args_[argument];
    bad_ = verb == 's' ? not_text(arg) : fits(verb, arg->type) ? nullptr : arg;
    return bad_ == nullptr ? std::string() : clause_error(verb, bad_->type->name);
  }
  const Expr* bad() const { return bad_; }

 private:
  static bool fits(char verb, const Type* t) {
    switch (verb) {
      case 'd':
      case 'o': return is_one_of(t, {TypeKind::kInt, TypeKind::kUint});
      case 'f':
      case 'e': return is_one_of(t, {TypeKind::kDouble, TypeKind::kString});
      case 'b': return is_one_of(t, {TypeKind::kInt, TypeKind::kUint, TypeKind::kBool});
      default:
        return is_one_of(t, {TypeKind::kInt, TypeKind::kUint, TypeKind::kString, TypeKind::kBytes});
    }
  }

  Span<Expr*> args_;
  const Expr* bad_ = nullptr;
};

}  // namespace

void check_format_call(const Expr* call, Issues& issues) {
  if (call->args.size() != 2 || call->args[0]->kind != ExprKind::kString ||
      call->args[1]->kind != ExprKind::kList)
    return;
  const Span<Expr*> args = call->args[1]->args;
  LiteralCheck check(args);
  const auto wanted = check_format(call->args[0]->name, args.size(), check);
  if (!wanted.ok()) {
    const Expr* const place = check.bad() != nullptr ? check.bad() : call;
    return issues.add(place->offset, wanted.error().message);
  }
  if (args.size() > *wanted)
    issues.add(call->offset, "too many arguments supplied to string.format (expected " +
                                 std::to_string(*wanted) + ", got " + std::to_string(args.size()) +
                                 ")");
}

}  // namespace libsched::cel
