// The server for tests, on plain sockets.
#include "net/src/http/server_test.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace libsched::server_test {

Server::Server(Handler handler, const std::string& unix_socket)
    : handler_(std::move(handler)), unix_socket_(unix_socket) {
  if (unix_socket.empty()) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  } else {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    unix_socket.copy(address.sun_path, sizeof address.sun_path - 1);
    unlink(address.sun_path);
    listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address);
  }
  listen(listener_, 64);
  acceptor_ = std::thread([this] { accept_all(); });
}

Server::~Server() {
  ending_ = true;
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  {
    const std::lock_guard lock(mutex_);
    for (const int connection : open_) shutdown(connection, SHUT_RDWR);
  }
  for (std::thread& thread : threads_) thread.join();
  close(listener_);
  if (!unix_socket_.empty()) unlink(unix_socket_.c_str());
}

std::string Server::url(const std::string& path) const {
  return unix_socket_.empty() ? "http://127.0.0.1:" + std::to_string(port_) + path
                              : "http://localhost" + path;
}

void Server::accept_all() {
  while (!ending_) {
    const int connection = accept(listener_, nullptr, nullptr);
    if (connection < 0) return;
    ++connections_;
    const std::lock_guard lock(mutex_);
    open_.push_back(connection);
    threads_.emplace_back([this, connection] { serve(connection); });
  }
}

void Server::serve(int connection) {
  std::string read;
  char buffer[65536];
  const auto more = [&] {
    const ssize_t got = recv(connection, buffer, sizeof buffer, 0);
    if (got > 0) read.append(buffer, static_cast<size_t>(got));
    return got > 0;
  };
  const auto one_request = [&]() -> std::string {
    size_t head = std::string::npos;
    while ((head = read.find("\r\n\r\n")) == std::string::npos) {
      if (!more()) return {};
    }
    const size_t length_at = read.find("Content-Length: ");
    const size_t length = length_at < head ? std::stoul(read.substr(length_at + 16)) : 0;
    while (read.size() < head + 4 + length) {
      if (!more()) return {};
    }
    std::string request = read.substr(0, head + 4 + length);
    read.erase(0, request.size());
    return request;
  };
  for (std::string request = one_request(); !request.empty(); request = one_request()) {
    const Answer answer = handler_(request);
    for (size_t sent = 0; sent < answer.bytes.size();) {
      const ssize_t count =
          send(connection, answer.bytes.data() + sent, answer.bytes.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) break;
      sent += static_cast<size_t>(count);
    }
    if (answer.then == Then::kKeep) continue;
    if (answer.then == Then::kStall) {
      while (more()) continue;  // until the client or the test goes
    }
    if (answer.then == Then::kReset) {
      const linger at_once{1, 0};
      setsockopt(connection, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
    break;
  }
  const std::lock_guard lock(mutex_);
  open_.erase(std::find(open_.begin(), open_.end(), connection));
  close(connection);
}

std::string response(const std::string& body, const std::string& status) {
  return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

}  // namespace libsched::server_test
