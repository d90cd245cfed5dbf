// Cluster: pods counted anew as another release or other feature gates want it.
#include "libsched/cluster/change_errors.hpp"
#include "libsched/cluster/transaction.hpp"

namespace libsched {
namespace {

// Upstream counts pods as its release does from the start: counting them anew is no change of a
// node that its snapshot of images would see.
class HeldImages {
 public:
  explicit HeldImages(Images& images) : images_(images) { images_.hold(true); }
  ~HeldImages() { images_.hold(false); }
  HeldImages(const HeldImages&) = delete;
  HeldImages& operator=(const HeldImages&) = delete;

 private:
  Images& images_;
};

}  // namespace

Result<void> Cluster::account_as(const PodAccounting& accounting) {
  if (accounting == state_.accounting()) return {};
  if (judging_ != 0) return may_not_change();
  const HeldImages held(state_.images());
  Transaction change(this);
  struct Counted {
    PodRef pod;
    bool assumed;
  };
  for (uint32_t row = 0; row < state_.row_count(); ++row) {
    const std::vector<uint32_t> slots = state_.row(row).pods;
    std::vector<Counted> pods;
    bool differ = false;
    for (const uint32_t s : slots) {
      const View::Slot& slot = state_.slot(s);
      pods.push_back({libsched::accounted(slot.pod, accounting), slot.assumed});
      differ = differ || pods.back().pod.get() != slot.pod.get();
    }
    if (!differ) continue;
    // All of them, so that they keep their order.
    for (size_t i = slots.size(); i-- > 0;) journal_.remove_pod(slots[i]);
    for (Counted& c : pods) {
      if (!has_room(c.pod->occupied)) return too_many_resources("pod", pod_key(*c.pod));
      journal_.add_pod(std::move(c.pod), row, c.assumed);
    }
  }
  const Span<PodRef> all = view().nominated().all();
  for (const PodRef& pod : std::vector<PodRef>(all.begin(), all.end())) {
    PodRef counted = libsched::accounted(pod, accounting);
    if (counted.get() == pod.get()) continue;
    journal_.withdraw(*pod);
    journal_.nominate(std::move(counted));
  }
  journal_.set_accounting(accounting);
  change.commit();
  return {};
}

}  // namespace libsched
