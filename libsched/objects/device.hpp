// Devices of dynamic resource allocation, as ResourceSlices list them, and the parts that several
// kinds of resource.k8s.io have: selectors, taints, tolerations, configurations.
//
// The versions v1, v1beta2 and v1beta1 of the API become the same objects.
#pragma once

#include <cstdint>
#include <optional>

#include "libsched/objects/resources.hpp"
#include "libsched/objects/selector.hpp"

namespace libsched {

// A selector without `cel` is kept: the allocator reports it.
struct DeviceSelector {
  bool cel = false;
  Str expression;
};

struct DeviceToleration {
  Str key, op, value, effect;  // as written; the operator "" means Equal
  std::optional<int64_t> seconds;
};

struct DeviceTaint {
  Str key, value, effect;  // as written
  Time added;
};

// Of a class, a claim or an allocation: parameters for a driver, which the scheduler passes on.
struct DeviceConfiguration {
  Str source;          // only in allocations: FromClass or FromClaim
  Span<Str> requests;  // not of a class; empty: all
  bool opaque = false;
  Str driver;
  Str parameters;  // JSON as it stands in the document; "" if absent
};

// A named value that is set in at most one of its forms; an object that upstream has not validated
// may set several.
struct DeviceAttribute {
  Str name;
  std::optional<int64_t> number;
  std::optional<bool> boolean;
  std::optional<Str> text;
  std::optional<Str> version;
  Span<int64_t> numbers, booleans;  // booleans: 0 or 1 each
  Span<Str> texts;
  Span<Str> versions;
  bool numbers_present = false, booleans_present = false, texts_present = false,
       versions_present = false;
};

// A quantity with the text that it was parsed from, which decides how it is printed.
struct Amount : Quantity {
  Str written;  // "": as a plain number
  std::string text() const {
    return written.empty() ? to_string() : canonical_quantity(*this, written);
  }
};
// Names are unique, and sorted.
struct NamedAmount {
  Str name;
  Amount amount;
};
using AmountList = Span<NamedAmount>;

// How much of a capacity a claim may ask for.
struct CapacityPolicy {
  std::optional<Amount> default_value;
  Span<Amount> valid_values;
  bool has_range = false;  // validRange
  std::optional<Amount> min, max, step;
};

struct DeviceCapacity {
  Str name;
  Amount value;
  bool has_policy = false;
  CapacityPolicy policy;
};

// The counters that a device takes of a set of its pool. Of a CounterSet: those that it offers.
struct DeviceCounters {
  Str set;
  ResourceList counters;           // sorted by name
  Span<Str> compatibility_groups;  // only of a device
};

// What a device takes of a resource that its node has itself, such as memory: so much for each unit
// of a capacity, or for the device as such. Since 1.37 there are amounts for each pod and each
// container that uses it, too.
struct AllocatableUse {
  Str resource;
  bool mapped = false;  // the first three are there; otherwise the others alone
  Str capacity;         // "": the device as such
  std::optional<Amount> per_unit, per_device;
  std::optional<Amount> per_pod, per_container;
};

struct Device {
  Str name;
  Span<DeviceAttribute> attributes;  // sorted by name
  Span<DeviceCapacity> capacity;     // sorted by name
  Span<DeviceCounters> consumes;
  Str node_name;  // "": absent, here and in slices
  NodeSelector node_selector;
  bool all_nodes = false;
  Span<DeviceTaint> taints;
  bool binds_to_node = false;
  Span<Str> binding_conditions, binding_failure_conditions;
  bool allow_multiple_allocations = false;
  Span<AllocatableUse> mappings;     // nodeAllocatableResourceMappings, of 1.36; sorted by resource
  Span<AllocatableUse> allocatable;  // nodeAllocatableResources, since 1.37; sorted by resource
};

// The name of one device of all.
struct DeviceId {
  Str driver, pool, device;
  friend bool operator==(const DeviceId&, const DeviceId&) = default;
  friend auto operator<=>(const DeviceId&, const DeviceId&) = default;
};

}  // namespace libsched
