// Quantity: a number of CPUs, bytes or things, with upstream's exact arithmetic.
//
// Mirrors apimachinery's resource.Quantity: the same texts are accepted, and value() and
// milli_value() give the same int64 (rounded away from zero; overflows give the same
// result). Small values are an int64 times a power of ten, all others an exact decimal.
// Trivially copyable and destructible, 24 bytes: decimals beyond 127 bits are shared, immutable
// entries of a process-wide pool (big_decimal.hpp). All const members may be called concurrently.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"

namespace libsched {

struct BigDecimal;

class Quantity {
 public:
  constexpr Quantity() = default;

  // Errors are upstream's ("quantities must match the regular expression '...'"). Rc::kLimit for
  // texts that take upstream minutes: over 100,000 digits, or more than 18 digits
  // together with an exponent beyond 100 million.
  static Result<Quantity> parse(Str text);
  // As UnmarshalJSON reads the inside of a JSON string: white space around the text is dropped.
  static Result<Quantity> parse_trimmed(Str text);
  static constexpr Quantity from_int(int64_t value) { return Quantity(value, 0); }
  static constexpr Quantity from_milli(int64_t milli) { return Quantity(milli, -3); }

  int64_t value() const;        // Quantity.Value()
  int64_t milli_value() const;  // Quantity.MilliValue()
  // Quantity.AsInt64(): the value if upstream holds it as an integer.
  std::optional<int64_t> exact_int() const;
  double approximate() const;  // Quantity.AsApproximateFloat64()
  bool is_zero() const { return sign() == 0; }
  int sign() const;                          // -1, 0, 1
  int compare(const Quantity& other) const;  // exact: -1, 0, 1
  // Like upstream's Cmp, converts the left side to a decimal if the right side is one.
  int compare_converting(const Quantity& other);
  // Exact up to 200,000 digits; beyond (1e1000000 plus 1) the larger operand is the sum.
  void add(const Quantity& other);
  void subtract(const Quantity& other);
  // Upstream's RoundUp(Milli), as API defaulting applies it: rounds away from zero to whole
  // thousandths.
  void round_up_to_milli();

  // Calls f(Str) with bytes that other quantities do not have. Equal ones may differ in theirs if
  // they have more digits than 64 bits hold.
  template <typename F>
  void with_key(F&& f) const {
    std::array<char, 1 + sizeof low_ + sizeof high_ + sizeof scale_> bytes;
    bytes[0] = static_cast<char>(kind_);
    if (kind_ == Kind::kBig) return f(Str(bytes[0] + to_string() + '\0'));
    write_key(&bytes[1]);
    f(Str(bytes.data(), bytes.size()));
  }

  std::string to_string() const;  // for messages and tests: the exact decimal, no suffix

 private:
  // kAmount: value low_ * 10^scale_ (upstream's int64Amount). kDecimal: 128 bits high_:low_ *
  // 10^-scale_ (inf.Dec, whose scale is upside down). kBig: low_ is a const BigDecimal*, and
  // scale_ the scale inf.Dec would have. The kind decides what an overflowing conversion returns.
  enum class Kind : uint8_t { kAmount, kDecimal, kBig };

  constexpr Quantity(int64_t value, int32_t scale)
      : low_(static_cast<uint64_t>(value)), scale_(scale) {}
  __extension__ __int128 unscaled() const;    // not of kBig
  int64_t exponent() const;                   // the power of ten of unscaled()
  int64_t scaled_value(int32_t scale) const;  // at 10^scale; scale is 0 or -3
  int64_t scaled_decimal(int32_t inf_scale) const;
  void add_decimal(const Quantity& other);
  void write_key(char* out) const;  // not of kBig
  BigDecimal to_big() const;
  bool set_big(BigDecimal value, int32_t inf_scale);  // false: the pool is full
  friend struct QuantityParts;

  uint64_t low_ = 0;
  int64_t high_ = 0;
  int32_t scale_ = 0;
  Kind kind_ = Kind::kAmount;
};

// Upstream's canonical text of a quantity that was parsed from `written`, whose suffix decides
// between 1Gi, 1073741824 and 1073741824e0.
std::string canonical_quantity(const Quantity& q, Str written);
// Of a quantity that was calculated, with the family of suffixes that `like` has.
std::string computed_quantity(const Quantity& q, Str like);

}  // namespace libsched
