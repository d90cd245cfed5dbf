// The states of scheduling cycles as a plugin in another process knows them: by ids.
//
// An id is given to a CycleState when the plugin is first asked about it. Copies and ends of states
// are noted in a ledger, and told before the next question, so that both sides see all changes in
// one order.
#pragma once

#include <libsched.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libsched/base/mutex.hpp"

namespace libsched::remote {

// A state that was copied, or that has ended if `to` is empty.
struct StateChange {
  std::string state, to;
};

class Ledger {
 public:
  // Unless `keeps`, the plugin keeps nothing for a state, and changes are not noted.
  explicit Ledger(bool keeps);

  std::string begin();
  std::string copy(const std::string& state);
  void end(const std::string& state);
  bool keeps() const { return keeps_; }

  // Takes the changes to tell, or returns those that could not be told.
  std::vector<StateChange> take();
  void put_back(std::vector<StateChange> changes);
  void forget();

 private:
  std::string next();

  const bool keeps_;
  const std::string session_;  // random, so that ids of different processes differ
  Mutex mutex_;
  uint64_t last_ = 0;
  std::vector<StateChange> changes_;
};

// What is kept with a CycleState.
struct StateOfPlugin {
  std::shared_ptr<Ledger> ledger;
  std::string id;
  uint64_t connection = 0;  // the one that knows the state; 0: none yet
  // The view that the plugin was told of last in this state; see Nodes::is_known().
  const libsched_view* view = nullptr;
  uint64_t view_version = 0;
  uint64_t nodes_version = 0;
};

// Returns what is kept in `state` under `key`, which is made if there is none yet; nullptr if
// memory runs out.
StateOfPlugin* state_of(const libsched_cycle_state* state, const std::string& key,
                        const std::shared_ptr<Ledger>& ledger);

}  // namespace libsched::remote
