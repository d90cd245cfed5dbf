// Amounts of resources: as written (ResourceList) and as the scheduler counts (Resources).
#pragma once

#include <cstdint>

#include "libsched/base/quantity.hpp"
#include "libsched/objects/meta.hpp"

namespace libsched {

struct NamedQuantity {
  Str name;
  Quantity quantity;
};
// Names are unique. Sorted by name, except for the result of QuantitySums::list().
using ResourceList = Span<NamedQuantity>;

// The list must be sorted.
const Quantity* find_quantity(ResourceList list, Str name);

// A scalar resource: extended, huge pages, attachable volumes, or kubernetes.io/.
struct ScalarAmount {
  Str name;
  int64_t value = 0;
  uint64_t name_hash = 0;
};

// framework.Resource: cpu in thousandths, the others in units or bytes. Scalars sorted by name.
struct Resources {
  int64_t milli_cpu = 0;
  int64_t memory = 0;
  int64_t ephemeral_storage = 0;
  int64_t pods = 0;  // of a node: allowed pod number
  Span<ScalarAmount> scalars;
};

// A pod's use of a node, with cpu and memory that are not requested counted as 100m and 200Mi.
struct NonZero {
  int64_t milli_cpu = 0;
  int64_t memory = 0;
  friend bool operator==(const NonZero&, const NonZero&) = default;
};

bool is_scalar_resource_name(Str name);  // kept by upstream in ScalarResources
bool is_extended_resource_name(Str name);

// Converts a list as NodeInfo does for allocatable: values rounded up, unknown names dropped.
Resources to_resources(ResourceList list, Arena& arena);

}  // namespace libsched
