// SharedPods: a scheduler's pods for plugins on any thread.
#pragma once

#include "libsched/framework/services.hpp"
#include "libsched/scheduler/baton.hpp"

namespace libsched {

class SharedPods final : public PodLister {
 public:
  SharedPods(const PodLister& pods, Baton& baton) : pods_(pods), baton_(baton) {}
  // Without the baton, the result says only whether the pod is there.
  const Pod* find_pod(Str ns, Str name) const override {
    const Baton::Hold hold(baton_);
    return pods_.find_pod(ns, name);
  }

 private:
  const PodLister& pods_;
  Baton& baton_;
};

}  // namespace libsched
