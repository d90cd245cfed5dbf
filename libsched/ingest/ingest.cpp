// From bytes to JSON text: gzip, byte order mark, YAML; and the entry points.
#include "libsched/ingest/ingest.hpp"

#include <new>
#include <optional>

#include "libsched/ingest/document_reader.hpp"
#include "libsched/ingest/gzip.hpp"
#include "libsched/ingest/yaml.hpp"

namespace libsched {
namespace {

constexpr Str kByteOrderMark = "\xef\xbb\xbf";
constexpr Str kSpace = " \t\r\n";

Error too_large(size_t max_bytes) {
  return {
      Rc::kLimit, "the document is larger than " + std::to_string(max_bytes) + " bytes", {}, {}};
}

bool looks_like_json(Str text) {
  const size_t i = text.find_first_not_of(kSpace);
  return i != Str::npos && (text[i] == '{' || text[i] == '[');
}

// Whether text that starts as JSON may be YAML nevertheless: several documents, or a flow mapping
// with plain keys.
bool may_be_yaml(Str text) {
  const size_t open = text.find_first_not_of(kSpace);
  const size_t next = text.find_first_not_of(kSpace, open + 1);
  if (next != Str::npos && text[open] == '{' && text[next] != '"' && text[next] != '}') return true;
  return text.find("\n---") != Str::npos;
}

Result<void> read_yaml(Str text, const ParseOptions& options, const TypeName& default_type,
                       ObjectSet& out) {
  YamlLimits limits;
  limits.max_bytes = options.max_bytes;
  limits.max_depth = std::min(options.max_depth, 1000);
  Result<std::vector<std::string>> documents = yaml_to_json(text, limits);
  if (!documents.ok()) return std::move(documents.error());
  DocumentReader reader(options, default_type, out);
  for (const std::string& document : *documents) {
    LIBSCHED_TRY(reader.read(document, documents->size()));
  }
  if (reader.documents() == 0) return invalid({}, "no objects: the document is empty");
  reader.finish();
  return {};
}

Result<void> read_json(Str text, const ParseOptions& options, const TypeName& default_type,
                       ObjectSet& out, bool& not_json) {
  DocumentReader reader(options, default_type, out);
  Result<void> result = reader.read(text, 0);
  not_json = !result.ok() && reader.not_json();
  if (result.ok()) reader.finish();
  return result;
}

Result<ObjectSet> parse(Str bytes, const ParseOptions& options, const TypeName& default_type) {
  Str text = bytes;
  std::string unpacked;
  if (is_gzip(bytes)) {
    Result<std::string> result = gunzip(bytes, options.max_bytes);
    if (!result.ok()) return std::move(result.error());
    unpacked = std::move(*result);
    text = unpacked;
  }
  if (text.size() > options.max_bytes) return too_large(options.max_bytes);
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (text.find_first_not_of(kSpace) == Str::npos) {
    return invalid({}, "no objects: the document is empty");
  }
  ObjectSet out;
  if (options.format == Format::kJson ||
      (options.format == Format::kAuto && looks_like_json(text))) {
    bool not_json = false;
    Result<void> result = read_json(text, options, default_type, out, not_json);
    if (result.ok()) return out;
    if (options.format == Format::kJson || !not_json || !may_be_yaml(text)) {
      return std::move(result.error());
    }
    out = {};
  }
  LIBSCHED_TRY(read_yaml(text, options, default_type, out));
  return out;
}

// Memory is the one thing that may run out anywhere below.
Result<ObjectSet> parse_safely(Str bytes, const ParseOptions& options, const TypeName& type) {
  try {
    return parse(bytes, options, type);
  } catch (const std::bad_alloc&) {
    return Error{Rc::kNoMemory, "out of memory", {}, {}};
  } catch (const std::length_error&) {
    return Error{Rc::kNoMemory, "out of memory", {}, {}};
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
