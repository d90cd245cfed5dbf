// Catalog: contents from parsed objects and documents.
#include "libsched/scheduler/sim/catalog.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "libsched/ingest/flat/flat.hpp"
#include "libsched/objects/node_class.hpp"
#include "libsched/objects/pod_class.hpp"

namespace libsched {
namespace {

Error full() { return {Rc::kLimit, "the catalog has too many different contents"}; }

// Bytes behind those of a class, which tell their own length from its front.
void append_extra(const Str* extras, size_t i, std::string* bytes) {
  if (extras == nullptr || extras[i].empty()) return;
  bytes->push_back('\0');
  bytes->append(extras[i].data(), extras[i].size());
}

Ref<const PodContent> make_content(const Pod& pod, bool placed) {
  const bool named = name_is_read(pod);
  const Ref<Pod> copy = copy_pod(pod, named ? pod.meta.name : Str(), pod.meta.ns,
                                 named ? pod.meta.uid : Str(), placed ? Str() : pod.spec.node_name);
  if (placed) copy->status.nominated_node_name = {};
  copy->unnamed = true;
  return make_ref<PodContent>(copy);
}

template <typename Parsed>
Result<Parsed> in_document(size_t index, Result<Parsed> parsed) {
  if (parsed.ok()) return parsed;
  Error& e = parsed.error();
  const std::string at = "[" + std::to_string(index) + "]";
  e.path = e.path.empty() ? at : at + (e.path[0] == '[' ? "" : ".") + e.path;
  return parsed;
}

template <typename Object, typename Text, typename Flat>
Result<std::vector<Ref<const Object>>> parse_all(Span<Str> documents, const DocumentOptions& how,
                                                 Text text, Flat flat) {
  std::vector<Ref<const Object>> out;
  out.reserve(documents.size());
  ParseOptions options;
  options.defaults = how.defaults;
  if (how.form == DocumentForm::kProtobuf) options.format = Format::kProtobuf;
  for (size_t i = 0; i < documents.size(); ++i) {
    auto parsed = in_document(i, how.form == DocumentForm::kFlat ? flat(documents[i], options)
                                                                 : text(documents[i], options));
    if (!parsed.ok()) return std::move(parsed.error());
    out.push_back(std::move(*parsed));
  }
  return out;
}

template <typename Object>
std::vector<const Object*> pointers(const std::vector<Ref<const Object>>& objects) {
  std::vector<const Object*> out;
  out.reserve(objects.size());
  for (const Ref<const Object>& o : objects) out.push_back(o.get());
  return out;
}

}  // namespace

Result<void> Catalog::add(Span<const Pod*> pods, bool placed, const Str* extras, uint64_t* refs) {
  Contents<PodContent>::Adding adding(&pods_);
  std::vector<uint64_t> added(pods.size());
  std::string bytes;
  for (size_t i = 0; i < pods.size(); ++i) {
    bytes.resize(pod_class(*pods[i], &bytes, placed).size());
    append_extra(extras, i, &bytes);
    added[i] = adding.add(bytes, [&] { return make_content(*pods[i], placed); });
    if (added[i] == 0) return full();
  }
  adding.commit();
  std::copy(added.begin(), added.end(), refs);
  return {};
}

Result<void> Catalog::add(Span<const Node*> nodes, const Str* extras, uint64_t* refs) {
  Contents<NodeContent>::Adding adding(&nodes_);
  std::vector<uint64_t> added(nodes.size());
  std::string bytes;
  for (size_t i = 0; i < nodes.size(); ++i) {
    node_class(*nodes[i], &bytes);
    append_extra(extras, i, &bytes);
    // A copy: references to it are those of its copies alone, which tells whether it is in use.
    added[i] = adding.add(bytes, [&] {
      return make_ref<NodeContent>(copy_node(*nodes[i], nodes[i]->meta.name, {}));
    });
    if (added[i] == 0) return full();
  }
  adding.commit();
  std::copy(added.begin(), added.end(), refs);
  return {};
}

Result<void> Catalog::parse_pods(Span<Str> documents, const DocumentOptions& how, bool placed,
                                 const Str* extras, uint64_t* refs) {
  const auto parsed = parse_all<Pod>(documents, how, parse_pod, parse_flat_pod);
  if (!parsed.ok()) return parsed.error();
  return add(pointers(*parsed), placed, extras, refs);
}

Result<void> Catalog::parse_nodes(Span<Str> documents, const DocumentOptions& how,
                                  const Str* extras, uint64_t* refs) {
  const auto parsed = parse_all<Node>(documents, how, parse_node, parse_flat_node);
  if (!parsed.ok()) return parsed.error();
  return add(pointers(*parsed), extras, refs);
}

size_t Catalog::age(uint32_t keep) {
  return pods_.age(keep, [](const PodContent& c) { return c.pod->references() > 1; }) +
         nodes_.age(keep, [](const NodeContent& c) { return c.node->references() > 1; });
}

}  // namespace libsched
