// What the options of all answers have in common.
#pragma once

#include <string>

#include "handles.hpp"
#include "refusals.hpp"

namespace libsched::capi {

// Errors: UNSUPPORTED, MISUSE (a dead handle). `name` is that of the struct.
template <typename How, typename Given>
Result<How> judging_options(const Given& o, const char* name) {
  How how;
  if constexpr (requires { o.ties; }) {
    if (o.ties > LIBSCHED_TIES_RANDOM) return unsupported(std::string(name) + ": unknown ties");
    how.ties = static_cast<TieMode>(o.ties);
    how.seed = o.seed;
  }
  if constexpr (requires { o.sampling; }) how.sampling = o.sampling;
  if constexpr (requires { o.no_claims_from_templates; })
    how.claims_from_templates = !o.no_claims_from_templates;
  if constexpr (requires { o.reserved; }) LIBSCHED_TRY(refuse_reserved(o.reserved, name));
  LIBSCHED_TRY(live_or_null("options->cancel", o.cancel));
  how.other_profile = in(o.other_profile);
  how.limits = limits_of(o.cancel, o.deadline_ns);
  return how;
}

}  // namespace libsched::capi
