// _core.Catalog and _core.Sim: contents of pods and nodes, and the nodes and pods of a simulated
// cluster. The questions are in sim_questions.cpp.
#include "sim.hpp"

#include <vector>

namespace libsched {
namespace {

libsched_catalog_options catalog_options(uint32_t form, bool placed, bool defaults) {
  libsched_catalog_options options = LIBSCHED_CATALOG_OPTIONS_INIT;
  options.form = form;
  options.placed = placed;
  options.defaults = defaults;
  return options;
}

// Texts of Python objects, which stay exported meanwhile.
class Documents {
 public:
  explicit Documents(const py::sequence& sources) {
    documents_.reserve(sources.size());
    for (const py::handle source : sources) {
      documents_.push_back(std::make_unique<Document>(source));
      strs_.push_back(documents_.back()->str());
    }
  }
  const libsched_str* data() const { return strs_.data(); }
  size_t size() const { return strs_.size(); }

 private:
  std::vector<std::unique_ptr<Document>> documents_;
  std::vector<libsched_str> strs_;
};

template <auto add>
py::bytearray add_documents(const Catalog& catalog, const py::sequence& documents, uint32_t form,
                            Flag placed, Flag defaults, const std::optional<py::sequence>& extras) {
  const Documents given(documents);
  libsched_catalog_options options = catalog_options(form, placed, defaults);
  std::optional<Documents> more;
  if (extras) {
    more.emplace(*extras);
    if (more->size() != given.size())
      raise(LIBSCHED_ERR_MISUSE, "there are not as many extras as documents");
    options.extras = more->data();
  }
  Filled<uint64_t> refs(given.size());
  unlocked(add, catalog.handle.get(), given.data(), given.size(), &options, refs.data());
  return refs.take();
}

template <auto add, typename Object>
uint64_t add_object(const Catalog& catalog, const Object& object, Flag placed,
                    const std::optional<py::object>& extra) {
  libsched_catalog_options options = catalog_options(0, placed, false);
  std::optional<Document> bytes;
  libsched_str more{nullptr, 0};
  if (extra) {
    bytes.emplace(*extra);
    more = bytes->str();
    options.extras = &more;
  }
  uint64_t ref = 0;
  quick(add, catalog.handle.get(), object.handle.get(), &options, &ref);
  return ref;
}

std::unique_ptr<Sim> create_sim(const Framework& framework, const Catalog& catalog) {
  auto sim = std::make_unique<Sim>();
  unlocked(libsched_sim_create, raw(framework), raw(catalog), into(sim->handle));
  return sim;
}

// Runs a call that may take long under the lock and without the GIL.
template <typename Call, typename... Arguments>
void change_sim(Sim& sim, Call&& call, Arguments&&... arguments) {
  const Holding holding(sim.lock.get());
  unlocked(call, sim.handle.get(), std::forward<Arguments>(arguments)...);
}
template <typename Read>
auto reading(Sim& sim, Read&& read) {
  const Holding holding(sim.lock.get());
  return read(sim.handle.get());
}

// (ids of nodes, ids of pods)
std::tuple<py::bytearray, py::bytearray> reset(Sim& sim, py::handle nodes,
                                               const std::vector<std::string_view>& names,
                                               py::handle pods, py::handle on_node) {
  const Numbers<uint64_t> node_refs(nodes), pod_refs(pods);
  const Numbers<uint32_t> places(on_node);
  const auto texts = raw(names);
  node_refs.must_have(names.size(), "nodes");
  places.must_have(pod_refs.size(), "on_node");
  Filled<uint64_t> node_ids(node_refs.size()), pod_ids(pod_refs.size());
  change_sim(sim, libsched_sim_reset, node_refs.data(), texts.data(), texts.size(), pod_refs.data(),
             places.data(), pod_refs.size(), node_ids.data(), pod_ids.data());
  return {node_ids.take(), pod_ids.take()};
}

py::bytearray add_nodes(Sim& sim, uint64_t like, const std::vector<std::string_view>& names) {
  const auto texts = raw(names);
  Filled<uint64_t> ids(names.size());
  change_sim(sim, libsched_sim_add_nodes, like, texts.data(), texts.size(), ids.data());
  return ids.take();
}

py::bytearray add_pods(Sim& sim, py::handle pods, py::handle nodes) {
  const Numbers<uint64_t> refs(pods), to(nodes);
  to.must_have(refs.size(), "nodes");
  Filled<uint64_t> ids(refs.size());
  change_sim(sim, libsched_sim_add_pods, refs.data(), to.data(), refs.size(), ids.data());
  return ids.take();
}

py::bytearray nodes(Sim& sim) {
  return reading(sim, [&](libsched_sim* s) {
    Filled<uint64_t> ids(libsched_sim_node_count(s));
    size_t count = 0;
    quick(libsched_sim_nodes, s, ids.data(), ids.size(), &count);
    return ids.take();
  });
}

py::bytearray pods_on(Sim& sim, uint64_t node) {
  return reading(sim, [&](libsched_sim* s) {
    size_t count = 0;
    libsched_error* error = nullptr;
    const libsched_rc code = libsched_sim_pods_on(s, node, nullptr, 0, &count, &error);
    if (code == LIBSCHED_ERR_BUFFER) {
      libsched_error_unref(error);
    } else {
      check(code, error);
    }
    Filled<uint64_t> ids(count);
    quick(libsched_sim_pods_on, s, node, ids.data(), ids.size(), &count);
    return ids.take();
  });
}

auto names_of_nodes(Sim& sim, py::handle nodes) {
  const Numbers<uint64_t> ids(nodes);
  return reading(sim, [&](libsched_sim* s) {
    return collect(ids.size(), [&](size_t i) { return libsched_sim_node_name(s, ids.data()[i]); });
  });
}

// Changes several pods.
template <auto change>
void each_pod(Sim& sim, py::handle pods) {
  const Numbers<uint64_t> ids(pods);
  change_sim(sim, change, ids.data(), ids.size());
}

// A number about each of several nodes or pods; 0, or SIZE_MAX for positions, of those that are
// gone.
template <auto read>
py::bytearray each(Sim& sim, py::handle numbers) {
  const Numbers<uint64_t> ids(numbers);
  Filled<uint64_t> found(ids.size());
  reading(sim, [&](libsched_sim* s) {
    for (size_t i = 0; i < ids.size(); ++i) found.data()[i] = read(s, ids.data()[i]);
    return 0;
  });
  return found.take();
}

// A row of numbers for each of several nodes, and the length of a row.
template <auto read>
std::tuple<py::bytearray, size_t> amounts(Sim& sim, py::handle nodes) {
  const Numbers<uint64_t> ids(nodes);
  return reading(sim, [&](libsched_sim* s) {
    const size_t width = libsched_sim_resource_count(s);
    Filled<int64_t> found(ids.size() * width);
    for (size_t i = 0; i < ids.size(); ++i) {
      size_t count = 0;
      quick(read, s, ids.data()[i], found.data() + i * width, width, &count);
    }
    return std::tuple(found.take(), width);
  });
}

}  // namespace

void bind_sim(py::module_& module) {
  module.attr("FORM_TEXT") = static_cast<uint32_t>(LIBSCHED_FORM_TEXT);
  module.attr("FORM_PROTOBUF") = static_cast<uint32_t>(LIBSCHED_FORM_PROTOBUF);
  module.attr("FORM_FLAT") = static_cast<uint32_t>(LIBSCHED_FORM_FLAT);
  Class<Catalog>(module, "Catalog")
      .def(py::init(&created<Catalog, libsched_catalog_create>))
      .def("add_pods", add_documents<libsched_catalog_add_pods>, py::arg("documents"),
           py::arg("form"), py::arg("placed"), py::arg("defaults"), py::arg("extras"))
      .def("add_nodes", add_documents<libsched_catalog_add_nodes>, py::arg("documents"),
           py::arg("form"), py::arg("placed"), py::arg("defaults"), py::arg("extras"))
      .def("add_pod", add_object<libsched_catalog_add_pod, Pod>, py::arg("pod"), py::arg("placed"),
           py::arg("extra"))
      .def("add_node", add_object<libsched_catalog_add_node, Node>, py::arg("node"),
           py::arg("placed"), py::arg("extra"))
      .def_property_readonly("pod_count", quick_call<libsched_catalog_pod_count>)
      .def_property_readonly("node_count", quick_call<libsched_catalog_node_count>)
      .def("has_pod", quick_call<libsched_catalog_has_pod>)
      .def("has_node", quick_call<libsched_catalog_has_node>)
      .def("age", unlocked_call<libsched_catalog_age>);
  bind_sim_queries(module);
  Class<Sim> sim(module, "Sim");
  sim.def(py::init(&create_sim))
      .def("reset", reset, py::arg("nodes"), py::arg("names"), py::arg("pods"), py::arg("on_node"))
      .def("load", unlocked_call<libsched_sim_load>)
      .def("put_objects", unlocked_call<libsched_sim_put_objects>)
      .def("reset_objects", unlocked_call<libsched_sim_reset_objects>)
      .def("remove_object", quick_call<libsched_sim_remove_object>)
      .def("add_nodes", add_nodes)
      .def("remove_node", quick_call<libsched_sim_remove_node>)
      .def("replace_node", quick_call<libsched_sim_replace_node>)
      .def("add_pods", add_pods)
      .def("remove_pods", each_pod<libsched_sim_remove_pods>)
      .def("unplace_pods", each_pod<libsched_sim_unplace_pods>)
      .def("fork", quick_call<libsched_sim_fork>)
      .def("commit", unlocked_call<libsched_sim_commit>)
      .def("revert", unlocked_call<libsched_sim_revert>)
      .def_property_readonly("fork_depth", quick_call<libsched_sim_fork_depth>)
      .def_property_readonly("node_count", quick_call<libsched_sim_node_count>)
      .def_property_readonly("pod_count", quick_call<libsched_sim_pod_count>)
      .def_property_readonly("node_limit", quick_call<libsched_sim_node_limit>)
      .def(
          "view",
          [](const Sim& s) {
            View made;
            made.lock = s.lock;
            made.view = libsched_sim_view(s.handle.get());
            return made;
          },
          py::keep_alive<0, 1>())
      .def("nodes", nodes)
      .def("pods_on", pods_on)
      .def("node_names", names_of_nodes)
      .def("find_node", quick_call<libsched_sim_find_node>)
      .def("positions", each<libsched_sim_position>)
      .def("node_refs", each<libsched_sim_node_ref>)
      .def("pod_refs", each<libsched_sim_pod_ref>)
      .def("pod_nodes", each<libsched_sim_pod_node>)
      .def("resources", listing<libsched_sim_resource_count, libsched_sim_resource>)
      .def("requested", amounts<libsched_sim_requested>)
      .def("allocatable", amounts<libsched_sim_allocatable>)
      .def("plugins", listing<libsched_sim_plugin_count, libsched_sim_plugin>);
  bind_sim_questions(sim);
}

}  // namespace libsched
