// _core.Cluster and _core.Snapshot: the mutable state, its what-ifs, and immutable copies.
#include "calls.hpp"

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
  quick(libsched_cluster_create, &options, into(out));
  return own_cluster(std::move(out));
}

// Runs a call under the cluster's lock and without the GIL.
template <typename Call, typename... Arguments>
void change(Cluster& cluster, Call&& call, Arguments&&... arguments) {
  const Holding holding(cluster.lock.get());
  unlocked(call, cluster.handle.get(), std::forward<Arguments>(arguments)...);
}

void add_nodes(Cluster& cluster, const std::vector<const Node*>& nodes) {
  const auto handles = raw(nodes);
  change(cluster, libsched_cluster_add_nodes, handles.data(), handles.size());
}

void add_pods(Cluster& cluster, const std::vector<const Pod*>& pods,
              const std::optional<std::vector<std::string_view>>& node_names) {
  if (node_names && node_names->size() != pods.size()) {
    throw py::value_error("as many node names as pods are needed");
  }
  const auto handles = raw(pods);
  std::vector<libsched_str> names;
  if (node_names) names = raw(*node_names);
  change(cluster, libsched_cluster_add_pods, handles.data(), node_names ? names.data() : nullptr,
         handles.size());
}

// ([(pod, index among `pods` or None, replicas)], notes)
auto edit(Cluster& cluster, const std::vector<std::string_view>& edits,
          const std::vector<const Pod*>& pods, const std::vector<std::string_view>& kinds,
          const std::vector<size_t>& replicas) {
  if (pods.size() != kinds.size() || pods.size() != replicas.size())
    throw py::value_error("as many kinds and replicas as pods are needed");
  const auto texts = raw(edits), kind_list = raw(kinds);
  const auto handles = raw(pods);
  SlowlyOwned<libsched_edited_unref> edited;
  change(cluster, libsched_cluster_edit, texts.data(), texts.size(), handles.data(),
         kind_list.data(), replicas.data(), handles.size(), into(edited));
  return tuple_of(collect(libsched_edited_pod_count(edited.get()),
                          [&](size_t i) {
                            size_t origin = 0, count = 0;
                            const libsched_pod* pod =
                                libsched_edited_pod(edited.get(), i, &origin, &count);
                            std::optional<size_t> index;
                            if (origin != LIBSCHED_NEW_POD) index = origin;
                            return tuple_of(pod, index, count);
                          }),
                  collect(libsched_edited_note_count(edited.get()),
                          [&](size_t i) { return libsched_edited_note(edited.get(), i); }));
}

void bind_changes(py::module_& module) {
  Class<Changes>(module, "Changes")
      .def(py::init(&created<Changes, libsched_changes_create>))
      .def("put_objects", quick_call<libsched_changes_put_objects>)
      .def("put_node", quick_call<libsched_changes_put_node>)
      .def("put_pod", quick_call<libsched_changes_put_pod>)
      .def("remove", quick_call<libsched_changes_remove>);
  module.attr("PUT_APPLY") = static_cast<uint32_t>(LIBSCHED_PUT_APPLY);
  module.attr("PUT_UPDATE") = static_cast<uint32_t>(LIBSCHED_PUT_UPDATE);
  module.attr("PUT_MISSING") = static_cast<uint32_t>(LIBSCHED_PUT_MISSING);
  module.attr("PUT_NO_NODES") = static_cast<uint32_t>(LIBSCHED_PUT_NO_NODES);
  module.attr("PUT_NO_PODS") = static_cast<uint32_t>(LIBSCHED_PUT_NO_PODS);
}

std::unique_ptr<Cluster> clone(Cluster& cluster) {
  ClusterHandle out;
  change(cluster, libsched_cluster_clone, into(out));
  return own_cluster(std::move(out));
}

std::unique_ptr<Snapshot> take_snapshot(Cluster& cluster) {
  auto snapshot = std::make_unique<Snapshot>();
  change(cluster, libsched_cluster_snapshot, into(snapshot->handle));
  snapshot->view = libsched_snapshot_view(snapshot->handle.get());
  return snapshot;
}

}  // namespace

void bind_cluster(py::module_& module) {
  bind_changes(module);
  Class<Snapshot, View>(module, "Snapshot");
  Class<Cluster, View>(module, "Cluster")
      .def(py::init(&create_cluster), py::arg("node_order") = 0)
      .def("apply", unlocked_call<libsched_cluster_apply_changes>)
      .def("add_nodes", add_nodes)
      .def("remove_node", quick_call<libsched_cluster_remove_node>)
      .def("add_pods", add_pods, py::arg("pods"), py::arg("node_names"))
      .def("edit", edit, py::arg("edits"), py::arg("pods"), py::arg("kinds"), py::arg("replicas"))
      .def("remove_pod", quick_call<libsched_cluster_remove_pod>)
      .def("remove_object", quick_call<libsched_cluster_remove_object>)
      .def("assume", quick_call<libsched_cluster_assume>)
      .def("forget", quick_call<libsched_cluster_forget>)
      .def("fork", quick_call<libsched_cluster_fork>)
      .def("commit", unlocked_call<libsched_cluster_commit>)
      .def("revert", unlocked_call<libsched_cluster_revert>)
      .def("refresh", unlocked_call<libsched_cluster_refresh>)
      .def_property_readonly("fork_depth", quick_call<libsched_cluster_fork_depth>)
      .def("clone", clone)
      .def("snapshot", take_snapshot);
}

}  // namespace libsched
