// Documents by way of a JSON value, once for each object.
#include "net/src/extender/documents.hpp"

#include <array>
#include <mutex>
#include <nlohmann/json.hpp>

#include "libsched/base/quantity.hpp"

namespace libsched {

namespace {

using Json = nlohmann::json;

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

void canonicalise(Json& value) {
  if (!value.is_string() && !value.is_number()) return;
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (const Result<Quantity> quantity = Quantity::parse_trimmed(text); quantity.ok())
    value = canonical_quantity(*quantity, text);
}

void canonicalise_all(Json& value) {
  if (value.is_array()) {
    for (Json& item : value) canonicalise_all(item);
  } else if (value.is_object()) {
    for (auto& [name, member] : value.items()) {
      if (is_one_of(name, kChosenNames)) continue;
      if (member.is_object() && is_one_of(name, kQuantities)) {
        for (Json& quantity : member) canonicalise(quantity);
      } else if (name == "sizeLimit" || name == "divisor") {
        canonicalise(member);
      } else {
        canonicalise_all(member);
      }
    }
  }
}

Error from_c(libsched_error* error) {
  Error out{static_cast<Rc>(libsched_error_code(error)),
            std::string(chars_of(libsched_error_message(error))),
            std::string(chars_of(libsched_error_path(error))),
            {}};
  libsched_error_unref(error);
  return out;
}

Result<Json> read(std::string_view raw) {
  Json out = Json::parse(raw, nullptr, false);
  if (!out.is_object())
    return Error{Rc::kInternal, "the document of an object is no JSON object", {}, {}};
  out.erase("kind");
  out.erase("apiVersion");
  canonicalise_all(out);
  return out;
}

// The members of a Node that Go writes even if they are empty.
void fill_node(Json& node) {
  constexpr std::array kNodeInfo = {"machineID",      "systemUUID",       "bootID",
                                    "kernelVersion",  "osImage",          "containerRuntimeVersion",
                                    "kubeletVersion", "kubeProxyVersion", "operatingSystem",
                                    "architecture"};
  Json& status = node["status"];
  Json& port = status["daemonEndpoints"]["kubeletEndpoint"]["Port"];
  if (port.is_null()) port = 0;
  for (const char* name : kNodeInfo)
    if (Json& text = status["nodeInfo"][name]; text.is_null()) text = "";
}

std::string write(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Sets a member to what an object says now; an empty text removes it.
void follow(Json& object, const char* name, libsched_str now) {
  if (now.len != 0) {
    object[name] = chars_of(now);
  } else if (object.is_object()) {
    object.erase(name);
  }
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
  if (libsched_pod_raw(pod, &raw, &error) != LIBSCHED_OK) return from_c(error);
  Result<Json> json = read(chars_of(raw));
  if (!json.ok()) return json.error();
  Json& meta = (*json)["metadata"];
  follow(meta, "name", libsched_pod_name(pod));
  follow(meta, "namespace", libsched_pod_namespace(pod));
  follow(meta, "uid", libsched_pod_uid(pod));
  follow((*json)["spec"], "nodeName", libsched_pod_node_name(pod));
  return write(*json);
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
      if (libsched_node_raw(nodes[i], &raw, &error) != LIBSCHED_OK) return from_c(error);
      Result<Json> json = read(chars_of(raw));
      if (!json.ok()) return json.error();
      fill_node(*json);
      NodeReference node(libsched_node_ref(nodes[i]));
      it = written_.emplace(nodes[i], Written{std::move(node), write(*json), 0, {}, {}}).first;
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
    return from_c(error);
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
