// Documents, written while the given ones are read.
#include "net/src/extender/documents.hpp"

#include <array>
#include <mutex>

#include "libsched/base/go_json.hpp"
#include "libsched/base/quantity.hpp"
#include "libsched/base/quote.hpp"

namespace libsched {

namespace {

// Objects whose members are quantities, and objects whose members have names that users choose.
constexpr std::array kQuantities = {"requests",    "limits",   "capacity",
                                    "allocatable", "overhead", "allocatedResources"};
constexpr std::array kChosenNames = {"labels", "annotations", "matchLabels", "nodeSelector",
                                     "managedFields"};

template <size_t N>
bool is_one_of(const std::string& name, const std::array<const char*, N>& list) {
  for (const char* item : list)
    if (name == item) return true;
  return false;
}

std::string quantity(std::string_view value) {
  const JsonKind kind = json_kind(value);
  if (kind != JsonKind::kString && kind != JsonKind::kNumber) return json_without_space(value);
  const std::string text = kind == JsonKind::kString ? json_string(value) : std::string(value);
  const Result<Quantity> parsed = Quantity::parse_trimmed(text);
  return parsed.ok() ? json_quote(canonical_quantity(*parsed, text)) : json_without_space(value);
}

bool is_object(std::string_view value) { return json_kind(value) == JsonKind::kObject; }

// Members that a document gets, as a JSON object: null takes a member away, and any other scalar
// is put in its place, or only where the document has no value.
struct Members {
  std::string_view json = "{}";
  bool only_missing = false;

  // The member of that name, or nothing.
  std::string_view find(std::string_view key) const {
    for (JsonWalk walk(json); walk.next();)
      if (walk.key == key) return walk.value;
    return {};
  }
  Members below(std::string_view value) const { return {value, only_missing}; }
};

void write_value(std::string& out, std::string_view value, Members given = {});

void write_member(std::string& out, std::string_view key, std::string_view value) {
  const std::string name = json_string(key);
  if (is_one_of(name, kChosenNames)) {
    out += json_without_space(value);
  } else if (is_object(value) && is_one_of(name, kQuantities)) {
    out += '{';
    for (JsonWalk walk(value); walk.next();)
      (out += out.back() == '{' ? "" : ",") +=
          json_without_space(walk.key) + ':' + quantity(walk.value);
    out += '}';
  } else if (name == "sizeLimit" || name == "divisor") {
    out += quantity(value);
  } else {
    write_value(out, value);
  }
}

void write_object(std::string& out, std::string_view value, Members given) {
  const auto key = [&](std::string_view text) {
    (out += out.back() == '{' ? "" : ",") += json_without_space(text) + ':';
  };
  out += '{';
  for (JsonWalk walk(value); walk.next();) {
    const std::string_view instead = given.find(walk.key);
    const bool null = json_kind(walk.value) == JsonKind::kNull;
    if (instead.empty()) {
      key(walk.key);
      write_member(out, walk.key, walk.value);
    } else if (is_object(instead) && !null) {
      key(walk.key);
      write_value(out, walk.value, given.below(instead));
    } else if (given.only_missing && !null && instead != "null") {
      key(walk.key);
      write_value(out, walk.value);
    }
  }
  const Members there{value, false};
  for (JsonWalk walk(given.json); walk.next();) {
    const std::string_view now = there.find(walk.key);
    const bool missing = now.empty() || json_kind(now) == JsonKind::kNull;
    if (walk.value == "null") continue;
    if (!missing && (is_object(walk.value) || given.only_missing)) continue;
    key(walk.key);
    if (is_object(walk.value)) {
      write_object(out, "{}", given.below(walk.value));
    } else {
      out += walk.value;
    }
  }
  out += '}';
}

void write_value(std::string& out, std::string_view value, Members given) {
  if (is_object(value)) return write_object(out, value, given);
  if (json_kind(value) != JsonKind::kArray) {
    out += json_without_space(value);
    return;
  }
  out += '[';
  for (JsonWalk walk(value); walk.next();) {
    if (out.back() != '[') out += ',';
    write_value(out, walk.value);
  }
  out += ']';
}

Result<std::string> write(libsched_str raw, Members given) {
  const Result<std::string_view> value = go_value(view_of(raw));
  if (!value.ok() || !is_object(*value))
    return Error{Rc::kInternal, "the document of an object is no JSON object"};
  std::string out;
  write_object(out, *value, given);
  return out;
}

// The members of a Node that Go writes even if they are empty.
constexpr std::string_view kNodeMembers =
    R"({"kind":null,"apiVersion":null,"status":{"daemonEndpoints":{"kubeletEndpoint":{"Port":0}},)"
    R"("nodeInfo":{"machineID":"","systemUUID":"","bootID":"","kernelVersion":"","osImage":"",)"
    R"("containerRuntimeVersion":"","kubeletVersion":"","kubeProxyVersion":"",)"
    R"("operatingSystem":"","architecture":""}}})";

// What an object says now; an empty text is none.
std::string member(const char* name, libsched_str now) {
  return '"' + std::string(name) + "\":" + (now.len == 0 ? "null" : json_quote(view_of(now)));
}

}  // namespace

std::string_view guessed_name(std::string_view document) {
  constexpr std::string_view kKey = "\"name\":";
  size_t begin = document.find(kKey);
  if (begin == std::string_view::npos) return {};
  begin = document.find('"', begin + kKey.size());
  if (begin == std::string_view::npos) return {};
  return document.substr(begin + 1, document.find('"', begin + 1) - begin - 1);
}

Result<std::string> pod_document(const libsched_pod* pod) {
  libsched_str raw;
  libsched_error* error = nullptr;
  if (libsched_pod_raw(pod, &raw, &error) != LIBSCHED_OK) return taken(error);
  const std::string now = R"({"kind":null,"apiVersion":null,"metadata":{)" +
                          member("name", libsched_pod_name(pod)) + ',' +
                          member("namespace", libsched_pod_namespace(pod)) + ',' +
                          member("uid", libsched_pod_uid(pod)) + R"(},"spec":{)" +
                          member("nodeName", libsched_pod_node_name(pod)) + "}}";
  return write(raw, {now, false});
}

// Nodes that a cluster has replaced are asked about no more.
void NodeDocuments::drop_unused(size_t count) {
  constexpr size_t kSpare = 1000;
  if (written_.size() <= 2 * count + kSpare) return;
  std::erase_if(written_, [&](const auto& entry) { return entry.second.used != round_; });
}

Result<void> NodeDocuments::append(const libsched_node* const* nodes, size_t count,
                                   std::string* out) {
  const std::lock_guard lock(mutex_);
  ++round_;
  for (size_t i = 0; i < count; ++i) {
    auto it = written_.find(nodes[i]);
    if (it == written_.end()) {
      libsched_str raw;
      libsched_error* error = nullptr;
      if (libsched_node_raw(nodes[i], &raw, &error) != LIBSCHED_OK) return taken(error);
      Result<std::string> json = write(raw, {kNodeMembers, true});
      if (!json.ok()) return json.error();
      NodeReference node(libsched_node_ref(nodes[i]));
      it = written_.emplace(nodes[i], Written{std::move(node), std::move(*json), 0, {}, {}}).first;
    }
    it->second.used = round_;
    if (i != 0) *out += ',';
    *out += it->second.json;
  }
  drop_unused(count);
  return {};
}

Result<NodeReference> NodeDocuments::parse(std::string_view document, const libsched_node* asked) {
  if (asked != nullptr) {
    const std::lock_guard lock(mutex_);
    if (const auto it = written_.find(asked);
        it != written_.end() && it->second.parsed && it->second.answered == document)
      return NodeReference(libsched_node_ref(it->second.parsed.get()));
  }
  libsched_parse_options options = LIBSCHED_PARSE_OPTIONS_INIT;
  options.keep_raw = true;
  libsched_node* made = nullptr;
  libsched_error* error = nullptr;
  if (libsched_node_parse({document.data(), document.size()}, &options, &made, &error) !=
      LIBSCHED_OK)
    return taken(error);
  return NodeReference(made);
}

void NodeDocuments::keep(const libsched_node* asked, std::string_view document,
                         const libsched_node* parsed) {
  constexpr size_t kSpare = 4096;
  const std::lock_guard lock(mutex_);
  const auto it = written_.find(asked);
  if (it == written_.end() || it->second.parsed.get() == parsed ||
      document.size() > 2 * it->second.json.size() + kSpare)
    return;
  it->second.answered = document;
  it->second.parsed.reset(libsched_node_ref(parsed));
}

}  // namespace libsched
