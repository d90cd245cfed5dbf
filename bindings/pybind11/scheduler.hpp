// Shared by calls of an evaluator that judge many nodes.
#pragma once

#include <optional>
#include <vector>

#include "plugin.hpp"

namespace libsched {

// The deadline in `timeout_ns` from now by the evaluator's deadline clock, for the C API; 0: none.
int64_t deadline_of(const Evaluator& evaluator, std::optional<int64_t> timeout_ns);
const libsched_cancel* cancel_of(const Cancel* cancel);

// The options point to the bitmap in `accepted`.
libsched_filter_options filter_options(const Evaluator& evaluator, uint32_t limit,
                                       const std::optional<py::buffer>& accept, size_t start,
                                       std::optional<int64_t> timeout_ns, const Cancel* cancel,
                                       std::vector<uint64_t>& accepted);

}  // namespace libsched
