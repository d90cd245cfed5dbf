// Frames of the stream form: the lengths of a JSON header and of binary columns, then both.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "libsched/base/result.hpp"

namespace libsched::remote {

static_assert(std::endian::native == std::endian::little,
              "frames are written in the machine's byte order, and the protocol is little endian");
constexpr size_t kPrefix = 8;                      // two lengths of 4 bytes, little endian
constexpr size_t kMostOfFrame = size_t{64} << 20;  // bytes of a header, and of columns, of a plugin

struct Frame {
  std::string_view header, columns;
  size_t size() const { return kPrefix + header.size() + columns.size(); }
};

void append_frame(std::string* out, std::string_view header, std::string_view columns);
// The first frame of `bytes`, borrowed from them; `complete` is false if bytes are missing. Errors:
// LIMIT.
Result<Frame> first_frame(std::string_view bytes, bool* complete);

// Columns. Each is padded to a multiple of 8 bytes, and numbers are little endian.
template <typename T>
void append_column(std::string* out, const T* values, size_t count) {
  out->append(reinterpret_cast<const char*>(values), count * sizeof(T));
  out->append((8 - out->size() % 8) % 8, '\0');
}
constexpr size_t padded(size_t bytes) { return (bytes + 7) / 8 * 8; }

}  // namespace libsched::remote
