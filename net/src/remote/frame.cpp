// Frames: lengths first, so that a reader knows what to wait for.
#include "net/src/remote/frame.hpp"

#include <cstring>

namespace libsched::remote {

void append_frame(std::string* out, std::string_view header, std::string_view columns) {
  const uint32_t lengths[2] = {static_cast<uint32_t>(header.size()),
                               static_cast<uint32_t>(columns.size())};
  out->append(reinterpret_cast<const char*>(lengths), sizeof lengths);
  *out += header;
  *out += columns;
}

Result<Frame> first_frame(std::string_view bytes, bool* complete) {
  *complete = false;
  if (bytes.size() < kPrefix) return Frame();
  uint32_t lengths[2];
  std::memcpy(lengths, bytes.data(), sizeof lengths);
  if (lengths[0] > kMostOfFrame || lengths[1] > kMostOfFrame)
    return Error{Rc::kLimit, "a frame of " + std::to_string(uint64_t{lengths[0]} + lengths[1]) +
                                 " bytes is too long"};
  Frame frame{bytes.substr(kPrefix), {}};
  if (frame.header.size() < uint64_t{lengths[0]} + lengths[1]) return Frame();
  *complete = true;
  frame.columns = frame.header.substr(lengths[0], lengths[1]);
  frame.header = frame.header.substr(0, lengths[0]);
  return frame;
}

}  // namespace libsched::remote
