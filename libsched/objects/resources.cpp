// The resource names that count, and the conversion of a list to counted amounts.
//
// A resource without '/' is native (cpu, memory, ...); kubernetes.io/ anywhere in the name makes it
// native as well. Everything that is neither known, extended, nor one of the native prefixes is
// dropped, as upstream's Resource.Add drops it.
#include "libsched/objects/resources.hpp"

#include "libsched/objects/selector.hpp"

namespace libsched {

const Quantity* find_quantity(ResourceList list, Str name) {
  constexpr size_t kScanned = 12;
  if (list.size() <= kScanned) {
    for (const NamedQuantity& entry : list) {
      if (entry.name == name) return &entry.quantity;
    }
    return nullptr;
  }
  const auto at = std::lower_bound(list.begin(), list.end(), name,
                                   [](const NamedQuantity& q, Str n) { return q.name < n; });
  return at != list.end() && at->name == name ? &at->quantity : nullptr;
}

bool is_extended_resource_name(Str name) {
  constexpr Str kQuotaPrefix = "requests.";
  const size_t slash = name.find('/');
  if (slash == Str::npos || name.find("kubernetes.io/") != Str::npos) return false;
  if (name.starts_with(kQuotaPrefix)) return false;
  // "requests." + name must be a qualified name: the same as name being one, with a shorter prefix.
  return slash + kQuotaPrefix.size() <= 253 && is_qualified_name(name);
}

bool is_scalar_resource_name(Str name) {
  return name.starts_with("hugepages-") || name.starts_with("attachable-volumes-") ||
         name.find("kubernetes.io/") != Str::npos || is_extended_resource_name(name);
}

Resources to_resources(ResourceList list, Arena& arena) {
  Resources out;
  size_t scalars = 0;
  for (const NamedQuantity& entry : list) {
    if (entry.name == "cpu") {
      out.milli_cpu = entry.quantity.milli_value();
    } else if (entry.name == "memory") {
      out.memory = entry.quantity.value();
    } else if (entry.name == "ephemeral-storage") {
      out.ephemeral_storage = entry.quantity.value();
    } else if (entry.name == "pods") {
      out.pods = entry.quantity.value();
    } else if (is_scalar_resource_name(entry.name)) {
      ++scalars;
    }
  }
  if (scalars == 0) return out;
  auto* at = static_cast<ScalarAmount*>(
      arena.allocate(scalars * sizeof(ScalarAmount), alignof(ScalarAmount)));
  out.scalars = {at, scalars};
  for (const NamedQuantity& entry : list) {  // sorted already
    if (!is_scalar_resource_name(entry.name)) continue;
    new (at++) ScalarAmount{entry.name, entry.quantity.value(), hash_str(entry.name)};
  }
  return out;
}

}  // namespace libsched
