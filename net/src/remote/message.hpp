// Questions to a plugin and its answers, whatever form of the protocol carries them.
#pragma once

#include <libsched.h>

#include <memory>
#include <string>
#include <vector>

#include "net/src/remote/description.hpp"
#include "net/src/remote/said.hpp"
#include "net/src/remote/states.hpp"

namespace libsched::remote {

// Everything is borrowed during the call. Absent parts are null.
struct Question {
  Point point = Point::kPreEnqueue;
  StateOfPlugin* state = nullptr;
  const libsched_pod* pod = nullptr;
  const libsched_pod* other = nullptr;
  // The nodes asked about: rows of the view.
  const libsched_view* view = nullptr;
  const uint32_t* rows = nullptr;
  size_t count = 0;
  // The only row of `rows` is to be seen as this copy, with other pods than the view has there.
  const libsched_node_info* copy = nullptr;
  const int64_t* scores = nullptr;  // of each row
  std::string members;              // further members as JSON, each behind a comma

  bool about_nodes() const { return view != nullptr; }
};

// Columns are empty where the plugin did not give them. Those with entries have one for each row of
// the question.
struct Answer {
  std::unique_ptr<const std::string> text;  // of which `said` is made
  Said said;
  std::vector<int8_t> codes;
  std::vector<uint16_t> reasons;
  std::vector<int64_t> scores;
};

}  // namespace libsched::remote
