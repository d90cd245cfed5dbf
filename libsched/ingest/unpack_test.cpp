// gzip, xz and zstd against the compressors of their libraries: members, truncation at every byte,
// damage, limits.
#include "libsched/ingest/unpack.hpp"

#include <doctest/doctest.h>
#include <lzma.h>
#include <sys/resource.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "libsched/ingest/codec.hpp"

namespace libsched::unpack_test {

std::string gzip(const std::string& text) {
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

std::string xz(const std::string& text) {
  std::string out(lzma_stream_buffer_bound(text.size()), '\0');
  size_t size = 0;
  REQUIRE(lzma_easy_buffer_encode(
              3, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const uint8_t*>(text.data()),
              text.size(), reinterpret_cast<uint8_t*>(out.data()), &size, out.size()) == LZMA_OK);
  out.resize(size);
  return out;
}

std::string zstd(const std::string& text) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const size_t size = ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size());
  REQUIRE_FALSE(ZSTD_isError(size));
  ZSTD_freeCCtx(context);
  out.resize(size);
  return out;
}

struct Format {
  std::string name;
  std::string (*pack)(const std::string& text);
};
const Format kFormats[] = {{"gzip", gzip}, {"xz", xz}, {"zstd", zstd}};

std::string message(Str bytes, size_t limit = 1 << 20) {
  const Result<Unpacked> r = unpack(bytes, limit);
  return r.ok() ? "accepted" : r.error().message;
}

TEST_CASE("packed data comes out as it went in") {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "line " + std::to_string(i) + "\n";
  for (const auto& [name, pack] : kFormats) {
    CAPTURE(name);
    CHECK(is_packed(pack(text)));
    CHECK(unpack(pack(text), text.size())->text() == text);
    CHECK(unpack(pack(""), 0)->text() == "");
    CHECK(unpack(pack("a") + pack("") + pack("bc"), 3)->text() == "abc");
    CHECK(unpack(pack("a") + std::string(512, '\0'), 100)->text() == "a");
    CHECK(
        unpack(pack("a") + std::string(4, '\0') + pack("b") + std::string(8, '\0'), 100)->text() ==
        "ab");
  }
  CHECK_FALSE(is_packed("kind: Pod"));
  CHECK_FALSE(is_packed("\x1f"));
  CHECK_FALSE(
      is_packed("\xfd"
                "7zX"));
  CHECK(message("kind: Pod") == "not gzip, xz or zstd data");
}

TEST_CASE("frames of zstd that are to be skipped are skipped") {
  const std::string skipped("\x5a\x2a\x4d\x18\x02\0\0\0xy", 10);
  CHECK(unpack(zstd("a") + skipped + zstd("b"), 100)->text() == "ab");
  for (char first = '\x50'; first <= '\x5f'; ++first) {
    std::string begun = skipped + zstd("a");
    begun[0] = first;
    CHECK(is_packed(begun));
    CHECK(unpack(begun, 100)->text() == "a");
  }
  CHECK_FALSE(is_packed("\x60\x2a\x4d\x18"));
}

TEST_CASE("a limit holds for bombs and over all members") {
  for (const auto& [name, pack] : kFormats) {
    CAPTURE(name);
    const std::string bomb = pack(std::string(50 << 20, 'x'));
    REQUIRE(bomb.size() < 100000);
    const Result<Unpacked> r = unpack(bomb, 1 << 20);
    REQUIRE_FALSE(r.ok());
    CHECK(r.error().rc == Rc::kLimit);
    // The error has both sizes: the limit, and the estimated size of the output.
    const std::string begin =
        name + " data of " + std::to_string(bomb.size()) + " bytes expands to about ";
    const std::string end = " bytes, more than the limit of 1048576";
    const std::string& text = r.error().message;
    REQUIRE(text.starts_with(begin));
    REQUIRE(text.ends_with(end));
    const double about =
        std::stod(text.substr(begin.size(), text.size() - begin.size() - end.size()));
    CHECK(about >= 1 << 20);
    CHECK(about < 2.0 * (50 << 20));
    CHECK(unpack(pack("abc"), 3).ok());
    CHECK(unpack(pack("abc"), 2).error().rc == Rc::kLimit);
    CHECK(unpack(pack("ab") + pack("cd"), 3).error().rc == Rc::kLimit);
  }
}

size_t most_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<size_t>(usage.ru_maxrss) << 10;
}

TEST_CASE("an output beyond the limit takes little memory") {
  const std::string chunk(32 << 20, 'x');
  std::vector<std::string> members, bombs(std::size(kFormats));
  for (size_t f = 0; f < std::size(kFormats); ++f) {
    members.push_back(kFormats[f].pack(chunk));
    for (int i = 0; i < 8; ++i) bombs[f] += members[f];
  }
  const size_t before = most_memory();
  for (const std::string& bomb : bombs)
    CHECK(unpack(bomb, size_t{250} << 20).error().rc == Rc::kLimit);
  if (std::getenv("LIBSCHED_SANITIZED") == nullptr)
    CHECK(most_memory() - before < size_t{120} << 20);
  for (const std::string& member : members) {
    const std::string four = member + member + member + member;
    CHECK(unpack(four, size_t{128} << 20)->size() == size_t{128} << 20);
    CHECK(unpack(four, (size_t{128} << 20) - 1).error().rc == Rc::kLimit);
  }
}

TEST_CASE("data that wants much memory is refused") {
  // A zstd frame with a window of 1 GiB, and nothing in it.
  const std::string wide("\x28\xb5\x2f\xfd\x00\xa0\x01\x00\x00", 9);
  const Result<Unpacked> r = unpack(wide, 1 << 20);
  CHECK(r.error().rc == Rc::kLimit);
  CHECK(r.error().message ==
        "zstd data wants more than 134217728 bytes of memory to be decompressed");
}

TEST_CASE("other formats are known by their names") {
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
  for (const auto& [name, pack] : kFormats) {
    CAPTURE(name);
    const std::string good = pack("some text, some text, some more text");
    for (size_t n = 6; n < good.size(); ++n)
      CHECK(
          message(Str(good).substr(0, n)).starts_with("truncated " + name + " data, ends at byte"));
    CHECK(message(good + "x").starts_with("data that is not " + name + " follows the " + name));
    CHECK(message(good + good.substr(0, 12)).starts_with("truncated " + name + " data"));
    // Any flipped bit gives an answer.
    for (size_t i = 0; i < good.size(); ++i) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ 0x55);
      (void)unpack(bad, 1 << 16);
    }
    std::string bad = good;
    bad[bad.size() / 2] = static_cast<char>(bad[bad.size() / 2] ^ 0xff);
    CHECK(message(bad).starts_with("damaged " + name + " data: "));
  }
  std::string bad = gzip("some text");
  bad[bad.size() - 6] ^= 1;  // the checksum
  CHECK(message(bad).starts_with("damaged gzip data: incorrect data check"));
  bad[2] = 9;  // the method
  CHECK(message(bad).starts_with("damaged gzip data: unknown compression method"));
}

}  // namespace libsched::unpack_test
