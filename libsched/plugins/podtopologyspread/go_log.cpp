// The natural logarithm as Go computes it: x = 2^k (1+f) with 1+f about 1, and a polynomial in s =
// f/(2+f). Method and coefficients are those of fdlibm's e_log (Sun Microsystems, 1993). The order
// of operations affects the result, so it must stay, and operations must not be fused.
#include "libsched/plugins/podtopologyspread/go_log.hpp"

#include <bit>
#include <cstdint>

namespace libsched {

double go_log(double x) {
  constexpr double kHalfSqrt2 = 7.07106781186547524401e-01;
  constexpr double kLn2High = 6.93147180369123816490e-01;  // few bits: times k it is exact
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  constexpr double kOdd[] = {6.666666666666735130e-01, 2.857142874366239149e-01,
                             1.818357216161805012e-01, 1.479819860510658591e-01};
  constexpr double kEven[] = {3.999999999940941908e-01, 2.222219843214978396e-01,
                              1.531383769920937332e-01};
  constexpr uint64_t kFraction = (uint64_t{1} << 52) - 1;

  const uint64_t bits = std::bit_cast<uint64_t>(x);
  double k = static_cast<double>(static_cast<int>(bits >> 52 & 0x7ff) - 0x3fe);
  double m = std::bit_cast<double>((bits & kFraction) | uint64_t{0x3fe} << 52);  // in [0.5, 1)
  if (m <= kHalfSqrt2) {
    m *= 2;
    k -= 1;
  }
  const double f = m - 1;
  const double s = f / (2 + f);
  const double s2 = s * s;
  const double s4 = s2 * s2;
  const double odd = s2 * (kOdd[0] + s4 * (kOdd[1] + s4 * (kOdd[2] + s4 * kOdd[3])));
  const double even = s4 * (kEven[0] + s4 * (kEven[1] + s4 * kEven[2]));
  const double rest = odd + even;
  const double half_square = 0.5 * f * f;
  return k * kLn2High - ((half_square - (s * (half_square + rest) + k * kLn2Low)) - f);
}

}  // namespace libsched
