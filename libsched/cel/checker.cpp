// The type checker. Its order of checks decides which type variables are bound to what, so it is
// upstream's.
#include "libsched/cel/checker.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "libsched/cel/format_check.hpp"
#include "libsched/cel/lib/duration.hpp"
#include "libsched/cel/lib/regex.hpp"
#include "libsched/cel/lib/timestamp.hpp"
#include "libsched/cel/messages.hpp"
#include "libsched/cel/overloads.hpp"
#include "libsched/cel/parser.hpp"
#include "libsched/cel/unify.hpp"

namespace libsched::cel {
namespace {

const Type* const kDyn = simple_type(TypeKind::kDyn);
const Type* const kErrorType = simple_type(TypeKind::kError);
const Type* const kBool = simple_type(TypeKind::kBool);
const Type* const kString = simple_type(TypeKind::kString);

struct Variable {
  Str name;
  const Type* type;
  uint32_t slot;
};

class Checker {
 public:
  Checker(Arena& arena, const Options& options, Issues& issues)
      : arena_(arena), issues_(issues), dialect_(options.dialect), unifier_(arena) {
    const Type* const value = simple_type(options.takes_lists() ? TypeKind::kDyn : TypeKind::kAny);
    const Type* const quantity = make_named_type(arena, TypeKind::kStruct, "kubernetes.Quantity");
    attributes_ = make_map_type(arena, kString, make_map_type(arena, kString, value));
    capacity_ = make_map_type(arena, kString, make_map_type(arena, kString, quantity));
    variables_.push_back(
        {"device", make_named_type(arena, TypeKind::kStruct, "kubernetes.DRADevice"), 0});
  }

  uint32_t run(Expr* e) {
    visit(e);
    finish(e);
    if (unifier_.exhausted())
      issues_.add(Issues::kNowhere, "the types of the expression are too large");
    if (issues_.empty()) validate(e, false);
    return slots_;
  }

 private:
  void error(const Expr* at, std::string message) { issues_.add(at->offset, std::move(message)); }
  void mismatch(const Expr* at, const Type* expected, const Type* actual) {
    error(at,
          "expected type '" + format_type(expected) + "' but found '" + format_type(actual) + "'");
  }
  void undeclared(const Expr* at, Str name) {
    error(at, "undeclared reference to '" + std::string(name) + "' (in container '')");
  }

  const Variable* find_variable(Str name) const {
    for (size_t i = variables_.size(); i-- > 0;)
      if (variables_[i].name == name) return &variables_[i];
    return nullptr;
  }

  // The type that a name stands for, such as "int" or "google.protobuf.Timestamp".
  const Type* named_type(Str name) {
    for (int k = static_cast<int>(TypeKind::kNull); k <= static_cast<int>(TypeKind::kTimestamp);
         ++k) {
      const Type* const t = simple_type(static_cast<TypeKind>(k));
      if (t->name == name) return t;
    }
    if (name == "type") return simple_type(TypeKind::kType);
    if (name == "list" || name == "map") {
      const Type* const a = make_unknown_type(arena_, "A");
      const Type* const b = make_unknown_type(arena_, "B");
      return name == "list" ? make_list_type(arena_, a) : make_map_type(arena_, a, b);
    }
    if (name == "optional_type" && dialect_.cel_go_29)
      return make_named_type(arena_, TypeKind::kOpaque, name, arena_.copy(&kDyn, 1));
    if (name == "optional_type" || name == "net.IP" || name == "net.CIDR")
      return make_named_type(arena_, TypeKind::kOpaque, name);
    // Upstream's checker knows these names, but no program can be made of them.
    if (name == "timestamp") return simple_type(TypeKind::kTimestamp);
    if (name == "duration") return simple_type(TypeKind::kDuration);
    if (const Message* const message = find_message(name)) return message_type(*message, arena_);
    return nullptr;
  }

  bool is_local(Str name) const {
    const Variable* const v = find_variable(name);
    return v != nullptr && v != &variables_[0];
  }

  // Resolves an identifier, or a chain of selections that is a name; false if it is none. In newer
  // dialects a leading dot passes over the variables of macros, and such a variable hides the names
  // that begin with its own.
  bool resolve(Expr* e, Str name) {
    const bool is_global = name.starts_with('.');
    if (is_global) name.remove_prefix(1);
    const Variable* v = find_variable(name);
    if (dialect_.cel_go_29 && is_global) {
      v = name == variables_[0].name ? &variables_[0] : nullptr;
    } else if (dialect_.cel_go_29 && v == nullptr && is_local(name.substr(0, name.find('.')))) {
      return false;
    }
    if (v != nullptr) {
      e->kind = ExprKind::kIdent;
      e->name = v->name;
      e->slot = v->slot;
      e->type = v->type;
      return true;
    }
    if (const Type* const t = named_type(name)) {
      e->kind = ExprKind::kIdent;
      e->name = name;
      e->type_value = t;
      e->type = make_type_type(arena_, t);
      return true;
    }
    if (name == "google.protobuf.NullValue.NULL_VALUE") {
      e->kind = ExprKind::kInt;
      e->int_value = 0;
      e->type = simple_type(TypeKind::kInt);
      return true;
    }
    return false;
  }

  // "a.b.c" of a chain of selections on an identifier.
  static std::optional<std::string> qualified(const Expr* e) {
    if (e->kind == ExprKind::kIdent) return std::string(e->name);
    if (e->kind != ExprKind::kSelect || e->test_only) return std::nullopt;
    auto head = qualified(e->args[0]);
    if (head) *head += '.' + std::string(e->name);
    return head;
  }

  void visit(Expr* e) {
    switch (e->kind) {
      case ExprKind::kNull: e->type = simple_type(TypeKind::kNull); break;
      case ExprKind::kBool: e->type = kBool; break;
      case ExprKind::kInt: e->type = simple_type(TypeKind::kInt); break;
      case ExprKind::kUint: e->type = simple_type(TypeKind::kUint); break;
      case ExprKind::kDouble: e->type = simple_type(TypeKind::kDouble); break;
      case ExprKind::kString: e->type = kString; break;
      case ExprKind::kBytes: e->type = simple_type(TypeKind::kBytes); break;
      case ExprKind::kIdent:
        if (resolve(e, e->name)) return;
        undeclared(e, e->name);
        e->type = kErrorType;
        break;
      case ExprKind::kSelect: select(e); break;
      case ExprKind::kCall: call(e); break;
      case ExprKind::kList: list(e); break;
      case ExprKind::kMap: map(e); break;
      case ExprKind::kStruct: message(e); break;
      case ExprKind::kFold: fold(e); break;
      case ExprKind::kError: e->type = kErrorType; break;
    }
  }

  void select(Expr* e) {
    if (const auto name = qualified(e)) {
      if (resolve(e, arena_.copy(Str(*name)))) return;
    }
    const Type* result = field(e, e->args[0], e->name, false);
    if (e->test_only) result = kBool;
    e->type = unifier_.substitute(result, false);
  }

  const Type* field(Expr* e, Expr* operand, Str name, bool optional) {
    visit(operand);
    const Type* target = unifier_.substitute(operand->type, false);
    const bool of_optional = target->is_optional() && !target->params.empty();
    if (of_optional) target = target->params[0];
    const Type* result = kErrorType;
    switch (target->kind) {
      case TypeKind::kMap: result = target->params[1]; break;
      case TypeKind::kStruct:
        if (target->name == "kubernetes.DRADevice") {
          if (name == "driver") result = kString;
          if (name == "allowMultipleAllocations") result = kBool;
          if (name == "attributes") result = attributes_;
          if (name == "capacity") result = capacity_;
          if (result == kErrorType) error(e, "undefined field '" + std::string(name) + "'");
        } else if (target->name == "google.protobuf.Empty") {
          error(e, "undefined field '" + std::string(name) + "'");
        } else if (target->name.starts_with("kubernetes.")) {
          error(e, "unexpected failed resolution of '" + std::string(target->name) + "'");
        } else {
          error(e, "type '" + format_type(target) + "' does not support field selection");
        }
        break;
      case TypeKind::kParam:
        unifier_.assignable(kDyn, target);
        result = kDyn;
        break;
      default:
        if (!target->is_dyn_or_error())
          error(e, "type '" + format_type(target) + "' does not support field selection");
        result = kDyn;
    }
    if (!of_optional && !optional) return result;
    return make_named_type(arena_, TypeKind::kOpaque, "optional_type", arena_.copy(&result, 1));
  }

  // The function of the name; nullptr if there is none.
  const Function* function(Str name) const {
    const Function* const f = find_function(name);
    const bool is_there =
        f != nullptr && std::any_of(f->overloads.begin(), f->overloads.end(),
                                    [&](const auto* o) { return is_declared(*o, dialect_); });
    return is_there ? f : nullptr;
  }

  void call(Expr* e) {
    if (e->name == "_?._" && !e->is_member) {
      e->type = unifier_.substitute(field(e, e->args[0], e->args[1]->name, true), false);
      e->args[1]->type = kString;
      return;
    }
    for (Expr* arg : e->args.subspan(e->is_member ? 1 : 0)) visit(arg);
    if (e->is_member) {
      if (const auto prefix = qualified(e->args[0])) {
        Str name = arena_.copy(Str(*prefix + '.' + std::string(e->name)));
        if (name.starts_with('.')) name.remove_prefix(1);
        if (const Function* const f = function(name)) {
          e->name = name;
          e->is_member = false;
          e->args = e->args.subspan(1);
          return resolve_call(e, f);
        }
      }
      visit(e->args[0]);
    }
    Str name = e->name;
    if (!e->is_member && name.starts_with('.')) name.remove_prefix(1);
    const Function* const f = function(name);
    if (f == nullptr) {
      e->type = kErrorType;
      return undeclared(e, e->name);
    }
    e->name = name;
    resolve_call(e, f);
  }

  void resolve_call(Expr* e, const Function* f) {
    std::vector<const Type*> types;
    for (const Expr* arg : e->args) types.push_back(arg->type);
    if (f->name == "_&&_" || f->name == "_||_") {
      e->type = kBool;
      for (size_t i = 0; i < types.size(); ++i) {
        if (unifier_.assignable(types[i], kBool)) continue;
        mismatch(e->args[i], kBool, types[i]);
        e->type = kErrorType;
      }
      e->overloads = f->overloads;
      return;
    }
    const Type* result = nullptr;
    std::vector<const Overload*> candidates;
    for (const Overload* o : f->overloads) {
      if (o->is_member != e->is_member || o->args.size() != types.size()) continue;
      if (!is_declared(*o, dialect_)) continue;
      std::vector<const Type*> variables;
      for (int i = 0; i < o->variables; ++i) variables.push_back(unifier_.new_variable());
      std::vector<const Type*> wanted;
      for (const Type* arg : o->args) wanted.push_back(unifier_.renumbered(arg, variables));
      if (!unifier_.assignable(types, wanted)) continue;
      candidates.push_back(o);
      const Type* const found =
          unifier_.substitute(unifier_.renumbered(o->result, variables), false);
      if (result == nullptr) {
        result = found;
      } else if (!result->is_dyn() && !unifier_.exact(found, result)) {
        result = kDyn;
      }
    }
    if (result != nullptr) {
      e->type = result;
      e->overloads = arena_.copy(candidates);
      return;
    }
    e->type = kErrorType;
    std::string text = "found no matching overload for '" + std::string(f->name) + "' applied to '";
    size_t i = 0;
    const auto type = [&](size_t k) { return format_type(unifier_.substitute(types[k], true)); };
    if (e->is_member) text += type(i++) + '.';
    text += '(';
    for (size_t first = i; i < types.size(); ++i) text += (i > first ? ", " : "") + type(i);
    error(e, text + ")'");
  }

  const Type* join(const Type* previous, const Type* current) {
    if (previous == nullptr) return current;
    if (unifier_.assignable(previous, current)) return unifier_.most_general(previous, current);
    return kDyn;  // validate() refuses it
  }

  // The type inside of an optional element; reports one that is none.
  const Type* unwrapped(const Expr* at) {
    const Type* const t = at->type;
    if (t->is_optional() && !t->params.empty()) return t->params[0];
    if (!t->is_dyn())
      mismatch(at, make_named_type(arena_, TypeKind::kOpaque, "optional_type", arena_.copy(&t, 1)),
               t);
    return t;
  }

  void list(Expr* e) {
    const Type* element = nullptr;
    for (size_t i = 0; i < e->args.size(); ++i) {
      visit(e->args[i]);
      const bool optional = !e->optional.empty() && e->optional[i] != 0;
      element = join(element, optional ? unwrapped(e->args[i]) : e->args[i]->type);
    }
    e->type = make_list_type(arena_, element != nullptr ? element : unifier_.new_variable());
  }

  void map(Expr* e) {
    const Type* key = nullptr;
    const Type* value = nullptr;
    for (size_t i = 0; i < e->args.size(); i += 2) {
      visit(e->args[i]);
      key = join(key, e->args[i]->type);
      visit(e->args[i + 1]);
      const bool optional = !e->optional.empty() && e->optional[i / 2] != 0;
      value = join(value, optional ? unwrapped(e->args[i + 1]) : e->args[i + 1]->type);
    }
    if (key == nullptr) {
      key = unifier_.new_variable();
      value = unifier_.new_variable();
    }
    e->type = make_map_type(arena_, key, value);
  }

  void message(Expr* e) {
    Str name = e->name;
    if (name.starts_with('.')) name.remove_prefix(1);
    e->type = kErrorType;
    const Message* const made = find_message(name);
    const bool is_variable = !dialect_.cel_go_29 && find_variable(name) != nullptr;
    if (is_variable) {
      error(e, "'" + format_type(find_variable(name)->type) + "' is not a type");
    } else if (made != nullptr) {
      e->name = name;
      e->type = message_type(*made, arena_);
    } else if (const Type* const t = named_type(name)) {
      error(e, "'" + std::string(t->name) + "' is not a message type");
    } else {
      return undeclared(e, e->name);
    }
    for (size_t i = 0; i < e->args.size(); ++i) {
      Expr* const value = e->args[i];
      visit(value);
      const uint32_t place = e->entry_offsets[i];
      const MessageField* const field = made == nullptr ? nullptr : find_field(*made, e->fields[i]);
      if (is_variable)
        issues_.add(place, "unexpected failed resolution of '" + std::string(name) + "'");
      else if (field == nullptr)
        issues_.add(place, "undefined field '" + std::string(e->fields[i]) + "'");
      const bool optional = !e->optional.empty() && e->optional[i] != 0;
      const Type* const given = optional ? unwrapped(value) : value->type;
      const Type* const wanted = field == nullptr ? kErrorType : field_type(*field, arena_);
      if (!unifier_.assignable(wanted, given))
        issues_.add(place, "expected type of field '" + std::string(e->fields[i]) + "' is '" +
                               format_type(wanted) + "' but provided type is '" +
                               format_type(given) + "'");
    }
  }

  void assert_type(const Expr* e, const Type* t) {
    if (!unifier_.assignable(t, e->type)) mismatch(e, t, e->type);
  }

  void fold(Expr* e) {
    Fold& f = *e->fold;
    visit(f.range);
    visit(f.init);
    const Type* const range = unifier_.substitute(f.range->type, false);
    const Type* const accumulated = f.init->type;
    const bool two = !f.variable2.empty();
    const Type* first = kErrorType;
    const Type* second = kErrorType;
    switch (range->kind) {
      case TypeKind::kList:
        first = range->params[0];
        if (two) {
          second = first;
          first = simple_type(TypeKind::kInt);
        }
        break;
      case TypeKind::kMap:
        first = range->params[0];
        second = range->params[1];
        break;
      case TypeKind::kDyn:
      case TypeKind::kError:
      case TypeKind::kParam:
        unifier_.assignable(kDyn, range);
        first = second = kDyn;
        break;
      default:
        error(f.range, "expression of type '" + format_type(range) +
                           "' cannot be range of a comprehension (must be list, map, or dynamic)");
    }
    const uint32_t slot = slots_;
    slots_ += 3;
    e->slot = slot;
    const size_t outer = variables_.size();
    variables_.push_back({f.accumulator, accumulated, slot});
    const size_t inner = variables_.size();
    variables_.push_back({f.variable, first, slot + 1});
    if (two) variables_.push_back({f.variable2, second, slot + 2});
    visit(f.condition);
    assert_type(f.condition, kBool);
    visit(f.step);
    assert_type(f.step, accumulated);
    variables_.resize(inner);
    visit(f.result);
    variables_.resize(outer);
    e->type = unifier_.substitute(f.result->type, false);
  }

  // Replaces all variables in the types.
  void finish(Expr* e) {
    if (e->type != nullptr) e->type = unifier_.substitute(e->type, true);
    for (Expr* arg : e->args) finish(arg);
    if (e->fold == nullptr) return;
    for (Expr* part :
         {e->fold->range, e->fold->init, e->fold->condition, e->fold->step, e->fold->result})
      finish(part);
  }

  // Literals that cannot be right, and lists and maps of mixed types.
  void validate(const Expr* e, bool mixed_allowed) {
    if (e->kind == ExprKind::kCall) {
      const bool member_matches = e->name == "matches" && e->is_member;
      if (!e->args.empty() &&
          (e->name == "duration" || e->name == "timestamp" || e->name == "matches"))
        literal(e, e->args[member_matches ? 1 : 0]);
      if (e->name == "format" && e->is_member) {
        check_format_call(e, issues_);
        mixed_allowed = true;
      }
    }
    const auto optional = [&](size_t i) { return !e->optional.empty() && e->optional[i] != 0; };
    if (e->kind == ExprKind::kList && !mixed_allowed) {
      const Type* first = nullptr;
      for (size_t i = 0; i < e->args.size(); ++i) {
        const Type* t = e->args[i]->type;
        if (optional(i) && !t->params.empty()) t = t->params[0];
        if (first == nullptr) first = t;
        if (unifier_.exact(first, t)) continue;
        mismatch(e->args[i], first, t);
        break;
      }
    }
    if (e->kind == ExprKind::kMap && !mixed_allowed) {
      for (size_t i = 2; i < e->args.size(); i += 2) {
        const auto value = [&](size_t k) {
          const Type* const t = e->args[k + 1]->type;
          return optional(k / 2) && !t->params.empty() ? t->params[0] : t;
        };
        if (!unifier_.exact(e->args[0]->type, e->args[i]->type))
          mismatch(e->args[i], e->args[0]->type, e->args[i]->type);
        if (!unifier_.exact(value(0), value(i))) mismatch(e->args[i + 1], value(0), value(i));
      }
    }
    for (const Expr* arg : e->args) validate(arg, mixed_allowed);
    if (e->fold == nullptr) return;
    for (const Expr* part :
         {e->fold->range, e->fold->init, e->fold->condition, e->fold->step, e->fold->result})
      validate(part, mixed_allowed);
  }

  void literal(const Expr* e, const Expr* arg) {
    if (e->name == "matches") {
      if (arg->kind == ExprKind::kString && !Regex::compile(arg->name).ok())
        error(arg, "invalid matches argument");
      return;
    }
    bool valid = arg->kind != ExprKind::kNull;
    if (arg->kind == ExprKind::kString)
      valid = e->name == "duration" ? parse_duration(arg->name).has_value()
                                    : parse_timestamp(arg->name).ok();
    if (arg->kind == ExprKind::kInt)
      valid = e->name == "timestamp" && timestamp_of(arg->int_value).ok();
    if (!valid) error(arg, "invalid " + std::string(e->name) + " argument");
  }

  Arena& arena_;
  Issues& issues_;
  const Dialect dialect_;
  Unifier unifier_;
  std::vector<Variable> variables_;
  const Type* attributes_ = nullptr;
  const Type* capacity_ = nullptr;
  uint32_t slots_ = 1;
};

}  // namespace

uint32_t check(Expr* e, Arena& arena, const Options& options, Issues& issues) {
  return Checker(arena, options, issues).run(e);
}

}  // namespace libsched::cel
