// Quantities: arithmetic laws that hold for all texts that upstream's syntax accepts.
#include <cstdlib>

#include "libsched/base/big_decimal.hpp"
#include "libsched/base/quantity.hpp"

using namespace libsched;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 200) return 0;
  forget_big_decimals();
  const Str text(reinterpret_cast<const char*>(data), size);
  const size_t comma = text.find(',');
  const Result<Quantity> a = Quantity::parse(text.substr(0, comma));
  const Result<Quantity> b =
      Quantity::parse(comma == Str::npos ? Str("1") : text.substr(comma + 1));
  if (!a.ok()) {
    if (a.error().message.empty()) std::abort();
    return 0;
  }
  if (a->compare(*a) != 0 || a->is_zero() != (a->sign() == 0)) std::abort();
  a->value();
  a->milli_value();
  if (!b.ok()) return 0;
  if (a->compare(*b) != -b->compare(*a)) std::abort();
  Quantity ab = *a, ba = *b;
  ab.add(*b);
  ba.add(*a);
  if (ab.compare(ba) != 0) std::abort();
  // Beyond the documented number of digits a sum is its larger operand.
  const bool bounded = text.find_first_of("eE") == Str::npos;
  if (b->sign() > 0 && ab.compare(*a) < (bounded ? 1 : 0)) std::abort();
  if (b->sign() < 0 && ab.compare(*a) > (bounded ? -1 : 0)) std::abort();
  return 0;
}
