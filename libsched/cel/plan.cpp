// Lowers a checked tree to a plan, in upstream's order: arguments first, then constants are folded.
#include "libsched/cel/plan.hpp"

#include <array>

namespace libsched::cel {
namespace {

bool is_conversion(Str function) {
  constexpr std::array<Str, 10> kConversions = {"bool", "bytes",  "double",    "duration", "dyn",
                                                "int",  "string", "timestamp", "type",     "uint"};
  return std::find(kConversions.begin(), kConversions.end(), function) != kConversions.end();
}

// Functions whose calls with constants are made once. They are the costly ones of selectors.
bool is_known_ahead(Str function) {
  constexpr std::array<Str, 5> kFunctions = {"quantity", "semver", "ip", "cidr", "url"};
  return std::find(kFunctions.begin(), kFunctions.end(), function) != kFunctions.end();
}

bool is_key(const Value& v) { return (v.kind >= ValueKind::kBool && v.kind <= ValueKind::kString); }

class Planner {
 public:
  Planner(Plan& plan, const Dialect& dialect) : plan_(plan), m_(plan.memory) {
    Options options;
    options.cost_limit = UINT64_MAX;
    options.dialect = dialect;
    m_.start(nullptr, options, 0);
  }

  Result<void> run(const Expr* e) {
    plan_.root = make(e);
    if (m_.stopped()) error_ = std::string(m_.stop_value().text());
    if (error_.empty()) return {};
    return Error{Rc::kInvalid, "program instantiation failed: " + error_};
  }

 private:
  template <typename T>
  T* node(Op op) {
    T* const n = plan_.arena.make<T>();
    n->op = op;
    return n;
  }
  Node* constant(const Value& v) {
    auto* const n = node<ConstNode>(Op::kConst);
    n->value = v;
    return n;
  }
  Node* pair(Op op, const Node* left, const Node* right) {
    auto* const n = node<PairNode>(op);
    n->left = left;
    n->right = right;
    return n;
  }
  static const Value* constant_of(const Node* n) {
    return n->op == Op::kConst ? &static_cast<const ConstNode*>(n)->value : nullptr;
  }
  Node* failed(const std::string& text) {
    if (error_.empty()) error_ = text;
    return constant(kNoValue);
  }

  Node* make(const Expr* e) {
    switch (e->kind) {
      case ExprKind::kNull: return constant(Value());
      case ExprKind::kBool: return constant(Value::boolean(e->int_value != 0));
      case ExprKind::kInt: return constant(Value::of(e->int_value));
      case ExprKind::kUint: return constant(Value::of_uint(e->uint_value));
      case ExprKind::kDouble: return constant(Value::of_double(e->double_value));
      case ExprKind::kString: return constant(Value::string(e->name));
      case ExprKind::kBytes: return constant(Value::of_text(ValueKind::kBytes, e->name));
      case ExprKind::kIdent: return ident(e);
      case ExprKind::kSelect: return select(e);
      case ExprKind::kCall: return call(e);
      case ExprKind::kList:
      case ExprKind::kMap: return items(e);
      case ExprKind::kStruct: return message(e);
      case ExprKind::kFold: return fold(e);
      default: return failed("unsupported expression");
    }
  }

  static bool is_plain_type(Str name) {
    constexpr Str kNames[] = {"bool",      "bytes",         "double", "int",  "list", "map",
                              "null_type", "optional_type", "string", "type", "uint"};
    return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
  }

  Node* ident(const Expr* e) {
    if (e->type_value != nullptr) {
      const bool is_value = e->type_value->name == e->name && e->name != "google.protobuf.Any" &&
                            e->name != "kubernetes.DRADevice";
      if (!is_value) return failed("reference to undefined type: " + std::string(e->name));
      return constant(Value::of_text(ValueKind::kType, e->type_value->name));
    }
    // Upstream takes a variable that holds a type for the type of the variable's name.
    if (e->type != nullptr && e->type->kind == TypeKind::kType) {
      if (!is_plain_type(e->name))
        return failed("reference to undefined type: " + std::string(e->name));
      return constant(Value::of_text(ValueKind::kType, plan_.arena.copy(e->name)));
    }
    auto* const n = node<AttributeNode>(Op::kAttribute);
    n->slot = e->slot;
    if (e->slot < accumulators_.size()) n->accumulator_of = accumulators_[e->slot];
    return n;
  }

  // The attribute that a qualifier is added to.
  AttributeNode* attribute(Node* n) {
    if (n->op == Op::kAttribute) return static_cast<AttributeNode*>(n);
    auto* const out = node<AttributeNode>(Op::kAttribute);
    out->base = AttributeNode::Base::kOperand;
    out->operand = n;
    return out;
  }

  void qualify(AttributeNode* a, const Qualifier& q) {
    if (a->base == AttributeNode::Base::kChoice) {
      qualify(a->yes, q);
      qualify(a->no, q);
      return;
    }
    auto* const added = plan_.arena.make<Qualifier>();
    *added = q;
    (a->first == nullptr ? a->first : a->last->next) = added;
    a->last = added;
  }

  Node* select(const Expr* e) {
    AttributeNode* const a = attribute(make(e->args[0]));
    Qualifier q;
    q.key = Value::string(e->name);
    q.is_test = e->test_only;
    qualify(a, q);
    a->is_test = a->is_test || e->test_only;
    return a;
  }

  Node* index(Node* of, const Node* by, bool is_optional) {
    AttributeNode* const a = attribute(of);
    Qualifier q;
    q.is_optional = is_optional;
    if (const Value* const key = constant_of(by)) {
      if (!is_key(*key))
        return failed("invalid qualifier type: " + std::string(go_type_name(*key)));
      q.key = *key;
    } else if (by->op == Op::kAttribute) {
      q.resolved = static_cast<const AttributeNode*>(by);
    } else {
      q.computed = by;
    }
    qualify(a, q);
    return a;
  }

  Node* choice(Node* condition, Node* yes, Node* no) {
    auto* const n = node<AttributeNode>(Op::kAttribute);
    n->base = AttributeNode::Base::kChoice;
    n->operand = condition;
    n->yes = attribute(yes);
    n->no = attribute(no);
    return n;
  }

  Node* call(const Expr* e) {
    std::vector<Node*> args;
    for (const Expr* arg : e->args) args.push_back(make(arg));
    const Str f = e->name;
    if (f == "_&&_") return pair(Op::kAnd, args[0], args[1]);
    if (f == "_||_") return pair(Op::kOr, args[0], args[1]);
    if (f == "_?_:_") return choice(args[0], args[1], args[2]);
    if (f == "_==_") return pair(Op::kEqual, args[0], args[1]);
    if (f == "_!=_") return pair(Op::kNotEqual, args[0], args[1]);
    if (f == "_[_]") return index(args[0], args[1], false);
    if (f == "_[?_]" || f == "_?._") return index(args[0], args[1], true);
    if (f == "or" && e->is_member) return pair(Op::kOptionalOr, args[0], args[1]);
    if (f == "orValue" && e->is_member) return pair(Op::kOptionalOrValue, args[0], args[1]);
    if (f == "@in" && e->overloads.size() == 1 && e->overloads[0]->id == "in_list")
      if (Node* const n = member(args[0], args[1])) return n;

    auto* const callee = plan_.arena.make<Callee>();
    *callee = find_callee(e->overloads[0]->function, e->overloads, m_.dialect());
    auto* const n = node<CallNode>(Op::kCall);
    n->callee = callee;
    n->args = plan_.arena.copy(const_cast<const Node* const*>(args.data()), args.size());
    const bool several = !callee->for_all_types && callee->overload == nullptr;
    n->stops_at_error = several || args.size() > 2 || callee->bound.arity == Arity::kAny;
    return folded(n, f);
  }

  // The node of a call, or of its result if upstream computes it ahead, too.
  Node* folded(CallNode* n, Str f) {
    std::vector<Value> values;
    for (const Node* arg : n->args)
      if (const Value* const v = constant_of(arg)) values.push_back(*v);
    const bool all_known = values.size() == n->args.size();
    if (is_conversion(f) && all_known && values.size() == 1) {
      const Value v = invoke(m_, *n->callee, values, nullptr);
      return v.is_error() ? failed(std::string(v.text())) : constant(v);
    }
    if ((f == "matches" || f == "find" || f == "findAll") && n->args.size() >= 2)
      if (const Value* const pattern = constant_of(n->args[1]))
        if (pattern->kind == ValueKind::kString) {
          auto compiled = Regex::compile(pattern->text());
          if (!compiled.ok()) return failed(compiled.error().message);
          plan_.regexes.push_back(std::make_unique<Regex>(std::move(*compiled)));
          n->regex = plan_.regexes.back().get();
          n->stops_at_error = true;
        }
    if (all_known && is_known_ahead(f)) {
      const Value v = invoke(m_, *n->callee, values, nullptr);
      if (v.is_error()) return n;
      auto* const known = node<KnownCallNode>(Op::kKnownCall);
      known->value = v;
      known->cost = call_cost(m_, *n->callee, values, v);
      return known;
    }
    return n;
  }

  // `x in [1, 2]` of constants; nullptr if upstream does not make a set of them.
  Node* member(const Node* element, const Node* list) {
    const Value* const v = constant_of(list);
    if (v == nullptr || v->kind != ValueKind::kList) return nullptr;
    if (v->list->size == 0) return constant(Value::boolean(false));
    Map* const set = m_.new_map(size_t{v->list->size} * 3);
    for (uint32_t i = 0; i < v->list->size && set != nullptr; ++i) {
      const Value& x = v->list->items[i];
      if (!is_key(x)) return nullptr;
      // Numbers are found in each type that holds them without loss.
      for (const Value& number :
           {x, Value::of(to_int(x)), Value::of_uint(to_uint(x)), Value::of_double(to_double(x))}) {
        const bool is_number = x.kind >= ValueKind::kInt && x.kind <= ValueKind::kDouble;
        if (!is_number && number.kind != x.kind) continue;
        if (is_number && x.kind != ValueKind::kDouble && number.kind == ValueKind::kDouble) {
          if (!m_.put(set, number, Value::boolean(true))) return nullptr;
          continue;
        }
        if (number.kind == x.kind || equal(m_, number, x).is_true())
          if (!m_.put(set, number, Value::boolean(true))) return nullptr;
      }
    }
    if (set == nullptr) return nullptr;
    auto* const n = node<MemberNode>(Op::kMember);
    n->element = element;
    n->set = set;
    return n;
  }
  static int64_t to_int(const Value& v) {
    if (v.kind != ValueKind::kDouble) return v.integer;
    return v.number > -0x1p63 && v.number < 0x1p63 ? static_cast<int64_t>(v.number) : 0;
  }
  static uint64_t to_uint(const Value& v) {
    if (v.kind != ValueKind::kDouble) return v.uinteger;
    return v.number >= 0 && v.number < 0x1p64 ? static_cast<uint64_t>(v.number) : 0;
  }
  static double to_double(const Value& v) {
    if (v.kind == ValueKind::kInt) return static_cast<double>(v.integer);
    return v.kind == ValueKind::kUint ? static_cast<double>(v.uinteger) : v.number;
  }

  Node* items(const Expr* e) {
    std::vector<const Node*> args;
    bool all_known = true;
    for (const Expr* arg : e->args) {
      args.push_back(make(arg));
      all_known = all_known && constant_of(args.back()) != nullptr;
    }
    auto* const n = node<ItemsNode>(e->kind == ExprKind::kList ? Op::kList : Op::kMap);
    n->items = plan_.arena.copy(args);
    n->optional = e->optional;
    return all_known ? constant(evaluate(m_, n)) : n;
  }

  Node* message(const Expr* e) {
    auto* const n = node<MessageNode>(Op::kMessage);
    n->message = find_message(e->name);
    std::vector<const Node*> items;
    std::vector<uint16_t> fields;
    for (size_t i = 0; i < e->args.size(); ++i) {
      items.push_back(make(e->args[i]));
      const MessageField* const field = find_field(*n->message, e->fields[i]);
      fields.push_back(static_cast<uint16_t>(field - n->message->fields.data()));
    }
    n->items = plan_.arena.copy(items);
    n->fields = plan_.arena.copy(fields);
    n->optional = e->optional;
    return n;
  }

  Node* fold(const Expr* e) {
    const Fold& f = *e->fold;
    auto* const n = node<FoldNode>(Op::kFold);
    n->slot = e->slot;
    n->two_variables = !f.variable2.empty();
    plan_.slots = std::max(plan_.slots, e->slot + 3);
    if (accumulators_.size() <= e->slot) accumulators_.resize(e->slot + 1);
    accumulators_[e->slot] = n;
    n->init = make(f.init);
    n->range = make(f.range);
    n->condition = make(f.condition);
    n->step = make(f.step);
    n->result = make(f.result);
    return n;
  }

  Plan& plan_;
  Machine m_;
  std::string error_;
  std::vector<const FoldNode*> accumulators_;
};

}  // namespace

Result<void> make_plan(const Expr* checked, Plan& plan, const Dialect& dialect) {
  return Planner(plan, dialect).run(checked);
}

}  // namespace libsched::cel
