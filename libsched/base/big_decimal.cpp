// Long decimal arithmetic in base 10^9 and the pool of long values.
//
// Powers of ten are limb shifts plus one small multiplication, so that the cost of an operation is
// proportional to the digits held.
#include "libsched/base/big_decimal.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "libsched/base/mutex.hpp"

namespace libsched {
namespace {

constexpr uint32_t kBase = 1000000000;
constexpr int kLimbDigits = 9;
constexpr uint32_t kPow10[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
constexpr size_t kPoolBytes = 64 << 20;

struct Less {
  bool operator()(const BigDecimal& a, const BigDecimal& b) const {
    if (a.exponent != b.exponent) return a.exponent < b.exponent;
    if (a.negative != b.negative) return a.negative;
    return a.magnitude.limbs < b.magnitude.limbs;
  }
};

}  // namespace

BigNatural BigNatural::from_digits(const char* digits, size_t n) {
  BigNatural out;
  out.limbs.reserve(n / kLimbDigits + 1);
  while (n > 0) {
    const size_t take = std::min<size_t>(n, kLimbDigits);
    uint32_t limb = 0;
    for (size_t i = n - take; i < n; ++i) limb = limb * 10 + static_cast<uint32_t>(digits[i] - '0');
    out.limbs.push_back(limb);
    n -= take;
  }
  out.trim();
  return out;
}

BigNatural BigNatural::from_uint128(uint128 value) {
  BigNatural out;
  for (; value != 0; value /= kBase) out.limbs.push_back(static_cast<uint32_t>(value % kBase));
  return out;
}

void BigNatural::trim() {
  while (!limbs.empty() && limbs.back() == 0) limbs.pop_back();
}

size_t BigNatural::digits() const {
  if (limbs.empty()) return 0;
  size_t n = (limbs.size() - 1) * kLimbDigits;
  for (uint32_t top = limbs.back(); top != 0; top /= 10) ++n;
  return n;
}

uint64_t BigNatural::low64() const {
  uint64_t low = 0;
  for (size_t i = limbs.size(); i-- > 0;) low = low * kBase + limbs[i];
  return low;
}

bool BigNatural::fits_127_bits(uint128* out) const {
  if (digits() > 39) return false;
  constexpr uint128 kMax = ~uint128{0} >> 1;
  uint128 v = 0;
  for (size_t i = limbs.size(); i-- > 0;) {
    if (v > (kMax - limbs[i]) / kBase) return false;
    v = v * kBase + limbs[i];
  }
  *out = v;
  return true;
}

std::string BigNatural::to_string() const {
  if (limbs.empty()) return "0";
  std::string out = std::to_string(limbs.back());
  for (size_t i = limbs.size() - 1; i-- > 0;) {
    const std::string limb = std::to_string(limbs[i]);
    out.append(kLimbDigits - limb.size(), '0').append(limb);
  }
  return out;
}

void BigNatural::multiply(uint32_t factor) {
  uint64_t carry = 0;
  for (uint32_t& limb : limbs) {
    carry += static_cast<uint64_t>(limb) * factor;
    limb = static_cast<uint32_t>(carry % kBase);
    carry /= kBase;
  }
  for (; carry != 0; carry /= kBase) limbs.push_back(static_cast<uint32_t>(carry % kBase));
  trim();
}

void BigNatural::shift_left(uint64_t places) {
  if (is_zero()) return;
  multiply(kPow10[places % kLimbDigits]);
  limbs.insert(limbs.begin(), places / kLimbDigits, 0);
}

bool BigNatural::shift_right(uint64_t places) {
  const uint64_t whole = places / kLimbDigits;
  if (whole >= limbs.size()) {
    const bool inexact = !is_zero() && places > 0;
    if (places > 0) limbs.clear();
    return inexact;
  }
  const auto cut = limbs.begin() + static_cast<std::ptrdiff_t>(whole);
  bool inexact = std::any_of(limbs.begin(), cut, [](uint32_t limb) { return limb != 0; });
  limbs.erase(limbs.begin(), cut);
  const uint32_t divisor = kPow10[places % kLimbDigits];
  uint64_t rest = 0;
  for (size_t i = limbs.size(); i-- > 0;) {
    rest = rest * kBase + limbs[i];
    limbs[i] = static_cast<uint32_t>(rest / divisor);
    rest %= divisor;
  }
  trim();
  return inexact || rest != 0;
}

void BigNatural::add(const BigNatural& other) {
  limbs.resize(std::max(limbs.size(), other.limbs.size()) + 1);
  uint32_t carry = 0;
  for (size_t i = 0; i < limbs.size(); ++i) {
    carry += limbs[i] + (i < other.limbs.size() ? other.limbs[i] : 0);
    limbs[i] = carry % kBase;
    carry /= kBase;
  }
  trim();
}

void BigNatural::subtract(const BigNatural& other) {
  int64_t borrow = 0;
  for (size_t i = 0; i < limbs.size(); ++i) {
    int64_t v = int64_t{limbs[i]} - (i < other.limbs.size() ? other.limbs[i] : 0) - borrow;
    borrow = v < 0;
    limbs[i] = static_cast<uint32_t>(v < 0 ? v + kBase : v);
  }
  trim();
}

int BigNatural::compare(const BigNatural& other) const {
  if (limbs.size() != other.limbs.size()) return limbs.size() < other.limbs.size() ? -1 : 1;
  for (size_t i = limbs.size(); i-- > 0;) {
    if (limbs[i] != other.limbs[i]) return limbs[i] < other.limbs[i] ? -1 : 1;
  }
  return 0;
}

namespace {

int compare_magnitudes(const BigDecimal& a, const BigDecimal& b) {
  const int64_t top_a = static_cast<int64_t>(a.magnitude.digits()) + a.exponent;
  const int64_t top_b = static_cast<int64_t>(b.magnitude.digits()) + b.exponent;
  // Equal leading positions bound the difference of the exponents by the digits held.
  if (top_a != top_b) return top_a < top_b ? -1 : 1;
  BigNatural ma = a.magnitude, mb = b.magnitude;
  if (a.exponent > b.exponent) ma.shift_left(static_cast<uint64_t>(a.exponent - b.exponent));
  if (b.exponent > a.exponent) mb.shift_left(static_cast<uint64_t>(b.exponent - a.exponent));
  return ma.compare(mb);
}

}  // namespace

int BigDecimal::compare(const BigDecimal& other) const {
  if (sign() != other.sign()) return sign() < other.sign() ? -1 : 1;
  if (sign() == 0) return 0;
  const int order = compare_magnitudes(*this, other);
  return negative ? -order : order;
}

void BigDecimal::strip_tens() {
  if (magnitude.is_zero()) {
    exponent = 0;
    negative = false;
    return;
  }
  uint64_t places = 0;
  while (magnitude.limbs[places / kLimbDigits] == 0) places += kLimbDigits;
  for (uint32_t limb = magnitude.limbs[places / kLimbDigits]; limb % 10 == 0; limb /= 10) ++places;
  magnitude.shift_right(places);
  exponent += static_cast<int64_t>(places);
}

void BigDecimal::add(const BigDecimal& other, size_t max_digits) {
  if (other.sign() == 0) return;
  if (sign() == 0) {
    *this = other;
    return;
  }
  const int order = compare_magnitudes(*this, other);
  const BigDecimal& large = order < 0 ? other : *this;
  const int64_t low = std::min(exponent, other.exponent);
  const int64_t top = static_cast<int64_t>(large.magnitude.digits()) + large.exponent;
  if (top - low > static_cast<int64_t>(max_digits)) {
    if (order < 0) *this = other;
    return;
  }
  BigNatural mine = magnitude, theirs = other.magnitude;
  mine.shift_left(static_cast<uint64_t>(exponent - low));
  theirs.shift_left(static_cast<uint64_t>(other.exponent - low));
  exponent = low;
  if (negative == other.negative) {
    mine.add(theirs);
    magnitude = std::move(mine);
  } else if (order >= 0) {
    mine.subtract(theirs);
    magnitude = std::move(mine);
  } else {
    theirs.subtract(mine);
    magnitude = std::move(theirs);
    negative = other.negative;
  }
}

namespace {

// Never destroyed: quantities in static storage may outlive any destruction order.
struct Pool {
  Mutex mutex;
  std::set<BigDecimal, Less> values;
  size_t bytes = 0;
};
Pool& the_pool() {
  const ForkHeldOff made_whole;
  static auto& pool = *new Pool;
  return pool;
}

}  // namespace

const BigDecimal* intern_big_decimal(BigDecimal value) {
  Pool& pool = the_pool();
  const size_t cost = sizeof(BigDecimal) + 64 + value.magnitude.limbs.size() * sizeof(uint32_t);
  const std::lock_guard lock(pool.mutex);
  if (const auto found = pool.values.find(value); found != pool.values.end()) return &*found;
  if (pool.bytes + cost > kPoolBytes) return nullptr;
  value.magnitude.limbs.shrink_to_fit();
  const BigDecimal* kept = &*pool.values.insert(std::move(value)).first;
  pool.bytes += cost;
  return kept;
}

void forget_big_decimals() {
  Pool& pool = the_pool();
  const std::lock_guard lock(pool.mutex);
  pool.values.clear();
  pool.bytes = 0;
}

}  // namespace libsched
