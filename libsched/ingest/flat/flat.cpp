// The frame of the flat form: the header, its two parts, and their way through the JSON builders.
#include "libsched/ingest/flat/flat.hpp"

#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>

#include "libsched/ingest/flat/flat_fields.hpp"
#include "libsched/ingest/flat/flat_json.hpp"

namespace libsched {
namespace {

constexpr size_t kHeader = 16;
constexpr uint8_t kVersion = 1;

uint8_t byte_at(Str bytes, size_t i) { return static_cast<uint8_t>(bytes[i]); }

Result<std::string> to_json(Str bytes, const ParseOptions& options, int record) {
  if (bytes.size() > options.max_bytes) {
    return Error{Rc::kLimit,
                 "the object is larger than " + std::to_string(options.max_bytes) + " bytes"};
  }
  if (bytes.size() < kHeader || bytes.substr(0, 3) != "LSF") {
    return invalid({}, "no flat form: it begins with LSF and has at least 16 bytes");
  }
  if (byte_at(bytes, 3) != kVersion) {
    return invalid({}, "version " + std::to_string(byte_at(bytes, 3)) +
                           " of the flat form, only version 1 is read");
  }
  const uint8_t kind = byte_at(bytes, 4);
  if (kind != record + 1) {
    return invalid({}, std::string("expected a ") + (record == kFlatPod ? "Pod" : "Node") +
                           ", got " +
                           (kind == 1   ? "a Pod"
                            : kind == 2 ? "a Node"
                                        : "kind " + std::to_string(kind)));
  }
  if (bytes.substr(5, 3) != Str("\0\0\0", 3)) {
    return invalid({}, "the reserved bytes of the header are not 0");
  }
  const size_t content = flat_length(bytes, 8), identity = flat_length(bytes, 12);
  const size_t rest = bytes.size() - kHeader;
  if (content + identity != rest) {
    return invalid({}, "the header announces " + std::to_string(content + identity) +
                           " bytes, but " + std::to_string(rest) + " follow it");
  }
  FlatJson json;
  const Str kind_name = record == kFlatPod ? "Pod" : "Node";
  json.begin(kind_name, 2 * bytes.size());
  if (!json.record(record, bytes.substr(kHeader, content), bytes.substr(kHeader + content))) {
    return json.error();
  }
  return json.take();
}

// The limit holds for the flat form; its JSON is longer by a bounded factor.
ParseOptions of_json(const ParseOptions& options) {
  ParseOptions o = options;
  o.format = Format::kJson;
  o.max_bytes = std::numeric_limits<size_t>::max();
  return o;
}

template <typename Ref>
Result<Ref> parse_flat(Str bytes, const ParseOptions& options, int record,
                       Result<Ref> (*parse)(Str, const ParseOptions&)) {
  try {
    const Result<std::string> json = to_json(bytes, options, record);
    if (!json.ok()) return json.error();
    return parse(*json, of_json(options));
  } catch (const std::bad_alloc&) {
    return Error{Rc::kNoMemory, "out of memory"};
  } catch (const std::length_error&) {
    return Error{Rc::kNoMemory, "out of memory"};
  }
}

}  // namespace

Result<PodRef> parse_flat_pod(Str bytes, const ParseOptions& options) {
  return parse_flat(bytes, options, kFlatPod, parse_pod);
}

Result<NodeRef> parse_flat_node(Str bytes, const ParseOptions& options) {
  return parse_flat(bytes, options, kFlatNode, parse_node);
}

}  // namespace libsched
