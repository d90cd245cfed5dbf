// The evaluator. What is evaluated after an error, and what is charged for, is upstream's: it
// decides costs and which of several errors is reported.
#include <algorithm>

#include "libsched/cel/plan.hpp"

namespace libsched::cel {
namespace {

constexpr size_t kMostArguments = 5;

Value resolve(Machine& m, const AttributeNode& a);

// What comes back when upstream unwraps an optional value to a Go value and wraps it again, which
// it does no more in newer dialects.
Value through_go(Machine& m, const Value& v) {
  if (m.dialect().cel_go_29) return v;
  const auto lost = [&](Str type) {
    return m.fail("unsupported conversion to ref.Val: (", type, ")" + go_text(m, v));
  };
  switch (v.kind) {
    case ValueKind::kQuantity: return lost("*resource.Quantity");
    case ValueKind::kSemver: return lost("semver.Version");
    case ValueKind::kUrl: return lost("*url.URL");
    case ValueKind::kIp: return lost("netip.Addr");
    case ValueKind::kCidr: return lost("netip.Prefix");
    case ValueKind::kType: return Value::string(v.text());
    // What an optional value has lost before is lost once more.
    case ValueKind::kError:
      return m.fail("unsupported conversion to ref.Val: (*errors.errorString)", v.text());
    case ValueKind::kOptional: return v.inner == nullptr ? Value() : through_go(m, *v.inner);
    case ValueKind::kDomains: {
      Value plain = v;
      plain.flags |= Value::kPlain;
      return plain;
    }
    default: return v;
  }
}

struct Found {
  enum class State : uint8_t { kFound, kAbsent, kError } state;
  Value value;
};

// The element of a list or the value of a map. With `or_absent`, a missing one is no error.
Found get(Machine& m, const Value& from, const Value& key, bool or_absent) {
  using State = Found::State;
  const auto missing = [&](Str text) -> Found {
    if (or_absent) return {State::kAbsent, {}};
    return {State::kError, m.fail(text, go_text(m, key))};
  };
  if (from.is_map()) {
    const auto found = m.look_up(from, key);
    if (m.stopped()) return {State::kError, m.stop_value()};
    if (found) return {State::kFound, *found};
    return missing("no such key: ");
  }
  if (from.kind != ValueKind::kList) {
    if (from.is_error()) return {State::kError, from};
    if (from.kind == ValueKind::kEmpty)
      return {State::kError, m.fail("no such field '", go_text(m, key), "'")};
    return missing("no such key: ");
  }
  int64_t i = 0;
  switch (key.kind) {
    case ValueKind::kInt: i = key.integer; break;
    case ValueKind::kUint:
    case ValueKind::kDouble: {
      const bool fits = key.kind == ValueKind::kUint
                            ? key.uinteger >> 63 == 0
                            : key.number >= -0x1p63 && key.number < 0x1p63 &&
                                  key.number == __builtin_trunc(key.number);
      if (!fits)
        return {State::kError, m.fail("unsupported index value ", go_text(m, key), " in list")};
      i = key.kind == ValueKind::kUint ? key.integer : static_cast<int64_t>(key.number);
      break;
    }
    default:
      return {State::kError, m.fail("unsupported index type '", type_name(key), "' in list")};
  }
  if (i >= 0 && i < from.list->size) return {State::kFound, from.list->items[i]};
  return missing("index out of bounds: ");
}

Value key_of(Machine& m, const Qualifier& q) {
  if (q.resolved == nullptr && q.computed == nullptr) return q.key;
  Value key = q.resolved != nullptr ? resolve(m, *q.resolved) : evaluate(m, q.computed);
  if (m.stopped()) return m.stop_value();
  const bool is_key = key.kind >= ValueKind::kBool && key.kind <= ValueKind::kString;
  if (key.is_error() || is_key) return key;
  return m.fail("invalid qualifier type: ", go_type_name(key));
}

Value qualified(Machine& m, Value v, const Qualifier* first) {
  bool is_optional = v.kind == ValueKind::kOptional;
  if (is_optional) {
    if (v.inner == nullptr) return v;
    v = through_go(m, *v.inner);
  }
  for (const Qualifier* q = first; q != nullptr; q = q->next) {
    is_optional = is_optional || q->is_optional;
    Found found{Found::State::kError, key_of(m, *q)};
    if (m.stopped()) return m.stop_value();
    if (!found.value.is_error()) found = get(m, v, found.value, is_optional || q->is_test);
    const bool is_found = found.state == Found::State::kFound;
    if ((!is_optional || is_found) && !m.charge(1)) return m.stop_value();
    if (found.state == Found::State::kError) return found.value;
    if (q->is_test && !is_optional) {
      v = Value::boolean(is_found);
      continue;
    }
    if (!is_found) return kNoValue;
    v = found.value;
  }
  return is_optional ? m.some(v) : v;
}

Value variable(Machine& m, const AttributeNode& a) {
  if (a.slot == 0) return Value::of_text(ValueKind::kDevice, {});
  Slot& slot = m.slots[a.slot];
  if (slot.is_set || a.accumulator_of == nullptr) return slot.value;
  // An accumulator is computed when it is read for the first time.
  slot.is_set = true;
  slot.value = evaluate(m, a.accumulator_of->init);
  if (slot.value.kind == ValueKind::kList && slot.value.list->size == 0) {
    List* const list = m.new_list(0);
    if (list == nullptr) return m.stop_value();
    list->is_mutable = slot.is_mutable = true;
    slot.value = Value::of_list(list);
  } else if (slot.value.is_map() && size_of(m, slot.value) == 0) {
    Map* const map = m.new_map(0);
    map->is_mutable = slot.is_mutable = true;
    slot.value = Value::of_map(map);
  }
  return slot.value;
}

Value resolve(Machine& m, const AttributeNode& a) {
  switch (a.base) {
    case AttributeNode::Base::kVariable: {
      const Value v = variable(m, a);
      return v.is_error() ? v : qualified(m, v, a.first);
    }
    case AttributeNode::Base::kOperand: {
      const Value v = evaluate(m, a.operand);
      return v.is_error() ? v : qualified(m, v, a.first);
    }
    default: {
      const Value v = evaluate(m, a.operand);
      if (v.kind == ValueKind::kBool) return resolve(m, v.integer != 0 ? *a.yes : *a.no);
      return v.is_error() ? v : Value::error(kNoOverload);
    }
  }
}

Value attribute(Machine& m, const AttributeNode& a) {
  Value v = resolve(m, a);
  if (m.stopped()) return m.stop_value();
  if (a.is_test && v.kind == ValueKind::kOptional) v = Value::boolean(v.inner != nullptr);
  const uint64_t own = a.base == AttributeNode::Base::kChoice ? 0 : 1;
  if (!m.charge(own - (a.is_test ? 1 : 0))) return m.stop_value();
  return v;
}

// && with `decides` false, || with true.
Value both(Machine& m, const PairNode& n, bool decides) {
  Value error = Value::boolean(!decides);
  for (const Node* side : {n.left, n.right}) {
    const Value v = evaluate(m, side);
    if (m.stopped()) return m.stop_value();
    if (v.kind != ValueKind::kBool) {
      if (!error.is_error()) error = v.is_error() ? v : Value::error(kNoOverload);
    } else if ((v.integer != 0) == decides) {
      return v;
    }
  }
  return error;
}

Value comparison(Machine& m, const PairNode& n) {
  static const Callee kEqual = find_callee(find_function("_==_"), {});
  static const Callee kNotEqual = find_callee(find_function("_!=_"), {});
  const bool is_equal = n.op == Op::kEqual;
  Value args[2] = {evaluate(m, n.left), {}};
  if (m.stopped()) return m.stop_value();
  args[1] = evaluate(m, n.right);
  if (m.stopped()) return m.stop_value();
  Value out;
  if (args[0].is_error()) {
    out = args[0];
  } else if (args[1].is_error()) {
    out = args[1];
  } else {
    out = equal(m, args[0], args[1]);
    if (!is_equal) out = Value::boolean(!out.is_true());
  }
  if (m.stopped()) return m.stop_value();
  const uint64_t cost = call_cost(m, is_equal ? kEqual : kNotEqual, args, out);
  return m.charge(cost) ? out : m.stop_value();
}

Value call(Machine& m, const CallNode& n) {
  Value args[kMostArguments];
  const size_t count = n.args.size();
  const Value* error = nullptr;
  for (size_t i = 0; i < count; ++i) {
    args[i] = evaluate(m, n.args[i]);
    if (m.stopped()) return m.stop_value();
    if (!args[i].is_error() || error != nullptr) continue;
    error = &args[i];
    // A call that is left early is free.
    if (n.stops_at_error && i + 1 < count) return *error;
  }
  const Callee& callee = *n.callee;
  const bool is_strict = callee.function->name != "@not_strictly_false";
  const Span<Value> all(args, count);
  const Value out = error != nullptr && is_strict ? *error : invoke(m, callee, all, n.regex);
  if (m.stopped()) return m.stop_value();
  const uint64_t cost = call_cost(m, callee, all, out);
  return !m.stopped() && m.charge(cost) ? out : m.stop_value();
}

Value member(Machine& m, const MemberNode& n) {
  const Value v = evaluate(m, n.element);
  if (v.is_error() || m.stopped()) return v;
  const bool found = m.find_exact(n.set, v) != nullptr;
  return m.stopped() ? m.stop_value() : Value::boolean(found);
}

Value optional_or(Machine& m, const PairNode& n) {
  const Value v = evaluate(m, n.left);
  if (m.stopped()) return v;
  if (v.kind != ValueKind::kOptional)
    return m.dialect().cel_go_29 && !v.is_error() ? Value::error(kNoOverload) : v;
  if (v.inner == nullptr) return evaluate(m, n.right);
  return n.op == Op::kOptionalOr ? v : *v.inner;
}

Value list(Machine& m, const ItemsNode& n) {
  List* const out = m.new_list(n.items.size());
  if (out == nullptr) return m.stop_value();
  for (size_t i = 0; i < n.items.size(); ++i) {
    Value v = evaluate(m, n.items[i]);
    if (m.stopped() || v.is_error()) return v;
    if (!n.optional.empty() && n.optional[i] != 0) {
      if (v.kind != ValueKind::kOptional)
        return m.fail("cannot initialize optional list element from non-optional value ",
                      go_text(m, v));
      if (v.inner == nullptr) continue;
      v = *v.inner;
    }
    out->items[out->size++] = v;
  }
  return Value::of_list(out);
}

Value map(Machine& m, const ItemsNode& n) {
  Map* const out = m.new_map(n.items.size() / 2);
  if (out == nullptr) return m.stop_value();
  for (size_t i = 0; i + 1 < n.items.size(); i += 2) {
    const Value key = evaluate(m, n.items[i]);
    if (m.stopped() || key.is_error()) return key;
    Value v = evaluate(m, n.items[i + 1]);
    if (m.stopped() || v.is_error()) return v;
    if (!n.optional.empty() && n.optional[i / 2] != 0) {
      if (v.kind != ValueKind::kOptional)
        return m.fail("cannot initialize optional entry '", go_text(m, key),
                      "' from non-optional value " + go_text(m, v));
      if (v.inner == nullptr) {
        m.erase(out, key);
        continue;
      }
      v = *v.inner;
    }
    if (!m.put(out, key, v)) return m.stop_value();
  }
  return Value::of_map(out);
}

Value message(Machine& m, const MessageNode& n) {
  std::vector<Value> values(n.message->fields.size());
  std::vector<const Value*> given(values.size());
  for (size_t i = 0; i < n.items.size(); ++i) {
    Value v = evaluate(m, n.items[i]);
    if (m.stopped() || v.is_error()) return v;
    const uint16_t field = n.fields[i];
    if (!n.optional.empty() && n.optional[i] != 0) {
      if (v.kind != ValueKind::kOptional)
        return m.fail("cannot initialize optional entry '", n.message->fields[field].name,
                      "' from non-optional value " + go_text(m, v));
      if (v.inner == nullptr) {
        given[field] = nullptr;
        continue;
      }
      v = *v.inner;
    }
    values[field] = v;
    given[field] = &values[field];
  }
  return make_message(m, *n.message, given);
}

// Entries in the order of their keys; upstream's order is random.
Span<uint32_t> sorted_entries(Machine& m, const Map& map) {
  if (!m.spend(uint64_t{map.size} * 64)) return {};
  if (!m.memory().fits(size_t{map.size} * 2 * sizeof(uint32_t))) {
    m.stop(kCostError);
    return {};
  }
  const std::span<uint32_t> order(m.memory().make_array<uint32_t>(map.size), map.size);
  for (uint32_t i = 0; i < map.size; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const Value &x = map.keys[a], &y = map.keys[b];
    if (x.kind != y.kind) return x.kind < y.kind;
    const Value less = compare(m, x, y);
    return less.kind == ValueKind::kInt && less.integer < 0;
  });
  return order;
}

class Folding {
 public:
  Folding(Machine& m, const FoldNode& n) : m_(m), n_(n) {}

  Value run() {
    m_.slots[n_.slot].is_set = m_.slots[n_.slot].is_mutable = false;
    const Value range = evaluate(m_, n_.range);
    if (m_.stopped() || range.is_error()) return range;
    if (range.kind == ValueKind::kList) {
      const uint32_t size = range.list->size;
      for (uint32_t i = 0; i < size; ++i) {
        const Value& v = range.list->items[i];
        if (!(n_.two_variables ? step(Value::of(i), v) : step(v, {}))) break;
      }
      return result();
    }
    if (range.is_map()) {
      const Map* const all = m_.whole(range);
      if (all == nullptr) return m_.stop_value();
      for (const uint32_t i : sorted_entries(m_, *all))
        if (!step(all->keys[i], all->values[i])) break;
      return result();
    }
    if (n_.two_variables)
      return m_.fail("unsupported comprehension range type: ", go_type_name(range));
    return m_.fail("got '", go_type_name(range), "', expected iterable type");
  }

 private:
  // False: the fold ends.
  bool step(const Value& first, const Value& second) {
    Slot* const slots = &m_.slots[n_.slot];
    slots[1].value = first;
    slots[2].value = second;
    const Value goes_on = evaluate(m_, n_.condition);
    if (m_.stopped() || goes_on.is_false()) return false;
    const Value v = evaluate(m_, n_.step);
    slots[0].value = v;
    slots[0].is_set = true;
    return !m_.stopped() && m_.spend(4);
  }

  Value result() {
    if (m_.stopped()) return m_.stop_value();
    const Value v = evaluate(m_, n_.result);
    if (m_.stopped() || !m_.slots[n_.slot].is_mutable) return m_.stopped() ? m_.stop_value() : v;
    if (v.kind == ValueKind::kList && v.list->is_mutable) {
      List* const fixed = m_.memory().make(*v.list);
      fixed->is_mutable = false;
      // Appending to the accumulator must not write into this list.
      fixed->capacity = fixed->size;
      return Value::of_list(fixed);
    }
    if (v.kind == ValueKind::kMap && v.map->is_mutable) {
      v.map->is_mutable = false;
      return v;
    }
    return v;
  }

  Machine& m_;
  const FoldNode& n_;
};

}  // namespace

Value evaluate(Machine& m, const Node* node) {
  if (m.stopped()) return m.stop_value();
  switch (node->op) {
    case Op::kConst: return static_cast<const ConstNode*>(node)->value;
    case Op::kAttribute: return attribute(m, *static_cast<const AttributeNode*>(node));
    case Op::kAnd: return both(m, *static_cast<const PairNode*>(node), false);
    case Op::kOr: return both(m, *static_cast<const PairNode*>(node), true);
    case Op::kEqual:
    case Op::kNotEqual: return comparison(m, *static_cast<const PairNode*>(node));
    case Op::kCall: return call(m, *static_cast<const CallNode*>(node));
    case Op::kKnownCall: {
      const auto& n = *static_cast<const KnownCallNode*>(node);
      return m.charge(n.cost) ? n.value : m.stop_value();
    }
    case Op::kMember: return member(m, *static_cast<const MemberNode*>(node));
    case Op::kOptionalOr:
    case Op::kOptionalOrValue: return optional_or(m, *static_cast<const PairNode*>(node));
    case Op::kFold: return Folding(m, *static_cast<const FoldNode*>(node)).run();
    case Op::kList:
    case Op::kMap:
    case Op::kMessage: {
      const auto& n = *static_cast<const ItemsNode*>(node);
      const bool is_list = node->op == Op::kList, is_map = node->op == Op::kMap;
      const Value v = is_list  ? list(m, n)
                      : is_map ? map(m, n)
                               : message(m, static_cast<const MessageNode&>(n));
      if (m.stopped()) return v;
      return m.charge(is_list ? 10 : is_map ? 30 : 40) ? v : m.stop_value();
    }
  }
  return m.stop("internal error: unknown operation");
}

}  // namespace libsched::cel
