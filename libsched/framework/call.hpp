// Call: the view, services and limits of a call of the library, and its evaluator. It lives as long
// as that call, and is passed to plugins beside the pod and the state.
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
  const LimitWatch* limits = nullptr;  // null: no limits
  Evaluator* asker = nullptr;

  // Loops whose length depends on objects poll this now and then and stop when it is true; the
  // plugin's result is then discarded.
  bool exceeded() const { return limits != nullptr && limits->exceeded(); }
  // For loops of short steps: checks the limits at every 64th step.
  bool exceeded(size_t step) const { return step % 64 == 63 && exceeded(); }
  // The limits' error if they were found exceeded or are exceeded now.
  Result<void> check_limits() const {
    return exceeded() ? Result<void>(limits->error()) : Result<void>();
  }
};

}  // namespace libsched
