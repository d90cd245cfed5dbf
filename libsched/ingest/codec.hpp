// Codec: one format of compression.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "libsched/base/arena.hpp"

namespace libsched {

class Codec {
 public:
  enum class Step : uint8_t {
    kMore,      // it wants more input or room
    kEnd,       // of a member
    kDamaged,   // `problem` says how
    kTooLarge,  // it wants more memory than kMostMemory
  };
  static constexpr size_t kMostMemory = size_t{128} << 20;

  virtual ~Codec() = default;
  virtual Str name() const = 0;
  // Whether a member may begin with these bytes.
  virtual bool begins(Str bytes) const = 0;
  // Takes the input that it reads from `in`, and the room that it fills from `out`. Throws
  // std::bad_alloc.
  virtual Step step(Str* in, std::span<char>* out, std::string* problem) = 0;
  // For the next member.
  virtual void restart() = 0;
};

// Codec::begins() of each.
bool begins_gzip(Str bytes);
bool begins_xz(Str bytes);
bool begins_zstd(Str bytes);

std::unique_ptr<Codec> make_gzip();
std::unique_ptr<Codec> make_xz();
std::unique_ptr<Codec> make_zstd();

}  // namespace libsched
