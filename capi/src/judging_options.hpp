// What the options of all answers have in common.
#pragma once

#include "given.hpp"

namespace libsched::capi {

// Of options that read_given() has checked.
template <typename How, typename Given>
How judging_options(const Given& o) {
  How how;
  if constexpr (requires { o.ties; }) {
    how.ties = static_cast<TieMode>(o.ties);
    how.seed = o.seed;
  }
  if constexpr (requires { o.sampling; }) how.sampling = o.sampling;
  if constexpr (requires { o.no_claims_from_templates; })
    how.claims_from_templates = !o.no_claims_from_templates;
  how.other_profile = in(o.other_profile);
  how.limits = limits_of(o.cancel, o.deadline_ns);
  return how;
}

}  // namespace libsched::capi
