// WriterQueue: messages to the thread that writes a cluster, from threads that bind pods.
//
// Any thread may send; the writer applies messages in the order in which they were sent, at a time
// of its choice. By then the pod may be gone, or the API server may have a newer version of it:
// such a message changes nothing, and is counted.
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

// Code that runs on the writer's thread before a pod is forgotten.
class Unreserving : public RefCounted {
 public:
  virtual void unreserve(Cluster& cluster) = 0;  // may run again if memory ran out
};

class WriterQueue final : public RefCounted {
 public:
  // The pod counts as running on the node until more is known.
  void assume(const PodRef& pod, Str node) { send({Verb::kAssume, pod, std::string(node), {}}); }
  // The pod is bound: it is no longer only assumed.
  void confirm(const PodRef& pod, Str node) { send({Verb::kConfirm, pod, std::string(node), {}}); }
  // The pod is not bound and leaves its node. `first` (may be null) runs even if the pod is gone.
  void forget(const PodRef& pod, Ref<Unreserving> first) {
    send({Verb::kForget, pod, {}, std::move(first)});
  }

  struct Counts {
    size_t applied = 0, dropped = 0;
  };
  // On the writer's thread. After an error (kNoMemory; kMisuse, while plugins are running on the
  // cluster) the queue keeps that message and those after it.
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
