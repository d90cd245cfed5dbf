// Connections over TCP, with or without TLS: libcurl opens them, and carries the bytes.
#include <curl/curl.h>
#include <poll.h>

#include <algorithm>

#include "net/src/http/easy.hpp"
#include "net/src/remote/byte_stream.hpp"

namespace libsched::remote {
namespace {

constexpr size_t kPiece = size_t{64} << 10;

Error failed(const char* said, CURLcode code) {
  return {Rc::kIo, *said != '\0' ? said : curl_easy_strerror(code)};
}

class TcpStream final : public ByteStream {
 public:
  explicit TcpStream(Easy easy) : easy_(std::move(easy)) {
    curl_easy_setopt(easy_.get(), CURLOPT_ERRORBUFFER, nullptr);
    curl_easy_getinfo(easy_.get(), CURLINFO_ACTIVESOCKET, &socket_);
  }

  Result<void> send(std::string_view bytes, Deadline deadline) override {
    while (!bytes.empty()) {
      size_t sent = 0;
      const CURLcode code = curl_easy_send(easy_.get(), bytes.data(), bytes.size(), &sent);
      if (code != CURLE_OK && code != CURLE_AGAIN) return failed("", code);
      bytes.remove_prefix(sent);
      if (code == CURLE_AGAIN && !wait_for(socket_, POLLOUT, deadline)) return timed_out();
    }
    return {};
  }

  bool send_now(std::string_view bytes) override {
    size_t sent = 0;
    return curl_easy_send(easy_.get(), bytes.data(), bytes.size(), &sent) == CURLE_OK &&
           sent == bytes.size();
  }

  Result<void> receive(std::string* into, Deadline deadline) override {
    const size_t before = into->size();
    for (;;) {
      into->resize(before + kPiece);
      size_t got = 0;
      const CURLcode code = curl_easy_recv(easy_.get(), into->data() + before, kPiece, &got);
      into->resize(before + got);
      if (got != 0) return {};
      if (code == CURLE_OK) return Error{Rc::kIo, "the connection was closed"};
      if (code != CURLE_AGAIN) return failed("", code);
      if (!wait_for(socket_, POLLIN, deadline)) return timed_out();
    }
  }

  bool is_idle() override {
    pollfd one{socket_, POLLIN, 0};
    if (poll(&one, 1, 0) == 0) return true;
    // Of TLS there may be messages between questions, such as tickets of sessions.
    char byte = 0;
    size_t got = 0;
    return curl_easy_recv(easy_.get(), &byte, 1, &got) == CURLE_AGAIN;
  }

  void abandon() override { static_cast<void>(easy_.release()); }  // TLS would tell the other side

 private:
  Easy easy_;
  curl_socket_t socket_ = CURL_SOCKET_BAD;
};

}  // namespace

Result<std::unique_ptr<ByteStream>> connect_tcp(const std::string& host_port, const TlsConfig* tls,
                                                Deadline deadline) {
  if (!curl_is_ready()) return Error{Rc::kInternal, "libcurl could not be initialised"};
  Easy easy(curl_easy_init());
  if (!easy) return Error{Rc::kNoMemory, "out of memory"};
  char said[CURL_ERROR_SIZE] = "";
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  std::string target = (tls != nullptr ? "https://" : "http://") + host_port;
  List connect_to;
  if (tls != nullptr && !set_server_name(*tls, &target, &connect_to))
    return Error{Rc::kNoMemory, "out of memory"};
  curl_easy_setopt(easy.get(), CURLOPT_URL, target.c_str());
  curl_easy_setopt(easy.get(), CURLOPT_CONNECT_TO, connect_to.get());
  curl_easy_setopt(easy.get(), CURLOPT_CONNECT_ONLY, 1L);
  curl_easy_setopt(easy.get(), CURLOPT_PROXY, "");
  curl_easy_setopt(easy.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy.get(), CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(easy.get(), CURLOPT_SSL_ENABLE_ALPN, 0L);
  curl_easy_setopt(easy.get(), CURLOPT_ERRORBUFFER, said);
  const long milliseconds = std::max<long>(1, static_cast<long>(left.count()));
  curl_easy_setopt(easy.get(), CURLOPT_CONNECTTIMEOUT_MS, milliseconds);
  curl_easy_setopt(easy.get(), CURLOPT_TIMEOUT_MS, milliseconds);
  if (tls != nullptr) set_tls(easy.get(), *tls);
  const CURLcode code = curl_easy_perform(easy.get());
  if (code == CURLE_OPERATION_TIMEDOUT) return timed_out();
  if (code != CURLE_OK) return failed(said, code);
  curl_easy_setopt(easy.get(), CURLOPT_TIMEOUT_MS, 0L);
  return std::unique_ptr<ByteStream>(std::make_unique<TcpStream>(std::move(easy)));
}

}  // namespace libsched::remote
