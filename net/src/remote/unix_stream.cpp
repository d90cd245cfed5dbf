// Connections over Unix sockets.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "net/src/remote/byte_stream.hpp"

namespace libsched::remote {
namespace {

constexpr size_t kPiece = size_t{64} << 10;

Error failed(const char* what, int code) {
  return {Rc::kIo, std::string(what) + ": " + std::generic_category().message(code)};
}

class UnixStream final : public ByteStream {
 public:
  explicit UnixStream(int fd) : fd_(fd) {}
  ~UnixStream() override { close(fd_); }
  UnixStream(const UnixStream&) = delete;
  UnixStream& operator=(const UnixStream&) = delete;

  Result<void> send(std::string_view bytes, Deadline deadline) override {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent >= 0) {
        bytes.remove_prefix(static_cast<size_t>(sent));
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        if (!wait_for(fd_, POLLOUT, deadline)) return timed_out();
      } else if (errno != EINTR) {
        return failed("write", errno);
      }
    }
    return {};
  }

  bool send_now(std::string_view bytes) override {
    return ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) ==
           static_cast<ssize_t>(bytes.size());
  }

  Result<void> receive(std::string* into, Deadline deadline) override {
    const size_t before = into->size();
    into->resize(before + kPiece);
    for (;;) {
      const ssize_t got = recv(fd_, into->data() + before, kPiece, 0);
      const int code = errno;
      into->resize(before + static_cast<size_t>(std::max<ssize_t>(got, 0)));
      if (got > 0) return {};
      if (got == 0) return Error{Rc::kIo, "the connection was closed"};
      if (code == EAGAIN || code == EWOULDBLOCK) {
        if (!wait_for(fd_, POLLIN, deadline)) return timed_out();
      } else if (code != EINTR) {
        return failed("read", code);
      }
      into->resize(before + kPiece);
    }
  }

  bool is_idle() override {
    char byte = 0;
    const ssize_t got = recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
  }

  void abandon() override {}  // to close the copy of a descriptor does not concern the parent

 private:
  const int fd_;
};

}  // namespace

Error timed_out() { return {Rc::kDeadline, "there was no answer in time"}; }

bool wait_for(int fd, short events, Deadline deadline) {
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now())
            .count();
    pollfd one{fd, events, 0};
    const int ready = poll(&one, 1, static_cast<int>(std::clamp<int64_t>(left, 0, 60'000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return true;  // the operation that follows tells the error
    if (ready == 0 && std::chrono::steady_clock::now() >= deadline) return false;
  }
}

Result<std::unique_ptr<ByteStream>> connect_unix(const std::string& path, Deadline deadline) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return Error{Rc::kIo, "the path of the socket is longer than 107 bytes"};
  std::memcpy(address.sun_path, path.data(), path.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return failed("socket", errno);
  auto stream = std::make_unique<UnixStream>(fd);
  // A full backlog is EAGAIN, for which poll(2) does not wait.
  while (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int code = errno;
    if (code == EISCONN) break;
    if (code != EAGAIN && code != EINTR) return failed("connect", code);
    if (std::chrono::steady_clock::now() >= deadline) return timed_out();
    usleep(1000);
  }
  return std::unique_ptr<ByteStream>(std::move(stream));
}

}  // namespace libsched::remote
