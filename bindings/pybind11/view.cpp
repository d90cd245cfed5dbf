// _core.View: reading a cluster or a snapshot. Every call holds the view's lock, if it has one, so
// lent values are copied or referenced before another thread can change them.
#include "binding.hpp"

namespace libsched {
namespace {

template <typename Read>
auto reading(const View& view, Read&& read) {
  const Holding holding(view.lock.get());
  return read(view.view);
}

// The names of all nodes in node order.
py::list node_names(const View& view) {
  return reading(view, [](const libsched_view* v) {
    size_t count = 0;
    const uint32_t* order = libsched_view_order(v, &count);
    py::list names(count);
    for (size_t i = 0; i < count; ++i) {
      names[i] = from_str(libsched_node_name(libsched_view_node(v, order[i])));
    }
    return names;
  });
}

py::list order(const View& view) {
  return reading(view, [](const libsched_view* v) {
    size_t count = 0;
    const uint32_t* rows = libsched_view_order(v, &count);
    py::list out(count);
    for (size_t i = 0; i < count; ++i) out[i] = py::int_(rows[i]);
    return out;
  });
}

py::object find_node(const View& view, std::string_view name) {
  return reading(view, [&](const libsched_view* v) -> py::object {
    const uint32_t row = libsched_view_find_node(v, to_str(name));
    if (row == LIBSCHED_NO_ROW) return py::none();
    return py::int_(row);
  });
}

py::object node_at(const View& view, uint32_t row) {
  return reading(view, [&](const libsched_view* v) -> py::object {
    const libsched_node* node = libsched_view_node(v, row);
    if (node == nullptr) return py::none();
    return own_node(node);
  });
}

bool daemon_wants(const View& view, uint32_t row, const Pod& pod_template) {
  return reading(view, [&](const libsched_view* v) {
    return libsched_daemon_wants(v, row, pod_template.handle.get());
  });
}

Objects missing_claims(const View& view, const Pod& pod) {
  Objects made;
  reading(view, [&](const libsched_view* v) {
    quick([&](libsched_error** error) {
      return libsched_missing_claims(v, pod.handle.get(), into(made.handle), error);
    });
    return 0;
  });
  return made;
}

Pod pod_with_claims(const View& view, const Pod& pod) {
  Pod made;
  reading(view, [&](const libsched_view* v) {
    quick([&](libsched_error** error) {
      return libsched_pod_with_claims(v, pod.handle.get(), into(made.handle), error);
    });
    return 0;
  });
  return made;
}

// (objects, report as JSON)
py::tuple admit_objects(const View& view, const Objects& objects) {
  Objects made;
  TextHandle report;
  reading(view, [&](const libsched_view* v) {
    quick([&](libsched_error** error) {
      return libsched_admit_objects(v, objects.handle.get(), into(made.handle), into(report),
                                    error);
    });
    return 0;
  });
  return py::make_tuple(std::move(made), from_text(report));
}

// Likewise of a pod.
py::tuple admit_pod(const View& view, const Pod& pod) {
  Pod made;
  TextHandle report;
  reading(view, [&](const libsched_view* v) {
    quick([&](libsched_error** error) {
      return libsched_admit_pod(v, pod.handle.get(), into(made.handle), into(report), error);
    });
    return 0;
  });
  return py::make_tuple(std::move(made), from_text(report));
}

py::list node_pods(const View& view, uint32_t row) {
  return reading(view, [&](const libsched_view* v) {
    const size_t count = libsched_view_node_pod_count(v, row);
    py::list pods(count);
    for (size_t i = 0; i < count; ++i) pods[i] = own_pod(libsched_view_node_pod(v, row, i));
    return pods;
  });
}

// All bound pods row by row, including those of missing nodes.
py::list pods(const View& view) {
  return reading(view, [](const libsched_view* v) {
    py::list out;
    const size_t rows = libsched_view_row_count(v);
    for (size_t row = 0; row < rows; ++row) {
      const auto r = static_cast<uint32_t>(row);
      const size_t count = libsched_view_node_pod_count(v, r);
      for (size_t i = 0; i < count; ++i) out.append(own_pod(libsched_view_node_pod(v, r, i)));
    }
    return out;
  });
}

// [(namespace, name)] of all assumed pods.
py::list assumed(const View& view) {
  return reading(view, [](const libsched_view* v) {
    py::list keys;
    const size_t rows = libsched_view_row_count(v);
    for (size_t row = 0; row < rows; ++row) {
      const auto r = static_cast<uint32_t>(row);
      const size_t count = libsched_view_node_pod_count(v, r);
      for (size_t i = 0; i < count; ++i) {
        const libsched_pod* pod = libsched_view_node_pod(v, r, i);
        const libsched_str namespace_ = libsched_pod_namespace(pod);
        const libsched_str name = libsched_pod_name(pod);
        if (libsched_view_pod_assumed(v, namespace_, name))
          keys.append(py::make_tuple(from_str(namespace_), from_str(name)));
      }
    }
    return keys;
  });
}

// The names of the nodes that the text means, one a line.
py::str choose_nodes(const View& view, std::string_view nodes) {
  TextHandle out;
  reading(view, [&](const libsched_view* v) {
    quick([&](libsched_error** error) {
      return libsched_view_choose_nodes(v, to_str(nodes), into(out), error);
    });
    return 0;
  });
  return from_text(out);
}

py::str json(const View& view) {
  const Holding holding(view.lock.get());
  TextHandle out;
  unlocked([&](libsched_error** error) { return libsched_view_json(view.view, into(out), error); });
  return from_text(out);
}

// (pod, row) or None
py::object find_pod(const View& view, std::string_view namespace_, std::string_view name) {
  return reading(view, [&](const libsched_view* v) -> py::object {
    uint32_t row = LIBSCHED_NO_ROW;
    const libsched_pod* pod = libsched_view_find_pod(v, to_str(namespace_), to_str(name), &row);
    if (pod == nullptr) return py::none();
    return py::make_tuple(own_pod(pod), row);
  });
}

// Both figures of a resource at once: (allocatable, requested).
py::tuple resource(const View& view, uint32_t row, std::string_view name) {
  return reading(view, [&](const libsched_view* v) {
    return py::make_tuple(libsched_view_allocatable(v, row, to_str(name)),
                          libsched_view_requested(v, row, to_str(name)));
  });
}

// The names of the resources for which the view has columns.
py::list resources(const View& view) {
  return reading(view, [](const libsched_view* v) {
    std::vector<libsched_str> found(libsched_view_resources(v, nullptr, 0));
    libsched_view_resources(v, found.data(), found.size());
    py::list names(found.size());
    for (size_t i = 0; i < found.size(); ++i) names[i] = from_str(found[i]);
    return names;
  });
}

}  // namespace

void bind_view(py::module_& module) {
  Class<View>(module, "View")
      .def_property_readonly(
          "node_count", [](const View& view) { return reading(view, libsched_view_node_count); })
      .def_property_readonly(
          "pod_count", [](const View& view) { return reading(view, libsched_view_pod_count); })
      .def_property_readonly(
          "row_count", [](const View& view) { return reading(view, libsched_view_row_count); })
      .def("node_names", node_names)
      .def("order", order)
      .def("daemon_wants", daemon_wants, py::arg("row"), py::arg("pod_template"))
      .def("missing_claims", missing_claims, py::arg("pod"))
      .def("pod_with_claims", pod_with_claims, py::arg("pod"))
      .def("admit_objects", admit_objects, py::arg("objects"))
      .def("admit_pod", admit_pod, py::arg("pod"))
      .def("find_node", find_node)
      .def("choose_nodes", choose_nodes, py::arg("nodes"))
      .def("node", node_at)
      .def("node_pods", node_pods)
      .def("pods", pods)
      .def("assumed", assumed)
      .def("json", json)
      .def("find_pod", find_pod)
      .def("resource", resource)
      .def("resources", resources);
}

}  // namespace libsched
