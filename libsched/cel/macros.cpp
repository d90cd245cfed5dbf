// Macros: has, the comprehensions over one and two variables, cel.bind, optMap, optFlatMap and
// sortBy.
#include <string>
#include <utility>
#include <vector>

#include "libsched/cel/parser.hpp"

namespace libsched::cel {
namespace {

enum class Quantifier { kAll, kExists, kExistsOne };

class Expansion {
 public:
  Expansion(ExprFactory& make, Span<Expr*> args, Issues& issues)
      : make_(make), args_(args), issues_(issues) {}

  Expr* fail(const Expr* at, std::string message) {
    issues_.add(at->offset, std::move(message));
    return make_.node(ExprKind::kError);
  }

  // The checks of a variable; nullptr: it is fine.
  Expr* check_variable(const Expr* variable, const char* if_none) {
    if (variable->kind != ExprKind::kIdent) return fail(variable, if_none);
    if (variable->name == kAccumulator)
      return fail(variable, "iteration variable overwrites accumulator variable");
    return nullptr;
  }
  Expr* check_variables() {
    for (int i = 1; i <= 2; ++i)
      if (args_[i]->kind != ExprKind::kIdent)
        return fail(args_[i], "argument must be a simple name");
    if (args_[1]->name == args_[2]->name)
      return fail(args_[2], "duplicate variable name: " + std::string(args_[1]->name));
    for (int i = 1; i <= 2; ++i)
      if (args_[i]->name == kAccumulator)
        return fail(args_[i], "iteration variable overwrites accumulator variable");
    return nullptr;
  }

  Expr* fold(Str variable, Str variable2, Expr* range, Expr* init, Expr* condition, Expr* step,
             Expr* result) {
    return make_.fold({variable, variable2, kAccumulator, range, init, condition, step, result});
  }

  Expr* quantifier(Quantifier kind, bool two) {
    Expr* const failed =
        two ? check_variables() : check_variable(args_[1], "argument must be a simple name");
    if (failed != nullptr) return failed;
    const Str v1 = args_[1]->name;
    const Str v2 = two ? args_[2]->name : Str();
    Expr* const predicate = args_[two ? 3 : 2];
    auto& m = make_;
    switch (kind) {
      case Quantifier::kAll:
        return fold(v1, v2, args_[0], m.boolean(true),
                    m.call("@not_strictly_false", {m.accumulator()}),
                    m.call("_&&_", {m.accumulator(), predicate}), m.accumulator());
      case Quantifier::kExists:
        return fold(v1, v2, args_[0], m.boolean(false),
                    m.call("@not_strictly_false", {m.call("!_", {m.accumulator()})}),
                    m.call("_||_", {m.accumulator(), predicate}), m.accumulator());
      default:
        return fold(v1, v2, args_[0], m.integer(0), m.boolean(true),
                    m.call("_?_:_", {predicate, m.call("_+_", {m.accumulator(), m.integer(1)}),
                                     m.accumulator()}),
                    m.call("_==_", {m.accumulator(), m.integer(1)}));
    }
  }

  // map, filter, transformList: step adds [element] where the filter, if any, holds.
  Expr* collect(Str v1, Str v2, Expr* range, Expr* filter, Expr* element) {
    auto& m = make_;
    Expr* step = m.call("_+_", {m.accumulator(), m.list({element})});
    if (filter != nullptr) step = m.call("_?_:_", {filter, step, m.accumulator()});
    return fold(v1, v2, range, m.list({}), m.boolean(true), step, m.accumulator());
  }

  Expr* map(Expr* range, Span<Expr*> args) {
    if (Expr* const failed = check_variable(args[0], "argument is not an identifier"))
      return failed;
    if (args.size() == 3) return collect(args[0]->name, {}, range, args[1], args[2]);
    return collect(args[0]->name, {}, range, nullptr, args[1]);
  }

  Expr* filter() {
    if (Expr* const failed = check_variable(args_[1], "argument is not an identifier"))
      return failed;
    return collect(args_[1]->name, {}, args_[0], args_[2], args_[1]);
  }

  Expr* transform_list() {
    if (Expr* const failed = check_variables()) return failed;
    const bool filtered = args_.size() == 5;
    return collect(args_[1]->name, args_[2]->name, args_[0], filtered ? args_[3] : nullptr,
                   args_.back());
  }

  Expr* transform_map(bool entry) {
    if (Expr* const failed = check_variables()) return failed;
    auto& m = make_;
    Expr* step =
        entry ? m.call("cel.@mapInsert", {m.accumulator(), args_.back()})
              : m.call("cel.@mapInsert", {m.accumulator(), m.ident(args_[1]->name), args_.back()});
    if (args_.size() == 5) step = m.call("_?_:_", {args_[3], step, m.accumulator()});
    return fold(args_[1]->name, args_[2]->name, args_[0], m.node(ExprKind::kMap), m.boolean(true),
                step, m.accumulator());
  }

  Expr* binding(Str name, Expr* init, Expr* body) {
    auto& m = make_;
    return m.fold(
        {kUnusedVariable, {}, name, m.list({}), init, m.boolean(false), m.ident(name), body});
  }

  Expr* bind() {
    if (args_[0]->kind != ExprKind::kIdent || args_[0]->name != "cel") return nullptr;
    if (args_[1]->kind != ExprKind::kIdent)
      return fail(args_[1], "cel.bind() variable names must be simple identifiers");
    return binding(args_[1]->name, args_[2], args_[3]);
  }

  Expr* opt_map(bool flat) {
    if (args_[1]->kind != ExprKind::kIdent)
      return fail(args_[1], std::string(flat ? "optFlatMap" : "optMap") +
                                "() variable name must be a simple identifier");
    auto& m = make_;
    Expr* const has = m.call("hasValue", {args_[0]}, true);
    Expr* const value = m.call("value", {m.copy(args_[0])}, true);
    Expr* body = binding(args_[1]->name, value, args_[2]);
    if (!flat) body = m.call("optional.of", {body});
    return m.call("_?_:_", {has, body, m.call("optional.none", {})});
  }

  Expr* sort_by() {
    const ExprKind kind = args_[0]->kind;
    if (kind != ExprKind::kList && kind != ExprKind::kSelect && kind != ExprKind::kIdent &&
        kind != ExprKind::kFold && kind != ExprKind::kCall)
      return fail(args_[0],
                  "sortBy can only be applied to a list, identifier, comprehension, call "
                  "or select expression");
    const Str input = "@__sortBy_input__";
    auto& m = make_;
    Expr* const keys = map(m.ident(input), args_.subspan(1));
    if (keys->kind == ExprKind::kError) return keys;
    return binding(input, args_[0], m.call("@sortByAssociatedKeys", {m.ident(input), keys}, true));
  }

 private:
  ExprFactory& make_;
  Span<Expr*> args_;
  Issues& issues_;
};

}  // namespace

Expr* ExprFactory::node(ExprKind kind) {
  Expr* const e = arena_.make<Expr>();
  e->kind = kind;
  e->offset = offset_;
  e->depth = depth_;
  return e;
}

Expr* ExprFactory::boolean(bool value) {
  Expr* const e = node(ExprKind::kBool);
  e->int_value = value ? 1 : 0;
  return e;
}

Expr* ExprFactory::integer(int64_t value) {
  Expr* const e = node(ExprKind::kInt);
  e->int_value = value;
  return e;
}

Expr* ExprFactory::ident(Str name) {
  Expr* const e = node(ExprKind::kIdent);
  e->name = name;
  return e;
}

Expr* ExprFactory::call(Str name, std::initializer_list<Expr*> args, bool is_member) {
  Expr* const e = node(ExprKind::kCall);
  e->name = name;
  e->is_member = is_member;
  e->args = arena_.copy(args.begin(), args.size());
  return e;
}

Expr* ExprFactory::list(std::initializer_list<Expr*> elements) {
  Expr* const e = node(ExprKind::kList);
  e->args = arena_.copy(elements.begin(), elements.size());
  return e;
}

Expr* ExprFactory::fold(const Fold& parts) {
  Expr* const e = node(ExprKind::kFold);
  e->fold = arena_.make<Fold>();
  *e->fold = parts;
  return e;
}

Expr* ExprFactory::copy(const Expr* e) {
  Expr* const out = arena_.make<Expr>();
  *out = *e;
  std::vector<Expr*> args;
  for (const Expr* arg : e->args) args.push_back(copy(arg));
  out->args = arena_.copy(args);
  if (e->fold != nullptr) {
    out->fold = arena_.make<Fold>();
    *out->fold = *e->fold;
    for (Expr** part : {&out->fold->range, &out->fold->init, &out->fold->condition,
                        &out->fold->step, &out->fold->result})
      *part = copy(*part);
  }
  return out;
}

Expr* expand_macro(Str name, bool is_member, Span<Expr*> args, ExprFactory& make, Issues& issues) {
  Expansion x(make, args, issues);
  const size_t n = args.size() - (is_member ? 1 : 0);
  if (!is_member) {
    if (name != "has" || n != 1) return nullptr;
    if (args[0]->kind != ExprKind::kSelect)
      return x.fail(args[0], "invalid argument to has() macro");
    Expr* const test = make.node(ExprKind::kSelect);
    test->name = args[0]->name;
    test->args = args[0]->args;
    test->test_only = true;
    return test;
  }
  if (n == 2 || n == 3) {
    if (name == "all") return x.quantifier(Quantifier::kAll, n == 3);
    if (name == "exists") return x.quantifier(Quantifier::kExists, n == 3);
    if (name == "exists_one") return x.quantifier(Quantifier::kExistsOne, n == 3);
    if (name == "map") return x.map(args[0], args.subspan(1));
  }
  if (n == 3 && name == "existsOne") return x.quantifier(Quantifier::kExistsOne, true);
  if (n == 2 && name == "filter") return x.filter();
  if (n == 3 && name == "bind") return x.bind();
  if (n == 2 && name == "optMap") return x.opt_map(false);
  if (n == 2 && name == "optFlatMap") return x.opt_map(true);
  if (n == 2 && name == "sortBy") return x.sort_by();
  if (n == 3 || n == 4) {
    if (name == "transformList") return x.transform_list();
    if (name == "transformMap") return x.transform_map(false);
    if (name == "transformMapEntry") return x.transform_map(true);
  }
  return nullptr;
}

}  // namespace libsched::cel
