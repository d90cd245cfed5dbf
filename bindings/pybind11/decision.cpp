// _core.Decision: the nodes that a pod fits, and the reasons of the others. Immutable.
#include <variant>

#include "calls.hpp"

namespace libsched {
namespace {

using FactValue = std::variant<bool, int64_t, py::str, List<py::str>>;

FactValue fact_value(const libsched_decision* d, size_t node, size_t fact, size_t field) {
  const auto text = [&](size_t i) { return libsched_decision_fact_text(d, node, fact, field, i); };
  switch (libsched_decision_fact_type(d, node, fact, field)) {
    case LIBSCHED_FACT_FLAG: return libsched_decision_fact_number(d, node, fact, field) != 0;
    case LIBSCHED_FACT_TEXT: return from_str(text(0));
    case LIBSCHED_FACT_TEXTS:
      return collect(libsched_decision_fact_text_count(d, node, fact, field), text);
    default: return libsched_decision_fact_number(d, node, fact, field);
  }
}

// The facts of a node, or with the number of nodes those of the pod: a dict for each.
auto facts(const Decision& decision, size_t node) {
  const libsched_decision* d = raw(decision);
  return collect<Items>(libsched_decision_fact_count(d, node), [&](size_t i) {
    Dict<py::str, FactValue> fact;
    fact["reason"] = from_str(libsched_decision_fact_reason(d, node, i));
    const size_t fields = libsched_decision_fact_field_count(d, node, i);
    for (size_t f = 0; f < fields; ++f)
      fact[from_str(libsched_decision_fact_field_name(d, node, i, f))] = fact_value(d, node, i, f);
    return fact;
  });
}

// [(node, code, plugin, (reason, ...), facts)], by name.
auto verdicts(const Decision& decision) {
  const libsched_decision* d = raw(decision);
  return collect(libsched_decision_node_count(d), [&](size_t i) {
    return tuple_of(libsched_decision_node(d, i), libsched_decision_code(d, i),
                    libsched_decision_plugin(d, i),
                    collect<Items>(libsched_decision_reason_count(d, i),
                                   [&](size_t r) { return libsched_decision_reason(d, i, r); }),
                    facts(decision, i));
  });
}

py::memoryview lend(Array array) { return py::memoryview(py::cast(std::move(array))); }

py::memoryview numbers(py::object owner, const int64_t* data, size_t count) {
  return lend({std::move(owner), data, count, sizeof(int64_t), "q"});
}

// The memory belongs to `owner` and never changes, so the buffer is read-only.
py::buffer_info buffer(Array& array) {
  static const int64_t nothing = 0;  // an empty vector's pointer may be NULL
  const auto size = static_cast<py::ssize_t>(array.item_size);
  return {const_cast<void*>(array.count == 0 ? &nothing : array.data),
          size,
          array.format,
          1,
          {static_cast<py::ssize_t>(array.count)},
          {size},
          true};
}

py::memoryview codes(const py::object& self) {
  const libsched_decision* d = self.cast<const Decision&>().handle.get();
  return lend({self, libsched_decision_codes(d), libsched_decision_node_count(d), 1, "b"});
}

std::optional<ScoreTable> scores(const py::object& self) {
  const libsched_decision* d = self.cast<const Decision&>().handle.get();
  const libsched_score_table* table = libsched_decision_scores(d);
  if (table == nullptr) return std::nullopt;
  return ScoreTable{{}, self, table};
}

auto best(const Decision& decision) {
  size_t count = 0;
  const uint32_t* indexes = libsched_decision_best(raw(decision), &count);
  return collect(count,
                 [&](size_t i) { return libsched_decision_node(raw(decision), indexes[i]); });
}

// [(plugin, weight)]
auto columns(const ScoreTable& scores) {
  return collect(libsched_score_table_column_count(scores.table), [&](size_t i) {
    return tuple_of(libsched_score_table_plugin(scores.table, i),
                    libsched_score_table_weight(scores.table, i));
  });
}

template <const int64_t* (*get)(const libsched_score_table*, size_t)>
py::memoryview column(const py::object& self, size_t index) {
  const libsched_score_table* table = self.cast<const ScoreTable&>().table;
  if (index >= libsched_score_table_column_count(table)) throw py::index_error("no such column");
  return numbers(self, get(table, index), libsched_score_table_row_count(table));
}

}  // namespace

void bind_decision(py::module_& module) {
  Class<Array>(module, "Array", py::buffer_protocol()).def_buffer(buffer);
  Class<ScoreTable>(module, "ScoreTable")
      .def("columns", columns)
      .def("totals",
           [](const py::object& self) {
             const libsched_score_table* table = self.cast<const ScoreTable&>().table;
             return numbers(self, libsched_score_table_totals(table),
                            libsched_score_table_row_count(table));
           })
      .def("raw", column<libsched_score_table_raw>)
      .def("normalized", column<libsched_score_table_normalized>)
      .def("weighted", column<libsched_score_table_weighted>);
  Class<Decision>(module, "Decision")
      .def_property_readonly("feasible_count", quick_call<libsched_decision_feasible_count>)
      .def_property_readonly("node_count", quick_call<libsched_decision_node_count>)
      .def_readonly("total", &Decision::total)
      .def_readonly("absent", &Decision::absent)
      .def_readonly("plain", &Decision::plain)
      .def("feasible", listing<libsched_decision_feasible_count, libsched_decision_feasible>)
      .def("verdicts", verdicts)
      .def("facts", facts, py::arg("node"))
      .def_property_readonly("fit_error", quick_call<libsched_decision_fit_error>)
      .def("explain", unlocked_call<libsched_decision_explain_json>)
      .def("codes", codes)
      .def("scores", scores)
      .def("best", best)
      .def("skip_score", listing<libsched_decision_skip_score_count, libsched_decision_skip_score>)
      .def_property_readonly("score_error", quick_call<libsched_decision_score_error>);
}

}  // namespace libsched
