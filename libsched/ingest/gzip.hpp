// gzip -> plain bytes, with a limit on what may come out.
//
// Several members one after the other are one text, as gzip writes them; zero bytes may follow
// (tape padding), anything else is an error. Thread-safe; never throws.
#pragma once

#include <cstdlib>
#include <memory>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"
#include "libsched/ingest/interrupt.hpp"

namespace libsched {

// Bytes in memory of malloc's, which grows without being copied or touched before it is written.
class Unpacked {
 public:
  Str text() const { return {data_.get(), size_}; }
  char* data() { return data_.get(); }
  size_t size() const { return size_; }
  // Keeps what is there. Throws std::bad_alloc.
  void resize(size_t size);

 private:
  struct Free {
    void operator()(char* p) const { std::free(p); }
  };
  std::unique_ptr<char, Free> data_;
  size_t size_ = 0;
};

// By the first two bytes.
bool is_gzip(Str bytes);

// The name of another format of compression ("xz") if the bytes begin as it does; else "".
Str other_compression(Str bytes);

// Rc::kLimit as soon as more than max_bytes come out, Rc::kInvalid for truncated or damaged data,
// Rc::kCancelled.
Result<Unpacked> gunzip(Str bytes, size_t max_bytes, const Interrupt& interrupt = {});

}  // namespace libsched
