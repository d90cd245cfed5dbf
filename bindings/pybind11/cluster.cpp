// _core.Cluster and _core.Snapshot: the mutable state, its what-ifs, and immutable copies.
#include "binding.hpp"

#include <vector>

namespace libsched {
namespace {

std::unique_ptr<Cluster> own_cluster(ClusterHandle handle) {
  auto cluster = std::make_unique<Cluster>();
  cluster->view = libsched_cluster_view(handle.get());
  cluster->handle = std::move(handle);
  cluster->lock = std::make_shared<Lock>();
  return cluster;
}

std::unique_ptr<Cluster> create_cluster(uint32_t node_order) {
  libsched_cluster_options options = LIBSCHED_CLUSTER_OPTIONS_INIT;
  options.node_order = node_order;
  ClusterHandle out;
  quick(
      [&](libsched_error** error) { return libsched_cluster_create(&options, into(out), error); });
  return own_cluster(std::move(out));
}

// A change that may take long: under the cluster's lock and without the GIL.
template <typename Call>
void change(Cluster& cluster, Call&& call) {
  const Holding holding(cluster.lock.get());
  unlocked([&](libsched_error** error) { return call(cluster.handle.get(), error); });
}
// A change that takes less time than releasing the GIL.
template <typename Call>
void quick_change(Cluster& cluster, Call&& call) {
  const Holding holding(cluster.lock.get());
  quick([&](libsched_error** error) { return call(cluster.handle.get(), error); });
}

void add_nodes(Cluster& cluster, const std::vector<const Node*>& nodes) {
  std::vector<const libsched_node*> handles;
  handles.reserve(nodes.size());
  for (const Node* node : nodes) handles.push_back(node->handle.get());
  change(cluster, [&](libsched_cluster* c, libsched_error** error) {
    return libsched_cluster_add_nodes(c, handles.data(), handles.size(), error);
  });
}

void add_pods(Cluster& cluster, const std::vector<const Pod*>& pods,
              const std::optional<std::vector<std::string_view>>& node_names) {
  if (node_names && node_names->size() != pods.size()) {
    throw py::value_error("as many node names as pods are needed");
  }
  std::vector<const libsched_pod*> handles;
  handles.reserve(pods.size());
  for (const Pod* pod : pods) handles.push_back(pod->handle.get());
  std::vector<libsched_str> names;
  if (node_names) {
    names.reserve(node_names->size());
    for (const std::string_view name : *node_names) names.push_back(to_str(name));
  }
  change(cluster, [&](libsched_cluster* c, libsched_error** error) {
    return libsched_cluster_add_pods(c, handles.data(), node_names ? names.data() : nullptr,
                                     handles.size(), error);
  });
}

// ([(pod, index among `pods` or None, replicas)], notes)
py::tuple edit(Cluster& cluster, const std::vector<std::string_view>& edits,
               const std::vector<const Pod*>& pods, const std::vector<std::string_view>& kinds,
               const std::vector<size_t>& replicas) {
  if (pods.size() != kinds.size() || pods.size() != replicas.size())
    throw py::value_error("as many kinds and replicas as pods are needed");
  std::vector<libsched_str> texts, kind_list;
  for (const std::string_view text : edits) texts.push_back(to_str(text));
  for (const std::string_view kind : kinds) kind_list.push_back(to_str(kind));
  std::vector<const libsched_pod*> handles;
  for (const Pod* pod : pods) handles.push_back(pod->handle.get());
  std::unique_ptr<libsched_edited, UnrefWithoutGil<libsched_edited, libsched_edited_unref>> edited;
  change(cluster, [&](libsched_cluster* c, libsched_error** error) {
    return libsched_cluster_edit(c, texts.data(), texts.size(), handles.data(), kind_list.data(),
                                 replicas.data(), handles.size(), into(edited), error);
  });
  py::list out;
  for (size_t i = 0; i < libsched_edited_pod_count(edited.get()); ++i) {
    size_t origin = 0, count = 0;
    const libsched_pod* pod = libsched_edited_pod(edited.get(), i, &origin, &count);
    out.append(py::make_tuple(
        own_pod(pod),
        origin == LIBSCHED_NEW_POD ? py::object(py::none()) : py::object(py::int_(origin)), count));
  }
  py::list notes;
  for (size_t i = 0; i < libsched_edited_note_count(edited.get()); ++i)
    notes.append(from_str(libsched_edited_note(edited.get(), i)));
  return py::make_tuple(out, notes);
}

std::unique_ptr<Changes> create_changes() {
  auto changes = std::make_unique<Changes>();
  quick([&](libsched_error** error) {
    return libsched_changes_create(into(changes->handle), error);
  });
  return changes;
}

size_t apply(Cluster& cluster, const Changes& changes) {
  size_t count = 0;
  change(cluster, [&](libsched_cluster* c, libsched_error** error) {
    return libsched_cluster_apply_changes(c, changes.handle.get(), &count, error);
  });
  return count;
}

void bind_changes(py::module_& module) {
  Class<Changes>(module, "Changes")
      .def(py::init(&create_changes))
      .def("put_objects",
           [](Changes& changes, const Objects& objects, uint32_t how) {
             quick([&](libsched_error** error) {
               return libsched_changes_put_objects(changes.handle.get(), objects.handle.get(), how,
                                                   error);
             });
           })
      .def("put_node",
           [](Changes& changes, const Node& node, uint32_t how) {
             quick([&](libsched_error** error) {
               return libsched_changes_put_node(changes.handle.get(), node.handle.get(), how,
                                                error);
             });
           })
      .def("put_pod",
           [](Changes& changes, const Pod& pod, std::string_view node_name, uint32_t how) {
             quick([&](libsched_error** error) {
               return libsched_changes_put_pod(changes.handle.get(), pod.handle.get(),
                                               to_str(node_name), how, error);
             });
           })
      .def("remove", [](Changes& changes, std::string_view kind, std::string_view namespace_,
                        std::string_view name) {
        quick([&](libsched_error** error) {
          return libsched_changes_remove(changes.handle.get(), to_str(kind), to_str(namespace_),
                                         to_str(name), error);
        });
      });
  module.attr("PUT_APPLY") = static_cast<uint32_t>(LIBSCHED_PUT_APPLY);
  module.attr("PUT_UPDATE") = static_cast<uint32_t>(LIBSCHED_PUT_UPDATE);
  module.attr("PUT_MISSING") = static_cast<uint32_t>(LIBSCHED_PUT_MISSING);
  module.attr("PUT_NO_NODES") = static_cast<uint32_t>(LIBSCHED_PUT_NO_NODES);
  module.attr("PUT_NO_PODS") = static_cast<uint32_t>(LIBSCHED_PUT_NO_PODS);
}

std::unique_ptr<Cluster> clone(Cluster& cluster) {
  ClusterHandle out;
  change(cluster, [&](libsched_cluster* c, libsched_error** error) {
    return libsched_cluster_clone(c, into(out), error);
  });
  return own_cluster(std::move(out));
}

std::unique_ptr<Snapshot> take_snapshot(Cluster& cluster) {
  SnapshotHandle out;
  change(cluster, [&](libsched_cluster* c, libsched_error** error) {
    return libsched_cluster_snapshot(c, into(out), error);
  });
  auto snapshot = std::make_unique<Snapshot>();
  snapshot->view = libsched_snapshot_view(out.get());
  snapshot->handle = std::move(out);
  return snapshot;
}

}  // namespace

void bind_cluster(py::module_& module) {
  bind_changes(module);
  Class<Snapshot, View>(module, "Snapshot");
  Class<Cluster, View>(module, "Cluster")
      .def(py::init(&create_cluster), py::arg("node_order") = 0)
      .def("apply", apply)
      .def("add_nodes", add_nodes)
      .def("remove_node",
           [](Cluster& cluster, std::string_view name) {
             quick_change(cluster, [&](libsched_cluster* c, libsched_error** error) {
               return libsched_cluster_remove_node(c, to_str(name), error);
             });
           })
      .def("add_pods", add_pods, py::arg("pods"), py::arg("node_names"))
      .def("edit", edit, py::arg("edits"), py::arg("pods"), py::arg("kinds"), py::arg("replicas"))
      .def("remove_pod",
           [](Cluster& cluster, std::string_view namespace_, std::string_view name) {
             quick_change(cluster, [&](libsched_cluster* c, libsched_error** error) {
               return libsched_cluster_remove_pod(c, to_str(namespace_), to_str(name), error);
             });
           })
      .def("remove_object",
           [](Cluster& cluster, std::string_view kind, std::string_view namespace_,
              std::string_view name) {
             quick_change(cluster, [&](libsched_cluster* c, libsched_error** error) {
               return libsched_cluster_remove_object(c, to_str(kind), to_str(namespace_),
                                                     to_str(name), error);
             });
           })
      .def("assume",
           [](Cluster& cluster, const Pod& pod, std::string_view node_name) {
             quick_change(cluster, [&](libsched_cluster* c, libsched_error** error) {
               return libsched_cluster_assume(c, pod.handle.get(), to_str(node_name), error);
             });
           })
      .def("forget",
           [](Cluster& cluster, std::string_view namespace_, std::string_view name) {
             quick_change(cluster, [&](libsched_cluster* c, libsched_error** error) {
               return libsched_cluster_forget(c, to_str(namespace_), to_str(name), error);
             });
           })
      .def("fork", [](Cluster& cluster) { quick_change(cluster, libsched_cluster_fork); })
      .def("commit", [](Cluster& cluster) { change(cluster, libsched_cluster_commit); })
      .def("revert", [](Cluster& cluster) { change(cluster, libsched_cluster_revert); })
      .def("refresh", [](Cluster& cluster) { change(cluster, libsched_cluster_refresh); })
      .def_property_readonly("fork_depth",
                             [](Cluster& cluster) {
                               const Holding holding(cluster.lock.get());
                               return libsched_cluster_fork_depth(cluster.handle.get());
                             })
      .def("clone", clone)
      .def("snapshot", take_snapshot);
}

}  // namespace libsched
