// Whether an allocated claim may be used: upstream's binding conditions, which drivers report.
#pragma once

#include <string>

#include "libsched/objects/resource_claim.hpp"

namespace libsched {

enum class Readiness : uint8_t {
  kReady,    // all binding conditions hold, or there are none
  kPending,  // a driver has not reported one yet
  kFailed,   // a binding failure condition holds
};

// `why`, if it is given, gets upstream's error of kFailed.
Readiness readiness_of(const ResourceClaim& claim, std::string* why = nullptr);

bool has_binding_conditions(const ResourceClaim& claim);

// Whether an allocation whose devices have binding conditions is older than the time-out.
bool binding_timed_out(const ResourceClaim& claim, int64_t timeout_ns, int64_t now_ns);

}  // namespace libsched
