// Memory, maps and regular expressions of an evaluation.
#include "libsched/cel/machine.hpp"

#include <bit>

namespace libsched::cel {
namespace {

constexpr uint32_t kFewEntries = 8;

uint64_t mix(uint64_t h) {
  h ^= h >> 32;
  h *= 0x9e3779b97f4a7c15;
  return h ^ (h >> 29);
}

uint64_t hash_of(const Ip& ip) {
  return std::hash<Str>()(Str(reinterpret_cast<const char*>(ip.bytes.data()), ip.size));
}

// Upstream compares times with their zones, which are the same object if they are UTC or some whole
// hours from it.
bool same_time(const Timestamp& a, const Timestamp& b) {
  constexpr int32_t kHour = 3600;
  const bool has_zone = a.offset % kHour == 0 && a.offset >= -12 * kHour && a.offset <= 14 * kHour;
  return &a == &b || (has_zone && a.seconds == b.seconds && a.nanoseconds == b.nanoseconds &&
                      a.offset == b.offset);
}

uint64_t hash(const Value& v) {
  const auto kind = static_cast<uint64_t>(v.kind) << 56;
  switch (v.kind) {
    case ValueKind::kString:
    case ValueKind::kBytes:
    case ValueKind::kType: return mix(std::hash<Str>()(v.text()) ^ kind);
    case ValueKind::kDouble: return mix(v.number == 0 ? kind : v.uinteger ^ kind);
    case ValueKind::kTimestamp: return mix(static_cast<uint64_t>(v.timestamp->seconds) ^ kind);
    case ValueKind::kIp: return mix(hash_of(*v.ip) ^ kind);
    case ValueKind::kCidr: return mix(hash_of(v.cidr->ip) ^ v.cidr->bits ^ kind);
    default: return mix(v.uinteger ^ kind);
  }
}

// As keys of upstream's maps: numbers of different types are different, objects are themselves.
bool same_key(const Value& a, const Value& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case ValueKind::kString:
    case ValueKind::kBytes:
    case ValueKind::kType: return a.text() == b.text();
    case ValueKind::kDouble: return a.number == b.number;
    case ValueKind::kNull: return true;
    case ValueKind::kEmpty: return false;
    case ValueKind::kIp: return *a.ip == *b.ip;
    case ValueKind::kCidr: return *a.cidr == *b.cidr;
    case ValueKind::kTimestamp: return same_time(*a.timestamp, *b.timestamp);
    default: return a.uinteger == b.uinteger;
  }
}

}  // namespace

void Machine::start(const Device* device, const Options& options, uint32_t slot_count) {
  memory_.reset();
  device_ = device;
  dialect_ = options.dialect;
  lists_ = options.takes_lists();
  stopped_ = false;
  cost_ = work_ = 0;
  limit_ = options.cost_limit;
  if (slots.size() < slot_count) slots.resize(slot_count);
}

Value Machine::text(ValueKind kind, Str s) {
  if (!memory_.fits(s.size()) || !spend(s.size() / 8)) return stop(kCostError);
  return Value::of_text(kind, memory_.copy(s));
}

List* Machine::new_list(size_t capacity) {
  if (!memory_.fits(capacity * sizeof(Value)) || !spend(capacity)) {
    stop(kCostError);
    return nullptr;
  }
  List* const list = memory_.make(List{});
  list->items = memory_.make_array<Value>(capacity);
  list->capacity = static_cast<uint32_t>(capacity);
  return list;
}

Value Machine::strings(const std::vector<Str>& parts) {
  List* const list = new_list(parts.size());
  if (list == nullptr) return stop_;
  for (const Str part : parts) {
    const Value v = string(part);
    if (stopped_) return stop_;
    list->items[list->size++] = v;
  }
  return Value::of_list(list);
}

bool Machine::append(List* list, const Value& v) {
  if (list->size == list->capacity) {
    const size_t capacity = std::max<size_t>(8, size_t{list->capacity} * 2);
    if (!memory_.fits(capacity * sizeof(Value)) || !spend(capacity)) {
      stop(kCostError);
      return false;
    }
    Value* const items = memory_.make_array<Value>(capacity);
    std::copy_n(list->items, list->size, items);
    list->items = items;
    list->capacity = static_cast<uint32_t>(capacity);
  }
  list->items[list->size++] = v;
  return true;
}

Map* Machine::new_map(size_t capacity) {
  Map* const map = memory_.make(Map{});
  if (capacity == 0) return map;
  if (!memory_.fits(capacity * 2 * sizeof(Value)) || !spend(capacity)) {
    stop(kCostError);
    return nullptr;
  }
  map->keys = memory_.make_array<Value>(capacity);
  map->values = memory_.make_array<Value>(capacity);
  map->capacity = static_cast<uint32_t>(capacity);
  return map;
}

bool Machine::grow(Map* map) {
  const size_t capacity = std::max<size_t>(8, size_t{map->capacity} * 2);
  if (!memory_.fits(capacity * (2 * sizeof(Value) + 8)) || !spend(2 * capacity)) {
    stop(kCostError);
    return false;
  }
  Value* const keys = memory_.make_array<Value>(capacity);
  Value* const values = memory_.make_array<Value>(capacity);
  std::copy_n(map->keys, map->size, keys);
  std::copy_n(map->values, map->size, values);
  map->keys = keys;
  map->values = values;
  map->capacity = static_cast<uint32_t>(capacity);
  return true;
}

void Machine::index(Map* map) {
  const auto count = std::bit_ceil(map->capacity * 2);
  if (map->slot_count < count) {
    map->slots = memory_.make_array<uint32_t>(count);
    map->slot_count = count;
  }
  std::fill_n(map->slots, map->slot_count, 0);
  for (uint32_t i = 0; i < map->size; ++i) {
    uint64_t at = hash(map->keys[i]);
    while (map->slots[at & (map->slot_count - 1)] != 0) ++at;
    map->slots[at & (map->slot_count - 1)] = i + 1;
  }
}

// Upstream's maps cannot have every key: its evaluation ends in a panic.
bool Machine::is_hashable(const Value& key) {
  if (key.kind != ValueKind::kSemver && key.kind != ValueKind::kBytes &&
      key.kind != ValueKind::kFormat)
    return true;
  stop(fail("internal error: runtime error: hash of unhashable type ", go_type_name(key)).text());
  return false;
}

const Value* Machine::find_exact(const Map* map, const Value& key) {
  if (!is_hashable(key)) return nullptr;
  if (key.kind == ValueKind::kString && !spend(key.size / 8)) return nullptr;
  if (map->slots == nullptr) {
    for (uint32_t i = 0; i < map->size; ++i)
      if (same_key(map->keys[i], key)) return &map->values[i];
    return nullptr;
  }
  for (uint64_t at = hash(key);; ++at) {
    const uint32_t entry = map->slots[at & (map->slot_count - 1)];
    if (entry == 0) return nullptr;
    if (same_key(map->keys[entry - 1], key)) return &map->values[entry - 1];
  }
}

const Value* Machine::find(const Map* map, const Value& key) {
  if (map->size == 0) return nullptr;
  if (const Value* const v = find_exact(map, key)) return v;
  const auto whole_number = [](double d, double low, double high) {
    return d >= low && d < high && d == __builtin_trunc(d);
  };
  switch (key.kind) {
    case ValueKind::kDouble:
      if (whole_number(key.number, -0x1p63, 0x1p63))
        if (const Value* const v = find_exact(map, Value::of(static_cast<int64_t>(key.number))))
          return v;
      if (whole_number(key.number, 0, 0x1p64))
        return find_exact(map, Value::of_uint(static_cast<uint64_t>(key.number)));
      return nullptr;
    case ValueKind::kInt:
      return key.integer < 0 ? nullptr : find_exact(map, Value::of_uint(key.uinteger));
    case ValueKind::kUint:
      return key.uinteger >> 63 != 0 ? nullptr : find_exact(map, Value::of(key.integer));
    default: return nullptr;
  }
}

bool Machine::put(Map* map, const Value& key, const Value& value) {
  if (const Value* const old = find_exact(map, key)) {
    map->values[old - map->values] = value;
    return true;
  }
  if (stopped_) return false;
  const bool is_full = map->size == map->capacity;
  if (is_full && !grow(map)) return false;
  map->keys[map->size] = key;
  map->values[map->size] = value;
  ++map->size;
  if (map->size <= kFewEntries) return true;
  if (is_full || map->slots == nullptr) {
    index(map);
    return true;
  }
  uint64_t at = hash(key);
  while (map->slots[at & (map->slot_count - 1)] != 0) ++at;
  map->slots[at & (map->slot_count - 1)] = map->size;
  return true;
}

void Machine::erase(Map* map, const Value& key) {
  const Value* const old = find_exact(map, key);
  if (old == nullptr) return;
  const auto i = static_cast<uint32_t>(old - map->values);
  --map->size;
  for (uint32_t k = i; k < map->size; ++k) {
    map->keys[k] = map->keys[k + 1];
    map->values[k] = map->values[k + 1];
  }
  if (map->slots != nullptr) index(map);
}

const Regex* Machine::regex(Str pattern, std::string* error) {
  if (regex_ && pattern_ == pattern) return &*regex_;
  if (!spend(20'000 + pattern.size() * 100)) return nullptr;
  auto compiled = Regex::compile(pattern);
  if (!compiled.ok()) {
    *error = compiled.error().message;
    return nullptr;
  }
  pattern_ = pattern;
  regex_.emplace(std::move(*compiled));
  return spend(regex_->size() * 50) ? &*regex_ : nullptr;
}

}  // namespace libsched::cel
