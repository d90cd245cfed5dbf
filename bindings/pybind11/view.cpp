// _core.View: reading a cluster or a snapshot. Every call holds the view's lock, if it has one, so
// lent values are copied or referenced before another thread can change them.
#include "calls.hpp"

namespace libsched {
namespace {

template <typename Read>
auto reading(const View& view, Read&& read) {
  const Holding holding(view.lock.get());
  return read(view.view);
}

// The names of all nodes in node order.
auto node_names(const View& view) {
  return reading(view, [](const libsched_view* v) {
    size_t count = 0;
    const uint32_t* order = libsched_view_order(v, &count);
    return collect(count,
                   [&](size_t i) { return libsched_node_name(libsched_view_node(v, order[i])); });
  });
}

auto order(const View& view) {
  return reading(view, [](const libsched_view* v) {
    size_t count = 0;
    const uint32_t* rows = libsched_view_order(v, &count);
    return std::vector<uint32_t>(rows, rows + count);
  });
}

std::optional<uint32_t> find_node(const View& view, std::string_view name) {
  return reading(view, [&](const libsched_view* v) {
    const uint32_t row = libsched_view_find_node(v, to_str(name));
    return row == LIBSCHED_NO_ROW ? std::nullopt : std::optional(row);
  });
}

std::optional<Node> node_at(const View& view, uint32_t row) {
  return reading(view, [&](const libsched_view* v) {
    const libsched_node* node = libsched_view_node(v, row);
    return node == nullptr ? std::nullopt : std::optional(own(node));
  });
}

auto node_pods(const View& view, uint32_t row) {
  return reading(view, [&](const libsched_view* v) {
    return collect(libsched_view_node_pod_count(v, row),
                   [&](size_t i) { return libsched_view_node_pod(v, row, i); });
  });
}

// Calls a function with each bound pod row by row, including those of missing nodes.
template <typename Hear>
void each_pod(const libsched_view* view, Hear&& hear) {
  const auto rows = static_cast<uint32_t>(libsched_view_row_count(view));
  for (uint32_t row = 0; row < rows; ++row) {
    const size_t count = libsched_view_node_pod_count(view, row);
    for (size_t i = 0; i < count; ++i) hear(libsched_view_node_pod(view, row, i));
  }
}

auto pods(const View& view) {
  return reading(view, [](const libsched_view* v) {
    std::vector<Pod> out;
    each_pod(v, [&](const libsched_pod* pod) { out.push_back(own(pod)); });
    return out;
  });
}

// [(namespace, name)] of all assumed pods.
auto assumed(const View& view) {
  return reading(view, [](const libsched_view* v) {
    std::vector<std::tuple<py::str, py::str>> keys;
    each_pod(v, [&](const libsched_pod* pod) {
      const libsched_str namespace_ = libsched_pod_namespace(pod), name = libsched_pod_name(pod);
      if (libsched_view_pod_assumed(v, namespace_, name))
        keys.push_back(tuple_of(namespace_, name));
    });
    return keys;
  });
}

// (pod, row) or None
auto find_pod(const View& view, std::string_view namespace_, std::string_view name) {
  return reading(view, [&](const libsched_view* v) {
    uint32_t row = LIBSCHED_NO_ROW;
    const libsched_pod* pod = libsched_view_find_pod(v, to_str(namespace_), to_str(name), &row);
    return pod == nullptr ? std::nullopt : std::optional(tuple_of(pod, row));
  });
}

// Both figures of a resource at once: (allocatable, requested).
auto resource(const View& view, uint32_t row, std::string_view name) {
  return reading(view, [&](const libsched_view* v) {
    return tuple_of(libsched_view_allocatable(v, row, to_str(name)),
                    libsched_view_requested(v, row, to_str(name)));
  });
}

// The names of the resources for which the view has columns.
auto resources(const View& view) {
  return reading(view, [](const libsched_view* v) {
    std::vector<libsched_str> found(libsched_view_resources(v, nullptr, 0));
    libsched_view_resources(v, found.data(), found.size());
    return collect(found.size(), [&](size_t i) { return found[i]; });
  });
}

}  // namespace

void bind_view(py::module_& module) {
  Class<View>(module, "View")
      .def_property_readonly("node_count", quick_call<libsched_view_node_count>)
      .def_property_readonly("pod_count", quick_call<libsched_view_pod_count>)
      .def_property_readonly("row_count", quick_call<libsched_view_row_count>)
      .def("node_names", node_names)
      .def("order", order)
      .def("daemon_wants", quick_call<libsched_daemon_wants>, py::arg("row"),
           py::arg("pod_template"))
      .def("missing_claims", quick_call<libsched_missing_claims>, py::arg("pod"))
      .def("pod_with_claims", quick_call<libsched_pod_with_claims>, py::arg("pod"))
      .def("admit_objects", quick_call<libsched_admit_objects>, py::arg("objects"))
      .def("admit_pod", quick_call<libsched_admit_pod>, py::arg("pod"))
      .def("find_node", find_node)
      .def("choose_nodes", quick_call<libsched_view_choose_nodes>, py::arg("nodes"))
      .def("node", node_at)
      .def("node_pods", node_pods)
      .def("pods", pods)
      .def("assumed", assumed)
      .def("json", unlocked_call<libsched_view_json>)
      .def("objects_json", unlocked_call<libsched_view_objects_json>, py::arg("kind"),
           py::arg("namespace"), py::arg("name"))
      .def("objects_version", quick_call<libsched_view_objects_version>, py::arg("kind"))
      .def("release_json", quick_call<libsched_view_release_json>, py::arg("server_version"))
      .def("find_pod", find_pod)
      .def("resource", resource)
      .def("resources", resources);
}

}  // namespace libsched
