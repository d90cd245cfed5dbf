// Bytes that are written and read, and the place of what is no base64.
#include "libsched/base/base64.hpp"

#include <doctest/doctest.h>

namespace libsched::base64_test {

// The bytes, or the offset of the first bad byte.
std::string decoded(Str text) {
  std::string out;
  const size_t bad = decode_base64(text, out);
  return bad == Str::npos ? out : std::to_string(bad);
}

TEST_CASE("bytes are read as they were written") {
  for (const Str bytes : {"", "a", "ab", "abc", "abcd"}) CHECK(decoded(base64(bytes)) == bytes);
  CHECK(base64("ab\xff") == "YWL/");
  CHECK(decoded("YW\r\nI=\n") == "ab");
}

TEST_CASE("the first bad byte is told, as in Go") {
  CHECK(decoded("YWI") == "0");
  CHECK(decoded("YWI*") == "3");
  CHECK(decoded("Y=") == "1");
  CHECK(decoded("YW=I") == "3");
  CHECK(decoded("YWI=a") == "4");
}

}  // namespace libsched::base64_test
