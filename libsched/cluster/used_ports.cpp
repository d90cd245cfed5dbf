// Sets of host ports: small sets are searched, large ones have an index.
#include "libsched/cluster/used_ports.hpp"

#include "libsched/base/hash.hpp"
#include "libsched/base/id_pool.hpp"

namespace libsched {
namespace {

uint64_t hash_of(const HostPort& p) {
  return hash_str(p.ip, hash_str(p.protocol, static_cast<uint32_t>(p.port)));
}

}  // namespace

void UsedPorts::reserve(size_t more) {
  reserve_more(ports_, more);
  if (ports_.size() + more <= kFew && places_ == nullptr) return;
  // The index has room for all ports that the vector has room for, so undoing never allocates.
  if (places_ != nullptr) return places_->reserve(ports_.capacity() - ports_.size());
  auto places = std::make_unique<SmallIdTable>();
  places->reserve(ports_.capacity());
  places_ = std::move(places);
  for (uint32_t i = 0; i < ports_.size(); ++i) note(i);
}

uint32_t UsedPorts::find(const HostPort& port) const {
  const auto same = [&](uint32_t i) { return same_port(ports_[i].port, port); };
  if (places_ != nullptr) return places_->find(hash_of(port), same);
  for (uint32_t i = 0; i < ports_.size(); ++i)
    if (same(i)) return i;
  return kNoId;
}

void UsedPorts::note(uint32_t place) noexcept {
  if (places_ != nullptr) places_->insert_reserved(hash_of(ports_[place].port), place);
}

void UsedPorts::forget(uint32_t place) noexcept {
  if (places_ != nullptr) places_->erase(hash_of(ports_[place].port), place);
}

uint32_t UsedPorts::add(const PodRef& pod) noexcept {
  const size_t before = ports_.size();
  for (const HostPort& port : pod->host_ports) {
    if (find(port) != kNoId) continue;
    ports_.push_back({pod, port});
    note(static_cast<uint32_t>(ports_.size() - 1));
  }
  return static_cast<uint32_t>(ports_.size() - before);
}

void UsedPorts::take_back(uint32_t added) noexcept {
  for (; added != 0; --added) {
    forget(static_cast<uint32_t>(ports_.size() - 1));
    ports_.pop_back();
  }
}

uint32_t UsedPorts::remove(const Pod& pod, std::vector<Removed>* removed) noexcept {
  uint32_t count = 0;
  for (const HostPort& port : pod.host_ports) {
    const uint32_t place = find(port);
    if (place == kNoId) continue;
    const auto last = static_cast<uint32_t>(ports_.size() - 1);
    forget(place);
    if (place != last) {
      forget(last);
      std::swap(ports_[place], ports_[last]);
      note(place);
    }
    if (removed != nullptr) removed->push_back({std::move(ports_[last]), place});
    ports_.pop_back();
    ++count;
  }
  return count;
}

void UsedPorts::put_back(Removed removed) noexcept {
  const auto last = static_cast<uint32_t>(ports_.size());
  ports_.push_back(std::move(removed.port));
  if (removed.place != last) {
    forget(removed.place);
    std::swap(ports_[removed.place], ports_[last]);
    note(removed.place);
  }
  note(last);
}

}  // namespace libsched
