// Dialect: how the expressions of a release of Kubernetes differ from those of 1.36.
#pragma once

namespace libsched::cel {

// All false is 1.36.
struct Dialect {
  // There is no includes().
  bool no_includes = false;
  // Expressions are those of cel-go 0.29 and of the declarations that Kubernetes has had since it
  // uses that version: attributes have type dyn and may be lists, whatever the feature gate says.
  bool cel_go_29 = false;
};

}  // namespace libsched::cel
