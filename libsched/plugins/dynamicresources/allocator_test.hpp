// For tests of the allocator: a world of slices and claims, and documents to make it of.
// Expressions are names of attributes.
#pragma once

#include <doctest/doctest.h>

#include <map>

#include "libsched/ingest/ingest.hpp"
#include "libsched/ingest/write/write.hpp"
#include "libsched/plugins/dynamicresources/allocator.hpp"

namespace libsched::allocator_test {

// Slices, classes, rules and claims of documents. A selector `name` asks for the attribute name;
// `error` and `missing` fail, and `broken` does not compile.
class World {
 public:
  explicit World(const std::string& yaml, DeviceFeatures features = {}) : features_(features) {
    Result<ObjectSet> set = parse_objects(yaml, {});
    if (!set.ok()) FAIL(set.error().text());
    objects_ = std::move(*set);
    std::vector<const ResourceSlice*> slices;
    AllocatorInput input;
    input.features = features_;
    for (const StoredObject& o : objects_.stored) {
      const Object* const object = o.object.get();
      if (o.kind == StoredKind::kResourceSlice)
        slices.push_back(static_cast<const ResourceSlice*>(object));
      if (o.kind == StoredKind::kDeviceTaintRule)
        rules_.push_back(static_cast<const DeviceTaintRule*>(object));
      if (o.kind == StoredKind::kDeviceClass)
        classes_[object->meta.name] = static_cast<const DeviceClass*>(object);
      if (o.kind != StoredKind::kResourceClaim) continue;
      const auto* claim = static_cast<const ResourceClaim*>(object);
      if (claim->allocation) {
        in_use_.add(*claim->allocation, features_.consumable_capacity);
      } else {
        claims_.push_back(claim);
      }
    }
    slices_ = DeviceSlices(slices, features);
    input.rules = rules_;
    input.in_use = &in_use_;
    input.class_of = [this](Str name) {
      const auto at = classes_.find(name);
      return at == classes_.end() ? nullptr : at->second;
    };
    const auto compile = [this](Str expression) -> Result<DeviceMatcher> {
      if (expression == "broken") return invalid({}, "no expression");
      return DeviceMatcher([this, name = std::string(expression)](const cel::Device& d) {
        ++evaluations;
        cel::MatchResult out;
        for (const cel::Attribute& a : d.attributes)
          if (a.name == name) out.match = cel::Match::kYes;
        if (name == "error") out = {cel::Match::kError, 0, "it fails"};
        if (name == "missing") out = {cel::Match::kError, 0, "no such key: x"};
        return out;
      });
    };
    allocator_ = std::make_unique<DeviceAllocator>(std::move(input));
    selectors_ = std::make_unique<SelectorMemory>(compile, false);
  }

  Result<AllocationOutcome> allocate(Str node = "w") {
    const TargetNode target{node, {}};
    NodePools pools;
    Result<std::vector<const DevicePool*>> seen = slices_.pools_of(target, pools.made);
    if (seen.ok()) pools.pools = std::move(*seen);
    if (!seen.ok()) pools.error = seen.error().message;
    const std::function<bool()> timed_out = [this] { return steps-- == 0; };
    return allocator_->allocate({target, pools, claims_, *selectors_, timed_out});
  }
  // The picked devices as "request=device ..." with "|" between claims; or what became of it.
  std::string picks(Str node = "w") {
    const Result<AllocationOutcome> out = allocate(node);
    if (!out.ok()) return "error: " + out.error().text();
    switch (out->kind) {
      case AllocationOutcome::Kind::kImpossible: return "impossible";
      case AllocationOutcome::Kind::kInvalidPools: return "invalid pools";
      case AllocationOutcome::Kind::kTimedOut: return "timed out";
      case AllocationOutcome::Kind::kAllocated: break;
    }
    std::string text;
    for (const NewAllocationRef& a : out->allocations) {
      text += &a == &out->allocations.front() ? "" : " |";
      for (const AllocatedDevice& d : a->allocation.results)
        text.append(text.empty() ? "" : " ").append(d.request).append("=").append(d.device);
    }
    return text;
  }
  // The first claim with its allocation, as a document.
  std::string document() {
    const Result<AllocationOutcome> out = allocate();
    REQUIRE(out.ok());
    REQUIRE(out->kind == AllocationOutcome::Kind::kAllocated);
    const Ref<ResourceClaim> claim = copy_resource_claim(*claims_[0]);
    claim->allocation = out->allocations[0]->allocation;
    JsonText json;
    write_stored(json, StoredKind::kResourceClaim, *claim);
    const std::string text = json.take();
    return text.substr(text.find("\"allocation\""));
  }

  size_t evaluations = 0;
  int64_t steps = -1;  // after so many the time is over; negative: never

 private:
  DeviceFeatures features_;
  ObjectSet objects_;
  std::map<Str, const DeviceClass*> classes_;
  std::vector<const ResourceClaim*> claims_;
  DeviceSlices slices_;
  std::vector<const DeviceTaintRule*> rules_;
  DevicesInUse in_use_;
  std::unique_ptr<DeviceAllocator> allocator_;
  std::unique_ptr<SelectorMemory> selectors_;
};

inline std::string slice(const std::string& name, const std::string& devices,
                         const std::string& more = "nodeName: w", const std::string& pool = "p",
                         int count = 1, int generation = 1) {
  return "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: " + name +
         "}\nspec: {driver: d, pool: {name: " + pool +
         ", generation: " + std::to_string(generation) +
         ", resourceSliceCount: " + std::to_string(count) + "}, " + more + ", devices: [" +
         devices + "]}\n";
}
inline std::string claim(const std::string& name, const std::string& requests,
                         const std::string& more = "") {
  return "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: " + name +
         ", namespace: a}\nspec: {devices: {requests: [" + requests + "]" + more + "}}\n";
}
inline std::string allocated(const std::string& device, const std::string& more = "") {
  return "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: old-" +
         device +
         ", namespace: a}\nstatus: {allocation: {devices: {results: [{request: r, driver: d, pool: "
         "p, device: " +
         device + more + "}]}}}\n";
}
inline std::string ask(const std::string& name, const std::string& more = "") {
  return "{name: " + name + ", exactly: {deviceClassName: c, allocationMode: ExactCount, count: 1" +
         (more.empty() ? "" : ", " + more) + "}}";
}
inline std::string count(const std::string& name, int n) {
  return "{name: " + name +
         ", exactly: {deviceClassName: c, allocationMode: ExactCount, count: " + std::to_string(n) +
         "}}";
}
inline const std::string kAll = "{name: r, exactly: {deviceClassName: c, allocationMode: All}}";
inline const std::string kClass =
    "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: c}\nspec: {}\n";
inline std::string select(const std::string& name) {
  return "selectors: [{cel: {expression: " + name + "}}]";
}
inline std::string having(const std::string& device, const std::string& attribute) {
  return "{name: " + device + ", attributes: {" + attribute + ": {bool: true}}}";
}

}  // namespace libsched::allocator_test
