// State: the elementary changes to rows, columns and indexes. The inverse of each change restores
// exactly the earlier state.
#include "libsched/cluster/state.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace libsched {

static_assert(offsetof(View::Row, used) < 64);  // for fetch()

namespace {

Span<Str> group_of(const Pod& pod) {
  const Str& name = pod.spec.scheduling_group;
  return {&name, name.empty() ? size_t{0} : size_t{1}};
}

}  // namespace

uint32_t State::acquire_row(Str name, uint64_t hash, bool* from_tail) {
  rows_.reserve();
  row_ids_.reserve();
  columns_.reserve_rows(rows_.size() + 1);
  tables_.reserve_rows(columns_.capacity());
  rows_.edit(rows_.next()).name.assign(name);
  const uint32_t r = rows_.take(from_tail);
  Row& row = rows_.edit(r);
  row.name_hash = hash;
  row.used = true;
  row_ids_.insert_reserved(hash, r);
  return r;
}

void State::release_row(uint32_t r) noexcept {
  Row& row = rows_.edit(r);
  row_ids_.erase(row.name_hash, r);
  row.used = false;
  rows_.give_back(r);
}

void State::undo_acquire_row(uint32_t r, bool from_tail) noexcept {
  Row& row = rows_.edit(r);
  row_ids_.erase(row.name_hash, r);
  row.used = false;
  rows_.undo_take(r, from_tail);
}

void State::undo_release_row(uint32_t r, std::string name, uint64_t hash) noexcept {
  rows_.undo_give_back(r);
  Row& row = rows_.edit(r);
  row.name = std::move(name);
  row.name_hash = hash;
  row.used = true;
  row_ids_.insert_reserved(hash, r);
}

bool State::attach_node(uint32_t r, NodeRef node) {
  Row& row = rows_.edit(r);
  const size_t capacity = columns_.capacity();
  unschedulable_.edit().reserve(capacity);
  live_.edit().reserve(capacity);
  images_.reserve_stale(capacity);
  columns_.prepare(node->allocatable);
  const uint32_t taint_set = taints_.prepare(node, capacity);
  // Copies of a node often come one after the other.
  const uint32_t latest = std::exchange(latest_node_, kNoId);
  const bool has_latest = latest < rows_.size() && latest != r && rows_[latest].node;
  LabelIndex::Known known{node->serial};
  if (has_latest) {
    known.labels = rows_[latest].node->meta.labels;
    known.pairs = rows_[latest].labels.data();
  }
  const bool same_images = has_latest && Images::same_lists(*rows_[latest].node, *node);
  try {
    labels_.prepare(node->meta.labels, capacity, &row.labels, known);
    images_.attach(r, *node, same_images ? latest : kNoId);
  } catch (...) {
    row.labels.clear();
    throw;
  }
  link_node(r, std::move(node), taint_set);
  latest_node_ = r;
  return images_.touch(r);
}

void State::undo_detach_node(uint32_t r, NodeRef node) noexcept {
  const uint32_t taint_set = taints_.prepare(node, 0);
  labels_.prepare(node->meta.labels, 0, &rows_.edit(r).labels, {});
  images_.attach_again(r, *node);
  link_node(r, std::move(node), taint_set);
}

void State::link_node(uint32_t r, NodeRef node, uint32_t taint_set) noexcept {
  Row& row = rows_.edit(r);
  columns_.set_allocatable(r, node->allocatable);
  labels_.add(r, row.labels);
  tables_.attach_node(r, node->meta.labels, labels_);
  taints_.add(r, taint_set);
  row.taint_set = taint_set;
  if (node->unschedulable) unschedulable_.edit().set(r);
  live_.edit().set(r);
  row.node = std::move(node);
  if (row.volumes.claiming_pods != 0)
    for (const uint32_t s : row.pods) move_claims(*slots_[s].pod, true);
}

// The uses of claims by a pod of a row that gets its node, or loses it.
void State::move_claims(const Pod& pod, bool there) noexcept {
  claim_uses_.remove(pod.meta.ns, pod.claim_names, !there);
  claim_uses_.add(pod.meta.ns, pod.claim_names, there);
}

void State::lose_claims(uint32_t r, int by) noexcept {
  for (const uint32_t s : rows_[r].pods)
    claim_uses_.lose(slots_[s].pod->meta.ns, slots_[s].pod->claim_names, by);
}

void State::undo_attach_node(uint32_t r, bool touched) noexcept {
  if (touched) images_.undo_touch(r);
  detach_node(r);
}

NodeRef State::detach_node(uint32_t r) noexcept {
  Row& row = rows_.edit(r);
  if (row.volumes.claiming_pods != 0)
    for (const uint32_t s : row.pods) move_claims(*slots_[s].pod, false);
  live_.edit().clear(r);
  if (unschedulable_->test(r)) unschedulable_.edit().clear(r);
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

uint64_t mixed(uint64_t hash) {  // equal sums must mean equal sets
  hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93ULL;
  hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93ULL;
  return hash ^ (hash >> 32);
}

}  // namespace

void StateNumbers::take_block() noexcept {
  constexpr uint64_t kBlock = uint64_t{1} << 16;
  // The first block is for views without a change, which are equal.
  static std::atomic<uint64_t> taken{kBlock};
  next_ = taken.fetch_add(kBlock, std::memory_order_relaxed);
  end_ = next_ + kBlock;
}

NodeTree::Place State::tree_add(uint32_t r) {
  Row& row = rows_.edit(r);
  row.zone = order_mode_ == NodeOrder::kUpstream ? row.node->zone_key : Str();
  const NodeTree::Place place = tree_.add(r, row.zone);
  membership_ = numbers_.draw();
  name_set_ += mixed(rows_[r].name_hash);
  return place;
}

NodeTree::Removed State::tree_remove(uint32_t r) noexcept {
  membership_ = numbers_.draw();
  name_set_ -= mixed(rows_[r].name_hash);
  return tree_.remove(r, rows_[r].zone);
}

void State::undo_tree_add(uint32_t r, const NodeTree::Place& place) noexcept {
  membership_ = numbers_.draw();
  name_set_ -= mixed(rows_[r].name_hash);
  tree_.undo_add(place);
}

void State::undo_tree_remove(uint32_t r, std::string zone, NodeTree::Removed removed) noexcept {
  membership_ = numbers_.draw();
  name_set_ += mixed(rows_[r].name_hash);
  tree_.undo_remove(r, std::move(removed));
  rows_.edit(r).zone = std::move(zone);
}

PodRef State::release_slot(uint32_t s) noexcept {
  PodRef pod = std::move(slots_.unmarked(s).pod);  // it was detached before
  if (!pod->unnamed) pod_ids_.erase(pod->meta.key_hash, s);
  slots_.give_back(s);
  return pod;
}

void State::undo_release_slot(uint32_t s, PodRef pod) noexcept {
  slots_.undo_give_back(s);
  if (!pod->unnamed) pod_ids_.insert_reserved(pod->meta.key_hash, s);
  slots_.unmarked(s).pod = std::move(pod);
}

// Makes room for what add_pod() changes, except for what all pods need.
void State::prepare_pod(uint32_t s, const Pod& pod, uint32_t r) {
  columns_.prepare(pod.occupied);
  if (!pod.claim_names.empty()) claim_uses_.prepare(pod.meta.ns, pod.claim_names);
  if (!pod.spec.scheduling_group.empty()) group_uses_.prepare(pod.meta.ns, group_of(pod));
  existing_terms_.prepare_attach(s, pod, r, columns_.capacity());  // last: it notes the slot
}

// link_pod() is inlined into the functions below, because it takes most of the time of a what-if.
__attribute__((always_inline)) inline void State::link_pod(uint32_t s, Slot& slot, uint32_t r,
                                                           Row& row) noexcept {
  const Pod& pod = *slot.pod;
  slot.row = r;
  slot.position = static_cast<uint32_t>(row.pods.size());
  row.pods.push_back(s);
  columns_.add_pod(r, pod.occupied, pod.occupied_nonzero);
  tables_.attach_pod(s, pod, r);
  if (!pod.plain) link_parts(s, pod, r, row);
}

// Links what plain pods do not have.
void State::link_parts(uint32_t s, const Pod& pod, uint32_t r, Row& row) noexcept {
  existing_terms_.attach_pod(s, pod, r);
  row.volumes.add(pod);
  if (!pod.claim_names.empty()) claim_uses_.add(pod.meta.ns, pod.claim_names, row.node != nullptr);
  if (!pod.spec.scheduling_group.empty()) group_uses_.add(pod.meta.ns, group_of(pod));
}

__attribute__((always_inline)) inline void State::unlink_pod(uint32_t s,
                                                             const Slot& slot) noexcept {
  const Pod& pod = *slot.pod;
  Row& row = rows_.edit(slot.row);
  const uint32_t last = row.pods.back();
  row.pods.pop_back();
  if (last != s) {  // upstream moves the last pod into the hole
    row.pods[slot.position] = last;
    slots_.edit(last).position = slot.position;
  }
  columns_.remove_pod(slot.row, pod.occupied, pod.occupied_nonzero);
  tables_.detach_pod(s, slot.row);
  if (!pod.plain) unlink_parts(s, pod, slot.row, row);
}

void State::unlink_parts(uint32_t s, const Pod& pod, uint32_t r, Row& row) noexcept {
  existing_terms_.detach_pod(s, pod, r);
  row.volumes.remove(pod);
  if (!pod.claim_names.empty())
    claim_uses_.remove(pod.meta.ns, pod.claim_names, row.node != nullptr);
  if (!pod.spec.scheduling_group.empty()) group_uses_.remove(pod.meta.ns, group_of(pod));
}

State::Added State::add_pod(PodRef&& pod, uint32_t r, bool assumed) {
  const Pod& p = *pod;
  Row& row = rows_.edit(r);
  slots_.reserve();
  reserve_more(row.pods, 1);
  images_.reserve_stale(columns_.capacity());
  if (!p.unnamed) pod_ids_.reserve();
  if (!p.plain) prepare_pod(slots_.next(), p, r);
  // From here on nothing fails.
  bool from_tail = false;
  const uint32_t s = slots_.take(&from_tail);
  Slot& slot = slots_.edit(s);
  slot.pod = std::move(pod);
  slot.assumed = assumed;
  if (!p.unnamed) pod_ids_.insert_reserved(p.meta.key_hash, s);
  link_pod(s, slot, r, row);
  return {s, from_tail, images_.touch(r)};
}

bool State::detach_pod(uint32_t s) {
  images_.reserve_stale(columns_.capacity());
  const Slot& slot = slots_.edit(s);
  unlink_pod(s, slot);
  return images_.touch(slot.row);
}

void State::undo_add_pod(const Added& added) noexcept {
  Slot& slot = slots_.edit(added.slot);
  if (added.touched) images_.undo_touch(slot.row);
  unlink_pod(added.slot, slot);
  slot.assumed = false;
  const PodRef pod = std::move(slot.pod);
  if (!pod->unnamed) pod_ids_.erase(pod->meta.key_hash, added.slot);
  slots_.undo_take(added.slot, added.from_tail);
}

void State::undo_detach_pod(uint32_t s, uint32_t r, uint32_t position, bool touched) noexcept {
  if (touched) images_.undo_touch(r);
  Slot& slot = slots_.edit(s);
  Row& row = rows_.edit(r);
  link_pod(s, slot, r, row);
  if (position + 1 == row.pods.size()) return;
  const uint32_t moved = row.pods[position];
  std::swap(row.pods[position], row.pods.back());
  slots_.edit(moved).position = static_cast<uint32_t>(row.pods.size() - 1);
  slot.position = position;
}

void State::reserve_ports(uint32_t r, size_t more) {
  with_ports_.edit().reserve(columns_.capacity());
  if (more != 0) rows_.edit(r).ports.reserve(more);
}

void State::note_ports(uint32_t r) noexcept {
  if (rows_[r].ports.empty()) {
    with_ports_.edit().clear(r);
  } else {
    with_ports_.edit().set(r);
  }
}

uint32_t State::add_ports(uint32_t r, const PodRef& pod) noexcept {
  const uint32_t added = rows_.edit(r).ports.add(pod);
  note_ports(r);
  return added;
}

uint32_t State::remove_ports(uint32_t r, const Pod& pod,
                             std::vector<UsedPorts::Removed>* removed) noexcept {
  const uint32_t count = rows_.edit(r).ports.remove(pod, removed);
  note_ports(r);
  return count;
}

void State::undo_add_ports(uint32_t r, uint32_t added) noexcept {
  rows_.edit(r).ports.take_back(added);
  note_ports(r);
}

void State::undo_remove_port(uint32_t r, UsedPorts::Removed removed) noexcept {
  rows_.edit(r).ports.put_back(std::move(removed));
  note_ports(r);
}

View::Order State::make_order(bool* listed) {
  const bool anew = lists_anew();
  if (anew) membership_ = numbers_.draw();  // by which others know the list
  Order out;
  out.membership = membership_;
  out.name_set = name_set_;
  *listed = anew || order_mode_ != NodeOrder::kUpstream || order_->name_set != name_set_ ||
            !same_names(&out.rows);
  if (!*listed) {
    out.nodes = order_->nodes;
    return out;
  }
  out.rows = tree_.list();
  out.nodes.reserve(out.rows.size());
  for (const uint32_t r : out.rows) out.nodes.push_back(rows_[r].node);
  return out;
}

// Whether the existing nodes have the names of those in the list. Uses their current rows, because
// a node that was removed and added again may have another one.
bool State::same_names(std::vector<uint32_t>* rows) const {
  if (order_->rows.size() != tree_.size()) return false;
  *rows = order_->rows;
  for (size_t i = 0; i < rows->size(); ++i) {
    const Str name = order_->nodes[i]->meta.name;
    uint32_t& r = (*rows)[i];
    if (rows_[r].node && rows_[r].name == name) continue;
    r = find_node(name);
    if (r == kNoId) return false;
  }
  return true;
}

void State::collect_ids(uint64_t since) noexcept {
  columns_.collect(since);
  existing_terms_.collect(since);
  const size_t unused = labels_.unused() + taints_.unused() + images_.unused() +
                        claim_uses_.unused() + group_uses_.unused();
  if (unused <= 4096 || unused * 2 <= id_count()) return;
  // Inside a fork some ids may have to stay. After each walk the next one therefore waits until
  // there are half as many ids again.
  if (since != 0 && id_count() < collect_at_) return;
  labels_.collect(since);
  taints_.collect(since);
  images_.collect(since);
  claim_uses_.collect(since);
  group_uses_.collect(since);
  collect_at_ = id_count() + id_count() / 2;
}

}  // namespace libsched
