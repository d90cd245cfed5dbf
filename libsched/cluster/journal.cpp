// Journal: recording inverse operations, and undoing them in reverse order back to a mark.
#include "libsched/cluster/journal.hpp"

#include <algorithm>

#include "libsched/cluster/used_ports.hpp"

namespace libsched {
namespace {

template <typename T>
T pop(std::vector<T>& stack) {
  T value = std::move(stack.back());
  stack.pop_back();
  return value;
}

}  // namespace

void Journal::mark() {
  marks_.push_back(
      {ops_.size(), state_->version(), state_->membership(), state_->ids_epoch(), stale_.size()});
  const Span<uint64_t> stale = state_->images().stale();
  stale_.insert(stale_.end(), stale.begin(), stale.end());
}

void Journal::commit() {
  stale_.resize(marks_.back().stale);
  marks_.pop_back();
  if (!marks_.empty()) return;
  clear();
  collect_ids();
}

void Journal::revert() {
  const Mark mark = pop(marks_);
  constexpr size_t kAhead = 12;
  while (ops_.size() > mark.ops) {
    if (ops_.size() > mark.ops + kAhead)
      if (const Op& op = ops_[ops_.size() - 1 - kAhead]; op.kind == Kind::kAddPod)
        state_->fetch_slot(op.a);
    undo(ops_.back());
    ops_.pop_back();
  }
  state_->restore_stamps(mark.version, mark.membership);
  state_->images().set_stale(Span<uint64_t>(stale_).subspan(mark.stale));
  stale_.resize(mark.stale);
  if (marks_.empty()) clear();
  collect_ids();
}

void Journal::clear() {
  ops_.clear();
  nodes_.clear();
  pods_.clear();
  rows_.clear();
  trees_.clear();
  ports_.clear();
  objects_.clear();
  orders_.clear();
  images_.clear();
  image_numbers_.clear();
}

uint32_t Journal::acquire_row(Str name, uint64_t hash) {
  bool from_tail = false;
  const uint32_t r = state_->acquire_row(name, hash, &from_tail);
  if (recording()) ops_.push_back({Kind::kAcquireRow, r, from_tail ? 1u : 0u});
  return r;
}

void Journal::release_row(uint32_t r) {
  if (recording()) {
    rows_.push_back({state_->row(r).name, state_->row(r).name_hash});
    ops_.push_back({Kind::kReleaseRow, r});
  }
  state_->release_row(r);
}

void Journal::attach_node(uint32_t r, NodeRef node) {
  state_->attach_node(r, std::move(node));
  if (recording()) ops_.push_back({Kind::kAttachNode, r});
}

void Journal::detach_node(uint32_t r) {
  const bool images = recording() && state_->images().has_any(r);
  if (images) images_.push_back(state_->images().save(r));
  NodeRef old = state_->detach_node(r);
  if (!recording()) return;
  nodes_.push_back(std::move(old));
  ops_.push_back({Kind::kDetachNode, r, images ? 1u : 0u});
}

void Journal::tree_add(uint32_t r) {
  const NodeTree::Place place = state_->tree_add(r);
  if (!recording()) return;
  trees_.push_back({{}, place});
  ops_.push_back({Kind::kTreeAdd, r});
}

void Journal::tree_remove(uint32_t r) {
  std::string zone = state_->row(r).zone;
  const NodeTree::Place place = state_->tree_remove(r);
  if (!recording()) return;
  trees_.push_back({std::move(zone), place});
  ops_.push_back({Kind::kTreeRemove, r});
}

uint32_t Journal::add_pod(PodRef pod, uint32_t r) {
  bool from_tail = false;
  const Pod& p = *pod;
  const uint32_t s = state_->acquire_slot(std::move(pod), &from_tail);
  state_->attach_pod(s, r);
  if (recording()) ops_.push_back({Kind::kAddPod, s, from_tail ? 1u : 0u});
  if (p.host_ports.empty()) return s;
  std::vector<State::UsedPort> ports = state_->row(r).ports;
  add_ports(state_->slot(s).pod, &ports);
  std::vector<State::UsedPort> old = state_->replace_ports(r, std::move(ports));
  if (!recording()) return s;
  ports_.push_back(std::move(old));
  ops_.push_back({Kind::kPorts, r});
  return s;
}

void Journal::set_assumed(uint32_t s, bool assumed) {
  const bool old = state_->set_assumed(s, assumed);
  if (recording()) ops_.push_back({Kind::kAssumed, s, old ? 1u : 0u});
}

void Journal::remove_pod(uint32_t s) {
  if (state_->slot(s).assumed) set_assumed(s, false);
  const State::Slot slot = state_->slot(s);
  if (!slot.pod->host_ports.empty()) {
    // Not counted: upstream forgets a port with the first pod that gives it up.
    std::vector<State::UsedPort> ports = state_->row(slot.row).ports;
    remove_ports(*slot.pod, &ports);
    std::vector<State::UsedPort> old = state_->replace_ports(slot.row, std::move(ports));
    if (recording()) {
      ports_.push_back(std::move(old));
      ops_.push_back({Kind::kPorts, slot.row});
    }
  }
  const uint32_t position = state_->detach_pod(s);
  PodRef pod = state_->release_slot(s, false);
  if (!recording()) return;
  pods_.push_back(std::move(pod));
  ops_.push_back({Kind::kRemovePod, s, slot.row, position});
}

void Journal::put_object(StoredKind kind, Str ns, Str name, ObjectStore::Entry entry) {
  ObjectRef named = entry.latest;
  ObjectStore& objects = state_->objects();
  const uint64_t stamp = objects.stamp(kind);
  ObjectStore::Entry old = objects.replace(kind, ns, name, std::move(entry));
  if (!recording()) return;
  if (!named) named = old.latest;
  if (!named) return;  // nothing was there, and nothing was put
  objects_.push_back({std::move(named), std::move(old), stamp});
  ops_.push_back({Kind::kObject, static_cast<uint32_t>(kind)});
}

void Journal::set_order(State::Order order) {
  State::Order old = state_->replace_order(std::move(order));
  if (!recording()) return;
  orders_.push_back(std::move(old));
  ops_.push_back({Kind::kOrder});
}

void Journal::freeze_images() {
  state_->images().freeze(
      [&](uint32_t number) {
        if (recording()) image_numbers_.push_back(number);
      },
      [&](uint32_t row) {
        if (recording()) ops_.push_back({Kind::kImages, row});
      });
}

void Journal::undo(const Op& op) {
  switch (op.kind) {
    case Kind::kAcquireRow: state_->undo_acquire_row(op.a, op.b != 0); break;
    case Kind::kReleaseRow: {
      const NamedRow row = pop(rows_);
      state_->undo_release_row(op.a, row.name, row.hash);
      break;
    }
    case Kind::kAttachNode: state_->detach_node(op.a); break;
    case Kind::kDetachNode:
      state_->attach_node(op.a, pop(nodes_));
      if (op.b != 0) state_->images().restore(op.a, pop(images_));
      break;
    case Kind::kTreeAdd: state_->undo_tree_add(op.a, pop(trees_).place); break;
    case Kind::kTreeRemove: {
      TreeChange change = pop(trees_);
      state_->undo_tree_remove(op.a, std::move(change.zone), change.place);
      break;
    }
    case Kind::kAddPod:
      state_->undo_attach_pod(op.a);
      state_->release_slot(op.a, op.b != 0);
      break;
    case Kind::kRemovePod:
      state_->undo_release_slot(op.a, pop(pods_));
      state_->undo_detach_pod(op.a, op.b, op.c);
      break;
    case Kind::kPorts: state_->replace_ports(op.a, pop(ports_)); break;
    case Kind::kAssumed: state_->set_assumed(op.a, op.b != 0); break;
    case Kind::kObject: {
      ObjectChange change = pop(objects_);
      const auto kind = static_cast<StoredKind>(op.a);
      const ObjectMeta& meta = change.named->meta;
      state_->objects().replace(kind, meta.ns, meta.name, std::move(change.old));
      state_->objects().restore_stamp(kind, change.stamp);
      break;
    }
    case Kind::kImages: {
      const size_t left = image_numbers_.size() - state_->images().count(op.a);
      state_->images().unfreeze(op.a, image_numbers_.data() + left);
      image_numbers_.resize(left);
      break;
    }
    case Kind::kOrder: state_->replace_order(pop(orders_)); break;
  }
}

}  // namespace libsched
