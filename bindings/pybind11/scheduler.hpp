// What calls of an evaluator that look at many nodes share.
#pragma once

#include <optional>
#include <vector>

#include "plugin.hpp"

namespace libsched {

// The time in `timeout_ns` by the evaluator's deadline clock, as the C API wants it; 0: none.
int64_t deadline_of(const Evaluator& evaluator, std::optional<int64_t> timeout_ns);
const libsched_cancel* cancel_of(const Cancel* cancel);

// `accepted` is where the options find the bitmap.
libsched_filter_options filter_options(const Evaluator& evaluator, uint32_t limit,
                                       const std::optional<py::buffer>& accept, size_t start,
                                       std::optional<int64_t> timeout_ns, const Cancel* cancel,
                                       std::vector<uint64_t>& accepted);

}  // namespace libsched
