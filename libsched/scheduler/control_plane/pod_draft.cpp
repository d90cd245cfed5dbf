// See pod_draft.hpp.
#include "libsched/scheduler/control_plane/pod_draft.hpp"

#include "libsched/objects/own_parts.hpp"
#include "libsched/objects/pod_class_id.hpp"

namespace libsched {

Pod& PodDraft::change() {
  if (!copy_) copy_ = copy_pod(*given_, given_->spec.node_name, 256);
  return *copy_;
}

PodRef PodDraft::finish(bool number) {
  if (!copy_) return given_;
  derive_pod(*copy_);
  const Ref<Pod> made = with_own_parts(copy_);
  if (number) number_class(*made);
  return made;
}

std::string amount_text(Str resource, const Quantity& amount) {
  const bool bytes =
      resource == "memory" || resource.ends_with("storage") || resource.starts_with("hugepages-");
  return computed_quantity(amount, bytes && amount.value() % 1024 == 0 ? "1Ki" : "1");
}

std::string amounts_text(ResourceList list) {
  std::string out;
  for (const NamedQuantity& item : list) {
    if (!out.empty()) out += ", ";
    out.append(item.name).append(" ").append(amount_text(item.name, item.quantity));
  }
  return out;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += i + 1 == parts.size() ? " and " : ", ";
    out += parts[i];
  }
  return out;
}

}  // namespace libsched
