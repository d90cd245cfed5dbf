// _core.count_capacity(): how many more pods fit; _core.drain_nodes(): where the pods of nodes go.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduler.hpp"

namespace libsched {

struct Comparison : Holder<SlowlyOwned<libsched_comparison_unref>> {};
Comparison wrapper_of(Of<libsched_comparison>);

namespace {

// The verdicts about the pod after the last, or None.
std::optional<Decision> decision_of(const libsched_capacity* capacity) {
  const libsched_decision* made = libsched_capacity_decision(capacity);
  if (made == nullptr) return std::nullopt;
  std::vector<std::string> names(libsched_capacity_node_count(capacity));
  for (size_t i = 0; i < names.size(); ++i)
    names[i] = to_view(libsched_capacity_node(capacity, i, nullptr));
  Decision decision;
  decision.handle.reset(libsched_decision_ref(made));
  decision.plain = is_plain(made);
  decision.total = names.size();
  decision.absent = missing_names(std::move(names), made);
  return decision;
}

// (end, number of pods, [pods of each template], {node: pods}, placement or None, decision or None)
auto count_capacity(const std::vector<Evaluator*>& evaluators, const std::vector<const Pod*>& pods,
                    size_t most, uint32_t ties, uint64_t seed, Flag claims,
                    std::string_view other_profile, std::optional<int64_t> timeout_ns,
                    Maybe<const Cancel> cancel) {
  const Profiles profiles(evaluators);
  const auto list = raw(pods);
  libsched_capacity_options options = LIBSCHED_CAPACITY_OPTIONS_INIT;
  options.max = most;
  options.no_claims_from_templates = !claims;
  options.ties = ties;
  options.seed = seed;
  profiles.limit(options, other_profile, timeout_ns, cancel);
  SlowlyOwned<libsched_capacity_unref> handle;
  unlocked(libsched_count_capacity, profiles.data(), profiles.size(), list.data(), list.size(),
           &options, into(handle));
  const libsched_capacity* capacity = handle.get();
  Dict<py::str, size_t> nodes;
  for (size_t i = 0; i < libsched_capacity_node_count(capacity); ++i) {
    size_t on_node = 0;
    const py::str name = from_str(libsched_capacity_node(capacity, i, &on_node));
    nodes[name] = on_node;
  }
  libsched_placement next{};
  next.struct_size = sizeof next;
  const bool stopped = libsched_capacity_next(capacity, &next);
  return tuple_of(
      libsched_capacity_end(capacity), libsched_capacity_count(capacity),
      collect(list.size(), [&](size_t i) { return libsched_capacity_count_of(capacity, i); }),
      nodes, stopped ? std::optional(placement_tuple(next)) : std::nullopt, decision_of(capacity));
}

// (complete, names of nodes, [(pod, outcome, from, to, text, plugin, budget, profile)])
auto drain_nodes(const std::vector<Evaluator*>& evaluators,
                 const std::vector<std::string_view>& nodes, Flag force, Flag delete_emptydir_data,
                 uint32_t ties, uint64_t seed, std::string_view other_profile,
                 std::optional<int64_t> timeout_ns, Maybe<const Cancel> cancel) {
  const Profiles profiles(evaluators);
  const auto names = raw(nodes);
  libsched_drain_options options = LIBSCHED_DRAIN_OPTIONS_INIT;
  options.ties = ties;
  options.seed = seed;
  options.force = force;
  options.delete_emptydir_data = delete_emptydir_data;
  profiles.limit(options, other_profile, timeout_ns, cancel);
  SlowlyOwned<libsched_drain_unref> handle;
  unlocked(libsched_drain_nodes, profiles.data(), profiles.size(), names.data(), names.size(),
           &options, into(handle));
  const libsched_drain* const drain = handle.get();
  return tuple_of(libsched_drain_complete(drain),
                  collect(libsched_drain_node_count(drain),
                          [&](size_t i) { return libsched_drain_node(drain, i); }),
                  collect(libsched_drain_pod_count(drain), [&](size_t i) {
                    libsched_drained_pod p = LIBSCHED_DRAINED_POD_INIT;
                    libsched_drain_pod(drain, i, &p);
                    return tuple_of(p.pod, p.outcome, p.from_node, p.to_node, p.text, p.plugin,
                                    p.budget, p.profile);
                  }));
}

py::str why_json(const std::vector<Evaluator*>& evaluators, const Pod& pod, size_t max_nodes,
                 size_t nearest, Flag claims, std::string_view other_profile,
                 std::optional<int64_t> timeout_ns, Maybe<const Cancel> cancel) {
  const Profiles profiles(evaluators);
  libsched_why_options options = LIBSCHED_WHY_OPTIONS_INIT;
  options.keep_nodes = max_nodes == 0;
  options.max_nodes = max_nodes;
  options.nearest = nearest;
  options.no_claims_from_templates = !claims;
  profiles.limit(options, other_profile, timeout_ns, cancel);
  TextHandle out;
  unlocked(libsched_why_json, profiles.data(), profiles.size(), pod.handle.get(), &options,
           into(out));
  return from_text(out);
}

void place_side(Comparison& comparison, bool after, const std::vector<Evaluator*>& evaluators,
                const std::vector<const Pod*>& pods, Flag all, uint32_t ties, uint64_t seed,
                Flag claims, std::string_view other_profile, std::optional<int64_t> timeout_ns,
                Maybe<const Cancel> cancel) {
  const Profiles profiles(evaluators);
  const auto list = raw(pods);
  libsched_compare_options options = LIBSCHED_COMPARE_OPTIONS_INIT;
  options.all = all;
  options.no_claims_from_templates = !claims;
  options.ties = ties;
  options.seed = seed;
  profiles.limit(options, other_profile, timeout_ns, cancel);
  unlocked(libsched_comparison_place, comparison.handle.get(), after, profiles.data(),
           profiles.size(), list.data(), list.size(), &options);
}

// (outcome, node, text, plugin, profile), or None if the side does not have the pod
auto outcome_tuple(const libsched_compared_outcome& o) {
  const auto all = [&] { return tuple_of(o.outcome, o.node, o.text, o.plugin, o.profile); };
  return o.present ? std::optional(all()) : std::nullopt;
}

// [(pod, changed, before, after)]
auto compared_pods(const Comparison& comparison) {
  return collect(libsched_comparison_pod_count(raw(comparison)), [&](size_t i) {
    libsched_compared_pod p = LIBSCHED_COMPARED_POD_INIT;
    libsched_comparison_pod(raw(comparison), i, &p);
    return tuple_of(p.pod, p.changed, outcome_tuple(p.before), outcome_tuple(p.after));
  });
}

}  // namespace

void bind_answers(py::module_& module) {
  module.def("why_json", why_json, py::arg("evaluators"), py::arg("pod"), py::arg("max_nodes"),
             py::arg("nearest"), py::arg("claims"), py::arg("other_profile"), py::arg("timeout_ns"),
             py::arg("cancel"));
  module.def("drain_nodes", drain_nodes, py::arg("evaluators"), py::arg("nodes"), py::arg("force"),
             py::arg("delete_emptydir_data"), py::arg("ties"), py::arg("seed"),
             py::arg("other_profile"), py::arg("timeout_ns"), py::arg("cancel"));
  Class<Comparison>(module, "Comparison")
      .def(py::init(&created<Comparison, libsched_comparison_create>))
      .def("place", place_side, py::arg("after"), py::arg("evaluators"), py::arg("pods"),
           py::arg("all"), py::arg("ties"), py::arg("seed"), py::arg("claims"),
           py::arg("other_profile"), py::arg("timeout_ns"), py::arg("cancel"))
      .def("pods", compared_pods)
      .def("use_json", quick_call<libsched_comparison_use_json>, py::arg("after"));
  module.def("count_capacity", count_capacity, py::arg("evaluators"), py::arg("pods"),
             py::arg("most"), py::arg("ties"), py::arg("seed"), py::arg("claims"),
             py::arg("other_profile"), py::arg("timeout_ns"), py::arg("cancel"));
}

}  // namespace libsched
