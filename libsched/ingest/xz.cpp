// xz, by liblzma.
#include <lzma.h>

#include <new>

#include "libsched/ingest/codec.hpp"

namespace libsched {
namespace {

class Xz final : public Codec {
 public:
  Xz() = default;
  ~Xz() override { lzma_end(&stream_); }
  Xz(const Xz&) = delete;
  Xz& operator=(const Xz&) = delete;

  Str name() const override { return "xz"; }
  bool begins(Str bytes) const override { return begins_xz(bytes); }
  Step step(Str* in, std::span<char>* out, std::string* problem) override {
    if (!begun_ && lzma_stream_decoder(&stream_, kMostMemory, 0) != LZMA_OK) throw std::bad_alloc();
    begun_ = true;
    stream_.next_in = reinterpret_cast<const uint8_t*>(in->data());
    stream_.avail_in = in->size();
    stream_.next_out = reinterpret_cast<uint8_t*>(out->data());
    stream_.avail_out = out->size();
    const lzma_ret status = lzma_code(&stream_, LZMA_RUN);
    in->remove_prefix(in->size() - stream_.avail_in);
    *out = out->subspan(out->size() - stream_.avail_out);
    switch (status) {
      case LZMA_OK:
      case LZMA_BUF_ERROR: return Step::kMore;  // it made no progress: there is no more input
      case LZMA_STREAM_END: return Step::kEnd;
      case LZMA_MEM_ERROR: throw std::bad_alloc();
      case LZMA_MEMLIMIT_ERROR: return Step::kTooLarge;
      case LZMA_OPTIONS_ERROR: *problem = "unsupported options"; return Step::kDamaged;
      default: *problem = "a check does not match"; return Step::kDamaged;
    }
  }
  void restart() override { begun_ = false; }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool begun_ = false;
};

}  // namespace

bool begins_xz(Str bytes) { return bytes.starts_with(Str("\xfd\x37\x7a\x58\x5a\0", 6)); }
std::unique_ptr<Codec> make_xz() { return std::make_unique<Xz>(); }

}  // namespace libsched
