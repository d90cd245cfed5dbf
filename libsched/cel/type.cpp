// Types of the checker: making, comparing and writing them.
#include "libsched/cel/type.hpp"

#include <array>

namespace libsched::cel {
namespace {

constexpr size_t kMostText = 64 << 10;

constexpr std::array<Type, 13> kSimple = {{
    {TypeKind::kDyn, false, 0, "dyn", {}},
    {TypeKind::kAny, false, 0, "google.protobuf.Any", {}},
    {TypeKind::kError, false, 0, "error", {}},
    {TypeKind::kNull, false, 0, "null_type", {}},
    {TypeKind::kBool, false, 0, "bool", {}},
    {TypeKind::kInt, false, 0, "int", {}},
    {TypeKind::kUint, false, 0, "uint", {}},
    {TypeKind::kDouble, false, 0, "double", {}},
    {TypeKind::kString, false, 0, "string", {}},
    {TypeKind::kBytes, false, 0, "bytes", {}},
    {TypeKind::kDuration, false, 0, "google.protobuf.Duration", {}},
    {TypeKind::kTimestamp, false, 0, "google.protobuf.Timestamp", {}},
    {TypeKind::kType, false, 0, "type", {}},
}};

const Type* make(Arena& arena, TypeKind kind, Str name, std::initializer_list<const Type*> params) {
  return make_named_type(arena, kind, name, arena.copy(params.begin(), params.size()));
}

void write(const Type* t, bool of_checker, std::string& out) {
  if (out.size() > kMostText) return;
  if (of_checker) {
    switch (t->kind) {
      case TypeKind::kAny: out += "any"; return;
      case TypeKind::kDuration: out += "duration"; return;
      case TypeKind::kTimestamp: out += "timestamp"; return;
      case TypeKind::kNull: out += "null"; return;
      case TypeKind::kError: out += "!error!"; return;
      default: break;
    }
  }
  if (t->is_wrapper) {
    out.append("wrapper(").append(t->name).append(")");
    return;
  }
  out += t->name;
  if (t->params.empty()) return;
  out += '(';
  for (size_t i = 0; i < t->params.size(); ++i) {
    if (i > 0) out += ", ";
    write(t->params[i], of_checker, out);
  }
  out += ')';
}

}  // namespace

const Type* simple_type(TypeKind kind) {
  if (kind == TypeKind::kType) return &kSimple.back();
  return &kSimple[static_cast<size_t>(kind)];
}

const Type* make_named_type(Arena& arena, TypeKind kind, Str name, Span<const Type*> params) {
  Type* const t = arena.make<Type>();
  t->kind = kind;
  t->name = name;
  t->params = params;
  for (const Type* p : params) t->has_params |= p->has_params;
  return t;
}

const Type* make_unknown_type(Arena& arena, Str name) {
  Type* const t = arena.make<Type>();
  t->kind = TypeKind::kStruct;
  t->name = name;
  t->has_params = true;
  return t;
}

const Type* make_list_type(Arena& arena, const Type* element) {
  return make(arena, TypeKind::kList, "list", {element});
}

const Type* make_map_type(Arena& arena, const Type* key, const Type* value) {
  return make(arena, TypeKind::kMap, "map", {key, value});
}

const Type* make_type_type(Arena& arena, const Type* of) {
  return make(arena, TypeKind::kType, "type", {of});
}

bool is_exact(const Type* a, const Type* b, int64_t& steps) {
  if (a == b) return true;
  if (--steps < 0) return false;
  if (a->kind != b->kind || a->name != b->name || a->variable != b->variable ||
      a->params.size() != b->params.size())
    return false;
  for (size_t i = 0; i < a->params.size(); ++i)
    if (!is_exact(a->params[i], b->params[i], steps)) return false;
  return true;
}

std::string format_type(const Type* t) {
  std::string out;
  write(t, true, out);
  return out;
}

std::string type_string(const Type* t) {
  std::string out;
  write(t, false, out);
  return out;
}

}  // namespace libsched::cel
