// zstd, by libzstd.
#include <zstd.h>
#include <zstd_errors.h>

#include <new>

#include "libsched/ingest/codec.hpp"

namespace libsched {
namespace {

constexpr int kWindowLog = 27;  // of the largest window: kMostMemory
static_assert(size_t{1} << kWindowLog == Codec::kMostMemory);

class Zstd final : public Codec {
 public:
  Zstd() = default;
  ~Zstd() override { ZSTD_freeDStream(stream_); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;

  Str name() const override { return "zstd"; }
  bool begins(Str bytes) const override { return begins_zstd(bytes); }
  Step step(Str* in, std::span<char>* out, std::string* problem) override {
    if (stream_ == nullptr) {
      stream_ = ZSTD_createDStream();
      if (stream_ == nullptr) throw std::bad_alloc();
      ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, kWindowLog);
    }
    ZSTD_inBuffer from{in->data(), in->size(), 0};
    ZSTD_outBuffer to{out->data(), out->size(), 0};
    const size_t left = ZSTD_decompressStream(stream_, &to, &from);
    in->remove_prefix(from.pos);
    *out = out->subspan(to.pos);
    if (ZSTD_isError(left) == 0) return left == 0 ? Step::kEnd : Step::kMore;
    switch (ZSTD_getErrorCode(left)) {
      case ZSTD_error_memory_allocation: throw std::bad_alloc();
      case ZSTD_error_frameParameter_windowTooLarge: return Step::kTooLarge;
      default: *problem = ZSTD_getErrorName(left); return Step::kDamaged;
    }
  }
  void restart() override {}

 private:
  ZSTD_DStream* stream_ = nullptr;
};

}  // namespace

// A frame, or one of those that are skipped, with which parallel compressors begin.
bool begins_zstd(Str bytes) {
  return bytes.starts_with("\x28\xb5\x2f\xfd") ||
         (bytes.size() >= 4 && (static_cast<unsigned char>(bytes[0]) & 0xf0) == 0x50 &&
          bytes.substr(1, 3) == "\x2a\x4d\x18");
}
std::unique_ptr<Codec> make_zstd() { return std::make_unique<Zstd>(); }

}  // namespace libsched
