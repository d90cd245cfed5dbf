// What is told of nodes, and the comparison of rows.
#include "net/src/remote/nodes.hpp"

#include "net/src/remote/text.hpp"

namespace libsched::remote {
namespace {

// A node of a view, or a copy of one with other pods.
struct Seen {
  const libsched_view* view;
  uint32_t row;
  const libsched_node_info* copy;

  const libsched_node* node() const {
    return copy != nullptr ? libsched_node_info_node(copy) : libsched_view_node(view, row);
  }
  size_t pod_count() const {
    return copy != nullptr ? libsched_node_info_pod_count(copy)
                           : libsched_view_node_pod_count(view, row);
  }
  const libsched_pod* pod(size_t i) const {
    return copy != nullptr ? libsched_node_info_pod(copy, i) : libsched_view_node_pod(view, row, i);
  }
  int64_t allocatable(libsched_str resource) const {
    return copy != nullptr ? libsched_node_info_allocatable(copy, resource)
                           : libsched_view_allocatable(view, row, resource);
  }
  int64_t requested(libsched_str resource) const {
    return copy != nullptr ? libsched_node_info_requested(copy, resource)
                           : libsched_view_requested(view, row, resource);
  }
};

void append_amounts(std::string* out, const char* key, const std::vector<libsched_str>& resources,
                    const Seen& seen, int64_t (Seen::*amount)(libsched_str) const) {
  append_key(out, key);
  out->push_back('{');
  bool first = true;
  for (const libsched_str resource : resources) {
    const int64_t value = (seen.*amount)(resource);
    if (value == 0) continue;
    if (!first) out->push_back(',');
    first = false;
    append_json_text(*out, view_of(resource));
    out->push_back(':');
    append_number(out, value);
  }
  out->push_back('}');
}

Result<void> append_pods(std::string* out, const Seen& seen, const Wants& wants) {
  const size_t count = seen.pod_count();
  if (wants.pod_keys) {
    append_key(out, "podKeys");
    out->push_back('[');
    for (size_t i = 0; i < count; ++i) {
      if (i != 0) out->push_back(',');
      const libsched_pod* const pod = seen.pod(i);
      append_json_text(*out, std::string(view_of(libsched_pod_namespace(pod))) + "/" +
                                 std::string(view_of(libsched_pod_name(pod))));
    }
    out->push_back(']');
  }
  if (!wants.pods) return {};
  append_key(out, "pods");
  out->push_back('[');
  for (size_t i = 0; i < count; ++i) {
    if (i != 0) out->push_back(',');
    auto document = document_of(seen.pod(i));
    if (!document) return document.error();
    *out += *document;
  }
  out->push_back(']');
  return {};
}

}  // namespace

Result<void> append_record(std::string* out, const libsched_view* view, uint32_t row,
                           const libsched_node_info* copy, const Wants& wants) {
  const Seen seen{view, row, copy};
  *out += "{\"row\":";
  append_number(out, row);
  append_key(out, "name");
  append_json_text(*out, view_of(libsched_node_name(seen.node())));
  if (wants.node) {
    append_key(out, "node");
    auto document = document_of(seen.node());
    if (!document) return document.error();
    *out += *document;
  }
  LIBSCHED_TRY(append_pods(out, seen, wants));
  if (wants.resources) {
    std::vector<libsched_str> resources(libsched_view_resources(view, nullptr, 0));
    resources.resize(std::min(resources.size(),
                              libsched_view_resources(view, resources.data(), resources.size())));
    append_amounts(out, "allocatable", resources, seen, &Seen::allocatable);
    append_amounts(out, "requested", resources, seen, &Seen::requested);
  }
  out->push_back('}');
  return {};
}

bool Nodes::is_known(const StateOfPlugin* state, const libsched_view* view) const {
  return state != nullptr && told_ && state->nodes_version == version_ && view == view_ &&
         state->view == view && state->view_version == view_version_ &&
         libsched_view_version(view) == view_version_;
}

bool Nodes::is_same(const Row& row, const libsched_view* view, uint32_t index,
                    const libsched_node* node) const {
  if (row.node.get() != node) return false;
  if (!wants_.of_pods() || node == nullptr) return true;
  const size_t count = libsched_view_node_pod_count(view, index);
  if (row.pods.size() != count) return false;
  for (size_t i = 0; i < count; ++i)
    if (row.pods[i].get() != libsched_view_node_pod(view, index, i)) return false;
  return true;
}

Result<Nodes::Changed> Nodes::update(StateOfPlugin* state, const libsched_view* view,
                                     std::string* records, std::string* removed) {
  Changed changed;
  const size_t count = libsched_view_row_count(view);
  if (rows_.size() < count) rows_.resize(count);
  for (size_t i = 0; i < rows_.size(); ++i) {
    const auto index = static_cast<uint32_t>(i);
    Row& row = rows_[i];
    const libsched_node* const node = i < count ? libsched_view_node(view, index) : nullptr;
    if (is_same(row, view, index, node)) continue;
    if (node == nullptr) {
      row = Row();
      if (changed.removed++ != 0) removed->push_back(',');
      append_number(removed, index);
      continue;
    }
    if (changed.records++ != 0) records->push_back(',');
    const size_t start = records->size();
    LIBSCHED_TRY(append_record(records, view, index, nullptr, wants_));
    row.node = held(node);
    row.pods.clear();
    if (wants_.of_pods())
      for (size_t p = 0; p < libsched_view_node_pod_count(view, index); ++p)
        row.pods.push_back(held(libsched_view_node_pod(view, index, p)));
    if (keeps_texts_) {
      row.text.clear();
      if (wants_ == Wants()) {
        append_json_text(row.text, view_of(libsched_node_name(node)));
      } else {
        row.text = records->substr(start);
      }
    }
  }
  rows_.resize(count);
  changed.base = told_ ? version_ : 0;
  if (changed.any()) ++version_;
  told_ = true;
  view_ = view;
  view_version_ = libsched_view_version(view);
  if (state != nullptr) {
    state->view = view;
    state->view_version = view_version_;
    state->nodes_version = version_;
  }
  return changed;
}

void Nodes::forget() {
  rows_.clear();
  told_ = false;
  view_ = nullptr;
}

}  // namespace libsched::remote
