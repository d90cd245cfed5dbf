// WriterQueue: the effect of a message, if it still applies.
#include "libsched/scheduler/writer_queue.hpp"

#include <mutex>

#include "libsched/cluster/transaction.hpp"

namespace libsched {

void WriterQueue::send(Message message) {
  const std::lock_guard lock(mutex_);
  messages_.push_back(std::move(message));
}

size_t WriterQueue::pending() const {
  const std::lock_guard lock(mutex_);
  return messages_.size();
}

// Returns whether it changed the cluster; false: the pod is gone or newer.
Result<bool> WriterQueue::apply(const Message& message, Cluster& cluster) {
  const Pod& pod = *message.pod;
  Cluster::Transaction change(&cluster);
  if (message.first) message.first->unreserve(cluster);
  const uint32_t slot = cluster.view().find_pod(pod.meta.ns, pod.meta.name);
  const View::Slot* there = slot == kNoId ? nullptr : &cluster.view().slot(slot);
  const bool ours = there != nullptr && there->assumed && same_pod(*there->pod, pod);
  bool held = message.verb == Verb::kAssume ? there == nullptr : ours;
  if (held) {
    Result<void> done;
    if (message.verb == Verb::kAssume)
      done = cluster.assume(pod, message.node);
    else if (message.verb == Verb::kForget)
      done = cluster.forget(pod.meta.ns, pod.meta.name);
    else
      done = cluster.update_pod(copy_pod(pod, message.node), message.node);
    held = done.ok();  // else it has no room; retrying later could not succeed either
  }
  if (change.changed()) change.commit();
  return held;
}

Result<WriterQueue::Counts> WriterQueue::apply(Cluster& cluster) {
  if (cluster.judged())
    return Error{Rc::kMisuse, "plugins are being asked about the cluster: apply messages later"};
  Counts out;
  while (true) {
    Message next;
    {
      const std::lock_guard lock(mutex_);
      if (messages_.empty()) return out;
      next = messages_.front();
    }
    const Result<bool> held = apply(next, cluster);
    if (!held.ok()) return held.error();
    ++(*held ? out.applied : out.dropped);
    const std::lock_guard lock(mutex_);  // the front is still the applied message
    messages_.pop_front();
  }
}

}  // namespace libsched
