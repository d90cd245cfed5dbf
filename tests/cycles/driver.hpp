// Driver: runs the script of a case of mode cycles.
#pragma once

#include <stdexcept>

#include "documents.hpp"
#include "view.hpp"

namespace libsched::cycles {

// A case that cannot be run.
struct BadCase : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The golden result of a case.
Json run_case(const Json& c);

}  // namespace libsched::cycles
