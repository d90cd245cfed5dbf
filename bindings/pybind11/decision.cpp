// _core.Decision: whether and where a pod fits, and why not elsewhere. Immutable.
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

// [(node, code, plugin, (reason, ...))], by name.
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
                            from_str(libsched_decision_plugin(d, i)), std::move(reasons));
  }
  return out;
}

py::str explain(const Decision& decision) {
  libsched_text* out = nullptr;
  unlocked([&](libsched_error** error) {
    return libsched_decision_explain_json(decision.handle.get(), &out, error);
  });
  return from_text(out);
}

}  // namespace

void bind_decision(py::module_& module) {
  py::class_<Decision>(module, "Decision")
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
      .def_property_readonly("fit_error",
                             [](const Decision& decision) {
                               return from_str(libsched_decision_fit_error(decision.handle.get()));
                             })
      .def("explain", explain);
}

}  // namespace libsched
