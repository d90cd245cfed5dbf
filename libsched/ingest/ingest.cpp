// From bytes to JSON text: compression, byte order mark, YAML, protobuf; and the entry points.
#include "libsched/ingest/ingest.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <optional>
#include <utility>

#include "libsched/ingest/document_reader.hpp"
#include "libsched/ingest/protobuf/protobuf.hpp"
#include "libsched/ingest/unpack.hpp"
#include "libsched/ingest/yaml.hpp"

namespace libsched {
namespace {

constexpr Str kByteOrderMark = "\xef\xbb\xbf";
constexpr Str kSpace = " \t\r\n";

Error too_large(size_t max_bytes) {
  return {Rc::kLimit, "the document is larger than " + std::to_string(max_bytes) + " bytes"};
}

Result<Unpacked> unpack_limited(Str bytes, const ParseOptions& options) {
  const bool own = options.max_decompressed_bytes < options.max_bytes;
  const size_t most = own ? options.max_decompressed_bytes : options.max_bytes;
  Result<Unpacked> result = unpack(bytes, most, options.interrupt);
  if (!result.ok() && result.error().rc == Rc::kLimit) {
    result.error().message += own ? " (option max_decompressed_bytes)" : " (option max_bytes)";
  }
  return result;
}

bool looks_like_json(Str text) {
  const size_t i = text.find_first_not_of(kSpace);
  return i != Str::npos && (text[i] == '{' || text[i] == '[');
}

// Tells whether text that starts as JSON looks more like YAML: several documents, or a flow mapping
// with plain keys. The error for text that is neither depends on it.
bool looks_like_yaml(Str text) {
  const size_t open = text.find_first_not_of(kSpace);
  const size_t next = text.find_first_not_of(kSpace, open + 1);
  if (next != Str::npos && text[open] == '{' && text[next] != '"' && text[next] != '}') return true;
  return text.find("\n---") != Str::npos;
}

// The place in an error message of the JSON or the YAML reader.
std::pair<size_t, size_t> place_of(const Error& error) {
  constexpr Str kLine = "(line ", kColumn = ", column ";
  const Str text = error.message;
  const size_t line = text.rfind(kLine), column = text.rfind(kColumn);
  const auto number = [&](size_t at, Str before) {
    return at == Str::npos ? 0 : std::strtoull(text.data() + at + before.size(), nullptr, 10);
  };
  return {number(line, kLine), number(column, kColumn)};
}

// Hands YAML documents to the reader; false: the text is no YAML, and `error` says why.
Result<bool> read_yaml(Str text, YamlPlace start, const ParseOptions& options,
                       DocumentReader& reader, Error& error) {
  YamlLimits limits;
  limits.max_bytes = options.max_bytes;
  limits.max_depth = std::min(options.max_depth, 1000);
  limits.start = start;
  limits.interrupt = options.interrupt;
  Result<std::vector<std::string>> documents = yaml_to_json(text, limits);
  if (!documents.ok()) {
    error = std::move(documents.error());
    return false;
  }
  const size_t total = reader.documents() + documents->size();
  for (const std::string& document : *documents) LIBSCHED_TRY(reader.read(document, total));
  if (reader.documents() == 0) return invalid({}, "no objects: the document is empty");
  reader.finish();
  return true;
}

// Removes the white space at the start of the first line, unless it is spaces alone, which are
// harmless and whose removal would change the places of errors.
Str unindented(Str text) {
  const size_t first = std::min(text.find_first_not_of(" \t\r\v\f"), text.size());
  return text.find_first_not_of(' ') == first ? text : text.substr(first);
}

// Text that starts as JSON but is broken in its first or second document may continue as YAML, as
// for kubectl. A longer stream of JSON is JSON.
Result<ObjectSet> read_json_or_yaml(Str text, bool marked, const ParseOptions& options,
                                    const TypeName& default_type) {
  ObjectSet out;
  DocumentReader json(options, default_type, out);
  Result<void> result = json.read(text, 0);
  if (result.ok()) {
    json.finish();
    return out;
  }
  if (options.format == Format::kJson || !json.not_json()) return std::move(result.error());
  // Behind a byte order mark kubectl reads YAML from the start.
  const DocumentReader::Broken broken = marked ? DocumentReader::Broken() : json.broken();
  if (broken.document > 1) return std::move(result.error());

  ObjectSet mixed;
  DocumentReader reader(options, default_type, mixed);
  Str rest = text;
  if (broken.document == 1) {
    const size_t end = text.find_last_not_of(kSpace, broken.begin - 1) + 1;
    LIBSCHED_TRY(reader.read(text.substr(0, end), 2));
    rest = text.substr(end);
  }
  rest = unindented(rest);
  if (rest.size() < 4) return std::move(result.error());  // too short for kubectl's check
  Error error;
  const YamlPlace start = place_after(text, static_cast<size_t>(rest.data() - text.data()));
  Result<bool> read = read_yaml(rest, start, options, reader, error);
  if (!read.ok()) return std::move(read.error());
  if (*read) return mixed;
  if (error.rc == Rc::kCancelled) return error;
  if (broken.document == 0 && looks_like_yaml(text)) return error;
  Error both = std::move(result.error());
  const bool truncated = both.message.starts_with("unexpected end");
  if (!truncated && (broken.document == 1 || place_of(error) > place_of(both))) {
    both.message += "; as YAML: " + error.message;
  }
  return both;
}

// One message, in an envelope or of the default type.
Result<ObjectSet> read_protobuf(Str bytes, const ParseOptions& options,
                                const TypeName& default_type) {
  if (bytes.size() > options.max_bytes) return too_large(options.max_bytes);
  ProtobufLimits limits;
  limits.max_bytes = options.max_bytes;
  limits.max_depth = options.max_depth;
  limits.interrupt = options.interrupt;
  const Result<std::string> json = protobuf_to_json(bytes, default_type, limits);
  if (!json.ok()) return json.error();
  ObjectSet out;
  DocumentReader reader(options, default_type, out);
  LIBSCHED_TRY(reader.read(*json, 1));
  reader.finish();
  return out;
}

Result<ObjectSet> parse(Str bytes, const ParseOptions& options, const TypeName& default_type) {
  Str text = bytes;
  Unpacked unpacked;
  if (is_packed(bytes)) {
    Result<Unpacked> result = unpack_limited(bytes, options);
    if (!result.ok()) return std::move(result.error());
    unpacked = std::move(*result);
    text = unpacked.text();
  }
  if (options.format == Format::kProtobuf ||
      (options.format == Format::kAuto && text.starts_with(kProtobufEnvelope))) {
    if (text.empty()) return invalid({}, "no objects: the document is empty");
    return read_protobuf(text, options, default_type);
  }
  if (const Str format = is_packed(text) ? Str("a second format") : other_compression(text);
      !format.empty()) {
    return invalid({}, "the document is compressed with " + std::string(format) +
                           ": decompress it first, only gzip, xz and zstd are read");
  }
  if (text.size() > options.max_bytes) return too_large(options.max_bytes);
  const bool marked = text.starts_with(kByteOrderMark);
  if (marked) text.remove_prefix(kByteOrderMark.size());
  if (text.find_first_not_of(kSpace) == Str::npos) {
    return invalid({}, "no objects: the document is empty");
  }
  if (options.format == Format::kJson ||
      (options.format == Format::kAuto && looks_like_json(text))) {
    return read_json_or_yaml(text, marked, options, default_type);
  }
  ObjectSet out;
  DocumentReader reader(options, default_type, out);
  Error error;
  Result<bool> read = read_yaml(text, {}, options, reader, error);
  if (!read.ok()) return std::move(read.error());
  if (!*read) return error;
  return out;
}

// Memory may run out anywhere below.
Result<ObjectSet> parse_safely(Str bytes, const ParseOptions& options, const TypeName& type) {
  try {
    return parse(bytes, options, type);
  } catch (const std::bad_alloc&) {
    return Error{Rc::kNoMemory, "out of memory"};
  } catch (const std::length_error&) {
    return Error{Rc::kNoMemory, "out of memory"};
  }
}

std::string found_instead(const ObjectSet& set) {
  if (set.size() == 0 && set.skipped.size() == 1 && set.skipped[0].count == 1) {
    return "a " + set.skipped[0].kind;
  }
  size_t count = set.size();
  for (const SkippedKind& s : set.skipped) count += static_cast<size_t>(s.count);
  if (count != 1) return std::to_string(count) + " objects";
  if (!set.pods.empty()) return "a Pod";
  if (!set.nodes.empty()) return "a Node";
  if (!set.namespaces.empty()) return "a Namespace";
  if (!set.stored.empty() && set.workloads.empty()) {
    return "a " + std::string(stored_kind_name(set.stored[0].kind));
  }
  return set.workloads.empty() ? "a PriorityClass" : "a " + std::string(set.workloads[0]->kind);
}

bool is_single(const ObjectSet& set) { return set.size() == 1 && set.skipped.empty(); }

}  // namespace

Result<ObjectSet> parse_objects(Str bytes, const ParseOptions& options) {
  return parse_safely(bytes, options, {});
}

Result<PodRef> parse_pod(Str bytes, const ParseOptions& options) {
  const Result<ObjectSet> set = parse_safely(bytes, options, {"v1", "Pod"});
  if (!set.ok()) return set.error();
  if (is_single(*set)) {
    if (!set->pods.empty()) return set->pods[0];
    if (!set->workloads.empty()) return PodRef(set->workloads[0]->pod);
  }
  return invalid({}, "expected one Pod, got " + found_instead(*set));
}

Result<NodeRef> parse_node(Str bytes, const ParseOptions& options) {
  const Result<ObjectSet> set = parse_safely(bytes, options, {"v1", "Node"});
  if (!set.ok()) return set.error();
  if (is_single(*set) && !set->nodes.empty()) return set->nodes[0];
  return invalid({}, "expected one Node, got " + found_instead(*set));
}

}  // namespace libsched
