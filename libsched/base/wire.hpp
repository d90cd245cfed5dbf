// WireReader: the fields of one protobuf message, in their order in the bytes.
#pragma once

#include <cstdint>
#include <string>

#include "libsched/base/arena.hpp"

namespace libsched {

struct WireField {
  enum Type : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kGroup = 3, kEnd = 4, kFixed32 = 5 };
  uint32_t number = 0;
  Type type = kVarint;
  uint64_t varint = 0;
  Str bytes;  // of kBytes
};

class WireReader {
 public:
  explicit WireReader(Str bytes) : rest_(bytes) {}

  // False at the end, and after a failure, when problem() is not empty. A group is read to its end
  // and has no value.
  bool next(WireField& field) {
    // Nearly all tags, lengths and numbers have one byte.
    if (rest_.size() >= 2) {
      const auto tag = static_cast<unsigned char>(rest_[0]);
      const auto value = static_cast<unsigned char>(rest_[1]);
      const auto type = static_cast<WireField::Type>(tag & 7);
      if (tag >= 8 && tag < 0x80 && value < 0x80) {
        if (type == WireField::kBytes && value <= rest_.size() - 2) {
          field.number = tag >> 3;
          field.type = type;
          field.bytes = rest_.substr(2, value);
          rest_.remove_prefix(2 + size_t{value});
          return true;
        }
        if (type == WireField::kVarint) {
          field.number = tag >> 3;
          field.type = type;
          field.varint = value;
          rest_.remove_prefix(2);
          return true;
        }
      }
    }
    return next_of_any_size(field);
  }
  // The next of packed numbers.
  bool varint(uint64_t& out) {
    if (rest_.empty() || static_cast<unsigned char>(rest_[0]) >= 0x80) return long_varint(out);
    out = static_cast<unsigned char>(rest_[0]);
    rest_.remove_prefix(1);
    return true;
  }
  bool at_end() const { return rest_.empty(); }
  const std::string& problem() const { return problem_; }

 private:
  static constexpr int kMaxGroups = 100;

  bool next_of_any_size(WireField& field);
  bool long_varint(uint64_t& out);
  bool value(WireField& field);
  bool skip_group(uint32_t number);
  bool fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  Str rest_;
  std::string problem_;
};

}  // namespace libsched
