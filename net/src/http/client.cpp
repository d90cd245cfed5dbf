// HttpClient on libcurl. A connection belongs to an easy handle, and idle handles wait in the
// client's pool.
#include "net/src/http/client.hpp"

#include <curl/curl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>

#include "libsched/base/mutex.hpp"
#include "libsched/base/quote.hpp"
#include "libsched/base/without_password.hpp"
#include "net/src/http/easy.hpp"
#include "net/src/http/go_error.hpp"
#include "net/src/http/go_head.hpp"
#include "net/src/http/url.hpp"

namespace libsched {

namespace {

constexpr size_t kMostIdle = 64;
constexpr int kTooLarge = 100;  // CURLE_TOO_LARGE, since 8.6
constexpr int64_t kDay = int64_t{86400} * 1'000'000'000;

// What arrives during one transfer.
struct Arrival {
  CURL* easy = nullptr;
  size_t max_response = 0;
  HttpResponse response;
  bool began = false;  // the status line is there
  bool headers_complete = false;
  bool too_large = false;
  bool is_old = false;  // a version before HTTP/1.1
  size_t head = 0;      // bytes before the body
  std::string refused;  // why Go would not take these lines
  GoFraming framing;
  std::string before;  // bytes that begin no response of HTTP
};

// Bytes of all lines before a body; libcurl has no limit of their sum in every version. Of one line
// libcurl takes CURL_MAX_HTTP_HEADER. Go's limit is 10 MiB.
constexpr size_t kMostHead = size_t{256} << 10;

std::string too_long(size_t limit) {
  return "net/http: server response headers exceeded " + std::to_string(limit) + " bytes; aborted";
}

// Go looks at the first line of what is no HTTP.
constexpr size_t kMostBefore = 4096;

size_t take_header(char* data, size_t size, size_t count, void* to) {
  Arrival& arrival = *static_cast<Arrival*>(to);
  const std::string_view line(data, size * count);
  arrival.head += line.size();
  if (arrival.head > kMostHead) {
    arrival.refused = too_long(kMostHead);
    return 0;
  }
  if (line != "\r\n" && line != "\n") {
    const std::string_view text = without_end(line);
    try {
      if (!arrival.began) {
        arrival.refused = go_refuses_status_line(text);
        arrival.is_old = text.starts_with("HTTP/1.0") || text.starts_with("HTTP/0");
      } else if (!text.starts_with(' ') && !text.starts_with('\t')) {
        arrival.refused = go_refuses_header_line(text);
        arrival.framing.add(text);
      }
    } catch (const std::bad_alloc&) {
      return 0;
    }
    arrival.began = true;
    return arrival.refused.empty() ? line.size() : 0;
  }
  long status = 0;
  curl_easy_getinfo(arrival.easy, CURLINFO_RESPONSE_CODE, &status);
  arrival.refused = arrival.framing.refusal(arrival.is_old);
  if (!arrival.refused.empty()) return 0;
  arrival.framing = {};
  if (status < 200) {  // informational: the answer's headers follow
    arrival.began = false;
    return line.size();
  }
  arrival.response.status = static_cast<int>(status);
  arrival.headers_complete = true;
  return status == 200 ? line.size() : 0;  // no other body is read
}

size_t take_body(char* data, size_t size, size_t count, void* to) {
  Arrival& arrival = *static_cast<Arrival*>(to);
  const size_t bytes = size * count;
  if (!arrival.headers_complete) {  // libcurl takes this for HTTP/0.9, which has no headers
    try {
      arrival.before.append(data, std::min(bytes, kMostBefore));
    } catch (const std::bad_alloc&) {
      return 0;
    }
    const bool whole_line = arrival.before.find('\n') != std::string::npos;
    return whole_line || arrival.before.size() >= kMostBefore ? 0 : bytes;
  }
  if (bytes > arrival.max_response - arrival.response.body.size()) {
    arrival.too_large = true;
    return 0;
  }
  try {
    arrival.response.body.append(data, bytes);
  } catch (const std::bad_alloc&) {
    return 0;
  }
  return bytes;
}

// Whether the server has closed the connection, or reset it.
bool ended_early(CURLcode code) {
  return code == CURLE_OK || code == CURLE_GOT_NOTHING || code == CURLE_PARTIAL_FILE ||
         code == CURLE_RECV_ERROR;
}

std::string address_of(CURL* easy, CURLINFO ip, CURLINFO port) {
  const char* text = nullptr;
  long number = 0;
  curl_easy_getinfo(easy, ip, &text);
  curl_easy_getinfo(easy, port, &number);
  if (!text || !*text) return {};
  const std::string host(text);
  return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" +
         std::to_string(number);
}

}  // namespace

// Idle handles. A child of fork(2) must not touch the connections of its parent, so it abandons
// them.
class HttpClient::Pool {
 public:
  ~Pool() { leave_to_parent(); }

  Easy take() {
    const std::lock_guard lock(mutex_);
    leave_to_parent();
    if (idle_.empty()) return Easy(curl_easy_init());
    Easy easy = std::move(idle_.back());
    idle_.pop_back();
    return easy;
  }
  void give_back(Easy easy) {
    const std::lock_guard lock(mutex_);
    if (owner_ == getpid() && idle_.size() < kMostIdle) idle_.push_back(std::move(easy));
  }

 private:
  void leave_to_parent() {
    if (owner_ == getpid()) return;
    for (Easy& easy : idle_) static_cast<void>(easy.release());
    idle_.clear();
    owner_ = getpid();
  }

  Mutex mutex_;
  pid_t owner_ = getpid();
  std::vector<Easy> idle_;
};

HttpClient::HttpClient(HttpOptions options)
    : options_(std::move(options)), pool_(std::make_unique<Pool>()) {}
HttpClient::~HttpClient() = default;

Result<HttpResponse> HttpClient::post(const std::string& url, std::string_view body,
                                      int64_t timeout_ns) const {
  const auto failed = [&](std::string why) {
    return Error{Rc::kIo, "Post " + go_quote(without_password(url)) + ": " + std::move(why)};
  };
  const UrlParts parts = split_url(url);
  if (parts.scheme != "http" && parts.scheme != "https") {
    return failed("unsupported protocol scheme " + go_quote(parts.scheme));
  }
  if (parts.host.empty()) return failed("http: no Host in request URL");
  if (!curl_is_ready()) return Error{Rc::kInternal, "libcurl could not be initialised"};
  Easy owner = pool_->take();
  CURL* const easy = owner.get();
  if (!easy) return Error{Rc::kNoMemory, "out of memory"};

  curl_slist* lines = nullptr;
  List headers;
  const auto header = [&](const std::string& line) {
    lines = curl_slist_append(headers.get(), line.c_str());
    if (!lines) return false;
    static_cast<void>(headers.release());
    headers.reset(lines);
    return true;
  };
  bool complete = header("Content-Type: application/json") && header("Expect:") && header("TE:");
  for (const std::string& line : options_.headers) complete = complete && header(line);

  std::string target = url;
  List connect_to;
  if (options_.tls && !options_.tls->server_name.empty() && parts.scheme == "https") {
    complete = complete && set_server_name(*options_.tls, &target, &connect_to) &&
               header("Host: " + parts.authority);
  }
  if (!complete) return Error{Rc::kNoMemory, "out of memory"};

  char said[CURL_ERROR_SIZE] = "";
  Arrival arrival{easy, options_.max_response};
  if (timeout_ns <= 0) timeout_ns = options_.timeout_ns;
  const long milliseconds = static_cast<long>((std::min(timeout_ns, kDay) + 999'999) / 1'000'000);
  curl_easy_reset(easy);  // keeps the connection
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_URL, target.c_str());
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy, CURLOPT_HTTP09_ALLOWED, 1L);  // to see what is no HTTP
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
  // libcurl 8.14 ends a transfer at the header line of an encoding that it is not to
  // decode, before take_header() has seen the line. No encoding but chunked is asked for or taken.
  curl_easy_setopt(easy, CURLOPT_TRANSFER_ENCODING, 1L);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "libsched/" LIBSCHED_BUILD_VERSION);
  curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 256L << 10);
  curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, 256L << 10);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, milliseconds);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(easy, CURLOPT_POST, 1L);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body.data());
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &arrival);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &arrival);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, said);
  if (connect_to) curl_easy_setopt(easy, CURLOPT_CONNECT_TO, connect_to.get());
  if (!options_.unix_socket.empty()) {
    curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, options_.unix_socket.c_str());
  }
  if (options_.tls) set_tls(easy, *options_.tls);

  const CURLcode code = curl_easy_perform(easy);
  HttpResponse& response = arrival.response;
  const auto broken = [&](std::string_view why) {
    return failed("net/http: HTTP/1.x transport connection broken: " + std::string(why));
  };
  if (!arrival.refused.empty()) return broken(arrival.refused);
  if (!arrival.before.empty()) {
    const std::string_view before = arrival.before;
    const size_t end = before.find('\n');
    const std::string why = go_refuses_status_line(
        without_end(end == std::string_view::npos ? before : before.substr(0, end + 1)));
    return broken(why.empty() ? "unexpected EOF" : why);
  }
  curl_off_t first_byte = 0;
  curl_easy_getinfo(easy, CURLINFO_STARTTRANSFER_TIME_T, &first_byte);
  // libcurl says so of a line that it does not take; later versions have a code of its own.
  if (!arrival.headers_complete && first_byte != 0 &&
      (code == CURLE_OUT_OF_MEMORY || static_cast<int>(code) == kTooLarge))
    return broken(too_long(CURL_MAX_HTTP_HEADER));
  if (arrival.began && !arrival.headers_complete && ended_early(code))
    return broken("unexpected EOF");
  if (code != CURLE_OK && !(arrival.headers_complete && response.status != 200)) {
    TransferFailure failure{.curl_code = code, .said = said};
    long number = 0;
    curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &number);
    failure.os_errno = static_cast<int>(number);
    curl_easy_getinfo(easy, CURLINFO_SSL_VERIFYRESULT, &failure.verify_result);
    failure.host =
        options_.tls && !options_.tls->server_name.empty() ? options_.tls->server_name : parts.host;
    if (options_.unix_socket.empty()) {
      failure.local = address_of(easy, CURLINFO_LOCAL_IP, CURLINFO_LOCAL_PORT);
      failure.remote = address_of(easy, CURLINFO_PRIMARY_IP, CURLINFO_PRIMARY_PORT);
      failure.dialled =
          "tcp " + (failure.remote.empty() ? parts.bracketed_host() + ":" + parts.port_or_default()
                                           : failure.remote);
    } else {
      failure.dialled = "unix " + options_.unix_socket;
    }
    failure.reading_body = arrival.headers_complete;
    std::string why = arrival.too_large
                          ? "the body exceeds " + std::to_string(options_.max_response) + " bytes"
                          : go_text(failure);
    if (!arrival.headers_complete) return failed(std::move(why));
    response.failure = std::move(why);
  }
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, nullptr);  // on this stack
  if (response.status != 200) response.body.clear();
  pool_->give_back(std::move(owner));
  return std::move(response);
}

}  // namespace libsched
