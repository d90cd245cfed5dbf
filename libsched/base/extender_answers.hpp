// The plain parts of an extender's answers: what upstream's extender/v1 says in names alone.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace libsched {

// Names of nodes and messages. A node may be in both lists, and then is unresolvable.
struct ExtenderRejections {
  std::vector<std::pair<std::string, std::string>> failed, unresolvable;
};

struct ExtenderScore {
  std::string node;
  int64_t score = 0;
};

// The victims on a node, as the extender answers with them.
struct ExtenderVictims {
  std::string node;
  std::vector<std::string> uids;
  int64_t budget_violations = 0;
};

}  // namespace libsched
