// Plugins, extenders and API clients that misbehave: they call back into the library, release lent
// handles, return invalid answers, fail at random.
#pragma once

#include "turn.hpp"

namespace fuzz {

// The handles lent to a function of the program while the library calls it.
class Slot {
 public:
  // `anywhere`: it may run on the library's threads, where it behaves well.
  Slot(std::initializer_list<Pools::Lent> lent, bool anywhere = false);
  ~Slot();
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  bool active() const { return active_; }
  Choices& choose() { return world().slots; }
  // Does something that a slot should not do, or nothing.
  void mischief();
  // Returns a code, mostly Success, with a reason in `status`.
  libsched_code answer(libsched_status* status);

 private:
  bool active_;
  size_t before_ = 0;
};

template <typename T>
Pools::Lent lent(T* handle) {
  return {kind_of(handle), const_cast<std::remove_const_t<T>*>(handle), std::is_const_v<T>};
}

const libsched_api_client* hostile_client(Turn& t);
void* client_data();
// The struct of a plugin with some of its slots, to be added with `data`.
libsched_plugin hostile_plugin(Turn& t, const char* name);
// The functions of an extender, to be made with data that is passed.
libsched_extender_functions hostile_extender(Turn& t);
// Adds a plugin whose methods throw (plugin.hpp is the barrier).
libsched_rc add_thrower(libsched_registry* registry, libsched_error** error);

}  // namespace fuzz
