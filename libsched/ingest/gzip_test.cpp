// gzip against zlib's own compressor: members, truncation at every byte, damage, limits.
#include "libsched/ingest/gzip.hpp"

#include <doctest/doctest.h>
#include <zlib.h>

namespace libsched::gzip_test {

std::string gzip(Str text) {
  z_stream z{};
  REQUIRE(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&z, text.size()) + 32, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&z, Z_FINISH) == Z_STREAM_END);
  out.resize(out.size() - z.avail_out);
  deflateEnd(&z);
  return out;
}

std::string message(Str bytes, size_t limit = 1 << 20) {
  auto r = gunzip(bytes, limit);
  return r.ok() ? "accepted" : r.error().message;
}

TEST_CASE("gzip data comes out as it went in") {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "line " + std::to_string(i) + "\n";
  CHECK(is_gzip(gzip(text)));
  CHECK_FALSE(is_gzip("kind: Pod"));
  CHECK_FALSE(is_gzip("\x1f"));
  CHECK(gunzip(gzip(text), text.size())->text() == text);
  CHECK(gunzip(gzip(""), 0)->text() == "");
  CHECK(gunzip(gzip("a") + gzip("") + gzip("bc"), 3)->text() == "abc");
  CHECK(gunzip(gzip("a") + std::string(512, '\0'), 100)->text() == "a");
}

TEST_CASE("a limit holds for bombs and over all members") {
  const std::string bomb = gzip(std::string(50 << 20, 'x'));
  REQUIRE(bomb.size() < 100000);
  auto r = gunzip(bomb, 1 << 20);
  REQUIRE_FALSE(r.ok());
  CHECK(r.error().rc == Rc::kLimit);
  // The error has both sizes: the limit, and the estimated size of the output.
  const std::string begin =
      "gzip data of " + std::to_string(bomb.size()) + " bytes expands to about ";
  const std::string end = " bytes, more than the limit of 1048576";
  const std::string& text = r.error().message;
  REQUIRE(text.starts_with(begin));
  REQUIRE(text.ends_with(end));
  const double about =
      std::stod(text.substr(begin.size(), text.size() - begin.size() - end.size()));
  CHECK(about > 0.5 * (50 << 20));
  CHECK(about < 2.0 * (50 << 20));
  CHECK(gunzip(gzip("abc"), 3).ok());
  CHECK(gunzip(gzip("abc"), 2).error().rc == Rc::kLimit);
  CHECK(gunzip(gzip("ab") + gzip("cd"), 3).error().rc == Rc::kLimit);
}

TEST_CASE("other formats are known by their names") {
  CHECK(other_compression(Str("\xfd"
                              "7zXZ\0\0",
                              7)) == "xz");
  CHECK(other_compression("\x28\xb5\x2f\xfd\x24") == "zstd");
  CHECK(other_compression("BZh91AY&SY...") == "bzip2");
  CHECK(other_compression("\x04\x22\x4d\x18") == "lz4");
  CHECK(other_compression("PK\x03\x04") == "zip");
  CHECK(other_compression("BZh: 1") == "");
  CHECK(other_compression("BZh") == "");
  CHECK(other_compression("BZh91AY&S") == "");
  CHECK(other_compression("PK: 1") == "");
  CHECK(other_compression("") == "");
}

TEST_CASE("damaged data is refused") {
  const std::string good = gzip("some text, some text, some more text");
  CHECK(message("kind: Pod") == "not gzip data");
  for (size_t n = 2; n < good.size(); ++n) {
    CHECK(message(Str(good).substr(0, n)).starts_with("truncated gzip data, ends at byte"));
  }
  std::string bad = good;
  bad[bad.size() - 6] ^= 1;  // the checksum
  CHECK(message(bad).starts_with("damaged gzip data: incorrect data check"));
  bad = good;
  bad[2] = 9;  // the method
  CHECK(message(bad).starts_with("damaged gzip data: unknown compression method"));
  CHECK(message(good + "x").starts_with("data that is not gzip follows the gzip data"));
  CHECK(message(good + good.substr(0, 12)).starts_with("truncated gzip data"));
  // Any flipped bit gives an answer.
  for (size_t i = 2; i < good.size(); ++i) {
    bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x55);
    (void)gunzip(bad, 1 << 16);
  }
}

}  // namespace libsched::gzip_test
