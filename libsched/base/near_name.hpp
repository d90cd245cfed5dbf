// The name that somebody may have meant.
#pragma once

#include <string>

#include "libsched/base/arena.hpp"

namespace libsched {

// Collects names and keeps the one that is nearest to a given text, of equally near ones the first
// in the order of bytes. A name counts if at most a third of its bytes differ. The text must
// outlive the object.
class NearName {
 public:
  explicit NearName(Str text) : text_(text) {}
  void offer(Str name);
  // The nearest name, or "" if no name is near.
  const std::string& name() const { return best_; }
  // `; did you mean "web"?`, or "" if no name is near.
  std::string hint() const;

 private:
  Str text_;
  std::string best_;
  size_t distance_ = SIZE_MAX;
};

}  // namespace libsched
