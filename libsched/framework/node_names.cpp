// NodeNames: sorting.
#include "libsched/framework/node_names.hpp"

#include <algorithm>

namespace libsched {

std::shared_ptr<const NodeNames> SortedNodes::get(const View& view) {
  const std::lock_guard lock(mutex_);
  if (names_) return names_;
  auto made = std::make_shared<NodeNames>();
  made->rows.reserve(view.node_count());
  view.live().for_each([&](size_t r) { made->rows.push_back(static_cast<uint32_t>(r)); });
  std::sort(made->rows.begin(), made->rows.end(),
            [&](uint32_t a, uint32_t b) { return view.row(a).name < view.row(b).name; });
  made->nodes.reserve(made->rows.size());
  for (const uint32_t r : made->rows) made->nodes.push_back(view.row(r).node);
  return names_ = std::move(made);
}

}  // namespace libsched
