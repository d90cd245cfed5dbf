// InFlight: a list in a vector, indexed by uid.
#include "libsched/scheduler/queue/in_flight.hpp"

#include <algorithm>
#include <utility>

namespace libsched {
namespace {

uint64_t hash_of(const Pod& pod) {
  return pod.meta.uid.empty() ? pod.meta.key_hash : hash_str(pod.meta.uid);
}

}  // namespace

uint32_t InFlight::find(const Pod& pod) const {
  return pods_.find(hash_of(pod), [&](uint32_t i) { return same_pod(*entries_[i].pod, pod); });
}

void InFlight::reserve(size_t more) {
  pods_.reserve(more);
  if (free_.size() >= more) return;
  const size_t needed = entries_.size() + more;
  if (entries_.capacity() >= needed) return;
  const size_t room = std::max(needed, entries_.capacity() * 2);
  free_.reserve(room);
  entries_.reserve(room);
}

uint32_t InFlight::append() {
  uint32_t i = 0;
  if (free_.empty()) {
    i = static_cast<uint32_t>(entries_.size());
    entries_.emplace_back();
  } else {
    i = free_.back();
    free_.pop_back();
  }
  entries_[i].previous = last_;
  (last_ == kNoId ? first_ : entries_[last_].next) = i;
  return last_ = i;
}

void InFlight::push(const PodRef& pod) {
  const uint32_t i = append();
  entries_[i].pod = pod;
  pods_.insert_reserved(hash_of(*pod), i);
}

void InFlight::push(const EventPlan& event, const ObjectChange& change) {
  Entry& e = entries_[append()];
  e.event = &event;
  e.change = change;
}

void InFlight::remove(uint32_t i) {
  const Entry gone = std::exchange(entries_[i], {});
  (gone.previous == kNoId ? first_ : entries_[gone.previous].next) = gone.next;
  (gone.next == kNoId ? last_ : entries_[gone.next].previous) = gone.previous;
  free_.push_back(i);
}

void InFlight::done(uint32_t i) {
  if (i == kNoId) return;
  pods_.erase(hash_of(*entries_[i].pod), i);
  remove(i);
  while (first_ != kNoId && !entries_[first_].pod) remove(first_);
}

void InFlight::done(Str uid) {
  uint32_t found =
      pods_.find(hash_str(uid), [&](uint32_t i) { return entries_[i].pod->meta.uid == uid; });
  if (const size_t slash = uid.find('/'); found == kNoId && slash != Str::npos) {
    const Str ns = uid.substr(0, slash), name = uid.substr(slash + 1);
    found = pods_.find(object_key_hash(ns, name), [&](uint32_t i) {
      const ObjectMeta& m = entries_[i].pod->meta;
      return m.uid.empty() && m.ns == ns && m.name == name;
    });
  }
  done(found);
}

void InFlight::clear() {
  for_each([&](const Entry& e) {
    if (e.pod) pods_.erase(hash_of(*e.pod), static_cast<uint32_t>(&e - entries_.data()));
  });
  while (first_ != kNoId) remove(first_);
}

}  // namespace libsched
