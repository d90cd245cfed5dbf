// PrioritySort: orders the queue by priority, higher first, then by the time since which a pod
// waits. Mirrors upstream's plugins/queuesort.
#include "libsched/plugins/in_tree.hpp"

namespace libsched {
namespace {

class PrioritySort final : public Plugin {
 public:
  bool less(const QueuedPod& a, const QueuedPod& b) const override {
    const int32_t of_a = a.pod.spec.priority.value_or(0), of_b = b.pod.spec.priority.value_or(0);
    return of_a != of_b ? of_a > of_b : a.timestamp_ns < b.timestamp_ns;
  }
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_priority_sort(const FactoryCall&) {
  return std::unique_ptr<Plugin>(std::make_unique<PrioritySort>());
}

}  // namespace libsched
