// _core.Objects, _core.Pod, _core.Node: parsed Kubernetes objects, immutable.
#include "calls.hpp"
#include "signals.hpp"

namespace libsched {
namespace {

libsched_parse_options parse_options(uint32_t format, bool defaults, bool strict, bool keep_raw,
                                     bool keep_annotations, bool validate, uint64_t max_bytes,
                                     uint64_t max_decompressed_bytes, uint32_t max_depth,
                                     Maybe<const Objects> classes) {
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
  options.classes = raw(classes);
  return options;
}

template <auto read>
Objects read_objects(libsched_str source, libsched_parse_options options) {
  Signals signals;
  options.interrupt = Signals::raised;
  options.interrupt_data = &signals;
  Objects made;
  unlocked(read, source, &options, into(made.handle));
  return made;
}

Objects parse_objects(py::handle document, uint32_t format, Flag defaults, Flag strict,
                      Flag keep_raw, Flag keep_annotations, Flag validate, uint64_t max_bytes,
                      uint64_t max_decompressed_bytes, uint32_t max_depth,
                      Maybe<const Objects> classes) {
  const Document bytes(document);
  return read_objects<libsched_objects_parse>(
      bytes.str(), parse_options(format, defaults, strict, keep_raw, keep_annotations, validate,
                                 max_bytes, max_decompressed_bytes, max_depth, classes));
}

Objects load_objects(std::string_view path, uint32_t format, Flag defaults, Flag strict,
                     Flag keep_raw, Flag keep_annotations, Flag validate, uint64_t max_bytes,
                     uint64_t max_decompressed_bytes, uint32_t max_depth,
                     Maybe<const Objects> classes) {
  return read_objects<libsched_objects_load>(
      to_str(path), parse_options(format, defaults, strict, keep_raw, keep_annotations, validate,
                                  max_bytes, max_decompressed_bytes, max_depth, classes));
}

template <typename T, auto parse>
T from_flat(py::handle flat, Flag defaults, Flag strict, Flag keep_raw, Flag keep_annotations) {
  const Document bytes(flat);
  const libsched_parse_options options =
      parse_options(0, defaults, strict, keep_raw, keep_annotations, false, 0, 0, 0, {});
  T made;
  quick(parse, bytes.str(), &options, into(made.handle));
  return made;
}

// [(kind, replicas, pod)]
auto workloads_of(const Objects& objects) {
  const size_t count = libsched_objects_workload_count(raw(objects));
  return collect(count, [&](size_t i) {
    libsched_str kind{nullptr, 0};
    int64_t replicas = 0;
    const libsched_pod* pod = libsched_objects_get_workload(raw(objects), i, &kind, &replicas);
    return tuple_of(kind, replicas, pod);
  });
}

using Text = std::optional<std::string_view>;

Pod copy_pod(const Pod& pod, const Text& name, const Text& namespace_, const Text& uid,
             const Text& node_name) {
  Pod made;
  quick(libsched_pod_copy, raw(pod), to_str(name), to_str(namespace_), to_str(uid),
        to_str(node_name), into(made.handle));
  return made;
}

Node copy_node(const Node& node, const Text& name, const Text& uid) {
  Node made;
  quick(libsched_node_copy, raw(node), to_str(name), to_str(uid), into(made.handle));
  return made;
}

auto taints_of(const Node& node) {
  return collect(libsched_node_taint_count(raw(node)), [&](size_t i) {
    libsched_str key{nullptr, 0}, value{nullptr, 0}, effect{nullptr, 0};
    libsched_node_taint(raw(node), i, &key, &value, &effect);
    return tuple_of(key, value, effect);
  });
}

// {key: value}
template <typename T, auto count, auto at>
Dict<py::str, py::str> annotations_of(const T& object) {
  size_t there = 0;
  quick(count, raw(object), &there);
  Dict<py::str, py::str> annotations;
  libsched_str key{nullptr, 0}, value{nullptr, 0};
  for (size_t i = 0; i < there && at(raw(object), i, &key, &value); ++i)
    annotations[from_str(key)] = from_str(value);
  return annotations;
}

// {key: value} or {name: amount}, of functions that read by position.
template <typename T, typename Value, auto at>
auto by_position(const T& object) {
  Dict<py::str, decltype(to_python(Value{}))> found;
  libsched_str key{nullptr, 0};
  Value value{};
  for (size_t i = 0; at(raw(object), i, &key, &value); ++i) found[from_str(key)] = to_python(value);
  return found;
}

void bind_pod(py::module_& module) {
  Class<Pod>(module, "Pod")
      .def_static("from_flat", from_flat<Pod, libsched_pod_parse_flat>, py::arg("flat"),
                  py::kw_only(), py::arg("defaults"), py::arg("strict"), py::arg("keep_raw"),
                  py::arg("keep_annotations"))
      .def_property_readonly("address", address_of<Pod>)
      .def_property_readonly("name", quick_call<libsched_pod_name>)
      .def_property_readonly("namespace", quick_call<libsched_pod_namespace>)
      .def_property_readonly("uid", quick_call<libsched_pod_uid>)
      .def_property_readonly("node_name", quick_call<libsched_pod_node_name>)
      .def_property_readonly("nominated_node_name", quick_call<libsched_pod_nominated_node_name>)
      .def_property_readonly("scheduler_name", quick_call<libsched_pod_scheduler_name>)
      .def_property_readonly("phase", quick_call<libsched_pod_phase>)
      .def_property_readonly("priority", quick_call<libsched_pod_priority>)
      .def("label", quick_call<libsched_pod_label>)
      .def("requests", by_position<Pod, int64_t, libsched_pod_resource>)
      .def("request", quick_call<libsched_pod_request>)
      .def("labels", by_position<Pod, libsched_str, libsched_pod_label_at>)
      .def("json", quick_call<libsched_pod_json>)
      .def("annotations",
           annotations_of<Pod, libsched_pod_annotation_count, libsched_pod_annotation_at>)
      .def("raw", quick_call<libsched_pod_raw>)
      .def("for_daemon", quick_call<libsched_daemon_pod>)
      .def("copy", copy_pod, py::arg("name"), py::arg("namespace"), py::arg("uid"),
           py::arg("node_name"));
}

void bind_node(py::module_& module) {
  Class<Node>(module, "Node")
      .def_static("from_flat", from_flat<Node, libsched_node_parse_flat>, py::arg("flat"),
                  py::kw_only(), py::arg("defaults"), py::arg("strict"), py::arg("keep_raw"),
                  py::arg("keep_annotations"))
      .def_property_readonly("address", address_of<Node>)
      .def_property_readonly("name", quick_call<libsched_node_name>)
      .def_property_readonly("uid", quick_call<libsched_node_uid>)
      .def_property_readonly("unschedulable", quick_call<libsched_node_unschedulable>)
      .def("label", quick_call<libsched_node_label>)
      .def("taints", taints_of)
      .def("allocatable", quick_call<libsched_node_allocatable>)
      .def("labels", by_position<Node, libsched_str, libsched_node_label_at>)
      .def("resources", by_position<Node, int64_t, libsched_node_resource>)
      .def("json", quick_call<libsched_node_json>)
      .def("annotations",
           annotations_of<Node, libsched_node_annotation_count, libsched_node_annotation_at>)
      .def("raw", quick_call<libsched_node_raw>)
      .def("copy", copy_node, py::arg("name"), py::arg("uid"));
}

}  // namespace

Pod own(const libsched_pod* pod) { return {PodHandle(libsched_pod_ref(pod))}; }

Node own(const libsched_node* node) { return {NodeHandle(libsched_node_ref(node))}; }

void bind_objects(py::module_& module) {
  bind_pod(module);
  bind_node(module);
  Class<Objects>(module, "Objects")
      .def_static("parse", parse_objects, py::arg("document"), py::kw_only(), py::arg("format") = 0,
                  py::arg("defaults") = false, py::arg("strict") = false,
                  py::arg("keep_raw") = false, py::arg("keep_annotations") = false,
                  py::arg("validate") = false, py::arg("max_bytes") = 0,
                  py::arg("max_decompressed_bytes") = 0, py::arg("max_depth") = 0,
                  py::arg("classes") = py::none())
      .def_static("load", load_objects, py::arg("path"), py::kw_only(), py::arg("format") = 0,
                  py::arg("defaults") = false, py::arg("strict") = false,
                  py::arg("keep_raw") = false, py::arg("keep_annotations") = false,
                  py::arg("validate") = false, py::arg("max_bytes") = 0,
                  py::arg("max_decompressed_bytes") = 0, py::arg("max_depth") = 0,
                  py::arg("classes") = py::none())
      .def_property_readonly("pod_count", quick_call<libsched_objects_pod_count>)
      .def_property_readonly("node_count", quick_call<libsched_objects_node_count>)
      .def_property_readonly("workload_count", quick_call<libsched_objects_workload_count>)
      .def("pods", listing<libsched_objects_pod_count, libsched_objects_get_pod>)
      .def("nodes", listing<libsched_objects_node_count, libsched_objects_get_node>)
      .def("workloads", workloads_of)
      .def("report", unlocked_call<libsched_objects_report_json>);
}

}  // namespace libsched
