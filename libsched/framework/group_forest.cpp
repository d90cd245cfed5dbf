// GroupForest: the children of each group are found once for a state of the groups.
#include "libsched/framework/group_forest.hpp"

#include <algorithm>

namespace libsched {
namespace {

// Upstream's GetChildGroups: by creation, then by name. A group without a time comes first.
bool tried_before(const PodGroupRef& a, const PodGroupRef& b) {
  const Time &at_a = a->meta.created, &at_b = b->meta.created;
  if (at_a.present != at_b.present) return at_b.present;
  if (at_a.ns != at_b.ns) return at_a.ns < at_b.ns;
  return a->meta.name < b->meta.name;
}

}  // namespace

const PodGroup* GroupForest::root_of(const View& view, const PodGroup& group) {
  const PodGroup* at = &group;
  for (size_t left = view.objects().count(StoredKind::kCompositePodGroup); !at->parent.empty();
       --left) {
    at = parent_of(view, *at);
    if (at == nullptr || left == 0) return nullptr;
  }
  return at;
}

const std::vector<PodGroupRef>& GroupForest::children_of(const View& view, const PodGroup& group) {
  const ObjectStore& objects = view.objects();
  const std::pair stamps{objects.stamp(StoredKind::kPodGroup),
                         objects.stamp(StoredKind::kCompositePodGroup)};
  if (!made_ || stamps != stamps_) {
    made_ = false;
    children_.clear();
    const auto add = [&](const PodGroup& child) {
      if (!child.parent.empty())
        children_[{std::string(child.meta.ns), std::string(child.parent)}].push_back(
            PodGroupRef::share(&child));
    };
    objects.for_each<PodGroup>(add);
    objects.for_each<CompositePodGroup>(add);
    for (auto& [parent, children] : children_)
      std::stable_sort(children.begin(), children.end(), tried_before);
    stamps_ = stamps;
    made_ = true;
  }
  static const std::vector<PodGroupRef> kNone;
  const auto at = children_.find({std::string(group.meta.ns), std::string(group.meta.name)});
  return at == children_.end() ? kNone : at->second;
}

}  // namespace libsched
