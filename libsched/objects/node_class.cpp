// node_class: texts with their lengths, lists with their counts, numbers of fixed width; so the
// bytes of two nodes are equal only if what they stand for is.
#include "libsched/objects/node_class.hpp"

#include <cstring>

namespace libsched {
namespace {

class Encoder {
 public:
  explicit Encoder(std::string* out) : out_(*out) { out_.clear(); }

  void number(int64_t n) { out_.append(reinterpret_cast<const char*>(&n), sizeof n); }
  void flag(bool b) { out_.push_back(b ? '\1' : '\0'); }
  void text(Str s) {
    number(static_cast<int64_t>(s.size()));
    out_.append(s.data(), s.size());
  }

 private:
  std::string& out_;
};

}  // namespace

void node_class(const Node& node, std::string* out) {
  Encoder e(out);
  e.number(static_cast<int64_t>(node.meta.labels.size()));
  for (const Label& label : node.meta.labels) {
    const bool follows = label.key == "kubernetes.io/hostname" && label.value == node.meta.name;
    e.text(label.key);
    e.flag(follows);
    if (!follows) e.text(label.value);
  }
  e.flag(node.unschedulable);
  e.flag(node.preemption_policy_present);
  e.number(static_cast<int64_t>(node.no_resize_preemption.size()));
  for (const Str why : node.no_resize_preemption) e.text(why);
  e.number(static_cast<int64_t>(node.taints.size()));
  for (const Taint& taint : node.taints)
    for (const Str s : {taint.key, taint.value, taint.effect_text}) e.text(s);
  for (const ResourceList& list : {node.allocatable_list, node.capacity_list}) {
    e.number(static_cast<int64_t>(list.size()));
    for (const NamedQuantity& q : list) {
      e.text(q.name);
      q.quantity.with_key([&](Str key) { e.text(key); });
    }
  }
  e.number(static_cast<int64_t>(node.images.size()));
  for (const ContainerImage& image : node.images) {
    e.number(image.size_bytes);
    e.number(static_cast<int64_t>(image.names.size()));
    for (const Str name : image.names) e.text(name);
  }
  e.number(static_cast<int64_t>(node.declared_features.size()));
  for (const Str feature : node.declared_features) e.text(feature);
  e.flag(node.meta.annotations_kept());
  e.number(static_cast<int64_t>(node.meta.annotations.size()));
  for (const KeyValue& a : node.meta.annotations) {
    e.text(a.key);
    e.text(a.value);
  }
}

}  // namespace libsched
