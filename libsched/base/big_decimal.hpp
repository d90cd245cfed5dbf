// BigDecimal: an exact decimal of any length, for the quantities that 128 bits cannot hold.
//
// Value = (-1)^negative * magnitude * 10^exponent. Limbs are base 10^9, least significant first,
// without leading zero limbs; zero has no limbs. It is for rare, absurd input: clear, not fast.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace libsched {

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

// A natural number in base 10^9.
struct BigNatural {
  static BigNatural from_digits(const char* digits, size_t n);  // only '0'..'9'
  static BigNatural from_uint128(uint128 value);

  bool is_zero() const { return limbs.empty(); }
  size_t digits() const;   // 0 for zero
  uint64_t low64() const;  // modulo 2^64
  bool fits_127_bits(uint128* out) const;
  std::string to_string() const;

  void multiply(uint32_t factor);
  void shift_left(uint64_t places);   // times 10^places
  bool shift_right(uint64_t places);  // floor of division by 10^places; true if inexact
  void increment() { add(from_uint128(1)); }
  void add(const BigNatural& other);
  void subtract(const BigNatural& other);  // other <= *this
  int compare(const BigNatural& other) const;

  std::vector<uint32_t> limbs;

 private:
  void trim();
};

struct BigDecimal {
  bool negative = false;
  BigNatural magnitude;
  int64_t exponent = 0;

  int sign() const { return magnitude.is_zero() ? 0 : negative ? -1 : 1; }
  int compare(const BigDecimal& other) const;
  void strip_tens();  // moves factors of ten into the exponent
  // Adds; when the exact sum had over max_digits digits, the operand larger in magnitude is kept.
  void add(const BigDecimal& other, size_t max_digits);
};

// Returns the only shared, immutable copy of `value`, which lives as long as the process; nullptr
// once the pool holds 64 MiB of different values. Thread-safe.
const BigDecimal* intern_big_decimal(BigDecimal value);

// Empties the pool. No Quantity of this process may hold a long value. For fuzzers, whose inputs
// would fill the pool, after which a sum is its larger operand.
void forget_big_decimals();

}  // namespace libsched
