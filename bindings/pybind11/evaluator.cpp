// _core.Evaluator: a framework on a view. Calls hold the evaluator's lock (the cluster's lock if it
// is on a cluster) and then the CycleState's, in this order everywhere.
#include "calls.hpp"
#include "scheduler.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace libsched {
namespace {

void complete(Evaluator& evaluator) {
  evaluator.status = create_status();
  quick(libsched_prefilter_result_create, into(evaluator.pre_filter));
}

std::unique_ptr<Evaluator> on_cluster(const Framework& framework, Cluster& cluster) {
  auto made = std::make_unique<Evaluator>();
  made->lock = cluster.lock;
  made->view = cluster.view;
  const Holding holding(cluster.lock.get());
  EvaluatorHandle out;
  quick(libsched_evaluator_create, framework.handle.get(), cluster.handle.get(), nullptr,
        into(out));
  made->handle = std::move(out);
  complete(*made);
  return made;
}

std::unique_ptr<Evaluator> on_snapshot(const Framework& framework, const Snapshot& snapshot) {
  auto made = std::make_unique<Evaluator>();
  made->lock = std::make_shared<Lock>();
  made->view = snapshot.view;
  EvaluatorHandle out;
  libsched_evaluator_options options = LIBSCHED_EVALUATOR_OPTIONS_INIT;
  options.snapshot = snapshot.handle.get();
  quick(libsched_evaluator_create, framework.handle.get(), nullptr, &options, into(out));
  made->handle = std::move(out);
  complete(*made);
  return made;
}

// (status, all_nodes, node names, plugins that narrowed them)
auto run_pre_filter(Evaluator& evaluator, CycleState& state, const Pod& pod) {
  const Asking asking(evaluator);
  const Holding holding_state(state.lock.get());
  const libsched_prefilter_result* result = evaluator.pre_filter.get();
  unlocked(libsched_run_pre_filter_plugins, raw(evaluator), raw(state), raw(pod),
           evaluator.pre_filter.get(), evaluator.status.get());
  return std::tuple_cat(tuple_of(status_tuple(evaluator.status.get())), narrowed_by(result));
}

// RunFilterPlugins, or RunFilterPluginsWithNominatedPods.
template <bool nominated>
py::tuple run_filter(Evaluator& evaluator, CycleState& state, const Pod& pod,
                     std::string_view node) {
  const Asking asking(evaluator);
  const Holding holding_state(state.lock.get());
  libsched_run_filter_options options = LIBSCHED_RUN_FILTER_OPTIONS_INIT;
  options.nominated = nominated;
  quick(libsched_run_filter_plugins, raw(evaluator), raw(state), raw(pod), to_str(node), &options,
        evaluator.status.get());
  return status_tuple(evaluator.status.get());
}

struct Feasible {
  std::vector<uint64_t> words;
  size_t count = 0;
  uint32_t first = LIBSCHED_NO_ROW;

  bool has(uint32_t row) const { return (words[row / 64] >> (row % 64) & 1) != 0; }
};

// Locks must be held.
Feasible filter(Evaluator& evaluator, CycleState& state, const Pod& pod, uint32_t limit,
                const std::optional<py::buffer>& accept, size_t start,
                std::optional<int64_t> timeout_ns, Maybe<const Cancel> cancel) {
  std::vector<uint64_t> accepted;
  const libsched_filter_options options =
      filter_options(evaluator, limit, accept, start, timeout_ns, cancel, accepted);
  Feasible found;
  found.words.resize((libsched_view_row_count(evaluator.view) + 63) / 64);
  unlocked(libsched_filter_nodes, evaluator.handle.get(), state.get(), pod.handle.get(), &options,
           found.words.data(), found.words.size(), &found.count, &found.first);
  return found;
}

// (bitmap as bytes, count, first row or None)
auto filter_bitmap(Evaluator& evaluator, CycleState& state, const Pod& pod, uint32_t limit,
                   const std::optional<py::buffer>& accept, size_t start,
                   std::optional<int64_t> timeout_ns, Maybe<const Cancel> cancel) {
  const Asking asking(evaluator);
  const Holding holding_state(state.lock.get());
  const Feasible found = filter(evaluator, state, pod, limit, accept, start, timeout_ns, cancel);
  return tuple_of(py::bytes(reinterpret_cast<const char*>(found.words.data()),
                            found.words.size() * sizeof(uint64_t)),
                  found.count, row_or_none(found.first));
}

// The names of the feasible nodes, in node order from `start` on.
auto filter_names(Evaluator& evaluator, CycleState& state, const Pod& pod, uint32_t limit,
                  const std::optional<py::buffer>& accept, size_t start,
                  std::optional<int64_t> timeout_ns, Maybe<const Cancel> cancel) {
  const Asking asking(evaluator);
  const Holding holding_state(state.lock.get());
  const Feasible found = filter(evaluator, state, pod, limit, accept, start, timeout_ns, cancel);
  size_t count = 0;
  const uint32_t* order = libsched_view_order(evaluator.view, &count);
  std::vector<py::str> names;
  for (size_t i = 0; i < count && names.size() < found.count; ++i) {
    const uint32_t row = order[(i + start) % count];
    if (found.has(row))
      names.push_back(from_str(libsched_node_name(libsched_view_node(evaluator.view, row))));
  }
  return names;
}

std::vector<std::string> node_names(const libsched_view* view) {
  std::vector<std::string> names;
  const auto rows = static_cast<uint32_t>(libsched_view_row_count(view));
  for (uint32_t row = 0; row < rows; ++row) {  // by row, because the node order may be outdated
    if (const libsched_node* node = libsched_view_node(view, row); node != nullptr) {
      const libsched_str name = libsched_node_name(node);
      names.emplace_back(name.ptr, name.len);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

// A decision with what Python shows of it at once. `node` empty: it is about all nodes.
Decision described(const Evaluator& evaluator, DecisionHandle handle, std::string_view node) {
  Decision decision;
  decision.handle = std::move(handle);
  const libsched_decision* out = decision.handle.get();
  decision.plain = is_plain(out);
  decision.total = node.empty() ? libsched_view_node_count(evaluator.view) : 1;
  if (libsched_decision_node_count(out) == decision.total) return decision;
  if (node.empty()) {
    decision.absent = missing_names(node_names(evaluator.view), out);
  } else {
    decision.absent.emplace_back(node);
  }
  return decision;
}

Decision check_pod(Evaluator& evaluator, const Pod& pod, std::string_view node, bool judge_excluded,
                   Flag score, Maybe<CycleState> state, Flag post_filter,
                   std::optional<int64_t> timeout_ns, Maybe<const Cancel> cancel, Flag facts) {
  libsched_check_options options = LIBSCHED_CHECK_OPTIONS_INIT;
  options.judge_excluded = judge_excluded;
  options.score = score;
  options.post_filter = post_filter;
  options.facts = facts;
  DecisionHandle made;
  Decision decision;
  const Asking asking(evaluator);
  options.deadline_ns = deadline_of(evaluator, timeout_ns);
  options.cancel = raw(cancel);
  std::optional<Holding> holding_state;
  if (state) {
    holding_state.emplace((*state)->lock.get());
    options.state = (*state)->get();
  }
  unlocked([&](libsched_error** error) {
    const libsched_rc code = libsched_check_pod_fits(evaluator.handle.get(), pod.handle.get(),
                                                     to_str(node), &options, into(made), error);
    if (code == LIBSCHED_OK) decision = described(evaluator, std::move(made), node);
    return code;
  });
  return decision;
}

std::vector<Decision> check_pods(Evaluator& evaluator, const std::vector<const Pod*>& pods,
                                 Flag score, Flag post_filter, Flag facts, uint32_t extender_calls,
                                 std::optional<int64_t> timeout_ns, Maybe<const Cancel> cancel) {
  libsched_check_options options = LIBSCHED_CHECK_OPTIONS_INIT;
  options.score = score;
  options.post_filter = post_filter;
  options.facts = facts;
  options.extender_calls = extender_calls;
  const auto asked = raw(pods);
  std::vector<libsched_decision*> made(asked.size());
  std::vector<Decision> decisions(asked.size());
  const Asking asking(evaluator);
  options.deadline_ns = deadline_of(evaluator, timeout_ns);
  options.cancel = raw(cancel);
  unlocked([&](libsched_error** error) {
    const libsched_rc code = libsched_check_pods_fit(evaluator.handle.get(), asked.data(),
                                                     asked.size(), &options, made.data(), error);
    for (size_t i = 0; code == LIBSCHED_OK && i < made.size(); ++i)
      decisions[i].handle.reset(made[i]);
    for (Decision& decision : decisions)
      if (decision.handle) decision = described(evaluator, std::move(decision.handle), {});
    return code;
  });
  return decisions;
}

// (node, total, feasible nodes, evaluated nodes, status); the node is None if none was chosen.
auto run_cycle(Evaluator& evaluator, CycleState& state, const Pod& pod, uint32_t ties,
               Flag sampling, uint64_t seed, std::optional<int64_t> timeout_ns,
               Maybe<const Cancel> cancel) {
  libsched_cycle_options options = LIBSCHED_CYCLE_OPTIONS_INIT;
  options.ties = ties;
  options.sampling = sampling;
  options.seed = seed;
  options.fit_error = true;
  libsched_cycle_outcome outcome = LIBSCHED_CYCLE_OUTCOME_INIT;
  const Asking asking(evaluator);
  options.deadline_ns = deadline_of(evaluator, timeout_ns);
  options.cancel = raw(cancel);
  const Holding holding_state(state.lock.get());
  unlocked(libsched_run_cycle, evaluator.handle.get(), state.get(), pod.handle.get(), &options,
           &outcome, evaluator.status.get());
  std::optional<py::str> node;
  if (outcome.node != nullptr) node = from_str(outcome.node_name);
  return tuple_of(node, outcome.total, outcome.feasible, outcome.evaluated,
                  status_tuple(evaluator.status.get()));
}

// A bitmap over rows as the C API wants it: whole words, at least as many as the view has.
std::vector<uint64_t> words_of(const Evaluator& evaluator, const py::buffer& bitmap) {
  const Document bytes(bitmap);
  const size_t needed = (libsched_view_row_count(evaluator.view) + 63) / 64;
  std::vector<uint64_t> words(
      std::max(needed, (bytes.str().len + sizeof(uint64_t) - 1) / sizeof(uint64_t)));
  if (bytes.str().len != 0) std::memcpy(words.data(), bytes.str().ptr, bytes.str().len);
  return words;
}

py::tuple run_pre_score(Evaluator& evaluator, CycleState& state, const Pod& pod,
                        const py::buffer& feasible) {
  const Asking asking(evaluator);
  const Holding holding_state(state.lock.get());
  const std::vector<uint64_t> words = words_of(evaluator, feasible);
  unlocked(libsched_run_pre_score_plugins, evaluator.handle.get(), state.get(), pod.handle.get(),
           words.data(), words.size(), evaluator.status.get());
  return status_tuple(evaluator.status.get());
}

// (scores, names of their rows, status)
auto run_score(Evaluator& evaluator, CycleState& state, const Pod& pod,
               const py::buffer& feasible) {
  ScoreTable made;
  quick(libsched_score_table_create, into(made.handle));
  libsched_score_table* table = made.handle.get();
  made.table = table;
  const Asking asking(evaluator);
  const Holding holding_state(state.lock.get());
  const std::vector<uint64_t> words = words_of(evaluator, feasible);
  const ScoresAsStatus as_status;
  unlocked(libsched_run_score_plugins, raw(evaluator), raw(state), raw(pod), words.data(),
           words.size(), nullptr, 0, table, evaluator.status.get());
  auto names = collect(libsched_score_table_row_count(table), [&](size_t i) {
    const uint32_t row = libsched_score_table_rows(table)[i];
    return libsched_node_name(libsched_view_node(evaluator.view, row));
  });
  return tuple_of(std::move(made), std::move(names), status_tuple(evaluator.status.get()));
}

py::tuple assume(Evaluator& evaluator, CycleState& state, const Pod& pod, std::string_view node,
                 std::optional<int64_t> start_ns) {
  const Asking asking(evaluator);
  const Holding holding_state(state.lock.get());
  quick([&](libsched_error** error) {
    const uint32_t row = libsched_view_find_node(evaluator.view, to_str(node));
    libsched_assume_options options = LIBSCHED_ASSUME_OPTIONS_INIT;
    options.started = start_ns.has_value();
    options.start_ns = start_ns.value_or(0);
    return libsched_evaluator_assume(evaluator.handle.get(), state.get(), pod.handle.get(), row,
                                     &options, evaluator.status.get(), error);
  });
  return status_tuple(evaluator.status.get());
}

}  // namespace

std::vector<std::string> missing_names(std::vector<std::string> sorted,
                                       const libsched_decision* decision) {
  size_t next = 0;
  std::erase_if(sorted, [&](const std::string& name) {
    const bool found = to_view(libsched_decision_node(decision, next)) == name;
    next += found ? 1 : 0;
    return found;
  });
  return sorted;
}

bool is_plain(const libsched_decision* decision) {
  return !libsched_decision_gate(decision, nullptr) && libsched_decision_error(decision).len == 0;
}

int64_t deadline_of(const Evaluator& evaluator, std::optional<int64_t> timeout_ns) {
  if (!timeout_ns) return 0;
  const int64_t now = libsched_clock_now(
      libsched_services_deadline_clock(libsched_evaluator_services(evaluator.handle.get())));
  const int64_t end = std::numeric_limits<int64_t>::max();
  if (now > 0 && *timeout_ns > end - now) return end;
  return now + *timeout_ns == 0 ? -1 : now + *timeout_ns;  // 0 means no deadline
}

std::optional<uint32_t> row_or_none(uint32_t row) {
  return row == LIBSCHED_NO_ROW ? std::nullopt : std::optional(row);
}

libsched_filter_options filter_options(const Evaluator& evaluator, uint32_t limit,
                                       const std::optional<py::buffer>& accept, size_t start,
                                       std::optional<int64_t> timeout_ns,
                                       Maybe<const Cancel> cancel,
                                       std::vector<uint64_t>& accepted) {
  libsched_filter_options options = LIBSCHED_FILTER_OPTIONS_INIT;
  options.deadline_ns = deadline_of(evaluator, timeout_ns);
  options.cancel = raw(cancel);
  options.limit = limit;
  options.start = start;
  if (!accept) return options;
  const Document bytes(*accept);
  // One word more than needed, so that even an empty bitmap has a pointer: NULL accepts all.
  accepted.resize(bytes.str().len / sizeof(uint64_t) + 1);
  if (bytes.str().len != 0) std::memcpy(accepted.data(), bytes.str().ptr, bytes.str().len);
  options.accept = accepted.data();
  options.accept_words = accepted.size();
  return options;
}

void bind_evaluator(py::module_& module) {
  Class<Cancel>(module, "Cancel")
      .def(py::init(&created<Cancel, libsched_cancel_create>))
      .def("set", quick_call<libsched_cancel_set>)
      .def("reset", quick_call<libsched_cancel_reset>)
      .def("is_set", quick_call<libsched_cancel_is_set>);
  Class<Evaluator> evaluator(module, "Evaluator");
  bind_runtime(evaluator);
  bind_scheduler(evaluator);
  evaluator.def(py::init(&on_cluster))
      .def(py::init(&on_snapshot))
      .def("run_pre_enqueue", quick_call<libsched_run_pre_enqueue_plugins>)
      .def("run_pre_filter", run_pre_filter)
      .def("run_filter", run_filter<false>)
      .def("run_filter_with_nominated", run_filter<true>)
      .def("run_pre_filter_extension_add_pod",
           quick_call<libsched_run_pre_filter_extension_add_pod>)
      .def("run_pre_filter_extension_remove_pod",
           quick_call<libsched_run_pre_filter_extension_remove_pod>)
      .def("filter_bitmap", filter_bitmap, py::arg("state"), py::arg("pod"), py::arg("limit"),
           py::arg("accept"), py::arg("start"), py::arg("timeout_ns") = py::none(),
           py::arg("cancel") = py::none())
      .def("filter_names", filter_names, py::arg("state"), py::arg("pod"), py::arg("limit"),
           py::arg("accept"), py::arg("start"), py::arg("timeout_ns") = py::none(),
           py::arg("cancel") = py::none())
      .def("check", check_pod, py::arg("pod"), py::arg("node"), py::arg("judge_excluded"),
           py::arg("score") = false, py::arg("state") = py::none(), py::arg("post_filter") = false,
           py::arg("timeout_ns") = py::none(), py::arg("cancel") = py::none(),
           py::arg("facts") = false)
      .def("check_pods", check_pods)
      .def("set_parallelism", quick_call<libsched_evaluator_set_parallelism>, py::arg("threads"))
      .def("run_cycle", run_cycle, py::arg("state"), py::arg("pod"), py::arg("ties"),
           py::arg("sampling"), py::arg("seed"), py::arg("timeout_ns") = py::none(),
           py::arg("cancel") = py::none())
      .def("run_pre_score", run_pre_score)
      .def("run_score", run_score)
      .def("assume", assume, py::arg("state"), py::arg("pod"), py::arg("node"),
           py::arg("start_ns") = py::none())
      .def("forget", quick_call<libsched_evaluator_forget>)
      .def_property("next_start", quick_call<libsched_evaluator_next_start>,
                    quick_call<libsched_evaluator_set_next_start>);
}

}  // namespace libsched
