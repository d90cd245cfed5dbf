// What calls cost, by upstream's rules for its own functions and those of Kubernetes.
#include <cmath>

#include "libsched/cel/lib/format.hpp"
#include "libsched/cel/plan.hpp"

namespace libsched::cel {
namespace {

uint64_t part(double size, double factor) {
  return static_cast<uint64_t>(std::ceil(size * factor));
}

// Values without a size count 1, errors as well.
double size(Machine& m, const Value& v) {
  const int64_t n = size_of(m, v);
  return n < 0 ? 1 : static_cast<double>(n);
}

// Of upstream's own rules, which look into optional values.
double inner_size(Machine& m, const Value& v) {
  const Value* inner = &v;
  while (inner->kind == ValueKind::kOptional && inner->inner != nullptr) inner = inner->inner;
  return size(m, *inner);
}

uint64_t traversal(Machine& m, const Value& v) {
  if (!m.spend(4) || !m.enter()) return 0;
  uint64_t cost = 0;
  switch (v.kind) {
    case ValueKind::kString:
    case ValueKind::kBytes: cost = static_cast<uint64_t>(v.size * 0.1); break;
    case ValueKind::kList:
      for (uint32_t i = 0; i < v.list->size; ++i) cost += traversal(m, v.list->items[i]);
      break;
    default:
      if (!v.is_map()) {
        cost = 1;
      } else if (const Map* const all = m.whole(v)) {
        for (uint32_t i = 0; i < all->size; ++i)
          cost += traversal(m, all->keys[i]) + traversal(m, all->values[i]);
      }
  }
  m.leave();
  return cost;
}

// Go's conversion, for numbers out of range as well.
uint64_t go_uint(double v) {
  if (v < 0x1p63) return static_cast<uint64_t>(static_cast<int64_t>(v < -0x1p63 ? -0x1p63 : v));
  return v < 0x1p64 ? static_cast<uint64_t>(v) : uint64_t{1} << 63;
}

uint64_t list_cost(double factor, double n) { return go_uint(n * factor) + 11; }

uint64_t compare_cost(Machine& m, const Value& list) {
  if (list.kind != ValueKind::kList) {
    m.stop(m.fail("internal error: interface conversion: ", go_type_name(list),
                  " is not traits.Lister: missing method Add")
               .text());
    return 0;
  }
  const double n = list.list->size;
  if (n == 0) return list_cost(2, 0);
  const ValueKind first = list.list->items[0].kind;
  const bool is_text = first == ValueKind::kString || first == ValueKind::kBytes;
  return list_cost(is_text ? 2.1 : 2.0, n * n);
}

uint64_t regex_cost(Machine& m, const Value& text, double pattern) {
  return part(1 + inner_size(m, text), 0.1) * part(pattern, 0.25);
}

}  // namespace

uint64_t call_cost(Machine& m, const Callee& callee, Span<Value> args, const Value& result) {
  const auto is_string_form = [&](Str id) {
    return callee.overload != nullptr && callee.overload->id == id;
  };
  switch (callee.cost) {
    case CostRule::kOne: return 1;
    case CostRule::kFirst: return part(inner_size(m, args[0]), 0.1);
    case CostRule::kSecond: return part(inner_size(m, args[1]), 0.1);
    case CostRule::kFirstTwice: return part(size(m, args[0]) * 2, 0.1);
    case CostRule::kResultTwice: return part(size(m, result) * 2, 0.1);
    case CostRule::kEqual: {
      const ValueKind kind = args[0].kind;
      if (kind >= ValueKind::kQuantity && kind <= ValueKind::kFormat) return 1;
      [[fallthrough]];
    }
    case CostRule::kMinimum:
      return part(std::min(inner_size(m, args[0]), inner_size(m, args[1])), 0.1);
    case CostRule::kSum: return part(inner_size(m, args[0]) + inner_size(m, args[1]), 0.1);
    case CostRule::kContains:
      return part(inner_size(m, args[0]), 0.1) * part(inner_size(m, args[1]), 0.1);
    case CostRule::kRegex: return regex_cost(m, args[0], inner_size(m, args[1]));
    case CostRule::kSecondSize: return static_cast<uint64_t>(inner_size(m, args[1]));
    case CostRule::kTraversal: return traversal(m, args[0]);
    case CostRule::kContainsIp: {
      const uint64_t own = part(size(m, args[0]) * 2, 0.1);
      return own + (is_string_form("cidr_contains_ip_string") ? part(size(m, args[1]), 0.1) : 0);
    }
    case CostRule::kContainsCidr: {
      const double n = size(m, args[0]);
      const uint64_t own = part(n * 2, 0.1) + part(n, 0.1) + 1;
      return own + (is_string_form("cidr_contains_cidr_string") ? part(size(m, args[1]), 0.1) : 0);
    }
    case CostRule::kValidate:
      if (args[0].kind != ValueKind::kFormat) return 1;
      return regex_cost(m, args[1], formats()[static_cast<size_t>(args[0].integer)].regex_size);
    case CostRule::kListResult: return list_cost(1, size(m, result));
    case CostRule::kListFlatten:
      if (args.size() == 2 && args[1].kind != ValueKind::kInt) {
        m.stop(m.fail("internal error: interface conversion: ref.Val is ", go_type_name(args[1]),
                      ", not types.Int")
                   .text());
        return 0;
      }
      if (args.size() == 1 || (args[1].integer < 0 && m.dialect().cel_go_29))
        return list_cost(1, size(m, args[0]));
      return list_cost(static_cast<double>(args[1].integer), size(m, args[0]));
    case CostRule::kListCompare: return compare_cost(m, args[0]);
    case CostRule::kListCompareKeys: return compare_cost(m, args[1]);
    case CostRule::kSets: return 1 + static_cast<uint64_t>(size(m, args[0]) * size(m, args[1]));
    case CostRule::kSetsTwice:
      return 1 + static_cast<uint64_t>(size(m, args[0]) * size(m, args[1]) * 2);
    case CostRule::kCheck: return 350'000;
    case CostRule::kSelector: {
      if (args.size() < 2) return 1;
      const double n = size(m, args[1]);
      return 10 + part(n, 0.1) + part(static_cast<double>(part(n, 0.5)), 50);
    }
  }
  return 1;
}

}  // namespace libsched::cel
