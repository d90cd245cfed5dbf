// How selectors of devices are compiled in a release.
#pragma once

#include "libsched/cel/cel.hpp"
#include "libsched/config/release.hpp"

namespace libsched {

// `list_attributes`: feature gate DRAListTypeAttributes.
inline cel::Options selector_options(const Behaviours& behaviours, bool list_attributes) {
  cel::Options out;
  out.list_attributes = list_attributes;
  out.dialect.no_includes = behaviours.selectors_without_includes;
  out.dialect.cel_go_29 = behaviours.newer_selectors;
  return out;
}

}  // namespace libsched
