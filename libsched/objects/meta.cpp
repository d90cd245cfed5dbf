// Labels, annotations and serial numbers.
#include "libsched/objects/meta.hpp"

#include <atomic>

namespace libsched {

const Label* find_label(Labels labels, Str key) {
  // Comparing sizes first makes a scan of a few labels cheaper than halving.
  constexpr size_t kScanned = 12;
  if (labels.size() <= kScanned) {
    for (const Label& label : labels) {
      if (label.key == key) return &label;
    }
    return nullptr;
  }
  const auto at = std::lower_bound(labels.begin(), labels.end(), key,
                                   [](const Label& l, Str k) { return l.key < k; });
  return at != labels.end() && at->key == key ? &*at : nullptr;
}

const Str* find_annotation(const ObjectMeta& meta, Str key) {
  const auto at = std::lower_bound(meta.annotations.begin(), meta.annotations.end(), key,
                                   [](const KeyValue& a, Str k) { return a.key < k; });
  return at != meta.annotations.end() && at->key == key ? &at->value : nullptr;
}

uint64_t next_serial() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace libsched
