// Objects that the API server's admission reads: RuntimeClass and LimitRange.
#pragma once

#include "libsched/objects/pod.hpp"
#include "libsched/objects/stored_kind.hpp"

namespace libsched {

class RuntimeClass final : public Object {
 public:
  static constexpr StoredKind kStoredKind = StoredKind::kRuntimeClass;
  explicit RuntimeClass(size_t first_block = 512) : Object(first_block) {}
  Str handler;
  bool has_overhead = false;
  ResourceList overhead;  // overhead.podFixed
  bool has_scheduling = false;
  Labels node_selector;
  Span<Toleration> tolerations;
};

struct LimitRangeItem {
  Str type;  // Container, Pod or PersistentVolumeClaim
  ResourceList max, min, defaults, default_requests, max_limit_request_ratio;
};

class LimitRange final : public Object {
 public:
  static constexpr StoredKind kStoredKind = StoredKind::kLimitRange;
  explicit LimitRange(size_t first_block = 512) : Object(first_block) {}
  Span<LimitRangeItem> limits;
};

}  // namespace libsched
