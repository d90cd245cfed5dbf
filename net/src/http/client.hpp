// HttpClient: POST requests over connections that are kept alive.
//
// Any number of threads may share a client; each request takes an idle connection or opens one. A
// request ends within its timeout. Redirects are not followed, proxies are not asked for, and a
// response has a limit. A process made by fork(2) opens connections of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libsched/base/result.hpp"
#include "net/src/http/tls.hpp"

namespace libsched {

struct HttpOptions {
  std::string unix_socket;                 // a path: requests go there, whatever host the URL names
  std::optional<TlsConfig> tls;            // loaded (load_tls); none: the system's roots, for https
  int64_t timeout_ns = 5'000'000'000;      // of a whole request; at most a day
  size_t max_response = size_t{64} << 20;  // bytes of a body, after decompression
  std::vector<std::string> headers;        // "Name: value", sent with each request
};

struct HttpResponse {
  int status = 0;
  std::string body;     // as far as it arrived; empty unless the status is 200
  std::string failure;  // why the body ended early, in Go's words; empty: it is complete
};

class HttpClient {
 public:
  explicit HttpClient(HttpOptions options);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Posts a body of type application/json. An error means that no headers arrived; its message is
  // that of Go's http.Client, 'Post "URL": ...'. `timeout_ns` replaces the one of the options
  // unless it is 0.
  Result<HttpResponse> post(const std::string& url, std::string_view body,
                            int64_t timeout_ns = 0) const;

 private:
  class Pool;
  HttpOptions options_;
  std::unique_ptr<Pool> pool_;
};

}  // namespace libsched
