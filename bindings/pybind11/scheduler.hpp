// Shared by calls of an evaluator that judge many nodes.
#pragma once

#include <deque>
#include <optional>
#include <string>
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

// Those of the sorted names of nodes that a decision does not list.
std::vector<std::string> missing_names(std::vector<std::string> sorted,
                                       const libsched_decision* decision);
// Whether the pod was not gated and no plugin failed.
bool is_plain(const libsched_decision* decision);

// Holds the locks of several evaluators, each once, views before services: the order that all
// calls follow.
std::deque<Holding> hold_all(const std::vector<Evaluator*>& evaluators);

// (pod, outcome, node, score or None, feasible, text, plugin, profile, count)
py::tuple placement_tuple(const libsched_placement& placement);

}  // namespace libsched
