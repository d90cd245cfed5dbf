// Faults: which calls of an API server fail, or take time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "libsched/framework/api_client.hpp"

namespace libsched {

struct ApiFault {
  std::optional<ApiVerb> verb;  // absent: of any verb
  std::string key;              // "namespace/name" or a name without namespace; "": of any object
  // "conflict", "notFound", "timeout", or the text of the error; "": none.
  std::string error;
  int64_t slow_ns = 0;  // the call takes so long before it succeeds or fails
  uint32_t times = 0;   // how often; 0: always
};

struct RandomFaults {
  uint64_t seed = 0;
  double rate = 0;       // of the calls fail
  double slow_rate = 0;  // of the calls take time, up to
  int64_t most_slow_ns = 0;
};

// Not thread-safe.
class Faults {
 public:
  struct Choice {
    std::string error;
    int64_t slow_ns = 0;
  };

  explicit Faults(const RandomFaults& random) : options_(random), random_(random.seed) {}

  void add(ApiFault fault) { faults_.push_back({std::move(fault), 0}); }
  void clear() { faults_.clear(); }
  bool may_be_slow() const;
  // Whether no call is affected, so that nothing needs to be asked.
  bool none() const {
    return faults_.empty() && begun_.empty() && options_.rate <= 0 && options_.slow_rate <= 0;
  }

  // Decides about a call that begins: the first fault that fits, else a random one. take() of the
  // same call, of the same task, returns it again.
  Choice begin(ApiVerb verb, const std::string& key);
  // The choice of a call; one that has not begun begins.
  Choice take(ApiVerb verb, const std::string& key);

 private:
  struct Used {
    ApiFault fault;
    uint32_t times = 0;
  };

  Choice choose(ApiVerb verb, const std::string& key);
  double draw() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

  RandomFaults options_;
  std::mt19937_64 random_;
  std::vector<Used> faults_;
  // The task first, or the number of a thread without one.
  using Call = std::tuple<const void*, uint64_t, ApiVerb, std::string>;
  static Call call_of(ApiVerb verb, const std::string& key);
  std::map<Call, Choice> begun_;
};

// The error of an API server about an object: `resource` is "pods" and the like.
Error api_error(const std::string& error, Str resource, Str name);

}  // namespace libsched
