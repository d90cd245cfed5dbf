// Plugins that reserve and bind: Reserve, Permit, PreBind, Bind, PostBind.
#pragma once

#include <cstdint>

#include "libsched/base/steps.hpp"
#include "libsched/cluster/cluster.hpp"
#include "libsched/framework/cycle_state.hpp"
#include "libsched/framework/services.hpp"

namespace libsched {

struct ReserveCall {
  Cluster& cluster;
  Services& services;
  const Pod& pod;
  CycleState& state;
  const PluginData* filter_data;  // as in ScoreCall
  uint32_t row;                   // the node's; kNoId if the node is gone
  Str node;
};

class ReservePlugin {
 public:
  // Reserve changes the cluster's assumed state (never its pods); Unreserve reverts it, must be
  // idempotent, and runs even if Reserve never did.
  virtual Status reserve(const ReserveCall&) const { return {}; }
  // Whether Reserve has to be asked about a pod with this data of Filter, or none: false only if it
  // would do nothing and return a bare Success. It has no effects.
  virtual bool has_to_reserve(const PluginData*) const { return true; }
  virtual Steps<> unreserve(const ReserveCall&) const { return {}; }

 protected:
  ~ReservePlugin() = default;
};

// The argument of the points from Permit on. Those after Permit may run on another thread while the
// cluster's writer continues, so they have no view: a plugin that needs objects takes an
// ObjectWatch in Reserve.
struct BindingCall {
  Services& services;
  const Pod& pod;  // as assumed on the node
  CycleState& state;
  const CycleState::Entry& entry;  // the plugin's part of the state
  Str node;
  uint32_t row;  // the node's when binding began, to look up PreFilter's data; kNoId: it was gone
  const View* view = nullptr;  // Permit's
};

class PermitPlugin {
 public:
  // Wait lets the pod wait at most `timeout_ns`.
  virtual Status permit(const BindingCall&, int64_t* timeout_ns) const;

 protected:
  ~PermitPlugin() = default;
};

// PreBind, Bind and Unreserve wait with co_await, so that any number of pods may wait at once; what
// they are given outlives that. A foreign plugin blocks instead.
class PreBindPlugin {
 public:
  // After Skip PreBind does not run. After Success it does, in parallel if `allow_parallel`.
  virtual Status pre_bind_pre_flight(const BindingCall&, bool* allow_parallel) const;
  virtual Steps<Status> pre_bind(const BindingCall&) const { return Status(); }

 protected:
  ~PreBindPlugin() = default;
};

class BindPlugin {
 public:
  virtual Steps<Status> bind(const BindingCall&) const { return Status(Code::kSkip); }

 protected:
  ~BindPlugin() = default;
};

class PostBindPlugin {
 public:
  virtual void post_bind(const BindingCall&) const {}

 protected:
  ~PostBindPlugin() = default;
};

}  // namespace libsched
