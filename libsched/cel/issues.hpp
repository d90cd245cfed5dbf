// The errors of a compilation, with their places: upstream's texts with carets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libsched/base/arena.hpp"

namespace libsched::cel {

class Issues {
 public:
  static constexpr uint32_t kNowhere = UINT32_MAX;

  explicit Issues(Str source) : source_(source) {}
  // `offset` is in bytes of the source.
  void add(uint32_t offset, std::string message);
  bool empty() const { return count_ == 0; }
  // All errors in the order of the source: "ERROR: <input>:1:1: ...\n | source\n | ^".
  std::string text() const;

 private:
  struct Issue {
    uint32_t offset;
    std::string message;
  };
  Str source_;
  std::vector<Issue> issues_;
  size_t count_ = 0;
};

}  // namespace libsched::cel
