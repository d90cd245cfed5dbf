// Call: what a plugin is asked about, with what services and limits, and by whom. It lives as long
// as the call that the library was asked for, and is handed to plugins beside the pod and the
// state.
#pragma once

#include <cstddef>

#include "libsched/cluster/cluster.hpp"
#include "libsched/framework/limits.hpp"

namespace libsched {

class Evaluator;
class Services;

struct Call {
  const View& view;
  Services& services;
  const LimitWatch* limits = nullptr;  // null: there are none
  Evaluator* asker = nullptr;

  // Loops whose length objects decide look now and then, and end; what the plugin then gives is not
  // used.
  bool exceeded() const { return limits != nullptr && limits->exceeded(); }
  // For loops of short steps: looks at every 64th.
  bool exceeded(size_t step) const { return step % 64 == 63 && exceeded(); }
  // The limits' error, once they were found exceeded or are so now.
  Result<void> check_limits() const {
    return exceeded() ? Result<void>(limits->error()) : Result<void>();
  }
};

}  // namespace libsched
