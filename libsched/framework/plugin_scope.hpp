// PluginScope: records that this thread runs plugins with a state, and for which call.
//
// The scopes of a thread form a chain, because plugins may call plugins in turn. The state itself
// points to nothing of a running call.
#pragma once

#include "libsched/framework/call.hpp"
#include "libsched/framework/cycle_state.hpp"

namespace libsched {

class PluginScope {
 public:
  // `keeps`: data that plugins have prepared in the state must not be replaced meanwhile.
  PluginScope(CycleState& state, const Call& call, bool keeps)
      : state_(state), call_(call), keeps_(keeps), outer_(innermost) {
    innermost = this;
    if (keeps_) ++state_.in_use_;
  }
  ~PluginScope() {
    if (keeps_) --state_.in_use_;
    innermost = outer_;
  }
  PluginScope(const PluginScope&) = delete;
  PluginScope& operator=(const PluginScope&) = delete;

  // The innermost call on this thread that runs plugins with the state, or null.
  static const Call* call_of(const CycleState& state) {
    for (const PluginScope* s = innermost; s != nullptr; s = s->outer_)
      if (&s->state_ == &state) return &s->call_;
    return nullptr;
  }

 private:
  // Every call up to Filter of one node reads this, hence the model that needs no function call.
  [[gnu::tls_model("initial-exec")]] static constinit inline thread_local const PluginScope*
      innermost = nullptr;

  CycleState& state_;
  const Call& call_;
  bool keeps_;
  const PluginScope* outer_;
};

}  // namespace libsched
