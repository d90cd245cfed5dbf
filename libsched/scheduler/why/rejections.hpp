// Rejections: each plugin's own verdicts about the nodes, as if the other plugins accepted all.
//
// A decision names for each node the plugin that rejects it first, as upstream does. Here a node
// has every plugin that rejects it, which tells how far it is from taking the pod.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libsched/run/evaluator.hpp"

namespace libsched {

// A plugin's rejection of a node, with its facts. `plugin` is "" where several plugins together
// leave the node out before Filter.
struct Lack {
  std::string plugin;
  Status status;
  Facts facts;
};

struct NodeLacks {
  std::string node;
  std::vector<Lack> lacks;  // in the order of the Filter plugins
  // The sum over resources of the part of the request that is not free there.
  double shortage = 0;
};

struct Rejections {
  struct ByPlugin {
    std::string plugin;
    std::vector<uint64_t> rows;  // as bits
    size_t count = 0;
  };
  std::vector<ByPlugin> plugins;  // those that reject any node, in the order of Filter
  // The nodes with the fewest rejections, those that lack the smallest part of the pod's resources
  // first, then by name.
  std::vector<NodeLacks> nearest;

  // Null: it rejects no node.
  const ByPlugin* of(Str plugin) const {
    for (const ByPlugin& p : plugins)
      if (p.plugin == plugin) return &p;
    return nullptr;
  }
};

// Asks every Filter plugin about every node, with the `most` nearest nodes. Empty if PreFilter
// rejects the pod.
Result<Rejections> reject_each(Evaluator& judge, const Pod& pod, size_t most, const Limits& limits);

}  // namespace libsched
