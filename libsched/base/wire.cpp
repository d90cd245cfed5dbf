// Varints, lengths and groups; everything is checked against the bytes that are left.
#include "libsched/base/wire.hpp"

namespace libsched {

bool WireReader::long_varint(uint64_t& out) {
  out = 0;
  for (size_t i = 0; i < rest_.size() && i < 10; ++i) {
    const auto byte = static_cast<unsigned char>(rest_[i]);
    if (i == 9 && byte > 1) return fail("a number of more than 64 bits");
    out |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      rest_.remove_prefix(i + 1);
      return true;
    }
  }
  return fail(rest_.size() < 10 ? "truncated: the bytes end within a number"
                                : "a number of more than 64 bits");
}

bool WireReader::next_of_any_size(WireField& field) {
  if (rest_.empty()) return false;
  if (!value(field)) return false;
  if (field.type == WireField::kEnd) return fail("the end of a group that has not begun");
  return field.type != WireField::kGroup || skip_group(field.number);
}

// Reads a tag and its value; of a group only the tag.
bool WireReader::value(WireField& field) {
  uint64_t tag = 0;
  if (!varint(tag)) return false;
  const uint64_t number = tag >> 3;
  if (number == 0 || number >= uint64_t{1} << 29) {
    return fail("the field number " + std::to_string(number) + " is out of range");
  }
  field.number = static_cast<uint32_t>(number);
  field.type = static_cast<WireField::Type>(tag & 7);
  const auto take = [&](uint64_t size) {
    if (size > rest_.size()) {
      return fail("truncated: field " + std::to_string(number) + " has " + std::to_string(size) +
                  " bytes, of which " + std::to_string(rest_.size()) + " are left");
    }
    field.bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  };
  switch (field.type) {
    case WireField::kVarint: return varint(field.varint);
    case WireField::kFixed64: return take(8);
    case WireField::kFixed32: return take(4);
    case WireField::kBytes: {
      uint64_t size = 0;
      return varint(size) && take(size);
    }
    case WireField::kGroup:
    case WireField::kEnd: return true;
  }
  return fail("the wire type " + std::to_string(tag & 7) + " does not exist");
}

bool WireReader::skip_group(uint32_t number) {
  uint32_t open[kMaxGroups] = {number};
  int depth = 1;
  WireField inner;
  while (depth > 0) {
    if (rest_.empty()) return fail("truncated: the bytes end within a group");
    if (!value(inner)) return false;
    if (inner.type == WireField::kGroup) {
      if (depth == kMaxGroups) return fail("too deeply nested groups");
      open[depth++] = inner.number;
    } else if (inner.type == WireField::kEnd) {
      if (open[--depth] != inner.number) return fail("the end of a group that has not begun");
    }
  }
  return true;
}

}  // namespace libsched
