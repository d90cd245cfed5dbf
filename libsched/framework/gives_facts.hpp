// GivesFacts: the numbers and names behind a plugin's reasons (facts.hpp).
#pragma once

#include <cstdint>

#include "libsched/framework/points/filter.hpp"

namespace libsched {

class Facts;

class GivesFacts {
 public:
  // The facts behind the reasons of a status: of PreEnqueue or PreFilter, and of filter_status().
  // The view is still the one that was judged. `call.state` is of no framework and has no data;
  // what a plugin writes there under a key is there for the next row of the answer. An in-tree
  // plugin gives at least one for each reason. For an Error only a plugin that explains them is
  // asked.
  virtual bool explains_errors() const { return false; }
  virtual void pod_facts(const Call&, const Pod&, const Status&, Facts*) const {}
  virtual void node_facts(const FilterCall&, uint32_t, const Status&, Facts*) const {}
  // What a node that all plugins accept would give the pod beside its resources, as facts with an
  // empty reason. Asked for only if the plugin lists such gains.
  virtual bool lists_gains() const { return false; }
  virtual void gain_facts(const FilterCall&, uint32_t, Facts*) const {}

 protected:
  ~GivesFacts() = default;
};

}  // namespace libsched
