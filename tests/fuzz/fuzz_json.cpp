// Objects from JSON (and any other bytes): no crash, no leak, no guess. An accepted document
// is applied to a cluster; applying it again changes nothing.
#include <cstdlib>

#include "libsched/cluster/cluster.hpp"
#include "libsched/ingest/ingest.hpp"

using namespace libsched;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  ParseOptions options;
  options.defaults = (data[0] & 1) != 0;
  options.strict = (data[0] & 2) != 0;
  options.keep_raw = (data[0] & 4) != 0;
  options.validate = (data[0] & 8) != 0;
  options.max_bytes = 1 << 22;
  options.max_depth = (data[0] & 16) != 0 ? 5 : 200;
  const Str text(reinterpret_cast<const char*>(data + 1), size - 1);
  Result<ObjectSet> set = parse_objects(text, options);
  if (!set.ok()) {
    if (set.error().message.empty()) std::abort();
    return 0;
  }
  Ref<Cluster> cluster = make_ref<Cluster>();
  if (!cluster->apply(*set).ok()) return 0;
  const size_t nodes = cluster->view().node_count(), pods = cluster->view().pod_count();
  cluster->refresh();
  const std::vector<uint32_t> order = cluster->view().order();
  if (!cluster->apply(*set).ok()) std::abort();
  cluster->refresh();
  if (cluster->view().node_count() != nodes || cluster->view().pod_count() != pods ||
      cluster->view().order() != order)
    std::abort();
  return 0;
}
