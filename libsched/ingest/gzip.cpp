// gzip, by zlib.
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "libsched/ingest/codec.hpp"

namespace libsched {
namespace {

class Gzip final : public Codec {
 public:
  Gzip() = default;
  ~Gzip() override {
    if (begun_) inflateEnd(&stream_);
  }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  Str name() const override { return "gzip"; }
  bool begins(Str bytes) const override { return begins_gzip(bytes); }
  Step step(Str* in, std::span<char>* out, std::string* problem) override {
    if (!begun_ && inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();  // gzip only
    begun_ = true;
    // zlib counts in 32 bits.
    const auto piece = [](size_t n) {
      return static_cast<uInt>(std::min<size_t>(n, std::numeric_limits<uInt>::max()));
    };
    const uInt give = piece(in->size()), room = piece(out->size());
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in->data()));
    stream_.avail_in = give;
    stream_.next_out = reinterpret_cast<Bytef*>(out->data());
    stream_.avail_out = room;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    in->remove_prefix(give - stream_.avail_in);
    *out = out->subspan(room - stream_.avail_out);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_DATA_ERROR || status == Z_NEED_DICT) {
      *problem = stream_.msg != nullptr ? stream_.msg : "a dictionary is needed";
      return Step::kDamaged;
    }
    return status == Z_STREAM_END ? Step::kEnd : Step::kMore;
  }
  void restart() override { inflateReset(&stream_); }

 private:
  z_stream stream_{};
  bool begun_ = false;
};

}  // namespace

bool begins_gzip(Str bytes) { return bytes.starts_with("\x1f\x8b"); }
std::unique_ptr<Codec> make_gzip() { return std::make_unique<Gzip>(); }

}  // namespace libsched
