// Protobuf: what the converter accepts is JSON that the object parser reads or refuses with a path.
// The first byte selects a message without an envelope, or an envelope with one.
#include <cstdlib>

#include "libsched/ingest/ingest.hpp"
#include "libsched/ingest/protobuf/protobuf.hpp"

using namespace libsched;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const Str bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  ParseOptions options;
  options.format = Format::kProtobuf;
  options.max_bytes = 1 << 22;
  options.validate = options.defaults = (data[0] & 1) != 0;
  ProtobufLimits limits;
  limits.max_bytes = options.max_bytes;
  const TypeName type{"v1", (data[0] & 2) != 0 ? "Pod" : "Node"};
  const Result<std::string> json = protobuf_to_json(bytes, type, limits);
  if (!json.ok() && json.error().message.empty()) std::abort();
  if (json.ok()) {
    ParseOptions as_json = options;
    as_json.format = Format::kJson;
    const Result<ObjectSet> set = parse_objects(*json, as_json);
    // The text is always JSON: an error is about a value in it, never about its syntax.
    if (!set.ok() && set.error().message.find("(line ") != Str::npos) std::abort();
  }
  if (type.kind == "Pod") {
    const Result<PodRef> pod = parse_pod(bytes, options);
    if (pod.ok() && !json.ok()) std::abort();
  } else {
    const Result<NodeRef> node = parse_node(bytes, options);
    if (node.ok() && !json.ok()) std::abort();
  }
  return 0;
}
