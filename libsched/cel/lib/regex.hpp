// Regular expressions with Go's syntax, semantics and error texts. RE2 does the work.
#pragma once

#include <cstdint>
#include <functional>
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
  // All matches that do not overlap, as Go's FindAllString: a negative limit is none. The search
  // behind each of them may look at bytes that were looked at before: look(how many at most) is
  // asked first, and ends the call early by false.
  std::vector<Str> find_all(Str text, int64_t limit = -1,
                            const std::function<bool(size_t)>& look = {}) const;

  // Of the compiled pattern, in instructions.
  size_t size() const;
  // An upper bound of the work on a byte that is looked at, in about nanoseconds: states of the
  // pattern that stand for many instructions are slow to find.
  uint64_t byte_work() const { return 8 + size() / 4; }

 private:
  explicit Regex(std::unique_ptr<re2::RE2> re, size_t longest);
  std::unique_ptr<re2::RE2> re_;
  size_t longest_;  // no match has more bytes; SIZE_MAX: not known
};

}  // namespace libsched::cel
