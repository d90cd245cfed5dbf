// HttpClient against a server that answers well, and against servers that do not.
#include "net/src/http/client.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <regex>
#include <thread>

#include "net/src/http/server_test.hpp"
#include "net/src/http/tls.hpp"

namespace libsched::client_test {

using server_test::Answer;
using server_test::response;
using server_test::Server;
using server_test::Then;

std::string many_headers() {
  std::string out = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 300; ++i) out += "X-A: " + std::string(1000, 'y') + "\r\n";
  return out + "\r\n";
}

bool matches(const std::string& text, const std::string& pattern) {
  return std::regex_match(text, std::regex(pattern));
}

TEST_CASE("a request has its method, path, headers and body, and connections are kept") {
  std::string seen;
  Server server([&](const std::string& request) {
    seen = request;
    return Answer{response("{\"a\":1}")};
  });
  const HttpClient client({.headers = {"X-Token: t"}});
  for (int i = 0; i < 3; ++i) {
    const auto answer = client.post(server.url("/x/filter"), "{}");
    REQUIRE(answer.ok());
    CHECK(answer->status == 200);
    CHECK(answer->body == "{\"a\":1}");
    CHECK(answer->failure.empty());
  }
  CHECK(server.connections() == 1);
  CHECK(seen.starts_with("POST /x/filter HTTP/1.1\r\n"));
  CHECK(seen.find("Content-Type: application/json\r\n") != std::string::npos);
  CHECK(seen.find("X-Token: t\r\n") != std::string::npos);
  CHECK(seen.find("Expect") == std::string::npos);
  CHECK(seen.ends_with("\r\n\r\n{}"));
}

TEST_CASE("threads share a client") {
  Server server([](const std::string& request) {
    return Answer{response(request.substr(request.find("\r\n\r\n") + 4))};
  });
  const HttpClient client({});
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        const std::string body = std::to_string(t * 1000 + i);
        const auto answer = client.post(server.url("/"), body);
        if (!answer.ok() || answer->body != body) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(server.connections() <= 4);
}

TEST_CASE("a child of fork opens connections of its own") {
  Server server([](const std::string&) { return Answer{response("{}")}; });
  const HttpClient client({});
  REQUIRE(client.post(server.url("/"), "{}").ok());
  const pid_t child = fork();
  if (child == 0) _exit(client.post(server.url("/"), "{}").ok() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(server.connections() == 2);
  CHECK(client.post(server.url("/"), "{}").ok());
  CHECK(server.connections() == 2);
}

TEST_CASE("a Unix socket") {
  const std::string path = "/tmp/libsched-client-test-" + std::to_string(getpid());
  const HttpClient client({.unix_socket = path});
  {
    Server server([](const std::string&) { return Answer{response("hello")}; }, path);
    const auto answer = client.post(server.url("/f"), "{}");
    REQUIRE(answer.ok());
    CHECK(answer->body == "hello");
  }
  const auto gone = client.post("http://localhost/f", "{}");
  REQUIRE(!gone.ok());
  CHECK(gone.error().message ==
        "Post \"http://localhost/f\": dial unix " + path + ": connect: no such file or directory");
}

TEST_CASE("a response without headers is an error with Go's text") {
  struct Case {
    Answer answer;
    std::string text;
  };
  const std::vector<Case> cases = {
      {{"", Then::kClose}, "EOF"},
      {{"", Then::kReset},
       R"(read tcp 127\.0\.0\.1:\d+->127\.0\.0\.1:\d+: read: connection reset by peer)"},
      {{"", Then::kStall},
       R"(context deadline exceeded \(Client.Timeout exceeded while awaiting headers\))"},
      {{"HTTP/1.1 200 OK\r\nContent-Le", Then::kStall},
       R"(context deadline exceeded \(Client.Timeout exceeded while awaiting headers\))"},
      {{"rubbish\r\n\r\n", Then::kClose},
       R"(net/http: HTTP/1.x transport connection broken: malformed HTTP response "rubbish")"},
      {{"HTTP/1.1 200 OK\r\nContent-\rength: 17\r\n\r\n", Then::kClose},
       R"(net/http: HTTP/1.x transport connection broken: malformed MIME header line)"},
      {{"HTTP/1.1 200 OK\r\nContent-Length: 1x\r\n\r\n{", Then::kClose},
       R"(net/http: HTTP/1.x transport connection broken: bad Content-Length "1x")"},
      {{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x", Then::kClose},
       R"(net/http: HTTP/1.x transport connection broken: http: message cannot contain multiple )"
       R"(Content-Length headers; got \["2" "3"\])"},
      {{"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", Then::kClose},
       R"(net/http: HTTP/1.x transport connection broken: unsupported transfer encoding: )"
       R"("gzip, chunked")"},
      {{"HTTP/1.1 200 OK\r\nX-A: " + std::string(200'000, 'y') + "\r\n\r\n", Then::kClose},
       R"(net/http: HTTP/1.x transport connection broken: net/http: server response headers )"
       R"(exceeded 102400 bytes; aborted)"},
      {{many_headers(), Then::kClose},
       R"(net/http: HTTP/1.x transport connection broken: net/http: server response headers )"
       R"(exceeded 262144 bytes; aborted)"},
      {{"HTTP/1.1 200 OK\r\nContent-Length:", Then::kClose},
       "net/http: HTTP/1.x transport connection broken: unexpected EOF"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    Server server([&](const std::string&) { return c.answer; });
    const HttpClient client({.timeout_ns = 200'000'000});
    const auto begin = std::chrono::steady_clock::now();
    const auto answer = client.post(server.url("/f"), "{}");
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(3));
    REQUIRE(!answer.ok());
    CHECK(answer.error().rc == Rc::kIo);
    CAPTURE(answer.error().message);
    CHECK(matches(answer.error().message, "Post \"http://127.0.0.1:\\d+/f\": " + c.text));
  }
}

TEST_CASE("a body that ends early keeps what arrived") {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{\"a\"";
  struct Case {
    Answer answer;
    std::string failure;
  };
  const std::vector<Case> cases = {
      {{head, Then::kClose}, "unexpected EOF"},
      {{head, Then::kStall},
       R"(context deadline exceeded \(Client.Timeout or context cancellation while reading body\))"},
      {{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{\"a\"\r\n", Then::kClose},
       "unexpected EOF"},
  };
  for (const Case& c : cases) {
    Server server([&](const std::string&) { return c.answer; });
    const HttpClient client({.timeout_ns = 200'000'000});
    const auto answer = client.post(server.url("/f"), "{}");
    REQUIRE(answer.ok());
    CHECK(answer->status == 200);
    CHECK(answer->body == "{\"a\"");
    CAPTURE(answer->failure);
    CHECK(matches(answer->failure, c.failure));
  }
}

TEST_CASE("another status than 200 ends the request, whatever its body does") {
  for (const std::string status : {"500 Internal Server Error", "302 Found", "204 No Content"}) {
    Server server([&](const std::string&) {
      return Answer{"HTTP/1.1 " + status + "\r\nLocation: /other\r\nContent-Length: 10\r\n\r\n",
                    Then::kStall};
    });
    const HttpClient client({.timeout_ns = 5'000'000'000});
    const auto answer = client.post(server.url("/f"), "{}");
    REQUIRE(answer.ok());
    CHECK(answer->status == std::stoi(status));
    CHECK(answer->failure.empty());
    CHECK(answer->body.empty());
  }
}

TEST_CASE("no text has the password of a URL") {
  Server server([](const std::string&) { return Answer{"rubbish\r\n", Then::kClose}; });
  std::string url = server.url("/f");
  url.insert(7, "user:hunter2@");
  const HttpClient client({.timeout_ns = 300'000'000});
  const auto answer = client.post(url, "{}");
  REQUIRE(!answer.ok());
  CHECK(answer.error().message.starts_with("Post \"http://user:***@127.0.0.1:"));
  CHECK(answer.error().message.find("hunter2") == std::string::npos);
  const auto refused = client.post("http://user:hunter2@127.0.0.1:1/f", "{}");
  CHECK(
      refused.error().message ==
      "Post \"http://user:***@127.0.0.1:1/f\": dial tcp 127.0.0.1:1: connect: connection refused");
}

TEST_CASE("a response beyond the limit is cut") {
  Server server([](const std::string&) { return Answer{response(std::string(2000, 'x'))}; });
  const HttpClient client({.max_response = 1000});
  const auto answer = client.post(server.url("/f"), "{}");
  REQUIRE(answer.ok());
  CHECK(answer->body.size() <= 1000);
  CHECK(answer->failure == "the body exceeds 1000 bytes");
}

TEST_CASE("requests that cannot be sent") {
  const HttpClient client({});
  const auto text = [&](const std::string& url) { return client.post(url, "{}").error().message; };
  CHECK(text("http://127.0.0.1:1/f") ==
        "Post \"http://127.0.0.1:1/f\": dial tcp 127.0.0.1:1: connect: connection refused");
  CHECK(text("ftp://x/f") == "Post \"ftp://x/f\": unsupported protocol scheme \"ftp\"");
  CHECK(text("x/f") == "Post \"x/f\": unsupported protocol scheme \"\"");
  CHECK(text("http:///f") == "Post \"http:///f\": http: no Host in request URL");
}

TEST_CASE("TLS settings are loaded with client-go's errors") {
  const auto text = [](TlsConfig config) { return load_tls(std::move(config)).error().message; };
  CHECK(text({.ca_file = "/none"}) == "open /none: no such file or directory");
  CHECK(text({.ca_data = "x"}) ==
        "unable to load root certificates: unable to parse bytes as PEM block");
  CHECK(text({.insecure = true, .ca_data = "x"}) ==
        "specifying a root certificates file with the insecure flag is not allowed");
  CHECK(text({.cert_data = "x", .key_data = "x"}) ==
        "tls: failed to find any PEM data in certificate input");
  CHECK(load_tls({.cert_data = "x"}).ok());
  CHECK(text({.ca_file = "/dev/zero"}) == "read /dev/zero: more than 16777216 bytes");
}

TEST_CASE("plain HTTP at the other end of HTTPS") {
  Server server([](const std::string&) { return Answer{response("{}"), Then::kClose}; });
  std::string url = server.url("/f");
  url.replace(0, 4, "https");
  const HttpClient client({.tls = TlsConfig{.insecure = true}, .timeout_ns = 300'000'000});
  const auto answer = client.post(url, "{}");
  REQUIRE(!answer.ok());
  CHECK(answer.error().message.starts_with("Post \"" + url + "\": "));
}

}  // namespace libsched::client_test
