// A server for tests: it reads one request after the other and answers with bytes that a function
// chooses, so that it can break every rule of HTTP.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace libsched::server_test {

// What happens after the bytes of an answer.
enum class Then { kKeep, kClose, kReset, kStall };

struct Answer {
  std::string bytes;
  Then then = Then::kKeep;
};

class Server {
 public:
  using Handler = std::function<Answer(const std::string& request)>;

  // On a free port of 127.0.0.1, or on a Unix socket.
  explicit Server(Handler handler, const std::string& unix_socket = "");
  ~Server();

  std::string url(const std::string& path) const;
  int connections() const { return connections_; }

 private:
  void accept_all();
  void serve(int connection);

  Handler handler_;
  std::string unix_socket_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> connections_{0};
  std::atomic<bool> ending_{false};
  std::mutex mutex_;
  std::vector<int> open_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

// A well-formed response.
std::string response(const std::string& body, const std::string& status = "200 OK");

}  // namespace libsched::server_test
