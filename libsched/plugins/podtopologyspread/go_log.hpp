// The natural logarithm, bit for bit as Go's math.Log on amd64.
#pragma once

namespace libsched {

// The argument must be positive and normal.
double go_log(double x);

}  // namespace libsched
