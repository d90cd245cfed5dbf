// How calls find their implementation, and what they say if there is none for the values.
#include "libsched/cel/functions.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "libsched/base/mutex.hpp"
#include "libsched/cel/plan.hpp"

namespace libsched::cel {
namespace {

struct Tables {
  std::unordered_map<Str, Bound> overloads;
  std::unordered_map<Str, const NamedTrait*> functions;

  Tables() {
    for (const auto table : {conversions(), string_functions(), time_functions(), list_functions(),
                             optional_functions(), kubernetes_functions(), network_functions()})
      for (const NamedBound& b : table) overloads.emplace(b.name, b.bound);
    for (const NamedTrait& t : operators()) functions.emplace(t.function, &t);
  }
};

const Tables& tables() {
  const ForkHeldOff held;
  static const Tables tables;
  return tables;
}

template <size_t N>
bool any_of(const std::array<Str, N>& names, Str name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

CostRule rule_of(Str function, Str overload) {
  constexpr std::array<Str, 3> kListResults = {"list_slice", "lists_range", "list_reverse"};
  constexpr std::array<Str, 6> kTraversals = {"isSorted", "sum",     "max",
                                              "min",      "indexOf", "lastIndexOf"};
  constexpr std::array<Str, 13> kParsers = {
      "url",    "lowerAscii", "upperAscii", "substring", "trim",     "cidr", "isIP",
      "isCIDR", "quantity",   "isQuantity", "semver",    "isSemver", "ip"};
  constexpr std::array<Str, 6> kFirst = {"starts_with_string", "ends_with_string",
                                         "string_to_bytes",    "bytes_to_string",
                                         "strings_quote",      "string_format"};
  constexpr std::array<Str, 8> kOrders = {
      "less_string", "greater_string", "less_equals_string", "greater_equals_string",
      "less_bytes",  "greater_bytes",  "less_equals_bytes",  "greater_equals_bytes"};
  if (any_of(kListResults, overload)) return CostRule::kListResult;
  if (overload.starts_with("list_flatten")) return CostRule::kListFlatten;
  if (overload.ends_with("_sortByAssociatedKeys")) return CostRule::kListCompareKeys;
  if (overload == "list_distinct" || overload.ends_with("_sort")) return CostRule::kListCompare;
  if (overload == "list_sets_contains_list" || overload == "list_sets_intersects_list")
    return CostRule::kSets;
  if (overload == "list_sets_equivalent_list") return CostRule::kSetsTwice;
  if (function == "check") return CostRule::kCheck;
  if (function == "fieldSelector" || function == "labelSelector") return CostRule::kSelector;
  if (any_of(kTraversals, function)) return CostRule::kTraversal;
  if (overload == "cidr_ip") return CostRule::kOne;
  if (any_of(kParsers, function)) return CostRule::kFirst;
  if (function == "replace" || function == "split" || function == "ip.isCanonical")
    return CostRule::kFirstTwice;
  if (function == "join") return CostRule::kResultTwice;
  if (function == "find" || function == "findAll") return CostRule::kRegex;
  if (function == "containsIP") return CostRule::kContainsIp;
  if (function == "containsCIDR") return CostRule::kContainsCidr;
  if (function == "validate") return CostRule::kValidate;
  if (function == "_==_") return CostRule::kEqual;
  if (any_of(kFirst, overload)) return CostRule::kFirst;
  if (overload == "in_list") return CostRule::kSecondSize;
  if (any_of(kOrders, overload) || function == "_!=_") return CostRule::kMinimum;
  if (overload == "add_string" || overload == "add_bytes") return CostRule::kSum;
  if (overload == "matches_string") return CostRule::kRegex;
  if (overload == "contains_string") return CostRule::kContains;
  return CostRule::kOne;
}

CostRule rule_of(Str function, Str overload, const Dialect& dialect) {
  if (dialect.cel_go_29) {
    if (overload == "starts_with_string" || overload == "ends_with_string")
      return CostRule::kSecond;
    if (overload == "matches") return CostRule::kRegex;
    if (function == "includes") return CostRule::kTraversal;
  }
  return rule_of(function, overload);
}

Value no_such_overload(const Call& c) {
  std::string text = "no such overload: " + std::string(c.function) + '(';
  for (size_t i = 0; i < c.args.size(); ++i)
    text.append(i > 0 ? ", " : "").append(type_name(c.args[i]));
  return c.m.fail(text + ')');
}

bool fits(Machine& m, const Overload& o, const Bound& bound, Span<Value> args) {
  if (o.args.size() != args.size()) return false;
  if (!bound.is_guarded) return true;
  for (size_t i = 0; i < args.size(); ++i)
    if (!takes(m, o.args[i], args[i])) return false;
  return true;
}

}  // namespace

Bound find_bound(const Overload& overload) {
  const auto& all = tables().overloads;
  const auto found = all.find(overload.id);
  return found == all.end() ? Bound() : found->second;
}

Callee find_callee(const Function* function, Span<const Overload*> candidates,
                   const Dialect& dialect) {
  Callee callee;
  callee.function = function;
  if (candidates.size() == 1) callee.overload = candidates[0];
  callee.cost =
      rule_of(function->name, callee.overload != nullptr ? callee.overload->id : Str(), dialect);
  const auto& all = tables().functions;
  if (const auto found = all.find(function->name); found != all.end()) {
    callee.for_all_types = true;
    callee.trait = found->second->trait;
    callee.bound = found->second->bound;
  } else if (callee.overload != nullptr) {
    callee.bound = find_bound(*callee.overload);
  }
  return callee;
}

bool has_trait(const Value& v, Trait trait) {
  const auto traits = [&]() -> int {
    switch (v.kind) {
      case ValueKind::kBool: return kComparer | kNegator;
      case ValueKind::kBytes: return kAdder | kComparer | kSizer;
      case ValueKind::kDouble:
        return kAdder | kComparer | kDivider | kMultiplier | kNegator | kSubtractor;
      case ValueKind::kDuration: return kAdder | kComparer | kNegator | kReceiver | kSubtractor;
      case ValueKind::kInt:
        return kAdder | kComparer | kDivider | kModder | kMultiplier | kNegator | kSubtractor;
      case ValueKind::kUint:
        return kAdder | kComparer | kDivider | kModder | kMultiplier | kSubtractor;
      case ValueKind::kList: return kLister;
      case ValueKind::kString: return kAdder | kComparer | kMatcher | kReceiver | kSizer;
      case ValueKind::kTimestamp: return kAdder | kComparer | kReceiver | kSubtractor;
      default: return v.is_map() ? kContainer | kIndexer | kIterable | kSizer : 0;
    }
  };
  return (traits() & trait) == trait;
}

bool takes(Machine& m, const Type* type, const Value& v) {
  switch (type->kind) {
    case TypeKind::kDyn:
    case TypeKind::kAny:
    case TypeKind::kParam: return true;
    case TypeKind::kList:
      if (v.kind != ValueKind::kList) return false;
      return v.list->size == 0 || takes(m, type->params[0], v.list->items[0]);
    case TypeKind::kMap: {
      const Map* const all = v.is_map() ? m.whole(v) : nullptr;
      if (all == nullptr) return false;
      return all->size == 0 ||
             (takes(m, type->params[0], all->keys[0]) && takes(m, type->params[1], all->values[0]));
    }
    default: return type->name == type_name(v);
  }
}

Value invoke(Machine& m, const Callee& callee, Span<Value> args, const Regex* regex) {
  const Call call{m, args, regex, callee.function->name};
  // Whatever a function does with a text, it reads it.
  size_t bytes = 0;
  for (const Value& v : args) bytes += v.text_bytes();
  if (!m.spend(bytes / 4)) return m.stop_value();
  if (callee.for_all_types) {
    if (regex != nullptr || has_trait(args[0], callee.trait)) return callee.bound.run(call);
    if (has_trait(args[0], kReceiver)) return Value::error(kNoOverload);
    return m.fail("no such overload: ", callee.function->name);
  }
  if (regex != nullptr && callee.overload != nullptr) return callee.bound.run(call);
  if (callee.overload != nullptr) {
    const bool runs = callee.bound.run != nullptr && fits(m, *callee.overload, callee.bound, args);
    return runs ? callee.bound.run(call) : no_such_overload(call);
  }
  for (const Overload* o : callee.function->overloads) {
    const Bound bound = is_declared(*o, m.dialect()) ? find_bound(*o) : Bound();
    if (bound.run != nullptr && fits(m, *o, bound, args)) return bound.run(call);
  }
  return no_such_overload(call);
}

}  // namespace libsched::cel
