// Pods and nodes in the flat form: no crash, no leak, and an accepted object is written as JSON
// that gives it again.
#include <cstdlib>

#include "libsched/ingest/flat/flat.hpp"
#include "libsched/ingest/write/write.hpp"

using namespace libsched;  // NOLINT(google-build-using-namespace)

namespace {

template <typename Ref, typename Write>
void check(const Result<Ref>& object, Result<Ref> (*parse)(Str, const ParseOptions&),
           Write&& write) {
  if (!object.ok()) {
    if (object.error().message.empty()) std::abort();
    return;
  }
  const std::string json = write(**object);
  const Result<Ref> same = parse(json, {});
  if (!same.ok() || write(**same) != json) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  ParseOptions options;
  options.strict = (data[0] & 1) != 0;
  options.validate = (data[0] & 2) != 0;
  options.keep_raw = (data[0] & 4) != 0;
  options.max_bytes = 1 << 20;
  const Str flat(reinterpret_cast<const char*>(data + 1), size - 1);
  check(parse_flat_pod(flat, options), parse_pod, [](const Pod& pod) {
    JsonText json;
    write_pod(json, pod, pod.spec.node_name);
    return json.take();
  });
  check(parse_flat_node(flat, options), parse_node, [](const Node& node) {
    JsonText json;
    write_node(json, node);
    return json.take();
  });
  return 0;
}
