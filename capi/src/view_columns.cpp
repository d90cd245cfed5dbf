// The resources of all nodes of a view at once.
#include <algorithm>

#include "handles.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

// Calls value(id, row) for each row that holds a node.
template <typename Value>
size_t column(const libsched_view* v, libsched_str resource, int64_t* out, size_t capacity,
              Value&& value) {
  if (!live(v)) return 0;
  const View& view = *unwrap(v);
  const size_t count = view.row_count();
  if (out == nullptr) return count;
  const uint32_t id = view.columns().find(in(resource));
  const size_t n = std::min(count, capacity);
  for (size_t row = 0; row < n; ++row) {
    const auto r = static_cast<uint32_t>(row);
    out[row] = id == kNoId || view.node(r) == nullptr ? 0 : value(view, id, r);
  }
  return count;
}

}  // namespace

extern "C" {

uint64_t libsched_view_version(const libsched_view* v) {
  return !live(v) ? 0 : unwrap(v)->version();
}
size_t libsched_view_allocatable_column(const libsched_view* v, libsched_str resource, int64_t* out,
                                        size_t capacity) {
  return column(v, resource, out, capacity, [](const View& view, uint32_t id, uint32_t row) {
    return view.columns().allocatable(id, row);
  });
}
size_t libsched_view_requested_column(const libsched_view* v, libsched_str resource, int64_t* out,
                                      size_t capacity) {
  return column(v, resource, out, capacity, [](const View& view, uint32_t id, uint32_t row) {
    return view.columns().requested(id, row);
  });
}

size_t libsched_view_resources(const libsched_view* v, libsched_str* names, size_t capacity) {
  if (!live(v)) return 0;
  const Columns& columns = unwrap(v)->columns();
  size_t count = 0;
  for (size_t id = 0; id < columns.count(); ++id) {
    const std::string& name = columns.resource(static_cast<uint32_t>(id)).name;
    if (name.empty()) continue;
    if (names != nullptr && count < capacity) names[count] = out(name);
    ++count;
  }
  return count;
}

}  // extern "C"
