// The fields of the flat form (docs/flat.md): a table made from the API's types.
#pragma once

#include <cstdint>
#include <span>

#include "libsched/base/arena.hpp"

namespace libsched {

enum class FlatKind : uint8_t {
  kInt,
  kBool,
  kTime,  // seconds since 1970
  kText,  // also a quantity
  kTexts,
  kMap,  // of texts
  kRecord,
  kRecords,
  kInline,  // a record whose fields are the outer one's in JSON
};

struct FlatField {
  uint8_t number;
  FlatKind kind;
  int16_t record;  // the type of kRecord, kRecords and kInline
  Str name;        // in JSON
};

struct FlatRecord {
  uint16_t begin, count;
};

constexpr int kFlatPod = 0, kFlatNode = 1;

// The fields of a record, by ascending number.
std::span<const FlatField> flat_fields(int record);

}  // namespace libsched
