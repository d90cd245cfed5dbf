// The lines that Go refuses, and its texts.
#include "net/src/http/go_head.hpp"

#include <doctest/doctest.h>

namespace libsched::go_head_test {
namespace {

TEST_CASE("status lines that Go refuses") {
  CHECK(go_refuses_status_line("HTTP/1.1 200 OK").empty());
  CHECK(go_refuses_status_line("HTTP/1.0 503 Service  Unavailable").empty());
  CHECK(go_refuses_status_line("HTTP/1.1 200").empty());
  CHECK(go_refuses_status_line("rubbish") == "malformed HTTP response \"rubbish\"");
  CHECK(go_refuses_status_line("") == "malformed HTTP response \"\"");
  CHECK(go_refuses_status_line("HTTP/1.1 2") == "malformed HTTP status code \"2\"");
  CHECK(go_refuses_status_line("HTTP/1.1 200\xb8OK") ==
        "malformed HTTP status code \"200\\xb8OK\"");
  CHECK(go_refuses_status_line("HTTP/1.1 -20 OK") == "malformed HTTP status code \"-20\"");
  CHECK(go_refuses_status_line("XTTP/1.1 200 OK") == "malformed HTTP version \"XTTP/1.1\"");
  CHECK(go_refuses_status_line("HTTP/1.10 200 OK") == "malformed HTTP version \"HTTP/1.10\"");
}

TEST_CASE("header lines that Go refuses") {
  for (const char* good : {"Content-Length: 17", "x:", "X-Ray: \xff y\tz", "Two Words: 1", ": x"})
    CHECK(go_refuses_header_line(good).empty());
  CHECK(go_refuses_header_line("Content-Length") ==
        "malformed MIME header: missing colon: \"Content-Length\"");
  CHECK(go_refuses_header_line("Content-\rength: 17") ==
        "malformed MIME header line: \"Content-\\rength: 17\"");
  CHECK(go_refuses_header_line("content-leNGth: \x01") ==
        "malformed MIME header line: \"Content-Length: \\x01\"");
}

TEST_CASE("lengths and encodings of a body that Go refuses") {
  const auto refusal = [](std::initializer_list<const char*> lines, bool is_old = false) {
    GoFraming framing;
    for (const char* line : lines) framing.add(line);
    return framing.refusal(is_old);
  };
  CHECK(refusal({}).empty());
  CHECK(refusal({"content-length: 17 ", "content-type: x"}).empty());
  CHECK(refusal({"Content-Length: 2", "content-LENGTH:\t2"}).empty());
  CHECK(refusal({"Transfer-Encoding: Chunked", "Content-Length: 2"}).empty());
  for (const char* bad : {"-1", "1Z", "", "+5", "9223372036854775808"})
    CHECK(refusal({(std::string("Content-Length: ") + bad).c_str()}) ==
          "bad Content-Length \"" + std::string(bad) + "\"");
  const std::string two =
      "http: message cannot contain multiple Content-Length headers; got [\"2\" \"x\"]";
  CHECK(refusal({"Content-Length: 2", "Content-Length: x "}) == two);
  CHECK(refusal({"Content-Length: 2", "Transfer-Encoding: chunked", "Content-Length: x"}) == two);
  CHECK(refusal({"Transfer-Encoding: gzip, chunked"}) ==
        "unsupported transfer encoding: \"gzip, chunked\"");
  CHECK(refusal({"Transfer-Encoding: chunked", "Transfer-Encoding: chunked"}) ==
        "too many transfer encodings: [\"chunked\" \"chunked\"]");
  CHECK(refusal({"Transfer-Encoding: gzip"}, true).empty());
}

TEST_CASE("the end of a line is its line feed and the return before") {
  CHECK(without_end("a\r\n") == "a");
  CHECK(without_end("a\n") == "a");
  CHECK(without_end("a\r") == "a\r");
  CHECK(without_end("\n").empty());
}

}  // namespace
}  // namespace libsched::go_head_test
