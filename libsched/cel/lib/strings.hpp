// Strings of code points; size() is code_points() of utf8.hpp. Each byte that is not UTF-8 counts
// as one U+FFFD; functions that go by code points return U+FFFD for it, the others (split, replace,
// trim) keep the byte. All take time linear in their input and output.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"
#include "libsched/base/utf8.hpp"

namespace libsched::cel {

Result<std::string> char_at(Str s, int64_t index);
int64_t index_of(Str s, Str part);
Result<int64_t> index_of(Str s, Str part, int64_t offset);
int64_t last_index_of(Str s, Str part);
Result<int64_t> last_index_of(Str s, Str part, int64_t offset);
Result<std::string> substring(Str s, int64_t start);
Result<std::string> substring(Str s, int64_t start, int64_t end);
std::string lower_ascii(Str s);
std::string upper_ascii(Str s);
Str trim(Str s);  // without Unicode's White_Space at both ends
bool contains(Str s, Str part);
std::string quote(Str s);  // strings.quote()

// A negative limit is none. Rc::kLimit if the text would have more than kMostBytes.
Result<std::string> replace(Str s, Str old_part, Str new_part, int64_t limit = -1);
// The parts point into `s`.
std::vector<Str> split(Str s, Str separator, int64_t limit = -1);
Result<std::string> join(const std::vector<Str>& parts, Str separator);

inline constexpr size_t kMostBytes = size_t{512} << 10;

}  // namespace libsched::cel
