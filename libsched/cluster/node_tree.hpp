// NodeTree: in which order nodes are walked. Zones in the order they were first seen, the nodes of
// each in the order they were added; the list takes one of each zone in turn, as upstream's does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libsched/objects/meta.hpp"

namespace libsched {

// Upstream's zone key: region and zone, the beta labels before the stable ones; "" without either.
std::string zone_key(Labels labels);

class NodeTree {
 public:
  struct Zone {
    std::string key;
    std::vector<uint32_t> rows;
  };
  // Where a node stood, so that an undo can put it back.
  struct Place {
    uint32_t zone_index = 0;
    uint32_t position = 0;
    bool zone_was_alone = false;  // the zone came or went with this node
    Zone zone = {};               // that went
  };

  // The node's place, which comes or goes whole. Only add() allocates.
  Place add(uint32_t row, const std::string& zone);
  Place remove(uint32_t row, const std::string& zone) noexcept;
  void undo_add(const Place& place) noexcept;
  void undo_remove(uint32_t row, Place place) noexcept;

  size_t size() const { return size_; }
  // As a snapshot shows it, which has no use for the list.
  NodeTree publish() const {
    NodeTree out;
    out.size_ = size_;
    return out;
  }
  std::vector<uint32_t> list() const;

 private:
  size_t find(const std::string& zone) const;

  std::vector<Zone> zones_;
  size_t size_ = 0;
};

}  // namespace libsched
