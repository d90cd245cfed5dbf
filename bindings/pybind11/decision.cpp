// _core.Decision: the nodes that a pod fits, and the reasons of the others. Immutable.
#include "binding.hpp"

namespace libsched {
namespace {

py::list feasible(const Decision& decision) {
  const size_t count = libsched_decision_feasible_count(decision.handle.get());
  py::list names(count);
  for (size_t i = 0; i < count; ++i) {
    names[i] = from_str(libsched_decision_feasible(decision.handle.get(), i));
  }
  return names;
}

py::object fact_value(const libsched_decision* d, size_t node, size_t fact, size_t field) {
  switch (libsched_decision_fact_type(d, node, fact, field)) {
    case LIBSCHED_FACT_FLAG:
      return py::bool_(libsched_decision_fact_number(d, node, fact, field) != 0);
    case LIBSCHED_FACT_TEXT: return from_str(libsched_decision_fact_text(d, node, fact, field, 0));
    case LIBSCHED_FACT_TEXTS: {
      py::list texts(libsched_decision_fact_text_count(d, node, fact, field));
      for (size_t i = 0; i < texts.size(); ++i)
        texts[i] = from_str(libsched_decision_fact_text(d, node, fact, field, i));
      return texts;
    }
    default: return py::int_(libsched_decision_fact_number(d, node, fact, field));
  }
}

// The facts of a node, or with the number of nodes those of the pod: a dict for each.
py::tuple facts(const Decision& decision, size_t node) {
  const libsched_decision* d = decision.handle.get();
  py::tuple out(libsched_decision_fact_count(d, node));
  for (size_t i = 0; i < out.size(); ++i) {
    py::dict fact;
    fact["reason"] = from_str(libsched_decision_fact_reason(d, node, i));
    const size_t fields = libsched_decision_fact_field_count(d, node, i);
    for (size_t f = 0; f < fields; ++f)
      fact[from_str(libsched_decision_fact_field_name(d, node, i, f))] = fact_value(d, node, i, f);
    out[i] = std::move(fact);
  }
  return out;
}

// [(node, code, plugin, (reason, ...), facts)], by name.
py::list verdicts(const Decision& decision) {
  const libsched_decision* d = decision.handle.get();
  const size_t count = libsched_decision_node_count(d);
  py::list out(count);
  for (size_t i = 0; i < count; ++i) {
    const size_t reason_count = libsched_decision_reason_count(d, i);
    py::tuple reasons(reason_count);
    for (size_t r = 0; r < reason_count; ++r)
      reasons[r] = from_str(libsched_decision_reason(d, i, r));
    out[i] = py::make_tuple(from_str(libsched_decision_node(d, i)), libsched_decision_code(d, i),
                            from_str(libsched_decision_plugin(d, i)), std::move(reasons),
                            facts(decision, i));
  }
  return out;
}

Array array(py::object owner, const int64_t* data, size_t count) {
  return {std::move(owner), data, count, sizeof(int64_t), "q"};
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

Array codes(const py::object& self) {
  const libsched_decision* d = self.cast<const Decision&>().handle.get();
  return {self, libsched_decision_codes(d), libsched_decision_node_count(d), 1, "b"};
}

std::unique_ptr<ScoreTable> scores(const py::object& self) {
  const libsched_decision* d = self.cast<const Decision&>().handle.get();
  const libsched_score_table* table = libsched_decision_scores(d);
  if (table == nullptr) return nullptr;
  auto made = std::make_unique<ScoreTable>();
  made->owner = self;
  made->table = table;
  return made;
}

py::list names_of(const libsched_decision* d, const uint32_t* indexes, size_t count) {
  py::list names(count);
  for (size_t i = 0; i < count; ++i) names[i] = from_str(libsched_decision_node(d, indexes[i]));
  return names;
}

py::list best(const Decision& decision) {
  size_t count = 0;
  const uint32_t* indexes = libsched_decision_best(decision.handle.get(), &count);
  return names_of(decision.handle.get(), indexes, count);
}

py::list skip_score(const Decision& decision) {
  const size_t count = libsched_decision_skip_score_count(decision.handle.get());
  py::list names(count);
  for (size_t i = 0; i < count; ++i)
    names[i] = from_str(libsched_decision_skip_score(decision.handle.get(), i));
  return names;
}

// [(plugin, weight)]
py::list columns(const ScoreTable& scores) {
  const size_t count = libsched_score_table_column_count(scores.table);
  py::list out(count);
  for (size_t i = 0; i < count; ++i)
    out[i] = py::make_tuple(from_str(libsched_score_table_plugin(scores.table, i)),
                            libsched_score_table_weight(scores.table, i));
  return out;
}

template <const int64_t* (*get)(const libsched_score_table*, size_t)>
Array column(const py::object& self, size_t index) {
  const libsched_score_table* table = self.cast<const ScoreTable&>().table;
  if (index >= libsched_score_table_column_count(table)) throw py::index_error("no such column");
  return array(self, get(table, index), libsched_score_table_row_count(table));
}

py::str explain(const Decision& decision) {
  TextHandle out;
  unlocked([&](libsched_error** error) {
    return libsched_decision_explain_json(decision.handle.get(), into(out), error);
  });
  return from_text(out);
}

}  // namespace

void bind_decision(py::module_& module) {
  Class<Decision>(module, "Decision")
      .def_property_readonly("feasible_count",
                             [](const Decision& decision) {
                               return libsched_decision_feasible_count(decision.handle.get());
                             })
      .def_property_readonly("node_count",
                             [](const Decision& decision) {
                               return libsched_decision_node_count(decision.handle.get());
                             })
      .def_readonly("total", &Decision::total)
      .def_readonly("absent", &Decision::absent)
      .def_readonly("plain", &Decision::plain)
      .def("feasible", feasible)
      .def("verdicts", verdicts)
      .def("facts", facts, py::arg("node"))
      .def_property_readonly("fit_error",
                             [](const Decision& decision) {
                               return from_str(libsched_decision_fit_error(decision.handle.get()));
                             })
      .def("explain", explain)
      .def("codes", codes)
      .def("scores", scores)
      .def("best", best)
      .def("skip_score", skip_score)
      .def_property_readonly("score_error", [](const Decision& decision) {
        return from_str(libsched_decision_score_error(decision.handle.get()));
      });
  Class<Array>(module, "Array", py::buffer_protocol()).def_buffer(buffer);
  Class<ScoreTable>(module, "ScoreTable")
      .def("columns", columns)
      .def("totals",
           [](const py::object& self) {
             const libsched_score_table* table = self.cast<const ScoreTable&>().table;
             return array(self, libsched_score_table_totals(table),
                          libsched_score_table_row_count(table));
           })
      .def("raw", column<libsched_score_table_raw>)
      .def("normalized", column<libsched_score_table_normalized>)
      .def("weighted", column<libsched_score_table_weighted>);
}

}  // namespace libsched
