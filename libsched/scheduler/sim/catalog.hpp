// Catalog: the contents of pods and nodes, each kept once for all that no plugin can tell apart.
//
// Any thread may use a catalog.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "libsched/base/result.hpp"
#include "libsched/ingest/ingest.hpp"
#include "libsched/objects/node.hpp"
#include "libsched/objects/pod.hpp"
#include "libsched/scheduler/sim/contents.hpp"

namespace libsched {

struct PodContent final : RefCounted {
  explicit PodContent(PodRef p) : pod(std::move(p)) {}
  const PodRef pod;  // unnamed
};
struct NodeContent final : RefCounted {
  explicit NodeContent(NodeRef n) : node(std::move(n)) {}
  const NodeRef node;  // one of the nodes of the class: copies of it get names of their own
};

// The forms of a document. The numbers are part of the C API.
enum class DocumentForm : uint32_t { kText = 0, kProtobuf = 1, kFlat = 2 };
struct DocumentOptions {
  DocumentForm form = DocumentForm::kText;
  bool defaults = false;  // API defaulting
};

class Catalog final : public RefCounted {
 public:
  // Add contents, all or none, and write their references. `placed`: without the names of nodes.
  // `extras` (may be null): further bytes of each content. Errors: kLimit.
  Result<void> add(Span<const Pod*> pods, bool placed, const Str* extras, uint64_t* refs);
  Result<void> add(Span<const Node*> nodes, const Str* extras, uint64_t* refs);
  // The same for documents. Errors: those of parsing; the path begins with "[index]".
  Result<void> parse_pods(Span<Str> documents, const DocumentOptions& how, bool placed,
                          const Str* extras, uint64_t* refs);
  Result<void> parse_nodes(Span<Str> documents, const DocumentOptions& how, const Str* extras,
                           uint64_t* refs);

  const Contents<PodContent>& pods() const { return pods_; }
  const Contents<NodeContent>& nodes() const { return nodes_; }

  // Counts these as added in this age; references that are not valid are passed over.
  void touch_pods(Span<uint64_t> refs) { pods_.touch(refs); }
  void touch_nodes(Span<uint64_t> refs) { nodes_.touch(refs); }

  // See Contents::age(). A content is in use as long as a cluster has a pod or node of it, or its
  // journal may bring one back.
  size_t age(uint32_t keep);

 private:
  Contents<PodContent> pods_{0};
  Contents<NodeContent> nodes_{uint32_t{1} << 31};
};

}  // namespace libsched
