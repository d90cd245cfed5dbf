// Runs zlib's inflate in a loop: input and output are passed in pieces, since zlib counts in 32
// bits. The output grows at most one byte beyond the limit, which shows that there is more.
#include "libsched/ingest/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <exception>
#include <new>

namespace libsched {
namespace {

constexpr size_t kPiece = size_t{4} << 20;  // bytes of input or output between two interrupts

class Inflater {
 public:
  Inflater() {
    const int status = inflateInit2(&stream_, 15 + 16);  // gzip only
    if (status != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  z_stream* operator->() { return &stream_; }
  z_stream* get() { return &stream_; }

 private:
  z_stream stream_{};
};

// The first `in` bytes gave `made` bytes; the error names the size of the whole at this rate.
Error too_large(size_t bytes, size_t in, size_t made, size_t max_bytes) {
  const double rate = static_cast<double>(made) / static_cast<double>(std::max<size_t>(in, 1));
  const double all = std::max(rate * static_cast<double>(bytes), static_cast<double>(made));
  std::string message = "gzip data of " + std::to_string(bytes) + " bytes expands to about ";
  message += std::to_string(static_cast<uint64_t>(all)) + " bytes, more than the limit of ";
  return {Rc::kLimit, message + std::to_string(max_bytes), {}, {}};
}

Result<Unpacked> inflate_all(Str bytes, size_t max_bytes, const Interrupt& interrupt) {
  Inflater z;
  Unpacked out;
  size_t in = 0, made = 0;
  const auto at = [&] {
    return " at byte " + std::to_string(in) + " of " + std::to_string(bytes.size());
  };
  for (;;) {
    if (interrupt()) return interrupted();
    if (made == out.size()) {
      const size_t wanted = std::max(out.size() * 2, std::min(bytes.size(), kPiece) * 4 + 64);
      out.resize(std::min(wanted, max_bytes < SIZE_MAX ? max_bytes + 1 : max_bytes));
    }
    const auto give = static_cast<uInt>(std::min(bytes.size() - in, kPiece));
    const auto room = static_cast<uInt>(std::min(out.size() - made, kPiece));
    z->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + in));
    z->avail_in = give;
    z->next_out = reinterpret_cast<Bytef*>(out.data() + made);
    z->avail_out = room;
    const int status = inflate(z.get(), Z_NO_FLUSH);
    in += give - z->avail_in;
    made += room - z->avail_out;
    if (made > max_bytes) return too_large(bytes.size(), in, made, max_bytes);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_DATA_ERROR || status == Z_NEED_DICT) {
      return invalid("", std::string("damaged gzip data: ") +
                             (z->msg != nullptr ? z->msg : "a dictionary is needed") + at());
    }
    if (status == Z_STREAM_END) {
      const Str rest = bytes.substr(in);
      if (rest.find_first_not_of('\0') == Str::npos) break;
      if (!is_gzip(rest)) return invalid("", "data that is not gzip follows the gzip data" + at());
      inflateReset(z.get());
    } else if (in == bytes.size() && z->avail_out != 0) {
      return invalid("", "truncated gzip data, ends" + at());
    }
  }
  out.resize(made);
  return out;
}

}  // namespace

void Unpacked::resize(size_t size) {
  auto* const moved = static_cast<char*>(std::realloc(data_.get(), std::max<size_t>(size, 1)));
  if (moved == nullptr) throw std::bad_alloc();
  (void)data_.release();  // realloc has freed it
  data_.reset(moved);
  size_ = size;
}

bool is_gzip(Str bytes) { return bytes.starts_with("\x1f\x8b"); }

Str other_compression(Str bytes) {
  struct Format {
    Str name, begin;
  };
  constexpr Format kFormats[] = {{"xz", Str("\xfd\x37\x7a\x58\x5a\0", 6)},
                                 {"zstd", "\x28\xb5\x2f\xfd"},
                                 {"bzip2", "BZh"},
                                 {"lz4", "\x04\x22\x4d\x18"},
                                 {"zip", "PK\x03\x04"}};
  for (const Format& f : kFormats) {
    if (!bytes.starts_with(f.begin)) continue;
    // A text may start with this signature, so a digit and a block's six bytes must follow.
    if (f.name == "bzip2" && (bytes.size() < 10 || bytes.substr(4, 6) != "1AY&SY")) continue;
    return f.name;
  }
  return {};
}

Result<Unpacked> gunzip(Str bytes, size_t max_bytes, const Interrupt& interrupt) {
  if (!is_gzip(bytes)) return invalid("", "not gzip data");
  try {
    return inflate_all(bytes, max_bytes, interrupt);
  } catch (const std::bad_alloc&) {
    return Error{Rc::kNoMemory, "out of memory while reading gzip data", {}, {}};
  } catch (const std::exception& e) {
    return Error{Rc::kInternal, std::string("while reading gzip data: ") + e.what(), {}, {}};
  }
}

}  // namespace libsched
