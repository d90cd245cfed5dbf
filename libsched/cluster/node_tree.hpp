// NodeTree: the order in which nodes are walked. Zones are in the order in which they were first
// seen, and the nodes of each zone in the order in which they were added; the list takes one node
// of each zone in turn, as upstream's does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libsched/objects/meta.hpp"

namespace libsched {

class NodeTree {
 public:
  struct Zone {
    std::string key;
    std::vector<uint32_t> rows;
  };
  // The place of a node that was added or removed, for an undo.
  struct Place {
    uint32_t zone_index = 0;
    uint32_t position = 0;
    bool alone = false;  // the zone was added or removed with this node
  };
  struct Removed {
    Place place;
    Zone zone = {};  // if it was removed
  };

  // Add or remove a node completely. It is removed from the zone to which it was added, whatever
  // its Node::zone_key is by then. Only add() allocates.
  Place add(uint32_t row, Str zone);
  Removed remove(uint32_t row, Str zone) noexcept;
  void undo_add(const Place& place) noexcept;
  void undo_remove(uint32_t row, Removed removed) noexcept;

  size_t size() const { return size_; }
  // As a snapshot shows it, which has no use for the list.
  NodeTree publish() const {
    NodeTree out;
    out.size_ = size_;
    return out;
  }
  std::vector<uint32_t> list() const;

 private:
  size_t find(Str zone) const;

  std::vector<Zone> zones_;
  size_t size_ = 0;
  size_t latest_ = 0;  // the place of the zone that add() found last
};

}  // namespace libsched
