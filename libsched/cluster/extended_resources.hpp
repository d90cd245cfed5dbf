// ExtendedResources: which DeviceClass provides an extended resource, as upstream's scheduler keeps
// it: a map that follows the classes, in the order in which they come, change and go.
//
// A class provides the resource that it names, and the implicit one with its own name. Of classes
// with the same resource the newest has it, then that with the lowest name. A class that comes too
// late for its resource has no implicit one either, and a class that leaves takes the resource with
// it, even from another class that has it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libsched/objects/device_class.hpp"

namespace libsched {

class ExtendedResources {
 public:
  // The class that provides a resource, or null. It is as it was when it got the resource: an
  // update that changes neither the resource nor the class's creation is not noticed.
  const DeviceClass* find(Str resource) const {
    const auto at = classes_.find(resource);
    return at == classes_.end() ? nullptr : at->second.get();
  }

  using Classes = std::map<std::string, DeviceClassRef, std::less<>>;
  // The classes of some resources. A resource that is touched but not in `classes` has none.
  struct Part {
    std::vector<std::string> touched;
    Classes classes;
  };
  // What becomes of the map if `before` is replaced by `after`, which has the same name; one of
  // them may be null.
  Part after_change(const DeviceClass* before, const DeviceClass* after) const;
  // Replaces a part and returns what was there. Does not allocate.
  Part exchange(Part part) noexcept;

 private:
  Classes classes_;
};

}  // namespace libsched
