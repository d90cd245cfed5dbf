// Runs a codec in a loop. Input and output are passed in pieces, with a look at the interrupt
// between them. The output grows at most one byte beyond the limit, which shows that there is more.
// Where it grows much larger than the data, it is measured before it is kept.
#include "libsched/ingest/unpack.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <vector>

#include "libsched/ingest/codec.hpp"

namespace libsched {
namespace {

constexpr size_t kPiece = size_t{4} << 20;  // bytes of input or output between two interrupts
constexpr size_t kScratch = size_t{1} << 20;
// More bytes than this are measured before they are kept, if they are more than so many times those
// that were read: what some kilobytes expand to may be refused, and should not take memory before.
constexpr size_t kUnmeasured = size_t{64} << 20, kUsual = 32;

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
  return {Rc::kLimit, message + std::to_string(max_bytes)};
}

// Decompresses into pieces, and returns the number of bytes. `room` gives the room for more, from
// the numbers of bytes that were made and read so far.
template <typename Room>
Result<size_t> run(Codec& codec, Str bytes, size_t max_bytes, const Interrupt& interrupt,
                   Room&& room) {
  const std::string format(codec.name());
  size_t in = 0, made = 0;
  std::string problem;
  const auto at = [&] {
    return " at byte " + std::to_string(in) + " of " + std::to_string(bytes.size());
  };
  for (;;) {
    if (interrupt()) return interrupted();
    Result<std::span<char>> given_room = room(made, in);
    if (!given_room.ok()) return std::move(given_room.error());
    std::span<char> out = *given_room;
    Str given = bytes.substr(in, kPiece);
    const size_t give = given.size(), most = out.size();
    const Codec::Step step = codec.step(&given, &out, &problem);
    in += give - given.size();
    made += most - out.size();
    if (made > max_bytes) return too_large(format, bytes.size(), in, made, max_bytes);
    if (step == Codec::Step::kTooLarge)
      return Error{Rc::kLimit, format + " data wants more than " +
                                   std::to_string(Codec::kMostMemory) +
                                   " bytes of memory to be decompressed"};
    if (step == Codec::Step::kDamaged)
      return invalid("", "damaged " + format + " data: " + problem + at());
    if (step == Codec::Step::kEnd) {
      const size_t zeros = bytes.substr(in).find_first_not_of('\0');
      if (zeros == Str::npos) return made;
      in += zeros;
      if (!codec.begins(bytes.substr(in)))
        return invalid("",
                       "data that is not " + format + " follows the " + format + " data" + at());
      codec.restart();
    } else if (in == bytes.size() && !out.empty()) {
      return invalid("", "truncated " + format + " data, ends" + at());
    }
  }
}

// The size of the output, in little memory.
Result<size_t> measure(Str bytes, size_t max_bytes, const Interrupt& interrupt) {
  const std::unique_ptr<Codec> codec = codec_of(bytes);
  std::vector<char> piece(kScratch);
  return run(*codec, bytes, max_bytes, interrupt,
             [&](size_t, size_t) -> Result<std::span<char>> { return std::span<char>(piece); });
}

Result<Unpacked> expand(Codec& codec, Str bytes, size_t max_bytes, const Interrupt& interrupt) {
  Unpacked out;
  const size_t most = max_bytes < SIZE_MAX ? max_bytes + 1 : max_bytes;
  const auto room = [&](size_t made, size_t in) -> Result<std::span<char>> {
    if (made == out.size()) {
      const size_t wanted = std::max(out.size() * 2, std::min(bytes.size(), kPiece) * 4 + 64);
      if (wanted > kUnmeasured && wanted / kUsual > in) {
        const Result<size_t> all = measure(bytes, max_bytes, interrupt);
        if (!all.ok()) return all.error();
        out.resize(std::min(*all + 1, most));
      } else {
        out.resize(std::min(wanted, most));
      }
    }
    return std::span<char>(out.data() + made, std::min(out.size() - made, kPiece));
  };
  const Result<size_t> made = run(codec, bytes, max_bytes, interrupt, room);
  if (!made.ok()) return made.error();
  out.resize(*made);
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

bool is_packed(Str bytes) { return begins_gzip(bytes) || begins_xz(bytes) || begins_zstd(bytes); }

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
    return Error{Rc::kNoMemory, "out of memory while reading compressed data"};
  } catch (const std::exception& e) {
    return Error{Rc::kInternal, std::string("while reading compressed data: ") + e.what()};
  }
}

}  // namespace libsched
