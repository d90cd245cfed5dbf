// WriterQueue: messages to the thread that writes a cluster, from threads that bind pods.
//
// Any thread sends; the writer applies them in the order in which they were sent, when it likes. By
// then the pod may have gone, or the API server may have said something newer of it: such a message
// changes nothing, and is counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "libsched/base/mutex.hpp"
#include "libsched/base/ref.hpp"
#include "libsched/base/result.hpp"
#include "libsched/cluster/cluster.hpp"

namespace libsched {

// What runs on the writer's thread before a pod is forgotten.
class Unreserving : public RefCounted {
 public:
  virtual void unreserve(Cluster& cluster) = 0;  // may run again if memory ran out
};

class WriterQueue final : public RefCounted {
 public:
  // The pod counts as running on the node from now on, until more is known.
  void assume(const PodRef& pod, Str node) { send({Verb::kAssume, pod, std::string(node), {}}); }
  // The pod is bound: it is no longer only assumed.
  void confirm(const PodRef& pod, Str node) { send({Verb::kConfirm, pod, std::string(node), {}}); }
  // The pod is not bound: it is taken off its node. `first` (may be null) is told of it even if the
  // pod has gone.
  void forget(const PodRef& pod, Ref<Unreserving> first) {
    send({Verb::kForget, pod, {}, std::move(first)});
  }

  struct Counts {
    size_t applied = 0, dropped = 0;
  };
  // On the writer's thread. After an error (kNoMemory; kMisuse, while plugins are asked about the
  // cluster) that message and those behind it are kept.
  Result<Counts> apply(Cluster& cluster);
  size_t pending() const;

 private:
  enum class Verb : uint8_t { kAssume, kConfirm, kForget };
  struct Message {
    Verb verb;
    PodRef pod;
    std::string node;
    Ref<Unreserving> first;
  };
  void send(Message message);
  static Result<bool> apply(const Message& message, Cluster& cluster);

  mutable Mutex mutex_;
  std::deque<Message> messages_;
};

}  // namespace libsched
