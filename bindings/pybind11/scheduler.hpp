// Shared by calls of an evaluator that judge many nodes.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "calls.hpp"
#include "plugin.hpp"

namespace libsched {

// The deadline in `timeout_ns` from now by the evaluator's deadline clock, for the C API; 0: none.
int64_t deadline_of(const Evaluator& evaluator, std::optional<int64_t> timeout_ns);
std::optional<uint32_t> row_or_none(uint32_t row);  // LIBSCHED_NO_ROW is None

// The options point to the bitmap in `accepted`.
libsched_filter_options filter_options(const Evaluator& evaluator, uint32_t limit,
                                       const std::optional<py::buffer>& accept, size_t start,
                                       std::optional<int64_t> timeout_ns,
                                       Maybe<const Cancel> cancel, std::vector<uint64_t>& accepted);

// Those of the sorted names of nodes that a decision does not list.
std::vector<std::string> missing_names(std::vector<std::string> sorted,
                                       const libsched_decision* decision);
// Whether the pod was not gated and no plugin failed.
bool is_plain(const libsched_decision* decision);

// The evaluators of a call over several profiles. Holds their locks, each once, views before
// services: the order that all calls follow.
class Profiles {
 public:
  explicit Profiles(const std::vector<Evaluator*>& evaluators);

  libsched_evaluator* const* data() const { return handles_.data(); }
  size_t size() const { return handles_.size(); }

  // Sets what the options of all such calls have.
  template <typename Options>
  void limit(Options& options, std::string_view other_profile, std::optional<int64_t> timeout_ns,
             Maybe<const Cancel> cancel) const {
    options.other_profile = to_str(other_profile);
    options.cancel = raw(cancel);
    if (first_ != nullptr) options.deadline_ns = deadline_of(*first_, timeout_ns);
  }

 private:
  const Evaluator* first_;
  std::deque<Holding> held_;
  std::vector<libsched_evaluator*> handles_;
};

// (all nodes, names of nodes, plugins that narrowed them)
inline auto narrowed_by(const libsched_prefilter_result* result) {
  return tuple_of(libsched_prefilter_result_all_nodes(result),
                  collect(libsched_prefilter_result_node_count(result),
                          [&](size_t i) { return libsched_prefilter_result_node(result, i); }),
                  collect(libsched_prefilter_result_plugin_count(result),
                          [&](size_t i) { return libsched_prefilter_result_plugin(result, i); }));
}

// (pod, outcome, node, score or None, feasible, text, plugin, profile, count)
inline auto placement_tuple(const libsched_placement& p) {
  return tuple_of(p.pod, p.outcome, p.node_name, p.scored ? std::optional(p.score) : std::nullopt,
                  p.feasible, p.text, p.plugin, p.profile, p.count);
}

}  // namespace libsched
