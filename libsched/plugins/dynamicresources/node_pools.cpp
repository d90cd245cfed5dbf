// See node_pools.hpp.
#include "libsched/plugins/dynamicresources/node_pools.hpp"

#include <algorithm>

namespace libsched {
namespace {

// Whether nodes that see the same slices may have different devices of them.
bool by_device(const DevicePool& pool) {
  return std::any_of(pool.slices.begin(), pool.slices.end(),
                     [](const ResourceSlice* s) { return s->per_device_node_selection; });
}

}  // namespace

const NodePools& PoolsByNode::of(uint32_t row, const Node& node) {
  if (row < rows_.size() && rows_[row].node.get() == &node) return *rows_[row].pools;
  if (shared_.size() > kMostShared || same_.size() > kMostShared) {
    rows_.clear();
    same_.clear();
    shared_.clear();
  }
  std::shared_ptr<const NodePools> made = make(node);
  if (row >= rows_.size()) rows_.resize(row + 1);
  rows_[row] = {Ref<const Node>::share(&node), std::move(made)};
  return *rows_[row].pools;
}

std::shared_ptr<const NodePools> PoolsByNode::make(const Node& node) {
  auto out = std::make_shared<NodePools>();
  out->id = next_id_;
  std::deque<DevicePool> made;
  Result<std::vector<const DevicePool*>> pools =
      slices_.pools_of({node.meta.name, node.meta.labels}, made);
  if (!pools.ok()) {
    out->error = pools.error().message;
    ++next_id_;
    return out;
  }
  out->pools = std::move(*pools);
  if (std::any_of(made.begin(), made.end(), by_device)) {
    out->made = std::move(made);  // addresses stay
    ++next_id_;
    return out;
  }
  for (DevicePool& pool : made) {
    Content content{pool.index,    pool.generation, pool.incomplete,   pool.invalid,
                    pool.outdated, pool.slices,     pool.other_slices, pool.counter_sets};
    const DevicePool* const own = &pool;
    const DevicePool& same = shared_.try_emplace(std::move(content), pool).first->second;
    std::replace(out->pools.begin(), out->pools.end(), own, &same);
  }
  const auto [known, fresh] = same_.try_emplace(out->pools, out);
  if (fresh) ++next_id_;
  return known->second;
}

}  // namespace libsched
