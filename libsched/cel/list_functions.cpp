// Functions of lists, of cel-go's libraries (lists, sets, two-variable comprehensions) and of
// Kubernetes'.
#include <algorithm>

#include "libsched/cel/functions.hpp"

namespace libsched::cel {
namespace {

bool is_comparable(const Value& v) { return has_trait(v, kComparer); }

// Go's sort is an insertion sort for up to 12 elements; a longer one is stable here.
constexpr size_t kInsertionSort = 12;

Value sorted(Machine& m, const List& list, const List& keys) {
  if (list.size != keys.size)
    return m.fail(
        "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but "
        "got " +
        std::to_string(list.size) + " and " + std::to_string(keys.size) + " elements respectively");
  List* const out = m.new_list(list.size);
  if (out == nullptr) return m.stop_value();
  if (list.size == 0) return Value::of_list(out);
  if (!is_comparable(keys.items[0])) return Value::error("list elements must be comparable");
  const Str type = type_name(keys.items[0]);
  for (uint32_t i = 1; i < keys.size; ++i)
    if (type_name(keys.items[i]) != type)
      return Value::error("list elements must have the same type");
  // Sorting takes as much again.
  if (!m.memory().fits(size_t{list.size} * 2 * sizeof(uint32_t))) return m.stop(kCostError);
  const std::span<uint32_t> order(m.memory().make_array<uint32_t>(list.size), list.size);
  for (uint32_t i = 0; i < list.size; ++i) order[i] = i;
  const auto less = [&](uint32_t a, uint32_t b) {
    const Value v = compare(m, keys.items[a], keys.items[b]);
    return m.spend(8) && v.kind == ValueKind::kInt && v.integer < 0;
  };
  if (order.size() <= kInsertionSort) {
    for (size_t i = 1; i < order.size(); ++i)
      for (size_t k = i; k > 0 && less(order[k], order[k - 1]); --k)
        std::swap(order[k], order[k - 1]);
  } else {
    std::stable_sort(order.begin(), order.end(), less);
  }
  if (m.stopped()) return m.stop_value();
  for (const uint32_t i : order) out->items[out->size++] = list.items[i];
  return Value::of_list(out);
}

Value slice(const Call& c) {
  const List& list = *c[0].list;
  const int64_t start = c[1].integer, end = c[2].integer;
  const std::string call =
      "cannot slice(" + std::to_string(start) + ", " + std::to_string(end) + "), ";
  if (start < 0 || end < 0) return c.m.fail(call + "negative indexes not supported");
  if (start > end) return c.m.fail(call + "start index must be less than or equal to end index");
  if (list.size < end) return c.m.fail(call + "list is length " + std::to_string(list.size));
  List* const out = c.m.new_list(static_cast<size_t>(end - start));
  if (out == nullptr) return c.m.stop_value();
  for (int64_t i = start; i < end; ++i) out->items[out->size++] = list.items[i];
  return Value::of_list(out);
}

bool flatten_into(Machine& m, List* out, const List& list, int64_t depth) {
  if (!m.enter()) return false;
  for (uint32_t i = 0; i < list.size; ++i) {
    const Value& v = list.items[i];
    const bool goes_in = v.kind == ValueKind::kList && depth > 0;
    if (!m.spend(4)) return false;
    if (!(goes_in ? flatten_into(m, out, *v.list, depth - 1) : m.append(out, v))) return false;
  }
  m.leave();
  return true;
}

Value flatten(const Call& c) {
  const int64_t depth = c.args.size() == 2 ? c[1].integer : 1;
  if (c[0].kind != ValueKind::kList || (c.args.size() == 2 && c[1].kind != ValueKind::kInt)) {
    std::string text = "no such overload: " + std::string(type_name(c[0])) + ".flatten(";
    if (c.args.size() == 2) text += type_name(c[1]);
    return c.m.fail(text + ')');
  }
  if (depth < 0) return Value::error("level must be non-negative");
  List* const out = c.m.new_list(c[0].list->size);
  if (out == nullptr || !flatten_into(c.m, out, *c[0].list, depth)) return c.m.stop_value();
  return Value::of_list(out);
}

Value reverse(const Call& c) {
  const List& list = *c[0].list;
  List* const out = c.m.new_list(list.size);
  if (out == nullptr) return c.m.stop_value();
  for (uint32_t i = list.size; i-- > 0;) out->items[out->size++] = list.items[i];
  return Value::of_list(out);
}

Value distinct(const Call& c) {
  const List& list = *c[0].list;
  List* const out = c.m.new_list(list.size);
  if (out == nullptr) return c.m.stop_value();
  for (uint32_t i = 0; i < list.size; ++i) {
    bool is_known = false;
    // Upstream does not compare an element with the one that has its index among the kept ones.
    for (uint32_t k = 0; k < out->size && !is_known; ++k)
      is_known = k != i && equal_by_left(c.m, list.items[i], out->items[k]).is_true();
    if (c.m.stopped()) return c.m.stop_value();
    if (!is_known) out->items[out->size++] = list.items[i];
  }
  return Value::of_list(out);
}

// Upstream builds the list before it charges for it, however long it is; a longer one than the
// limit on cost allows is refused here.
Value range(const Call& c) {
  if (c.m.dialect().cel_go_29) {
    const std::string size = std::to_string(c[0].integer);
    if (c[0].integer < 0) return c.m.fail("lists.range: size must be non-negative, got ", size);
    if (c[0].integer > static_cast<int64_t>(kCostLimit))
      return c.m.fail("lists.range: size ", size, " exceeds maximum allowed (1000000)");
  }
  if (c[0].integer > static_cast<int64_t>(kCostLimit)) {
    c.m.charge(static_cast<uint64_t>(c[0].integer) + 11);
    return c.m.stop(kCostError);
  }
  const auto size = static_cast<size_t>(std::max<int64_t>(c[0].integer, 0));
  List* const out = c.m.new_list(size);
  if (out == nullptr) return c.m.stop_value();
  for (size_t i = 0; i < size; ++i) out->items[out->size++] = Value::of(static_cast<int64_t>(i));
  return Value::of_list(out);
}

bool has_value_of(Machine& m, const List& list, const Value& v) {
  for (uint32_t i = 0; i < list.size && !m.stopped(); ++i)
    if (equal_by_left(m, v, list.items[i]).is_true()) return true;
  return false;
}

bool contains_all(Machine& m, const List& list, const List& others) {
  for (uint32_t i = 0; i < others.size; ++i)
    if (!has_value_of(m, list, others.items[i])) return false;
  return true;
}

Value answer(const Call& c, bool value) {
  return c.m.stopped() ? c.m.stop_value() : Value::boolean(value);
}

Value sets_contains(const Call& c) { return answer(c, contains_all(c.m, *c[0].list, *c[1].list)); }
Value sets_equivalent(const Call& c) {
  const List &a = *c[0].list, &b = *c[1].list;
  return answer(c, contains_all(c.m, a, b) && contains_all(c.m, b, a));
}
Value sets_intersects(const Call& c) {
  const List& a = *c[0].list;
  for (uint32_t i = 0; i < a.size; ++i)
    if (has_value_of(c.m, *c[1].list, a.items[i])) return answer(c, true);
  return answer(c, false);
}

bool insert(Machine& m, Map** map, const Value& key, const Value& value, Value* failed) {
  if (m.find(*map, key) != nullptr) {
    *failed = m.fail("insert failed: key ", go_text(m, key), " already exists");
    return false;
  }
  if (!(*map)->is_mutable) {
    Map* const copy = m.new_map(size_t{(*map)->size} + 1);
    for (uint32_t i = 0; copy != nullptr && i < (*map)->size; ++i)
      if (!m.put(copy, (*map)->keys[i], (*map)->values[i])) break;
    if (copy == nullptr || m.stopped()) {
      *failed = m.stop_value();
      return false;
    }
    *map = copy;
  }
  if (m.put(*map, key, value)) return true;
  *failed = m.stop_value();
  return false;
}

Value map_insert(const Call& c) {
  Map* map = c.m.whole(c[0]);
  Value failed;
  if (map == nullptr) return c.m.stop_value();
  if (c.args.size() == 3)
    return insert(c.m, &map, c[1], c[2], &failed) ? Value::of_map(map) : failed;
  const Map* const added = c.m.whole(c[1]);
  if (added == nullptr) return c.m.stop_value();
  for (uint32_t i = 0; i < added->size; ++i)
    if (!insert(c.m, &map, added->keys[i], added->values[i], &failed)) return failed;
  return Value::of_map(map);
}

Value is_sorted(const Call& c) {
  const List& list = *c[0].list;
  for (uint32_t i = 0; i < list.size; ++i) {
    if (!is_comparable(list.items[i])) return Value::error(kNoOverload);
    if (i == 0) continue;
    const Value order = compare(c.m, list.items[i - 1], list.items[i]);
    if (order.kind == ValueKind::kInt && order.integer > 0) return Value::boolean(false);
  }
  return answer(c, true);
}

// The first element of which no other is smaller (-1) or larger (1).
Value extreme(const Call& c, int64_t wanted) {
  const List& list = *c[0].list;
  if (list.size == 0)
    return Value::error(wanted < 0 ? "min called on empty list" : "max called on empty list");
  const Value* best = nullptr;
  for (uint32_t i = 0; i < list.size; ++i) {
    const Value& v = list.items[i];
    if (!is_comparable(v)) return Value::error(kNoOverload);
    if (best == nullptr) {
      best = &v;
      continue;
    }
    const Value order = compare(c.m, *best, v);
    if (c.m.stopped()) return c.m.stop_value();
    if (order.kind == ValueKind::kInt && order.integer == -wanted) best = &v;
  }
  return *best;
}
Value minimum(const Call& c) { return extreme(c, -1); }
Value maximum(const Call& c) { return extreme(c, 1); }

template <ValueKind kind>
Value sum(const Call& c) {
  static const Callee kAdd = find_callee(find_function("_+_"), {});
  Value total = kind == ValueKind::kDouble ? Value::of_double(0) : Value::of_integer(kind, 0);
  const List& list = *c[0].list;
  for (uint32_t i = 0; i < list.size; ++i) {
    if (!has_trait(list.items[i], kAdder)) return Value::error(kNoOverload);
    const Value args[] = {total, list.items[i]};
    total = kAdd.bound.run({c.m, args, nullptr, "_+_"});
    if (c.m.stopped() || total.is_error()) return total;
  }
  return total;
}

Value index_of_value(const Call& c) {
  const List& list = *c[0].list;
  for (uint32_t i = 0; i < list.size; ++i)
    if (equal_by_left(c.m, list.items[i], c[1]).is_true()) return Value::of(i);
  return c.m.stopped() ? c.m.stop_value() : Value::of(-1);
}

Value last_index_of_value(const Call& c) {
  const List& list = *c[0].list;
  for (uint32_t i = list.size; i-- > 0;)
    if (equal_by_left(c.m, list.items[i], c[1]).is_true()) return Value::of(i);
  return c.m.stopped() ? c.m.stop_value() : Value::of(-1);
}

// device.attributes["d"].x.includes(v): for attributes that are lists or single values. Where the
// cost follows the length of the list, the list may have any length.
Value includes(const Call& c) {
  const uint32_t most = c.m.dialect().cel_go_29 ? UINT32_MAX : 48;
  if (c[0].kind != ValueKind::kList) return answer(c, equal_by_left(c.m, c[0], c[1]).is_true());
  const List& list = *c[0].list;
  for (uint32_t i = 0; i < list.size; ++i) {
    if (i >= most)
      return Value::error("'includes' function cannot be applied to lists longer than 48 values");
    if (equal_by_left(c.m, list.items[i], c[1]).is_true()) return Value::boolean(true);
  }
  return answer(c, false);
}

constexpr NamedBound kListFunctions[] = {
    {"list_slice", {slice, Arity::kAny}},
    {"list_flatten", {flatten, Arity::kUnary, false}},
    {"list_flatten_int", {flatten, Arity::kBinary, false}},
    {"list_reverse", unary(reverse)},
    {"list_distinct", unary(distinct)},
    {"lists_range", unary(range)},
    {"list_sets_contains_list", binary(sets_contains)},
    {"list_sets_equivalent_list", binary(sets_equivalent)},
    {"list_sets_intersects_list", binary(sets_intersects)},
    {"@mapInsert_map_key_value", {map_insert, Arity::kAny}},
    {"@mapInsert_map_map", binary(map_insert)},
    {"list_int_is_sorted_bool", unary(is_sorted)},
    {"list_uint_is_sorted_bool", unary(is_sorted)},
    {"list_double_is_sorted_bool", unary(is_sorted)},
    {"list_bool_is_sorted_bool", unary(is_sorted)},
    {"list_duration_is_sorted_bool", unary(is_sorted)},
    {"list_timestamp_is_sorted_bool", unary(is_sorted)},
    {"list_string_is_sorted_bool", unary(is_sorted)},
    {"list_bytes_is_sorted_bool", unary(is_sorted)},
    {"list_int_max_int", unary(maximum)},
    {"list_uint_max_uint", unary(maximum)},
    {"list_double_max_double", unary(maximum)},
    {"list_bool_max_bool", unary(maximum)},
    {"list_duration_max_duration", unary(maximum)},
    {"list_timestamp_max_timestamp", unary(maximum)},
    {"list_string_max_string", unary(maximum)},
    {"list_bytes_max_bytes", unary(maximum)},
    {"list_int_min_int", unary(minimum)},
    {"list_uint_min_uint", unary(minimum)},
    {"list_double_min_double", unary(minimum)},
    {"list_bool_min_bool", unary(minimum)},
    {"list_duration_min_duration", unary(minimum)},
    {"list_timestamp_min_timestamp", unary(minimum)},
    {"list_string_min_string", unary(minimum)},
    {"list_bytes_min_bytes", unary(minimum)},
    {"list_int_sum_int", unary(sum<ValueKind::kInt>)},
    {"list_uint_sum_uint", unary(sum<ValueKind::kUint>)},
    {"list_double_sum_double", unary(sum<ValueKind::kDouble>)},
    {"list_duration_sum_duration", unary(sum<ValueKind::kDuration>)},
    {"list_a_index_of_int", binary(index_of_value)},
    {"list_a_last_index_of_int", binary(last_index_of_value)},
    {"dra_includes_dyn_dyn", binary(includes)},
};

}  // namespace

Value sort_list(const Call& c) { return sorted(c.m, *c[0].list, *c[0].list); }

Value sort_by_keys(const Call& c) {
  if (c[1].kind != ValueKind::kList) return Value::error(kNoOverload);
  return sorted(c.m, *c[0].list, *c[1].list);
}

Span<NamedBound> list_functions() { return kListFunctions; }

}  // namespace libsched::cel
