// Slots of Python plugins from PreFilter to PostFilter.
#include "plugin.hpp"

namespace libsched {
namespace {

// PreFilter returns a status, the names of the remaining nodes, or both as a tuple.
libsched_code pre_filter_result(const py::object& result, libsched_prefilter_result* narrowed,
                                libsched_status* status) {
  py::object names = result;
  libsched_code code = LIBSCHED_CODE_SUCCESS;
  if (py::hasattr(result, "node_names")) {
    names = result.attr("node_names");
  } else if (PyTuple_Check(result.ptr()) && PyTuple_GET_SIZE(result.ptr()) == 2 &&
             !PyUnicode_Check(PyTuple_GET_ITEM(result.ptr(), 0))) {
    code = status_from(PyTuple_GET_ITEM(result.ptr(), 1), Method::kPreFilter, status);
    names = py::reinterpret_borrow<py::object>(PyTuple_GET_ITEM(result.ptr(), 0));
    if (py::hasattr(names, "node_names")) names = names.attr("node_names");
  } else if (is_status(result)) {
    return status_from(result, Method::kPreFilter, status);
  }
  if (names.is_none()) return code;
  std::vector<py::str> kept;
  std::vector<libsched_str> list;
  for (const py::handle name : names) {
    if (!PyUnicode_Check(name.ptr())) {
      PyErr_SetString(PyExc_TypeError, "names of nodes were expected");
      throw py::error_already_set();
    }
    kept.push_back(py::reinterpret_borrow<py::str>(name));
    list.push_back(to_str(name.cast<std::string_view>()));
  }
  libsched_prefilter_result_set_nodes(narrowed, list.data(), list.size());
  return code;
}

libsched_code pre_filter(void* instance, libsched_cycle_state* state, const libsched_pod* pod,
                         libsched_prefilter_result* narrowed, libsched_status* status) {
  return run_slot(instance, Method::kPreFilter, status, [&](const Instance&, PyObject* method) {
    const LentState lent(state);
    return pre_filter_result(call(method, lent, python_pod(pod)), narrowed, status);
  });
}

libsched_code filter(void* instance, const libsched_cycle_state* state, const libsched_pod* pod,
                     const libsched_node_info* node, libsched_status* status) {
  return run_slot(instance, Method::kFilter, status, [&](const Instance&, PyObject* method) {
    const LentState lent(state);
    const LentInfo info(node);
    return status_from(call(method, lent, python_pod(pod), info), Method::kFilter, status);
  });
}

libsched_code filter_batch(void* instance, const libsched_cycle_state* state,
                           const libsched_pod* pod, const libsched_node_set* nodes, int8_t* codes,
                           uint16_t* reason_indexes, libsched_status* status) {
  return run_slot(
      instance, Method::kFilterBatch, status, [&](const Instance& self, PyObject* method) {
        const LentState lent(state);
        const LentNodes set(nodes);
        verdicts_from(call(method, lent, python_pod(pod), set), self, nodes, codes, reason_indexes);
        return LIBSCHED_CODE_SUCCESS;
      });
}

template <Method which>
libsched_code change_pod(void* instance, libsched_cycle_state* state, const libsched_pod* pod,
                         const libsched_pod* other, const libsched_node_info* node,
                         libsched_status* status) {
  return run_slot(instance, which, status, [&](const Instance&, PyObject* method) {
    const LentState lent(state);
    const LentInfo info(node);
    const py::object changed = call(Wrappers::get().pod, py::cast(own(other)));
    return status_from(call(method, lent, python_pod(pod), changed, info), which, status);
  });
}

// PostFilter returns a status, or a tuple of a nomination and a status. A nomination is the name of
// a node, or an object with `mode` and `node`.
libsched_code post_filter_result(const py::object& result, libsched_nomination* nomination,
                                 libsched_status* status, py::object* keeps) {
  py::object wish;
  py::handle said = result;
  if (PyTuple_Check(result.ptr()) && PyTuple_GET_SIZE(result.ptr()) == 2) {
    wish = py::reinterpret_borrow<py::object>(PyTuple_GET_ITEM(result.ptr(), 0));
    said = PyTuple_GET_ITEM(result.ptr(), 1);
  } else if (py::hasattr(result, "mode")) {
    wish = result;
    said = Py_None;
  }
  if (wish && !wish.is_none()) {
    if (PyUnicode_Check(wish.ptr())) {
      nomination->mode = LIBSCHED_NOMINATION_OVERRIDE;
      *keeps = wish;
    } else {
      nomination->mode = wish.attr("mode").cast<uint32_t>();
      *keeps = wish.attr("node");
    }
    nomination->node = to_str(keeps->cast<std::string_view>());
  }
  return status_from(said, Method::kPostFilter, status);
}

libsched_code post_filter(void* instance, libsched_cycle_state* state, const libsched_pod* pod,
                          const libsched_node_statuses* statuses, libsched_nomination* nomination,
                          libsched_status* status) {
  return run_slot(instance, Method::kPostFilter, status, [&](const Instance&, PyObject* method) {
    // The node's name is copied after the slot has returned.
    thread_local PyObject* kept = nullptr;
    const LentState lent(state);
    const Loan<NodeStatuses> lent_statuses(Wrappers::get().statuses, [&](NodeStatuses& core) {
      core.lent.handle = statuses;
      core.view = libsched_cycle_state_view(state);
    });
    py::object keeps;
    const libsched_code code = post_filter_result(
        call(method, lent, python_pod(pod), lent_statuses), nomination, status, &keeps);
    Py_XDECREF(std::exchange(kept, keeps.release().ptr()));
    return code;
  });
}

}  // namespace

void set_filter_slots(const PythonPlugin& plugin, libsched_plugin* slots) {
  if (has(plugin, Method::kPreFilter)) slots->pre_filter = pre_filter;
  if (has(plugin, Method::kFilter)) slots->filter = filter;
  if (has(plugin, Method::kFilterBatch)) slots->filter_batch = filter_batch;
  if (has(plugin, Method::kAddPod)) slots->add_pod = change_pod<Method::kAddPod>;
  if (has(plugin, Method::kRemovePod)) slots->remove_pod = change_pod<Method::kRemovePod>;
  if (has(plugin, Method::kPostFilter)) slots->post_filter = post_filter;
}

}  // namespace libsched
