// Searching, cutting and replacing by code points. Texts that are UTF-8 are searched as bytes,
// which finds the same places; others are made UTF-8 first.
#include "libsched/cel/lib/strings.hpp"

#include <algorithm>
#include <vector>

namespace libsched::cel {
namespace {

Error out_of_range(int64_t index) {
  return invalid("", "index out of range: " + std::to_string(index));
}

Error too_long() {
  return {Rc::kLimit, "a text of more than " + std::to_string(kMostBytes) + " bytes"};
}

// The text itself if it is UTF-8, else a sanitized copy.
class Sanitized {
 public:
  explicit Sanitized(Str s) : text_(s) {
    if (valid_utf8(s)) return;
    copy_ = sanitized(s);
    text_ = copy_;
  }
  Sanitized(const Sanitized&) = delete;
  Sanitized& operator=(const Sanitized&) = delete;
  Str operator*() const { return text_; }

 private:
  std::string copy_;
  Str text_;
};

// The place of a code point, npos if there are fewer. The end counts as a place.
size_t place_of(Str s, int64_t index) {
  size_t at = 0;
  for (; index > 0 && at < s.size(); --index) at += utf8_step(s, at);
  return index == 0 ? at : Str::npos;
}

// Returns the first place of a part in a text, by the method of Knuth, Morris and Pratt: the time
// is linear. text(i) and part(i) are their bytes.
template <typename Text, typename Part>
size_t first_place(size_t text_size, Text text, size_t part_size, Part part) {
  if (text_size < part_size) return Str::npos;
  std::vector<size_t> border(part_size, 0);
  for (size_t i = 1, k = 0; i < part_size; ++i) {
    while (k > 0 && part(i) != part(k)) k = border[k - 1];
    if (part(i) == part(k)) ++k;
    border[i] = k;
  }
  for (size_t i = 0, k = 0; i < text_size; ++i) {
    while (k > 0 && text(i) != part(k)) k = border[k - 1];
    if (text(i) == part(k)) ++k;
    if (k == part_size) return i + 1 - part_size;
  }
  return Str::npos;
}

// The searches of the C++ library compare the part at each place, which is linear as long as parts
// are short. Those of C libraries are linear in some of them only.
constexpr size_t kShortPart = 32;

size_t find_bytes(Str s, Str part, size_t from = 0) {
  if (part.size() <= kShortPart) return s.find(part, from);
  const Str rest = s.substr(from);
  const size_t place = first_place(
      rest.size(), [&](size_t i) { return rest[i]; }, part.size(),
      [&](size_t i) { return part[i]; });
  return place == Str::npos ? place : from + place;
}

size_t find_last_bytes(Str s, Str part) {
  if (part.size() <= kShortPart) return s.rfind(part);
  const size_t place = first_place(
      s.size(), [&](size_t i) { return s[s.size() - 1 - i]; }, part.size(),
      [&](size_t i) { return part[part.size() - 1 - i]; });
  return place == Str::npos ? place : s.size() - place - part.size();
}

int64_t points_before(Str s, size_t at) {
  return at == Str::npos ? -1 : code_points(s.substr(0, at));
}

// Bytes of the White_Space character at the start of s, 0 if there is none.
size_t space_at(Str s) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(s[i]); };
  if (s.empty()) return 0;
  if (s[0] == ' ' || (s[0] >= '\t' && s[0] <= '\r')) return 1;
  if (s.size() >= 2 && byte(0) == 0xc2) return byte(1) == 0x85 || byte(1) == 0xa0 ? 2 : 0;
  if (s.size() < 3 || (byte(0) != 0xe1 && byte(0) != 0xe2 && byte(0) != 0xe3)) return 0;
  const int point = (byte(0) & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
  if (utf8_length(s, 0) != 3) return 0;
  const bool space = point == 0x1680 || (point >= 0x2000 && point <= 0x200a) || point == 0x2028 ||
                     point == 0x2029 || point == 0x202f || point == 0x205f || point == 0x3000;
  return space ? 3 : 0;
}

std::string map_ascii(Str s, char first, char last, int shift) {
  std::string result = sanitized(s);
  for (char& c : result)
    if (c >= first && c <= last) c = static_cast<char>(c + shift);
  return result;
}

}  // namespace

Result<std::string> char_at(Str s, int64_t index) {
  const size_t at = index < 0 ? Str::npos : place_of(s, index);
  if (at == Str::npos) return out_of_range(index);
  if (at == s.size()) return std::string();
  return sanitized(s.substr(at, utf8_step(s, at)));
}

int64_t index_of(Str s, Str part) {
  const Sanitized text(s);
  return points_before(*text, find_bytes(*text, *Sanitized(part)));
}

Result<int64_t> index_of(Str s, Str part, int64_t offset) {
  if (part.empty()) return offset;
  if (offset < 0) return out_of_range(offset);
  const Sanitized text(s);
  const size_t from = place_of(*text, offset);
  if (from == Str::npos) return -1;
  return points_before(*text, find_bytes(*text, *Sanitized(part), from));
}

int64_t last_index_of(Str s, Str part) {
  if (part.empty()) return code_points(s);
  if (s.size() < part.size()) return -1;
  const Sanitized text(s);
  return points_before(*text, find_last_bytes(*text, *Sanitized(part)));
}

Result<int64_t> last_index_of(Str s, Str part, int64_t offset) {
  if (part.empty()) return offset;
  if (offset < 0) return out_of_range(offset);
  const Sanitized text(s);
  const Sanitized sought(part);
  const size_t last = place_of(*text, offset);
  if (last == Str::npos || last == (*text).size()) return -1;
  const size_t end = std::min((*text).size(), last + (*sought).size());
  return points_before(*text, find_last_bytes((*text).substr(0, end), *sought));
}

Result<std::string> substring(Str s, int64_t start) {
  const size_t at = start < 0 ? Str::npos : place_of(s, start);
  if (at == Str::npos) return out_of_range(start);
  return sanitized(s.substr(at));
}

Result<std::string> substring(Str s, int64_t start, int64_t end) {
  if (start > end)
    return invalid("", "invalid substring range. start: " + std::to_string(start) +
                           ", end: " + std::to_string(end));
  const size_t from = start < 0 ? Str::npos : place_of(s, start);
  if (from == Str::npos) return out_of_range(start);
  const size_t length = place_of(s.substr(from), end - start);
  if (length == Str::npos) return out_of_range(end);
  return sanitized(s.substr(from, length));
}

std::string lower_ascii(Str s) { return map_ascii(s, 'A', 'Z', 'a' - 'A'); }
std::string upper_ascii(Str s) { return map_ascii(s, 'a', 'z', 'A' - 'a'); }

Str trim(Str s) {
  while (const size_t length = space_at(s)) s.remove_prefix(length);
  for (bool more = true; more;) {
    more = false;
    for (size_t length = 1; length <= 3 && length <= s.size(); ++length) {
      if (space_at(s.substr(s.size() - length)) != length) continue;
      s.remove_suffix(length);
      more = true;
      break;
    }
  }
  return s;
}

bool contains(Str s, Str part) { return find_bytes(s, part) != Str::npos; }

std::string quote(Str s) {
  std::string result = "\"";
  for (const char c : sanitized(s)) {
    constexpr Str kPlain = "\a\b\f\n\r\t\v\\\"";
    const size_t at = kPlain.find(c);
    if (at == Str::npos)
      result += c;
    else
      result.append("\\").append(1, "abfnrtv\\\""[at]);
  }
  return result += '"';
}

Result<std::string> replace(Str s, Str old_part, Str new_part, int64_t limit) {
  if (old_part == new_part || limit == 0) return std::string(s);
  std::string result;
  size_t done = 0;   // what the result holds of s
  size_t start = 0;  // where to search
  for (int64_t count = 0; limit < 0 || count < limit; ++count) {
    if (old_part.empty()) {
      // Before each code point and at the end.
      if (count > 0 && start == s.size()) break;
      if (count > 0) start += utf8_step(s, start);
    } else {
      start = find_bytes(s, old_part, start);
      if (start == Str::npos) break;
    }
    if (result.size() + (start - done) + new_part.size() > kMostBytes) return too_long();
    result.append(s, done, start - done).append(new_part);
    start += old_part.size();
    done = start;
  }
  if (result.size() + s.size() - done > kMostBytes) return too_long();
  return result.append(s, done);
}

std::vector<Str> split(Str s, Str separator, int64_t limit) {
  std::vector<Str> parts;
  if (limit == 0) return parts;
  size_t start = 0;
  const auto full = [&] { return limit > 0 && static_cast<int64_t>(parts.size()) + 1 >= limit; };
  if (separator.empty()) {
    while (start < s.size()) {
      const size_t length = full() ? s.size() - start : utf8_step(s, start);
      parts.push_back(s.substr(start, length));
      start += length;
    }
    return parts;
  }
  while (!full()) {
    const size_t at = find_bytes(s, separator, start);
    if (at == Str::npos) break;
    parts.push_back(s.substr(start, at - start));
    start = at + separator.size();
  }
  parts.push_back(s.substr(start));
  return parts;
}

Result<std::string> join(const std::vector<Str>& parts, Str separator) {
  std::string result;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (result.size() + parts[i].size() + separator.size() > kMostBytes) return too_long();
    if (i > 0) result += separator;
    result += parts[i];
  }
  return result;
}

}  // namespace libsched::cel
