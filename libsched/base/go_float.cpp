// The layout of numbers around the digits of std::to_chars.
#include "libsched/base/go_float.hpp"

#include <charconv>
#include <climits>
#include <cmath>
#include <cstdlib>

#include "libsched/base/arena.hpp"

namespace libsched {
namespace {

// The exponents of ten for which there is no exponent in the text: [low, high).
struct Layout {
  int low, high;
  bool short_exponent = false;  // "e-9" instead of "e-09"
};
constexpr Layout kGeneral = {-4, 6};
constexpr Layout kWithoutExponent = {INT_MIN, INT_MAX};
constexpr Layout kJson = {-6, 21, true};

template <typename Float>
std::string laid_out(Float value, Layout layout) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char buffer[64];
  const auto form = std::chars_format::scientific;
  const char* const end = std::to_chars(buffer, buffer + sizeof buffer, value, form).ptr;
  Str text(buffer, static_cast<size_t>(end - buffer));
  std::string out;
  if (text[0] == '-') {
    out = "-";
    text.remove_prefix(1);
  }
  const size_t e = text.find('e');
  std::string digits(1, text[0]);
  if (e > 2) digits.append(text.substr(2, e - 2));
  int exponent = 0;
  const Str power = text.substr(e + (text[e + 1] == '+' ? 2 : 1));  // from_chars takes no plus
  std::from_chars(power.data(), power.data() + power.size(), exponent);
  if (value != 0 && (exponent < layout.low || exponent >= layout.high)) {
    out += digits[0];
    if (digits.size() > 1) out.append(".").append(digits, 1);
    const std::string size = std::to_string(std::abs(exponent));
    out += exponent < 0 ? "e-" : "e+";
    if (size.size() == 1 && !(layout.short_exponent && exponent < 0)) out += '0';
    return out += size;
  }
  if (exponent < 0)
    return out.append("0.").append(static_cast<size_t>(-exponent - 1), '0').append(digits);
  const auto whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() < whole) digits.append(whole - digits.size(), '0');
  out.append(digits, 0, whole);
  if (digits.size() > whole) out.append(".").append(digits, whole);
  return out;
}

}  // namespace

std::string go_float(double value) { return laid_out(value, kGeneral); }
std::string go_float(float value) { return laid_out(value, kGeneral); }
std::string go_float_plain(double value) { return laid_out(value, kWithoutExponent); }
std::string json_float(double value) { return laid_out(value, kJson); }
std::string json_float(float value) { return laid_out(value, kJson); }

}  // namespace libsched
