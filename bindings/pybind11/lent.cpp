// Objects lent to plugins: one node, a set of nodes, a change of an object; and columns of
// texts over all nodes of a view.
#include "lent.hpp"
#include "calls.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace libsched {
namespace {

std::optional<py::str> node_label(const LentNodeInfo& info, std::string_view key) {
  libsched_str value{nullptr, 0};
  if (!libsched_node_label(libsched_node_info_node(info.get()), to_str(key), &value))
    return std::nullopt;
  return from_str(value);
}

py::bytes rows_of(const LentNodeSet& set) {
  return {reinterpret_cast<const char*>(libsched_node_set_rows(set.get())),
          libsched_node_set_count(set.get()) * sizeof(uint32_t)};
}

// (allocatable, requested) of the only node of a set, which may be a copy with other pods.
auto only_resource(const LentNodeSet& set, std::string_view resource) {
  const libsched_node_info* info = libsched_node_set_at(set.get(), 0);
  return tuple_of(libsched_node_info_allocatable(info, to_str(resource)),
                  libsched_node_info_requested(info, to_str(resource)));
}

py::object changed_object(const LentChange& change, bool after) {
  if (const libsched_pod* pod = libsched_object_change_pod(change.get(), after); pod != nullptr)
    return py::cast(own(pod));
  const libsched_node* node = libsched_object_change_node(change.get(), after);
  return node == nullptr ? py::object(py::none()) : py::cast(own(node));
}

// One text for each row: the value of a label, or the node's name if there is no key. Nodes are
// immutable, so only rows whose node has been replaced since the last update are read again.
class TextColumn {
 public:
  explicit TextColumn(std::optional<std::string> key) : key_(std::move(key)) {}

  // Updates the column; returns whether it has changed.
  bool update(const View& view) {
    const Holding holding(view.lock.get());
    const size_t rows = libsched_view_row_count(view.view);
    bool changed = rows != nodes_.size();
    nodes_.resize(rows);
    codes_.resize(rows, -1);
    for (size_t row = 0; row < rows; ++row) {
      const libsched_node* node = libsched_view_node(view.view, static_cast<uint32_t>(row));
      if (node == nodes_[row].get()) continue;
      nodes_[row].reset(node == nullptr ? nullptr : libsched_node_ref(node));
      codes_[row] = node == nullptr ? -1 : code_of(node);
      changed = true;
    }
    return changed;
  }

  py::bytes codes() const {
    return {reinterpret_cast<const char*>(codes_.data()), codes_.size() * sizeof(int32_t)};
  }
  const std::vector<py::str>& values() const { return values_; }

 private:
  int32_t code_of(const libsched_node* node) {
    libsched_str value{nullptr, 0};
    if (!key_) {
      value = libsched_node_name(node);
    } else if (!libsched_node_label(node, to_str(std::string_view(*key_)), &value)) {
      return -1;
    }
    const py::str text = from_str(value);
    if (const py::object found = known_.attr("get")(text); !found.is_none()) {
      return found.cast<int32_t>();
    }
    const auto code = static_cast<int32_t>(values_.size());
    known_[text] = code;
    values_.push_back(text);
    return code;
  }

  std::optional<std::string> key_;
  std::vector<NodeHandle> nodes_;
  std::vector<int32_t> codes_;  // -1: no such label, or no node
  std::vector<py::str> values_;
  py::dict known_;
};

using Column = size_t (*)(const libsched_view*, libsched_str, int64_t*, size_t);

template <Column read>
py::bytes column(const View& view, std::string_view resource) {
  const Holding holding(view.lock.get());
  const size_t count = libsched_view_row_count(view.view);
  py::bytes out(nullptr, count * sizeof(int64_t));
  read(view.view, to_str(resource), reinterpret_cast<int64_t*>(PyBytes_AS_STRING(out.ptr())),
       count);
  return out;
}

py::tuple get_status(const NodeStatuses& statuses, uint32_t row) {
  const StatusHandle status = create_status();
  libsched_node_statuses_get(statuses.get(), row, status.get());
  return status_tuple(status.get());
}

StatusHandle status_made_of(int32_t code, const std::vector<std::string_view>& reasons,
                            const std::optional<std::string_view>& error) {
  StatusHandle status = create_status();
  libsched_status_set(status.get(), code);
  if (error) libsched_status_set_error(status.get(), to_str(*error));
  for (const std::string_view reason : reasons) {
    libsched_status_add_reason(status.get(), to_str(reason));
  }
  return status;
}

}  // namespace

Wrappers::Wrappers() {
  const py::module_ lent = py::module_::import("libsched._lent");
  const auto find = [&](const char* name) { return lent.attr(name).cast<py::object>().release(); };
  pod = find("wrap_pod");
  node_info = find("wrap_node_info");
  node_set = find("wrap_node_set");
  state = find("wrap_state");
  statuses = find("wrap_statuses");
  change = find("wrap_change");
  scores = find("wrap_scores");
  queued = find("wrap_queued");
  events = find("registered_events");
  signature = find("signature_parts");
  handle = find("handle_of");
  view = find("view_at");
  failure = find("failure");
}

const Wrappers& Wrappers::get() {
  // Never freed, because Python may have ended by then. It is not the static's initialiser: making
  // it may release the GIL, and a thread waiting for the static would hold the GIL, or be forked.
  static constinit std::atomic<const Wrappers*> wrappers{nullptr};
  const Wrappers* all = wrappers.load(std::memory_order_acquire);
  if (all == nullptr) {
    std::unique_ptr<const Wrappers> made(new Wrappers());
    if (wrappers.compare_exchange_strong(all, made.get())) all = made.release();
  }
  return *all;
}

void bind_lent(py::module_& module) {
  Class<LentNodeInfo>(module, "NodeInfo")
      .def_property_readonly("row", quick_call<libsched_node_info_row>)
      .def_property_readonly(
          "name",
          [](const LentNodeInfo& info) {
            return from_str(libsched_node_name(libsched_node_info_node(info.get())));
          })
      .def_property_readonly("node", quick_call<libsched_node_info_node>)
      .def_property_readonly("pods", listing<libsched_node_info_pod_count, libsched_node_info_pod>)
      .def("label", node_label)
      .def("allocatable", quick_call<libsched_node_info_allocatable>)
      .def("requested", quick_call<libsched_node_info_requested>);
  Class<LentNodeSet>(module, "NodeSet")
      .def_property_readonly("count", quick_call<libsched_node_set_count>)
      .def_property_readonly("rows", rows_of)
      .def_property_readonly(
          "view_address",
          [](const LentNodeSet& set) {
            return reinterpret_cast<uintptr_t>(libsched_node_set_view(set.get()));
          })
      .def("only_resource", only_resource);
  Class<LentChange>(module, "ObjectChange")
      .def_property_readonly("resource", quick_call<libsched_object_change_resource>)
      .def_property_readonly("namespace", quick_call<libsched_object_change_namespace>)
      .def_property_readonly("name", quick_call<libsched_object_change_name>)
      .def("has",
           [](const LentChange& change, bool after) {
             return after ? libsched_object_change_has_after(change.get())
                          : libsched_object_change_has_before(change.get());
           })
      .def_property_readonly("actions", quick_call<libsched_object_change_actions>)
      .def("object", changed_object)
      .def("raw", quick_call<libsched_object_change_raw>);
  Class<NodeStatuses>(module, "NodeStatuses")
      .def(py::init(&created<NodeStatuses, libsched_node_statuses_create>))
      .def("set",
           [](NodeStatuses& statuses, uint32_t row, int32_t code,
              const std::vector<std::string_view>& reasons,
              const std::optional<std::string_view>& error) {
             const StatusHandle status = status_made_of(code, reasons, error);
             quick([&](libsched_error** failure) {
               return libsched_node_statuses_set(statuses.handle.get(), row, status.get(), failure);
             });
           })
      .def("set_absent",
           [](NodeStatuses& statuses, int32_t code, const std::vector<std::string_view>& reasons,
              const std::optional<std::string_view>& error) {
             const StatusHandle status = status_made_of(code, reasons, error);
             quick([&](libsched_error** failure) {
               return libsched_node_statuses_set_absent(statuses.handle.get(), status.get(),
                                                        failure);
             });
           })
      .def("row",
           [](const NodeStatuses& statuses, std::string_view name) {
             statuses.get();
             const uint32_t row = libsched_view_find_node(statuses.view, to_str(name));
             return row == LIBSCHED_NO_ROW ? std::nullopt : std::optional(row);
           })
      .def("code", quick_call<libsched_node_statuses_code>)
      .def("get", get_status);
  Class<TextColumn>(module, "TextColumn")
      .def(py::init([](std::optional<std::string> absent) {
        return std::make_unique<TextColumn>(std::move(absent));
      }))
      .def("update", &TextColumn::update)
      .def("codes", &TextColumn::codes)
      .def("values", &TextColumn::values);
  py::object view = module.attr("View");
  auto views = py::reinterpret_borrow<py::class_<View>>(view);
  views.def_property_readonly("address", address_of<View>)
      .def_property_readonly("version", quick_call<libsched_view_version>)
      .def("allocatable_column", column<libsched_view_allocatable_column>)
      .def("requested_column", column<libsched_view_requested_column>);
}

}  // namespace libsched
