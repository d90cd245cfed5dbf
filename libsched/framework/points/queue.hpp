// Plugins of the queue: QueueSort, PreEnqueue, and the events that bring pods back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libsched/framework/call.hpp"
#include "libsched/framework/events.hpp"
#include "libsched/framework/status.hpp"

namespace libsched {

// A pod in the queue and the time since which it waits.
struct QueuedPod {
  const Pod& pod;
  int64_t timestamp_ns;
};

class QueueSortPlugin {
 public:
  // Whether a comes before b.
  virtual bool less(const QueuedPod&, const QueuedPod&) const { return false; }

 protected:
  ~QueueSortPlugin() = default;
};

class PreEnqueuePlugin {
 public:
  // On the thread of the cluster.
  virtual Status pre_enqueue(const Call&, const Pod&) const { return {}; }
  // Whether PreEnqueue has to be asked about the pod now: false only if it would return a bare
  // Success. It has no effects.
  virtual bool may_hold_back(const Pod&) const { return true; }

 protected:
  ~PreEnqueuePlugin() = default;
};

class EnqueueExtensions {
 public:
  // The events that may help a pod that this plugin rejected. Without them, all of
  // default_events().
  virtual bool registers_events() const { return false; }
  virtual Result<std::vector<ClusterEventWithHint>> events_to_register() const {
    return std::vector<ClusterEventWithHint>();
  }
  // The hint of the registration with this index. An Error counts as Queue.
  virtual Result<QueueingHint> hint(size_t, const View&, const Pod&, const ObjectChange&) const {
    return QueueingHint::kQueue;
  }

 protected:
  ~EnqueueExtensions() = default;
};

// A part of a pod's signature: two pods with the same parts get the same answers from a plugin.
struct SignFragment {
  std::string key;
  std::string json;  // as Go's encoding/json writes it: compact, keys sorted
};

class SignPlugin {
 public:
  // Unschedulable: this pod cannot be signed. Pods of one class get the same answer as long as no
  // object but nodes and pods changes, unless the plugin is foreign.
  virtual bool signs() const { return false; }
  virtual Status sign(const View&, const Pod&, std::vector<SignFragment>*) const { return {}; }

 protected:
  ~SignPlugin() = default;
};

}  // namespace libsched
