// One call of a run, and the world that the calls share. The results and changes that the rules
// of libsched.h allow are checked here; the effects on a cluster, in effects.cpp.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "model.hpp"
#include "pools.hpp"
#include "sim_model.hpp"
#include "trace.hpp"

namespace fuzz {

// A run's knowledge of an evaluator: its view, and whether the model knows its answers.
struct EvaluatorFacts {
  std::shared_ptr<Cluster> cluster;
  const libsched_view* view = nullptr;
  bool plain = false;  // upstream's default profile and gates, only in-tree plugins
};

struct World {
  Pools pools;
  Choices slots{0};  // the choices of hostile slots
  std::unordered_map<const void*, std::shared_ptr<Cluster>> clusters;  // and snapshots
  std::unordered_map<const void*, EvaluatorFacts> evaluators;
  std::unordered_map<const void*, std::vector<Part>> lists;  // of changes
  std::unordered_map<const void*, std::shared_ptr<CatalogModel>> catalogs;
  std::unordered_map<const void*, std::shared_ptr<SimModel>> sims;
  KnownIds ids;  // of contents, nodes and pods of simulated clusters
  std::set<const void*> plain_frameworks;
  std::set<const void*> default_counts;  // frameworks of the default release and gates
  std::set<const void*> nominating;      // services with nominations, which filters count
  bool hostile = false;                  // the program made a plugin or an API client
  bool parallel = false;  // an evaluator works on several threads: slots run in any order
  bool alone = true;      // false: other threads have references that this world does not know
  int depth = 0;          // nested slots
  uint64_t calls = 0;     // of all runs
  // Objects passed to the library, which must be destroyed exactly once.
  struct Passed {
    const char* what;
    bool must;  // false: at most once
    int times = 0;
  };
  Passed* pass(const char* what, bool must = true);
  void destroyed(void* passed);
  void check_destroyed() const;
  std::vector<std::unique_ptr<Passed>> passed;
};
// That of the thread; threads of the library have the main thread's.
World& world();
// Tells whether the thread makes the calls of a run, and is not one of the library's.
bool has_world();
// A new world, for a run.
void reset_world(uint64_t seed);
// The thread makes runs beside others from now on, in worlds of its own.
void begin_own_world();

// The effect that a call may have on clusters; kForAWhile: none once it has ended; kPartly: even if
// it fails.
enum class Changes : uint8_t { kNothing, kForAWhile, kWhole, kPartly };

class Turn {
 public:
  Turn(Choices choices, int slots_deep) : choose(choices), depth(slots_deep) {}

  Choices choose;
  const int depth;
  bool must_refuse = false;      // an argument is NULL or of another kind, which no call may accept
  bool several_structs = false;  // of which the first one may be refused for another reason
  Changes changes = Changes::kNothing;
  bool written = true;  // outputs have been written

  template <typename... M>
  void begin(const char* name, Changes what, M&... arguments) {
    changes = what;
    std::string line = std::string(name) + "(";
    ((line += arguments.show() + " "), ...);
    line_ = trace(depth, line + ")");
    name_ = name;
    ++world().calls;
    (begin_change(arguments, 1), ...);
  }
  template <typename... M>
  void end_fallible(libsched_rc rc, M&... arguments) {
    (begin_change(arguments, -1), ...);
    returned(rc);
    (arguments.settle(*this, rc), ...);
  }
  template <typename T, typename... M>
  void end_value(T value, T nothing, M&... arguments) {
    look(value);
    if (must_refuse && !same(value, nothing)) wrong("takes a handle that it must not take");
    if constexpr (std::is_same_v<T, bool>) written = value;
    (arguments.settle(*this, LIBSCHED_OK), ...);
  }
  template <typename... M>
  void end_silent(M&... arguments) {
    (arguments.settle(*this, LIBSCHED_OK), ...);
  }
  // A result that the caller owns.
  template <typename T>
  void adopt(T* result) {
    if (result != nullptr)
      world().pools.adopt(kind_of(result), const_cast<std::remove_const_t<T>*>(result), depth != 0);
  }
  [[noreturn]] void wrong(const std::string& what) const { fail(std::string(name_) + " " + what); }
  const char* name() const { return name_; }

  // Reads everything that is pointed to, so that a sanitizer detects freed memory.
  void look(libsched_str s) const;
  void look(const char* s) const;
  void look(const libsched_pod* pod) const;
  void look(const libsched_node* node) const;
  template <typename T>
  void look(const T& value) {
    if constexpr (std::is_arithmetic_v<T>) trace_result(line_, " = " + std::to_string(value));
  }

 private:
  // While a cluster changes, slots see neither its old nor its new state.
  template <typename A>
  void begin_change(A& argument, int by) {
    if constexpr (requires { argument.watch(); })
      if (changes != Changes::kNothing && argument.watch().cluster() != nullptr)
        argument.watch().cluster()->changing += by;
  }
  void returned(libsched_rc rc);
  static bool same(libsched_str a, libsched_str b) { return a.len == b.len; }
  template <typename T>
  static bool same(const T& a, const T& b) {
    return a == b;
  }

  const char* name_ = "";
  size_t line_ = 0;
};

// Calls any function of the table, with arguments that `choices` make.
void any_call(Choices choices, int depth);
// The function at this position of the table, which lists each function as often as its weight
// says.
void call_at(size_t place, Choices choices, int depth);
size_t table_size();
size_t place_of(const char* name);

// Makes an object of an owned kind for a call that needs one and whose pool is empty; null on
// failure.
Entry* make(Turn& t, Kind kind);

}  // namespace fuzz
