// gzip, xz and zstd -> plain bytes, with a limit on the size of the output.
//
// Several members in a row are one text, as in the output of these tools; zero bytes may follow
// each (padding), anything else is an error. Thread-safe; never throws.
#pragma once

#include <cstdlib>
#include <memory>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"
#include "libsched/ingest/interrupt.hpp"

namespace libsched {

// Bytes in memory from malloc, which can grow without copying or touching unwritten pages.
class Unpacked {
 public:
  Str text() const { return {data_.get(), size_}; }
  char* data() { return data_.get(); }
  size_t size() const { return size_; }
  // Keeps the contents. Throws std::bad_alloc.
  void resize(size_t size);

 private:
  struct Free {
    void operator()(char* p) const { std::free(p); }
  };
  std::unique_ptr<char, Free> data_;
  size_t size_ = 0;
};

// Whether unpack() reads data that begins like this.
bool is_packed(Str bytes);

// The name of another compression format ("bzip2") if the bytes start with its signature; else "".
Str other_compression(Str bytes);

// Decompresses. Errors: Rc::kLimit as soon as the output exceeds max_bytes, or if the data wants
// more than 128 MiB to be decompressed; Rc::kInvalid for truncated or damaged data, and data that
// is not packed; Rc::kCancelled. Data that expands to more than 64 MiB and to more than 32 times
// its size is decompressed twice, so that an output beyond the limit takes no memory.
Result<Unpacked> unpack(Str bytes, size_t max_bytes, const Interrupt& interrupt = {});

}  // namespace libsched
