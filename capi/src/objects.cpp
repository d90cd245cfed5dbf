// Parsing, and reading parsed objects.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "given.hpp"
#include "handles.hpp"
#include "libsched/base/quote.hpp"
#include "libsched/ingest/flat/flat.hpp"
#include "libsched/ingest/protobuf/protobuf.hpp"
#include "libsched/ingest/unpack.hpp"
#include "libsched/scheduler/control_plane/imitated.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

// What a kind that is not read does to pods that are created, and where.
std::string effect_json(const SkippedKind& kind) {
  const NotImitated* const found = find_not_imitated(kind.kind);
  if (found == nullptr) return {};
  std::string json = ",\"effect\":" + json_quote(found->effect);
  if (!found->namespaced) return json;
  json += ",\"namespaces\":[";
  for (const std::string& ns : kind.namespaces)
    json += (json.back() == '[' ? "" : ",") + json_quote(ns);
  return json + "]";
}

// The text is put together from strings: a JSON library's values may allocate when they end.
std::string report_json(const ObjectSet& set) {
  std::vector<std::pair<std::string, size_t>> counts = {
      {"Pod", set.pods.size()},
      {"Node", set.nodes.size()},
      {"Namespace", set.namespaces.size()},
      {"PriorityClass", set.priority_classes.size()}};
  const auto count = [&](Str kind) {
    const auto at =
        std::find_if(counts.begin(), counts.end(), [&](const auto& c) { return c.first == kind; });
    if (at != counts.end()) {
      ++at->second;
    } else {
      counts.emplace_back(kind, 1);
    }
  };
  for (const WorkloadRef& w : set.workloads) count(w->kind);
  for (const StoredObject& o : set.stored)  // workloads are already counted
    if (o.kind != StoredKind::kReplicaSet && o.kind != StoredKind::kStatefulSet)
      count(stored_kind_name(o.kind));
  std::string json;
  for (const auto& [kind, n] : counts)
    json += (json.empty() ? "{\"counts\":{" : ",") + json_quote(kind) + ":" + std::to_string(n);
  json += "},\"skipped\":[";
  for (const SkippedKind& k : set.skipped)
    json += (json.back() == '[' ? "{\"kind\":" : ",{\"kind\":") + json_quote(k.kind) +
            ",\"count\":" + std::to_string(k.count) + effect_json(k) + "}";
  json += "],\"warnings\":[";
  for (const IngestWarning& w : set.warnings)
    json += (json.back() == '[' ? "{\"path\":" : ",{\"path\":") + json_quote(w.path) +
            ",\"message\":" + json_quote(w.message) + "}";
  return json + "],\"unknownFields\":" + std::to_string(set.unknown_fields) + "}";
}

Result<ParseOptions> parse_options(const libsched_parse_options* given) {
  const Result<libsched_parse_options> read = read_given(given);
  if (!read.ok()) return read.error();
  const libsched_parse_options& o = *read;
  if (o.format > LIBSCHED_FORMAT_PROTOBUF)
    return unsupported("libsched_parse_options: unknown format");
  ParseOptions p;
  p.format = static_cast<Format>(o.format);
  p.defaults = o.defaults;
  p.strict = o.strict;
  p.keep_raw = o.keep_raw;
  p.keep_annotations = o.keep_annotations;
  p.validate = o.validate;
  if (o.max_bytes != 0) p.max_bytes = o.max_bytes;
  if (o.max_decompressed_bytes != 0) p.max_decompressed_bytes = o.max_decompressed_bytes;
  if (o.max_depth != 0) p.max_depth = static_cast<int>(std::min<uint32_t>(o.max_depth, 1000));
  LIBSCHED_TRY(live_or_null("options->classes", o.classes));
  p.interrupt = {o.interrupt, o.interrupt_data};
  if (o.classes != nullptr) p.priority_classes = unwrap(o.classes)->set.priority_classes;
  return p;
}

Result<std::string> read_file(const std::string& path, const ParseOptions& options) {
  const auto failed = [&](const char* what) {
    return Error{Rc::kIo,
                 std::string("cannot ") + what + " \"" + path + "\": " + std::strerror(errno)};
  };
  if (path.find('\0') != std::string::npos)
    return Error{Rc::kIo, "the name of a file cannot hold a NUL byte"};
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file) return failed("open");
  // Reads without asking for the size: pipes and devices have none.
  std::string text;
  bool is_text = false;
  for (size_t got = 1; got != 0;) {
    const size_t used = text.size();
    if (options.interrupt()) return interrupted();
    if (used > options.max_bytes)
      return Error{Rc::kLimit, "\"" + path + "\" has more bytes than the limit of " +
                                   std::to_string(options.max_bytes)};
    text.resize(used + std::max<size_t>(used, 64 << 10));
    got = std::fread(text.data() + used, 1, text.size() - used, file.get());
    text.resize(used + got);
    if (used == 0)
      is_text = options.format != Format::kProtobuf && !is_packed(text) &&
                !text.starts_with(kProtobufEnvelope);
    // A NUL byte is an error wherever it is in a text, and devices that give them have no end.
    if (is_text && text.size() <= options.max_bytes &&
        std::memchr(text.data() + used, 0, got) != nullptr)
      break;
  }
  if (std::ferror(file.get()) != 0) return failed("read");
  return text;
}

Result<libsched_objects*> parse_set(Str document, const ParseOptions& options) {
  Result<ObjectSet> set = parse_objects(document, options);
  if (!set.ok()) return std::move(set.error());
  Ref<Objects> objects = make_ref<Objects>();
  objects->set = std::move(*set);
  return own(objects.release());
}

// The amount of a resource: cpu in thousandths, pods and other resources in units.
int64_t amount(const Resources& r, Str resource) {
  if (resource == "cpu") return r.milli_cpu;
  if (resource == "memory") return r.memory;
  if (resource == "ephemeral-storage") return r.ephemeral_storage;
  if (resource == "pods") return r.pods;
  for (const ScalarAmount& s : r.scalars)
    if (s.name == resource) return s.value;
  return 0;
}

bool label_into(Labels labels, Str key, libsched_str* value) {
  const Label* l = find_label(labels, key);
  if (l != nullptr && value != nullptr) *value = out(l->value);
  return l != nullptr;
}

Result<void> raw_into(const Object& object, libsched_str* into) {
  if (object.raw.empty())
    return Error{Rc::kState, "the document was not kept: parse with keep_raw"};
  *into = out(object.raw);
  return {};
}

// Makes a handle of the only object of a document.
template <auto Parse, typename C>
libsched_rc parse_one(libsched_str document, const libsched_parse_options* options, C** result,
                      libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, result);
  return hand_over(error, result, [&]() -> decltype(Parse(Str(), ParseOptions())) {
    Result<ParseOptions> o = parse_options(options);
    if (!o.ok()) return o.error();
    return Parse(in(document), *o);
  });
}

}  // namespace

extern "C" {

libsched_rc libsched_objects_parse(libsched_str document, const libsched_parse_options* options,
                                   libsched_objects** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, result);
  return guarded(error, [&]() -> Result<void> {
    Result<ParseOptions> o = parse_options(options);
    if (!o.ok()) return o.error();
    Result<libsched_objects*> made = parse_set(in(document), *o);
    if (!made.ok()) return made.error();
    *result = *made;
    return {};
  });
}

libsched_rc libsched_objects_load(libsched_str path, const libsched_parse_options* options,
                                  libsched_objects** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, result);
  return guarded(error, [&]() -> Result<void> {
    Result<ParseOptions> o = parse_options(options);
    if (!o.ok()) return o.error();
    Result<std::string> text = read_file(std::string(in(path)), *o);
    if (!text.ok()) return text.error();
    Result<libsched_objects*> made = parse_set(*text, *o);
    if (!made.ok()) return made.error();
    *result = *made;
    return {};
  });
}

size_t libsched_objects_pod_count(const libsched_objects* o) {
  return !live(o) ? 0 : unwrap(o)->set.pods.size();
}
size_t libsched_objects_node_count(const libsched_objects* o) {
  return !live(o) ? 0 : unwrap(o)->set.nodes.size();
}
size_t libsched_objects_workload_count(const libsched_objects* o) {
  return !live(o) ? 0 : unwrap(o)->set.workloads.size();
}

const libsched_pod* libsched_objects_get_pod(const libsched_objects* o, size_t index) {
  return index < libsched_objects_pod_count(o) ? wrap(unwrap(o)->set.pods[index].get()) : nullptr;
}
const libsched_node* libsched_objects_get_node(const libsched_objects* o, size_t index) {
  return index < libsched_objects_node_count(o) ? wrap(unwrap(o)->set.nodes[index].get()) : nullptr;
}
const libsched_pod* libsched_objects_get_workload(const libsched_objects* o, size_t index,
                                                  libsched_str* kind, int64_t* replicas) {
  if (index >= libsched_objects_workload_count(o)) return nullptr;
  const Workload& w = *unwrap(o)->set.workloads[index];
  if (kind != nullptr) *kind = out(w.kind);
  if (replicas != nullptr) *replicas = w.replicas;
  return wrap(static_cast<const Pod*>(w.pod.get()));
}

libsched_rc libsched_objects_report_json(const libsched_objects* objects, libsched_text** result,
                                         libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, objects, result);
  return hand_over(error, result, [&] { return report_json(unwrap(objects)->set); });
}

libsched_rc libsched_pod_parse(libsched_str document, const libsched_parse_options* options,
                               libsched_pod** result, libsched_error** error) {
  return parse_one<parse_pod>(document, options, result, error);
}

libsched_rc libsched_pod_parse_flat(libsched_str flat, const libsched_parse_options* options,
                                    libsched_pod** result, libsched_error** error) {
  return parse_one<parse_flat_pod>(flat, options, result, error);
}

libsched_rc libsched_pod_copy(const libsched_pod* pod, libsched_str name, libsched_str ns,
                              libsched_str uid, libsched_str node_name, libsched_pod** result,
                              libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, pod, result);
  return hand_over(error, result, [&] {
    const Pod& p = *unwrap(pod);
    const auto pick = [](libsched_str given, Str old) {
      return given.ptr == nullptr ? old : in(given);
    };
    return copy_pod(p, pick(name, p.meta.name), pick(ns, p.meta.ns), pick(uid, p.meta.uid),
                    pick(node_name, p.spec.node_name));
  });
}

libsched_str libsched_pod_name(const libsched_pod* p) {
  return !live(p) ? out(Str()) : out(unwrap(p)->meta.name);
}
libsched_str libsched_pod_namespace(const libsched_pod* p) {
  return !live(p) ? out(Str()) : out(unwrap(p)->meta.ns);
}
libsched_str libsched_pod_uid(const libsched_pod* p) {
  return !live(p) ? out(Str()) : out(unwrap(p)->meta.uid);
}
libsched_str libsched_pod_node_name(const libsched_pod* p) {
  return !live(p) ? out(Str()) : out(unwrap(p)->spec.node_name);
}
libsched_str libsched_pod_nominated_node_name(const libsched_pod* pod) {
  return !live(pod) ? out(Str()) : out(unwrap(pod)->status.nominated_node_name);
}
libsched_str libsched_pod_scheduler_name(const libsched_pod* p) {
  return !live(p) ? out(Str()) : out(unwrap(p)->spec.scheduler_name);
}
libsched_str libsched_pod_phase(const libsched_pod* p) {
  return !live(p) ? out(Str()) : out(unwrap(p)->status.phase);
}
int32_t libsched_pod_priority(const libsched_pod* p) {
  return !live(p) ? 0 : unwrap(p)->spec.priority.value_or(0);
}
bool libsched_pod_label(const libsched_pod* p, libsched_str key, libsched_str* value) {
  return live(p) && label_into(unwrap(p)->meta.labels, in(key), value);
}
int64_t libsched_pod_request(const libsched_pod* p, libsched_str resource) {
  return !live(p) ? 0 : amount(unwrap(p)->requests, in(resource));
}
libsched_rc libsched_pod_raw(const libsched_pod* pod, libsched_str* result,
                             libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, pod, result);
  return guarded(error, [&] { return raw_into(*unwrap(pod), result); });
}

libsched_rc libsched_node_parse(libsched_str document, const libsched_parse_options* options,
                                libsched_node** result, libsched_error** error) {
  return parse_one<parse_node>(document, options, result, error);
}

libsched_rc libsched_node_parse_flat(libsched_str flat, const libsched_parse_options* options,
                                     libsched_node** result, libsched_error** error) {
  return parse_one<parse_flat_node>(flat, options, result, error);
}

libsched_rc libsched_node_copy(const libsched_node* node, libsched_str name, libsched_str uid,
                               libsched_node** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, node, result);
  return hand_over(error, result, [&] {
    const Node& n = *unwrap(node);
    return copy_node(n, name.ptr == nullptr ? n.meta.name : in(name),
                     uid.ptr == nullptr ? n.meta.uid : in(uid));
  });
}

libsched_str libsched_node_name(const libsched_node* n) {
  return !live(n) ? out(Str()) : out(unwrap(n)->meta.name);
}
libsched_str libsched_node_uid(const libsched_node* n) {
  return !live(n) ? out(Str()) : out(unwrap(n)->meta.uid);
}
bool libsched_node_label(const libsched_node* n, libsched_str key, libsched_str* value) {
  return live(n) && label_into(unwrap(n)->meta.labels, in(key), value);
}
bool libsched_node_unschedulable(const libsched_node* n) {
  return live(n) && unwrap(n)->unschedulable;
}
size_t libsched_node_taint_count(const libsched_node* n) {
  return !live(n) ? 0 : unwrap(n)->taints.size();
}
bool libsched_node_taint(const libsched_node* n, size_t index, libsched_str* key,
                         libsched_str* value, libsched_str* effect) {
  if (index >= libsched_node_taint_count(n)) return false;
  const Taint& t = unwrap(n)->taints[index];
  if (key != nullptr) *key = out(t.key);
  if (value != nullptr) *value = out(t.value);
  if (effect != nullptr) *effect = out(t.effect_text);
  return true;
}
int64_t libsched_node_allocatable(const libsched_node* n, libsched_str resource) {
  return !live(n) ? 0 : amount(unwrap(n)->allocatable, in(resource));
}
libsched_rc libsched_node_raw(const libsched_node* node, libsched_str* result,
                              libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, node, result);
  return guarded(error, [&] { return raw_into(*unwrap(node), result); });
}

}  // extern "C"
