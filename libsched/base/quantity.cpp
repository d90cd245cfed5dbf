// Quantity arithmetic. Every branch that decides between an int64 amount and a decimal, and every
// wrapping int32 scale, is upstream's: they decide what a later overflow returns.
//
// A decimal's `scale` counts places after the point (value = unscaled * 10^-scale); an amount's is
// the power of ten itself. Parsed decimals have scale 9 (nano) unless they are zero or capped.
#include "libsched/base/quantity.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "libsched/base/big_decimal.hpp"

namespace libsched {
namespace {

constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();
constexpr int64_t kMinInt64 = std::numeric_limits<int64_t>::min();
constexpr size_t kMaxSumDigits = 200000;

constexpr auto kPowersOfTen = [] {
  std::array<int128, 39> p{};
  p[0] = 1;
  for (size_t i = 1; i < p.size(); ++i) p[i] = p[i - 1] * 10;
  return p;
}();

// Go's int32 subtraction: wraps.
int32_t wrap_sub(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b));
}

uint64_t pow10_mod64(uint64_t n) {
  return n >= 64  ? 0
         : n < 39 ? static_cast<uint64_t>(kPowersOfTen[n])
                  : static_cast<uint64_t>(kPowersOfTen[38]) * pow10_mod64(n - 38);
}

// base * 10^places; false on overflow, when *out is what upstream's conversions then return: the
// wrapped product for the factors it multiplies by in one step, else 0. A negative count (a wrapped
// scale) multiplies by one.
bool scale_up(int64_t base, int32_t places, int64_t* out) {
  *out = base;
  if (places <= 0 || base == 0) return true;
  *out = 0;
  if (places > 18 || base == kMinInt64) return false;
  const auto factor = static_cast<int64_t>(kPowersOfTen[static_cast<size_t>(places)]);
  int64_t product;
  const bool overflow = __builtin_mul_overflow(base, factor, &product);
  const bool one_step = places <= 3 || places == 6 || places == 9;
  if (!overflow || one_step) *out = product;
  return !overflow;
}

// base / 10^places, rounded away from zero.
int64_t scale_down(int64_t base, int32_t places) {
  if (places <= 0) return base;
  if (places > 18) return base == 0 ? 0 : base > 0 ? 1 : -1;
  const auto divisor = static_cast<int64_t>(kPowersOfTen[static_cast<size_t>(places)]);
  const int64_t quotient = base / divisor;
  if (base % divisor == 0) return quotient;
  return base > 0 ? quotient + 1 : quotient - 1;
}

// unscaled * 10^places, when 127 bits hold it.
bool scale_up128(int128 unscaled, int64_t places, int128* out) {
  *out = unscaled;
  if (unscaled == 0 || places == 0) return true;
  if (places > 38) return false;
  return !__builtin_mul_overflow(unscaled, kPowersOfTen[static_cast<size_t>(places)], out);
}

int128 join(int64_t high, uint64_t low) {
  return static_cast<int128>((static_cast<uint128>(static_cast<uint64_t>(high)) << 64) | low);
}

uint128 magnitude_of(int128 v) {
  return v < 0 ? -static_cast<uint128>(v) : static_cast<uint128>(v);
}

const BigDecimal& big(uint64_t low) { return *reinterpret_cast<const BigDecimal*>(low); }

// Multiplies an int64 by 10^places as upstream does, where the factor went through a float64: from
// 10^19 on the conversion gives the smallest int64.
int64_t times_pow10(int64_t v, int64_t places) {
  const uint64_t factor = places < 19
                              ? static_cast<uint64_t>(kPowersOfTen[static_cast<size_t>(places)])
                              : static_cast<uint64_t>(kMinInt64);
  return static_cast<int64_t>(static_cast<uint64_t>(v) * factor);
}

// Upstream's division for unscaled values below 2^63, large negative ones included: it truncates
// and then adds one, so that negative fractions round up and not away from zero.
int64_t divide_low(int64_t unscaled, int64_t places) {
  const auto divisor = static_cast<int64_t>(kPowersOfTen[static_cast<size_t>(places)]);
  return unscaled / divisor + (unscaled % divisor != 0);
}

// Go's math.Pow10, which rounds twice.
double go_pow10(int64_t n) {
  constexpr double kSmall[] = {1e00, 1e01, 1e02, 1e03, 1e04, 1e05, 1e06, 1e07, 1e08, 1e09, 1e10,
                               1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21,
                               1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31};
  constexpr double kLarge[] = {1e00, 1e32, 1e64, 1e96, 1e128, 1e160, 1e192, 1e224, 1e256, 1e288};
  constexpr double kTiny[] = {1e-00,  1e-32,  1e-64,  1e-96,  1e-128, 1e-160,
                              1e-192, 1e-224, 1e-256, 1e-288, 1e-320};
  if (n > 308) return std::numeric_limits<double>::infinity();
  if (n < -323) return 0;
  const auto size = static_cast<uint64_t>(n < 0 ? -n : n);
  return n < 0 ? kTiny[size / 32] / kSmall[size % 32] : kLarge[size / 32] * kSmall[size % 32];
}

}  // namespace

int128 Quantity::unscaled() const {
  return kind_ == Kind::kAmount ? int128{static_cast<int64_t>(low_)} : join(high_, low_);
}

int64_t Quantity::exponent() const { return kind_ == Kind::kAmount ? scale_ : -int64_t{scale_}; }

int Quantity::sign() const {
  if (kind_ == Kind::kAmount) {
    const auto v = static_cast<int64_t>(low_);
    return (v > 0) - (v < 0);
  }
  if (kind_ == Kind::kBig) return big(low_).sign();
  return high_ < 0 ? -1 : (high_ | static_cast<int64_t>(low_ != 0)) != 0;
}

int64_t Quantity::value() const { return scaled_value(0); }
int64_t Quantity::milli_value() const { return scaled_value(-3); }

int64_t Quantity::scaled_value(int32_t scale) const {
  if (kind_ != Kind::kAmount) return scaled_decimal(-scale);
  const auto v = static_cast<int64_t>(low_);
  if (scale_ == scale) return v;
  if (scale_ < scale) return scale_down(v, wrap_sub(scale, scale_));
  int64_t out;
  scale_up(v, wrap_sub(scale_, scale), &out);
  return out;
}

int64_t Quantity::scaled_decimal(int32_t inf_scale) const {
  const int64_t places = int64_t{scale_} - inf_scale;  // digits to drop; negative: to append
  const bool is_big = kind_ == Kind::kBig;
  const int128 exact = is_big ? 0 : unscaled();
  uint64_t low = low_;
  if (is_big) {
    const BigDecimal& b = big(low_);
    low = b.magnitude.low64() * pow10_mod64(static_cast<uint64_t>(b.exponent + scale_));
    if (b.negative) low = -low;
  }
  if (places == 0) return static_cast<int64_t>(low);
  if (places < 0) return times_pow10(static_cast<int64_t>(low), -places);
  const bool below_max = is_big ? big(low_).negative : exact < kMaxInt64;
  if (below_max && places < 19) return divide_low(static_cast<int64_t>(low), places);
  // The floor, plus one when inexact; only the low 64 bits of the quotient are returned.
  if (!is_big) {
    if (places > 38) return exact > 0;
    const int128 divisor = kPowersOfTen[static_cast<size_t>(places)];
    const int128 quotient = exact / divisor;
    const bool up = exact > 0 && exact % divisor != 0;
    return static_cast<int64_t>(static_cast<uint64_t>(quotient) + up);
  }
  BigNatural m = big(low_).magnitude;
  const int64_t shift = big(low_).exponent + inf_scale;
  uint64_t quotient;
  if (shift >= 0) {
    quotient = m.low64() * pow10_mod64(static_cast<uint64_t>(shift));
  } else {
    const bool inexact = m.shift_right(static_cast<uint64_t>(-shift));
    quotient = m.low64() + (inexact && !big(low_).negative);
  }
  return static_cast<int64_t>(big(low_).negative ? -quotient : quotient);
}

int Quantity::compare(const Quantity& other) const {
  if (kind_ == Kind::kBig || other.kind_ == Kind::kBig) return to_big().compare(other.to_big());
  int128 a = unscaled(), b = other.unscaled();
  const int64_t exponent_a = exponent(), exponent_b = other.exponent();
  // A value that doesn't fit after alignment is larger in magnitude than any that does.
  if (exponent_a > exponent_b && !scale_up128(a, exponent_a - exponent_b, &a)) return sign();
  if (exponent_b > exponent_a && !scale_up128(b, exponent_b - exponent_a, &b)) return -other.sign();
  return (a > b) - (a < b);
}

int Quantity::compare_converting(const Quantity& other) {
  if (kind_ == Kind::kAmount && other.kind_ != Kind::kAmount) {
    high_ = static_cast<int64_t>(low_) < 0 ? -1 : 0;
    scale_ = wrap_sub(0, scale_);
    kind_ = Kind::kDecimal;
  }
  return compare(other);
}

void Quantity::add(const Quantity& other) {
  if (kind_ != Kind::kAmount || other.kind_ != Kind::kAmount) return add_decimal(other);
  const auto a = static_cast<int64_t>(low_), b = static_cast<int64_t>(other.low_);
  if (b == 0) return;
  if (a == 0) {
    *this = other;
    return;
  }
  int64_t sum;
  if (scale_ == other.scale_) {
    if (__builtin_add_overflow(a, b, &sum)) return add_decimal(other);
  } else if (scale_ > other.scale_) {
    if (!scale_up(a, wrap_sub(scale_, other.scale_), &sum)) return add_decimal(other);
    if (__builtin_add_overflow(sum, b, &sum)) return add_decimal(other);
    scale_ = other.scale_;
  } else {
    if (!scale_up(b, wrap_sub(other.scale_, scale_), &sum)) return add_decimal(other);
    if (__builtin_add_overflow(a, sum, &sum)) return add_decimal(other);
  }
  low_ = static_cast<uint64_t>(sum);
}

void Quantity::subtract(const Quantity& other) {
  constexpr int128 kLeastDecimal = static_cast<int128>(1) << 127;
  Quantity negative = other;
  if (other.kind_ == Kind::kAmount && static_cast<int64_t>(other.low_) == kMinInt64) {
    // Among amounts upstream takes this number for its own negative, unless the sum overflows.
    const Quantity before = *this;
    if (kind_ == Kind::kAmount) add(negative);
    if (kind_ == Kind::kAmount) return;
    *this = before;
    negative.high_ = 0;
    negative.scale_ = wrap_sub(0, other.scale_);
    negative.kind_ = Kind::kDecimal;
  } else if (other.kind_ == Kind::kBig || other.unscaled() == kLeastDecimal) {
    BigDecimal v = other.to_big();
    v.negative = !v.negative;
    if (!negative.set_big(std::move(v), other.scale_)) return;
  } else {
    const uint128 value = -static_cast<uint128>(other.unscaled());
    negative.low_ = static_cast<uint64_t>(value);
    if (other.kind_ == Kind::kDecimal) negative.high_ = static_cast<int64_t>(value >> 64);
  }
  add(negative);
}

std::optional<int64_t> Quantity::exact_int() const {
  if (kind_ != Kind::kAmount || scale_ < 0) return std::nullopt;
  int64_t out = static_cast<int64_t>(low_);
  if (scale_ > 0 && !scale_up(out, scale_, &out)) return std::nullopt;
  return out;
}

double Quantity::approximate() const {
  double base;
  int64_t exponent = this->exponent();
  if (kind_ == Kind::kBig) {
    const BigDecimal& b = big(low_);
    exponent = -int64_t{scale_};
    std::string digits = b.magnitude.to_string() + "e" + std::to_string(b.exponent + scale_);
    base = std::strtod(digits.c_str(), nullptr);
    if (b.negative) base = -base;
  } else {
    base = static_cast<double>(unscaled());
  }
  return exponent == 0 ? base : base * go_pow10(exponent);
}

void Quantity::round_up_to_milli() {
  if (kind_ == Kind::kAmount) {
    if (scale_ >= -3) return;
    low_ = static_cast<uint64_t>(scale_down(static_cast<int64_t>(low_), wrap_sub(-3, scale_)));
    scale_ = -3;
    return;
  }
  if (scale_ <= 3) return add(from_milli(0));  // a decimal always gets three places
  BigDecimal v = to_big();
  if (v.exponent < -3) {
    const bool inexact = v.magnitude.shift_right(static_cast<uint64_t>(-3 - v.exponent));
    if (inexact) v.magnitude.increment();
    v.exponent = -3;
  }
  set_big(std::move(v), 3);
}

void Quantity::add_decimal(const Quantity& other) {
  const auto places = [](const Quantity& q) {
    return q.kind_ == Kind::kAmount ? wrap_sub(0, q.scale_) : q.scale_;
  };
  const int32_t mine = places(*this), theirs = places(other), scale = std::max(mine, theirs);
  if (kind_ != Kind::kBig && other.kind_ != Kind::kBig) {
    int128 a, b, sum;
    if (scale_up128(unscaled(), int64_t{scale} - mine, &a) &&
        scale_up128(other.unscaled(), int64_t{scale} - theirs, &b) &&
        !__builtin_add_overflow(a, b, &sum)) {
      low_ = static_cast<uint64_t>(sum);
      high_ = static_cast<int64_t>(sum >> 64);
      scale_ = scale;
      kind_ = Kind::kDecimal;
      return;
    }
  }
  BigDecimal sum = to_big();
  const BigDecimal b = other.to_big();
  const auto top = [](const BigDecimal& v) {
    return v.sign() == 0 ? std::numeric_limits<int64_t>::min()
                         : static_cast<int64_t>(v.magnitude.digits()) + v.exponent;
  };
  const bool keep_other = top(b) > top(sum);
  sum.add(b, kMaxSumDigits);
  if (!set_big(std::move(sum), scale) && keep_other) *this = other;
}

BigDecimal Quantity::to_big() const {
  if (kind_ == Kind::kBig) return big(low_);
  const int128 v = unscaled();
  return {v < 0, BigNatural::from_uint128(magnitude_of(v)), exponent()};
}

bool Quantity::set_big(BigDecimal value, int32_t inf_scale) {
  value.strip_tens();
  Quantity q;
  q.kind_ = Kind::kDecimal;
  q.scale_ = inf_scale;
  uint128 m = 0;
  int128 wide = 0;
  if (value.magnitude.fits_127_bits(&m) &&
      scale_up128(static_cast<int128>(m), value.exponent + inf_scale, &wide)) {
    if (value.negative) wide = -wide;
    q.low_ = static_cast<uint64_t>(wide);
    q.high_ = static_cast<int64_t>(wide >> 64);
  } else {
    const BigDecimal* kept = intern_big_decimal(std::move(value));
    if (kept == nullptr) return false;
    q.kind_ = Kind::kBig;
    q.low_ = reinterpret_cast<uint64_t>(kept);
  }
  *this = q;
  return true;
}

void Quantity::write_key(char* out) const {
  uint64_t low = low_;
  int32_t scale = scale_;
  if (kind_ == Kind::kAmount) {  // 1 is 1000m
    auto value = static_cast<int64_t>(low);
    for (; value != 0 && value % 10 == 0; value /= 10) ++scale;
    low = static_cast<uint64_t>(value);
    if (value == 0) scale = 0;
  }
  std::memcpy(out, &low, sizeof low);
  std::memcpy(out + sizeof low, &high_, sizeof high_);
  std::memcpy(out + sizeof low + sizeof high_, &scale, sizeof scale);
}

std::string Quantity::to_string() const {
  BigDecimal v = to_big();
  if (v.sign() == 0) return "0";
  v.strip_tens();
  const std::string sign = v.negative ? "-" : "";
  std::string digits = v.magnitude.to_string();
  if (v.exponent > 40) return sign + digits + "e" + std::to_string(v.exponent);
  if (v.exponent >= 0) return sign + digits.append(static_cast<size_t>(v.exponent), '0');
  const auto places = static_cast<size_t>(-v.exponent);
  if (digits.size() <= places) digits.insert(0, places - digits.size() + 1, '0');
  return sign + digits.insert(digits.size() - places, ".");
}

}  // namespace libsched
