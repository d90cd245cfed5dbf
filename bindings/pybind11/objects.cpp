// _core.Objects, _core.Pod, _core.Node: parsed Kubernetes objects, immutable.
#include "binding.hpp"
#include "signals.hpp"

namespace libsched {
namespace {

libsched_parse_options parse_options(uint32_t format, bool defaults, bool strict, bool keep_raw,
                                     bool keep_annotations, bool validate, uint64_t max_bytes,
                                     uint64_t max_decompressed_bytes, uint32_t max_depth,
                                     const Objects* classes) {
  libsched_parse_options options = LIBSCHED_PARSE_OPTIONS_INIT;
  options.format = format;
  options.defaults = defaults;
  options.strict = strict;
  options.keep_raw = keep_raw;
  options.keep_annotations = keep_annotations;
  options.validate = validate;
  options.max_bytes = max_bytes;
  options.max_decompressed_bytes = max_decompressed_bytes;
  options.max_depth = max_depth;
  options.classes = classes == nullptr ? nullptr : classes->handle.get();
  return options;
}

Objects parse_objects(py::handle document, uint32_t format, Flag defaults, Flag strict,
                      Flag keep_raw, Flag keep_annotations, Flag validate, uint64_t max_bytes,
                      uint64_t max_decompressed_bytes, uint32_t max_depth, const Objects* classes) {
  const Document bytes(document);
  libsched_parse_options options =
      parse_options(format, defaults, strict, keep_raw, keep_annotations, validate, max_bytes,
                    max_decompressed_bytes, max_depth, classes);
  Signals signals;
  options.interrupt = Signals::raised;
  options.interrupt_data = &signals;
  ObjectsHandle out;
  unlocked([&](libsched_error** error) {
    return libsched_objects_parse(bytes.str(), &options, into(out), error);
  });
  return {std::move(out)};
}

Pod pod_from_flat(py::handle flat, Flag defaults, Flag strict, Flag keep_raw,
                  Flag keep_annotations) {
  const Document bytes(flat);
  const libsched_parse_options options =
      parse_options(0, defaults, strict, keep_raw, keep_annotations, false, 0, 0, 0, nullptr);
  PodHandle out;
  quick([&](libsched_error** error) {
    return libsched_pod_parse_flat(bytes.str(), &options, into(out), error);
  });
  return {std::move(out)};
}

Node node_from_flat(py::handle flat, Flag defaults, Flag strict, Flag keep_raw,
                    Flag keep_annotations) {
  const Document bytes(flat);
  const libsched_parse_options options =
      parse_options(0, defaults, strict, keep_raw, keep_annotations, false, 0, 0, 0, nullptr);
  NodeHandle out;
  quick([&](libsched_error** error) {
    return libsched_node_parse_flat(bytes.str(), &options, into(out), error);
  });
  return {std::move(out)};
}

Objects load_objects(std::string_view path, uint32_t format, Flag defaults, Flag strict,
                     Flag keep_raw, Flag keep_annotations, Flag validate, uint64_t max_bytes,
                     uint64_t max_decompressed_bytes, uint32_t max_depth, const Objects* classes) {
  libsched_parse_options options =
      parse_options(format, defaults, strict, keep_raw, keep_annotations, validate, max_bytes,
                    max_decompressed_bytes, max_depth, classes);
  Signals signals;
  options.interrupt = Signals::raised;
  options.interrupt_data = &signals;
  ObjectsHandle out;
  unlocked([&](libsched_error** error) {
    return libsched_objects_load(to_str(path), &options, into(out), error);
  });
  return {std::move(out)};
}

py::list pods_of(const Objects& objects) {
  const size_t count = libsched_objects_pod_count(objects.handle.get());
  py::list pods(count);
  for (size_t i = 0; i < count; ++i) {
    pods[i] = own_pod(libsched_objects_get_pod(objects.handle.get(), i));
  }
  return pods;
}

py::list nodes_of(const Objects& objects) {
  const size_t count = libsched_objects_node_count(objects.handle.get());
  py::list nodes(count);
  for (size_t i = 0; i < count; ++i) {
    nodes[i] = own_node(libsched_objects_get_node(objects.handle.get(), i));
  }
  return nodes;
}

// [(kind, replicas, pod)]
py::list workloads_of(const Objects& objects) {
  const size_t count = libsched_objects_workload_count(objects.handle.get());
  py::list workloads(count);
  for (size_t i = 0; i < count; ++i) {
    libsched_str kind{nullptr, 0};
    int64_t replicas = 0;
    const libsched_pod* pod =
        libsched_objects_get_workload(objects.handle.get(), i, &kind, &replicas);
    workloads[i] = py::make_tuple(from_str(kind), replicas, own_pod(pod));
  }
  return workloads;
}

py::str report(const Objects& objects) {
  TextHandle out;
  unlocked([&](libsched_error** error) {
    return libsched_objects_report_json(objects.handle.get(), into(out), error);
  });
  return from_text(out);
}

Pod copy_pod(const Pod& pod, const std::optional<std::string_view>& name,
             const std::optional<std::string_view>& namespace_,
             const std::optional<std::string_view>& uid,
             const std::optional<std::string_view>& node_name) {
  PodHandle out;
  quick([&](libsched_error** error) {
    return libsched_pod_copy(pod.handle.get(), to_str(name), to_str(namespace_), to_str(uid),
                             to_str(node_name), into(out), error);
  });
  return {std::move(out)};
}

Node copy_node(const Node& node, const std::optional<std::string_view>& name,
               const std::optional<std::string_view>& uid) {
  NodeHandle out;
  quick([&](libsched_error** error) {
    return libsched_node_copy(node.handle.get(), to_str(name), to_str(uid), into(out), error);
  });
  return {std::move(out)};
}

py::list taints_of(const Node& node) {
  const size_t count = libsched_node_taint_count(node.handle.get());
  py::list taints(count);
  for (size_t i = 0; i < count; ++i) {
    libsched_str key{nullptr, 0}, value{nullptr, 0}, effect{nullptr, 0};
    libsched_node_taint(node.handle.get(), i, &key, &value, &effect);
    taints[i] = py::make_tuple(from_str(key), from_str(value), from_str(effect));
  }
  return taints;
}

// {key: value}
template <auto count, auto at, typename Handle>
py::dict annotations_of(const Handle* object) {
  size_t there = 0;
  quick([&](libsched_error** error) { return count(object, &there, error); });
  py::dict annotations;
  libsched_str key{nullptr, 0}, value{nullptr, 0};
  for (size_t i = 0; i < there && at(object, i, &key, &value); ++i)
    annotations[from_str(key)] = from_str(value);
  return annotations;
}

// {key: value} or {name: amount}, of functions that read by position.
template <auto at, typename Value, typename Handle>
py::dict by_position(const Handle* object) {
  py::dict found;
  libsched_str key{nullptr, 0};
  Value value{};
  for (size_t i = 0; at(object, i, &key, &value); ++i) {
    if constexpr (std::is_same_v<Value, libsched_str>) {
      found[from_str(key)] = from_str(value);
    } else {
      found[from_str(key)] = py::int_(value);
    }
  }
  return found;
}

template <auto write, typename Handle>
py::str json_of(const Handle* object) {
  TextHandle out;
  quick([&](libsched_error** error) { return write(object, into(out), error); });
  return from_text(out);
}

void bind_pod(py::module_& module) {
  Class<Pod>(module, "Pod")
      .def_static("from_flat", pod_from_flat, py::arg("flat"), py::kw_only(), py::arg("defaults"),
                  py::arg("strict"), py::arg("keep_raw"), py::arg("keep_annotations"))
      .def_property_readonly(
          "address", [](const Pod& pod) { return reinterpret_cast<uintptr_t>(pod.handle.get()); })
      .def_property_readonly(
          "name", [](const Pod& pod) { return from_str(libsched_pod_name(pod.handle.get())); })
      .def_property_readonly(
          "namespace",
          [](const Pod& pod) { return from_str(libsched_pod_namespace(pod.handle.get())); })
      .def_property_readonly(
          "uid", [](const Pod& pod) { return from_str(libsched_pod_uid(pod.handle.get())); })
      .def_property_readonly(
          "node_name",
          [](const Pod& pod) { return from_str(libsched_pod_node_name(pod.handle.get())); })
      .def_property_readonly("nominated_node_name",
                             [](const Pod& pod) {
                               return from_str(libsched_pod_nominated_node_name(pod.handle.get()));
                             })
      .def_property_readonly(
          "scheduler_name",
          [](const Pod& pod) { return from_str(libsched_pod_scheduler_name(pod.handle.get())); })
      .def_property_readonly(
          "phase", [](const Pod& pod) { return from_str(libsched_pod_phase(pod.handle.get())); })
      .def_property_readonly("priority",
                             [](const Pod& pod) { return libsched_pod_priority(pod.handle.get()); })
      .def("label",
           [](const Pod& pod, std::string_view key) -> py::object {
             libsched_str value{nullptr, 0};
             if (!libsched_pod_label(pod.handle.get(), to_str(key), &value)) return py::none();
             return from_str(value);
           })
      .def("requests",
           [](const Pod& pod) {
             return by_position<libsched_pod_resource, int64_t>(pod.handle.get());
           })
      .def("request",
           [](const Pod& pod, std::string_view resource) {
             return libsched_pod_request(pod.handle.get(), to_str(resource));
           })
      .def("labels",
           [](const Pod& pod) {
             return by_position<libsched_pod_label_at, libsched_str>(pod.handle.get());
           })
      .def("json", [](const Pod& pod) { return json_of<libsched_pod_json>(pod.handle.get()); })
      .def("annotations",
           [](const Pod& pod) {
             return annotations_of<libsched_pod_annotation_count, libsched_pod_annotation_at>(
                 pod.handle.get());
           })
      .def("raw",
           [](const Pod& pod) {
             libsched_str out{nullptr, 0};
             quick([&](libsched_error** error) {
               return libsched_pod_raw(pod.handle.get(), &out, error);
             });
             return from_str(out);
           })
      .def("for_daemon",
           [](const Pod& pod, std::string_view node, std::string_view name) {
             libsched_pod* out = nullptr;
             quick([&](libsched_error** error) {
               return libsched_daemon_pod(pod.handle.get(), to_str(node), to_str(name), &out,
                                          error);
             });
             const py::object made = own_pod(out);
             libsched_pod_unref(out);
             return made;
           })
      .def("copy", copy_pod, py::arg("name"), py::arg("namespace"), py::arg("uid"),
           py::arg("node_name"));
}

void bind_node(py::module_& module) {
  Class<Node>(module, "Node")
      .def_static("from_flat", node_from_flat, py::arg("flat"), py::kw_only(), py::arg("defaults"),
                  py::arg("strict"), py::arg("keep_raw"), py::arg("keep_annotations"))
      .def_property_readonly(
          "address",
          [](const Node& node) { return reinterpret_cast<uintptr_t>(node.handle.get()); })
      .def_property_readonly(
          "name", [](const Node& node) { return from_str(libsched_node_name(node.handle.get())); })
      .def_property_readonly(
          "uid", [](const Node& node) { return from_str(libsched_node_uid(node.handle.get())); })
      .def_property_readonly(
          "unschedulable",
          [](const Node& node) { return libsched_node_unschedulable(node.handle.get()); })
      .def("label",
           [](const Node& node, std::string_view key) -> py::object {
             libsched_str value{nullptr, 0};
             if (!libsched_node_label(node.handle.get(), to_str(key), &value)) return py::none();
             return from_str(value);
           })
      .def("taints", taints_of)
      .def("allocatable",
           [](const Node& node, std::string_view resource) {
             return libsched_node_allocatable(node.handle.get(), to_str(resource));
           })
      .def("labels",
           [](const Node& node) {
             return by_position<libsched_node_label_at, libsched_str>(node.handle.get());
           })
      .def("resources",
           [](const Node& node) {
             return by_position<libsched_node_resource, int64_t>(node.handle.get());
           })
      .def("json", [](const Node& node) { return json_of<libsched_node_json>(node.handle.get()); })
      .def("annotations",
           [](const Node& node) {
             return annotations_of<libsched_node_annotation_count, libsched_node_annotation_at>(
                 node.handle.get());
           })
      .def("raw",
           [](const Node& node) {
             libsched_str out{nullptr, 0};
             quick([&](libsched_error** error) {
               return libsched_node_raw(node.handle.get(), &out, error);
             });
             return from_str(out);
           })
      .def("copy", copy_node, py::arg("name"), py::arg("uid"));
}

}  // namespace

py::object own_pod(const libsched_pod* pod) {
  return py::cast(Pod{PodHandle(libsched_pod_ref(pod))});
}

py::object own_node(const libsched_node* node) {
  return py::cast(Node{NodeHandle(libsched_node_ref(node))});
}

void bind_objects(py::module_& module) {
  bind_pod(module);
  bind_node(module);
  Class<Objects>(module, "Objects")
      .def_static("parse", parse_objects, py::arg("document"), py::kw_only(), py::arg("format") = 0,
                  py::arg("defaults") = false, py::arg("strict") = false,
                  py::arg("keep_raw") = false, py::arg("keep_annotations") = false,
                  py::arg("validate") = false, py::arg("max_bytes") = 0,
                  py::arg("max_decompressed_bytes") = 0, py::arg("max_depth") = 0,
                  py::arg("classes") = static_cast<const Objects*>(nullptr))
      .def_static("load", load_objects, py::arg("path"), py::kw_only(), py::arg("format") = 0,
                  py::arg("defaults") = false, py::arg("strict") = false,
                  py::arg("keep_raw") = false, py::arg("keep_annotations") = false,
                  py::arg("validate") = false, py::arg("max_bytes") = 0,
                  py::arg("max_decompressed_bytes") = 0, py::arg("max_depth") = 0,
                  py::arg("classes") = static_cast<const Objects*>(nullptr))
      .def_property_readonly(
          "pod_count", [](const Objects& o) { return libsched_objects_pod_count(o.handle.get()); })
      .def_property_readonly(
          "node_count",
          [](const Objects& o) { return libsched_objects_node_count(o.handle.get()); })
      .def_property_readonly(
          "workload_count",
          [](const Objects& o) { return libsched_objects_workload_count(o.handle.get()); })
      .def("pods", pods_of)
      .def("nodes", nodes_of)
      .def("workloads", workloads_of)
      .def("report", report);
}

}  // namespace libsched
