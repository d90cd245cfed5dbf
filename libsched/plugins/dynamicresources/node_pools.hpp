// NodePools: the pools that a node sees, made once for all nodes that see the same.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "libsched/objects/node.hpp"
#include "libsched/plugins/dynamicresources/device_slices.hpp"

namespace libsched {

struct NodePools {
  uint32_t id = 0;  // no other of the same PoolsByNode has had it
  std::vector<const DevicePool*> pools;
  std::string error;            // "": none; upstream's text about a node selector
  std::deque<DevicePool> made;  // those of `pools` that are of this node alone
};

// For one thread at a time; the slices outlive it.
class PoolsByNode {
 public:
  explicit PoolsByNode(const DeviceSlices& slices) : slices_(slices) {}

  // The pools of a node, which stands in this row of some view. The reference is valid until the
  // next call.
  const NodePools& of(uint32_t row, const Node& node);

 private:
  // What makes equal pools of different nodes.
  using Content = std::tuple<uint32_t, int64_t, bool, bool, bool, std::vector<const ResourceSlice*>,
                             std::vector<const ResourceSlice*>, std::vector<const DeviceCounters*>>;
  struct Row {
    Ref<const Node> node;
    std::shared_ptr<const NodePools> pools;
  };
  static constexpr size_t kMostShared = 1 << 16;  // beyond that all is forgotten

  std::shared_ptr<const NodePools> make(const Node& node);

  const DeviceSlices& slices_;
  uint32_t next_id_ = 0;
  std::vector<Row> rows_;
  std::map<Content, DevicePool> shared_;
  std::map<std::vector<const DevicePool*>, std::shared_ptr<const NodePools>> same_;
};

}  // namespace libsched
