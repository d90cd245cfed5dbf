// The natural logarithm, bit for bit as Go's math.Log on amd64.
#pragma once

namespace libsched {

// Of a positive, normal number.
double go_log(double x);

}  // namespace libsched
