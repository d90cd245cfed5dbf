// Regular expressions with Go's syntax, semantics and error texts. RE2 does the work.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"

namespace re2 {
class RE2;
}

namespace libsched::cel {

// Immutable and safe to share by threads.
class Regex {
 public:
  // The error is "error parsing regexp: ...". A pattern that needs more than 8 MiB is too large.
  static Result<Regex> compile(Str pattern);
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  bool matches(Str text) const;  // anywhere in the text
  Str find(Str text) const;      // the leftmost match, "" if there is none
  // All matches that do not overlap, as Go's FindAllString: a negative limit is none.
  std::vector<Str> find_all(Str text, int64_t limit = -1) const;

 private:
  explicit Regex(std::unique_ptr<re2::RE2> re);
  std::unique_ptr<re2::RE2> re_;
};

}  // namespace libsched::cel
