// Types of the checker. They are immutable and live in the arena of a compilation, or for ever.
#pragma once

#include <cstdint>
#include <string>

#include "libsched/base/arena.hpp"

namespace libsched::cel {

enum class TypeKind : uint8_t {
  kDyn,
  kAny,
  kError,
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kDuration,
  kTimestamp,
  kList,
  kMap,
  kType,
  kOpaque,  // by name: optional_type, net.IP, net.CIDR
  kStruct,  // by name: kubernetes.Quantity, ...
  kParam,   // a type variable, by number
};

struct Type {
  TypeKind kind = TypeKind::kDyn;
  bool has_params = false;  // a variable is somewhere inside
  uint32_t variable = 0;    // of kParam
  Str name;                 // as upstream's TypeName(): "google.protobuf.Duration"
  Span<const Type*> params;
  bool is_wrapper = false;  // of a simple type: null can be assigned to it

  bool is_dyn() const { return kind == TypeKind::kDyn || kind == TypeKind::kAny; }
  bool is_dyn_or_error() const { return is_dyn() || kind == TypeKind::kError; }
  bool is_optional() const { return kind == TypeKind::kOpaque && name == "optional_type"; }
};

const Type* simple_type(TypeKind kind);
const Type* make_list_type(Arena& arena, const Type* element);
const Type* make_map_type(Arena& arena, const Type* key, const Type* value);
const Type* make_type_type(Arena& arena, const Type* of);
const Type* make_named_type(Arena& arena, TypeKind kind, Str name, Span<const Type*> params = {});
// A type of its own that stands for any in the end, as the elements of the type that the name
// "list" stands for.
const Type* make_unknown_type(Arena& arena, Str name);
inline bool is_unknown(const Type* t) { return t->kind == TypeKind::kStruct && t->has_params; }

// Equal in every part. `steps` is taken down and the answer is false once it is used up.
bool is_exact(const Type* a, const Type* b, int64_t& steps);
// As in the checker's messages: "map(string, any)", "timestamp". Cut off at 64 KiB.
std::string format_type(const Type* t);
// As upstream's Type.String(): "google.protobuf.Timestamp".
std::string type_string(const Type* t);

}  // namespace libsched::cel
