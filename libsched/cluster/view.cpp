// View: what a snapshot shares with the writer's arrays.
#include "libsched/cluster/view.hpp"

namespace libsched {

View::View(View& from, Publish)
    : rows_(from.rows_.publish()),
      slots_(from.slots_.publish()),
      row_ids_(from.row_ids_.publish()),
      pod_ids_(from.pod_ids_.publish()),
      live_(from.live_.publish()),
      unschedulable_(from.unschedulable_.publish()),
      with_ports_(from.with_ports_.publish()),
      columns_(from.columns_.publish()),
      labels_(from.labels_.publish()),
      taints_(from.taints_.publish()),
      images_(from.images_.publish()),
      tables_(from.tables_, Tables::Publish()),
      existing_terms_(from.existing_terms_.publish()),
      tree_(from.tree_.publish()),
      order_(from.order_.publish()),
      name_set_(from.name_set_),
      objects_(from.objects_.publish()),
      claim_uses_(from.claim_uses_.publish()),
      group_uses_(from.group_uses_.publish()),
      nominated_(from.nominated_.publish()),
      log_(from.log_.publish()),
      accounting_(from.accounting_),
      accounts_otherwise_(from.accounts_otherwise_),
      order_mode_(from.order_mode_),
      version_(from.version_),
      membership_(from.membership_) {}

const Pod& View::bound(const Pod& pod) const {
  const auto slot_of = [this](const Pod& p) -> const Slot* {
    const uint32_t s = find_pod(p.meta);
    return s != kNoId && slots_[s].pod.get() == &p && slots_[s].assumed ? &slots_[s] : nullptr;
  };
  const Slot* const slot = slot_of(pod);
  if (slot == nullptr) return pod;
  return bound_pods_.get(slot->pod, rows_[slot->row].name, [&](const Pod& p, const Pod& copy) {
    const Slot* const there = slot_of(p);
    return there != nullptr && rows_[there->row].name == copy.spec.node_name;
  });
}

}  // namespace libsched
