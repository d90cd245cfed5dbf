// UsedPorts: the host ports in use on a node, as a set: each is stored once, even if several pods
// use it, and it goes with the first pod that releases it, as in upstream's HostPortInfo.
//
// A change takes time by the ports of its pod, however many the node has, and its inverse is as
// small. Large sets have an index, which copies lack until they change.
#pragma once

#include <memory>
#include <vector>

#include "libsched/base/id_table.hpp"
#include "libsched/objects/pod.hpp"

namespace libsched {

class UsedPorts {
 public:
  // A host port in use. The strings belong to the pod that uses it.
  struct Port {
    PodRef owner;
    HostPort port;
  };
  // A port that was removed, and its place.
  struct Removed {
    Port port;
    uint32_t place;
  };

  UsedPorts() = default;
  UsedPorts(const UsedPorts& o) : ports_(o.ports_) {}
  UsedPorts(UsedPorts&&) noexcept = default;
  UsedPorts& operator=(const UsedPorts& o) { return *this = UsedPorts(o); }
  UsedPorts& operator=(UsedPorts&&) noexcept = default;
  ~UsedPorts() = default;

  auto begin() const { return ports_.begin(); }
  auto end() const { return ports_.end(); }
  size_t size() const { return ports_.size(); }
  bool empty() const { return ports_.empty(); }

  // Afterwards add() of a pod with so many ports cannot fail.
  void reserve(size_t more);
  // Appends the pod's host ports that are not in the set, in order. Returns how many these are.
  uint32_t add(const PodRef& pod) noexcept;
  // Removes those that were added last.
  void take_back(uint32_t added) noexcept;
  // Removes the pod's host ports, whichever pod added them; the last port moves to the place of
  // each. `removed`, unless it is null, gets them; it must have room. Returns how many these are.
  uint32_t remove(const Pod& pod, std::vector<Removed>* removed) noexcept;
  // Puts back the port that was removed last.
  void put_back(Removed removed) noexcept;

 private:
  static constexpr size_t kFew = 32;

  uint32_t find(const HostPort& port) const;
  void note(uint32_t place) noexcept;  // in the index
  void forget(uint32_t place) noexcept;

  std::vector<Port> ports_;
  std::unique_ptr<SmallIdTable> places_;  // of all ports, by hash; null: not made
};

}  // namespace libsched
