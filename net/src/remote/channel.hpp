// Channel: one form of the protocol to one plugin, for one instance of it. One thread at a time.
#pragma once

#include <memory>
#include <string>

#include "libsched/base/result.hpp"
#include "net/src/http/tls.hpp"
#include "net/src/remote/message.hpp"

namespace libsched::remote {

// Where a plugin listens, and how long a question may take.
struct Address {
  enum class Form { kHttp, kUnix, kTcp, kTls };
  Form form = Form::kHttp;
  std::string url;     // of kHttp: without a slash at the end
  std::string target;  // a path (also of HTTP over a Unix socket), or host:port
};
// unix:PATH, tcp:HOST:PORT, tls:HOST:PORT, http://..., https://... and http+unix:PATH. Errors:
// INVALID.
Result<Address> address_of(std::string_view text);

struct ChannelOptions {
  Address address;
  TlsConfig tls;  // loaded
  int64_t timeout_ns = 5'000'000'000;
  std::string name;  // of the plugin
  std::string args;  // JSON
};

class Channel {
 public:
  virtual ~Channel() = default;
  // Asks what the plugin is. Errors: IO, DEADLINE, INVALID.
  virtual Result<Description> describe() = 0;
  // Tells the changes of states, and the nodes if they have changed, then asks. The answer is an
  // object whose columns are not checked yet. Errors: as of describe(), and STATE: the plugin has
  // lost the state.
  virtual Result<Answer> ask(const Question& question, Ledger* ledger) = 0;
  // Whether the plugin answers at all.
  virtual Result<void> check_health() = 0;
};

// `description` is what the plugin said before, which it must say again; nullptr: nothing yet.
std::unique_ptr<Channel> make_channel(ChannelOptions options, const Description* description);

}  // namespace libsched::remote
