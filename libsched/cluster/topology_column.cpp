// TopologyColumn: rows entering and leaving domains.
#include "libsched/cluster/topology_column.hpp"

namespace libsched {
namespace {

uint64_t pair_hash(uint32_t pair) { return hash_mix(pair, 0x2545f4914f6cdd1dULL); }

}  // namespace

void TopologyColumn::add(uint32_t row, Labels labels, const LabelIndex& index) {
  const Label* label = find_label(labels, key);
  if (label == nullptr) return;
  stamp = next_serial();
  const uint32_t pair = index.find_pair(label->key, label->value, label->pair_hash);
  uint32_t d =
      by_pair_.find(pair_hash(pair), [&](uint32_t id) { return domains[id].pair == pair; });
  if (d == kNoId) {
    if (free_.empty()) {
      d = static_cast<uint32_t>(domains.size());
      domains.push_back({});
    } else {
      d = free_.back();
      free_.pop_back();
    }
    domains.edit(d).pair = pair;
    by_pair_.insert(pair_hash(pair), d);
    ++in_use;
  }
  ++domains.edit(d).rows;
  ++labelled_rows;
  domain.edit(row) = static_cast<int32_t>(d);
  labelled.set(row);
}

void TopologyColumn::remove(uint32_t row) {
  if (domain[row] == kNone) return;
  stamp = next_serial();
  const uint32_t d = static_cast<uint32_t>(domain[row]);
  domain.edit(row) = kNone;
  labelled.clear(row);
  --labelled_rows;
  Domain& left = domains.edit(d);
  if (--left.rows != 0) return;
  by_pair_.erase(pair_hash(domains[d].pair), d);
  left.pair = kNoId;
  free_.push_back(d);
  --in_use;
}

TopologyColumn TopologyColumn::publish() {
  TopologyColumn out(key, 0);
  out.domain = domain.publish();
  out.domains = domains.publish();
  out.labelled = labelled;
  out.in_use = in_use;
  out.labelled_rows = labelled_rows;
  out.stamp = stamp;
  return out;
}

}  // namespace libsched
