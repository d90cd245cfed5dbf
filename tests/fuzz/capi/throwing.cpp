// A plugin in C++ whose methods throw; plugin.hpp catches all exceptions.
#include <libsched/plugin.hpp>

#include <stdexcept>
#include <string_view>

#include "hostile.hpp"

namespace fuzz {
namespace {

// Throws now and then, something that is an exception or not.
void perhaps(bool anywhere = false) {
  Slot s({}, anywhere);
  if (!s.active()) return;
  s.mischief();
  switch (s.choose().below(16)) {
    case 0: throw std::runtime_error("thrown\xff");
    case 1: throw 7;
    case 2: throw std::bad_alloc();
    default: return;
  }
}

struct Thrower {
  using State = libsched_cycle_state;
  using Pod = const libsched_pod;
  using Info = const libsched_node_info;
  using Set = const libsched_node_set;
  static constexpr std::string_view name = "Thrower";

  Thrower() { perhaps(); }
  void pre_filter(State*, Pod*, libsched_prefilter_result*) { perhaps(); }
  void filter(const State*, Pod*, Info*) { perhaps(true); }
  void add_pod(State*, Pod*, Pod*, Info*) { perhaps(true); }
  void remove_pod(State*, Pod*, Pod*, Info*) { perhaps(true); }
  void pre_score(State*, Pod*, Set*) { perhaps(); }
  void score(const State*, Pod*, Info*, int64_t& score) {
    score = 1;
    perhaps();
  }
  void reserve(State*, Pod*, uint32_t, std::string_view) { perhaps(); }
  void unreserve(State*, Pod*, uint32_t, std::string_view) { perhaps(); }
  void pre_bind(State*, Pod*, std::string_view) { perhaps(true); }
  void on_event(libsched_services*, const libsched_view*, const libsched_object_change*) {
    perhaps();
  }
  void forked(const libsched_view*) { perhaps(); }
};

}  // namespace

libsched_rc add_thrower(libsched_registry* registry, libsched_error** error) {
  world().hostile = true;
  return libsched::sdk::add<Thrower>(registry, error);
}

}  // namespace fuzz
