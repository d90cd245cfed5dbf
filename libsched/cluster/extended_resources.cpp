// See extended_resources.hpp.
#include "libsched/cluster/extended_resources.hpp"

namespace libsched {
namespace {

constexpr Str kImplicit = "deviceclass.resource.kubernetes.io/";

// Whether `held` keeps a resource that `wanting` names as well.
bool keeps(const DeviceClass& held, const DeviceClass& wanting) {
  const Time &a = held.meta.created, &b = wanting.meta.created;
  if (a.present != b.present) return a.present;
  if (a.present && a.ns != b.ns) return a.ns > b.ns;
  return held.meta.name <= wanting.meta.name;
}

}  // namespace

ExtendedResources::Part ExtendedResources::after_change(const DeviceClass* before,
                                                        const DeviceClass* after) const {
  Part out;
  if (before == nullptr && after == nullptr) return out;
  if (after != nullptr && after->extended_resource_name) {
    const DeviceClass* const held = find(*after->extended_resource_name);
    if (held != nullptr && keeps(*held, *after)) return out;
  }
  const auto touch = [&](std::string resource) {
    out.touched.push_back(resource);
    if (after != nullptr) out.classes[std::move(resource)] = DeviceClassRef::share(after);
  };
  if (before != nullptr && before->extended_resource_name)
    out.touched.emplace_back(*before->extended_resource_name);
  if (after != nullptr && after->extended_resource_name)
    touch(std::string(*after->extended_resource_name));
  touch(std::string(kImplicit).append((after != nullptr ? after : before)->meta.name));
  return out;
}

ExtendedResources::Part ExtendedResources::exchange(Part part) noexcept {
  Classes taken;
  for (const std::string& resource : part.touched)
    if (Classes::node_type node = classes_.extract(resource)) taken.insert(std::move(node));
  classes_.merge(part.classes);
  part.classes = std::move(taken);
  return part;
}

}  // namespace libsched
