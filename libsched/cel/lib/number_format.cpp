// The layout of numbers around the digits of std::to_chars, which rounds the exact value.
#include "libsched/cel/lib/number_format.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "libsched/base/arena.hpp"

namespace libsched::cel {
namespace {

constexpr int64_t kMostDigits = 255;
constexpr int64_t kMostWidth = 65'535;

std::optional<std::string> named_value(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-∞" : "∞";
  return std::nullopt;
}

std::string digits_of(double value, std::chars_format format, int precision) {
  std::array<char, 640> buffer;  // 309 digits, a point and kMostDigits
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, precision);
  return {buffer.data(), end.ptr};
}

Error unsupported(const char* name, int64_t value, int64_t most) {
  return {Rc::kUnsupported, std::string("string.format with a ") + name + " of " +
                                std::to_string(value) + ", more than " + std::to_string(most)};
}

std::string scientific(double value) {
  // Zero has no sign here.
  const std::string text = digits_of(value == 0 ? 0 : value, std::chars_format::scientific, 6);
  const size_t e = text.find('e');
  std::string result = text.substr(0, e) + "×10";
  constexpr std::array<const char*, 10> kRaised{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  for (const char c : text.substr(e + 1)) {
    if (c == '-')
      result += "⁻";
    else if (c != '+')
      result += kRaised[static_cast<size_t>(c - '0')];
  }
  return result;
}

// Characters, not bytes.
size_t width_of(Str s) {
  size_t width = 0;
  for (const char c : s)
    if ((static_cast<uint8_t>(c) & 0xc0) != 0x80) ++width;
  return width;
}

}  // namespace

Result<std::string> format_fixed(double value, int64_t precision) {
  if (precision > kMostDigits) return unsupported("precision", precision, kMostDigits);
  if (auto special = named_value(value)) return *special;
  const std::string plain =
      digits_of(value == 0 ? 0 : value, std::chars_format::fixed, static_cast<int>(precision));
  const size_t first = plain[0] == '-' ? 1 : 0;
  const size_t point = std::min(plain.find('.'), plain.size());
  std::string text;
  for (size_t i = 0; i < plain.size(); ++i) {
    if (i > first && i < point && (point - i) % 3 == 0) text += ',';
    text += plain[i];
  }
  return text;
}

Result<std::string> format_scientific(double value, int64_t width) {
  if (width > kMostWidth) return unsupported("width", width, kMostWidth);
  auto special = named_value(value);
  std::string text = special ? std::move(*special) : scientific(value);
  const size_t length = width_of(text);
  if (length < static_cast<size_t>(width)) text.insert(0, static_cast<size_t>(width) - length, ' ');
  return text;
}

std::string format_six(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Inf" : "+Inf";
  return digits_of(value, std::chars_format::fixed, 6);
}

}  // namespace libsched::cel
