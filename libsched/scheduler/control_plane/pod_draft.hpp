// PodDraft: a pod that admission may change. The first change makes a copy.
#pragma once

#include <string>

#include "libsched/objects/pod.hpp"

namespace libsched {

class PodDraft {
 public:
  explicit PodDraft(const PodRef& given) : given_(given) {}

  const Pod& now() const { return copy_ ? *copy_ : *given_; }
  // Its strings go into the copy's arena, or live as long as the program.
  Pod& change();
  // The given pod if nothing has changed. With `number` it gets the number of its class.
  PodRef finish(bool number);

 private:
  PodRef given_;
  Ref<Pod> copy_;
};

// An amount as a manifest writes it: "250m", "1Gi".
std::string amount_text(Str resource, const Quantity& amount);
// "cpu 250m, memory 1Gi"
std::string amounts_text(ResourceList list);
// "a, b and c"
std::string joined(const std::vector<std::string>& parts);

}  // namespace libsched
