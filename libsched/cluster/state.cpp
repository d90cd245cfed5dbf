// State: the elementary changes to rows, columns and indexes. Each leaves the state so that its
// inverse brings back exactly what was there.
#include "libsched/cluster/state.hpp"

#include <algorithm>

namespace libsched {

uint32_t State::acquire_row(Str name, uint64_t hash, bool* from_tail) {
  uint32_t r = 0;
  *from_tail = free_rows_.empty();
  if (*from_tail) {
    r = row_count_++;
    if (rows_.size() < row_count_) rows_.resize(row_count_);
    columns_.reserve_rows(row_count_);
    if (tables_.in_use()) tables_.reserve_rows(columns_.capacity());
  } else {
    r = free_rows_.back();
    free_rows_.pop_back();
  }
  Row& row = rows_[r];
  row.name.assign(name);
  row.name_hash = hash;
  row.used = true;
  row_ids_.insert(hash, r);
  return r;
}

void State::release_row(uint32_t r) {
  row_ids_.erase(rows_[r].name_hash, r);
  rows_[r].used = false;
  free_rows_.push_back(r);
}

void State::undo_acquire_row(uint32_t r, bool from_tail) {
  row_ids_.erase(rows_[r].name_hash, r);
  rows_[r].used = false;
  if (from_tail) {
    --row_count_;
  } else {
    free_rows_.push_back(r);
  }
}

void State::undo_release_row(uint32_t r, Str name, uint64_t hash) {
  free_rows_.pop_back();
  Row& row = rows_[r];
  row.name.assign(name);
  row.name_hash = hash;
  row.used = true;
  row_ids_.insert(hash, r);
}

void State::attach_node(uint32_t r, NodeRef node) {
  Row& row = rows_[r];
  columns_.set_allocatable(r, node->allocatable);
  labels_.add(r, node->meta.labels, &row.labels);
  tables_.attach_node(r, node->meta.labels, labels_);
  row.taint_set = taints_.add(r, node);
  images_.attach(r, *node);
  if (node->unschedulable) unschedulable_.set(r);
  live_.set(r);
  row.node = std::move(node);
  if (row.claiming_pods != 0)
    for (const uint32_t s : row.pods) claim_uses_.add(*slots_[s].pod);
}

NodeRef State::detach_node(uint32_t r) {
  Row& row = rows_[r];
  if (row.claiming_pods != 0)
    for (const uint32_t s : row.pods) claim_uses_.remove(*slots_[s].pod);
  live_.clear(r);
  unschedulable_.clear(r);
  taints_.remove(r, row.taint_set);
  images_.detach(r);
  row.taint_set = kNoId;
  tables_.detach_node(r, row.node->meta.labels);
  labels_.remove(r, row.labels);
  row.labels.clear();
  columns_.clear_allocatable(r, row.node->allocatable);
  return std::move(row.node);
}

namespace {

uint64_t spread(uint64_t hash) {  // equal sums must mean equal sets
  hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93ULL;
  hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93ULL;
  return hash ^ (hash >> 32);
}

}  // namespace

NodeTree::Place State::tree_add(uint32_t r) {
  membership_ = ++stamp_;
  name_set_ += spread(rows_[r].name_hash);
  rows_[r].zone =
      order_mode_ == NodeOrder::kUpstream ? zone_key(rows_[r].node->meta.labels) : std::string();
  return tree_.add(r, rows_[r].zone);
}

NodeTree::Place State::tree_remove(uint32_t r) {
  membership_ = ++stamp_;
  name_set_ -= spread(rows_[r].name_hash);
  return tree_.remove(r, rows_[r].zone);
}

void State::undo_tree_add(uint32_t r, const NodeTree::Place& place) {
  membership_ = ++stamp_;
  name_set_ -= spread(rows_[r].name_hash);
  tree_.undo_add(place);
}

void State::undo_tree_remove(uint32_t r, std::string zone, const NodeTree::Place& place) {
  membership_ = ++stamp_;
  name_set_ += spread(rows_[r].name_hash);
  tree_.undo_remove(r, zone, place);
  rows_[r].zone = std::move(zone);
}

uint32_t State::acquire_slot(PodRef pod, bool* from_tail) {
  uint32_t s = 0;
  *from_tail = free_slots_.empty();
  if (*from_tail) {
    s = slot_count_++;
    if (slots_.size() < slot_count_) slots_.resize(slot_count_);
  } else {
    s = free_slots_.back();
    free_slots_.pop_back();
  }
  pod_ids_.insert(pod->meta.key_hash, s);
  slots_[s].pod = std::move(pod);
  return s;
}

PodRef State::release_slot(uint32_t s, bool to_tail) {
  PodRef pod = std::move(slots_[s].pod);
  pod_ids_.erase(pod->meta.key_hash, s);
  if (to_tail) {
    --slot_count_;
  } else {
    free_slots_.push_back(s);
  }
  return pod;
}

void State::undo_release_slot(uint32_t s, PodRef pod) {
  free_slots_.pop_back();
  pod_ids_.insert(pod->meta.key_hash, s);
  slots_[s].pod = std::move(pod);
}

bool State::has_inline_volume(const Pod& pod) {
  return pod.driver_volumes != pod.claim_names.size() ||
         std::any_of(pod.claim_names.begin(), pod.claim_names.end(),
                     [](Str name) { return name.empty(); });
}

void State::attach_pod(uint32_t s, uint32_t r) {
  Slot& slot = slots_[s];
  const Pod& pod = *slot.pod;
  Row& row = rows_[r];
  slot.row = r;
  slot.position = static_cast<uint32_t>(row.pods.size());
  row.pods.push_back(s);
  columns_.add_pod(r, pod.occupied, pod.occupied_nonzero);
  images_.touch(r);
  tables_.attach_pod(s, pod, r);
  existing_terms_.attach_pod(s, pod, r);
  if (pod.driver_volumes == 0) return;
  row.driver_volumes += pod.driver_volumes;
  if (has_inline_volume(pod)) ++row.inline_pods;
  if (!pod.claim_names.empty()) {
    ++row.claiming_pods;
    if (row.node) claim_uses_.add(pod);
  }
}

uint32_t State::detach_pod(uint32_t s) {
  Slot& slot = slots_[s];
  const Pod& pod = *slot.pod;
  Row& row = rows_[slot.row];
  const uint32_t last = row.pods.back();
  row.pods[slot.position] = last;  // upstream moves the last pod into the hole
  slots_[last].position = slot.position;
  row.pods.pop_back();
  columns_.remove_pod(slot.row, pod.occupied, pod.occupied_nonzero);
  images_.touch(slot.row);
  tables_.detach_pod(s, slot.row);
  existing_terms_.detach_pod(s, pod, slot.row);
  if (pod.driver_volumes == 0) return slot.position;
  row.driver_volumes -= pod.driver_volumes;
  if (has_inline_volume(pod)) --row.inline_pods;
  if (!pod.claim_names.empty()) {
    --row.claiming_pods;
    if (row.node) claim_uses_.remove(pod);
  }
  return slot.position;
}

void State::undo_attach_pod(uint32_t s) { detach_pod(s); }

void State::undo_detach_pod(uint32_t s, uint32_t r, uint32_t position) {
  attach_pod(s, r);
  Row& row = rows_[r];
  if (position + 1 == row.pods.size()) return;
  const uint32_t moved = row.pods[position];
  std::swap(row.pods[position], row.pods.back());
  slots_[moved].position = static_cast<uint32_t>(row.pods.size() - 1);
  slots_[s].position = position;
}

std::vector<State::UsedPort> State::replace_ports(uint32_t r, std::vector<UsedPort> ports) {
  if (ports.empty()) {
    with_ports_.clear(r);
  } else {
    with_ports_.set(r);
  }
  std::swap(rows_[r].ports, ports);
  return ports;
}

State::Order State::make_order() const {
  Order out;
  out.membership = membership_;
  out.name_set = name_set_;
  if (order_mode_ == NodeOrder::kUpstream && order_.name_set == name_set_ &&
      order_.rows.size() == tree_.size()) {
    out.names = order_.names;
    out.rows = order_.rows;
    for (size_t i = 0; i < out.rows.size(); ++i) {  // a node that came back may have another row
      const uint64_t hash = out.names[i];
      if (!rows_[out.rows[i]].node || rows_[out.rows[i]].name_hash != hash)
        out.rows[i] = row_ids_.find(hash, [&](uint32_t r) { return rows_[r].name_hash == hash; });
    }
    return out;
  }
  out.rows = tree_.list();
  out.names.reserve(out.rows.size());
  for (const uint32_t r : out.rows) out.names.push_back(rows_[r].name_hash);
  return out;
}

void State::collect_ids(uint64_t since) {
  columns_.collect(since);
  const size_t unused = labels_.unused() + taints_.unused();
  if (unused <= 4096 || unused * 2 <= id_count()) return;
  // Inside a fork some may have to stay: after a walk in vain the next one waits until there are
  // half as many again.
  if (since != 0 && id_count() < collect_at_) return;
  labels_.collect(since);
  taints_.collect(since);
  collect_at_ = id_count() + id_count() / 2;
}

}  // namespace libsched
