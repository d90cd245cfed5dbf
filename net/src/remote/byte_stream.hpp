// ByteStream: a connection to a plugin. Every operation ends at a deadline.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "libsched/base/result.hpp"
#include "net/src/http/tls.hpp"

namespace libsched::remote {

using Deadline = std::chrono::steady_clock::time_point;

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Sends everything. After an error the stream cannot be used any more.
  virtual Result<void> send(std::string_view bytes, Deadline deadline) = 0;
  // Sends what can be sent at once; returns whether that was everything.
  virtual bool send_now(std::string_view bytes) = 0;
  // Appends at least one byte to `into`. DEADLINE leaves the stream as it is.
  virtual Result<void> receive(std::string* into, Deadline deadline) = 0;
  // Whether the other side has closed the connection, or sent bytes that nobody has asked for.
  virtual bool is_idle() = 0;
  // Leaves the connection to the process that has opened it: the stream is of its child.
  virtual void abandon() = 0;
};

// A Unix socket at a path. Errors: IO, DEADLINE.
Result<std::unique_ptr<ByteStream>> connect_unix(const std::string& path, Deadline deadline);
// host:port, with TLS if there are settings for it. Errors: IO, DEADLINE.
Result<std::unique_ptr<ByteStream>> connect_tcp(const std::string& host_port, const TlsConfig* tls,
                                                Deadline deadline);

// Waits until a file descriptor is ready for `events` of poll(2); false at the deadline.
bool wait_for(int fd, short events, Deadline deadline);
Error timed_out();

}  // namespace libsched::remote
