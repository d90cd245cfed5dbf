// Runs a codec in a loop. Input and output are passed in pieces, with a look at the interrupt
// between them. The output grows at most one byte beyond the limit, which shows that there is more.
#include "libsched/ingest/unpack.hpp"

#include <algorithm>
#include <exception>
#include <new>

#include "libsched/ingest/codec.hpp"

namespace libsched {
namespace {

constexpr size_t kPiece = size_t{4} << 20;  // bytes of input or output between two interrupts

std::unique_ptr<Codec> codec_of(Str bytes) {
  for (const auto make : {make_gzip, make_xz, make_zstd})
    if (std::unique_ptr<Codec> codec = make(); codec->begins(bytes)) return codec;
  return nullptr;
}

// The first `in` bytes gave `made` bytes; the error names the size of the whole at this rate.
Error too_large(Str format, size_t bytes, size_t in, size_t made, size_t max_bytes) {
  const double rate = static_cast<double>(made) / static_cast<double>(std::max<size_t>(in, 1));
  const double all = std::max(rate * static_cast<double>(bytes), static_cast<double>(made));
  std::string message =
      std::string(format) + " data of " + std::to_string(bytes) + " bytes expands to about ";
  message += std::to_string(static_cast<uint64_t>(all)) + " bytes, more than the limit of ";
  return {Rc::kLimit, message + std::to_string(max_bytes), {}, {}};
}

Result<Unpacked> expand(Codec& codec, Str bytes, size_t max_bytes, const Interrupt& interrupt) {
  const std::string format(codec.name());
  Unpacked out;
  size_t in = 0, made = 0;
  std::string problem;
  const auto at = [&] {
    return " at byte " + std::to_string(in) + " of " + std::to_string(bytes.size());
  };
  for (;;) {
    if (interrupt()) return interrupted();
    if (made == out.size()) {
      const size_t wanted = std::max(out.size() * 2, std::min(bytes.size(), kPiece) * 4 + 64);
      out.resize(std::min(wanted, max_bytes < SIZE_MAX ? max_bytes + 1 : max_bytes));
    }
    Str given = bytes.substr(in, kPiece);
    std::span<char> room(out.data() + made, std::min(out.size() - made, kPiece));
    const size_t give = given.size(), most = room.size();
    const Codec::Step step = codec.step(&given, &room, &problem);
    in += give - given.size();
    made += most - room.size();
    if (made > max_bytes) return too_large(format, bytes.size(), in, made, max_bytes);
    if (step == Codec::Step::kTooLarge)
      return Error{Rc::kLimit,
                   format + " data wants more than " + std::to_string(Codec::kMostMemory) +
                       " bytes of memory to be decompressed",
                   {},
                   {}};
    if (step == Codec::Step::kDamaged)
      return invalid("", "damaged " + format + " data: " + problem + at());
    if (step == Codec::Step::kEnd) {
      const Str rest = bytes.substr(in);
      if (rest.find_first_not_of('\0') == Str::npos) break;
      if (!codec.begins(rest))
        return invalid("",
                       "data that is not " + format + " follows the " + format + " data" + at());
      codec.restart();
    } else if (in == bytes.size() && !room.empty()) {
      return invalid("", "truncated " + format + " data, ends" + at());
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

bool is_packed(Str bytes) {
  return bytes.starts_with("\x1f\x8b") || bytes.starts_with(Str("\xfd\x37\x7a\x58\x5a\0", 6)) ||
         bytes.starts_with("\x28\xb5\x2f\xfd");
}

Str other_compression(Str bytes) {
  struct Format {
    Str name, begin;
  };
  constexpr Format kFormats[] = {
      {"bzip2", "BZh"}, {"lz4", "\x04\x22\x4d\x18"}, {"zip", "PK\x03\x04"}};
  for (const Format& f : kFormats) {
    if (!bytes.starts_with(f.begin)) continue;
    // A text may start with this signature, so a digit and a block's six bytes must follow.
    if (f.name == "bzip2" && (bytes.size() < 10 || bytes.substr(4, 6) != "1AY&SY")) continue;
    return f.name;
  }
  return {};
}

Result<Unpacked> unpack(Str bytes, size_t max_bytes, const Interrupt& interrupt) {
  try {
    const std::unique_ptr<Codec> codec = codec_of(bytes);
    if (!codec) return invalid("", "not gzip, xz or zstd data");
    return expand(*codec, bytes, max_bytes, interrupt);
  } catch (const std::bad_alloc&) {
    return Error{Rc::kNoMemory, "out of memory while reading compressed data", {}, {}};
  } catch (const std::exception& e) {
    return Error{Rc::kInternal, std::string("while reading compressed data: ") + e.what(), {}, {}};
  }
}

}  // namespace libsched
