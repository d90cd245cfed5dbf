// See own_parts.hpp.
#include "libsched/objects/own_parts.hpp"

#include <utility>

namespace libsched {
namespace {

// Stands for the original: it keeps the changed copy alive, and by it the original.
class Anchor final : public Object {
 public:
  explicit Anchor(Ref<const Object> kept) : Object(64), kept_(std::move(kept)) {}

 private:
  Ref<const Object> kept_;
};

}  // namespace

Ref<Pod> with_own_parts(const Ref<Pod>& changed) {
  Ref<Pod> pod = copy_pod(*changed, changed->spec.node_name);
  pod->origin = make_ref<Anchor>(changed);
  return pod;
}

Ref<Node> with_own_parts(const Ref<Node>& changed) {
  Ref<Node> node = copy_node(*changed, changed->meta.name, changed->meta.uid);
  node->origin = make_ref<Anchor>(changed);
  return node;
}

}  // namespace libsched
