// Journal: recording inverse operations, and undoing them in reverse order back to a mark.
#include "libsched/cluster/journal.hpp"

#include <algorithm>
#include <utility>

namespace libsched {
namespace {

template <typename T>
T pop(std::vector<T>& stack) noexcept {
  T value = std::move(stack.back());
  stack.pop_back();
  return value;
}

// Empties a stack and releases the memory of an unusually large change.
template <typename T>
void empty(std::vector<T>& stack) noexcept {
  constexpr size_t kKept = 256 * 1024;
  stack.clear();
  if (stack.capacity() * sizeof(T) > kKept) std::vector<T>().swap(stack);
}

// The changes of adding or removing a pod.
ChangeKinds changes_of(const Pod& pod, bool assumed = false) {
  const ChangeKinds always = kPodsChanged | (assumed ? kAssumedChanged : 0);
  if (pod.plain) return always;
  return always | (pod.driver_volumes != 0 ? kVolumesChanged : 0) |
         (pod.has_pod_affinity ? kTermsChanged : 0);
}

}  // namespace

void Journal::mark() {
  marks_.push_back({ops_.size(), state_->version(), state_->membership(), state_->latest_id(),
                    held_, state_->log().mark()});
}

void Journal::commit() noexcept {
  marks_.pop_back();
  if (!marks_.empty()) return;
  clear();
  collect_ids();
}

void Journal::revert() noexcept {
  const Mark mark = pop(marks_);
  state_->log().begin_undo(mark.log);
  constexpr size_t kAhead = 12;
  for (size_t i = ops_.size(); i-- > mark.ops;) {
    const Op& op = ops_[i];
    if (i >= mark.ops + kAhead)
      if (const Op& later = ops_[i - kAhead]; later.kind == Kind::kAddPod)
        state_->fetch_slot(later.a);
    if (op.kind == Kind::kAddPod) [[likely]]
      undo_add_pod(op);
    else
      undo(op);
  }
  ops_.resize(mark.ops);
  state_->log().end_undo(mark.log);
  state_->restore_stamps(mark.version, mark.membership);
  held_ = mark.held;
  if (marks_.empty()) clear();
  collect_ids();
}

// An undo attaches only objects that already had their ids.
void Journal::collect_ids() noexcept {
  state_->collect_ids(marks_.empty() ? 0 : std::max(marks_.back().latest_id, held_));
}

void Journal::clear() noexcept {
  held_ = 0;
  empty(ops_);
  empty(nodes_);
  empty(pods_);
  empty(accountings_);
  empty(lost_);
  empty(rows_);
  empty(trees_);
  empty(ports_);
  empty(objects_);
  empty(orders_);
  empty(images_);
  empty(image_numbers_);
}

uint32_t Journal::acquire_row(Str name, uint64_t hash) {
  reserve();
  bool from_tail = false;
  const uint32_t r = state_->acquire_row(name, hash, &from_tail);
  if (recording()) ops_.push_back({.kind = Kind::kAcquireRow, .flag = from_tail, .a = r});
  return r;
}

void Journal::release_row(uint32_t r) {
  reserve(rows_);
  if (recording()) {
    rows_.push_back({state_->row(r).name, state_->row(r).name_hash});
    ops_.push_back({.kind = Kind::kReleaseRow, .a = r});
  }
  state_->release_row(r);
}

void Journal::attach_node(uint32_t r, NodeRef node, ChangeKinds changes) {
  reserve();
  const bool touched = state_->attach_node(r, std::move(node));
  log(r, changes);
  if (recording())
    ops_.push_back({.kind = Kind::kAttachNode, .touched = touched, .a = r, .b = changes});
}

void Journal::detach_node(uint32_t r, ChangeKinds changes) {
  reserve(nodes_, images_);
  const bool images = recording() && state_->images().has_any(r);
  if (images) images_.push_back(state_->images().save(r));
  NodeRef old = state_->detach_node(r);
  log(r, changes);
  if (!recording()) return;
  nodes_.push_back(std::move(old));
  held_ = state_->latest_id();
  ops_.push_back({.kind = Kind::kDetachNode, .flag = images, .a = r, .b = changes});
}

void Journal::tree_add(uint32_t r) {
  reserve();
  const NodeTree::Place place = state_->tree_add(r);
  if (!recording()) return;
  ops_.push_back({.kind = Kind::kTreeAdd,
                  .flag = place.alone,
                  .a = r,
                  .b = place.zone_index,
                  .c = place.position});
}

void Journal::tree_remove(uint32_t r) {
  reserve(trees_);
  std::string zone = state_->row(r).zone;
  NodeTree::Removed removed = state_->tree_remove(r);
  if (!recording()) return;
  trees_.push_back({std::move(zone), std::move(removed)});
  ops_.push_back({.kind = Kind::kTreeRemove, .a = r});
}

uint32_t Journal::add_pod(PodRef&& pod, uint32_t r, bool assumed) {
  const Pod& p = *pod;
  const NominatedPods& nominated = std::as_const(*state_).nominated();
  if (!nominated.empty() && !p.unnamed) [[unlikely]]
    if (const Pod* const waiting = nominated.find(p.meta); waiting != nullptr) withdraw(*waiting);
  reserve();
  const State::Added added = state_->add_pod(std::move(pod), r, assumed);
  const uint32_t s = added.slot;
  log(r, changes_of(p, assumed));
  if (recording())
    ops_.push_back({.kind = Kind::kAddPod,
                    .flag = added.from_tail,
                    .touched = added.touched,
                    .a = s,
                    .b = assumed});
  if (!p.plain && !p.host_ports.empty()) add_ports(r, state_->slot(s).pod);
  return s;
}

void Journal::add_ports(uint32_t r, const PodRef& pod) {
  reserve();
  state_->reserve_ports(r, pod->host_ports.size());
  const uint32_t added = state_->add_ports(r, pod);
  if (recording()) ops_.push_back({.kind = Kind::kAddPorts, .a = r, .b = added});
}

void Journal::remove_ports(uint32_t r, const Pod& pod) {
  reserve();
  if (recording()) reserve_more(ports_, pod.host_ports.size());
  state_->reserve_ports(r, 0);
  const uint32_t removed = state_->remove_ports(r, pod, recording() ? &ports_ : nullptr);
  if (recording()) ops_.push_back({.kind = Kind::kRemovePorts, .a = r, .b = removed});
}

void Journal::set_assumed(uint32_t s, bool assumed) {
  reserve();
  const bool old = state_->set_assumed(s, assumed);
  log(state_->slot(s).row, kAssumedChanged);
  if (recording()) ops_.push_back({.kind = Kind::kAssumed, .flag = old, .a = s});
}

void Journal::remove_pod(uint32_t s) {
  if (state_->slot(s).assumed) set_assumed(s, false);
  const View::Slot& slot = state_->slot(s);
  const uint32_t r = slot.row, position = slot.position;
  if (!slot.pod->plain && !slot.pod->host_ports.empty()) remove_ports(r, *slot.pod);
  reserve(pods_);
  const bool touched = state_->detach_pod(s);
  PodRef pod = state_->release_slot(s);
  log(slot.row, changes_of(*pod));
  if (!recording()) return;
  pods_.push_back(std::move(pod));
  held_ = state_->latest_id();
  ops_.push_back({.kind = Kind::kRemovePod, .touched = touched, .a = s, .b = r, .c = position});
}

// Nothing that is kept from cycle to cycle knows nominated pods, so the log does not either.
void Journal::nominate(PodRef pod) {
  reserve(pods_);
  state_->nominated().reserve();
  if (recording()) {
    pods_.push_back(pod);
    ops_.push_back({.kind = Kind::kNominate});
  }
  state_->nominated().put(std::move(pod));
}

void Journal::withdraw(const Pod& nominated) {
  reserve(pods_);
  PodRef pod = state_->nominated().take(nominated.meta);
  if (!recording()) return;
  pods_.push_back(std::move(pod));
  ops_.push_back({.kind = Kind::kWithdraw});
}

void Journal::set_accounting(const PodAccounting& accounting) {
  reserve(accountings_);
  if (recording()) {
    accountings_.push_back(state_->accounting());
    ops_.push_back({.kind = Kind::kAccounting});
  }
  state_->set_accounting(accounting);
}

void Journal::put_object(StoredKind kind, Str ns, Str name, ObjectStore::Entry entry) {
  reserve(objects_);
  ObjectRef named = entry.latest;
  ObjectStore& objects = state_->objects();
  const uint64_t stamp = objects.stamp(kind);
  ObjectStore::Replaced old = objects.replace(kind, ns, name, std::move(entry));
  log(kNoId, object_changed(kind));
  if (!recording()) return;
  if (!named) named = old.entry.latest;
  if (!named) return;  // no object before and after
  objects_.push_back({std::move(named), std::move(old), stamp});
  ops_.push_back({.kind = Kind::kObject, .a = static_cast<uint32_t>(kind)});
}

void Journal::lose_claims(uint32_t r) {
  reserve();
  state_->lose_claims(r, 1);
  if (recording()) ops_.push_back({.kind = Kind::kLostClaims, .a = r});
}

void Journal::refresh(View::Order* order, bool listed) {
  Images& images = state_->images();
  reserve(orders_);
  if (recording()) {
    reserve_more(ops_, images.stale_count() + 2);
    if (listed) reserve_more(lost_, state_->claim_sums().uneven());
    size_t numbers = 0;
    images.for_each_stale(
        [&](uint32_t row) { numbers += images.outdated(row) ? images.count(row) : 0; });
    reserve_more(image_numbers_, numbers);
  }
  images.freeze(
      [&](uint32_t before) {
        if (recording()) image_numbers_.push_back(before);
      },
      [&](uint32_t row, bool outdated) {
        if (outdated) log(row, kImagesChanged);
        if (recording()) ops_.push_back({.kind = Kind::kImages, .flag = outdated, .a = row});
      });
  if (order == nullptr) return;
  if (listed) begin_claim_sums();
  View::Order old = state_->replace_order(std::move(*order));
  log(kNoId, kOrderChanged);
  if (!recording()) return;
  orders_.push_back(std::move(old));
  ops_.push_back({.kind = Kind::kOrder});
}

// For refresh(), which has made room.
void Journal::begin_claim_sums() noexcept {
  ObjectUses& claims = state_->claim_sums();
  if (claims.uneven() == 0) return;
  uint32_t count = 0;
  claims.begin_sums([&](uint32_t id, uint32_t lost) {
    if (recording()) lost_.push_back({id, lost});
    ++count;
  });
  log(kNoId, kVolumesChanged);
  if (recording()) ops_.push_back({.kind = Kind::kClaimSums, .a = count});
}

void Journal::undo_add_pod(const Op& op) noexcept {
  if (!state_->log().quiet()) {
    const View::Slot& slot = state_->slot(op.a);
    log(slot.row, changes_of(*slot.pod, op.b != 0));
  }
  state_->undo_add_pod({op.a, op.flag, op.touched});
}

void Journal::undo(const Op& op) noexcept {
  switch (op.kind) {
    case Kind::kAcquireRow: state_->undo_acquire_row(op.a, op.flag); break;
    case Kind::kReleaseRow: {
      NamedRow row = pop(rows_);
      state_->undo_release_row(op.a, std::move(row.name), row.hash);
      break;
    }
    case Kind::kAttachNode:
      state_->undo_attach_node(op.a, op.touched);
      log(op.a, op.b);
      break;
    case Kind::kDetachNode:
      state_->undo_detach_node(op.a, pop(nodes_));
      log(op.a, op.b);
      if (op.flag) state_->images().restore(op.a, pop(images_));
      break;
    case Kind::kTreeAdd: state_->undo_tree_add(op.a, {op.b, op.c, op.flag}); break;
    case Kind::kTreeRemove: {
      TreeRemoval removal = pop(trees_);
      state_->undo_tree_remove(op.a, std::move(removal.zone), std::move(removal.removed));
      break;
    }
    case Kind::kAddPod: undo_add_pod(op); break;
    case Kind::kRemovePod:
      state_->undo_release_slot(op.a, pop(pods_));
      state_->undo_detach_pod(op.a, op.b, op.c, op.touched);
      log(op.b, changes_of(*state_->slot(op.a).pod));
      break;
    case Kind::kAddPorts: state_->undo_add_ports(op.a, op.b); break;
    case Kind::kRemovePorts:
      for (uint32_t i = 0; i < op.b; ++i) state_->undo_remove_port(op.a, pop(ports_));
      break;
    case Kind::kAssumed:
      state_->set_assumed(op.a, op.flag);
      log(state_->slot(op.a).row, kAssumedChanged);
      break;
    case Kind::kObject: {
      ObjectChange change = pop(objects_);
      const auto kind = static_cast<StoredKind>(op.a);
      const ObjectMeta& meta = change.named->meta;
      state_->objects().undo_replace(kind, meta.ns, meta.name, std::move(change.old));
      state_->objects().restore_stamp(kind, change.stamp);
      log(kNoId, object_changed(kind));
      break;
    }
    case Kind::kNominate: state_->nominated().take(pop(pods_)->meta); break;
    case Kind::kWithdraw: state_->nominated().put(pop(pods_)); break;
    case Kind::kAccounting: state_->set_accounting(pop(accountings_)); break;
    case Kind::kImages: {
      if (!op.flag) {
        state_->images().unfreeze(op.a, nullptr);
        break;
      }
      const size_t left = image_numbers_.size() - state_->images().count(op.a);
      state_->images().unfreeze(op.a, image_numbers_.data() + left);
      image_numbers_.resize(left);
      log(op.a, kImagesChanged);
      break;
    }
    case Kind::kLostClaims: state_->lose_claims(op.a, -1); break;
    case Kind::kClaimSums:
      for (uint32_t i = 0; i < op.a; ++i) {
        const LostClaim before = pop(lost_);
        state_->claim_sums().set_lost(before.id, before.lost);
      }
      log(kNoId, kVolumesChanged);
      break;
    case Kind::kOrder:
      state_->replace_order(pop(orders_));
      log(kNoId, kOrderChanged);
      break;
  }
}

}  // namespace libsched
