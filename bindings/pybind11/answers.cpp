// _core.count_capacity(): how many more pods fit; _core.drain_nodes(): where the pods of nodes go.
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduler.hpp"

namespace libsched {
namespace {

using CapacityHandle =
    std::unique_ptr<libsched_capacity, UnrefWithoutGil<libsched_capacity, libsched_capacity_unref>>;

// The verdicts about the pod after the last, or None.
py::object decision_of(const libsched_capacity* capacity) {
  const libsched_decision* made = libsched_capacity_decision(capacity);
  if (made == nullptr) return py::none();
  std::vector<std::string> names(libsched_capacity_node_count(capacity));
  for (size_t i = 0; i < names.size(); ++i)
    names[i] = to_view(libsched_capacity_node(capacity, i, nullptr));
  Decision decision;
  decision.handle.reset(libsched_decision_ref(made));
  decision.plain = is_plain(made);
  decision.total = names.size();
  decision.absent = missing_names(std::move(names), made);
  return py::cast(std::move(decision));
}

// (end, number of pods, [pods of each template], {node: pods}, placement or None, decision or None)
py::tuple count_capacity(const std::vector<Evaluator*>& evaluators,
                         const std::vector<const Pod*>& pods, size_t most, uint32_t ties,
                         uint64_t seed, Flag claims, std::string_view other_profile,
                         std::optional<int64_t> timeout_ns, const Cancel* cancel) {
  const std::deque<Holding> held = hold_all(evaluators);
  std::vector<libsched_evaluator*> profiles;
  for (const Evaluator* evaluator : evaluators) profiles.push_back(evaluator->handle.get());
  std::vector<const libsched_pod*> list;
  for (const Pod* pod : pods) list.push_back(pod->handle.get());
  libsched_capacity_options options = LIBSCHED_CAPACITY_OPTIONS_INIT;
  options.max = most;
  options.no_claims_from_templates = !claims;
  options.ties = ties;
  options.seed = seed;
  options.other_profile = to_str(other_profile);
  options.cancel = cancel_of(cancel);
  if (!evaluators.empty()) options.deadline_ns = deadline_of(*evaluators.front(), timeout_ns);
  CapacityHandle handle;
  unlocked([&](libsched_error** error) {
    return libsched_count_capacity(profiles.data(), profiles.size(), list.data(), list.size(),
                                   &options, into(handle), error);
  });
  const libsched_capacity* capacity = handle.get();
  py::list counts;
  for (size_t i = 0; i < list.size(); ++i) counts.append(libsched_capacity_count_of(capacity, i));
  py::dict nodes;
  for (size_t i = 0; i < libsched_capacity_node_count(capacity); ++i) {
    size_t on_node = 0;
    const py::str name = from_str(libsched_capacity_node(capacity, i, &on_node));
    nodes[name] = on_node;
  }
  libsched_placement next{};
  next.struct_size = sizeof next;
  const bool stopped = libsched_capacity_next(capacity, &next);
  return py::make_tuple(libsched_capacity_end(capacity), libsched_capacity_count(capacity), counts,
                        nodes, stopped ? py::object(placement_tuple(next)) : py::none(),
                        decision_of(capacity));
}

using DrainHandle =
    std::unique_ptr<libsched_drain, UnrefWithoutGil<libsched_drain, libsched_drain_unref>>;

// (complete, names of nodes, [(pod, outcome, from, to, text, plugin, budget, profile)])
py::tuple drain_nodes(const std::vector<Evaluator*>& evaluators,
                      const std::vector<std::string>& nodes, Flag force, Flag delete_emptydir_data,
                      uint32_t ties, uint64_t seed, std::string_view other_profile,
                      std::optional<int64_t> timeout_ns, const Cancel* cancel) {
  const std::deque<Holding> held = hold_all(evaluators);
  std::vector<libsched_evaluator*> profiles;
  for (const Evaluator* evaluator : evaluators) profiles.push_back(evaluator->handle.get());
  std::vector<libsched_str> names;
  for (const std::string& node : nodes) names.push_back(to_str(std::string_view(node)));
  libsched_drain_options options = LIBSCHED_DRAIN_OPTIONS_INIT;
  options.ties = ties;
  options.seed = seed;
  options.force = force;
  options.delete_emptydir_data = delete_emptydir_data;
  options.other_profile = to_str(other_profile);
  options.cancel = cancel_of(cancel);
  if (!evaluators.empty()) options.deadline_ns = deadline_of(*evaluators.front(), timeout_ns);
  DrainHandle handle;
  unlocked([&](libsched_error** error) {
    return libsched_drain_nodes(profiles.data(), profiles.size(), names.data(), names.size(),
                                &options, into(handle), error);
  });
  py::list pods;
  for (size_t i = 0; i < libsched_drain_pod_count(handle.get()); ++i) {
    libsched_drained_pod p = LIBSCHED_DRAINED_POD_INIT;
    libsched_drain_pod(handle.get(), i, &p);
    pods.append(py::make_tuple(own_pod(p.pod), p.outcome, from_str(p.from_node),
                               from_str(p.to_node), from_str(p.text), from_str(p.plugin),
                               from_str(p.budget), from_str(p.profile)));
  }
  py::list drained;
  for (size_t i = 0; i < libsched_drain_node_count(handle.get()); ++i)
    drained.append(from_str(libsched_drain_node(handle.get(), i)));
  return py::make_tuple(libsched_drain_complete(handle.get()), drained, pods);
}

py::str why_json(const std::vector<Evaluator*>& evaluators, const Pod& pod, size_t max_nodes,
                 size_t nearest, Flag claims, std::string_view other_profile,
                 std::optional<int64_t> timeout_ns, const Cancel* cancel) {
  const std::deque<Holding> held = hold_all(evaluators);
  std::vector<libsched_evaluator*> profiles;
  for (const Evaluator* evaluator : evaluators) profiles.push_back(evaluator->handle.get());
  libsched_why_options options = LIBSCHED_WHY_OPTIONS_INIT;
  options.keep_nodes = max_nodes == 0;
  options.max_nodes = max_nodes;
  options.nearest = nearest;
  options.no_claims_from_templates = !claims;
  options.other_profile = to_str(other_profile);
  options.cancel = cancel_of(cancel);
  if (!evaluators.empty()) options.deadline_ns = deadline_of(*evaluators.front(), timeout_ns);
  TextHandle out;
  unlocked([&](libsched_error** error) {
    return libsched_why_json(profiles.data(), profiles.size(), pod.handle.get(), &options,
                             into(out), error);
  });
  return from_text(out);
}

using ComparisonHandle =
    std::unique_ptr<libsched_comparison,
                    UnrefWithoutGil<libsched_comparison, libsched_comparison_unref>>;
struct PyComparison {
  ComparisonHandle handle;
};

void place_side(PyComparison& comparison, bool after, const std::vector<Evaluator*>& evaluators,
                const std::vector<const Pod*>& pods, Flag all, uint32_t ties, uint64_t seed,
                Flag claims, std::string_view other_profile, std::optional<int64_t> timeout_ns,
                const Cancel* cancel) {
  const std::deque<Holding> held = hold_all(evaluators);
  std::vector<libsched_evaluator*> profiles;
  for (const Evaluator* evaluator : evaluators) profiles.push_back(evaluator->handle.get());
  std::vector<const libsched_pod*> list;
  for (const Pod* pod : pods) list.push_back(pod->handle.get());
  libsched_compare_options options = LIBSCHED_COMPARE_OPTIONS_INIT;
  options.all = all;
  options.no_claims_from_templates = !claims;
  options.ties = ties;
  options.seed = seed;
  options.other_profile = to_str(other_profile);
  options.cancel = cancel_of(cancel);
  if (!evaluators.empty()) options.deadline_ns = deadline_of(*evaluators.front(), timeout_ns);
  unlocked([&](libsched_error** error) {
    return libsched_comparison_place(comparison.handle.get(), after, profiles.data(),
                                     profiles.size(), list.data(), list.size(), &options, error);
  });
}

// (outcome, node, text, plugin, profile), or None if the side does not have the pod
py::object outcome_tuple(const libsched_compared_outcome& o) {
  if (!o.present) return py::none();
  return py::make_tuple(o.outcome, from_str(o.node), from_str(o.text), from_str(o.plugin),
                        from_str(o.profile));
}

// [(pod, changed, before, after)]
py::list compared_pods(const PyComparison& comparison) {
  py::list out;
  for (size_t i = 0; i < libsched_comparison_pod_count(comparison.handle.get()); ++i) {
    libsched_compared_pod p = LIBSCHED_COMPARED_POD_INIT;
    libsched_comparison_pod(comparison.handle.get(), i, &p);
    out.append(
        py::make_tuple(own_pod(p.pod), p.changed, outcome_tuple(p.before), outcome_tuple(p.after)));
  }
  return out;
}

py::str use_of_side(const PyComparison& comparison, bool after) {
  TextHandle out;
  quick([&](libsched_error** error) {
    return libsched_comparison_use_json(comparison.handle.get(), after, into(out), error);
  });
  return from_text(out);
}

}  // namespace

void bind_answers(py::module_& module) {
  module.def("why_json", why_json, py::arg("evaluators"), py::arg("pod"), py::arg("max_nodes"),
             py::arg("nearest"), py::arg("claims"), py::arg("other_profile"), py::arg("timeout_ns"),
             py::arg("cancel"));
  module.def("drain_nodes", drain_nodes, py::arg("evaluators"), py::arg("nodes"), py::arg("force"),
             py::arg("delete_emptydir_data"), py::arg("ties"), py::arg("seed"),
             py::arg("other_profile"), py::arg("timeout_ns"), py::arg("cancel"));
  Class<PyComparison>(module, "Comparison")
      .def(py::init([] {
        auto made = std::make_unique<PyComparison>();
        quick([&](libsched_error** error) {
          return libsched_comparison_create(into(made->handle), error);
        });
        return made;
      }))
      .def("place", place_side, py::arg("after"), py::arg("evaluators"), py::arg("pods"),
           py::arg("all"), py::arg("ties"), py::arg("seed"), py::arg("claims"),
           py::arg("other_profile"), py::arg("timeout_ns"), py::arg("cancel"))
      .def("pods", compared_pods)
      .def("use_json", use_of_side, py::arg("after"));
  module.def("count_capacity", count_capacity, py::arg("evaluators"), py::arg("pods"),
             py::arg("most"), py::arg("ties"), py::arg("seed"), py::arg("claims"),
             py::arg("other_profile"), py::arg("timeout_ns"), py::arg("cancel"));
}

}  // namespace libsched
