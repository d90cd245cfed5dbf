// The stream form against a plugin on another thread, whose answers are right, late, or damaged at
// random.
#include "net/src/remote/stream_channel.hpp"

#include <doctest/doctest.h>
#include <libsched.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "net/src/remote/answer.hpp"
#include "net/src/remote/text.hpp"

namespace libsched::stream_channel_test {

using namespace remote;  // NOLINT(google-build-using-namespace)
using nlohmann::json;

// Answers frames on a Unix socket, one connection after the other.
class Plugin {
 public:
  // Gets a header and returns what is sent; nothing closes the connection.
  using Reply = std::function<std::string(const json& header)>;

  explicit Plugin(Reply reply) : reply_(std::move(reply)) {
    char folder[] = "/tmp/libsched-stream-XXXXXX";
    REQUIRE(mkdtemp(folder) != nullptr);
    folder_ = folder;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path().c_str());
    listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(listen(listener_, 8) == 0);
    thread_ = std::thread([this] { serve(); });
  }
  ~Plugin() {
    shutdown(listener_, SHUT_RDWR);
    const int open = connection_;
    if (open >= 0) shutdown(open, SHUT_RDWR);
    thread_.join();
    close(listener_);
    unlink(path().c_str());
    rmdir(folder_.c_str());
  }
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  std::string path() const { return folder_ + "/s"; }
  int connections() const { return connections_; }

 private:
  void serve() {
    for (;;) {
      const int fd = accept(listener_, nullptr, nullptr);
      if (fd < 0) return;
      ++connections_;
      connection_ = fd;
      talk(fd);
      connection_ = -1;
      close(fd);
    }
  }
  void talk(int fd) {
    std::string in;
    char piece[4096];
    for (;;) {
      bool complete = false;
      const auto frame = first_frame(in, &complete);
      if (!complete) {
        const ssize_t got = read(fd, piece, sizeof piece);
        if (got <= 0) return;
        in.append(piece, static_cast<size_t>(got));
        continue;
      }
      const json header = json::parse(frame->header);
      const std::string out = header.contains("id") ? reply_(header) : std::string();
      in.erase(0, frame->size());
      if (!header.contains("id")) continue;
      if (out.empty() || ::send(fd, out.data(), out.size(), MSG_NOSIGNAL) < 0) return;
    }
  }

  Reply reply_;
  std::string folder_;
  int listener_ = -1;
  std::atomic<int> connection_{-1}, connections_{0};
  std::thread thread_;
};

std::string framed(const json& header, const std::string& columns = "") {
  std::string out;
  append_frame(&out, header.dump(), columns);
  return out;
}

std::string described(const json& header) {
  return framed(
      {{"id", header["id"]}, {"protocol", 1}, {"points", {"filter"}}, {"reasons", {"odd"}}});
}

// A right answer about four nodes.
std::string judged(const json& header) {
  return framed({{"id", header["id"]},
                 {"columns",
                  {{{"name", "codes"}, {"type", "int8"}, {"count", 4}},
                   {{"name", "reasonIndexes"}, {"type", "uint16"}, {"count", 4}}}}},
                std::string("\0\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16));
}

// Four nodes and a pod.
class Scene {
 public:
  Scene() {
    libsched_cluster_create(nullptr, &cluster_, nullptr);
    for (int i = 0; i < 4; ++i) {
      const std::string text =
          R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n)" + std::to_string(i) + "\"}}";
      libsched_node* node = nullptr;
      libsched_node_parse(str_of(text), nullptr, &node, nullptr);
      libsched_cluster_add_nodes(cluster_, &node, 1, nullptr);
      libsched_node_unref(node);
    }
    libsched_pod_parse(LIBSCHED_STR(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"}})"),
                       nullptr, &pod_, nullptr);
    libsched_cluster_refresh(cluster_, nullptr);
    rows_ = libsched_view_order(libsched_cluster_view(cluster_), &count_);
  }
  ~Scene() {
    libsched_pod_unref(pod_);
    libsched_cluster_unref(cluster_);
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  Question question() const {
    Question made;
    made.point = Point::kFilter;
    made.pod = pod_;
    made.view = libsched_cluster_view(cluster_);
    made.rows = rows_;
    made.count = count_;
    return made;
  }

 private:
  libsched_cluster* cluster_ = nullptr;
  libsched_pod* pod_ = nullptr;
  const uint32_t* rows_ = nullptr;
  size_t count_ = 0;
};

ChannelOptions options_of(const Plugin& plugin, int64_t timeout_ns) {
  ChannelOptions options;
  options.address.form = Address::Form::kUnix;
  options.address.target = plugin.path();
  options.timeout_ns = timeout_ns;
  options.name = "Odd";
  options.args = "null";
  return options;
}

constexpr int64_t kSecond = 1'000'000'000;

TEST_CASE("what was told is not told again, and a plugin that missed it is told all") {
  std::vector<std::string> calls;
  std::atomic<bool> forgets{false};
  Plugin plugin([&](const json& header) {
    calls.push_back(header["call"]);
    if (header["call"] == "hello") return described(header);
    if (header["call"] == "ping") return framed({{"id", header["id"]}});
    if (forgets.exchange(false)) return framed({{"id", header["id"]}, {"need", "nodes"}});
    return judged(header);
  });
  const Scene scene;
  StreamChannel channel(options_of(plugin, 10 * kSecond), nullptr);
  Ledger ledger(false);
  for (int i = 0; i < 4; ++i) {
    forgets = i == 2;
    const auto answer = channel.ask(scene.question(), &ledger);
    INFO((answer.ok() ? std::string() : answer.error().text()));
    REQUIRE(answer.ok());
    CHECK(answer->codes == std::vector<int8_t>{0, 2, 0, 0});
    CHECK(answer->reasons.size() == 4);
  }
  REQUIRE(channel.check_health().ok());
  CHECK(calls == std::vector<std::string>{"hello", "filter", "filter", "filter", "filter", "filter",
                                          "ping"});
  CHECK(plugin.connections() == 1);
}

TEST_CASE("a late answer is skipped") {
  std::atomic<int> asked{0};
  Plugin plugin([&](const json& header) {
    if (header["call"] == "hello") return described(header);
    if (asked++ == 0) usleep(300'000);
    return judged(header);
  });
  const Scene scene;
  StreamChannel channel(options_of(plugin, kSecond / 10), nullptr);
  Ledger ledger(false);
  const auto late = channel.ask(scene.question(), &ledger);
  REQUIRE(!late.ok());
  CHECK(late.error().rc == Rc::kDeadline);
  usleep(400'000);
  const auto answer = channel.ask(scene.question(), &ledger);
  REQUIRE(answer.ok());
  CHECK(answer->codes.size() == 4);
  CHECK(plugin.connections() == 1);
}

TEST_CASE("damaged answers are errors, and the next question is answered") {
  const char* given = std::getenv("LIBSCHED_SANITIZED");
  const int rounds = given != nullptr ? 150 : 400;
  std::mt19937 random(7);
  std::atomic<bool> damages{false};
  Plugin plugin([&](const json& header) {
    std::string out = header["call"] == "hello" ? described(header) : judged(header);
    if (!damages) return out;
    for (uint32_t left = 1 + random() % 3; left != 0 && !out.empty(); --left) {
      const size_t at = random() % out.size();
      switch (random() % 4) {
        case 0: out[at] = static_cast<char>(random()); break;
        case 1: out[at] = static_cast<char>(out[at] ^ (1 << random() % 8)); break;
        case 2: out.erase(at, 1 + random() % 8); break;
        default: out.insert(at, std::string(1 + random() % 8, static_cast<char>(random())));
      }
    }
    return out;
  });
  const Scene scene;
  StreamChannel channel(options_of(plugin, kSecond / 100), nullptr);
  Ledger ledger(false);
  Description description;
  description.reasons = {"odd"};
  int right = 0, wrong = 0;
  for (int i = 0; i < rounds; ++i) {
    damages = true;
    auto answer = channel.ask(scene.question(), &ledger);
    const Question question = scene.question();
    if (answer.ok() && read_columns(question, description, &*answer).ok()) {
      ++right;  // the damage is in what does not count
    } else {
      ++wrong;
    }
    if (i % 20 != 0) continue;
    damages = false;
    bool is_well = false;  // a new connection may have to be opened first
    for (int tries = 0; tries < 50 && !is_well; ++tries)
      is_well = channel.ask(scene.question(), &ledger).ok();
    CHECK(is_well);
  }
  CHECK(wrong > rounds / 2);
  CHECK(right + wrong == rounds);
}

}  // namespace libsched::stream_channel_test
